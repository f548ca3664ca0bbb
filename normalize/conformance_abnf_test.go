package normalize_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
)

// This file is RFC 3986 appendix A twice: as regular expressions that tell whether a text is in
// the language, and as a generator of random texts that are. Neither looks at the other, nor at
// the code that they judge. Names are the grammar's.

const unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"

// The productions as regular expressions, from the bottom up.
const (
	reHexdig     = `[0-9A-Fa-f]`
	rePctEncoded = `%` + reHexdig + reHexdig
	reUnreserved = `[A-Za-z0-9\-._~]`
	reSubDelims  = `[!$&'()*+,;=]`
	rePchar      = `(?:` + reUnreserved + `|` + rePctEncoded + `|` + reSubDelims + `|[:@])`
	reQuery      = `(?:` + rePchar + `|[/?])*` // query and fragment are the same

	reSegment     = rePchar + `*`
	reSegmentNz   = rePchar + `+`
	reSegmentNzNc = `(?:` + reUnreserved + `|` + rePctEncoded + `|` + reSubDelims + `|@)+`

	rePathAbempty  = `(?:/` + reSegment + `)*`
	rePathAbsolute = `/(?:` + reSegmentNz + `(?:/` + reSegment + `)*)?`
	rePathNoscheme = reSegmentNzNc + `(?:/` + reSegment + `)*`
	rePathRootless = reSegmentNz + `(?:/` + reSegment + `)*`

	reDecOctet = `(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9][0-9]|[0-9])`
	reIPv4     = reDecOctet + `\.` + reDecOctet + `\.` + reDecOctet + `\.` + reDecOctet
	reH16      = reHexdig + `{1,4}`
	reLs32     = `(?:` + reH16 + `:` + reH16 + `|` + reIPv4 + `)`
	reIPv6     = `(?:(?:` + reH16 + `:){6}` + reLs32 +
		`|::(?:` + reH16 + `:){5}` + reLs32 +
		`|(?:` + reH16 + `)?::(?:` + reH16 + `:){4}` + reLs32 +
		`|(?:(?:` + reH16 + `:){0,1}` + reH16 + `)?::(?:` + reH16 + `:){3}` + reLs32 +
		`|(?:(?:` + reH16 + `:){0,2}` + reH16 + `)?::(?:` + reH16 + `:){2}` + reLs32 +
		`|(?:(?:` + reH16 + `:){0,3}` + reH16 + `)?::` + reH16 + `:` + reLs32 +
		`|(?:(?:` + reH16 + `:){0,4}` + reH16 + `)?::` + reLs32 +
		`|(?:(?:` + reH16 + `:){0,5}` + reH16 + `)?::` + reH16 +
		`|(?:(?:` + reH16 + `:){0,6}` + reH16 + `)?::)`
	reIPvFuture = `[vV]` + reHexdig + `+\.(?:` + reUnreserved + `|` + reSubDelims + `|:)+`
	reIPLiteral = `\[(?:` + reIPv6 + `|` + reIPvFuture + `)\]`
	reRegName   = `(?:` + reUnreserved + `|` + rePctEncoded + `|` + reSubDelims + `)*`
	reHost      = `(?:` + reIPLiteral + `|` + reIPv4 + `|` + reRegName + `)`
	reUserinfo  = `(?:` + reUnreserved + `|` + rePctEncoded + `|` + reSubDelims + `|:)*`
	reAuthority = `(?:` + reUserinfo + `@)?` + reHost + `(?::[0-9]*)?`

	reScheme      = `[A-Za-z][A-Za-z0-9+\-.]*`
	reTail        = `(?:\?` + reQuery + `)?(?:#` + reQuery + `)?`
	reHierPart    = `(?://` + reAuthority + rePathAbempty + `|` + rePathAbsolute + `|` + rePathRootless + `|)`
	reRelPart     = `(?://` + reAuthority + rePathAbempty + `|` + rePathAbsolute + `|` + rePathNoscheme + `|)`
	reURI         = reScheme + `:` + reHierPart + reTail
	reRelativeRef = reRelPart + reTail
)

func whole(re string) *regexp.Regexp { return regexp.MustCompile(`\A(?:` + re + `)\z`) }

var (
	uriExpr      = whole(reURI)
	relativeExpr = whole(reRelativeRef)
	ipv6Expr     = whole(reIPv6)
	futureExpr   = whole(reIPvFuture)
)

// inGrammar reports whether a text is a URI-reference (RFC 3986 section 4.1).
func inGrammar(s string) bool { return uriExpr.MatchString(s) || relativeExpr.MatchString(s) }

