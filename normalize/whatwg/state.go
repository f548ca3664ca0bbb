package whatwg

import (
	"github.com/urisieve/urisieve/normalize/uri"
)

// state is one run of the basic URL parser (section 4.4). The standard's machine looks at a code
// point at a time and may go back; here each component is a method that is called once, in order,
// with the offset in in at which it begins, and writes what the serializer (4.5) would write of
// it. The method's names are those of the standard's states.
//
// The path list of the standard is dst[path:], each item behind its "/".
type state struct {
	p     *Parser
	base  *Base // nil without one
	in    []byte
	dst   []byte
	start int // dst[start:] is the href so far

	parts  uri.Parts // offsets count from start
	path   int       // where the path list begins in dst
	scheme scheme
	host   HostKind
	onIt   bool // something of the base was used
	opaque bool

	errs      Errors
	failure   Failure
	component Component
	at        int // offset in in
}

// fail ends the run. at is an offset in in.
func (s *state) fail(f Failure, c Component, at int) {
	s.failure, s.component, s.at = f, c, at
}

// offset is the place of the next byte of the href.
func (s *state) offset() uint32 { return uint32(len(s.dst) - s.start) }

// peek is the byte at i, or 0 at the end; NUL itself is no byte that any state looks for.
func (s *state) peek(i int) byte {
	if i < len(s.in) {
		return s.in[i]
	}
	return 0
}

// isSlash reports whether b is "/", or, in a special URL, "\", which is an error.
func (s *state) isSlash(b byte) bool {
	if b == '\\' && s.scheme != notSpecial {
		s.errs |= InvalidReverseSolidus
		return true
	}
	return b == '/'
}

// parse is the scheme start state, the scheme state and the no scheme state.
func (s *state) parse() {
	end := 0
	if len(s.in) > 0 && isAlpha(s.in[0]) {
		for end < len(s.in) && classes[s.in[end]]&schemeByte != 0 {
			end++
		}
	}
	if end > 0 && s.peek(end) == ':' {
		s.absolute(end)
		return
	}
	s.onIt = s.base != nil
	switch base := s.base; {
	case base == nil:
		s.errs |= MissingSchemeNonRelativeURL
		s.fail(NoBase, ComponentReference, 0)
	case base.opaque && s.peek(0) != '#':
		s.errs |= MissingSchemeNonRelativeURL
		s.fail(OpaqueBase, ComponentReference, 0)
	case base.opaque:
		s.inherit(len(base.url), base.parts.QueryStart)
		s.opaque = true
		s.fragment(1)
	case base.scheme == schemeFile:
		s.fileState(0)
	default:
		s.relative(0)
	}
}

// absolute is what the scheme state does at the ":" at i.
func (s *state) absolute(i int) {
	for _, b := range s.in[:i] {
		if 'A' <= b && b <= 'Z' {
			b |= 0x20
		}
		s.dst = append(s.dst, b)
	}
	s.scheme = schemeOf(s.dst[s.start:])
	s.parts.SchemeEnd = uint32(i)
	s.dst = append(s.dst, ':')
	i++
	slashes := s.peek(i) == '/' && s.peek(i+1) == '/'
	if s.scheme != notSpecial && !slashes {
		s.errs |= SpecialSchemeMissingFollowingSolidus
	}
	switch {
	case s.scheme == schemeFile:
		s.fileState(i)
	case s.scheme != notSpecial && !slashes && s.base != nil && s.base.scheme == s.scheme:
		s.relative(i)
	case s.scheme != notSpecial && slashes:
		s.ignoreSlashes(i + 2)
	case s.scheme != notSpecial:
		s.ignoreSlashes(i)
	case slashes:
		s.authority(i + 2)
	case s.peek(i) == '/':
		s.noAuthority()
		s.pathState(i + 1)
		s.guard()
	default:
		s.noAuthority()
		s.opaquePath(i)
	}
}

// inherit begins the href anew with the first n bytes of the base. query is where its query
// begins, if that is among them.
func (s *state) inherit(n int, query uint32) {
	s.onIt = true
	s.dst = append(s.dst[:s.start], s.base.url[:n]...)
	s.parts, s.scheme, s.host = s.base.parts, s.base.scheme, s.base.host
	s.parts.QueryStart, s.parts.FragStart = query, uri.Absent
	s.path = s.start + s.base.path
}

// noAuthority notes that the host is null: what follows is the path.
func (s *state) noAuthority() {
	at := s.offset()
	s.parts.HostStart, s.parts.HostEnd, s.parts.PathStart = at, at, at
	s.path = len(s.dst)
}

// relative is the relative state, at i. The base has no opaque path and no scheme "file".
func (s *state) relative(i int) {
	s.scheme = s.base.scheme
	if i < len(s.in) && s.isSlash(s.in[i]) {
		s.relativeSlash(i + 1)
		return
	}
	s.onBase(i)
}

// onBase takes what a reference leaves out from the base, and goes on at i: with the query, the
// fragment, or a path that is put in place of the last segment.
func (s *state) onBase(i int) {
	pathEnd := int(s.base.parts.PathEnd(len(s.base.url)))
	switch {
	case i == len(s.in):
		s.inherit(len(s.base.url), s.base.parts.QueryStart)
	case s.in[i] == '?':
		s.inherit(pathEnd, uri.Absent)
		s.query(i + 1)
	case s.in[i] == '#':
		s.inherit(len(s.base.url), s.base.parts.QueryStart)
		s.fragment(i + 1)
	default:
		s.inherit(pathEnd, uri.Absent)
		s.shorten()
		s.unguard()
		s.pathState(i)
		s.guard()
	}
}

// relativeSlash is the relative slash state, at i.
func (s *state) relativeSlash(i int) {
	switch {
	case i < len(s.in) && s.scheme != notSpecial && s.isSlash(s.in[i]):
		s.inherit(int(s.base.parts.SchemeEnd)+1, uri.Absent)
		s.ignoreSlashes(i + 1)
	case s.peek(i) == '/':
		s.inherit(int(s.base.parts.SchemeEnd)+1, uri.Absent)
		s.authority(i + 1)
	default:
		s.inherit(int(s.base.parts.PathStart), uri.Absent)
		s.path = len(s.dst)
		s.pathState(i)
		s.guard()
	}
}

// ignoreSlashes is the special authority ignore slashes state, at i.
func (s *state) ignoreSlashes(i int) {
	for i < len(s.in) && (s.in[i] == '/' || s.in[i] == '\\') {
		s.errs |= SpecialSchemeMissingFollowingSolidus
		i++
	}
	s.authority(i)
}
