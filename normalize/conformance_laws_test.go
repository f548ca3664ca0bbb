package normalize_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/normalize/uri"
)

// laws hold for every reference on every base, whatever the bytes and the options.
type laws struct {
	repair, strict *normalize.Normalizer
	base           normalize.Base
	ofResult       normalize.Flags // flags that tell of the canonical URI
	ofRepair       normalize.Flags // flags that tell of what strict refuses
}

func newLaws(t testing.TB, o normalize.Options) *laws {
	l := &laws{}
	o.Strict = false
	l.repair = newNormalizer(t, o)
	o.Strict = true
	l.strict = newNormalizer(t, o)
	mended := []string{
		"trimmed", "escaped_illegal", "stray_percent", "backslash_escaped", "non_ascii_escaped", "invalid_utf8", "earlier_at", "control_escaped",
	}
	for _, flag := range normalize.FlagInfos() {
		if flag.About == "result" {
			l.ofResult |= flag.Bit
		}
		if slices.Contains(mended, flag.Name) {
			l.ofRepair |= flag.Bit
		}
	}
	return l
}

// everyPolicy are options that change what becomes of a reference.
var everyPolicy = []normalize.Options{
	{},
	{SameScheme: "strip", Userinfo: "strip-password", RefuseBadPorts: true},
	{SameScheme: "reject", Userinfo: "strip", DefaultPorts: []normalize.DefaultPort{{Scheme: "foo", Port: 80}, {Scheme: "bar", Port: 443}}},
	{SameScheme: "keep", Userinfo: "refuse"},
}

// broken names the first law that a reference breaks; "" is none.
func (l *laws) broken(base, ref string) string {
	layers := retrieval(base)
	l.repair.SetBase(&l.base, layers[0], layers[1], layers[2])
	dst := append(make([]byte, 0, 64), "kept:"...)
	whole, r := l.repair.Append(dst, &l.base, []byte(ref))
	if string(dst) != "kept:" || !bytes.HasPrefix(whole, dst) {
		return "dst was written over"
	}
	out := whole[len(dst):]
	if r.Reason != normalize.OK {
		switch {
		case len(out) != 0:
			return fmt.Sprintf("refused, but %q was appended", out)
		case r.Component == normalize.ComponentNone || int(r.At) > len(ref):
			return fmt.Sprintf("refused at %s@%d of %d bytes", r.Component, r.At, len(ref))
		case r.Reason == normalize.BadAuthority && strings.IndexByte(c0AndSpace+`\\`, ref[r.At]) < 0:
			return fmt.Sprintf("refused as %s for %q", r.Reason, ref[r.At])
		}
		return l.strictRefuses(ref)
	}
	if law := l.brokenByReport(ref, out, r); law != "" {
		return law
	}
	return l.brokenByOutput(base, ref, out, r)
}

// brokenByReport: what changed is told, and nothing else is.
func (l *laws) brokenByReport(ref string, out []byte, r normalize.Result) string {
	if r.BaseUsed == normalize.BaseNone && (string(out) == ref) != (r.Changed == 0) {
		return fmt.Sprintf("it became %q, changed by %v", out, r.Changed.Names())
	}
	if _, again := l.repair.Append(nil, nil, out); again.Flags != r.Flags&l.ofResult {
		return fmt.Sprintf("the flags of %q are %v with the reference, %v alone", out, r.Flags.Names(), again.Flags.Names())
	}
	if _, strict := l.strict.Append(nil, &l.base, []byte(ref)); strict.Reason == normalize.OK && strict.Flags&l.ofRepair != 0 {
		return fmt.Sprintf("strict accepts it with flags %v", strict.Flags.Names())
	}
	return ""
}

// strictRefuses: what can't be mended can't be right.
func (l *laws) strictRefuses(ref string) string {
	if out, r := l.strict.Append(nil, &l.base, []byte(ref)); r.Reason == normalize.OK {
		return fmt.Sprintf("repair refuses, strict gives %q", out)
	}
	return ""
}

