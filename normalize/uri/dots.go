package uri

// AppendRemoveDots appends path without its "." and ".." segments, as the routine of RFC 3986
// section 5.2.4 does it:
//
//	/a/b/c/./../../g  ->  /a/g
//	mid/content=5/../6 ->  mid/6
//
// What is appended is never longer than path, which must not share bytes with dst.
func AppendRemoveDots(dst, path []byte) []byte {
	start := len(dst)
	dst = append(dst, path...)
	n, _ := RemoveDots(dst[start:])
	return dst[:start+n]
}

// RemoveDots is AppendRemoveDots in place: it returns the length of what is left at the start of
// path, and the number of bytes that it looked at, which is at most three times len(path).
//
// The letters are those of section 5.2.4, step 2. The input buffer is path[r:], the output buffer
// path[:w]; the output never overtakes the input, since each step moves at most what it takes.
// Steps B and C leave a "/" at the front of the input: path[r] is made one.
func RemoveDots(path []byte) (n, looked int) {
	r, w, end := 0, 0, len(path)
	for r < end {
		segment := r // start of the segment, after its "/"
		if path[r] == '/' {
			segment++
		}
		next := segment // end of the segment
		for next < end && path[next] != '/' {
			next++
		}
		looked += next - r + 1
		switch dots := dotSegment(path[segment:next]); {
		case dots == 0: // E: move the segment with its "/"
			w += copy(path[w:], path[r:next])
			r = next
		case segment == r && next < end: // A: "../" or "./" goes
			r = next + 1
		case segment == r: // D: nothing but "." or ".." is left
			r = next
		default: // B and C: "/./" and "/../" become "/", and so do "/." and "/.." at the end
			if dots == 2 {
				popped := lastSegment(path[:w])
				looked += w - popped
				w = popped
			}
			r = next
			if next == end {
				path[w] = '/'
				w++
			}
		}
	}
	return w, looked
}

// dotSegment is 1 for ".", 2 for "..", else 0.
func dotSegment(s []byte) int {
	switch {
	case len(s) == 1 && s[0] == '.':
		return 1
	case len(s) == 2 && s[0] == '.' && s[1] == '.':
		return 2
	}
	return 0
}

// lastSegment is where the last segment of the output begins, with its "/" if it has one.
func lastSegment(output []byte) int {
	for i := len(output) - 1; i > 0; i-- {
		if output[i] == '/' {
			return i
		}
	}
	return 0
}
