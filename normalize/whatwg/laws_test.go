package whatwg

import (
	"bytes"
	"strings"
	"testing"

	"github.com/urisieve/urisieve/normalize/uri"
)

func TestNoAllocations(t *testing.T) {
	p := New(Options{})
	var base Base
	if r := p.SetBase(&base, nil, []byte("https://www.example.com/blog/2024/an-article.html?page=2")); r.Failure != OK {
		t.Fatal(r.Failure)
	}
	dst := make([]byte, 0, 1<<12)
	for _, ref := range []string{
		"https://www.example.com/a/b.html?q=1#f",
		"https://my-shop.example.com/a/%7euser",
		"HTTP://U:P@EXAMPLE.com:80/a b/../c?d e#f g",
		"../x/./y?z", "?q", "#f", "//cdn.example.com/x", "/a", "x",
		"ht\ttp://exa\nmple.com/", "http://a%62c/", "http://0x7f.1/", "http://[2001:db8::1.2.3.4]/",
		"mailto:a@b", "data:text/plain,a b #f", "file:///C|/x", "a://H/x", "a:/..//b",
		"http://xn--fa-hia.de/", "http://xn--a/", "http://faß.de/é", "http://\xff/", "http://h:x/", "http:// /", "http://h/\xff",
	} {
		in := []byte(ref)
		p.Append(dst, &base, in)
		if n := testing.AllocsPerRun(100, func() { p.Append(dst, &base, in) }); n != 0 {
			t.Errorf("%q: %v allocations", ref, n)
		}
	}
	bases := [][]byte{[]byte("https://www.example.com/a"), []byte("../b?c#d")}
	if n := testing.AllocsPerRun(100, func() {
		p.SetBase(&base, nil, bases[0])
		p.SetBase(&base, &base, bases[1])
	}); n != 0 {
		t.Errorf("setting a base: %v allocations", n)
	}
	if got := string(base.URL()); got != "https://www.example.com/b?c" {
		t.Errorf("base is %q", got)
	}
	for _, encoding := range []string{"windows-1252", "shift_jis", "iso-2022-jp", "gb18030"} {
		p.SetEncoding(encoding)
		in := []byte("http://h/?é日‽")
		p.Append(dst, nil, in)
		if n := testing.AllocsPerRun(100, func() { p.SetEncoding(encoding); p.Append(dst, nil, in) }); n != 0 {
			t.Errorf("%s: %v allocations", encoding, n)
		}
	}
}