func (l *laws) brokenByOutput(base, ref string, out []byte, r normalize.Result) string {
	if !uriExpr.Match(out) {
		return fmt.Sprintf("%q is not a URI: %s", out, matchReference(string(out)))
	}
	if r.Parts != uri.Split(out) {
		return fmt.Sprintf("parts %+v, but %q splits as %+v", r.Parts, out, uri.Split(out))
	}
	if bound := maxOutput(len(ref) + len(base)); len(out) > bound {
		return fmt.Sprintf("%d bytes out, bound %d", len(out), bound)
	}
	again, r2 := l.repair.Append(nil, nil, out)
	if !bytes.Equal(again, out) || r2.Changed != 0 || r2.Reason != normalize.OK {
		return fmt.Sprintf("not idempotent: %q became %q (%s, changed %v)", out, again, r2.Reason, r2.Changed.Names())
	}
	if strict, r3 := l.strict.Append(nil, nil, out); !bytes.Equal(strict, out) {
		return fmt.Sprintf("strict refuses or changes what repair wrote: %q became %q (%s %s@%d)", out, strict, r3.Reason, r3.Component, r3.At)
	}
	u := out[:r.Parts.URLEnd(len(out))]
	if alone, r4 := l.repair.Append(nil, nil, u); !bytes.Equal(alone, u) || r4.Parts.HasFragment() {
		return fmt.Sprintf("url %q does not parse to itself: %q", u, alone)
	}
	strict, r5 := l.strict.Append(nil, &l.base, []byte(ref))
	if r5.Reason == normalize.OK && !bytes.Equal(strict, out) {
		return fmt.Sprintf("strict gives %q, repair %q", strict, out)
	}
	if r5.Reason == normalize.OK && !inGrammar(ref) {
		return fmt.Sprintf("strict accepts what the grammar forbids: %s", matchReference(ref))
	}
	return ""
}

// maxOutput bounds the output: an escape is three bytes for one, a label's A-form has four and
// two bytes of delimiters, and a base adds a scheme and slashes.
func maxOutput(in int) int { return 5*in + 16 }

func TestLaws_RandomReferences(t *testing.T) {
	checkLaws(t, 60_000, func(r *rand.Rand) (base, ref string) {
		return randomBases[r.IntN(len(randomBases))], randomReference(r)
	})
}

func TestLaws_RandomBytes(t *testing.T) {
	checkLaws(t, 40_000, func(r *rand.Rand) (base, ref string) {
		return randomBases[r.IntN(len(randomBases))], randomBytes(r)
	})
}

func TestLaws_RandomBase(t *testing.T) {
	checkLaws(t, 40_000, func(r *rand.Rand) (base, ref string) { return randomReference(r), randomReference(r) })
}

func TestLaws_GrammaticalReferences(t *testing.T) {
	checkLaws(t, 40_000, func(r *rand.Rand) (base, ref string) {
		g := grammar{r}
		return g.uri(), g.uriReference()
	})
}

// checkLaws tries n references, in turns under every policy.
func checkLaws(t *testing.T, n int, draw func(*rand.Rand) (base, ref string)) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 1))
	for _, o := range everyPolicy {
		l := newLaws(t, o)
		for range n / len(everyPolicy) {
			base, ref := draw(r)
			if law := l.broken(base, ref); law != "" {
				t.Fatalf("%q on %q under %+v: %s", ref, base, o, law)
			}
		}
	}
}

// MaxURIBytes bounds what comes in, to the byte: references are refused, base layers skipped.
func TestLaws_TooLongToTheByte(t *testing.T) {
	n := newNormalizer(t, normalize.Options{MaxURIBytes: 20})
	const fits, long = "http://h/90123456789", "http://h/901234567890"
	for _, c := range []struct{ base, ref, want string }{
		{"", fits, fits},
		{"", long, "!too_long"},
		{"", " " + fits, "!too_long"}, // the bound is on what came in
		{fits, "g", "http://h/g"},
		{long, "g", "!no_base"},
		{fits, "éééééééééé", "http://h/" + strings.Repeat("%C3%A9", 10)}, // the output has a bound of its own
	} {
		if got, _ := outcome(n, retrieval(c.base), c.ref); !agrees(got, c.want) {
			t.Errorf("%q on %q: got %s, want %s", c.ref, c.base, got, c.want)
		}
	}
}

