package uri

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

// parse makes a Ref of a text.
func parse(text string) Ref { return Ref{Text: []byte(text), Parts: Split([]byte(text))} }

// RFC 3986 section 5.4: all normal (5.4.1) and abnormal (5.4.2) examples, strict.
func TestAppendResolved_ExamplesOfSection54(t *testing.T) {
	for _, c := range []struct{ ref, want string }{
		{"g:h", "g:h"},
		{"g", "http://a/b/c/g"},
		{"./g", "http://a/b/c/g"},
		{"g/", "http://a/b/c/g/"},
		{"/g", "http://a/g"},
		{"//g", "http://g"},
		{"?y", "http://a/b/c/d;p?y"},
		{"g?y", "http://a/b/c/g?y"},
		{"#s", "http://a/b/c/d;p?q#s"},
		{"g#s", "http://a/b/c/g#s"},
		{"g?y#s", "http://a/b/c/g?y#s"},
		{";x", "http://a/b/c/;x"},
		{"g;x", "http://a/b/c/g;x"},
		{"g;x?y#s", "http://a/b/c/g;x?y#s"},
		{"", "http://a/b/c/d;p?q"},
		{".", "http://a/b/c/"},
		{"./", "http://a/b/c/"},
		{"..", "http://a/b/"},
		{"../", "http://a/b/"},
		{"../g", "http://a/b/g"},
		{"../..", "http://a/"},
		{"../../", "http://a/"},
		{"../../g", "http://a/g"},
		{"../../../g", "http://a/g"},
		{"../../../../g", "http://a/g"},
		{"/./g", "http://a/g"},
		{"/../g", "http://a/g"},
		{"g.", "http://a/b/c/g."},
		{".g", "http://a/b/c/.g"},
		{"g..", "http://a/b/c/g.."},
		{"..g", "http://a/b/c/..g"},
		{"./../g", "http://a/b/g"},
		{"./g/.", "http://a/b/c/g/"},
		{"g/./h", "http://a/b/c/g/h"},
		{"g/../h", "http://a/b/c/h"},
		{"g;x=1/./y", "http://a/b/c/g;x=1/y"},
		{"g;x=1/../y", "http://a/b/c/y"},
		{"g?y/./x", "http://a/b/c/g?y/./x"},
		{"g?y/../x", "http://a/b/c/g?y/../x"},
		{"g#s/./x", "http://a/b/c/g#s/./x"},
		{"g#s/../x", "http://a/b/c/g#s/../x"},
		{"http:g", "http:g"},
	} {
		if got := AppendResolved([]byte("kept "), parse("http://a/b/c/d;p?q"), parse(c.ref)); string(got) != "kept "+c.want {
			t.Errorf("%q: got %q, want %q", c.ref, got, c.want)
		}
	}
}

func TestAppendResolved_IsLiteral(t *testing.T) {
	for _, c := range []struct{ name, base, ref, want string }{
		{"an authority and an empty path merge with a slash", "http://a", "g", "http://a/g"},
		{"no authority and an empty path merge without", "a:", "g", "a:g"},
		{"a rootless path merges at its last slash", "urn:a/b", "c", "urn:a/c"},
		{"a rootless path without slash is replaced", "urn:a:b", "../c", "urn:c"},
		{"the letter writes what reads as an authority", "a:/b", "..//c", "a://c"},
		{"an empty query is a query", "http://a/b?q", "?", "http://a/b?"},
		{"the base's fragment is not inherited", "http://a/b#f", "", "http://a/b"},
		{"a base's dots stay with an empty path", "http://a/./b", "?q", "http://a/./b?q"},
		{"a scheme's dots go", "x:", "a:/b/../c", "a:/c"},
		{"an empty authority is an authority", "http://a/b", "///c", "http:///c"},
		{"an empty fragment is a fragment", "http://a/b", "#", "http://a/b#"},
	} {
		if got := AppendResolved(nil, parse(c.base), parse(c.ref)); string(got) != c.want {
			t.Errorf("%s: %q on %q: got %q, want %q", c.name, c.ref, c.base, got, c.want)
		}
	}
}

