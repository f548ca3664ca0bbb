package normalize

import (
	"bytes"

	"github.com/urisieve/urisieve/normalize/uri"
)

// registryName is what a registry name may hold but for "@", which always ends a userinfo here, and
// escapes (RFC 2396 section 3.2.1: reg_name). The characters happen to be those of a userinfo.
const registryName = uri.UserinfoChar

// splitRegistry takes what follows the userinfo for a registry name where it isn't host and port:
// RFC 2396 section 3.2 has authority = server | reg_name. Registry names have no case rules and no
// port, so the name is kept but for its escapes. The schemes of DNS names are server-based, always.
//
//	foo://My_Registry/  ->  foo://My_Registry/
//	foo://My.Host:007/  ->  foo://my.host:7/
func (r *run) splitRegistry() {
	s := r.base.scheme
	if r.parts.HasScheme() {
		s = schemeOf(r.parts.Scheme(r.text))
	}
	if s != nil && s.dns {
		return
	}
	rest := r.text[r.parts.HostStart:r.parts.PathStart]
	r.work += uint64(len(rest))
	switch {
	case len(rest) == 0 || rest[0] == '[':
	case !isHostPort(rest):
		r.registry = true
		r.parts.HostEnd = r.parts.PathStart
	default:
		r.portEscaped = bytes.IndexByte(r.parts.Port(r.text), '%') >= 0
	}
}

// decodePort decodes a port of escaped digits. By the letter it would be the end of a registry name;
// but escapes of unreserved characters mean those, and then it is a port.
//
//	foo://h:8%30/  ->  foo://h:80/
//
// Source: RFC 2396 section 2.3. Class: syntax.
func (r *run) decodePort(text []byte) []byte {
	if r.on&RuleDecodeUnreserved == 0 {
		return text
	}
	digits := r.n.port[:0]
	for rest := text; len(rest) > 0; {
		var c byte
		c, rest = nextDecoded(rest)
		digits = append(digits, c)
	}
	r.n.port = digits
	r.work += uint64(len(text))
	r.step(RuleDecodeUnreserved, ComponentPort, text, digits)
	return digits
}

// isRegistry reports whether the authority of a canonical URI holds a registry name.
func isRegistry(text []byte, p uri.Parts) bool {
	if s := schemeNamed(p.Scheme(text)); !p.HasAuthority() || s != nil && s.dns {
		return false
	}
	return !isHostPort(text[p.HostStart:p.PathStart])
}

// isHostPort reports whether text is a host, and a port if there is one, by RFC 2396 section 3.2.2,
// as it is once the escapes of unreserved characters are decoded.
func isHostPort(text []byte) bool {
	if i := bytes.LastIndexByte(text, ':'); i >= 0 {
		for port := text[i+1:]; len(port) > 0; {
			var c byte
			if c, port = nextDecoded(port); !uri.Is(c, uri.Digit) {
				return false
			}
		}
		text = text[:i]
	}
	return len(text) == 0 || isHostname(text)
}

// isHostname reports whether text is a hostname or an IPv4 address by RFC 2396 section 3.2.2: labels
// of letters, digits and inner hyphens, the last of which begins with a letter, or four of digits.
func isHostname(text []byte) bool {
	labels, numeric := 0, 0
	var first, before byte // of the label
	for rest := text; len(rest) > 0; {
		var c byte
		switch c, rest = nextDecoded(rest); {
		case uri.Is(c, uri.Alpha|uri.Digit):
			if first == 0 {
				first = c
				labels++
				numeric++
			}
			if uri.Is(c, uri.Alpha) && numeric == labels {
				numeric-- // not of digits alone; no later label makes it an address
			}
		case c == '-' && first != 0:
		case c == '.' && first != 0 && before != '-':
			if len(rest) == 0 { // hostname = *( domainlabel "." ) toplabel [ "." ]
				return uri.Is(first, uri.Alpha)
			}
			first = 0
		default:
			return false
		}
		before = c
	}
	return before != '-' && (uri.Is(first, uri.Alpha) || numeric == 4 && labels == 4)
}

// nextDecoded takes the next character off a text that is not empty. An escape is decoded where that
// gives an unreserved character of RFC 2396, else it gives "%".
func nextDecoded(text []byte) (c byte, rest []byte) {
	if uri.IsEscape(text, 0) {
		if c := uri.Unhex(text[1])<<4 | uri.Unhex(text[2]); uri.Is(c, uri.Unreserved2396) {
			return c, text[3:]
		}
	}
	return text[0], text[1:]
}
