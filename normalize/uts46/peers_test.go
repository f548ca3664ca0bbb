package uts46

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// hosts gives names that reach every code point and every rule, the same ones each time.
func hosts() []string {
	var all []string
	rng := rand.New(rand.NewPCG(1, 2))
	for r := rune(0x80); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) || r > 0x32000 && r < 0xE0000 || r > 0xE0200 {
			continue // unassigned planes, where a few stand for all
		}
		all = append(all, "a"+string(r)+"b", string(r))
	}
	all = append(all, "a\U000a0000", "\U00100000", "\U000f0001b")
	pools := [][]rune{
		[]rune("abz019-xn"), []rune("אבגד\u05b0\u05b4"), []rune("\u0628\u062a\u0627\u0644\u064e\u0661\u06f1"),
		[]rune("\u0915\u0937\u094d\u093e"),
		{0x200c, 0x200d},
		[]rune("\u0301\u0323\u0345\u0300"),
		[]rune("\u1100\u1161\u11a8\uac00\uac01"), []rune("äöüßéàñ"), []rune("一丁七。．"), []rune("ＡＢＣ①㍿ﬁ"),
	}
	for range 60000 {
		var b strings.Builder
		for range 1 + rng.IntN(3) {
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			if rng.IntN(8) == 0 {
				b.WriteString("xn--")
			}
			one := pools[rng.IntN(len(pools))]
			for range 1 + rng.IntN(6) {
				if rng.IntN(5) == 0 {
					one = pools[rng.IntN(len(pools))]
				}
				b.WriteRune(one[rng.IntN(len(one))])
			}
		}
		all = append(all, b.String())
	}
	return all
}

// TestAgreesWithIDNA compares with golang.org/x/net/idna, whose tables are older under Go 1.26
// (Unicode 15). Each difference has one of the reasons counted here.
func TestAgreesWithIDNA(t *testing.T) {
	profile := idna.New(idna.MapForLookup(), idna.Transitional(false), idna.CheckHyphens(false),
		idna.CheckJoiners(true), idna.StrictDomainName(false), idna.BidiRule(), idna.VerifyDNSLength(false))
	p, reasons := New(lookup), map[string]int{}
	agree := func(name string) (same bool, idnaErr error, fault Fault) {
		want, err := profile.ToASCII(name)
		got, result := p.AppendASCII(nil, []byte(name))
		return (err != nil) == (result.Fault != NoFault) && (err != nil || string(got) == want), err, result.Fault
	}
	// A code point that differs by itself was refused by the older tables, but for these two kinds.
	byItself := func(r rune) bool {
		same, err, _ := agree("a" + string(r) + "b")
		if same { // a right-to-left one differs only where it may stand
			same, err, _ = agree(string(r))
		}
		switch {
		case same:
			return false
		case err != nil: // added or allowed by Unicode 15.1 to 17
		case r == 0x1e9e: // capital sharp s, mapped to "ss" before Unicode 15.1
		case r >= 0x2135 && r <= 0x2138: // mapped to Hebrew letters; idna judges direction before mapping
		default:
			t.Errorf("%U: idna accepts it, we don't", r)
		}
		return true
	}
	for _, name := range hosts() {
		switch same, err, fault := agree(name); {
		case same:
			reasons["none, same result"]++
		case strings.ContainsFunc(name, byItself):
			reasons["a code point is newer, or allowed since"]++
		case strings.Contains(strings.ToLower(name), "xn--") && err == nil && (fault == BadPunycode || fault == BadHyphen):
			reasons["xn-- label that stands for nothing, for ASCII alone, or for xn--: refused since revision 33"]++
		case err == nil && fault == BadJoiner:
			reasons["idna lets U+200C stand before marks that no joining letter follows (RFC 5892 A.1)"]++
		default:
			reasons["unexplained"]++
			if reasons["unexplained"] <= 20 {
				t.Errorf("%+q: we say %v, idna %v", name, fault, err)
			}
		}
	}
	t.Log(reasons)
}
