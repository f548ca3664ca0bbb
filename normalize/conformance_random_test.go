package normalize_test

import (
	"math/rand/v2"
	"strings"
)

// This file makes references that look like the dirt of the web: made of parts that each mean
// something somewhere, put together without regard for sense.

const rfcBase = "http://a/b/c/d;p?q" // RFC 3986 section 5.4

// dirt is what a random reference is made of, by weight: delimiters, dots, escapes, backslashes,
// controls, Unicode, A-labels, addresses, ports.
var dirt = []string{
	"/", "/", "/", "/", "//", "?", "#", "@", ":", ":", "[", "]", ";", "=", "&", "+", ",", "!", "$", "'", "(", ")", "*",
	".", "..", "/.", "/..", "/../", "/./", "./", "../", "...", "%2e", "%2E%2e", "/%2e%2E/", ".%2e", "%2f", "%5c",
	"%", "%%", "%4", "%zz", "%41", "%7e", "%c3%A9", "%E9", "%ff", "%25", "%2525", "%00", "%0d%0A", "%20", "%21", "%40", "%3a", "%5B",
	" ", "\t", "\n", "\r", "\x00", "\x1f", "\x7f", "\\", "\\\\", "/\\", "\"", "<", ">", "^", "`", "{", "|", "}",
	"é", "ß", "日本", "。", "／", "％", "\u00a0", "\u00ad", "\u200d", "\u0301", "א", "☃", "\xe9", "\xff\xfe", "\xed\xa0\x80", "\U0001F4A9",
	"xn--", "xn--a", "xn--bcher-kva", "xn--fa-hia", "XN--N3H", "www.example.com", "Example.COM", "a", "b", "c", "g", "A", "Z", "0", "1", "9", "-", "_", "~",
	"[::1]", "[2001:DB8::0:1]", "[::ffff:1.2.3.4]", "[v1.x]", "[fe80::1%25en0]", "127.0.0.1", "0x7f.1", "256.1", ":80", ":0080", ":443", ":", ":65536", ":8a",
	"user:pw@", "u@", "a=b&c=d", "index.html", "g;x=1",
}

// openings are what random references begin with.
var openings = []string{
	"", "", "", "", "http://", "http://", "http://h", "http://h/", "https://h/a/b?", "HTTP://EX.com:80/", "http:", "http:/", "http:///", "//", "//h/", "///",
	"/", "../", "./", "?", "#", "mailto:", "data:,", "javascript:", "urn:x:", "foo:", "foo:/", "foo://", "foo:///", "foo://H", "file:", "file:/", "file://", "file:///", "file://localhost/",
	"ftp://h:21/", "ws://h/", "ssh://h:22/", "1a:", "a_b:", " ", "\t", "\\", "\\\\", "/\\", "http:\\\\", "http://a@b@", "http://[", "http://[::1]:",
}

// randomBases serve random references; "" is none.
var randomBases = []string{
	"", rfcBase, "http://a", "http://a?q#f", "https://Ex.com:443/x/../y/%7e/z;p?q", "foo:/a/b", "foo://h", "foo:///a//b/", "a:/.//b/c", "file:///C:/a/b",
	"mailto:a@b", "data:,x", "http://h/a b/\\c/", "http://u:p@h:8080/x/", "ftp://h/a/b", "http://é.example/é/", "http://a b/", "../rel", "http://h/b/..", "http://h/%2e%2e/%2e/x/%2e",
}

// randomReference is one such reference.
func randomReference(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString(openings[r.IntN(len(openings))])
	for range r.IntN(10) {
		b.WriteString(dirt[r.IntN(len(dirt))])
	}
	return b.String()
}

// randomBytes has no structure at all but a bias to delimiters.
func randomBytes(r *rand.Rand) string {
	b := make([]byte, r.IntN(40))
	for i := range b {
		b[i] = byte(r.IntN(256))
		if r.IntN(3) == 0 {
			b[i] = "/?#[]@:%.\\"[r.IntN(10)]
		}
	}
	return string(b)
}

// disguise rewrites a canonical http, https or foo URI into an equal one (RFC 3986 section 6.2.2
// and 6.2.3), step by step.
func disguise(r *rand.Rand, u string) string {
	scheme, rest, _ := strings.Cut(u, "://")
	authority, rest, _ := strings.Cut(rest, "/")
	for range 1 + r.IntN(5) {
		switch r.IntN(8) {
		case 0:
			scheme = randomCase(r, scheme)
		case 1:
			authority = randomCase(r, authority) // no userinfo here: all of it is host and digits
		case 2:
			if !strings.ContainsAny(authority, ":[") {
				authority += map[string]string{"http": ":80", "https": ":0443", "foo": ":"}[strings.ToLower(scheme)]
			}
		case 3:
			rest = "./" + rest
		case 4:
			rest = []string{"x/../", "../", "%2e/", ".%2E/", "%41/..//../"}[r.IntN(5)] + rest
		case 5, 6:
			rest = escapeOne(r, rest)
		case 7:
			if !strings.ContainsAny(authority, ":[") { // neither literals nor ports have escapes
				authority = escapeOne(r, authority)
			}
		}
	}
	return scheme + "://" + authority + "/" + rest
}

func randomCase(r *rand.Rand, s string) string {
	b := []byte(s)
	for i, c := range b {
		if c|0x20 >= 'a' && c|0x20 <= 'z' && r.IntN(2) == 0 {
			b[i] ^= 0x20
		}
	}
	return string(b)
}

// escapeOne escapes one unreserved byte, or turns the case of the digits of one escape.
func escapeOne(r *rand.Rand, s string) string {
	if s == "" {
		return s
	}
	i := r.IntN(len(s))
	for j := i - 2; j <= i; j++ {
		if j >= 0 && s[j] == '%' {
			return s[:j+1] + randomCase(r, s[j+1:j+3]) + s[j+3:]
		}
	}
	if strings.IndexByte(unreserved, s[i]) < 0 {
		return s
	}
	const digits = "0123456789aBcDEf"
	return s[:i] + "%" + string(digits[s[i]>>4]) + string(digits[s[i]&15]) + s[i+1:]
}