// literalRemoveDots is RFC 3986 section 5.2.4 on strings, step by step.
func literalRemoveDots(in string) string {
	out := ""
	pop := func() { out = out[:max(strings.LastIndexByte(out, '/'), 0)] }
	for in != "" {
		switch {
		case strings.HasPrefix(in, "../"): // A
			in = in[3:]
		case strings.HasPrefix(in, "./"):
			in = in[2:]
		case strings.HasPrefix(in, "/./"): // B
			in = in[2:]
		case in == "/.":
			in = "/"
		case strings.HasPrefix(in, "/../"): // C
			in = in[3:]
			pop()
		case in == "/..":
			in = "/"
			pop()
		case in == "." || in == "..": // D
			in = ""
		default: // E
			end := strings.IndexByte(in[1:], '/') + 1
			if end == 0 {
				end = len(in)
			}
			out, in = out+in[:end], in[end:]
		}
	}
	return out
}

// literalResolve is RFC 3986 section 5.2.2 with 5.2.3 and 5.3 on the groups of appendix B.
func literalResolve(base, ref string) string {
	type parts struct{ scheme, authority, path, query, fragment *string }
	split := func(text string) (p parts) {
		m := appendixB.FindStringSubmatchIndex(text)
		group := func(outer, inner int) *string {
			if m[2*outer] < 0 {
				return nil
			}
			s := text[m[2*inner]:m[2*inner+1]]
			return &s
		}
		return parts{group(1, 2), group(3, 4), group(5, 5), group(6, 7), group(8, 9)}
	}
	b, r := split(base), split(ref)
	t := parts{scheme: b.scheme, authority: b.authority, query: r.query, fragment: r.fragment}
	var path string
	switch {
	case r.scheme != nil:
		t.scheme, t.authority, path = r.scheme, r.authority, literalRemoveDots(*r.path)
	case r.authority != nil:
		t.authority, path = r.authority, literalRemoveDots(*r.path)
	case *r.path == "":
		path = *b.path
		if r.query == nil {
			t.query = b.query
		}
	case strings.HasPrefix(*r.path, "/"):
		path = literalRemoveDots(*r.path)
	case b.authority != nil && *b.path == "":
		path = literalRemoveDots("/" + *r.path)
	default:
		path = literalRemoveDots((*b.path)[:strings.LastIndexByte(*b.path, '/')+1] + *r.path)
	}
	result := ""
	if t.scheme != nil {
		result += *t.scheme + ":"
	}
	if t.authority != nil {
		result += "//" + *t.authority
	}
	result += path
	if t.query != nil {
		result += "?" + *t.query
	}
	if t.fragment != nil {
		result += "#" + *t.fragment
	}
	return result
}

// appendixB is the regular expression of RFC 3986 appendix B with the scheme of section 3.1.
var appendixB = regexp.MustCompile(`(?s)^(([A-Za-z][A-Za-z0-9+.-]*):)?(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?`)

var fuzzSeeds = []string{"", "g", "../../g", "./", "..", "a/..", "//h/x", "?y#z", "#", "a:b/../c", "a://h:1@b:2", "/.//../a", "..//..", "x/./y/.", "http://[::1]:80/a?b#c", "http://u:p@h:8080/a", "a:", "?", "///", "//h:?", "\xff:"}

func FuzzResolveLiteral(f *testing.F) {
	for _, base := range fuzzSeeds {
		for _, ref := range fuzzSeeds {
			f.Add(base, ref)
		}
	}
	f.Fuzz(func(t *testing.T, base, ref string) {
		got, want := string(AppendResolved(nil, parse(base), parse(ref))), literalResolve(base, ref)
		if got != want {
			t.Errorf("%q on %q: got %q, section 5.2 gives %q", ref, base, got, want)
		}
	})
}

// recompose puts the parts of a text together again (RFC 3986 section 5.3).
func recompose(text []byte, p Parts) []byte {
	var out []byte
	if p.HasScheme() {
		out = append(append(out, p.Scheme(text)...), ':')
	}
	if p.HasAuthority() {
		out = append(out, "//"...)
		if p.HasUserinfo() {
			out = append(append(out, p.Userinfo(text)...), '@')
		}
		out = append(out, p.Host(text)...)
		if p.HasPort() {
			out = append(append(out, ':'), p.Port(text)...)
		}
	}
	out = append(out, p.Path(text)...)
	if p.HasQuery() {
		out = append(append(out, '?'), p.Query(text)...)
	}
	if p.HasFragment() {
		out = append(append(out, '#'), p.Fragment(text)...)
	}
	return out
}

