package normalize_test

import (
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urisieve/urisieve/normalize"
)

// This file is RFC 2396 appendix A as a generator of random texts, a method a production, and as a
// judge that says where a text leaves it. Neither looks at the other, at the expressions of the
// laws, nor at the code that they judge.

// old2396 generates random texts of RFC 2396.
type old2396 struct{ grammar }

const (
	marks2396      = "-_.!~*'()"
	alphanum       = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	unreserved2396 = alphanum + marks2396
	reserved2396   = ";/?:@&=+$,"
)

// chars repeats unreserved, escaped and what else a production has.
func (g old2396) chars(least, most int, more string) string {
	return g.repeat(least, most, func() string {
		return g.pick(g.unreserved, g.unreserved, g.escaped, func() string { return g.oneOf(more) })
	})
}

func (g old2396) unreserved() string { return g.oneOf(unreserved2396) }
func (g old2396) mark() string       { return g.oneOf(marks2396) }
func (g old2396) reserved() string   { return g.oneOf(reserved2396) }
func (g old2396) escaped() string    { return "%" + g.hexdig() + g.hexdig() }
func (g old2396) uric() string       { return g.chars(1, 1, reserved2396) }
func (g old2396) uricNoSlash() string {
	return g.chars(1, 1, ";?:@&=+$,")
}
func (g old2396) pchar() string { return g.chars(1, 1, ":@&=+$,") }
func (g old2396) param() string { return g.repeat(0, 3, g.pchar) }
func (g old2396) segment() string {
	return g.pick(func() string {
		return g.repeat(0, 4, g.pchar) + g.repeat(0, 2, func() string { return ";" + g.param() })
	},
		func() string { return g.oneOf(".") }, func() string { return ".." })
}

func (g old2396) pathSegments() string {
	return g.segment() + g.repeat(0, 4, func() string { return "/" + g.segment() })
}

// absPath does not begin with "//": that reads as an authority (requirement G05).
func (g old2396) absPath() string {
	path := "/" + g.pathSegments()
	for strings.HasPrefix(path, "//") {
		path = "/" + g.pathSegments()
	}
	return path
}

func (g old2396) opaquePart() string { return g.uricNoSlash() + g.repeat(0, 8, g.uric) }
func (g old2396) relSegment() string { return g.chars(1, 5, ";@&=+$,") }
func (g old2396) relPath() string    { return g.relSegment() + g.optional(g.absPath) }
func (g old2396) netPath() string    { return "//" + g.authority() + g.optional(g.absPath) }
func (g old2396) query() string      { return g.repeat(0, 8, g.uric) }

// label is a domainlabel, or a toplabel by its first character.
func (g old2396) label(first string) string {
	return g.oneOf(first) + g.optional(func() string {
		return g.repeat(0, 4, func() string { return g.oneOf(alphanum + "-") }) + g.oneOf(alphanum)
	})
}

func (g old2396) hostname() string {
	return g.repeat(0, 3, func() string { return g.label(alphanum) + "." }) + g.label(alphanum[:52]) + g.optional(func() string { return "." })
}
func (g old2396) digits() string { return g.repeat(1, 4, g.digit) }
func (g old2396) ipv4() string {
	return g.digits() + "." + g.digits() + "." + g.digits() + "." + g.digits()
}

func (g old2396) hostport() string {
	return g.pick(g.hostname, g.hostname, g.ipv4) + g.optional(func() string { return ":" + g.port() })
}
func (g old2396) userinfo() string { return g.chars(0, 5, ";:&=+$,") }
func (g old2396) server() string {
	return g.optional(func() string { return g.optional(func() string { return g.userinfo() + "@" }) + g.hostport() })
}

// regName holds no "@": that is told apart as a userinfo (requirement G07).
func (g old2396) regName() string   { return g.chars(1, 8, "$,;:&=+") }
func (g old2396) authority() string { return g.pick(g.server, g.server, g.regName) }

func (g old2396) absoluteURI() string {
	return g.scheme() + ":" + g.pick(func() string { return g.pick(g.netPath, g.netPath, g.absPath) + g.questioned() }, g.opaquePart)
}
func (g old2396) questioned() string { return g.optional(func() string { return "?" + g.query() }) }
func (g old2396) relativeURI() string {
	return g.pick(g.netPath, g.absPath, g.relPath, g.relPath) + g.questioned()
}

func (g old2396) uriReference() string {
	return g.optional(func() string { return g.pick(g.absoluteURI, g.absoluteURI, g.relativeURI) }) + g.optional(func() string { return "#" + g.query() })
}

