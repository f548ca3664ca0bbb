package normalize_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/normalize/uri"
)

// seeds are references that have met a mistake, or could.
var seeds = []string{
	"http://WWW.Example.COM", " //H.Example/a b ", "http://Xn--9ca.example/", "http://h.0X7F/", "http://H/a%c3?b c#d e", "/a%0Ab/../c d?e#%g", "\t?x y",
	"", "#", "?", "/", "//", "///", ".", "..", "../..", "./a:b", "a:b", "http:g", "http:", "http://h", "HTTP://EX.com:080/%7e%c3%a9?a b#c d",
	"http://u:p@h:8080/a/./b/../c?x#y", "http://a@b@h/", "http://[2001:DB8::0:1]:80/", "http://[v1.x]/", "http://bücher.example/é?é#é",
	"http://xn--a/", "http://exa%6Dple.com/%2e%2e/x", "http://h/%%41%zz%", "a:/..//b", "a:/.//b", "a:/.//../b", "a:b/../c", "foo://%41B%c3:007",
	"file:/x", "file://localhost/x", "file:x", "mailto:a@b?subject=x", "data:text/plain,a b", "/\\h", "\\\\h", "http:\\\\h", "/\t/h", " http://h/ ",
	"http://0x7f.1/", "http://127.0.0.1/", "http://h:99999/", "http://h:/", "1g:h", "a\x00b", "\xff", "%2F%2f", "/a/../..//b//../c", "//h:80?x",
}

// everyBase are bases of every kind.
var everyBase = []string{"", "http://a/b/c/d;p?q", "https://u:p@[::1]:8443/x/", "foo:/.//a/b", "foo://h", "file:///a/b", "mailto:a@b", "http://h/%0D?%00"}

func addSeeds(f *testing.F) {
	f.Helper()
	for i, ref := range seeds {
		f.Add(everyBase[i%len(everyBase)], ref)
	}
}

// becomes is what becomes of ref on a retrieval base; ok is false if it is refused.
func becomes(n *normalize.Normalizer, base, ref string) (out []byte, r normalize.Result, ok bool) {
	var b normalize.Base
	if base != "" {
		n.SetBase(&b, nil, nil, []byte(base))
	}
	out, r = n.Append(nil, &b, []byte(ref))
	return out, r, r.Reason == normalize.OK
}

// FuzzCanonical: what was normalized stays as it is, in strict mode too, and so does the URI without
// its fragment.
func FuzzCanonical(f *testing.F) {
	addSeeds(f)
	n, strict := newNormalizer(f, normalize.Options{}), newNormalizer(f, normalize.Options{Strict: true})
	f.Fuzz(func(t *testing.T, base, ref string) {
		out, r, ok := becomes(n, base, ref)
		if !ok {
			return
		}
		if r.Parts != uri.Split(out) {
			t.Errorf("%q has parts %+v, but splits as %+v", out, r.Parts, uri.Split(out))
		}
		if again, r, _ := becomes(n, "", string(out)); !bytes.Equal(again, out) || r.Changed != 0 {
			t.Errorf("%q on %q became %q and then %q (%s, %v)", ref, base, out, again, r.Reason, r.Changed.Names())
		}
		if again, r, _ := becomes(strict, "", string(out)); !bytes.Equal(again, out) {
			t.Errorf("%q on %q became %q, but strict makes %q of it (%s %s@%d)", ref, base, out, again, r.Reason, r.Component, r.At)
		}
		u := out[:r.Parts.URLEnd(len(out))]
		if alone, r, _ := becomes(n, "", string(u)); !bytes.Equal(alone, u) || r.Parts.HasFragment() {
			t.Errorf("%q on %q has url %q, which becomes %q", ref, base, u, alone)
		}
	})
}

