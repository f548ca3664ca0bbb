package uts46

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestPunycodeSamples are samples of RFC 3492 section 7.1, in lower case.
func TestPunycodeSamples(t *testing.T) {
	var p punycoder
	for _, c := range []struct{ name, text, code string }{
		{"(A) Arabic", "\u0644\u064a\u0647\u0645\u0627\u0628\u062a\u0643\u0644\u0645\u0648\u0634\u0639\u0631\u0628\u064a\u061f", "egbpdaj6bu4bxfgehfvwxn"},
		{"(B) Chinese", "\u4ed6\u4eec\u4e3a\u4ec0\u4e48\u4e0d\u8bf4\u4e2d\u6587", "ihqwcrb4cv8a8dqg056pqjye"},
		{"(D) Czech", "pro\u010dprost\u011bnemluv\u00ed\u010desky", "proprostnemluvesky-uyb24dma41a"},
		{"(I) Russian", "\u043f\u043e\u0447\u0435\u043c\u0443\u0436\u0435\u043e\u043d\u0438\u043d\u0435\u0433\u043e\u0432\u043e\u0440\u044f\u0442\u043f\u043e\u0440\u0443\u0441\u0441\u043a\u0438", "b1abfaaepdrnnbgefbadotcwatmq2g4l"},
		{"(L) 3nen", "3\u5e74b\u7d44\u91d1\u516b\u5148\u751f", "3b-ww4c5e180e575a65lsy2b"},
		{"(R) sono", "\u305d\u306e\u30b9\u30d4\u30fc\u30c9\u3067", "d9juau41awczczp"},
	} {
		if got, ok := p.appendEncoded(nil, []rune(c.text)); !ok || string(got) != c.code {
			t.Errorf("%s: encoded %q, want %q", c.name, got, c.code)
		}
		if got, ok := p.appendDecoded(nil, []rune(c.code)); !ok || string(got) != c.text {
			t.Errorf("%s: decoded %+q, want %+q", c.name, string(got), c.text)
		}
	}
}

func TestPunycodeRefuses(t *testing.T) {
	var p punycoder
	for _, code := range []string{
		"ü", "99999999", "abc-\u00fc", "-", strings.Repeat("9", 40), "a_", "kva_",
	} {
		if got, ok := p.appendDecoded([]rune("x"), []rune(code)); ok || string(got) != "x" {
			t.Errorf("%q decoded to %+q", code, string(got[1:]))
		}
	}
}

// TestPunycodeRoundTrip holds encoding against decoding, and counted insertion against moving.
func TestPunycodeRoundTrip(t *testing.T) {
	var p punycoder
	rng := rand.New(rand.NewPCG(3, 4))
	alphabets := [][]rune{[]rune("ab-0"), []rune("äöü"), []rune("一丁七丈三"), {0x10ffff, 0xffff}, []rune("אבג")}
	for range 3000 {
		text := make([]rune, rng.IntN(300))
		for i := range text {
			one := alphabets[rng.IntN(len(alphabets))]
			text[i] = one[rng.IntN(len(one))]
		}
		code, ok := p.appendEncoded(nil, text)
		if !ok {
			t.Fatalf("not encoded: %+q", string(text))
		}
		got, ok := p.appendDecoded([]rune("pre"), []rune(string(code)))
		if isASCII(text) {
			continue // "a-" stands for "a": only process refuses it
		}
		if !ok || !slices.Equal(got[3:], text) {
			t.Fatalf("%+q: %q decoded to %+q", string(text), code, string(got))
		}
		plain := slices.Clone(got[:3])
		for _, r := range text {
			if r < initialN {
				plain = append(plain, r)
			}
		}
		counted := p.insertCounted(slices.Clone(plain), 3)
		for _, in := range p.insertions {
			plain = slices.Insert(plain, 3+int(in.at), in.r)
		}
		if !slices.Equal(counted, plain) {
			t.Fatalf("%q: counted insertion gives %+q, moving %+q", code, string(counted), string(plain))
		}
	}
}

// FuzzAppendASCII: the result is a fixed point and says the same name.
func FuzzAppendASCII(f *testing.F) {
	for _, s := range []string{"Bücher.de", "xn--bcher-kva", "xn--a", "אב1", "a\u0308", "\u0628\u200c\u0628", "xn--xn--a", "。"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, domain string) {
		for _, opts := range []Options{{CheckBidi: true, CheckJoiners: true}, {CheckBidi: true, CheckJoiners: true, KeepFaultyALabels: true}} {
			p := New(opts)
			once, result := p.AppendASCII(nil, []byte(domain))
			if result.Fault != NoFault {
				continue
			}
			twice, again := p.AppendASCII(nil, once)
			if again != result || string(twice) != string(once) {
				t.Errorf("%+q gives %q %+v, that %q %+v", domain, once, result, twice, again)
			}
			unicode, _ := p.AppendUnicode(nil, []byte(domain))
			if back, r := p.AppendASCII(nil, unicode); result.Kept == NoFault && (r.Fault != NoFault || string(back) != string(once)) {
				t.Errorf("%+q gives %q, its Unicode form %+q gives %q %v", domain, once, unicode, back, r.Fault)
			}
		}
	})
}
