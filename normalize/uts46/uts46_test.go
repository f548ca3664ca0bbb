package uts46

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// lookup is what the URL standard and the profile rfc3986 ask for.
var lookup = Options{CheckBidi: true, CheckJoiners: true}

func TestAppendASCII(t *testing.T) {
	p := New(lookup)
	for _, c := range []struct {
		name, in, want string
		fault          Fault
	}{
		{"ASCII is lower-cased", "EXAMPLE.com", "example.com", NoFault},
		{"ASCII that is no host name passes", "a_b..-c-", "a_b..-c-", NoFault},
		{"umlaut", "Bücher.de", "xn--bcher-kva.de", NoFault},
		{"sharp s stays, non-transitional", "faß.de", "xn--fa-hia.de", NoFault},
		{"capital sharp s maps to sharp s since Unicode 15.1", "FAẞ.de", "xn--fa-hia.de", NoFault},
		{"final sigma stays", "βόλος.com", "xn--nxasmm1c.com", NoFault},
		{"ideographic full stop is a dot", "example。com", "example.com", NoFault},
		{"full width", "ｅｘａｍｐｌｅ．ｃｏｍ", "example.com", NoFault},
		{"soft hyphen is ignored", "ex\u00adample.com", "example.com", NoFault},
		{"decomposed is composed", "a\u0308.de", "xn--4ca.de", NoFault},
		{"Hangul jamo are composed", "\u1112\u1161\u11ab.kr", "xn--6q8b.kr", NoFault},
		{"valid A-label", "XN--Bcher-KVA.de", "xn--bcher-kva.de", NoFault},
		{"A-label of ASCII alone", "xn--abc-.de", "", BadPunycode},
		{"A-label of nothing", "xn--.de", "", BadPunycode},
		{"A-label that overflows", "xn--99999999.de", "", BadPunycode},
		{"A-label not in NFC", "xn--a-ccb.de", "", NotNormalized},
		{"A-label of a mapped code point", "xn--zn7c.com", "", Disallowed},
		{"non-ASCII after xn--", "xn--ü.de", "", BadPunycode},
		{"leading mark", "\u0301a.de", "", LeadingMark},
		{"disallowed", "a\u2028b.de", "", Disallowed},
		{"unassigned", "a\U000e0080b.de", "", Disallowed},
		{"not UTF-8", "a\xffb.de", "", NotUTF8},
		{"surrogate bytes", "a\xed\xa0\x80b.de", "", NotUTF8},
		{"joiner after virama", "\u0915\u094d\u200d\u0937.in", "xn--11b2ezcw70k.in", NoFault},
		{"joiner elsewhere", "a\u200db.in", "", BadJoiner},
		{"non-joiner between joining letters", "\u0628\u200c\u0628.ir", "xn--ngba799q.ir", NoFault},
		{"non-joiner at the end", "\u0628\u200c.ir", "", BadJoiner},
		{"right to left", "אב.il", "xn--4dbc.il", NoFault},
		{"left to right after it", "אa.il", "", BadBidi},
		{"digit first in a bidi name", "1.אב", "", BadBidi},
		{"European and Arabic digits", "א1\u0661.il", "", BadBidi},
		{"mark at the end", "אְ.il", "xn--7cb7d.il", NoFault},
		{"emoji", "☕.example", "xn--53h.example", NoFault},
		{"new in Unicode 16, right to left", "\U00010d50.example", "xn--dh0d.example", NoFault},
		{"new in Unicode 17, right to left", "a\u088fb.example", "", BadBidi},
		{"empty", "", "", NoFault},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, result := p.AppendASCII([]byte("pre"), []byte(c.in))
			if string(got) != "pre"+c.want || result.Fault != c.fault {
				t.Errorf("%+q: got %q, fault %v; want %q, fault %v", c.in, got[3:], result.Fault, c.want, c.fault)
			}
		})
	}
}

func TestOptions(t *testing.T) {
	for _, c := range []struct {
		name, in, want string
		opts           Options
		fault          Fault
	}{
		{"hyphens at the ends", "-a.de", "", Options{CheckHyphens: true}, BadHyphen},
		{"hyphens in third and fourth place", "ab--c.de", "", Options{CheckHyphens: true}, BadHyphen},
		{"hyphens beside non-ASCII", "ü-.de", "", Options{CheckHyphens: true}, BadHyphen},
		{"underscore", "a_b.de", "", Options{UseSTD3ASCIIRules: true}, Disallowed},
		{"underscore beside non-ASCII", "ü_b.de", "", Options{UseSTD3ASCIIRules: true}, Disallowed},
		{"empty label", "a..de", "", Options{VerifyDNSLength: true}, BadLength},
		{"root label", "a.de.", "", Options{VerifyDNSLength: true}, BadLength},
		{"63 bytes", strings.Repeat("a", 63), strings.Repeat("a", 63), Options{VerifyDNSLength: true}, NoFault},
		{"64 bytes", strings.Repeat("a", 64), "", Options{VerifyDNSLength: true}, BadLength},
		{"long A-label", strings.Repeat("ü", 64), "", Options{VerifyDNSLength: true}, BadLength},
		{"254 bytes", strings.Repeat("a.", 126) + "aa", "", Options{VerifyDNSLength: true}, BadLength},
		{"joiner unchecked", "a\u200db", "xn--ab-m1t", Options{}, NoFault},
		{"bidi unchecked", "אa", "xn--a-zhc", Options{}, NoFault},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, result := New(c.opts).AppendASCII(nil, []byte(c.in))
			if string(got) != c.want || result.Fault != c.fault {
				t.Errorf("%+q: got %q, fault %v; want %q, fault %v", c.in, got, result.Fault, c.want, c.fault)
			}
		})
	}
}

