package keyrule

import "github.com/urisieve/urisieve/normalize/uri"

// scratch is memory that Append uses again and again.
type scratch struct {
	pairs []pair
	buf   []byte
}

// Append appends the key of a canonical URI: text is the URI, with "#" and the fragment where
// there is one, and p its parts. It tells which rules changed something. The rule gsb is not
// among those that it applies: see AppendGSB.
func (r *Rules) Append(dst, text []byte, p uri.Parts) ([]byte, Set) {
	return r.append(dst, text, p, r.host)
}

// AppendKeepingHost is Append for a URI whose authority holds no host but a registry name (RFC 2396
// section 3.2.1), which the rules for hosts mean nothing to.
func (r *Rules) AppendKeepingHost(dst, text []byte, p uri.Parts) ([]byte, Set) {
	return r.append(dst, text, p, func(host []byte) ([]byte, Set) { return host, 0 })
}

func (r *Rules) append(dst, text []byte, p uri.Parts, hostRules func([]byte) ([]byte, Set)) ([]byte, Set) {
	var fired Set
	scheme := p.Scheme(text)
	if r.set&FoldScheme != 0 && string(scheme) == "https" && !p.HasPort() {
		dst = append(dst, "http:"...)
		fired |= FoldScheme
	} else if p.HasScheme() {
		dst = append(append(dst, scheme...), ':')
	}
	if !p.HasAuthority() || string(scheme) == "file" {
		dst = append(dst, text[len(scheme)+1:p.URLEnd(len(text))]...)
		return r.appendFragment(dst, text, p, fired)
	}
	dst = append(dst, "//"...)
	if p.HasUserinfo() {
		if r.set&DropUserinfo != 0 {
			fired |= DropUserinfo
		} else {
			dst = append(dst, text[p.AuthStart:p.HostStart]...)
		}
	}
	host, f := hostRules(p.Host(text))
	dst = append(dst, host...)
	fired |= f
	dst = append(dst, text[p.HostEnd:p.PathStart]...)
	dst, f = r.appendPath(dst, p.Path(text))
	fired |= f
	if p.HasQuery() {
		dst, f = r.appendQuery(dst, p.Query(text), host)
		fired |= f
	}
	return r.appendFragment(dst, text, p, fired)
}

func (r *Rules) appendFragment(dst, text []byte, p uri.Parts, fired Set) ([]byte, Set) {
	if r.set&KeepFragment == 0 || !p.HasFragment() {
		return dst, fired
	}
	return r.appendTidied(append(dst, '#'), p.Fragment(text), fired|KeepFragment)
}

// appendTidied appends text with escapes of unreserved characters decoded and the hex digits of
// the others in upper case, by the rules unreserved and hex-case.
//
// A "%" that begins no escape may stand in a whatwg URL. An escape isn't decoded where its
// character would make one with such a "%" ("%%341" must not become "%41"): that would decode
// twice.
func (r *Rules) appendTidied(dst, text []byte, fired Set) ([]byte, Set) {
	if r.set&(HexCase|Unreserved) == 0 {
		return append(dst, text...), fired
	}
	stray := -3 // the place in dst of the last "%" that begins no escape
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c != '%' {
			dst = append(dst, c)
			continue
		}
		if i+2 >= len(text) || !isHex(text[i+1]) || !isHex(text[i+2]) {
			stray = len(dst)
			dst = append(dst, c)
			continue
		}
		v := unhex(text[i+1])<<4 | unhex(text[i+2])
		open := len(dst)-stray == 1 || len(dst)-stray == 2 && isHex(dst[len(dst)-1])
		switch {
		case r.set&Unreserved != 0 && isUnreserved(v) && !(open && isHex(v)):
			dst = append(dst, v)
			fired |= Unreserved
		case r.set&HexCase != 0:
			a, b := upper(text[i+1]), upper(text[i+2])
			if a != text[i+1] || b != text[i+2] {
				fired |= HexCase
			}
			dst = append(dst, '%', a, b)
		default:
			dst = append(dst, text[i:i+3]...)
		}
		i += 2
	}
	return dst, fired
}

// isUnreserved reports the set unreserved of RFC 3986 section 2.3.
func isUnreserved(c byte) bool {
	l := c | 0x20
	return l >= 'a' && l <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~'
}

func isHex(c byte) bool {
	l := c | 0x20
	return c >= '0' && c <= '9' || l >= 'a' && l <= 'f'
}

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

func upper(c byte) byte {
	if c >= 'a' && c <= 'z' {
		return c &^ 0x20
	}
	return c
}