// FuzzSplitRecompose: a split text put together again is the same bytes, and the offsets keep the
// inequalities of Parts.
func FuzzSplitRecompose(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p := Split(text)
		if got := recompose(text, p); !bytes.Equal(got, text) {
			t.Errorf("%q split as %+v makes %q", text, p, got)
		}
		last := uint32(0)
		for _, at := range []uint32{p.SchemeEnd, p.AuthStart, p.HostStart, p.HostEnd, p.PathStart, p.QueryStart, p.FragStart} {
			if at == Absent {
				continue
			}
			if at < last || at > uint32(len(text)) {
				t.Fatalf("%q: offsets out of order: %+v", text, p)
			}
			last = at
		}
	})
}

func TestShifted(t *testing.T) {
	text := []byte("http://u@h:1/p?q#f")
	p := Split(text).Shifted(5)
	long := append([]byte("12345"), text...)
	if got := recompose(long, p); string(got) != "12345http://u@h:1/p?q#f" {
		t.Errorf("%s", got) // the scheme's text begins at 0 and so grows
	}
	if p := Split([]byte("a")).Shifted(5); p.HasScheme() || p.HasAuthority() || p.HasQuery() || p.HasFragment() || p.PathStart != 5 {
		t.Errorf("%+v", p)
	}
}

// RemoveDots looks at no byte more than three times, however the segments lie.
func TestRemoveDots_IsLinear(t *testing.T) {
	const n = 1 << 18
	for _, unit := range []string{"/..", "/.", "/a/..", "/", "/a", "../", "./", "a/../", "//..", "/a/b/../.."} {
		for _, path := range []string{strings.Repeat(unit, n), strings.Repeat("/a", n) + strings.Repeat(unit, n), strings.Repeat("a", n) + strings.Repeat(unit, n)} {
			if _, looked := RemoveDots([]byte(path)); looked > 3*len(path) {
				t.Errorf("%q and so on: %d bytes looked at of %d", unit, looked, len(path))
			}
		}
	}
}

func TestAppendRemoveDots_ExamplesOfSection524(t *testing.T) {
	for _, c := range []struct{ path, want string }{
		{"/a/b/c/./../../g", "/a/g"},
		{"mid/content=5/../6", "mid/6"},
		{"", ""},
		{".", ""},
		{"..", ""},
		{"/..", "/"},
		{"/.", "/"},
		{"a/..", "/"},
		{"a/.", "a/"},
		{"../a", "a"},
		{"./a", "a"},
		{".//a", "/a"},
		{"/a//..", "/a/"},
		{"/..//a", "//a"},
		{"/...", "/..."},
		{"/a/.b/..c/d.", "/a/.b/..c/d."},
		{"/a/../", "/"},
	} {
		if got := AppendRemoveDots([]byte("kept"), []byte(c.path)); string(got) != "kept"+c.want {
			t.Errorf("%q: got %q, want %q", c.path, got, c.want)
		}
		if want := literalRemoveDots(c.path); want != c.want {
			t.Errorf("%q: the test says %q, section 5.2.4 %q", c.path, c.want, want)
		}
	}
}

// The classes are those of RFC 3986 appendix A, written out here once more.
func TestClasses(t *testing.T) {
	const (
		alpha     = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		digit     = "0123456789"
		subDelims = "!$&'()*+,;="
		regName   = alpha + digit + "-._~" + subDelims
	)
	for _, c := range []struct {
		name  string
		class Class
		chars string
	}{
		{"ALPHA", Alpha, alpha},
		{"DIGIT", Digit, digit},
		{"HEXDIG", HexDigit, digit + "ABCDEFabcdef"},
		{"scheme", SchemeChar, alpha + digit + "+-."},
		{"unreserved", Unreserved, alpha + digit + "-._~"},
		{"sub-delims", SubDelims, subDelims},
		{"gen-delims", GenDelims, ":/?#[]@"},
		{"reg-name", RegName, regName},
		{"userinfo", UserinfoChar, regName + ":"},
		{"pchar", Pchar, regName + ":@"},
		{"path", PathChar, regName + ":@/"},
		{"query", QueryChar, regName + ":@/?"},
		{"path without dot", PathPlain, strings.NewReplacer(".", "", ";", "", "(", "").Replace(regName) + ":@/"},
		{"segment without dot and colon", SegmentPlain, strings.NewReplacer(".", "", ";", "", "(", "").Replace(regName) + "@"},
		{"lower-case host without hyphen", HostPlain, strings.ReplaceAll(regName[26:], "-", "")},
	} {
		for b := range 256 {
			if want := strings.IndexByte(c.chars, byte(b)) >= 0; Is(byte(b), c.class) != want {
				t.Errorf("%s: %q is in it: %v", c.name, rune(b), !want)
			}
		}
	}
}