// addCases adds the cases of the requirements to a target's seeds, but for those that it is too slow for.
func addCases(f *testing.F, all map[string][]reqCase) {
	f.Helper()
	for _, cases := range all {
		for _, c := range cases {
			if !slowForGrammar(c.base, c.ref) {
				f.Add(c.base, c.ref)
			}
		}
	}
}

// slowForGrammar tells whether the grammar's expressions take long for the texts.
func slowForGrammar(base, ref string) bool { return len(base)+len(ref) > 2048 }

func FuzzLaws(f *testing.F) {
	addCases(f, requirementCases())
	var policies []*laws
	for _, o := range everyPolicy {
		policies = append(policies, newLaws(f, o))
	}
	f.Fuzz(func(t *testing.T, base, ref string) {
		if slowForGrammar(base, ref) {
			return
		}
		for i, l := range policies {
			if law := l.broken(base, ref); law != "" {
				t.Fatalf("%q on %q under %+v: %s", ref, base, everyPolicy[i], law)
			}
		}
	})
}

// Equal URIs get one spelling: whatever RFC 3986 section 6.2 calls equal is undone.
func TestLaws_DisguisesAreUndone(t *testing.T) {
	r, n := rand.New(rand.NewPCG(1, 4)), newNormalizer(t, normalize.Options{})
	g := grammar{r}
	for range 50_000 {
		host := g.pick(g.regName, g.ipLiteral, func() string { return "example.com" })
		made, res := n.Append(nil, nil, []byte("foo://"+host+g.pathAbempty()+g.tail()))
		if r.IntN(2) == 0 {
			made, res = n.Append(nil, nil, []byte(g.oneOf("hH")+"ttps://example.com"+g.pathAbempty()+g.tail()))
		}
		if res.Reason != normalize.OK {
			t.Fatalf("refused: %s", res.Reason)
		}
		canonical := string(made)
		disguised := disguise(r, canonical)
		if got, _ := n.Append(nil, nil, []byte(disguised)); string(got) != canonical {
			t.Fatalf("%q is %q in disguise, but became %q", disguised, canonical, got)
		}
	}
}

// One normalizer after another use, its clone, and a base used before give the same answers.
func TestLaws_NoMemoryOfWhatCameBefore(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	used := newNormalizer(t, normalize.Options{})
	var b normalize.Base
	for range 20_000 {
		base, ref := retrieval(randomBases[r.IntN(len(randomBases))]), randomReference(r)
		used.SetBase(&b, base[0], base[1], base[2])
		got, gotResult := used.Append(nil, &b, []byte(ref))
		fresh := used.Clone()
		var b2 normalize.Base
		fresh.SetBase(&b2, base[0], base[1], base[2])
		want, wantResult := fresh.Append(nil, &b2, []byte(ref))
		if !bytes.Equal(got, want) || gotResult != wantResult {
			t.Fatalf("%q on %q: got %q %+v, then %q %+v", ref, base[2], got, gotResult, want, wantResult)
		}
	}
}

// Clones work beside each other: each owns its scratch space (run with -race).
func TestLaws_ClonesWorkBesideEachOther(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 8))
	first := newNormalizer(t, normalize.Options{})
	var refs, wants []string
	for range 3_000 {
		ref := randomReference(r)
		want, _ := outcome(first, retrieval(rfcBase), ref)
		refs, wants = append(refs, ref), append(wants, want)
	}
	var all sync.WaitGroup
	for range 4 {
		n := first.Clone()
		all.Go(func() {
			for i, ref := range refs {
				if got, _ := outcome(n, retrieval(rfcBase), ref); got != wants[i] {
					t.Errorf("%q: a clone gives %s, the first gave %s", ref, got, wants[i])
				}
			}
		})
	}
	all.Wait()
}

