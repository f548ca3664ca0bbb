package normalize_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/normalize/uri"
)

// RFC 2396 appendix A as expressions, production by production. Names are the grammar's.
const (
	oldEscaped    = `%[0-9A-Fa-f]{2}`
	oldUnreserved = `[A-Za-z0-9\-_.!~*'()]`
	oldUric       = `(?:[;/?:@&=+$,]|` + oldUnreserved + `|` + oldEscaped + `)`
	oldPchar      = `(?:` + oldUnreserved + `|` + oldEscaped + `|[:@&=+$,])`
	oldParam      = oldPchar + `*`
	oldSegment    = oldPchar + `*(?:;` + oldParam + `)*`
	oldSegments   = oldSegment + `(?:/` + oldSegment + `)*`
	oldAbsPath    = `/` + oldSegments
	oldDomain     = `(?:[A-Za-z0-9](?:[A-Za-z0-9\-]*[A-Za-z0-9])?)`
	oldTop        = `(?:[A-Za-z](?:[A-Za-z0-9\-]*[A-Za-z0-9])?)`
	oldHostname   = `(?:` + oldDomain + `\.)*` + oldTop + `\.?`
	oldIPv4       = `[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+`
	oldHostport   = `(?:` + oldHostname + `|` + oldIPv4 + `)(?::[0-9]*)?`
	oldUserinfo   = `(?:` + oldUnreserved + `|` + oldEscaped + `|[;:&=+$,])*`
	oldServer     = `(?:(?:` + oldUserinfo + `@)?` + oldHostport + `)?`
	oldRegName    = `(?:` + oldUnreserved + `|` + oldEscaped + `|[$,;:@&=+])+`
	oldAuthority  = `(?:` + oldServer + `|` + oldRegName + `)`
	oldNetPath    = `//` + oldAuthority + `(?:` + oldAbsPath + `)?`
	oldScheme     = `[A-Za-z][A-Za-z0-9+\-.]*`
	oldNoSlash    = `(?:` + oldUnreserved + `|` + oldEscaped + `|[;?:@&=+$,])`
	oldOpaque     = oldNoSlash + oldUric + `*`
	oldRelSegment = `(?:` + oldUnreserved + `|` + oldEscaped + `|[;@&=+$,])+`
	oldRelPath    = oldRelSegment + `(?:` + oldAbsPath + `)?`
	oldQuery      = `(?:\?` + oldUric + `*)?`
	oldFragment   = `(?:#` + oldUric + `*)?`
	oldAbsolute   = oldScheme + `:(?:(?:` + oldNetPath + `|` + oldAbsPath + `)` + oldQuery + `|` + oldOpaque + `)`
	oldRelative   = `(?:` + oldNetPath + `|` + oldAbsPath + `|` + oldRelPath + `)` + oldQuery
	// The letter of the grammar has neither "?y", which appendix C.1 resolves as a normal example, nor
	// "foo:"; by section 3 any component but the scheme may be absent, and section 3.3 has path as
	// [ abs_path | opaque_part ].
	oldBeyond = `(?:` + oldScheme + `:)?` + oldQuery
)

var oldExpr = whole(`(?:(?:` + oldAbsolute + `|` + oldRelative + `)?|` + oldBeyond + `)` + oldFragment)

// transform2396 is RFC 2396 section 5.2, step by step, on strings.
func transform2396(base, r components) string {
	switch {
	case r.path == "" && r.scheme == nil && r.authority == nil && r.query == nil: // step 2
		base.fragment = r.fragment
		return base.recompose()
	case r.scheme != nil: // step 3
		return r.recompose()
	}
	r.scheme = base.scheme
	if r.authority == nil { // step 4
		r.authority = base.authority
		if !strings.HasPrefix(r.path, "/") { // step 5
			r.path = merge2396(base, r.path)
		}
	}
	return r.recompose() // step 7
}

