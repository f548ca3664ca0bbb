package normalize_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/urisieve/urisieve/normalize"
)

// normalCases are the lines of G20 to G29.
var normalCases = map[string][]reqCase{
	"G20": {
		{ref: "HTTP://EX.com/A", want: "http://ex.com/A", strict: "="},
		{ref: "HTTP://EX.com/A?B#C", want: "http://ex.com/A?B#C", strict: "="},
		{ref: "http://User:PASS@EX.com/", want: "http://User:PASS@ex.com/", strict: "="},
		{ref: "FOO://Host", want: "foo://host/", strict: "="},
		{ref: "URN:A:B", want: "urn:A:B", strict: "="},
		{ref: "http://[::ABCD]/", want: "http://[::abcd]/", strict: "="},
		{ref: "//EX.com/A", base: "HTTP://h/", want: "http://ex.com/A", strict: "="},
	},
	"G21": {
		{ref: "http://h:80/", want: "http://h/", strict: "="},
		{ref: "https://h:0443/", want: "https://h/", strict: "="},
		{ref: "https://h:443/", want: "https://h/", strict: "="},
		{ref: "ftp://h:21/", want: "ftp://h/", strict: "="},
		{ref: "ssh://h:22/", want: "ssh://h/", strict: "="},
		{ref: "ws://h:80/", want: "ws://h/", strict: "="},
		{ref: "wss://h:443/", want: "wss://h/", strict: "="},
		{ref: "http://h:/", want: "http://h/", strict: "="},
		{ref: "foo://h:/", want: "foo://h/", strict: "="},
		{ref: "http://h:8080/", want: "http://h:8080/", strict: "="},
		{ref: "http://h:008080/", want: "http://h:8080/", strict: "="},
		{ref: "http://h:00000000000000000000000080/", want: "http://h/", strict: "="},
		{ref: "foo://h:007/", want: "foo://h:7/", strict: "="},
		{ref: "foo://h:000/", want: "foo://h:0/", strict: "="},
		{ref: "http://h:443/", want: "http://h:443/", strict: "="},
		{ref: "https://h:80/", want: "https://h:80/", strict: "="},
		{ref: "foo://h:80/", want: "foo://h:80/", strict: "="},
		{ref: "http://u@h:80/", want: "http://u@h/", strict: "="},
		{ref: "foo://h:70/", want: "foo://h/", strict: "=", opts: normalize.Options{DefaultPorts: []normalize.DefaultPort{{Scheme: "foo", Port: 70}}}},
	},
	"G22": {
		{ref: "http://h/%7Ea", want: "http://h/~a", strict: "="},
		{ref: "http://h/%7Euser/%41%2D%5f%30", want: "http://h/~user/A-_0", strict: "="},
		{ref: "http://h/%21%27%28%29%2A", want: "http://h/%21%27%28%29%2A", strict: "="},
		{ref: "http://h/!'()*", want: "http://h/!'()*", strict: "="},
		{ref: "http://h/?%7e#%7e", want: "http://h/?~#~", strict: "="},
		{ref: "http://%7e@h/", want: "http://~@h/", strict: "="},
		{ref: "foo://%7e/", want: "foo://~/", strict: "="},
		{ref: "mailto:%7e", want: "mailto:~", strict: "="},
		{ref: "%7e", base: "http://h/", want: "http://h/~", strict: "="},
	},
	"G23": {
		{ref: "http://h/%c3%a9", want: "http://h/%C3%A9", strict: "="},
		{ref: "http://h/?%c3#%aB", want: "http://h/?%C3#%AB", strict: "="},
		{ref: "http://%3a@h/", want: "http://%3A@h/", strict: "="},
		{ref: "foo://%c3/", want: "foo://%C3/", strict: "="},
		{ref: "mailto:%3f", want: "mailto:%3F", strict: "="},
		{ref: "http://h/foo%20bar%3a%20%2376", want: "http://h/foo%20bar%3A%20%2376", strict: "="},
	},
	"G24": {
		{ref: "http://h/a%2Fb%3F%23%40", want: "http://h/a%2Fb%3F%23%40", strict: "="},
		{ref: "http://h/%0D%0A%00", want: "http://h/%0D%0A%00", strict: "="},
		{ref: "http://h/%20%22%3C%7F", want: "http://h/%20%22%3C%7F", strict: "="},
		{ref: "../up", base: "http://example.com/foo%2Fbar/", want: "http://example.com/up", strict: "="},
		{ref: "http://a%3Ab@h/", want: "http://a%3Ab@h/", strict: "="},
	},
	"G25": {
		{ref: "http://h/ <>\"{}|^`", want: "http://h/%20%3C%3E%22%7B%7D%7C%5E%60", strict: "!bad_path path@9", flags: "escaped_illegal"},
		{ref: "http://h/? <>\"{}|^`", want: "http://h/?%20%3C%3E%22%7B%7D%7C%5E%60", strict: "!bad_query query@10"},
		{ref: "http://h/# <>\"{}|^`", want: "http://h/#%20%3C%3E%22%7B%7D%7C%5E%60", strict: "!bad_fragment fragment@10"},
		{ref: "http://<>\"{}|^`@h/", want: "http://%3C%3E%22%7B%7D%7C%5E%60@h/", strict: "!bad_userinfo userinfo@7"},
		{ref: "http://a[b]@h/", want: "http://a%5Bb%5D@h/", strict: "!bad_userinfo userinfo@8"},
		{ref: "http://h/[a]?[b]#[c]", want: "http://h/%5Ba%5D?%5Bb%5D#%5Bc%5D", strict: "!bad_path path@9"},
		{ref: "http://h/?x[y]=1", want: "http://h/?x%5By%5D=1", strict: "!bad_query query@11"},
		{ref: "http://h/s.aspx?q=t||1", want: "http://h/s.aspx?q=t%7C%7C1", strict: "!bad_query query@19"},
		{ref: "http://h/{{stuff}}^", want: "http://h/%7B%7Bstuff%7D%7D%5E", strict: "!bad_path path@9"},
		{ref: "https://forces.ca/\"%url%/", want: "https://forces.ca/%22%25url%25/", strict: "!bad_path path@18"},
		{ref: "mailto:<a@b>", want: "mailto:%3Ca@b%3E", strict: "!bad_path path@7"},
		{ref: "http://h/a@b:c!$&'()*+,;=", want: "http://h/a@b:c!$&'()*+,;=", strict: "=", flags: "-escaped_illegal"},
	},
	"G26": {
		{ref: "http://h/%2541", want: "http://h/%2541", strict: "="},
		{ref: "http://h/%252541", want: "http://h/%252541", strict: "="},
		{ref: "http://h/%25", want: "http://h/%25", strict: "="},
		{ref: "http://h/%2525?%2541#%2541", want: "http://h/%2525?%2541#%2541", strict: "="},
		{ref: "http://h/%2%35", want: "http://h/%2525"},
		{ref: "http://h/%2520", want: "http://h/%2520", strict: "="},
		{ref: "foo://%2541/", want: "foo://%2541/", strict: "="},
		{ref: "http://h/cmp/Supermercados-Dia%25", want: "http://h/cmp/Supermercados-Dia%25", strict: "="},
	},
	"G27": {
		{ref: "http://h/a/./b/../c", want: "http://h/a/c", strict: "="},
		{ref: "foo:/a/./b/../c", want: "foo:/a/c", strict: "="},
		{ref: "a:/..//b", want: "a:/.//b", strict: "=", flags: "path_guarded"},
		{ref: "a:/.//b", want: "a:/.//b", strict: "="},
		{ref: "a:/x/..//b", want: "a:/.//b", strict: "="},
		{ref: "/.//b", base: "a:/x", want: "a:/.//b", strict: "="},
		{ref: "..//b", base: "a:/x/y", want: "a:/.//b", strict: "="},
		{ref: "/..//b", base: "http://h/", want: "http://h//b", strict: "=", flags: "-path_guarded"},
		{ref: "http://www.example.org/dir/%2e%2e/secret", want: "http://www.example.org/secret", strict: "="},
		{ref: "http://h/%2E/%2e%2E/.%2e/a", want: "http://h/a", strict: "="},
		{ref: "x/%2E%2E/../g", base: "http://a/b/c/d", want: "http://a/b/g", strict: "="},
		{ref: "%2e%2e/g", base: "http://a/b/c/d", want: "http://a/b/g", strict: "="},
		{ref: "http://h/%2e.bar", want: "http://h/..bar", strict: "="},
		{ref: "http://h/../..foo", want: "http://h/..foo", strict: "="},
		{ref: "http://h/..", want: "http://h/", strict: "="},
		{ref: "http://h/.", want: "http://h/", strict: "="},
		{ref: "http://h/a/..", want: "http://h/", strict: "="},
		{ref: "http://h/a/b/.", want: "http://h/a/b/", strict: "="},
		{ref: "http://example.com/foo/bar//..", want: "http://example.com/foo/bar/", strict: "="},
		{ref: "http://h/a//../../b", want: "http://h/b", strict: "="},
		{ref: "http://h/a//b", want: "http://h/a//b", strict: "="},
		{ref: "http://h/...", want: "http://h/...", strict: "="},
		{ref: "http://h/?a/../b#c/../d", want: "http://h/?a/../b#c/../d", strict: "="},
		{ref: "http://h/%2e%2e%2fx", want: "http://h/..%2Fx", strict: "="},
	},
	"G28": {
		{ref: "http://h", want: "http://h/", strict: "="},
		{ref: "http://h?", want: "http://h/?", strict: "="},
		{ref: "http://h?a=1", want: "http://h/?a=1", strict: "="},
		{ref: "http://h#f", want: "http://h/#f", strict: "="},
		{ref: "http://h/?", want: "http://h/?", strict: "="},
		{ref: "foo://h", want: "foo://h/", strict: "="},
		{ref: "file://", want: "file:///", strict: "="},
		{ref: "foo://", want: "foo:///", strict: "="},
		{ref: "//h", base: "https://x/", want: "https://h/", strict: "="},
		{ref: "foo:?q", want: "foo:?q", strict: "="},
		{ref: "?", base: "https://h/?hello", want: "https://h/?", strict: "="},
	},
	"G29": {
		{ref: "http://h/?a=1%262", want: "http://h/?a=1%262", strict: "="},
		{ref: "http://h/?x=a+b%20c%2Bd", want: "http://h/?x=a+b%20c%2Bd", strict: "="},
		{ref: "http://h/%3Bx%26y%3Dz", want: "http://h/%3Bx%26y%3Dz", strict: "="},
		{ref: "http://h/;x&y=z", want: "http://h/;x&y=z", strict: "="},
		{ref: "https://h/Detail/NjAxOA%3d%3d", want: "https://h/Detail/NjAxOA%3D%3D", strict: "="},
		{ref: "https://h/More+Tea+Vicar%3F/discussion", want: "https://h/More+Tea+Vicar%3F/discussion", strict: "="},
	},
}