// Resolution agrees with net/url where that follows section 5.2. It doesn't for: a base's fragment
// beside an empty reference (it is inherited; 5.2.2 takes R's), empty segments (collapsed at the
// front), dot segments of a base whose path is taken as it is (5.2.2 leaves them), paths without a
// leading slash (one is added), and anything that it refuses to parse.
func TestLaws_AppendResolvedAgreesWithNetURL(t *testing.T) {
	g := grammar{rand.New(rand.NewPCG(1, 6))}
	segment := func() string {
		return g.pick(func() string { return "." }, func() string { return ".." }, func() string { return g.repeat(1, 3, g.unreserved) },
			func() string { return g.oneOf("abc") + g.oneOf("$&+,;=:@") })
	}
	path := func() string { return g.repeat(1, 6, func() string { return segment() + "/" }) + g.optional(segment) }
	tail := func() string {
		return g.optional(func() string { return "?" + g.repeat(0, 3, g.unreserved) }) + g.optional(func() string { return "#" + g.repeat(1, 3, g.unreserved) })
	}
	plain := func() string { return g.repeat(1, 3, g.unreserved) }
	for range 30_000 {
		base := "http://" + g.oneOf("abc") + "/" + g.repeat(0, 5, func() string { return "x" + plain() + "/" }) + g.optional(func() string { return "x" + plain() }) + g.optional(func() string { return "?" + plain() })
		ref := g.pick(
			func() string { return "./" + path() }, func() string { return "/" + path() }, func() string { return "../" + path() },
			func() string { return "//h/" + path() }, func() string { return "" }, func() string { return "x://h/" + path() }) + tail()
		b, err1 := url.Parse(base)
		u, err2 := url.Parse(ref)
		if err1 != nil || err2 != nil {
			t.Fatalf("net/url refuses %q (%v) or %q (%v)", base, err1, ref, err2)
		}
		if got, want := resolved(base, ref), b.ResolveReference(u).String(); got != want {
			t.Fatalf("%q on %q: got %q, net/url %q", ref, base, got, want)
		}
	}
}

// IPv6 text is that of RFC 5952, which net/netip writes too.
func TestLaws_IPv6AgreesWithNetip(t *testing.T) {
	r, n := rand.New(rand.NewPCG(1, 7)), newNormalizer(t, normalize.Options{Strict: true})
	for range 30_000 {
		var raw [16]byte
		for i := range raw {
			if r.IntN(3) == 0 {
				raw[i] = byte(r.IntN(256))
			}
		}
		if r.IntN(8) == 0 {
			copy(raw[:], "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff")
		}
		addr := netip.AddrFrom16(raw)
		for _, text := range ipv6Spellings(r, raw) {
			got, res := n.Append(nil, nil, []byte("http://["+text+"]/"))
			if want := "http://[" + addr.String() + "]/"; string(got) != want {
				t.Fatalf("%s: got %q (%s), want %q", text, got, res.Reason, want)
			}
		}
	}
}

// ipv6Spellings are texts of one address: in full, upper case, with a random "::", dotted.
func ipv6Spellings(r *rand.Rand, raw [16]byte) []string {
	var groups []string
	for i := 0; i < 16; i += 2 {
		groups = append(groups, fmt.Sprintf("%0*X", 1+r.IntN(4), int(raw[i])<<8|int(raw[i+1])))
	}
	full := strings.Join(groups, ":")
	dotted := fmt.Sprintf("%s:%d.%d.%d.%d", strings.Join(groups[:6], ":"), raw[12], raw[13], raw[14], raw[15])
	spellings := []string{full, strings.ToLower(full), dotted}
	from := r.IntN(8)
	to := from
	for to < 8 && raw[2*to] == 0 && raw[2*to+1] == 0 {
		to++
	}
	if to > from {
		spellings = append(spellings, strings.Join(groups[:from], ":")+"::"+strings.Join(groups[to:], ":"))
	}
	return spellings
}
