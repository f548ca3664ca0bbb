package uri

import "bytes"

// AppendResolved2396 appends ref resolved against base by the letter of the seven steps of RFC 2396
// section 5.2:
//
//	http://a/b/c/d;p?q + ?y  ->  http://a/b/c/?y
//	http://a/b/c/d;p?q + ../../../g  ->  http://a/../g
//	http://a/b/c/d;p?q + /./g  ->  http://a/./g
//
// Where the letter leaves a choice: ".." segments in excess are kept (step 6g), and a path is merged
// with an empty one of a base with an authority as if that were "/", since the letter would put it
// into the authority. The caller has dealt with a reference to the current document (step 2, see
// IsCurrentDocument): that one is not resolved against a base. Like AppendResolved it doesn't judge.
// dst must not share bytes with base or ref.
func AppendResolved2396(dst []byte, base, ref Ref) []byte {
	p := ref.Parts
	switch {
	case p.HasScheme(): // step 3
		return append(dst, ref.Text...)
	case p.HasAuthority(): // step 4
		return append(appendScheme(dst, base), ref.Text...)
	}
	dst = appendAuthority(appendScheme(dst, base), base)
	path := p.Path(ref.Text)
	if len(path) > 0 && path[0] == '/' { // step 5
		return append(dst, ref.Text...)
	}
	start := len(dst)
	dst = AppendMerged(dst, base, path) // steps 6a and 6b
	n, _ := RemoveMergedDots(dst[start:])
	return append(dst[:start+n], ref.Text[p.PathEnd(len(ref.Text)):]...) // step 7
}

// IsCurrentDocument reports whether a reference is empty or a fragment alone: it is to the document
// that it stands in, whatever the base (RFC 2396 sections 4.2 and 5.2, step 2).
func IsCurrentDocument(text []byte, p Parts) bool {
	return !p.HasScheme() && !p.HasAuthority() && !p.HasQuery() && len(p.Path(text)) == 0
}

// RemoveMergedDots removes the dot segments of a merged path in place, by RFC 2396 section 5.2 steps
// 6c to 6g: "." segments, and each ".." with the segment before it. ".." segments in excess stay.
// It returns the length of what is left, and the number of bytes that it looked at, which is at most
// three times len(path).
//
//	/b/c/./../../g  ->  /g
//	/b/../../g  ->  /../g
//	/b/c/..  ->  /b/
func RemoveMergedDots(path []byte) (n, looked int) {
	root := 0 // where the first segment begins
	if len(path) > 0 && path[0] == '/' {
		root = 1
	}
	w := root
	for r := root; r < len(path); {
		end := len(path) // of the segment, with its "/"
		if i := bytes.IndexByte(path[r:], '/'); i >= 0 {
			end = r + i + 1
		}
		looked += end - r
		dots := dotSegment(bytes.TrimSuffix(path[r:end], []byte("/")))
		if dots == 2 {
			last := root // where the segment before begins
			if w > root {
				last += bytes.LastIndexByte(path[root:w-1], '/') + 1
			}
			looked += w - last
			if last == w || dotSegment(path[last:w-1]) == 2 {
				dots = 0 // in excess
			} else {
				w = last
			}
		}
		if dots == 0 {
			w += copy(path[w:], path[r:end])
		}
		r = end
	}
	return w, looked
}