func TestG20_CaseOfSchemeAndHost(t *testing.T)          { checkCases(t, "G20") }
func TestG21_DefaultPorts(t *testing.T)                 { checkCases(t, "G21") }
func TestG22_UnreservedIsUnescaped(t *testing.T)        { checkCases(t, "G22") }
func TestG23_HexDigitsUpperCase(t *testing.T)           { checkCases(t, "G23") }
func TestG24_ReservedStaysEscaped(t *testing.T)         { checkCases(t, "G24") }
func TestG25_ExcludedIsEscaped(t *testing.T)            { checkCases(t, "G25") }
func TestG26_NeverTwice(t *testing.T)                   { checkCases(t, "G26") }
func TestG27_DotSegments(t *testing.T)                  { checkCases(t, "G27") }
func TestG28_EmptyPathAfterAuthority(t *testing.T)      { checkCases(t, "G28") }
func TestG29_ReservedDiffersFromItsEscape(t *testing.T) { checkCases(t, "G29") }

// G22, G23, G24: every escape, in both cases of its digits, in every component that has some.
func TestG22_G23_G24_EveryEscape(t *testing.T) {
	n := newNormalizer(t, normalize.Options{})
	for b := range 256 {
		want := fmt.Sprintf("%%%02X", b)
		if strings.IndexByte(unreserved, byte(b)) >= 0 {
			want = string([]byte{byte(b)})
		}
		for _, form := range []string{"http://h/x%s", "http://h/?x%s", "http://h/#x%s", "http://x%s@h/", "foo:x%s"} {
			for _, escape := range []string{fmt.Sprintf("%%%02x", b), fmt.Sprintf("%%%02X", b)} {
				ref := strings.Replace(form, "%s", escape, 1)
				if got, _ := n.Append(nil, nil, []byte(ref)); string(got) != strings.Replace(form, "%s", want, 1) {
					t.Errorf("%s: got %s, want %s", ref, got, strings.Replace(form, "%s", want, 1))
				}
			}
		}
	}
}