// matchReference says what is wrong with a text that should be a URI; "" is nothing.
func matchReference(s string) string {
	if uriExpr.MatchString(s) {
		return ""
	}
	component, at := firstOffence(s)
	return fmt.Sprintf("%s@%d", component, at)
}

// firstOffence finds, from left to right, the first byte that the grammar of its component
// forbids. Components are cut as in RFC 3986 appendix B. at is -1 where the fault is that of a
// whole (an address in brackets, a scheme) rather than a byte's; component "" is no fault.
func firstOffence(s string) (component string, at int) {
	rest, offset := s, 0
	rest, fragment, hasFragment := strings.Cut(rest, "#")
	rest, query, hasQuery := strings.Cut(rest, "?")
	scheme := regexp.MustCompile(`\A` + reScheme + `:`).FindString(rest)
	rest, offset = rest[len(scheme):], len(scheme)
	if tail, ok := strings.CutPrefix(rest, "//"); ok {
		offset += 2
		authority, _, _ := strings.Cut(tail, "/")
		if component, at = authorityOffence(authority, offset); component != "" {
			return component, at
		}
		rest, offset = tail[len(authority):], offset+len(authority)
	} else if first, _, _ := strings.Cut(rest, "/"); scheme == "" && strings.Contains(first, ":") {
		return "scheme", -1
	}
	if i := firstForbidden(rest, pchars+"/"); i >= 0 {
		return "path", offset + i
	}
	offset += len(rest) + 1
	if i := firstForbidden(query, pchars+"/?"); hasQuery && i >= 0 {
		return "query", offset + i
	}
	if hasQuery {
		offset += len(query) + 1
	}
	if i := firstForbidden(fragment, pchars+"/?"); hasFragment && i >= 0 {
		return "fragment", offset + i
	}
	return "", 0
}

const (
	subDelims = "!$&'()*+,;="
	pchars    = unreserved + subDelims + ":@"
)

func authorityOffence(authority string, offset int) (string, int) {
	host := authority
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		if bad := firstForbidden(authority[:i], unreserved+subDelims+":"); bad >= 0 {
			return "userinfo", offset + bad
		}
		host, offset = authority[i+1:], offset+i+1
	}
	port, portAt := "", 0
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		host, port, portAt = host[:i], host[i+1:], offset+i+1
	}
	if literal, ok := strings.CutPrefix(host, "["); ok {
		literal, closed := strings.CutSuffix(literal, "]")
		if !closed || !ipv6Expr.MatchString(literal) && !futureExpr.MatchString(literal) {
			return "host", -1
		}
	} else if bad := firstForbidden(host, unreserved+subDelims); bad >= 0 {
		return "host", offset + bad
	}
	if bad := strings.IndexFunc(port, func(r rune) bool { return r < '0' || r > '9' }); bad >= 0 {
		return "port", portAt + bad
	}
	return "", 0
}

// firstForbidden is the index of the first byte that is neither allowed nor part of an escape.
func firstForbidden(s, allowed string) int {
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]) {
			i += 2
		} else if strings.IndexByte(allowed, s[i]) < 0 {
			return i
		}
	}
	return -1
}

func isHex(c byte) bool { return strings.IndexByte("0123456789abcdefABCDEF", c) >= 0 }

// grammar generates random texts, a method a production.
type grammar struct{ *rand.Rand }

func (g grammar) pick(choices ...func() string) string { return choices[g.IntN(len(choices))]() }

func (g grammar) oneOf(set string) string { return string(set[g.IntN(len(set))]) }

// repeat is n*m of a production.
func (g grammar) repeat(least, most int, production func() string) string {
	var b strings.Builder
	for range least + g.IntN(most-least+1) {
		b.WriteString(production())
	}
	return b.String()
}

func (g grammar) optional(production func() string) string {
	if g.IntN(2) == 0 {
		return ""
	}
	return production()
}

func (g grammar) unreserved() string { return g.oneOf(unreserved) }
func (g grammar) subDelims() string  { return g.oneOf(subDelims) }
func (g grammar) hexdig() string     { return g.oneOf("0123456789abcdefABCDEF") }
func (g grammar) digit() string      { return g.oneOf("0123456789") }
func (g grammar) pctEncoded() string { return "%" + g.hexdig() + g.hexdig() }

func (g grammar) pchar() string {
	return g.pick(g.unreserved, g.unreserved, g.pctEncoded, g.subDelims, func() string { return g.oneOf(":@./") })
}