// merge2396 is step 6.
func merge2396(base components, path string) string {
	buffer := base.path[:strings.LastIndexByte(base.path, '/')+1] // a
	if base.authority != nil && base.path == "" {
		buffer = "/" // requirement G40
	}
	buffer += path // b
	root, rest := "", buffer
	if strings.HasPrefix(rest, "/") {
		root, rest = "/", rest[1:]
	}
	segments := strings.Split(rest, "/")
	for i := 0; i < len(segments)-1; { // c: "./"
		if segments[i] == "." {
			segments = append(segments[:i:i], segments[i+1:]...)
		} else {
			i++
		}
	}
	if last := len(segments) - 1; segments[last] == "." { // d
		segments[last] = ""
	}
	for again := true; again; { // e: the leftmost "<segment>/../", until there is none
		again = false
		for i := 0; i+2 < len(segments); i++ {
			if segments[i] != ".." && segments[i+1] == ".." {
				segments, again = append(segments[:i:i], segments[i+2:]...), true
				break
			}
		}
	}
	if n := len(segments); n >= 2 && segments[n-1] == ".." && segments[n-2] != ".." { // f
		segments = append(segments[:n-2:n-2], "")
	}
	return root + strings.Join(segments, "/") // g: ".." in excess stays
}

// resolved2396 is uri.AppendResolved2396 on strings, with the base as the document.
func resolved2396(base, ref string) string {
	b, r := []byte(base), []byte(ref)
	parts := uri.Split(r)
	if uri.IsCurrentDocument(r, parts) {
		document, _, _ := strings.Cut(base, "#")
		return document + ref
	}
	return string(uri.AppendResolved2396(nil, uri.Ref{Text: b, Parts: uri.Split(b)}, uri.Ref{Text: r, Parts: parts}))
}

func checkSteps(t *testing.T, base, ref string) {
	t.Helper()
	want := transform2396(parseLiterally(base), parseLiterally(ref))
	if got := resolved2396(base, ref); got != want {
		t.Fatalf("%q on %q: got %q, section 5.2 says %q", ref, base, got, want)
	}
}

func TestG40_RFC2396FollowsTheSevenSteps(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 96))
	for range 100_000 {
		base, ref := randomBases[r.IntN(len(randomBases))], randomReference(r)
		if r.IntN(2) == 0 {
			base = randomReference(r)
		}
		checkSteps(t, base, ref)
	}
}

// G40: what the normalizer makes of a relative reference is what it makes of the URI that the steps
// give for it, but for escaped dots, which it decodes before paths are merged, and for the guard.
func TestG40_RFC2396NormalizerFollowsTheSevenSteps(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 99))
	n := newNormalizer(t, old)
	tried := 0
	for range 60_000 {
		base, ref := randomBases[r.IntN(len(randomBases))], strings.Trim(randomReference(r), c0AndSpace)
		parsed := parseLiterally(ref)
		var b normalize.Base
		l := retrieval(base)
		n.SetBase(&b, l[0], l[1], l[2])
		out, res := n.Append(nil, &b, []byte(ref))
		if res.Reason != normalize.OK || res.BaseUsed == normalize.BaseNone || parsed.scheme != nil ||
			strings.Contains(strings.ToLower(parsed.path), "%2e") || res.Flags&normalize.FlagPathGuarded != 0 {
			continue
		}
		tried++
		whole := transform2396(parseLiterally(string(b.URL())), parsed)
		if want, _ := outcome(n, layers{}, whole); string(out) != want {
			t.Fatalf("%q on %q: got %q, but the steps give %q, which is %q", ref, base, out, whole, want)
		}
	}
	if tried < 5_000 {
		t.Errorf("only %d references were relative", tried)
	}
}

func FuzzResolve2396(f *testing.F) {
	addSeeds(f)
	f.Fuzz(checkSteps)
}

// laws2396 says which law a reference breaks, "" for none.
func laws2396(repair, strict *normalize.Normalizer, base, ref string) string {
	var b normalize.Base
	l := retrieval(base)
	repair.SetBase(&b, l[0], l[1], l[2])
	l = retrieval(string(b.URL())) // the same base for both: strict may refuse what it is made of
	got, r := outcome(repair, l, ref)
	again, s := outcome(strict, l, ref)
	switch {
	case r.Reason != normalize.OK && s.Reason == normalize.OK:
		return "repair refuses, strict gives " + again
	case r.Reason != normalize.OK:
		return ""
	case s.Reason == normalize.OK && again != got:
		return "strict gives " + again + ", repair " + got
	case s.Reason == normalize.OK && !oldExpr.MatchString(ref):
		return "strict accepts what appendix A forbids"
	case !oldExpr.MatchString(got):
		return "the result is not in the grammar: " + got
	case strings.ContainsFunc(got, func(c rune) bool { return c > '~' || c <= ' ' }):
		return "the result is not US-ASCII: " + got
	}
	if once, q := outcome(repair, layersOf(), got); once != got || q.Changed != 0 || q.Parts != r.Parts {
		return got + " is not stable: " + once
	}
	if once, q := outcome(strict, layersOf(), got); once != got {
		return "strict makes of " + got + " " + once + " (" + q.Reason.String() + ")"
	}
	url := got[:r.Parts.URLEnd(len(got))]
	if alone, q := outcome(repair, layersOf(), url); alone != url || q.Parts.HasFragment() {
		return "the url " + url + " parses to " + alone
	}
	return ""
}

