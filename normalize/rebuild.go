package normalize

import (
	"bytes"

	"github.com/urisieve/urisieve/normalize/uri"
)

// run is one reference on its way through the rules. The rules append to out; each says in
// changed that it did something.
type run struct {
	n     *Normalizer
	on    RuleSet // the rules that act
	base  *Base
	trace *trace // nil unless someone wants it explained

	ref         []byte // as it came in
	text        []byte // ref without what RuleTrim cut off
	offset      int    // where text begins in ref
	parts       uri.Parts
	relates     bool    // text is resolved against base
	current     bool    // text is a reference to the current document, which base then is
	registry    bool    // the authority holds a registry name, which stands in the host's place
	portEscaped bool    // the port's digits are escaped, some or all of them
	scheme      *scheme // of the result; nil if not known

	canonical int // bytes of path, query and fragment yet to come that are known to be canonical
	out       []byte
	start     int       // where the result begins in out
	done      uri.Parts // of the result

	result Result
	work   uint64 // bytes looked at, for the tests that hold the work to be linear
}

// rebuild appends the canonical form of ref, component by component, and fills result, which is
// zero before. It is the whole definition of the profile; appendQuick is only a shorter way to the
// same answer.
func (n *Normalizer) rebuild(dst []byte, base *Base, ref []byte, result *Result, t *trace) []byte {
	r := run{n: n, on: n.on, base: base, trace: t, ref: ref, text: ref, out: dst, start: len(dst)}
	r.done = uri.Parts{SchemeEnd: uri.Absent, AuthStart: uri.Absent, QueryStart: uri.Absent, FragStart: uri.Absent}
	ok := r.read() && r.relate() && r.appendScheme() && r.appendAuthority() && r.appendRest()
	n.work += r.work
	if !ok {
		*result = r.result
		result.Changed, result.Flags, result.BaseUsed = 0, result.Flags&^resultFlags, BaseNone
		return r.out[:r.start]
	}
	r.finish(result)
	return r.out
}

// finish hands the result over, field by field: to copy at once what was just written in parts
// makes the processor wait.
func (r *run) finish(result *Result) {
	result.Parts.SchemeEnd, result.Parts.AuthStart = r.done.SchemeEnd, r.done.AuthStart
	result.Parts.HostStart, result.Parts.HostEnd = r.done.HostStart, r.done.HostEnd
	result.Parts.PathStart = r.done.PathStart
	result.Parts.QueryStart, result.Parts.FragStart = r.done.QueryStart, r.done.FragStart
	result.Changed, result.Flags, result.BaseUsed = r.result.Changed, r.result.Flags, r.result.BaseUsed
}

// read cuts the reference to its text, splits it, and refuses what no rule can mend.
func (r *run) read() bool {
	if !r.trim() {
		return false
	}
	r.parts = uri.Split(r.text)
	r.work += uint64(len(r.ref))
	if r.n.old && r.parts.HasAuthority() {
		r.splitRegistry()
	}
	return r.checkScheme() && r.checkAuthority() && r.checkGrammar()
}

// relate decides whether the reference is resolved against the base, and whether it can be.
func (r *run) relate() bool {
	if r.parts.HasScheme() && r.repeatsScheme() {
		r.result.Flags |= FlagSameScheme
		if r.on&RuleRejectSameScheme != 0 {
			return r.refuse(SameScheme, ComponentScheme, 0)
		}
		if r.on&RuleStripSameScheme != 0 {
			r.step(RuleStripSameScheme, ComponentScheme, r.parts.Scheme(r.text), nil)
			r.relates = true
		}
	}
	if r.parts.HasScheme() && !r.relates || r.on&RuleResolve == 0 {
		return true
	}
	if r.base.skipped {
		r.result.Flags |= FlagBaseSkipped
	}
	current := r.on&RuleCurrentDocument != 0 && uri.IsCurrentDocument(r.text, r.parts)
	if current {
		r.base = r.base.currentDocument()
	}
	if r.base.used == BaseNone {
		return r.on&RuleNeedBase == 0 || r.refuse(NoBase, ComponentReference, 0)
	}
	r.relates, r.current = true, current
	if current {
		r.step(RuleCurrentDocument, ComponentReference, r.text, r.documentFor())
	}
	if r.base.opaque && r.on&RuleOpaqueBase != 0 && !r.current && !r.isFragmentAlone() {
		return r.refuse(OpaqueBase, ComponentReference, 0)
	}
	r.result.BaseUsed = r.base.used
	r.result.Changed |= RuleResolve
	return true
}

// documentFor is the current document's URI with the reference's fragment, for the trace; nil where
// there is none.
func (r *run) documentFor() []byte {
	if r.trace == nil {
		return nil
	}
	return append(bytes.Clone(r.base.text), r.text...)
}

// repeatsScheme reports whether the reference is the loophole of RFC 3986 section 5.2.2: it has
// the base's scheme and no authority, though the scheme is known to be hierarchical. "file:/x"
// isn't: RFC 8089 section 2 gives it a meaning of its own.
func (r *run) repeatsScheme() bool {
	b := r.base
	if r.parts.HasAuthority() || b.used == BaseNone || b.opaque || b.scheme == nil {
		return false
	}
	if !bytes.EqualFold(r.parts.Scheme(r.text), b.parts.Scheme(b.text)) {
		return false
	}
	return b.scheme != &schemes[schemeFile] || !r.hasRootedPath()
}

