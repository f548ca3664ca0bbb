package sinks

import (
	"strings"
	"testing"
)

func TestHostParts(t *testing.T) {
	list := builtinSuffixes()
	for _, test := range []struct{ name, tld, registry, registered, private, privateDomain, reversed string }{
		{"www.example.com", "com", "com", "example.com", "com", "example.com", "com.example.www"},
		{"a.b.example.co.uk", "uk", "co.uk", "example.co.uk", "co.uk", "example.co.uk", "uk.co.example.b.a"},
		{"user.github.io", "io", "io", "github.io", "github.io", "user.github.io", "io.github.user"},
		{"github.io", "io", "io", "github.io", "github.io", "-", "io.github"},
		{"co.uk", "uk", "co.uk", "-", "co.uk", "-", "uk.co"},
		{"www.ck", "ck", "ck", "www.ck", "ck", "www.ck", "ck.www"},
		{"a.b.ck", "ck", "b.ck", "a.b.ck", "b.ck", "a.b.ck", "ck.b.a"},
		{"b.ck", "ck", "b.ck", "-", "b.ck", "-", "ck.b"},
		{"x.city.kawasaki.jp", "jp", "kawasaki.jp", "city.kawasaki.jp", "kawasaki.jp", "city.kawasaki.jp", "jp.kawasaki.city.x"},
		{"localhost", "localhost", "localhost", "-", "localhost", "-", "localhost"},
		{"a.intranet", "intranet", "intranet", "a.intranet", "intranet", "a.intranet", "intranet.a"},
		{"www.example.com.", "com", "com", "example.com", "com", "example.com", "com.example.www"},
		{"xn--bcher-kva.example.xn--p1ai", "xn--p1ai", "xn--p1ai", "example.xn--p1ai", "xn--p1ai", "example.xn--p1ai", "xn--p1ai.example.xn--bcher-kva"},
		{"127.0.0.1", "-", "-", "-", "-", "-", "-"},
		{"[2001:db8::1]", "-", "-", "-", "-", "-", "-"},
		{"2130706433", "-", "-", "-", "-", "-", "-"},
		{"a.0x7f", "-", "-", "-", "-", "-", "-"},
		{"a.0xg", "0xg", "0xg", "a.0xg", "0xg", "a.0xg", "0xg.a"},
		{"a..", "-", "-", "-", "-", "-", "-"},
	} {
		h := newHostCache(list).of([]byte(test.name))
		show := func(b []byte) string {
			if b == nil {
				return "-"
			}
			return string(b)
		}
		got := [...]string{show(h.tld), show(h.registrySuffix), show(h.registeredDomain), show(h.privateSuffix), show(h.privateDomain), show(h.reversed)}
		want := [...]string{test.tld, test.registry, test.registered, test.private, test.privateDomain, test.reversed}
		if got != want {
			t.Errorf("%s: got %q, want %q", test.name, got, want)
		}
	}
}

// A host of four million labels: looking each of them up in what follows it would take 10^13 steps, and
// the test would never end.
func TestAHostOfMillionsOfLabelsCostsNoMore(t *testing.T) {
	name := []byte(strings.Repeat("a.", 4<<20) + "co.uk")
	h := builtinSuffixes().split(name)
	if string(h.registeredDomain) != "a.co.uk" || len(h.reversed) != len(name) {
		t.Errorf("registered domain of %d bytes, reversed of %d", len(h.registeredDomain), len(h.reversed))
	}
}

func TestTheCacheForgetsAndStaysRight(t *testing.T) {
	c := newHostCache(builtinSuffixes())
	for i := range maxCachedHosts + 10 {
		name := []byte("h" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + ".example" + hexHash(string(rune(i)))[:8] + ".com")
		if h := c.of(name); string(h.tld) != "com" || string(h.name) != string(name) {
			t.Fatalf("%s: %+v", name, h)
		}
	}
	if len(c.hosts) > maxCachedHosts {
		t.Errorf("%d hosts are kept", len(c.hosts))
	}
	if c.of(nil) != noHost || c.of([]byte{}) != noHost {
		t.Error("no host has parts")
	}
}

func TestReadSuffixList(t *testing.T) {
	list, err := ReadSuffixList(strings.NewReader(`// VERSION: 2027-01-01_00-00-00_UTC
// ===BEGIN ICANN DOMAINS===
com
// a comment
test	and what stands behind a space
*.test
!www.test
Bücher.example
// ===END ICANN DOMAINS===
// ===BEGIN PRIVATE DOMAINS===
pages.com
// ===END PRIVATE DOMAINS===
`))
	if err != nil {
		t.Fatal(err)
	}
	if list.Version() != "2027-01-01_00-00-00_UTC" {
		t.Errorf("version %q", list.Version())
	}
	for name, want := range map[string]string{
		"a.b.test": "b.test", "a.test": "a.test", "test": "test", "x.www.test": "test",
		"a.xn--bcher-kva.example": "xn--bcher-kva.example", "me.pages.com": "com",
	} {
		if got, _ := list.cut([]byte(name), false); string(got) != want {
			t.Errorf("%s: suffix %s, want %s", name, got, want)
		}
	}
	if got, domain := list.cut([]byte("a.me.pages.com"), true); string(got) != "pages.com" || string(domain) != "me.pages.com" {
		t.Errorf("private: %s, %s", got, domain)
	}
	for _, bad := range []string{"", "// nothing", "a.*.b\n", "<html>/</html>\n"} {
		if _, err := ReadSuffixList(strings.NewReader(bad)); err == nil {
			t.Errorf("%q is taken for a list", bad)
		}
	}
}