// brokenReport names the first law about flags and changes that a reference breaks; "" is none.
func (l *laws) brokenReport(base, ref string) string {
	layers := retrieval(base)
	l.repair.SetBase(&l.base, layers[0], layers[1], layers[2])
	out, r := l.repair.Append(nil, &l.base, []byte(ref))
	if r.Reason != normalize.OK {
		if len(out) != 0 || r.Component == normalize.ComponentNone || int(r.At) > len(ref) {
			return r.Component.String() + ": a refusal without its place, or with output"
		}
		return ""
	}
	if bound := maxOutput(len(ref) + len(base)); len(out) > bound {
		return "the output passes its bound"
	}
	return l.brokenByReport(ref, out, r)
}

func layersOf() layers { return layers{} }

func newLaws2396(t testing.TB, o normalize.Options) (repair, strict *normalize.Normalizer) {
	o.Profile = "rfc2396"
	repair = newNormalizer(t, o)
	o.Strict = true
	return repair, newNormalizer(t, o)
}

func TestRFC2396_Laws(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 97))
	for _, o := range everyPolicy {
		repair, strict := newLaws2396(t, o)
		o.Profile = "rfc2396"
		report := newLaws(t, o)
		for i := range 30_000 {
			base, ref := randomBases[r.IntN(len(randomBases))], randomReference(r)
			if i%4 == 0 {
				ref = old2396{grammar{r}}.uriReference()
			}
			if law := laws2396(repair, strict, base, ref); law != "" {
				t.Fatalf("%q on %q under %+v: %s", ref, base, o, law)
			}
			if law := report.brokenReport(base, ref); law != "" {
				t.Fatalf("%q on %q under %+v: %s", ref, base, o, law)
			}
		}
	}
}

// Strict takes whatever appendix A has, but for what schemes refuse with reasons of their own.
func TestRFC2396_StrictTakesTheGrammar(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 98))
	_, strict := newLaws2396(t, normalize.Options{SameScheme: "strip"})
	own := []normalize.Reason{
		normalize.NoHost, normalize.BadPort, normalize.BadHost, normalize.OpaqueBase, normalize.BadAuthority, normalize.BadUserinfo,
	}
	taken := 0
	for range 60_000 {
		ref := randomReference(r)
		if !oldExpr.MatchString(ref) {
			continue
		}
		taken++
		_, res := outcome(strict, retrieval(rfcBase), ref)
		ok := res.Reason == normalize.OK
		for _, reason := range own {
			ok = ok || res.Reason == reason && strings.Contains(ref, "//") || res.Reason == normalize.NoHost
		}
		if !ok {
			t.Fatalf("strict refuses %q: %s %s@%d", ref, res.Reason, res.Component, res.At)
		}
	}
	if taken < 1000 {
		t.Errorf("only %d references of the grammar", taken)
	}
}

func FuzzLaws2396(f *testing.F) {
	addSeeds(f)
	addCases(f, cases2396)
	type pair struct {
		repair, strict *normalize.Normalizer
		report         *laws
	}
	var pairs []pair
	for _, o := range everyPolicy {
		repair, strict := newLaws2396(f, o)
		o.Profile = "rfc2396"
		pairs = append(pairs, pair{repair, strict, newLaws(f, o)})
	}
	f.Fuzz(func(t *testing.T, base, ref string) {
		if slowForGrammar(base, ref) {
			return
		}
		for i, p := range pairs {
			if law := laws2396(p.repair, p.strict, base, ref); law != "" {
				t.Fatalf("%q on %q under %+v: %s", ref, base, everyPolicy[i], law)
			}
			if law := p.report.brokenReport(base, ref); law != "" {
				t.Fatalf("%q on %q under %+v: %s", ref, base, everyPolicy[i], law)
			}
		}
	})
}
