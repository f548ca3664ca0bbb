package normalize

import (
	"bytes"
	"unicode/utf8"

	"github.com/urisieve/urisieve/normalize/uri"
)

// appendHost writes the host: an IP literal, a DNS name, or the registered name of a scheme whose
// names this program knows nothing about.
func (r *run) appendHost() bool {
	r.done.HostStart = r.here()
	host := r.parts.Host(r.text)
	at := len(r.out)
	ok := true
	switch {
	case len(host) > 0 && host[0] == '[':
		ok = r.appendLiteral(host)
	case r.registry:
		r.appendText(host, registryName, ComponentHost)
	case r.scheme != nil && r.scheme.dns:
		ok = r.appendDNSName(host)
	default:
		r.appendText(host, uri.RegName, ComponentHost)
		r.lowerHost(at)
	}
	if !ok {
		return false
	}
	if len(r.out) == at && r.scheme != nil && r.scheme.needHost && r.on&RuleNeedHost != 0 {
		return r.refuse(NoHost, ComponentHost, int(r.parts.HostStart))
	}
	if r.on&RuleFlagHost != 0 {
		r.result.Flags |= addressFlags(r.out[at:], r.scheme != nil && r.scheme.dns)
	}
	return true
}

// lowerHost writes what lies at out[at:] in lower case, but for the digits of escapes. It comes
// after the decoding of escapes, since "%41" is "A" and must become "a".
//
//	EX.com  ->  ex.com
//
// Source: RFC 3986 section 6.2.2.1. Class: syntax.
func (r *run) lowerHost(at int) {
	if r.on&RuleLowerHost == 0 {
		return
	}
	r.work += uint64(len(r.out) - at)
	if r.trace == nil {
		if lower(r.out[at:]) {
			r.result.Changed |= RuleLowerHost
		}
		return
	}
	before := bytes.Clone(r.out[at:])
	if lower(r.out[at:]) {
		r.step(RuleLowerHost, ComponentHost, before, r.out[at:])
	}
}

// appendLiteral writes an IP literal: an IPv6 address in its recommended text, or an address of a
// future version in lower case.
//
//	[2001:DB8::0:1]  ->  [2001:db8::1]
//	[V1.A]  ->  [v1.a]
//
// Source: RFC 3986 section 3.2.2; RFC 5952 sections 4 and 5. Class: syntax.
func (r *run) appendLiteral(host []byte) bool {
	address, bad := parseLiteral(host)
	if r.n.old {
		bad = 0 // RFC 2396 knows none
	}
	if bad >= 0 && r.on&RuleCheckHost != 0 {
		return r.refuse(BadHost, ComponentHost, int(r.parts.HostStart)+bad)
	}
	at := len(r.out)
	if bad >= 0 || host[1]|0x20 == 'v' || r.on&RuleIPv6Text == 0 {
		r.out = append(r.out, host...)
		r.lowerHost(at)
		return true
	}
	r.out = append(address.appendText(append(r.out, '[')), ']')
	if !bytes.Equal(r.out[at:], host) {
		r.step(RuleIPv6Text, ComponentHost, host, r.out[at:])
	}
	return true
}

// appendDNSName writes a host that is a DNS name: its escapes decoded, its labels in ASCII and in
// lower case.
//
//	exa%6Dple.COM  ->  example.com
//	%C3%A9.example  ->  xn--9ca.example
//
// Refused is what DNS has no name for: an escape of ASCII that is not unreserved, a character
// that a registered name can't hold, bytes that are no UTF-8.
// Source: RFC 3986 section 3.2.2. Class: scheme.
func (r *run) appendDNSName(host []byte) bool {
	r.work += uint64(len(host))
	at := len(r.out)
	ascii, decoded := true, false
	for i := 0; i < len(host); i++ {
		c := host[i]
		switch {
		case uri.Is(c, uri.RegName):
		case c >= utf8.RuneSelf:
			ascii = false
		case uri.IsEscape(host, i):
			c = uri.Unhex(host[i+1])<<4 | uri.Unhex(host[i+2])
			if c < utf8.RuneSelf && !uri.Is(c, r.n.marks) && r.on&RuleCheckHost != 0 {
				return r.refuse(BadHost, ComponentHost, int(r.parts.HostStart)+i)
			}
			if r.on&RuleDecodeHost == 0 {
				r.out = append(r.out, host[i:i+2]...)
				c = host[i+2]
			} else {
				decoded = true
				ascii = ascii && c < utf8.RuneSelf
			}
			i += 2
		case r.on&RuleCheckHost != 0:
			return r.refuse(BadHost, ComponentHost, int(r.parts.HostStart)+i)
		}
		r.out = append(r.out, c)
	}
	if decoded {
		r.step(RuleDecodeHost, ComponentHost, host, r.out[at:])
	}
	if ascii && !hasALabel(r.out[at:]) || r.on&RuleIDNA == 0 {
		r.lowerHost(at)
		return true
	}
	return r.mapLabels(at)
}

// hasALabel reports whether a label of an ASCII name begins with "xn--", in any case.
func hasALabel(name []byte) bool {
	for i := 0; i+3 < len(name); i++ {
		if name[i]|0x20 == 'x' && (i == 0 || name[i-1] == '.') && isALabel(name[i:]) {
			return true
		}
	}
	return false
}

// isALabel reports whether a label has the prefix of A-labels (RFC 5890 section 2.3.1).
func isALabel(label []byte) bool {
	return len(label) >= 4 && label[0]|0x20 == 'x' && label[1]|0x20 == 'n' && label[2] == '-' && label[3] == '-'
}

// rawOffset is the offset in a host as it came in of the byte that was decoded as number decoded.
func rawOffset(host []byte, decoded int) int {
	i := 0
	for ; decoded > 0 && i < len(host); decoded-- {
		if uri.IsEscape(host, i) {
			i += 2
		}
		i++
	}
	return i
}

// addressFlags tells whether a host in canonical form is an IP address, or a DNS name that ends in
// a number: programs that follow the URL standard read such a name as an address.
func addressFlags(host []byte, dns bool) Flags {
	switch {
	case len(host) == 0:
		return 0
	case host[0] == '[', isIPv4(host):
		return FlagIPAddress
	case dns && endsInNumber(host):
		return FlagNumericHost
	}
	return 0
}

// endsInNumber reports whether the last label of a name, but for an empty one, is all digits, or
// "0x" and hexadecimal digits (URL standard section 3.5, the ends-in-a-number checker).
func endsInNumber(host []byte) bool {
	if host[len(host)-1] == '.' {
		host = host[:len(host)-1]
	}
	label := host[bytes.LastIndexByte(host, '.')+1:]
	if len(label) == 0 {
		return false
	}
	digits := uri.Digit
	if len(label) >= 2 && label[0] == '0' && label[1]|0x20 == 'x' {
		label, digits = label[2:], uri.HexDigit
	}
	for _, c := range label {
		if !uri.Is(c, digits) {
			return false
		}
	}
	return true
}
