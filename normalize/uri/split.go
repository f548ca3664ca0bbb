package uri

import "bytes"

// Split finds the components of any text as the regular expression of RFC 3986 appendix B does,
// except that what stands before the first ":" must be a scheme by section 3.1 to count as one.
// len(text) must be below Absent.
func Split(text []byte) Parts {
	p := Parts{SchemeEnd: Absent, AuthStart: Absent, QueryStart: Absent, FragStart: Absent}
	end := len(text)
	if i := bytes.IndexByte(text, '#'); i >= 0 {
		p.FragStart, end = uint32(i+1), i
	}
	if i := bytes.IndexByte(text[:end], '?'); i >= 0 {
		p.QueryStart, end = uint32(i+1), i
	}
	at := 0
	for i, c := range text[:end] {
		lower := c | 0x20
		if lower >= 'a' && lower <= 'z' || i > 0 && (c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.') {
			continue
		}
		if c == ':' && i > 0 {
			p.SchemeEnd, at = uint32(i), i+1
		}
		break
	}
	if bytes.HasPrefix(text[at:end], []byte("//")) {
		at += 2
		p.AuthStart = uint32(at)
		stop := end
		if i := bytes.IndexByte(text[at:end], '/'); i >= 0 {
			stop = at + i
		}
		p.HostStart = uint32(at)
		if i := bytes.LastIndexByte(text[at:stop], '@'); i >= 0 {
			p.HostStart = uint32(at + i + 1)
		}
		p.HostEnd = uint32(stop)
		host := text[p.HostStart:stop]
		if i := bytes.LastIndexByte(host, ':'); i >= 0 && i > bytes.LastIndexByte(host, ']') {
			p.HostEnd = p.HostStart + uint32(i)
		}
		at = stop
	} else {
		p.HostStart, p.HostEnd = uint32(at), uint32(at)
	}
	p.PathStart = uint32(at)
	return p
}