// hostile inputs by their repeated part: none may cost more than in proportion to its length.
var hostile = []struct{ name, head, part, tail string }{
	{"at signs", "http://", "a@", "h/"},
	{"colons in a userinfo", "http://", "a:", "@h/"},
	{"at signs without an end", "http://", "@", ""},
	{"dot-dot segments", "http://h", "/..", ""},
	{"segments and as many dot-dots", "http://h", "/a/..", ""},
	{"dot segments", "http://h", "/.", ""},
	{"escaped dot segments", "http://h", "/%2e%2E", ""},
	{"slashes", "http:", "/", "h"},
	{"backslashes", "http:", `\`, "h"},
	{"empty segments", "http://h", "/", ".."},
	{"empty segments without an authority", "a:/..", "/", ".."},
	{"opening brackets", "http://", "[", ""},
	{"brackets", "http://", "[]", ":1/"},
	{"colons in brackets", "http://[", ":", "]/"},
	{"tabs", "http://h/", "\t", "x"},
	{"tabs in the host", "http://h", "\t\n", "x"},
	{"spaces around", "", " ", "http://h/"},
	{"spaces in an opaque path", "a:", " ", "#"},
	{"escaped percent signs", "http://", "%25", "/"},
	{"escaped percent signs in the path", "http://h/", "%25", ""},
	{"empty A-labels", "http://", "xn--.", "h/"},
	{"an A-label without an end", "http://xn--", "a9", "/"},
	{"dots", "http://", ".", "/"},
	{"a number without an end", "http://0x", "f", "/"},
	{"zeros", "http://", "0", "/"},
	{"numbers", "http://", "1.", "2/"},
	{"digits of a port", "http://h:", "9", "/"},
	{"bytes that are no UTF-8", "http://h/", "\xff", ""},
	{"half code points", "http://h/", "\xf0\x9f\x98", ""},
	{"question marks", "http://h/", "?", ""},
	{"number signs", "http://h/", "#", ""},
	{"a scheme without an end", "a", "a", ""},
	{"a scheme in capitals", "A", "A", ":"},
	{"drive letters", "file:///C:", "/..", "/C|"},
	{"accents in the path", "http://h/", "é", ""},
	{"accents in the host", "http://", "é", "/"},
	{"labels of accents", "http://", "é.", "/"},
	{"soft hyphens", "http://", "\u00ad", "/"},
	{"combining marks", "http://a", "\u0301\u0323", "/"},
}

// The loops that go over bytes again count them in steps; everything else is one pass.
func TestLinearWork(t *testing.T) {
	sizes := []int{1 << 20, 2 << 20, 4 << 20, 8 << 20}
	if testing.Short() {
		sizes = sizes[:1]
	}
	p := New(Options{})
	base := new(Base)
	if r := p.SetBase(base, nil, []byte("http://h"+strings.Repeat("/d", 1<<10))); r.Failure != OK {
		t.Fatal(r.Failure)
	}
	var dst []byte
	for _, h := range hostile {
		for _, size := range sizes {
			if size > 1<<20 && bytes.IndexByte([]byte(h.part), 0xC3) >= 0 && h.head == "http://" {
				continue // Punycode: n log n, and normalize/uts46 counts it
			}
			ref := []byte(h.head + strings.Repeat(h.part, (size-len(h.head)-len(h.tail))/len(h.part)) + h.tail)
			p.steps = 0
			var r Result
			dst, r = p.Append(dst[:0], base, ref)
			if p.steps > 4*size {
				t.Errorf("%s: %d steps for %d bytes", h.name, p.steps, size)
			}
			if r.Failure == OK && len(dst) > 14*len(ref)+64 {
				t.Errorf("%s: %d bytes become %d", h.name, len(ref), len(dst))
			}
		}
	}
}

// The base of hostile references is gone over once a reference, not once a segment.
func TestLongBase(t *testing.T) {
	p := New(Options{})
	var base Base
	p.SetBase(&base, nil, []byte("a:/."+strings.Repeat("/", 1<<20)))
	p.steps = 0
	got, r := p.Append(nil, &base, []byte(strings.Repeat("../", 1<<20)+"x"))
	if r.Failure != OK || string(got) != "a:/x" || p.steps > 8<<20 {
		t.Errorf("%.20q %v after %d steps", got, r.Failure, p.steps)
	}
}

func TestTooLong(t *testing.T) {
	p := New(Options{})
	ref := bytes.Repeat([]byte("a"), MaxBytes+1)
	copy(ref, "http://h/")
	got, r := p.Append([]byte("x"), nil, ref)
	if string(got) != "x" || r.Failure != TooLong || r.At != MaxBytes {
		t.Errorf("%d bytes, %+v", len(got), r)
	}
	if got, r = p.Append(nil, nil, ref[:MaxBytes]); len(got) != MaxBytes || r.Failure != OK {
		t.Errorf("%d bytes, %+v", len(got), r)
	}
}

func TestBase(t *testing.T) {
	p := New(Options{})
	var b, none Base
	for _, base := range []*Base{nil, &none, &b} {
		if r := p.SetBase(&b, base, []byte("x")); r.Failure != NoBase || b.IsSet() || b.Scheme() != nil || b.Opaque() {
			t.Errorf("no base gives %+v", r)
		}
	}
	if r := p.SetBase(&b, nil, []byte("HTTP://h/a?b#c")); r.Failure != OK || string(b.URL()) != "http://h/a?b" || string(b.Scheme()) != "http" || b.Opaque() {
		t.Errorf("%q %+v", b.URL(), r)
	}
	if r := p.SetBase(&b, &b, []byte("mailto:x")); r.Failure != OK || !b.Opaque() || string(b.URL()) != "mailto:x" {
		t.Errorf("%q %+v", b.URL(), r)
	}
	if r := p.SetBase(&b, &b, []byte("y")); r.Failure != OpaqueBase || b.IsSet() {
		t.Errorf("%q %+v", b.URL(), r)
	}
}

func TestPartsOfTheHref(t *testing.T) {
	p := New(Options{})
	got, r := p.Append([]byte("before"), nil, []byte("HTTP://U:@H:081/a/../b?c#d"))
	href := got[len("before"):]
	if string(href) != "http://U@h:81/b?c#d" {
		t.Fatalf("href %q", href)
	}
	parts := []string{"http", "U", "h", "81", "/b", "c", "d"}
	for i, part := range [][]byte{
		r.Parts.Scheme(href), r.Parts.Userinfo(href), r.Parts.Host(href), r.Parts.Port(href), r.Parts.Path(href), r.Parts.Query(href), r.Parts.Fragment(href),
	} {
		if string(part) != parts[i] {
			t.Errorf("part %d is %q, want %q", i, part, parts[i])
		}
	}
	if url := href[:r.Parts.URLEnd(len(href))]; string(url) != "http://U@h:81/b?c" {
		t.Errorf("url %q", url)
	}
	if _, r := p.Append(nil, nil, []byte("x")); r.Parts != absent || r.Parts.HasScheme() || uri.Absent != r.Parts.QueryStart {
		t.Errorf("parts of a failure: %+v", r.Parts)
	}
}

// A destination with no room left gives what one with room gives.
func TestNoRoom(t *testing.T) {
	p := New(Options{})
	for _, c := range hrefCases {
		want, _ := p.Append(make([]byte, 0, 4096), nil, []byte(c.ref))
		if got, _ := p.Append(nil, nil, []byte(c.ref)); !bytes.Equal(got, want) {
			t.Errorf("%q is %q, with room %q", c.ref, got, want)
		}
	}
}