// segmentChar is a pchar; pchar itself leans on dots and, for the query, on slashes.
func (g grammar) segmentChar() string { return strings.ReplaceAll(g.pchar(), "/", ".") }
func (g grammar) segment() string     { return g.repeat(0, 4, g.segmentChar) }
func (g grammar) segmentNz() string   { return g.repeat(1, 4, g.segmentChar) }
func (g grammar) segmentNzNc() string { return strings.ReplaceAll(g.segmentNz(), ":", "@") }

func (g grammar) slashSegment() string { return "/" + g.segment() }
func (g grammar) pathAbempty() string  { return g.repeat(0, 4, g.slashSegment) }
func (g grammar) pathRootless() string { return g.segmentNz() + g.pathAbempty() }
func (g grammar) pathNoscheme() string { return g.segmentNzNc() + g.pathAbempty() }
func (g grammar) pathEmpty() string    { return "" }
func (g grammar) pathAbsolute() string { return "/" + g.optional(g.pathRootless) }

func (g grammar) query() string {
	return g.repeat(0, 8, func() string { return g.pick(g.pchar, func() string { return g.oneOf("/?") }) })
}

func (g grammar) fragment() string { return g.query() }

func (g grammar) scheme() string {
	return "x" + g.repeat(0, 5, func() string { return g.oneOf("azAZ09+-.") }) // no scheme that has rules of its own
}

func (g grammar) userinfo() string {
	return g.repeat(0, 5, func() string {
		return g.pick(g.unreserved, g.pctEncoded, g.subDelims, func() string { return ":" })
	})
}

func (g grammar) regName() string {
	return g.repeat(0, 6, func() string { return g.pick(g.unreserved, g.unreserved, g.pctEncoded, g.subDelims) })
}

func (g grammar) decOctet() string { return fmt.Sprint(g.IntN(256)) }
func (g grammar) h16() string      { return g.repeat(1, 4, g.hexdig) }
func (g grammar) h16Colon() string { return g.h16() + ":" }

func (g grammar) ipv4() string {
	return g.decOctet() + "." + g.decOctet() + "." + g.decOctet() + "." + g.decOctet()
}

func (g grammar) ls32() string {
	return g.pick(g.ipv4, func() string { return g.h16() + ":" + g.h16() })
}

// ipv6 is one of the nine alternatives of IPv6address.
func (g grammar) ipv6() string {
	alternative := g.IntN(9)
	if alternative == 0 {
		return g.repeat(6, 6, g.h16Colon) + g.ls32()
	}
	before := ""
	if most := alternative - 2; most >= 0 && g.IntN(2) == 0 {
		before = g.repeat(0, most, g.h16Colon) + g.h16()
	}
	switch alternative {
	case 8:
		return before + "::"
	case 7:
		return before + "::" + g.h16()
	}
	return before + "::" + g.repeat(6-alternative, 6-alternative, g.h16Colon) + g.ls32()
}

func (g grammar) ipvFuture() string {
	return g.oneOf("vV") + g.repeat(1, 3, g.hexdig) + "." +
		g.repeat(1, 5, func() string { return g.pick(g.unreserved, g.subDelims, func() string { return ":" }) })
}

func (g grammar) ipLiteral() string { return "[" + g.pick(g.ipv6, g.ipvFuture) + "]" }
func (g grammar) host() string      { return g.pick(g.ipLiteral, g.ipv4, g.regName, g.regName) }
func (g grammar) port() string      { return g.repeat(0, 6, g.digit) }

func (g grammar) authority() string {
	return g.optional(func() string { return g.userinfo() + "@" }) + g.host() + g.optional(func() string { return ":" + g.port() })
}

func (g grammar) authorityPath() string { return "//" + g.authority() + g.pathAbempty() }

func (g grammar) hierPart() string {
	return g.pick(g.authorityPath, g.authorityPath, g.pathAbsolute, g.pathRootless, g.pathEmpty)
}

func (g grammar) relativePart() string {
	return g.pick(g.authorityPath, g.pathAbsolute, g.pathNoscheme, g.pathNoscheme, g.pathEmpty)
}

func (g grammar) tail() string {
	return g.optional(func() string { return "?" + g.query() }) + g.optional(func() string { return "#" + g.fragment() })
}

func (g grammar) uri() string          { return g.scheme() + ":" + g.hierPart() + g.tail() }
func (g grammar) relativeRef() string  { return g.relativePart() + g.tail() }
func (g grammar) uriReference() string { return g.pick(g.uri, g.uri, g.relativeRef) }
