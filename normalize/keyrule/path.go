package keyrule

import (
	"bytes"
	"slices"
)

// appendPath appends the path by the rules for paths, in the order of the package doc.
func (r *Rules) appendPath(dst, path []byte) (_ []byte, fired Set) {
	start := len(dst)
	dst, fired = r.appendTidied(dst, path, 0)
	if r.set&DropParams != 0 {
		n := r.dropPathParams(dst[start:])
		n = r.dropSessionSegments(dst[start : start+n])
		if start+n < len(dst) {
			fired |= DropParams
		}
		dst = dst[:start+n]
	}
	if r.set&LowercasePath != 0 && lowerButEscapes(dst[start:]) {
		fired |= LowercasePath
	}
	if r.set&CollapseSlashes != 0 {
		n := collapse(dst[start:])
		if start+n < len(dst) {
			fired |= CollapseSlashes
		}
		dst = dst[:start+n]
	}
	n, f := r.trimEnd(dst[start:])
	return dst[:start+n], fired | f
}

// trimEnd applies drop-index and fold-trailing-slash until nothing changes and gives the length
// that is left.
func (r *Rules) trimEnd(path []byte) (n int, fired Set) {
	n = len(path)
	for {
		before := n
		if r.set&DropIndex != 0 {
			slash := bytes.LastIndexByte(path[:n], '/')
			if slash >= 0 && slash+1 < n && r.isIndex(path[slash+1:n]) {
				n = slash + 1
				fired |= DropIndex
			}
		}
		if r.set&FoldTrailingSlash != 0 {
			for n > 1 && path[n-1] == '/' {
				n--
				fired |= FoldTrailingSlash
			}
		}
		if n == before {
			return n, fired
		}
	}
}

func (r *Rules) isIndex(segment []byte) bool {
	return slices.ContainsFunc(r.index, func(name string) bool { return name == string(segment) })
}

// lowerButEscapes lowers the case in place, but not of escapes, and reports whether it changed a byte.
func lowerButEscapes(text []byte) (changed bool) {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '%' && i+2 < len(text) && isHex(text[i+1]) && isHex(text[i+2]) {
			i += 2
			continue
		}
		if l := lower(c); l != c {
			text[i] = l
			changed = true
		}
	}
	return changed
}

// collapse makes runs of "/" one, in place, and gives the length that is left.
func collapse(path []byte) int {
	n := 0
	for i, c := range path {
		if c == '/' && i > 0 && path[i-1] == '/' {
			continue
		}
		path[n] = c
		n++
	}
	return n
}

// dropPathParams leaves out path parameters of the sets (";jsessionid=1"), in place, and gives the
// length that is left. A segment that would be left as a dot segment keeps its parameters.
func (r *Rules) dropPathParams(path []byte) int {
	n := 0
	for i := 0; i < len(path); {
		end := bytes.IndexByte(path[i:], '/')
		if end < 0 {
			end = len(path)
		} else {
			end += i
		}
		segment := path[i:end]
		if kept, ok := r.keptParams(segment); ok {
			n += copy(path[n:], kept)
		} else {
			n += copy(path[n:], segment)
		}
		if end < len(path) {
			path[n] = '/'
			n++
		}
		i = end + 1
	}
	return n
}

// keptParams gives a segment without the parameters of the sets; it lies in the scratch buffer.
// ok is false where it has none, or must keep them.
func (r *Rules) keptParams(segment []byte) (kept []byte, ok bool) {
	first := bytes.IndexByte(segment, ';')
	if first < 0 {
		return nil, false
	}
	kept = append(r.buf[:0], segment[:first]...)
	dropped := false
	for rest := segment[first:]; len(rest) > 0; {
		end := bytes.IndexByte(rest[1:], ';') + 1
		if end == 0 {
			end = len(rest)
		}
		name, _, _ := bytes.Cut(rest[1:end], []byte("="))
		if r.isPathParam(name) {
			dropped = true
		} else {
			kept = append(kept, rest[:end]...)
		}
		rest = rest[end:]
	}
	r.buf = kept
	return kept, dropped && !isDotSegment(kept)
}

func (r *Rules) isPathParam(name []byte) bool {
	for i := range r.params {
		for _, p := range r.params[i].path {
			if match(p, name, true) {
				return true
			}
		}
	}
	return false
}

// dropSessionSegments leaves out segments that hold nothing but session ids, as ASP.NET writes them
// before a page without cookies, in place, and gives the length that is left:
//
//	/(S(4hqa0555fwsecu455xqckv45))/mileg.aspx  ->  /mileg.aspx
//	/(4hqa0555fwsecu455xqckv45)/mileg.aspx  ->  /mileg.aspx
//
// They go only where ".aspx" stands in a later segment, so that what follows them is such a page.
func (r *Rules) dropSessionSegments(path []byte) int {
	if !slices.ContainsFunc(r.params, func(p params) bool { return p.segment }) {
		return len(path)
	}
	page := lastPage(path)
	n := 0
	for i := 0; i < len(path); {
		end := bytes.IndexByte(path[i:], '/')
		if end < 0 {
			end = len(path)
		} else {
			end += i + 1 // with its slash
		}
		if end > page || !isSessionSegment(path[i:end-1]) {
			n += copy(path[n:], path[i:end])
		}
		i = end
	}
	return n
}

// lastPage gives where the last ".aspx" begins, in any case, or -1.
func lastPage(path []byte) int {
	const ending = ".aspx"
	for i := len(path) - len(ending); i >= 0; i-- {
		if match(ending, path[i:i+len(ending)], true) {
			return i
		}
	}
	return -1
}

// isSessionSegment reports "(ID)" and "(X(ID)Y(ID)...)", an ID being 24 letters and digits and X and
// Y letters.
func isSessionSegment(s []byte) bool {
	const idBytes = 24
	if len(s) < 2 || s[0] != '(' || s[len(s)-1] != ')' {
		return false
	}
	s = s[1 : len(s)-1]
	if isID(s, idBytes) {
		return true
	}
	const part = len("X(") + idBytes + len(")")
	for ; len(s) >= part; s = s[part:] {
		if l := lower(s[0]); l < 'a' || l > 'z' || s[1] != '(' || !isID(s[2:2+idBytes], idBytes) || s[part-1] != ')' {
			return false
		}
		if len(s) == part {
			return true
		}
	}
	return false
}

// isDotSegment reports dot segments as the URL standard knows them, "%2e" for ".".
func isDotSegment(segment []byte) bool {
	dots := 0
	for len(segment) > 0 {
		switch {
		case segment[0] == '.':
			segment = segment[1:]
		case len(segment) >= 3 && segment[0] == '%' && segment[1] == '2' && segment[2]|0x20 == 'e':
			segment = segment[3:]
		default:
			return false
		}
		dots++
	}
	return dots == 1 || dots == 2
}
