package normalize_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/urisieve/urisieve/normalize"
)

const grammarBase = "foo://base/x/y" // a scheme without rules of its own

// U02: every production of appendix A, in a URI that gives it its place, is taken.
func TestU02_EveryProductionIsAccepted(t *testing.T) {
	g := grammar{rand.New(rand.NewPCG(3986, 1))}
	productions := map[string]func() string{
		"URI":           g.uri,
		"relative-ref":  g.relativeRef,
		"hier-part":     func() string { return "foo:" + g.hierPart() },
		"relative-part": g.relativePart,
		"scheme":        func() string { return g.scheme() + ":" },
		"authority":     func() string { return "//" + g.authority() },
		"userinfo":      func() string { return "foo://" + g.userinfo() + "@h" },
		"host":          func() string { return "foo://" + g.host() },
		"port":          func() string { return "foo://h:" + g.port() },
		"IP-literal":    func() string { return "http://" + g.ipLiteral() + "/" },
		"IPvFuture":     func() string { return "foo://[" + g.ipvFuture() + "]:1" },
		"IPv6address":   func() string { return "https://[" + g.ipv6() + "]" },
		"h16":           func() string { return "foo://[::" + g.h16() + "]" },
		"ls32":          func() string { return "foo://[::" + g.ls32() + "]" },
		"IPv4address":   func() string { return "http://" + g.ipv4() },
		"dec-octet":     func() string { return "foo://[::1.2.3." + g.decOctet() + "]" },
		"reg-name":      func() string { return "//" + g.regName() + "/" },
		"path-abempty":  func() string { return "http://h" + g.pathAbempty() },
		"path-absolute": g.pathAbsolute,
		"path-noscheme": g.pathNoscheme,
		"path-rootless": func() string { return "foo:" + g.pathRootless() },
		"path-empty":    func() string { return "foo:" + g.pathEmpty() },
		"segment":       func() string { return "/x/" + g.segment() },
		"segment-nz":    func() string { return "foo:" + g.segmentNz() },
		"segment-nz-nc": g.segmentNzNc,
		"pchar":         func() string { return "/x" + g.segmentChar() },
		"query":         func() string { return "?" + g.query() },
		"fragment":      func() string { return "#" + g.fragment() },
		"pct-encoded":   func() string { return "/" + g.pctEncoded() + "?" + g.pctEncoded() + "#" + g.pctEncoded() },
		"unreserved":    g.unreserved,
		"sub-delims":    func() string { return "//" + g.subDelims() + "@" + g.subDelims() + "/" + g.subDelims() },
	}
	n := newNormalizer(t, normalize.Options{Strict: true})
	for name, production := range productions {
		t.Run(name, func(t *testing.T) {
			for range 300 {
				ref := production()
				if !inGrammar(ref) {
					t.Fatalf("the generator made %q, which the grammar does not know: %s", ref, matchReference(ref))
				}
				if got, r := outcome(n, retrieval(grammarBase), ref); r.Reason != normalize.OK {
					t.Fatalf("%q: got %s, want it accepted", ref, got)
				}
			}
		})
	}
}

// U02: a text one byte away from the grammar is accepted exactly if the grammar has it too;
// refused, the component and the offset are those of the first byte that broke it.
func TestU02_MutationsAreJudgedAsTheGrammarDoes(t *testing.T) {
	g := grammar{rand.New(rand.NewPCG(3986, 2))}
	n := newNormalizer(t, normalize.Options{Strict: true})
	refused := map[string]int{}
	for range 60_000 {
		ref := mutate(g, g.uriReference())
		component, at := firstOffence(ref)
		if (component == "") != inGrammar(ref) {
			t.Fatalf("the two judges differ on %q: %s@%d", ref, component, at)
		}
		judgeStrict(t, n, ref, component, at)
		refused[component]++
	}
	for _, component := range []string{"scheme", "userinfo", "host", "port", "path", "query", "fragment", ""} {
		if refused[component] < 50 {
			t.Errorf("only %d mutations broke %q: the generator is too tame", refused[component], component)
		}
	}
}

