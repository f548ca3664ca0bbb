package normalize

import (
	"bytes"

	"github.com/urisieve/urisieve/normalize/uri"
)

// appendQuick is the short way for the references that most links are: an http or https URI with a
// plain host and no userinfo or port, and a relative one against a base with an authority. What
// stands before the path then needs no rule but the one of upper case. If the rest is in canonical
// form already, which it mostly is, one pass over a table of byte classes proves it and one copy
// writes it; else rebuild's own rules mend the rest, from the byte on where the proof failed. ok is
// false for all other references: rebuild decides, and its answer would be the same for these; what
// is in result then means nothing. holds is what the path of the result may hold.
func (n *Normalizer) appendQuick(dst []byte, base *Base, ref []byte, result *Result) (out []byte, holds odd, ok bool) {
	if len(ref) > 0 && (ref[0] <= ' ' || ref[len(ref)-1] <= ' ') && !n.opts.Strict {
		result.Changed, result.Flags = RuleTrim, FlagTrimmed
		from, to := textWithin(ref)
		ref = ref[from:to]
	}
	if len(ref) >= len("http://h") {
		switch {
		case ref[0] == 'h' && string(ref[:8]) == "https://":
			return n.appendQuickHost(dst, nil, ref, 8, result)
		case ref[0] == 'h' && string(ref[:7]) == "http://":
			return n.appendQuickHost(dst, nil, ref, 7, result)
		case ref[0] == '/' && ref[1] == '/' && base.scheme != nil && base.scheme.needHost: // http or https
			return n.appendQuickHost(dst, base, ref, 2, result)
		}
	}
	return n.appendQuickRelative(dst, base, ref, result)
}

// appendQuickHost is appendQuick for a reference with an http or https host at ref[at:]. The scheme
// is that of base where base is not nil.
func (n *Normalizer) appendQuickHost(dst []byte, base *Base, ref []byte, at int, result *Result) (out []byte, holds odd, ok bool) {
	end, upper := plainHost(ref, at)
	if end == at {
		return dst, oddAll, false
	}
	t := tail{text: ref, query: uri.Absent, fragment: uri.Absent, marks: n.marks, keepDots: n.old}
	root := false
	switch {
	case end == len(ref):
		root, ok = true, true
	case ref[end] == '/':
		ok = t.path(end)
	case ref[end] == '?' || ref[end] == '#':
		root, ok = true, t.tail(end)
	default:
		return dst, oddAll, false
	}
	out, shift := dst, uint32(0)
	p := &result.Parts
	p.SchemeEnd = uint32(at) - 3
	if base != nil {
		shift = base.parts.SchemeEnd + 1
		p.SchemeEnd = base.parts.SchemeEnd
		out = append(out, base.text[:shift]...)
		result.Changed |= RuleResolve
		result.BaseUsed = base.used
		if base.skipped {
			result.Flags |= FlagBaseSkipped
		}
	}
	p.AuthStart, p.HostStart = uint32(at)+shift, uint32(at)+shift
	p.HostEnd, p.PathStart = uint32(end)+shift, uint32(end)+shift
	out = append(out, ref[:end]...)
	host := out[len(out)-(end-at):]
	if upper {
		lower(host)
		result.Changed |= RuleLowerHost
	}
	if mayBeAddress(host[len(host)-1]) {
		result.Flags |= addressFlags(host, true)
	}
	if !ok {
		out, ok = n.mendRest(out, len(dst), base, &t, uint32(at), uint32(end), result)
		return out, oddAll, ok
	}
	if t.control {
		result.Flags |= FlagEscapedControl
	}
	if root {
		out = append(out, '/')
		result.Changed |= RuleRootPath
		shift++
	}
	p.QueryStart, p.FragStart = shiftedBy(t.query, shift), shiftedBy(t.fragment, shift)
	return append(out, ref[end:]...), t.holds, true
}

// shiftedBy is an offset n bytes further on, if there is one.
func shiftedBy(offset, n uint32) uint32 {
	if offset == uri.Absent {
		return offset
	}
	return offset + n
}

// mendRest is the rest of the short way for a reference whose rest is not canonical: that of t, which
// is so up to t.bad. out[start:] is what goes before the path already, and result describes it; the
// path begins at path in the reference, and its authority at authority, if it has one. base is not nil
// if it is relative to that. The fields are set one by one: to copy parts that were just written makes
// the processor wait.
func (n *Normalizer) mendRest(out []byte, start int, base *Base, t *tail, authority, path uint32, result *Result) ([]byte, bool) {
	if n.opts.Strict {
		return out[:start], false // there is more to check
	}
	ref, end := t.text, len(t.text)
	r := run{n: n, on: n.on, base: base, relates: base != nil, ref: ref, text: ref, out: out, start: start}
	r.parts.SchemeEnd, r.parts.AuthStart, r.parts.PathStart = uri.Absent, authority, path
	r.parts.QueryStart, r.parts.FragStart = t.query, t.fragment
	if t.fragment == uri.Absent {
		if i := bytes.IndexByte(ref[t.bad:], '#'); i >= 0 {
			end = t.bad + i
			r.parts.FragStart = uint32(end + 1)
		}
		if t.query == uri.Absent {
			if i := bytes.IndexByte(ref[t.bad:end], '?'); i >= 0 {
				r.parts.QueryStart = uint32(t.bad + i + 1)
			}
		}
	}
	p := &result.Parts
	r.done.SchemeEnd, r.done.AuthStart, r.done.HostStart, r.done.HostEnd = p.SchemeEnd, p.AuthStart, p.HostStart, p.HostEnd
	r.done.QueryStart, r.done.FragStart = uri.Absent, uri.Absent
	r.result.Changed, r.result.Flags, r.result.BaseUsed = result.Changed, result.Flags, result.BaseUsed
	if t.control {
		r.result.Flags |= FlagEscapedControl
	}
	r.canonical = max(0, t.bad-int(path))
	if r.scheme = &schemes[schemeHTTP]; base != nil { // or https: what counts is that it is known
		r.scheme = base.scheme
	}
	ok := r.appendRest()
	n.work += r.work
	if !ok {
		return out[:start], false
	}
	r.finish(result)
	return r.out, true
}