// offence2396 finds, from left to right, the first byte that RFC 2396 forbids in its component; ""
// is none. at is -1 where the fault is that of a whole. It cuts as appendix B does.
func offence2396(s string) (component string, at int) {
	rest, fragment, hasFragment := strings.Cut(s, "#")
	rest, query, hasQuery := strings.Cut(rest, "?")
	scheme := regexp.MustCompile(`\A` + oldScheme + `:`).FindString(rest)
	rest, offset := rest[len(scheme):], len(scheme)
	if tail, ok := strings.CutPrefix(rest, "//"); ok {
		offset += 2
		authority, _, _ := strings.Cut(tail, "/")
		if component, at = authorityOffence2396(authority, offset); component != "" {
			return component, at
		}
		rest, offset = tail[len(authority):], offset+len(authority)
	} else if first, _, _ := strings.Cut(rest, "/"); scheme == "" && strings.Contains(first, ":") {
		return "scheme", -1
	}
	if i := firstForbidden(rest, unreserved2396+";/:@&=+$,"); i >= 0 {
		return "path", offset + i
	}
	offset += len(rest) + 1
	if i := firstForbidden(query, unreserved2396+reserved2396); hasQuery && i >= 0 {
		return "query", offset + i
	}
	if hasQuery {
		offset += len(query) + 1
	}
	if i := firstForbidden(fragment, unreserved2396+reserved2396); hasFragment && i >= 0 {
		return "fragment", offset + i
	}
	return "", 0
}

// authorityOffence2396 takes a scheme without rules of its own for granted. The last "@" splits
// (requirement G07).
func authorityOffence2396(authority string, offset int) (component string, at int) {
	rest := authority
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		if bad := firstForbidden(authority[:i], unreserved2396+";:&=+$,"); bad >= 0 {
			return "userinfo", offset + bad
		}
		rest, offset = authority[i+1:], offset+i+1
	}
	if strings.HasPrefix(rest, "[") {
		return "host", offset
	}
	if bad := firstForbidden(rest, unreserved2396+";:&=+$,"); bad >= 0 {
		return "host", offset + bad
	}
	return "", 0
}

// Strict takes every production of appendix A, in a reference that gives it its place.
func TestG25_RFC2396EveryProductionIsAccepted(t *testing.T) {
	g := old2396{grammar{rand.New(rand.NewPCG(2396, 1))}}
	at := func(before string, production func() string, after string) func() string {
		return func() string { return before + production() + after }
	}
	n := newNormalizer(t, normalize.Options{Profile: "rfc2396", Strict: true})
	productions := map[string]func() string{
		"URI-reference": g.uriReference, "absoluteURI": g.absoluteURI, "relativeURI": g.relativeURI,
		"hier_part": at("x:", g.absPath, ""), "opaque_part": at("x:", g.opaquePart, ""), "uric_no_slash": at("x:", g.uricNoSlash, ""),
		"net_path": g.netPath, "abs_path": g.absPath, "rel_path": g.relPath, "rel_segment": g.relSegment,
		"scheme": at("", g.scheme, ":o"), "authority": at("//", g.authority, "/"), "reg_name": at("x://", g.regName, "/"),
		"server": at("//", g.server, ""), "userinfo": at("x://", g.userinfo, "@h"), "hostport": at("x://u@", g.hostport, "/"),
		"hostname": at("http://", g.hostname, ""), "domainlabel": at("x://", func() string { return g.label(alphanum) }, ".h"),
		"toplabel": at("//h.", func() string { return g.label(alphanum[:52]) }, ""), "IPv4address": at("http://", g.ipv4, "/"),
		"port": at("x://h:", g.port, ""), "path_segments": at("http://h/", g.pathSegments, ""), "segment": at("/x/", g.segment, ""),
		"param": at("/x;", g.param, ""), "pchar": at("/x", g.pchar, ""), "query": at("?", g.query, ""), "fragment": at("#", g.query, ""),
		"uric": at("?", g.uric, ""), "reserved": at("?", g.reserved, ""), "unreserved": g.unreserved, "mark": at("//h/", g.mark, ""), "escaped": g.escaped,
	}
	for _, name := range slices.Sorted(maps.Keys(productions)) { // in one order, so that the draws are the same in every run
		production := productions[name]
		t.Run(name, func(t *testing.T) {
			for range 500 {
				ref := production()
				if !oldExpr.MatchString(ref) {
					t.Fatalf("the generator made %q, which the expressions do not know", ref)
				}
				if got, r := outcome(n, retrieval(grammarBase), ref); r.Reason != normalize.OK {
					t.Fatalf("%q: got %s, want it accepted", ref, got)
				}
			}
		})
	}
}

// Strict judges a text one byte away from the grammar as the grammar does, and tells the component
// and the offset of the first byte that broke it.
func TestG25_RFC2396MutationsAreJudgedAsTheGrammarDoes(t *testing.T) {
	g := old2396{grammar{rand.New(rand.NewPCG(2396, 2))}}
	n := newNormalizer(t, normalize.Options{Profile: "rfc2396", Strict: true})
	refused := map[string]int{}
	for range 60_000 {
		ref := mutate(g.grammar, g.uriReference())
		component, at := offence2396(ref)
		if component == "" && !oldExpr.MatchString(ref) {
			t.Fatalf("the two judges differ on %q", ref)
		}
		refused[component]++
		if scheme, _, _ := strings.Cut(strings.ToLower(ref), ":"); scheme == ref || strings.HasPrefix(scheme, "x") || component != "" {
			judgeStrict(t, n, ref, component, at)
		}
	}
	for _, component := range []string{"scheme", "userinfo", "host", "path", "query", "fragment", ""} {
		if refused[component] < 50 {
			t.Errorf("only %d mutations broke %q: the generator is too tame", refused[component], component)
		}
	}
}
