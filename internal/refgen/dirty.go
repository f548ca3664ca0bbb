package refgen

// What is done to a spelling: one of these at least.
const (
	otherCase   = 1 << iota // letters of scheme and host in upper case (RFC 3986 section 6.2.2.1)
	defaultPort             // the port of the scheme (section 6.2.3)
	dotSegments             // segments that go away again (section 6.2.2.3)
	escapes                 // an escaped letter or digit (section 6.2.2.2); an empty path where that is "/" (section 6.2.3)
	allDirt     = 1<<iota - 1
)

// dots are what can stand before a path without changing it.
var dots = [4]string{"/.", "/old/..", "/a/b/../..", "/.."}

// appendDirty appends a spelling of a URL other than the canonical one.
func appendDirty(dst, clean []byte, p parts, r uint64) []byte {
	what := 1 + r%allDirt
	r = mix(r)
	authority, path := clean[:p.path], clean[p.path:]
	if what&otherCase != 0 {
		dst = appendOtherCase(dst, authority, r)
	} else {
		dst = append(dst, authority...)
	}
	if what&defaultPort != 0 {
		port := ":80"
		if clean[len("http")] == 's' {
			port = ":443"
		}
		dst = append(dst, port...)
	}
	if what&dotSegments != 0 {
		dst = append(dst, dots[r&3]...)
	}
	switch {
	case what&escapes == 0:
		return append(dst, path...)
	case len(path) > 1:
		at := 1 + int(r>>2&3)
		dst = append(dst, path[:at]...)
		dst = append(dst, '%', digits[path[at]>>4], digits[path[at]&15])
		return append(dst, path[at+1:]...)
	case what&dotSegments != 0:
		return append(dst, path...)
	}
	return dst
}

// appendOtherCase turns about half of the letters to upper case, the first one always.
func appendOtherCase(dst, text []byte, r uint64) []byte {
	r |= 1
	for i, c := range text {
		if 'a' <= c && c <= 'z' && r>>(i&63)&1 != 0 {
			c -= 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}
