package normalize_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/urisieve/urisieve/normalize"
)

// Nothing is allocated per reference once the buffers have grown, mended or not, refused or not,
// with a new base for each; internationalized hosts are remembered or done in scratch space.
func TestCost_NoAllocation(t *testing.T) {
	for _, profile := range []string{"rfc3986", "rfc2396"} {
		checkNoAllocation(t, newNormalizer(t, normalize.Options{Profile: profile, DefaultPorts: []normalize.DefaultPort{{Scheme: "foo", Port: 7}}}))
	}
	checkNoAllocation(t, newNormalizer(t, web))
}

func checkNoAllocation(t *testing.T, n *normalize.Normalizer) {
	t.Helper()
	var b normalize.Base
	dst := make([]byte, 0, 1<<16)
	embedded, retrieval := []byte("../forum/./?x"), []byte("HTTPS://Example.com:443/a/b/../%7e/c?d#e")
	refs := append([]string{
		"g", "../../g?x#y", "//h/x", "//H:80", "HTTP://A%42c.EX:0080/%7e%c3%a9/./x/../é \\?a[b]=c d#%zz%", "https:g", "FOO://A@B:c@h:007/|", "http://[2001:DB8::0:1]/",
		"http://[::ffff:1.2.3.4]:8080", "http://1.2.3.4/", "http://0x7f.1/", "foo:/..//b", "foo:a b", "http://h/" + strings.Repeat("é/../", 99),
		"http://bücher.example/", "http://xn--bcher-kva.example/", "http://xn--a/", "http://" + strings.Repeat("ü", 300) + ".example/",
		"../../../d?e#f", "#f", "?q", "foo://My_Reg:x/a", "foo://ex%41mple:7/", "foo://h:%30%37", "HTTP:\\\\EX.example\\a b",
	}, seeds...)
	for _, ref := range refs {
		text := []byte(ref)
		if allocs := testing.AllocsPerRun(20, func() {
			n.SetBase(&b, embedded, nil, retrieval)
			dst, _ = n.Append(dst[:0], &b, text)
		}); allocs != 0 {
			t.Errorf("%.80q: %v allocations", ref, allocs)
		}
	}
}

// hostile are references of about size bytes that make careless code do quadratic work.
func hostile(size int) map[string]string {
	times := func(head, unit, end string) string { return head + strings.Repeat(unit, size/len(unit)) + end }
	return map[string]string{
		"at signs in userinfo":    times("http://", "a@", "h/"),
		"colons in userinfo":      times("http://", "a:", "@h/"),
		"port digits":             times("foo://h:", "0", "/"),
		"big port":                times("foo://h:", "9", "/"),
		"dots up":                 times("http://h", "/..", "/"),
		"dots here":               times("http://h", "/.", "/"),
		"down and up":             times("http://h", "/a/..", "/"),
		"down, then up":           times("http://h", "/a", times("", "/..", "")),
		"relative dots":           times("", "../", "g"),
		"escaped dots":            times("http://h", "/%2e%2E", "/"),
		"names with escapes":      times("foo://", "%41.", ":%30/"),
		"labels with colons":      times("foo://", "a:", "1/"),
		"hyphens":                 times("foo://a", "-", "a/"),
		"down and up, relative":   times("", "a/../", "g"),
		"empty and up, relative":  times("a/", "/../", "g"),
		"empty segments":          times("http://h", "/", ""),
		"guarded":                 times("a:/..", "/", "b"),
		"guarded again and again": times("a:/.", "//..", "/b"),
		"percent 25":              times("http://h/", "%25", ""),
		"stray percents":          times("http://h/", "%", ""),
		"brackets":                times("http://", "[", "/"),
		"closing brackets":        times("http://h", "]", "/"),
		"brackets in query":       times("http://h/?", "[[[[", ""),
		"question marks":          times("http://h/", "?", ""),
		"hash signs":              times("http://h/", "#", ""),
		"spaces":                  times("http://h/", " ", "x"),
		"spaces around":           times(" ", " ", "http://h/"),
		"backslashes":             times("http://h/", "\\", ""),
		"slashes and tabs":        times("http:", "\t", "//h"),
		"not UTF-8":               times("http://h/", "\xff", ""),
		"characters":              times("http://h/", "é", ""),
		"labels":                  times("http://", "a.", "/"),
		"A-labels":                times("http://", "xn--a.", "/"),
		"valid A-labels":          times("http://", "xn--bcher-kva.", "/"),
		"Unicode labels":          times("http://", "bücher.", "/"),
		"long Unicode labels":     times("http://", strings.Repeat("字", 341)+".", "/"),
		"one long Unicode label":  times("http://", "é", "/"),
		"one long A-label":        times("http://xn--", "a", "/"),
		"escapes in host":         times("http://", "%61", "/"),
		"commas in host":          times("http://", ",.", "/"),
		"colons in IPv6":          times("http://[", ":", "]/"),
		"digits in IPv6":          times("http://[", "1", "]/"),
		"future address":          times("http://[v1.", ":", "]/"),
		"scheme":                  times("", "a", ":b"),
		"no scheme":               times("", "a", ""),
		"colon late":              times("1", "a", ":b"),
	}
}