// judgeStrict holds the strict answer to ref against the grammar's.
func judgeStrict(t *testing.T, n *normalize.Normalizer, ref, component string, at int) {
	t.Helper()
	got, r := outcome(n, retrieval(grammarBase), ref)
	switch scheme, _, _ := strings.Cut(strings.ToLower(ref), ":"); {
	case component == "" && r.Reason != normalize.OK:
		if !strings.HasPrefix(scheme, "x") && scheme != ref && r.Reason == normalize.SameScheme {
			return // a mutated scheme can become the base's, with rules of its own
		}
		t.Errorf("%q: got %s, but the grammar has it", ref, got)
	case component == "":
	case r.Reason == normalize.OK:
		t.Errorf("%q: accepted, but the grammar forbids %s@%d", ref, component, at)
	case r.Reason == normalize.Surrounding:
		if strings.Trim(ref, c0AndSpace) == ref {
			t.Errorf("%q: got %s, but nothing surrounds it", ref, got)
		}
	case r.Reason == normalize.BadAuthority: // it comes before the grammar: what it tells is a danger, not a slip
		if want := strings.IndexAny(ref, c0AndSpace+`\`); int(r.At) != want {
			t.Errorf("%q: got %s, want the place %d", ref, got, want)
		}
	case r.Component.String() != component || at >= 0 && int(r.At) != at || int(r.At) > len(ref):
		t.Errorf("%q: got %s, want the place %s@%d", ref, got, component, at)
	}
}

var c0AndSpace = func() string {
	var b strings.Builder
	for c := range 0x21 {
		b.WriteByte(byte(c))
	}
	return b.String()
}()

// mutate replaces, inserts or deletes one byte.
func mutate(g grammar, s string) string {
	c := byte(g.IntN(256))
	if g.IntN(2) == 0 {
		c = g.oneOf(":/?#[]@%\\ .\t\"<>^`{|}\x00\x7f\xe9")[0]
	}
	i := g.IntN(len(s) + 1)
	switch {
	case i == len(s) || g.IntN(3) == 0:
		return s[:i] + string([]byte{c}) + s[i:]
	case g.IntN(2) == 0:
		return s[:i] + s[i+1:]
	}
	return s[:i] + string([]byte{c}) + s[i+1:]
}

// U02: each reason is the component's own.
func TestU02_ReasonNamesTheComponent(t *testing.T) {
	checkCases(t, "U02")
}

// grammarCases are the lines of U02, one a component.
var grammarCases = map[string][]reqCase{
	"U02": {
		{ref: "foo://a\"b@h/", want: "foo://a%22b@h/", strict: "!bad_userinfo userinfo@7"},
		{ref: "foo://h\"/", want: "foo://h%22/", strict: "!bad_host host@7"},
		{ref: "foo://h:1x/", want: "!bad_port port@9", strict: "="},
		{ref: "foo:/a\"", want: "foo:/a%22", strict: "!bad_path path@6"},
		{ref: "foo:/a?\"", want: "foo:/a?%22", strict: "!bad_query query@7"},
		{ref: "foo:/a?b#\"", want: "foo:/a?b#%22", strict: "!bad_fragment fragment@9"},
		{ref: "foo:/a%2", want: "foo:/a%252", strict: "!bad_escape path@6"},
		{ref: "foo://a%2@h/", want: "foo://a%252@h/", strict: "!bad_escape userinfo@7"},
	},
}

// A refusal names the place in the reference as it came in, whatever was cut off around it.
func TestU02_PlaceIsInTheReferenceAsItCameIn(t *testing.T) {
	for _, c := range []struct{ ref, base, want string }{
		{"  http://h:8a/", "", "!bad_port port@12"},
		{"\thttp://a b/", "", "!bad_authority authority@9"},
		{" \n 1g:h", "http://a/", "!bad_scheme scheme@3"},
		{" a_b:h", "http://a/", "!bad_scheme scheme@2"},
		{" :h", "http://a/", "!bad_scheme scheme@1"},
		{"http://ex%2fample.com/", "", "!bad_host host@9"},
		{"  http://ex%2fample.com/", "", "!bad_host host@11"},
		{"http://%41x%2fample.com/", "", "!bad_host host@11"},
		{"http://a<b.com/", "", "!bad_host host@8"},
		{"//a<b.com/", "http://a/", "!bad_host host@3"},
		{"http://u:p@a<b.com/", "", "!bad_host host@12"},
		{"http://good.é.\xe9/", "", "!bad_host host@15"},
		{"http://good.%C3%A9.%E9/", "", "!bad_host host@19"},
		{"http://h:65536/", "", "!bad_port port@9"},
		{"http:///p", "", "!no_host host@7"},
		{" http:///p", "", "!no_host host@8"},
		{"http://u@:80/", "", "!no_host host@9"},
		{`/\h`, "http://a/", "!bad_authority authority@1"},
		{`  \\h`, "http://a/", "!bad_authority authority@2"},
		{`http:/\h`, "", "!bad_authority authority@6"},
		{"g", "", "!no_base reference@0"},
		{"g", "mailto:x", "!opaque_base reference@0"},
	} {
		if got, _ := outcome(newNormalizer(t, normalize.Options{}), retrieval(c.base), c.ref); got != c.want {
			t.Errorf("%q on %q: got %s, want %s", c.ref, c.base, got, c.want)
		}
	}
}