// plainHost is the end of the longest host at text[at:] that is a registered name without escapes,
// and without what might be an A-label; upper says whether it holds upper case.
func plainHost(text []byte, at int) (end int, upper bool) {
	for i := at; i < len(text); i++ {
		c := text[i]
		switch {
		case uri.Is(c, uri.HostPlain):
		case c == '-':
			if i >= at+3 && isALabel(text[i-3:i+1]) {
				return i, upper
			}
		case 'A' <= c && c <= 'Z':
			upper = true
		default:
			return i, upper
		}
	}
	return len(text), upper
}

// mayBeAddress reports whether a host that ends in c may be an address or end in a number.
func mayBeAddress(c byte) bool { return uri.Is(c, uri.HexDigit) || c == 'x' || c == '.' }

// appendQuickRelative is appendQuick for a reference that has neither scheme nor authority.
func (n *Normalizer) appendQuickRelative(dst []byte, base *Base, ref []byte, result *Result) (out []byte, holds odd, ok bool) {
	if len(ref) == 0 || !base.quick || n.old && ref[0] == '#' {
		return dst, oddAll, false
	}
	t := tail{text: ref, query: uri.Absent, fragment: uri.Absent, marks: n.marks}
	var kept int // of the base
	switch c := ref[0]; {
	case c == '/':
		if len(ref) > 1 && (ref[1] == '/' || ref[1] == '\\' || ref[1] <= ' ') {
			return dst, oddAll, false // an authority, or what a browser would read as one
		}
		t.keepDots = n.old
		kept, ok = int(base.parts.PathStart), t.path(0)
	case c == '?':
		kept, ok = int(base.parts.PathEnd(len(base.text))), t.tail(0)
		if n.old {
			kept = base.dirEnd
		}
	case c == '#':
		kept, ok = len(base.text), t.tail(0)
	default:
		end, plain := firstSegment(ref)
		if end == 0 {
			return dst, oddAll, false
		}
		kept, ok = base.dirEnd, plain && t.path(end)
	}
	result.Parts = base.parts
	result.Changed |= RuleResolve
	result.BaseUsed = base.used
	result.Flags |= base.flags & resultFlags
	if base.skipped {
		result.Flags |= FlagBaseSkipped
	}
	if !ok || kept+len(ref) > n.maxOut {
		head := append(dst, base.text[:base.parts.PathStart]...)
		out, ok = n.mendRest(head, len(dst), base, &t, uri.Absent, 0, result)
		return out, oddAll, ok
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
	if kept > int(base.parts.PathStart) {
		t.holds = oddAll // the base's path is there too
	}
	return append(append(dst, base.text[:kept]...), ref...), t.holds, true
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
		case c != '.' && c != ';' && c != '(':
			plain = false // an escape too: rare enough
		}
	}
	return len(text), plain
}

// tail is what follows the authority of a reference, as far as it is canonical.
type tail struct {
	text            []byte
	query, fragment uint32    // offsets into text, uri.Absent where the component is, or lies behind bad
	bad             int       // offset of the first byte that some rule changes, 0 if none was found
	control         bool      // whether there is an escaped control character
	keepDots        bool      // whether dot segments are canonical
	marks           uri.Class // what is unreserved
	holds           odd       // what the path holds
}

// path reports whether the path at text[at:], which begins with "/" or after a plain segment, and
// what follows it are in canonical form.
func (t *tail) path(at int) bool {
	for i := at; i < len(t.text); i++ {
		c := t.text[i]
		if uri.Is(c, uri.PathPlain) {
			continue
		}
		switch {
		case c == '.' && (t.keepDots || t.text[i-1] != '/' || !isDotSegment(t.text[i:])):
		case c == '%' && t.escape(i):
			t.holds |= oddEscape
		case c == ';' || c == '(':
			t.holds |= oddParam
		case c == '?' || c == '#':
			return t.tail(i)
		default:
			t.bad = i
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
				t.bad = i
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
			t.bad = i
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
	if high >= 'a' || low >= 'a' || uri.Is(b, t.marks) {
		return false
	}
	if isControl(b) {
		t.control = true
	}
	return true
}
