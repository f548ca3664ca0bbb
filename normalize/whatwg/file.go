package whatwg

// fileState is the file state, at i.
func (s *state) fileState(i int) {
	s.scheme = schemeFile
	onBase := s.base != nil && s.base.scheme == schemeFile
	switch {
	case i < len(s.in) && s.isSlash(s.in[i]):
		s.fileSlash(i+1, onBase)
	case onBase && i < len(s.in) && startsWithDriveLetter(s.in[i:]):
		s.errs |= FileInvalidWindowsDriveLetter
		s.inherit(int(s.base.parts.PathStart), uriAbsent)
		s.pathState(i)
	case onBase:
		s.onBase(i)
	default:
		s.emptyFileHost()
		s.pathState(i)
	}
}

// fileSlash is the file slash state, at i: one slash has been.
func (s *state) fileSlash(i int, onBase bool) {
	if i < len(s.in) && s.isSlash(s.in[i]) {
		s.fileHost(i + 1)
		return
	}
	if !onBase {
		s.emptyFileHost()
		s.pathState(i)
		return
	}
	n := int(s.base.parts.PathStart)
	if path := s.base.parts.Path(s.base.url); !startsWithDriveLetter(s.in[i:]) && len(path) >= 3 && isDrivePath(path[:3]) && (len(path) == 3 || path[3] == '/') {
		n += 3
	}
	s.inherit(n, uriAbsent)
	s.pathState(i)
}

// fileHost is the file host state, at i.
func (s *state) fileHost(i int) {
	end := i
	for end < len(s.in) && classes[s.in[end]]&pathEnd == 0 {
		end++
	}
	host := s.in[i:end]
	switch {
	case isDriveLetter(host):
		s.errs |= FileInvalidWindowsDriveLetterHost
		s.emptyFileHost()
		s.dst = append(s.dst, '/', host[0], ':')
		if end < len(s.in) && s.isSlash(s.in[end]) {
			s.pathState(end + 1)
		} else {
			s.afterPath(end)
		}
		return
	case len(host) == 0:
		s.emptyFileHost()
	default:
		s.beginFile()
		if s.parseHost(i, end); s.failure != OK {
			return
		}
		if at := s.start + int(s.parts.HostStart); string(s.dst[at:]) == "localhost" {
			s.dst, s.host = s.dst[:at], HostEmpty
		}
		s.parts.HostEnd = s.offset()
	}
	s.pathStart(end)
}

// emptyFileHost begins a "file" URL with an empty host.
func (s *state) emptyFileHost() {
	s.beginFile()
	s.host = HostEmpty
	s.parts.HostEnd, s.parts.PathStart = s.offset(), s.offset()
	s.path = len(s.dst)
}

// beginFile writes what every "file" URL begins with.
func (s *state) beginFile() {
	s.dst = append(s.dst[:s.start], "file://"...)
	s.parts.SchemeEnd = uint32(len("file"))
	s.parts.AuthStart, s.parts.HostStart = s.offset(), s.offset()
}
