package keyrule

import (
	"bytes"
	"strconv"

	"github.com/urisieve/urisieve/normalize/uts46"
)

// GSBCanonicalizer canonicalizes as Google Safe Browsing asks of its clients ("URLs and Hashing",
// Canonicalization). It owns scratch space: one goroutine at a time.
type GSBCanonicalizer struct {
	buf  []byte
	host []byte
	idna *uts46.Processor
}

// NewGSB makes a GSBCanonicalizer.
func NewGSB() *GSBCanonicalizer {
	return &GSBCanonicalizer{idna: uts46.New(uts46.Options{KeepFaultyALabels: true})}
}

// Append appends the canonical form of a URL as it came in, resolved but not normalized. The form
// isn't idempotent: what is escaped at the end would be unescaped again.
func (g *GSBCanonicalizer) Append(dst, url []byte) []byte {
	scheme, authority, path, query := g.split(url)
	dst = append(append(dst, scheme...), "://"...)
	dst = g.appendHost(dst, authority)
	dst = appendGSBPath(dst, path)
	if query != nil {
		dst = appendGSBEscaped(append(dst, '?'), query)
	}
	return dst
}

// split trims, drops tabs, line ends and the fragment, unescapes until nothing is left to
// unescape, and splits what comes out. query is nil where there is none.
func (g *GSBCanonicalizer) split(url []byte) (scheme, authority, path, query []byte) {
	g.buf = g.buf[:0]
	if i := bytes.IndexByte(url, '#'); i >= 0 {
		url = url[:i]
	}
	for _, c := range bytes.Trim(url, " \t\r\n\v\f") {
		if c != '\t' && c != '\r' && c != '\n' {
			g.buf = append(g.buf, c)
		}
	}
	rest := g.buf
	scheme = []byte("http")
	if i := bytes.Index(rest, []byte("://")); i > 0 && !bytes.ContainsAny(rest[:i], "/?") {
		scheme, rest = rest[:i], rest[i+3:]
	}
	if i := bytes.IndexByte(rest, '?'); i >= 0 {
		query = unescapeAll(rest[i+1:])
		rest = rest[:i]
	}
	end := bytes.IndexByte(rest, '/')
	if end < 0 {
		end = len(rest)
	}
	return bytes.ToLower(scheme), unescapeAll(rest[:end]), unescapeAll(rest[end:]), query
}

// unescapeAll unescapes in place until no escape is left, in one pass: a byte that comes out of
// an escape is looked at like one that was there.
func unescapeAll(text []byte) []byte {
	n := 0
	for _, c := range text {
		text[n] = c
		n++
		for n >= 3 && text[n-3] == '%' && isHex(text[n-2]) && isHex(text[n-1]) {
			text[n-3] = unhex(text[n-2])<<4 | unhex(text[n-1])
			n -= 2
		}
	}
	return text[:n]
}

// appendHost appends the host: without userinfo and port, dots tidied, an IPv4 address in four
// decimal numbers, lower case, IDN in ASCII.
func (g *GSBCanonicalizer) appendHost(dst, authority []byte) []byte {
	host := authority[bytes.LastIndexByte(authority, '@')+1:]
	if i := bytes.LastIndexByte(host, ':'); i > bytes.LastIndexByte(host, ']') {
		host = host[:i]
	}
	host = bytes.Trim(host, ".")
	g.host = g.host[:0]
	for i, c := range host {
		if c != '.' || host[i-1] != '.' {
			g.host = append(g.host, lower(c))
		}
	}
	if address, ok := parseIPv4(g.host); ok {
		for shift := 24; shift >= 0; shift -= 8 {
			dst = strconv.AppendUint(dst, uint64(address>>shift&0xFF), 10)
			if shift > 0 {
				dst = append(dst, '.')
			}
		}
		return dst
	}
	if start := len(dst); bytes.IndexFunc(g.host, func(r rune) bool { return r >= 0x80 }) >= 0 {
		out, result := g.idna.AppendASCII(dst, g.host)
		if result.Fault == uts46.NoFault {
			return appendGSBEscaped(out[:start], bytes.Clone(out[start:]))
		}
	}
	return appendGSBEscaped(dst, g.host)
}

// parseIPv4 reads what inet_aton reads: one to four numbers, decimal, octal or hexadecimal, the
// last of which fills what is left.
func parseIPv4(host []byte) (address uint32, ok bool) {
	parts := 0
	for rest := host; ; parts++ {
		part, after, more := bytes.Cut(rest, []byte("."))
		v, err := strconv.ParseUint(string(part), 0, 32)
		if err != nil || parts == 4 || bytes.ContainsAny(part, "_bo") {
			return 0, false
		}
		left := uint(4 - parts)
		if !more {
			if left < 4 && v >= 1<<(8*left) {
				return 0, false
			}
			return address | uint32(v), true
		}
		if v > 0xFF || parts == 3 {
			return 0, false
		}
		address |= uint32(v) << (8 * (left - 1))
		rest = after
	}
}

// appendGSBPath appends the path with dot segments resolved and runs of slashes made one, escaped.
func appendGSBPath(dst, path []byte) []byte {
	start := len(dst)
	dst = append(dst, '/')
	for len(path) > 0 {
		segment, rest, more := bytes.Cut(path, []byte("/"))
		path = rest
		switch string(segment) {
		case "", ".":
		case "..":
			if i := bytes.LastIndexByte(dst[start:len(dst)-1], '/'); i >= 0 {
				dst = dst[:start+i+1]
			}
		default:
			dst = appendGSBEscaped(dst, segment)
			if more {
				dst = append(dst, '/')
			}
		}
	}
	return dst
}

// appendGSBEscaped escapes what Safe Browsing says: up to space, from 0x7F on, "#" and "%".
func appendGSBEscaped(dst, text []byte) []byte {
	const digits = "0123456789ABCDEF"
	for _, c := range text {
		if c <= ' ' || c >= 0x7F || c == '#' || c == '%' {
			dst = append(dst, '%', digits[c>>4], digits[c&15])
		} else {
			dst = append(dst, c)
		}
	}
	return dst
}
