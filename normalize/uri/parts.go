package uri

// Absent marks a component that is not there at all. It is not the same as an empty one:
// "http://h/?" has an empty query, "http://h/" has none (RFC 3986 section 3.4 and 5.3).
const Absent = ^uint32(0)

// Parts says where the components of a reference lie, as byte offsets into its text:
//
//	http://user:pw@example.com:8080/over/there?name=ferret#nose
//	    |  |       |          |    |           |           |
//	    |  |       HostStart  |    PathStart   QueryStart  FragStart
//	    |  AuthStart          HostEnd
//	    SchemeEnd
//
// SchemeEnd is the offset of the ":" after the scheme. AuthStart is the first byte after "//".
// QueryStart and FragStart are the first bytes after "?" and "#". SchemeEnd, AuthStart,
// QueryStart and FragStart are Absent where the component is; HostStart and HostEnd are then
// equal to PathStart when there is no authority. The path is always there, if only empty.
//
// Invariants, for a text of n bytes, with the absent ones left out:
//
//	SchemeEnd < AuthStart <= HostStart <= HostEnd <= PathStart <= QueryStart <= FragStart <= n
type Parts struct {
	SchemeEnd, AuthStart, HostStart, HostEnd, PathStart, QueryStart, FragStart uint32
}

// Ref is a text with its parts. The text must not change while the Ref is in use.
type Ref struct {
	Text  []byte
	Parts Parts
}

// HasScheme reports whether the reference has a scheme.
func (p Parts) HasScheme() bool { return p.SchemeEnd != Absent }

// HasAuthority reports whether the reference has an authority, be it empty ("file:///x").
func (p Parts) HasAuthority() bool { return p.AuthStart != Absent }

// HasQuery reports whether the reference has a query, be it empty.
func (p Parts) HasQuery() bool { return p.QueryStart != Absent }

// HasFragment reports whether the reference has a fragment, be it empty.
func (p Parts) HasFragment() bool { return p.FragStart != Absent }

// HasUserinfo reports whether the authority holds a userinfo, be it empty ("http://@h/").
func (p Parts) HasUserinfo() bool { return p.AuthStart != Absent && p.HostStart > p.AuthStart }

// HasPort reports whether the authority holds a ":" after the host, be the port empty.
func (p Parts) HasPort() bool { return p.AuthStart != Absent && p.PathStart > p.HostEnd }

// Shifted are the parts of a text with n bytes more before it.
func (p Parts) Shifted(n uint32) Parts {
	p.HostStart += n
	p.HostEnd += n
	p.PathStart += n
	for _, optional := range [...]*uint32{&p.SchemeEnd, &p.AuthStart, &p.QueryStart, &p.FragStart} {
		if *optional != Absent {
			*optional += n
		}
	}
	return p
}

// Scheme is the text before the first ":", nil when absent.
func (p Parts) Scheme(text []byte) []byte {
	if p.SchemeEnd == Absent {
		return nil
	}
	return text[:p.SchemeEnd:p.SchemeEnd]
}

// Authority is the text between "//" and the path, nil when absent.
func (p Parts) Authority(text []byte) []byte {
	if p.AuthStart == Absent {
		return nil
	}
	return text[p.AuthStart:p.PathStart:p.PathStart]
}

// Userinfo is the text before the "@" of the authority, nil when absent.
func (p Parts) Userinfo(text []byte) []byte {
	if !p.HasUserinfo() {
		return nil
	}
	return text[p.AuthStart : p.HostStart-1 : p.HostStart-1]
}

// Host is the host of the authority, brackets included, nil when there is no authority.
func (p Parts) Host(text []byte) []byte {
	if p.AuthStart == Absent {
		return nil
	}
	return text[p.HostStart:p.HostEnd:p.HostEnd]
}

// Port is the text after the ":" of the authority, nil when absent.
func (p Parts) Port(text []byte) []byte {
	if !p.HasPort() {
		return nil
	}
	return text[p.HostEnd+1 : p.PathStart : p.PathStart]
}

// PathEnd is the offset just after the path, in a text of n bytes.
func (p Parts) PathEnd(n int) uint32 {
	switch {
	case p.QueryStart != Absent:
		return p.QueryStart - 1
	case p.FragStart != Absent:
		return p.FragStart - 1
	}
	return uint32(n)
}

// URLEnd is the offset just after everything but the fragment, in a text of n bytes.
func (p Parts) URLEnd(n int) uint32 {
	if p.FragStart != Absent {
		return p.FragStart - 1
	}
	return uint32(n)
}

// Path is the path, empty rather than absent.
func (p Parts) Path(text []byte) []byte {
	end := p.PathEnd(len(text))
	return text[p.PathStart:end:end]
}

// Query is the text between "?" and "#", nil when absent, not nil when empty.
func (p Parts) Query(text []byte) []byte {
	if p.QueryStart == Absent {
		return nil
	}
	end := p.URLEnd(len(text))
	return text[p.QueryStart:end:end]
}

// Fragment is the text after "#", nil when absent, not nil when empty.
func (p Parts) Fragment(text []byte) []byte {
	if p.FragStart == Absent {
		return nil
	}
	return text[p.FragStart:len(text):len(text)]
}