// decoded is text with its escapes undone; a stray percent stands for itself.
func decoded(text []byte) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if uri.IsEscape(text, i) {
			b.WriteByte(uri.Unhex(text[i+1])<<4 | uri.Unhex(text[i+2]))
			i += 2
		} else {
			b.WriteByte(text[i])
		}
	}
	return b.String()
}

// FuzzDecodedUnchanged: the decoded text of a component changes only by a rule that says so.
func FuzzDecodedUnchanged(f *testing.F) {
	addSeeds(f)
	n := newNormalizer(f, normalize.Options{})
	const c0AndSpace = "\x00\x01\x02\x03\x04\x05\x06\x07\x08\t\n\v\f\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f "
	f.Fuzz(func(t *testing.T, _, ref string) {
		out, r, ok := becomes(n, "", ref)
		if !ok {
			return
		}
		text := []byte(strings.Trim(ref, c0AndSpace))
		parts := uri.Split(text)
		for _, c := range []struct {
			name  string
			of    func(uri.Parts, []byte) []byte
			rules normalize.RuleSet
		}{
			{"scheme", uri.Parts.Scheme, normalize.RuleLowerScheme},
			{"userinfo", uri.Parts.Userinfo, 0},
			{"host", uri.Parts.Host, normalize.RuleLowerHost | normalize.RuleIDNA | normalize.RuleIPv6Text | normalize.RuleDropLocalhost},
			{"port", uri.Parts.Port, normalize.RuleDropDefaultPort | normalize.RuleDropPortZeros | normalize.RuleDropEmptyPort},
			{"path", uri.Parts.Path, normalize.RuleRemoveDots | normalize.RuleRootPath | normalize.RuleGuardPath},
			{"query", uri.Parts.Query, 0},
			{"fragment", uri.Parts.Fragment, 0},
		} {
			before, after := decoded(c.of(parts, text)), decoded(c.of(r.Parts, out))
			if before != after && r.Changed&c.rules == 0 {
				t.Errorf("%q: the decoded %s was %q and is %q, but only %v changed something", ref, c.name, before, after, r.Changed.Names())
			}
			if r.Changed&c.rules == normalize.RuleLowerHost && !strings.EqualFold(before, after) {
				t.Errorf("%q: the decoded host was %q and is %q, but only its case was to change", ref, before, after)
			}
		}
	})
}

// FuzzFastPathTwin: the short way gives what the long way gives, to the bit, under any options of both profiles
// that have one.
func FuzzFastPathTwin(f *testing.F) {
	addSeeds(f)
	var pairs [][2]*normalize.Normalizer
	for _, o := range []normalize.Options{
		{},
		{Strict: true},
		{MaxURIBytes: 16},
		{DefaultBase: "http://d/e/f?g"},
		{SameScheme: "reject", Userinfo: "strip", RefuseBadPorts: true},
		{SameScheme: "keep", Userinfo: "strip-password"},
		{Profile: "rfc2396"},
		{Profile: "rfc2396", Strict: true},
		{Profile: "rfc2396", MaxURIBytes: 16},
		{Profile: "rfc2396", DefaultBase: "http://d/e/f?g"},
	} {
		slow := newNormalizer(f, o)
		slow.DisableFastPath()
		pairs = append(pairs, [2]*normalize.Normalizer{newNormalizer(f, o), slow})
	}
	f.Fuzz(func(t *testing.T, base, ref string) {
		for i, pair := range pairs {
			var out [2][]byte
			var r [2]normalize.Result
			for j, n := range pair {
				var b normalize.Base
				n.SetBase(&b, []byte(base), []byte("http://skip ped/"), []byte("http://h/a/b?c"))
				out[j], r[j] = n.Append([]byte("x"), &b, []byte(ref))
			}
			if !bytes.Equal(out[0], out[1]) || r[0] != r[1] {
				t.Errorf("options %d, %q on %q: the short way gives %q %+v, the long way %q %+v", i, ref, base, out[0], r[0], out[1], r[1])
			}
		}
	})
}
