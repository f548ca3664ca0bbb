package whatwg

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/urisieve/urisieve/normalize/uri"
)

const uriAbsent = uri.Absent

// authority is the authority state, at i, and the part of the host state that looks for the end of
// the host. It finds the last "@", and the first ":" behind it that no bracket holds, in one pass,
// where the standard's machine goes through its buffer at each "@".
func (s *state) authority(i int) {
	at, colon, brackets := -1, -1, false
	end := i
scan:
	for ; end < len(s.in); end++ {
		if classes[s.in[end]]&authorityByte == 0 {
			continue
		}
		switch b := s.in[end]; b {
		case '@':
			at, colon, brackets = end, -1, false
		case '[':
			brackets = true
		case ']':
			brackets = false
		case ':':
			if colon < 0 && !brackets {
				colon = end
			}
		default:
			if b != '\\' || s.scheme != notSpecial {
				break scan
			}
		}
	}
	s.dst = append(s.dst, "//"...)
	s.parts.AuthStart = s.offset()
	if at >= 0 {
		s.errs |= InvalidCredentials
		if at+1 == end {
			s.errs |= HostMissing
			s.fail(NoHost, ComponentHost, end)
			return
		}
		s.credentials(s.in[i:at])
		i = at + 1
	}
	if colon < 0 {
		colon = end
	}
	s.hostState(i, colon, end)
}

// credentials writes a userinfo, less its "@". The first ":" parts name and password; an empty
// password takes its ":" along, and an empty userinfo the "@".
func (s *state) credentials(userinfo []byte) {
	name, password, _ := bytes.Cut(userinfo, []byte{':'})
	if len(name) == 0 && len(password) == 0 {
		return
	}
	s.dst, _ = appendEncoded(s.dst, name, userinfoSet)
	if len(password) > 0 {
		s.dst = append(s.dst, ':')
		s.dst, _ = appendEncoded(s.dst, password, userinfoSet)
	}
	s.dst = append(s.dst, '@')
}

// hostState is the host state on in[i:colon], where the authority ends at end; then comes the port
// state.
func (s *state) hostState(i, colon, end int) {
	s.parts.HostStart = s.offset()
	switch {
	case i < colon:
		if s.parseHost(i, colon); s.failure != OK {
			return
		}
	case s.scheme != notSpecial || colon < end:
		s.errs |= HostMissing
		s.fail(NoHost, ComponentHost, i)
		return
	default:
		s.host = HostEmpty
	}
	s.parts.HostEnd = s.offset()
	if colon < end && !s.port(colon+1, end) {
		return
	}
	s.pathStart(end)
}

// port is the port state on in[i:end].
func (s *state) port(i, end int) bool {
	port := int32(0)
	for j, b := range s.in[i:end] {
		if !isDigit(b) {
			s.errs |= PortInvalid
			s.fail(BadPort, ComponentPort, i+j)
			return false
		}
		port = min(port*10+int32(b-'0'), 1<<16)
	}
	if port > 1<<16-1 {
		s.errs |= PortOutOfRange
		s.fail(PortTooBig, ComponentPort, i)
		return false
	}
	if i < end && port != defaultPorts[s.scheme] {
		s.dst = append(s.dst, ':')
		s.dst = strconv.AppendInt(s.dst, int64(port), 10)
	}
	return true
}

// parseHost is the host parser (section 3.5) on in[i:end], which is not empty.
func (s *state) parseHost(i, end int) {
	host := s.in[i:end]
	if host[0] == '[' {
		if host[len(host)-1] != ']' {
			s.errs |= IPv6Unclosed
			s.fail(BadIPv6, ComponentHost, i)
			return
		}
		address, errs, at, ok := parseIPv6(host[1 : len(host)-1])
		s.errs |= errs
		if !ok {
			s.fail(BadIPv6, ComponentHost, i+1+at)
			return
		}
		s.host = HostIPv6
		s.dst = appendIPv6(s.dst, address)
		return
	}
	if s.scheme == notSpecial {
		s.opaqueHost(i, end)
		return
	}
	s.domainHost(i, end)
}