// G26: canonical URIs come back unchanged, and say that nothing changed.
func TestG26_CanonicalIsAFixedPoint(t *testing.T) {
	for id, cases := range requirementCases() {
		for _, c := range cases {
			if strings.HasPrefix(c.want, "!") {
				continue
			}
			got, r := outcome(newNormalizer(t, c.opts), layers{}, c.want)
			if got != c.want || r.Changed != 0 {
				t.Errorf("%s %v: %s came back as %s, changed by %v", id, c, c.want, got, r.Changed.Names())
			}
		}
	}
}

// G29: a reserved character and its escape are two URIs, wherever both may stand.
func TestG29_TwoKeys(t *testing.T) {
	n := newNormalizer(t, normalize.Options{})
	for _, b := range []byte("!$&'()*+,;=:@/?") {
		for _, form := range []string{"http://h/x%s", "http://h/?x%s", "http://h/#x%s"} {
			if b == '?' && form == "http://h/x%s" {
				continue
			}
			raw, _ := n.Append(nil, nil, []byte(strings.Replace(form, "%s", string([]byte{b}), 1)))
			escaped, _ := n.Append(nil, nil, []byte(strings.Replace(form, "%s", fmt.Sprintf("%%%02X", b), 1)))
			if string(raw) == string(escaped) {
				t.Errorf("%c in %s: both are %s", b, form, raw)
			}
		}
	}
}
