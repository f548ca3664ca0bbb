package normalize

import (
	"bytes"

	"github.com/urisieve/urisieve/normalize/uri"
)

// appendPath writes the path: of an opaque URI as it is but for its escapes; otherwise resolved
// against the base where the reference is relative, without dot segments, never empty after an
// authority, and never such that it would read as an authority.
func (r *run) appendPath() {
	r.done.PathStart = r.here()
	at := len(r.out)
	path := r.parts.Path(r.text)
	inherits := r.inheritsAuthority()
	switch {
	case r.inheritsPath():
		inherited := r.base.parts.Path(r.base.text)
		r.traceResolve(ComponentPath, nil, inherited)
		r.out = append(r.out, inherited...)
		if r.base.flags&FlagPathGuarded != 0 {
			r.result.Flags |= FlagPathGuarded
		}
		return
	case inherits && (len(path) == 0 || path[0] != '/'):
		r.appendMerged(path)
	default:
		r.appendText(path, uri.PathChar, ComponentPath)
	}
	if r.result.Changed&RuleDecodeUnreserved != 0 && hasEncodedDots(path, "") {
		r.result.Flags |= FlagEncodedDots
	}
	if !r.done.HasAuthority() && (len(r.out) == at || r.out[at] != '/') {
		return // opaque
	}
	r.removeDots(at)
	r.addRoot(at)
	r.guard(at)
	if r.n.old && !r.done.HasAuthority() && bytes.HasPrefix(r.out[at:], []byte("/.//")) {
		r.result.Flags |= FlagPathGuarded // one that was there stays, as all dot segments do
	}
}

// appendMerged writes a relative path after what the base has up to its last "/".
//
//	../g  ->  /b/c/../g
//
// In RFC 2396 this is where dot segments go, and the only place: section 5.2, steps 6c to 6g.
// Source: RFC 3986 section 5.2.3. Class: syntax.
func (r *run) appendMerged(path []byte) {
	at := len(r.out)
	r.out = uri.AppendMerged(r.out, r.base.ref(), nil)
	r.work += uint64(len(r.out) - at)
	middle := len(r.out)
	r.appendText(path, uri.PathChar, ComponentPath)
	if r.n.old {
		reference := r.textOf(middle)
		n, looked := uri.RemoveMergedDots(r.out[at:])
		r.work += uint64(looked)
		r.out = r.out[:at+n]
		r.traceResolve(ComponentPath, reference, r.out[at:])
		return
	}
	r.traceResolve(ComponentPath, r.out[middle:], r.out[at:])
}

// textOf is a copy of out[at:] for the trace, nil where there is none.
func (r *run) textOf(at int) []byte {
	if r.trace == nil {
		return nil
	}
	return bytes.Clone(r.out[at:])
}

// removeDots removes the dot segments of the path at out[at:]. Escapes are decoded before, so
// that "%2E" is a dot.
//
//	/a/./b/../c  ->  /a/c
//
// Source: RFC 3986 sections 5.2.4 and 6.2.2.3. Class: syntax.
func (r *run) removeDots(at int) {
	if r.on&RuleRemoveDots == 0 || !bytes.Contains(r.out[at:], []byte("/.")) {
		return // every dot segment follows a "/": the path begins with one, or is empty
	}
	var before []byte
	if r.trace != nil {
		before = bytes.Clone(r.out[at:])
	}
	from := at
	if !r.done.HasAuthority() && bytes.HasPrefix(r.out[at:], []byte("/.//")) && r.on&RuleGuardPath != 0 {
		from += len("/.") // a guard, which stays if what follows needs it still
	}
	n, looked := uri.RemoveDots(r.out[from:])
	r.work += uint64(looked)
	changed := from+n < len(r.out)
	r.out = r.out[:from+n]
	switch {
	case from == at:
	case bytes.HasPrefix(r.out[from:], []byte("//")):
		r.result.Flags |= FlagPathGuarded
	default:
		r.out, changed = append(r.out[:at], r.out[from:]...), true
	}
	if changed {
		r.step(RuleRemoveDots, ComponentPath, before, r.out[at:])
	}
}

// addRoot writes an empty path after an authority as "/".
//
//	http://h  ->  http://h/
//
// Source: RFC 3986 section 6.2.3. RFC 2396 has no such rule for all schemes; those that are known to
// be hierarchical bring it (RFC 2616 section 3.2.3 for http). Class: scheme.
func (r *run) addRoot(at int) {
	if len(r.out) > at || !r.done.HasAuthority() || r.on&RuleRootPath == 0 || r.n.old && r.scheme == nil {
		return
	}
	r.out = append(r.out, '/')
	r.step(RuleRootPath, ComponentPath, nil, r.out[at:])
}

// guard writes "/." before a path that begins with "//" where there is no authority: the path
// would read as one.
//
//	a:/..//b  ->  a:/.//b
//
// Source: RFC 3986 section 3.3: without an authority, a path cannot begin with "//". Class: syntax.
func (r *run) guard(at int) {
	if r.done.HasAuthority() || !bytes.HasPrefix(r.out[at:], []byte("//")) || r.on&RuleGuardPath == 0 {
		return
	}
	r.work += uint64(len(r.out) - at)
	r.out = append(r.out, 0, 0)
	copy(r.out[at+2:], r.out[at:])
	r.out[at], r.out[at+1] = '/', '.'
	r.result.Flags |= FlagPathGuarded
	r.step(RuleGuardPath, ComponentPath, r.out[at+2:], r.out[at:])
}
