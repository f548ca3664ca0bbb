package normalize

import (
	"github.com/urisieve/urisieve/normalize/uri"
)

// appendCanonical is the short way for references that are in canonical form already, which most
// are: it proves so in one pass over a table of byte classes and copies them in one go. ok is
// false when it can't prove it; then rebuild decides, whose answer is the same. It knows http and
// https with a plain host, and references relative to a base that has an authority.
func (n *Normalizer) appendCanonical(dst []byte, base *Base, ref []byte) (out []byte, result Result, ok bool) {
	if len(ref) < len("http://h/") || ref[0] != 'h' {
		return n.appendCanonicalRelative(dst, base, ref)
	}
	var at int
	switch {
	case string(ref[:8]) == "https://":
		at = 8
	case string(ref[:7]) == "http://":
		at = 7
	default:
		return n.appendCanonicalRelative(dst, base, ref)
	}
	end := plainHost(ref, at)
	if end == at || end == len(ref) || ref[end] != '/' {
		return dst, result, false
	}
	if mayBeAddress(ref[end-1]) {
		result.Flags = addressFlags(ref[at:end], true)
	}
	t := tail{text: ref, query: uri.Absent, fragment: uri.Absent}
	if !t.path(end) {
		return dst, result, false
	}
	if t.control {
		result.Flags |= FlagEscapedControl
	}
	host := uint32(at)
	result.Parts = uri.Parts{
		SchemeEnd: host - 3, AuthStart: host, HostStart: host, HostEnd: uint32(end),
		PathStart: uint32(end), QueryStart: t.query, FragStart: t.fragment,
	}
	return append(dst, ref...), result, true
}

// plainHost is the end of the longest host at text[at:] that is a lower-case registered name
// without escapes, and without what might be an A-label.
func plainHost(text []byte, at int) int {
	for i := at; i < len(text); i++ {
		if uri.Is(text[i], uri.HostPlain) {
			continue
		}
		if text[i] != '-' || i >= at+3 && text[i-1] == '-' && text[i-2] == 'n' && text[i-3] == 'x' {
			return i
		}
	}
	return len(text)
}

// mayBeAddress reports whether a host that ends in c may be an address or end in a number.
func mayBeAddress(c byte) bool { return uri.Is(c, uri.HexDigit) || c == 'x' || c == '.' }

// appendCanonicalRelative is appendCanonical for a reference that has neither scheme nor authority.
func (n *Normalizer) appendCanonicalRelative(dst []byte, base *Base, ref []byte) (out []byte, result Result, ok bool) {
	if len(ref) == 0 || !base.parts.HasAuthority() || base.used == BaseNone || base.flags&FlagEscapedControl != 0 {
		return dst, result, false
	}
	t := tail{text: ref, query: uri.Absent, fragment: uri.Absent}
	var kept int // of the base
	switch {
	case ref[0] == '/':
		if len(ref) > 1 && (ref[1] == '/' || !uri.Is(ref[1], uri.QueryChar) && ref[1] != '#' && ref[1] != '%') {
			return dst, result, false
		}
		kept, ok = int(base.parts.PathStart), t.path(0)
	case ref[0] == '?':
		kept, ok = int(base.parts.PathEnd(len(base.text))), t.tail(0)
	case ref[0] == '#':
		kept, ok = len(base.text), t.tail(0)
	default:
		end := plainSegment(ref)
		kept, ok = base.dirEnd, end > 0 && t.path(end)
	}
	if !ok || kept+len(ref) > n.maxOut {
		return dst, result, false
	}
	shift := uint32(kept)
	result.Parts = base.parts
	if t.query != uri.Absent {
		result.Parts.QueryStart = t.query + shift
	} else if ref[0] != '#' {
		result.Parts.QueryStart = uri.Absent
	}
	if t.fragment != uri.Absent {
		result.Parts.FragStart = t.fragment + shift
	}
	result.Changed = RuleResolve
	result.BaseUsed = base.used
	result.Flags = base.flags & resultFlags
	if t.control {
		result.Flags |= FlagEscapedControl
	}
	if base.skipped {
		result.Flags |= FlagBaseSkipped
	}
	return append(append(dst, base.text[:kept]...), ref...), result, true
}

// plainSegment is the end of the first segment of a relative path if it is plain and can be
// neither a dot segment nor a scheme, else 0.
func plainSegment(text []byte) int {
	if text[0] == '.' {
		return 0
	}
	for i, c := range text {
		switch {
		case c == '/' || c == '?' || c == '#':
			return i
		case c == ':' || !uri.Is(c, uri.PathPlain) && c != '.':
			return 0 // an escape too: rare enough
		}
	}
	return len(text)
}

// tail is what follows the authority of a canonical reference.
type tail struct {
	text            []byte
	query, fragment uint32 // offsets into text, uri.Absent where the component is
	control         bool   // whether there is an escaped control character
}

// path reports whether the path at text[at:], which begins with "/" or after a plain segment, and
// what follows it are in canonical form.
func (t *tail) path(at int) bool {
	for i := at; i < len(t.text); i++ {
		c := t.text[i]
		if uri.Is(c, uri.PathPlain) {
			continue
		}
		switch c {
		case '.':
			if t.text[i-1] == '/' && isDotSegment(t.text[i:]) {
				return false
			}
		case '%':
			if !t.escape(i) {
				return false
			}
		case '?', '#':
			return t.tail(i)
		default:
			return false
		}
	}
	return true
}

// isDotSegment reports whether text, which begins with ".", begins with a whole dot segment.
func isDotSegment(text []byte) bool {
	i := 1
	if i < len(text) && text[i] == '.' {
		i++
	}
	return i == len(text) || text[i] == '/' || text[i] == '?' || text[i] == '#'
}

// tail reports whether the query and the fragment, which begin with the "?" or "#" at text[at],
// are in canonical form.
func (t *tail) tail(at int) bool {
	i := at
	if t.text[i] == '?' {
		t.query = uint32(i + 1)
		for i++; i < len(t.text); i++ {
			c := t.text[i]
			if uri.Is(c, uri.QueryChar) {
				continue
			}
			if c == '#' {
				break
			}
			if c != '%' || !t.escape(i) {
				return false
			}
		}
		if i == len(t.text) {
			return true
		}
	}
	t.fragment = uint32(i + 1)
	for i++; i < len(t.text); i++ {
		c := t.text[i]
		if !uri.Is(c, uri.QueryChar) && (c != '%' || !t.escape(i)) {
			return false
		}
	}
	return true
}

// escape reports whether text[i:] begins with an escape in canonical form: upper case digits, and
// not of an unreserved character. The digits themselves are plain to the loops that call it.
func (t *tail) escape(i int) bool {
	if !uri.IsEscape(t.text, i) {
		return false
	}
	high, low := t.text[i+1], t.text[i+2]
	b := uri.Unhex(high)<<4 | uri.Unhex(low)
	if isControl(b) {
		t.control = true
	}
	return high < 'a' && low < 'a' && !uri.Is(b, uri.Unreserved)
}
