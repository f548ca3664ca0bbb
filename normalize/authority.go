package normalize

import (
	"bytes"

	"github.com/urisieve/urisieve/normalize/uri"
)

// appendAuthority writes "//" and the authority, or that of the base, or nothing.
func (r *run) appendAuthority() bool {
	p := r.parts
	switch {
	case p.HasAuthority():
		r.out = append(r.out, "//"...)
		r.done.AuthStart = r.here()
		ok := r.appendUserinfo() && r.appendHost() && r.appendPort()
		r.dropLocalhost()
		return ok
	case r.relates:
		r.inheritAuthority()
	case r.needsFileAuthority():
		r.out = append(r.out, "//"...)
		r.step(RuleFileAuthority, ComponentAuthority, nil, []byte{})
		r.done.AuthStart = r.here()
		r.done.HostStart, r.done.HostEnd = r.here(), r.here()
	case r.scheme != nil && r.scheme.needHost && r.on&RuleNeedHost != 0:
		return r.refuse(NoHost, ComponentHost, int(p.PathStart))
	default:
		r.done.HostStart, r.done.HostEnd = r.here(), r.here()
	}
	return true
}

// inheritAuthority writes the authority of the base, if it has one, with its flags.
func (r *run) inheritAuthority() {
	b := r.base
	if !b.parts.HasAuthority() {
		r.done.HostStart, r.done.HostEnd = r.here(), r.here()
		return
	}
	r.out = append(r.out, "//"...)
	r.done.AuthStart = r.here()
	r.out = append(r.out, b.parts.Authority(b.text)...)
	r.done.HostStart = r.done.AuthStart + b.parts.HostStart - b.parts.AuthStart
	r.done.HostEnd = r.done.AuthStart + b.parts.HostEnd - b.parts.AuthStart
	r.result.Flags |= b.flags & authorityFlags
	if len(b.parts.Authority(b.text)) == 0 {
		r.traceResolve(ComponentAuthority, nil, b.parts.Authority(b.text))
		return
	}
	r.traceResolve(ComponentUserinfo, nil, b.parts.Userinfo(b.text))
	if host := b.parts.Host(b.text); len(host) > 0 {
		r.traceResolve(ComponentHost, nil, host)
	}
	r.traceResolve(ComponentPort, nil, b.parts.Port(b.text))
}

// needsFileAuthority reports whether this is "file:/x", which means "file:///x".
//
//	file:/x  ->  file:///x
//
// Source: RFC 8089 section 2 and appendix B. Class: scheme.
func (r *run) needsFileAuthority() bool {
	return r.scheme == &schemes[schemeFile] && r.hasRootedPath() && r.on&RuleFileAuthority != 0
}

// dropLocalhost writes the host "localhost" of a file URI, alone in its authority, as no host.
//
//	file://localhost/x  ->  file:///x
//
// Source: RFC 8089 section 2, RFC 3986 section 3.2.2. Class: scheme.
func (r *run) dropLocalhost() {
	at := r.start + int(r.done.AuthStart)
	if r.scheme != &schemes[schemeFile] || r.on&RuleDropLocalhost == 0 || string(r.out[at:]) != "localhost" {
		return
	}
	r.step(RuleDropLocalhost, ComponentHost, r.out[at:], []byte{})
	r.out = r.out[:at]
	r.done.HostEnd = r.done.HostStart
}

// appendUserinfo writes the userinfo and its "@", as the policy has it.
//
//	http://u:p@h/  ->  http://u@h/  strip-password
//	http://u:p@h/  ->  http://h/    strip
//
// The password is what follows the first ":"; when that is nothing, there is none.
// Source: RFC 3986 section 3.2.1. Class: policy.
func (r *run) appendUserinfo() bool {
	if !r.parts.HasUserinfo() {
		return true
	}
	text := r.parts.Userinfo(r.text)
	if r.on&RuleRefuseUserinfo != 0 {
		return r.refuse(UserinfoRefused, ComponentUserinfo, int(r.parts.AuthStart))
	}
	colon := bytes.IndexByte(text, ':')
	password := colon >= 0 && colon+1 < len(text)
	if r.on&RuleStripUserinfo != 0 {
		r.step(RuleStripUserinfo, ComponentUserinfo, text, nil)
		r.result.Flags |= FlagUserinfoStripped
		if password {
			r.result.Flags |= FlagPasswordStripped
		}
		return true
	}
	if colon >= 0 && r.on&RuleStripPassword != 0 {
		r.step(RuleStripPassword, ComponentUserinfo, text, text[:colon])
		if password {
			r.result.Flags |= FlagPasswordStripped
		}
		text, password = text[:colon], false
	}
	if r.on&RuleFlagUserinfo != 0 {
		r.result.Flags |= FlagUserinfo
		if password {
			r.result.Flags |= FlagPassword
		}
	}
	r.appendText(text, uri.UserinfoChar, ComponentUserinfo)
	r.out = append(r.out, '@')
	return true
}

