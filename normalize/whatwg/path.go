package whatwg

import "bytes"

// pathStart is the path start state, at i, where an authority has ended.
func (s *state) pathStart(i int) {
	s.parts.PathStart = s.offset()
	s.path = len(s.dst)
	if s.scheme == notSpecial {
		switch {
		case i == len(s.in):
		case s.in[i] == '?':
			s.query(i + 1)
		case s.in[i] == '#':
			s.fragment(i + 1)
		default: // "/": nothing else ends an authority
			s.pathState(i + 1)
		}
		return
	}
	if i < len(s.in) && s.isSlash(s.in[i]) {
		i++
	}
	s.pathState(i)
}

// pathState is the path state, at i, just after a "/" or where one is understood. It ends with the
// query and the fragment.
func (s *state) pathState(i int) {
	for {
		end := s.segment(i)
		if end < len(s.in) && s.isSlash(s.in[end]) {
			i = end + 1
			continue
		}
		s.afterPath(end)
		return
	}
}

// afterPath goes on with what begins at i: a query, a fragment, or nothing.
func (s *state) afterPath(i int) {
	switch {
	case i == len(s.in):
	case s.in[i] == '?':
		s.query(i + 1)
	default:
		s.fragment(i + 1)
	}
}

// segment appends the segment that begins at i to the path, or does what it says if it is a dot
// segment, and returns where it ends. Where it can, it takes the next ones along.
func (s *state) segment(i int) (end int) {
	in, dst := s.in, append(s.dst, '/')
	mark := len(s.dst)
	begin, done := i, i // in[done:i] is yet to be written
	plain := i < len(in) && in[i] != '.' && in[i] != '%'
	if s.scheme == schemeFile && mark == s.path && i+2 <= len(in) && isDriveLetter(in[i:i+2]) {
		plain = false
	}
	for ; i < len(in); i++ {
		c := classes[in[i]]
		if c&(pathSet|notURL|percent|pathEnd) == 0 {
			continue
		}
		if c&pathEnd != 0 && (in[i] != '\\' || s.scheme != notSpecial) {
			if plain && in[i] == '/' && i+1 < len(in) && in[i+1] != '.' && in[i+1] != '%' {
				continue // neither this segment nor the next can be a dot segment
			}
			break
		}
		if s.errs&InvalidURLUnit == 0 && !isURLUnit(in[i:]) {
			s.errs |= InvalidURLUnit
		}
		if c&pathSet != 0 {
			dst = append(dst, in[done:i]...)
			dst = appendEscape(dst, in[i])
			done = i + 1
		}
	}
	if !plain {
		if dots := countDots(in[begin:i]); dots > 0 {
			s.dst = dst[:mark] // but what has been grown stays grown
			if dots == 2 {
				s.shorten()
			}
			if i == len(in) || in[i] == '?' || in[i] == '#' {
				s.dst = append(s.dst, '/')
			}
			return i
		}
	}
	s.dst = append(dst, in[done:i]...)
	if !plain && mark == s.path && s.scheme == schemeFile && isDriveLetter(in[begin:i]) {
		s.dst[len(s.dst)-1] = ':'
	}
	return i
}

// shorten removes the last item of the path, if any, but for the drive letter that is the whole
// path of a "file" URL (section 4.2, "shorten").
func (s *state) shorten() {
	path := s.dst[s.path:]
	if s.scheme == schemeFile && isDrivePath(path) {
		return
	}
	last := max(bytes.LastIndexByte(path, '/'), 0)
	s.p.steps += len(path) - last
	s.dst = s.dst[:s.path+last]
}

// guard keeps a path that begins with "//" from reading as an authority where there is none
// (section 4.5, the step before the path): "a:/.//b". Offsets of what follows move along.
func (s *state) guard() {
	if s.parts.AuthStart != uriAbsent || s.failure != OK {
		return
	}
	rest := s.dst[s.path:]
	if len(rest) < 2 || rest[0] != '/' || rest[1] != '/' {
		return
	}
	s.p.steps += len(rest)
	s.dst = append(s.dst, "/."...)
	copy(s.dst[s.path+2:], s.dst[s.path:])
	copy(s.dst[s.path:], "/.")
	if s.parts.QueryStart != uriAbsent {
		s.parts.QueryStart += 2
	}
	if s.parts.FragStart != uriAbsent {
		s.parts.FragStart += 2
	}
	s.path += 2
}

// unguard removes the "/." of a guarded base path, once the path is about to change.
func (s *state) unguard() {
	if at := s.start + int(s.parts.PathStart); at < s.path {
		n := copy(s.dst[at:], s.dst[s.path:])
		s.dst = s.dst[:at+n]
		s.path = at
	}
}

// opaquePath is the opaque path state, at i. A space stays a space but before a "?" or "#", so
// that no opaque path ends in one (the end of the reference has been trimmed).
func (s *state) opaquePath(i int) {
	s.opaque = true
	end := len(s.in)
	if n := bytes.IndexAny(s.in[i:], "?#"); n >= 0 {
		end = i + n
	}
	path := s.in[i:end]
	space := end < len(s.in) && len(path) > 0 && path[len(path)-1] == ' '
	if space {
		path = path[:len(path)-1]
		s.errs |= InvalidURLUnit
	}
	var errs Errors
	s.dst, errs = appendEncoded(s.dst, path, c0Set)
	s.errs |= errs
	if space {
		s.dst = append(s.dst, "%20"...)
	}
	s.afterPath(end)
}

// fragment is the fragment state, at i, just after the "#".
func (s *state) fragment(i int) {
	s.dst = append(s.dst, '#')
	s.parts.FragStart = s.offset()
	var errs Errors
	s.dst, errs = appendEncoded(s.dst, s.in[i:], fragmentSet)
	s.errs |= errs
}

// countDots is 1 for a single-dot URL path segment, 2 for a double-dot one, and 0 for any other
// (section 4.1, "URL representation").
func countDots(segment []byte) int {
	if len(segment) == 0 || len(segment) > len("%2e%2e") || segment[0] != '.' && segment[0] != '%' {
		return 0
	}
	dots := 0
	for len(segment) > 0 {
		switch {
		case segment[0] == '.':
			segment = segment[1:]
		case len(segment) >= 3 && segment[0] == '%' && segment[1] == '2' && segment[2]|0x20 == 'e':
			segment = segment[3:]
		default:
			return 0
		}
		dots++
	}
	if dots > 2 {
		return 0
	}
	return dots
}

// isDriveLetter reports whether s is a Windows drive letter (section 4.2).
func isDriveLetter(s []byte) bool {
	return len(s) == 2 && isAlpha(s[0]) && (s[1] == ':' || s[1] == '|')
}

// isDrivePath reports whether a path, with its "/", is a normalized Windows drive letter alone.
func isDrivePath(path []byte) bool {
	return len(path) == 3 && path[0] == '/' && isAlpha(path[1]) && path[2] == ':'
}

// startsWithDriveLetter is the standard's "starts with a Windows drive letter" (section 4.2).
func startsWithDriveLetter(s []byte) bool {
	return len(s) >= 2 && isDriveLetter(s[:2]) && (len(s) == 2 || classes[s[2]]&pathEnd != 0)
}
