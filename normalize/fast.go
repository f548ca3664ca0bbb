package normalize

import (
	"bytes"

	"github.com/urisieve/urisieve/normalize/uri"
)

// appendQuick is the short way for the references that most links are: an http or https URI with a
// plain host and no userinfo or port, and a relative one against a base with an authority. What
// stands before the path then needs no rule. If the rest is in canonical form already, which it
// mostly is, one pass over a table of byte classes proves it and one copy writes it; else rebuild's
// own rules mend the rest. ok is false for all other references: rebuild decides, and its answer
// would be the same for these.
func (n *Normalizer) appendQuick(dst []byte, base *Base, ref []byte) (out []byte, result Result, ok bool) {
	if len(ref) >= len("http://h") {
		switch {
		case ref[0] == 'h' && string(ref[:8]) == "https://":
			return n.appendQuickHost(dst, nil, ref, 8)
		case ref[0] == 'h' && string(ref[:7]) == "http://":
			return n.appendQuickHost(dst, nil, ref, 7)
		case ref[0] == '/' && ref[1] == '/' && base.scheme != nil && base.scheme.needHost: // http or https
			return n.appendQuickHost(dst, base, ref, 2)
		}
	}
	return n.appendQuickRelative(dst, base, ref)
}

// appendQuickHost is appendQuick for a reference with an http or https host at ref[at:]. The scheme
// is that of base where base is not nil.
func (n *Normalizer) appendQuickHost(dst []byte, base *Base, ref []byte, at int) (out []byte, result Result, ok bool) {
	end := plainHost(ref, at)
	if end == at {
		return dst, result, false
	}
	if mayBeAddress(ref[end-1]) {
		result.Flags = addressFlags(ref[at:end], true)
	}
	t := tail{text: ref, query: uri.Absent, fragment: uri.Absent}
	root := false
	switch {
	case end == len(ref):
		root, ok = true, true
	case ref[end] == '/':
		ok = t.path(end)
	case ref[end] == '?' || ref[end] == '#':
		root, ok = true, t.tail(end)
	default:
		return dst, result, false
	}
	host, path, scheme := uint32(at), uint32(end), []byte(nil)
	parts := uri.Parts{SchemeEnd: host - 3, AuthStart: host, HostStart: host, HostEnd: path, PathStart: path, QueryStart: t.query, FragStart: t.fragment}
	result.Parts = parts
	if base != nil {
		scheme = base.text[:base.parts.SchemeEnd+1]
		result.Parts = parts.Shifted(uint32(len(scheme)))
		result.Parts.SchemeEnd, parts.SchemeEnd = base.parts.SchemeEnd, uri.Absent
		result.Changed, result.BaseUsed = RuleResolve, base.used
		if base.skipped {
			result.Flags |= FlagBaseSkipped
		}
	}
	out = append(append(dst, scheme...), ref[:end]...)
	if !ok {
		return n.mendRest(out, len(dst), base, ref, parts, result)
	}
	if t.control {
		result.Flags |= FlagEscapedControl
	}
	if root {
		out = append(out, '/')
		result.Changed |= RuleRootPath
		if t.query != uri.Absent {
			result.Parts.QueryStart++
		}
		if t.fragment != uri.Absent {
			result.Parts.FragStart++
		}
	}
	return append(out, ref[end:]...), result, true
}

// mendRest is the rest of the short way for a reference whose rest is not canonical. out[start:] is
// what goes before the path already, parts says where the path begins in ref, and done describes
// out. base is not nil if the reference is relative to it.
func (n *Normalizer) mendRest(out []byte, start int, base *Base, ref []byte, parts uri.Parts, done Result) ([]byte, Result, bool) {
	if n.opts.Strict || ref[len(ref)-1] <= ' ' {
		return out[:start], Result{}, false // there is more to check, or to trim
	}
	done.Parts.QueryStart, done.Parts.FragStart = uri.Absent, uri.Absent
	parts.QueryStart, parts.FragStart = uri.Absent, uri.Absent
	r := run{n: n, on: n.on, base: base, relates: base != nil, ref: ref, text: ref, out: out, start: start, result: done, done: done.Parts, parts: parts}
	at, end := int(parts.PathStart), len(ref)
	if i := bytes.IndexByte(ref[at:], '#'); i >= 0 {
		end = at + i
		r.parts.FragStart = uint32(end + 1)
	}
	if i := bytes.IndexByte(ref[at:end], '?'); i >= 0 {
		r.parts.QueryStart = uint32(at + i + 1)
	}
	ok := r.appendRest()
	n.work += r.work
	if !ok {
		return out[:start], Result{}, false
	}
	r.result.Parts = r.done
	return r.out, r.result, true
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

// appendQuickRelative is appendQuick for a reference that has neither scheme nor authority.
func (n *Normalizer) appendQuickRelative(dst []byte, base *Base, ref []byte) (out []byte, result Result, ok bool) {
	if len(ref) == 0 || !base.parts.HasAuthority() || base.used == BaseNone || base.flags&FlagEscapedControl != 0 {
		return dst, result, false
	}
	t := tail{text: ref, query: uri.Absent, fragment: uri.Absent}
	var kept int // of the base
	switch c := ref[0]; {
	case c == '/':
		if len(ref) > 1 && (ref[1] == '/' || ref[1] == '\\' || ref[1] <= ' ') {
			return dst, result, false // an authority, or what a browser would read as one
		}
		kept, ok = int(base.parts.PathStart), t.path(0)
	case c == '?':
		kept, ok = int(base.parts.PathEnd(len(base.text))), t.tail(0)
	case c == '#':
		kept, ok = len(base.text), t.tail(0)
	default:
		end, plain := firstSegment(ref)
		if end == 0 {
			return dst, result, false
		}
		kept, ok = base.dirEnd, plain && t.path(end)
	}
	result.Parts = base.parts
	result.Changed = RuleResolve
	result.BaseUsed = base.used
	result.Flags = base.flags & resultFlags
	if base.skipped {
		result.Flags |= FlagBaseSkipped
	}
	if !ok || kept+len(ref) > n.maxOut {
		head := append(dst, base.text[:base.parts.PathStart]...)
		return n.mendRest(head, len(dst), base, ref, uri.Parts{SchemeEnd: uri.Absent, AuthStart: uri.Absent}, result)
	}
	shift := uint32(kept)
	if t.query != uri.Absent {
		result.Parts.QueryStart = t.query + shift
	} else if ref[0] != '#' {
		result.Parts.QueryStart = uri.Absent
	}
	if t.fragment != uri.Absent {
		result.Parts.FragStart = t.fragment + shift
	}
	if t.control {
		result.Flags |= FlagEscapedControl
	}
	return append(append(dst, base.text[:kept]...), ref...), result, true
}

// firstSegment is the end of the first segment of what can only be a relative path, 0 if it may be
// something else: a scheme, what a browser would read as an authority, what is trimmed. plain says
// that the segment is in canonical form and no dot segment.
func firstSegment(text []byte) (end int, plain bool) {
	plain = text[0] != '.'
	if text[0] <= ' ' || text[0] == '\\' {
		return 0, false
	}
	for i, c := range text {
		switch {
		case uri.Is(c, uri.SegmentPlain):
		case c == '/' || c == '?' || c == '#':
			return i, plain
		case c == ':':
			return 0, false
		case c != '.':
			plain = false // an escape too: rare enough
		}
	}
	return len(text), plain
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