func TestKeepFaultyALabels(t *testing.T) {
	p := New(Options{CheckBidi: true, CheckJoiners: true, KeepFaultyALabels: true})
	for _, c := range []struct {
		name, in, want string
		fault, kept    Fault
	}{
		{"bad Punycode is kept, lower-cased", "XN--A.de", "xn--a.de", NoFault, Disallowed},
		{"nothing encoded is kept", "xn--.de", "xn--.de", NoFault, BadPunycode},
		{"beside a good one", "xn--.bücher", "xn--.xn--bcher-kva", NoFault, BadPunycode},
		{"non-ASCII xn-- is still a fault", "xn--ü.de", "", BadPunycode, NoFault},
		{"another label's fault is still one", "xn--.\u0301a", "", LeadingMark, NoFault},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, result := p.AppendASCII(nil, []byte(c.in))
			if string(got) != c.want || result != (Result{c.fault, c.kept}) {
				t.Errorf("%+q: got %q, %+v; want %q, %v kept %v", c.in, got, result, c.want, c.fault, c.kept)
			}
		})
	}
}

func TestAppendUnicode(t *testing.T) {
	p := New(lookup)
	got, result := p.AppendUnicode(nil, []byte("XN--Bcher-KVA.example"))
	if string(got) != "bücher.example" || result.Fault != NoFault {
		t.Errorf("got %q, %v", got, result)
	}
}

// TestFrozen pins what every code point does, alone between two letters. The digest changes only
// with a new package for another Unicode version.
func TestFrozen(t *testing.T) {
	const want = "b70730359a99ee312fc4e7c148331955838bef935465a45a1eeb1e9db0664555"
	p := New(lookup)
	hash := sha256.New()
	var out []byte
	for r := rune(0x80); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		var result Result
		out, result = p.AppendASCII(out[:0], []byte("a"+string(r)+"b"))
		hash.Write(append(out, byte(result.Fault), '\n'))
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != want {
		t.Errorf("digest of all code points is %s, want %s", got, want)
	}
}

// TestNFCAgreesWithText compares with golang.org/x/text on all that its older tables know.
func TestNFCAgreesWithText(t *testing.T) {
	var n normalizer
	marks := []rune{0x300, 0x301, 0x323, 0x327, 0x345, 0x5b0, 0x93c, 0x94d, 0x3099, 0x1161, 0x11a8, 0x11a7}
	for r := rune(1); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) || !assignedInText(r) {
			continue
		}
		m := marks[int(r)%len(marks)]
		text := []rune{r, m, 0x301, 0x323, r}
		want := norm.NFC.String(string(text))
		if got := string(n.nfc(bytes.Runes([]byte(string(text))))); got != want {
			t.Fatalf("NFC of %+q is %+q, want %+q", string(text), got, want)
		}
	}
}

// assignedInText leaves out what x/text's version of Unicode has no properties for.
func assignedInText(r rune) bool {
	return classOf(r).ccc == norm.NFC.PropertiesString(string(r)).CCC() && !newSinceText(r)
}

// newSinceText reports compositions that Unicode 16 added (all in scripts new in it).
func newSinceText(r rune) bool {
	return r >= 0x105c0 && r <= 0x105ff || r >= 0x11380 && r <= 0x113ff || r >= 0x16100 && r <= 0x1613f || r >= 0x16d40 && r <= 0x16d7f
}

func TestNoAllocations(t *testing.T) {
	p := New(lookup)
	var dst []byte
	for _, in := range []string{"www.example.com", "xn--bcher-kva.de", "Bücher.de", "한국.kr", strings.Repeat("ü", 500)} {
		domain := []byte(in)
		run := func() { dst, _ = p.AppendASCII(dst[:0], domain) }
		run()
		if n := testing.AllocsPerRun(100, run); n != 0 {
			t.Errorf("%.40q: %v allocations", in, n)
		}
	}
}

// TestHostileInput ends, where work that grows with the square of the length would not.
func TestHostileInput(t *testing.T) {
	const size = 1 << 20
	p := New(lookup)
	for name, unit := range map[string]string{
		"one long label": "ü", "dots": ".", "A-labels": "xn--a.", "marks": "\u0323\u0301", "xn--": "xn--",
		"joiners": "\u0628\u200c", "transparent": "\u0628\u064e\u200c\u064e", "many code points": "一丁七丈三上",
	} {
		p.AppendASCII(nil, []byte(strings.Repeat(unit, size/len(unit))))
		_ = name
	}
	p.AppendASCII(nil, []byte("xn--"+strings.Repeat("a", size)))
	p.AppendASCII(nil, []byte("xn--"+strings.Repeat("ab0", size/3)))
}