// appendPort writes ":" and the port as a number, unless it is empty or the scheme's default.
//
//	https://h:0443/ -> https://h/   http://h:/ -> http://h/   foo://h:007/ -> foo://h:7/
//
// Source: RFC 3986 sections 3.2.3 and 6.2.3. Class: scheme.
func (r *run) appendPort() bool {
	r.done.HostEnd = r.here()
	if !r.parts.HasPort() {
		return true
	}
	digits := r.parts.Port(r.text)
	if r.on&RuleCheckPort != 0 && !r.checkDigits() {
		return false
	}
	if r.portEscaped {
		digits = r.decodePort(digits)
	}
	if len(digits) == 0 {
		r.result.Flags |= FlagEmptyPort
		if r.on&RuleDropEmptyPort == 0 {
			r.out = append(r.out, ':')
			return true
		}
		r.step(RuleDropEmptyPort, ComponentPort, digits, nil)
		return true
	}
	short := bytes.TrimLeft(digits[:len(digits)-1], "0")
	short = digits[len(digits)-1-len(short):]
	number := portNumber(short)
	if number < 0 && r.scheme != nil && r.scheme.dns && r.on&RuleCheckPort != 0 {
		return r.refuse(BadPort, ComponentPort, int(r.parts.HostEnd)+1)
	}
	if r.on&RuleDropPortZeros != 0 && len(short) < len(digits) {
		r.step(RuleDropPortZeros, ComponentPort, digits, short)
		digits = short
	}
	if number > 0 && number == r.defaultPort() {
		if r.on&RuleDropDefaultPort != 0 {
			r.step(RuleDropDefaultPort, ComponentPort, digits, nil)
			return true
		}
	} else if !r.judgePort(number) {
		return false
	}
	r.out = append(append(r.out, ':'), digits...)
	return true
}

// checkDigits refuses a port that is not made of digits.
//
//	http://h:8o/  ->  bad_port
//
// Source: RFC 3986 section 3.2.3. Class: scheme.
func (r *run) checkDigits() bool {
	if r.portEscaped {
		return true // they are digits: see isHostPort
	}
	for i, c := range r.parts.Port(r.text) {
		if !uri.Is(c, uri.Digit) {
			return r.refuse(BadPort, ComponentPort, int(r.parts.HostEnd)+1+i)
		}
	}
	return true
}

// judgePort flags a port that is not the scheme's default and lies in the reserved space, and one
// that browsers refuse, which the policy may refuse too.
//
//	http://h:25/  ->  flags reserved_port, bad_port
//
// Source: RFC 3986 section 7.2; Fetch standard, port blocking. Class: scheme.
func (r *run) judgePort(number int) bool {
	bad := number >= 0 && isBadPort(number)
	if bad && r.on&RuleRefuseBadPort != 0 {
		return r.refuse(BadPort, ComponentPort, int(r.parts.HostEnd)+1)
	}
	if r.on&RuleFlagPort == 0 {
		return true
	}
	if bad {
		r.result.Flags |= FlagBadPort
	}
	if number >= 0 && number < 1024 {
		r.result.Flags |= FlagReservedPort
	}
	return true
}

// portNumber is the value of digits without leading zeros, -1 if it is over 65535.
func portNumber(digits []byte) int {
	if len(digits) > 5 {
		return -1
	}
	n := 0
	for _, c := range digits {
		n = n*10 + int(c-'0')
	}
	if n > 65535 {
		return -1
	}
	return n
}

// defaultPort is the default port of the result's scheme, 0 if none is known.
func (r *run) defaultPort() int {
	if r.scheme != nil && r.scheme.port != 0 {
		return int(r.scheme.port)
	}
	if len(r.n.ports) > 0 {
		name := r.out[r.start : r.start+int(r.done.SchemeEnd)]
		for _, p := range r.n.ports {
			if p.Scheme == string(name) {
				return int(p.Port)
			}
		}
	}
	return 0
}

// badPorts are the ports that the fetch standard calls bad (port blocking), sorted.
var badPorts = [...]uint16{
	0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
	103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
	512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
	995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668,
	6669, 6679, 6697, 10080,
}

func isBadPort(port int) bool {
	low, high := 0, len(badPorts)
	for low < high {
		if middle := int(uint(low+high) >> 1); int(badPorts[middle]) < port {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low < len(badPorts) && int(badPorts[low]) == port
}