// isFragmentAlone reports whether the reference is "#" and a fragment, which is all that an
// opaque base serves.
func (r *run) isFragmentAlone() bool {
	p := r.parts
	return p.HasFragment() && !p.HasAuthority() && !p.HasQuery() && len(p.Path(r.text)) == 0
}

// hasRootedPath reports whether the reference's path begins with "/".
func (r *run) hasRootedPath() bool {
	path := r.parts.Path(r.text)
	return len(path) > 0 && path[0] == '/'
}

// inheritsAuthority reports whether the authority is the base's.
func (r *run) inheritsAuthority() bool { return r.relates && !r.parts.HasAuthority() }

// inheritsPath reports whether path and query are the base's: the reference has neither, or, in RFC
// 2396, is one to the current document; there any other merges an empty path as it does any path.
func (r *run) inheritsPath() bool {
	if r.n.old && r.on&RuleCurrentDocument != 0 {
		return r.current
	}
	return r.inheritsAuthority() && len(r.parts.Path(r.text)) == 0
}

// appendScheme writes the scheme, in lower case, or that of the base.
//
//	HTTP://h/  ->  http://h/
//
// Source: RFC 3986 sections 3.1 and 6.2.2.1. Class: syntax.
func (r *run) appendScheme() bool {
	switch {
	case r.relates:
		name := r.base.parts.Scheme(r.base.text)
		r.scheme = r.base.scheme
		r.traceResolve(ComponentScheme, nil, name)
		r.out = append(r.out, name...)
	case r.parts.HasScheme():
		at := len(r.out)
		name := r.parts.Scheme(r.text)
		r.out = append(r.out, name...)
		if r.on&RuleLowerScheme != 0 && lower(r.out[at:]) {
			r.step(RuleLowerScheme, ComponentScheme, name, r.out[at:])
		}
		r.scheme = schemeNamed(r.out[at:])
	default:
		return true
	}
	r.done.SchemeEnd = r.here()
	r.out = append(r.out, ':')
	return true
}

// appendRest writes path, query and fragment, and looks at the whole.
func (r *run) appendRest() bool {
	r.appendPath()
	r.appendQuery()
	r.appendFragment()
	r.flagControl()
	if len(r.out)-r.start > r.n.maxOut {
		return r.refuse(OutputTooLong, ComponentReference, 0)
	}
	return true
}

// flagControl makes FlagEscapedControl tell of the result alone: the base may have an escaped
// control too, and one of the reference's may have gone with a segment that ".." removed.
func (r *run) flagControl() {
	told := r.result.Flags
	if r.relates {
		told |= r.base.flags
	}
	if told&FlagEscapedControl == 0 || r.on&RuleFlagControl == 0 || !r.relates && r.result.Changed&RuleRemoveDots == 0 {
		return
	}
	r.work += uint64(len(r.out) - r.start)
	r.result.Flags &^= FlagEscapedControl
	if hasEscapedControl(r.out[r.start:]) {
		r.result.Flags |= FlagEscapedControl
	}
}

// appendQuery writes the query, or that of the base where the reference is empty but for a
// fragment (RFC 3986 section 5.2.2). An empty query keeps its "?" (section 6.2.3).
func (r *run) appendQuery() {
	switch p := r.parts; {
	case p.HasQuery():
		r.appendDelimiter('?')
		r.done.QueryStart = r.here()
		r.appendText(p.Query(r.text), uri.QueryChar, ComponentQuery)
	case r.inheritsPath() && r.base.parts.HasQuery():
		r.out = append(r.out, '?')
		r.done.QueryStart = r.here()
		query := r.base.parts.Query(r.base.text)
		r.traceResolve(ComponentQuery, nil, query)
		r.out = append(r.out, query...)
	}
}

// appendFragment writes the fragment, which is never the base's (RFC 3986 section 5.2.2).
func (r *run) appendFragment() {
	if !r.parts.HasFragment() {
		return
	}
	r.appendDelimiter('#')
	r.done.FragStart = r.here()
	r.appendText(r.parts.Fragment(r.text), uri.QueryChar, ComponentFragment)
}

// appendDelimiter writes what goes before a query or fragment.
func (r *run) appendDelimiter(c byte) {
	r.out = append(r.out, c)
	r.canonical = max(0, r.canonical-1)
}

// here is the offset of the next byte in the result.
func (r *run) here() uint32 { return uint32(len(r.out) - r.start) }

// refuse notes why the reference has no canonical form. at is an offset into text.
func (r *run) refuse(reason Reason, c Component, at int) bool {
	r.result.Reason, r.result.Component, r.result.At = reason, c, uint32(r.offset+at)
	return false
}

// step notes that a rule changed a component.
func (r *run) step(rule RuleSet, c Component, before, after []byte) {
	r.result.Changed |= rule
	if r.trace != nil {
		r.trace.add(rule, c, before, after)
	}
}

// traceResolve notes a component that resolution took, wholly or in part, from the base.
func (r *run) traceResolve(c Component, before, after []byte) {
	if r.trace != nil {
		r.trace.add(RuleResolve, c, before, after)
	}
}

// lower makes ASCII letters lower case, but for the digits of escapes, and reports whether there
// was one to change.
func lower(text []byte) (changed bool) {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case 'A' <= c && c <= 'Z':
			text[i], changed = c|0x20, true
		case c == '%' && uri.IsEscape(text, i):
			i += 2
		}
	}
	return changed
}