// Work grows with the length of the reference and no faster, whatever the bytes. What counts are
// the bytes that each pass of the rules reads; that is the same on every machine.
func TestCost_LinearWork(t *testing.T) {
	const perByte = 12 // passes over the whole: read, check, text, dots three times, guard, control
	base := "http://h/" + strings.Repeat("a/", 1000)
	for _, o := range []normalize.Options{{}, {Strict: true}, {Profile: "rfc2396"}} {
		o.MaxURIBytes = normalize.MaxMaxURIBytes
		n := newNormalizer(t, o)
		n.DisableFastPath()
		var b normalize.Base
		n.SetBase(&b, nil, nil, []byte(base))
		n.Work()
		sizes := []int{1 << 20, 2 << 20, 4 << 20, 8 << 20}
		switch {
		case testing.Short():
			sizes = sizes[:2]
		case o.Profile == "rfc2396": // the same code but for few steps: its ends are enough
			sizes = []int{1 << 20, 8 << 20}
		}
		var dst []byte
		for _, size := range sizes {
			for name, ref := range hostile(size) {
				dst, _ = n.Append(dst[:0], &b, []byte(ref))
				if work, bound := n.Work(), uint64(perByte*(len(ref)+len(base))); work > bound {
					t.Errorf("%s, %d MiB, %+v: %d bytes read, bound %d", name, size>>20, o, work, bound)
				}
			}
		}
	}
}

// The short way gives the long way's answers to hostile references too, and its outputs keep the
// bound.
func TestCost_HostileReferences(t *testing.T) {
	const size = 1 << 16
	for _, profile := range []string{"rfc3986", "rfc2396"} {
		o := normalize.Options{Profile: profile, MaxURIBytes: 2 * size}
		checkHostile(t, size, newNormalizer(t, o), newNormalizer(t, o))
	}
}

func checkHostile(t *testing.T, size int, n, slow *normalize.Normalizer) {
	t.Helper()
	slow.DisableFastPath()
	var b normalize.Base
	n.SetBase(&b, nil, nil, []byte(rfcBase))
	for name, ref := range hostile(size) {
		out, r := n.Append(nil, &b, []byte(ref))
		want, wantResult := slow.Append(nil, &b, []byte(ref))
		if string(out) != string(want) || r != wantResult {
			t.Errorf("%s: the short way gives %.40q %v, the long way %.40q %v", name, out, r.Reason, want, wantResult.Reason)
		}
		if len(out) > normalize.OutputBound(2*size) {
			t.Errorf("%s: %d bytes out", name, len(out))
		}
	}
}

// What would pass the output bound is refused, not cut: a base and a reference may both be long.
func TestCost_OutputTooLongIsRefused(t *testing.T) {
	const limit = 1000
	n := newNormalizer(t, normalize.Options{MaxURIBytes: limit})
	bound := normalize.OutputBound(limit)
	base := "http://h/" + strings.Repeat(" ", 900) + "/"
	for _, spaces := range []int{1, 700, 773, 774, 900} {
		var b normalize.Base
		n.SetBase(&b, nil, nil, []byte(base))
		out, r := n.Append([]byte("kept"), &b, []byte(strings.Repeat(" ", spaces)+"x"))
		_ = out
		if r.Reason != normalize.OK {
			t.Fatalf("trimmed: %v", r.Reason)
		}
		out, r = n.Append([]byte("kept"), &b, []byte("x"+strings.Repeat(" ", spaces)+"x"))
		length := len("http://h/") + 3*900 + len("/") + len("x") + 3*spaces + len("x")
		want := normalize.OK
		if length > bound {
			want = normalize.OutputTooLong
		}
		if r.Reason != want || want == normalize.OK && len(out) != len("kept")+length || want != normalize.OK && string(out) != "kept" {
			t.Errorf("%d spaces: %d bytes of at most %d: got %v and %d bytes", spaces, length, bound, r.Reason, len(out))
		}
	}
}

// A host is mapped the same way the first time, from memory, and after others took its place.
func TestCost_RememberedHostsAreTheSame(t *testing.T) {
	n := newNormalizer(t, normalize.Options{})
	first := map[string]string{}
	for round := range 3 {
		for i := range 9000 { // more than are remembered
			ref := fmt.Sprintf("http://bücher%d.xn--a%d.example/", i, i)
			out, r := n.Append(nil, nil, []byte(ref))
			got := fmt.Sprintf("%s %v %v %v", out, r.Reason, r.Flags.Names(), r.Changed.Names())
			if round == 0 {
				first[ref] = got
			} else if first[ref] != got {
				t.Fatalf("round %d: %s: got %s, first %s", round, ref, got, first[ref])
			}
		}
	}
}
