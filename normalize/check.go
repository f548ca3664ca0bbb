package normalize

import (
	"bytes"

	"github.com/urisieve/urisieve/normalize/uri"
)

// trim cuts spaces and C0 controls off at both ends; strict refuses them.
//
//	" http://h/ "  ->  "http://h/"
//
// Source: RFC 3986 appendix C: what surrounds a URI in text is no part of it. Class: syntax.
func (r *run) trim() bool {
	from, to := textWithin(r.ref)
	if from == 0 && to == len(r.ref) {
		return true
	}
	if r.n.opts.Strict {
		if from == 0 {
			from = to // the first offending byte is behind
		} else {
			from = 0
		}
		return r.refuse(Surrounding, ComponentReference, from)
	}
	if r.on&RuleTrim == 0 {
		return true
	}
	r.text, r.offset = r.ref[from:to], from
	r.result.Flags |= FlagTrimmed
	r.step(RuleTrim, ComponentReference, r.ref, r.text)
	return true
}

// textWithin are the ends of a reference without the spaces and C0 controls around it.
func textWithin(ref []byte) (from, to int) {
	to = len(ref)
	for from < to && ref[from] <= ' ' {
		from++
	}
	for from < to && ref[to-1] <= ' ' {
		to--
	}
	return from, to
}

// checkScheme refuses a relative path whose first segment holds a ":". It would be a scheme if
// scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." ) allowed it.
//
//	1g:h  ->  bad_scheme
//
// Source: RFC 3986 sections 3.1 and 4.2 (path-noscheme). Class: syntax.
func (r *run) checkScheme() bool {
	if r.parts.HasScheme() || r.parts.HasAuthority() || r.on&RuleCheckScheme == 0 {
		return true
	}
	path := r.parts.Path(r.text)
	if i := bytes.IndexByte(path, '/'); i >= 0 {
		path = path[:i]
	}
	colon := bytes.IndexByte(path, ':')
	if colon < 0 {
		return true
	}
	for i, c := range path[:colon] {
		if !uri.Is(c, uri.SchemeChar) || i == 0 && !uri.Is(c, uri.Alpha) {
			return r.refuse(BadScheme, ComponentScheme, i)
		}
	}
	return r.refuse(BadScheme, ComponentScheme, colon)
}

// checkAuthority refuses a backslash, space or C0 control in the authority, and whatever a browser
// would read as the beginning of an authority though this grammar doesn't: programs disagree
// about the host that such a reference means, so none may be written.
//
//	http://good.com\@evil.com/  ->  bad_authority
//	/\evil.com  ->  bad_authority
//
// Source: RFC 3986 section 3.2 allows none of these bytes; section 7.6 says what a wrong guess
// costs. What browsers read: URL standard, section 4.4. Class: syntax.
func (r *run) checkAuthority() bool {
	if r.on&RuleCheckAuthority == 0 {
		return true
	}
	if r.parts.HasAuthority() {
		for i, c := range r.parts.Authority(r.text) {
			if c <= ' ' || c == '\\' {
				return r.refuse(BadAuthority, ComponentAuthority, int(r.parts.AuthStart)+i)
			}
		}
		return true
	}
	if at := authorityLookalike(r.text, r.parts); at >= 0 {
		return r.refuse(BadAuthority, ComponentAuthority, at)
	}
	return true
}

// authorityLookalike is the offset of the first byte that hides an authority where Split saw none,
// or -1. An authority begins with two slashes. Browsers drop tab, LF and CR wherever they stand,
// and take "\" for "/" in the schemes that they know and relative to them. Where a known scheme
// is named, a space or control before the slashes hides an authority from the reader's eye too.
func authorityLookalike(text []byte, p uri.Parts) int {
	at, known := 0, true
	if p.HasScheme() {
		at = int(p.SchemeEnd) + 1
		known = isHierarchical(text[:p.SchemeEnd])
	}
	odd, slashes := -1, 0
	note := func(i int) {
		if odd < 0 {
			odd = i
		}
	}
	for i := at; i < len(text) && slashes < 2; i++ {
		switch c := text[i]; {
		case c == '/':
			slashes++
		case c == '\\' && known:
			slashes++
			note(i)
		case c == '\t' || c == '\n' || c == '\r':
			note(i)
		case c <= ' ' && known && p.HasScheme() && slashes == 0:
			note(i)
		default:
			return -1
		}
	}
	if slashes < 2 {
		return -1
	}
	return odd
}

// isHierarchical reports whether a scheme, in any case, is known to have authorities.
func isHierarchical(name []byte) bool {
	return schemeOf(name) != nil
}

// schemeOf finds a scheme by its name in any case, nil for an unknown one.
func schemeOf(name []byte) *scheme {
	var buffer [16]byte // longer than any known scheme
	if len(name) > len(buffer) {
		return nil
	}
	folded := append(buffer[:0], name...)
	lower(folded)
	return schemeNamed(folded)
}

// checkGrammar, when strict, refuses what the grammar forbids in a component, and a "%" that is
// no escape anywhere. It goes from left to right, so that the place is the first one.
//
//	http://h/a b  ->  bad_path
//
// Source: RFC 3986 appendix A. Class: syntax.
func (r *run) checkGrammar() bool {
	if r.on&RuleCheckGrammar == 0 {
		return true
	}
	p := r.parts
	if p.HasAuthority() && !r.checkAuthorityGrammar() {
		return false
	}
	if !r.checkText(int(p.PathStart), p.Path(r.text), uri.PathChar, ComponentPath, BadPath) {
		return false
	}
	if p.HasQuery() && !r.checkText(int(p.QueryStart), p.Query(r.text), uri.QueryChar, ComponentQuery, BadQuery) {
		return false
	}
	return !p.HasFragment() || r.checkText(int(p.FragStart), p.Fragment(r.text), uri.QueryChar, ComponentFragment, BadFragment)
}

// checkAuthorityGrammar is checkGrammar for userinfo, host and port.
func (r *run) checkAuthorityGrammar() bool {
	p := r.parts
	if p.HasUserinfo() && !r.checkText(int(p.AuthStart), p.Userinfo(r.text), uri.UserinfoChar, ComponentUserinfo, BadUserinfo) {
		return false
	}
	host, name := p.Host(r.text), uri.RegName
	if r.registry {
		name = registryName
	}
	if len(host) > 0 && host[0] == '[' {
		if _, bad := parseLiteral(host); r.n.old {
			return r.refuse(BadHost, ComponentHost, int(p.HostStart)) // RFC 2396 knows none
		} else if bad >= 0 {
			return r.refuse(BadHost, ComponentHost, int(p.HostStart)+bad)
		}
	} else if !r.checkText(int(p.HostStart), host, name, ComponentHost, BadHost) {
		return false
	}
	return r.checkDigits()
}

// checkText refuses the first byte of text that is neither of the set nor part of an escape.
func (r *run) checkText(at int, text []byte, set uri.Class, c Component, reason Reason) bool {
	r.work += uint64(len(text))
	for i := 0; i < len(text); i++ {
		if uri.Is(text[i], set) {
			continue
		}
		if text[i] != '%' {
			return r.refuse(reason, c, at+i)
		}
		if !uri.IsEscape(text, i) {
			return r.refuse(BadEscape, c, at+i)
		}
		i += 2
	}
	return true
}