// opaqueHost is the opaque-host parser (section 3.5).
func (s *state) opaqueHost(i, end int) {
	for j, b := range s.in[i:end] {
		if classes[b]&forbiddenHost != 0 {
			s.errs |= HostInvalidCodePoint
			s.fail(BadOpaqueHost, ComponentHost, i+j)
			return
		}
	}
	var errs Errors
	s.dst, errs = appendEncoded(s.dst, s.in[i:end], c0Set)
	s.errs |= errs
	s.host = HostOpaque
}

// domainHost is the host parser for special schemes: percent-decoding, domain parser, IPv4. Most
// domains need no more than lower case.
func (s *state) domainHost(i, end int) {
	at := len(s.dst)
	s.dst = append(s.dst, s.in[i:end]...)
	domain := s.dst[at:]
	for j, b := range domain {
		if classes[b]&upperCase != 0 {
			domain[j] = b | 0x20
		}
	}
	n, errs, ok := verifyDomain(domain, 0)
	if !ok || n < len(domain) {
		s.dst = s.dst[:at]
		s.oddDomain(i, end)
		return
	}
	if errs&needStrict != 0 && !s.p.isStrict(domain) {
		s.errs |= DomainToASCII
	}
	s.host = HostDomain
}

// oddDomain is domainHost for what has escapes, code points that are not ASCII, forbidden ones, or
// a number for last label.
func (s *state) oddDomain(i, end int) {
	host, escapes := s.in[i:end], false
	if bytes.IndexByte(host, '%') >= 0 {
		if s.p.host, escapes = appendDecoded(s.p.host[:0], host); escapes {
			s.errs |= DomainPercentEncoded
			host = s.p.host
		}
	}
	ascii := isASCII(host)
	if !s.parseDomain(host, ascii) {
		s.fail(BadDomain, ComponentHost, i)
		return
	}
	domain := s.p.domain
	if len(domain) == 0 {
		s.fail(EmptyDomain, ComponentHost, i)
		return
	}
	for j, b := range domain {
		if classes[b]&forbiddenDomain != 0 {
			if escapes || !ascii {
				j = 0 // its offset in domain is not that in the reference
			}
			s.fail(ForbiddenDomainByte, ComponentHost, i+j)
			return
		}
	}
	s.finishDomain(domain, ascii, i)
}

// parseDomain is the domain parser (section 3.3) less its last two checks. The result is in
// p.domain.
func (s *state) parseDomain(host []byte, ascii bool) (ok bool) {
	p, strict := s.p, false
	if ascii {
		p.domain = p.domain[:0]
		for _, b := range host {
			if classes[b]&upperCase != 0 {
				b |= 0x20
			}
			p.domain = append(p.domain, b)
		}
		ok, strict = true, p.isStrict(p.domain)
	} else if utf8.Valid(host) { // else escapes have brought U+FFFD, which no domain may have
		p.domain, ok, strict = p.toASCII(p.domain[:0], host)
	}
	if !strict {
		s.errs |= DomainToASCII
	}
	return ok
}

// finishDomain writes a domain, or the IPv4 address that it is.
func (s *state) finishDomain(domain []byte, ascii bool, i int) {
	if !endsInNumber(domain) {
		s.host = HostDomain
		s.dst = append(s.dst, domain...)
		return
	}
	if !ascii {
		s.errs |= IPv4NonASCIIInput
	}
	address, errs, ok := parseIPv4(domain)
	s.errs |= errs
	if !ok {
		s.fail(BadIPv4, ComponentHost, i)
		return
	}
	s.host = HostIPv4
	s.dst = appendIPv4(s.dst, address)
}

// appendDecoded percent-decodes s (section 1.3); escapes says whether there was anything to decode.
func appendDecoded(dst, s []byte) (out []byte, escapes bool) {
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && isEscape(s[i:]) {
			hi, _ := unhex(s[i+1])
			lo, _ := unhex(s[i+2])
			dst = append(dst, hi<<4|lo)
			escapes = true
			i += 2
			continue
		}
		dst = append(dst, s[i])
	}
	return dst, escapes
}
