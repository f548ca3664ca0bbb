package normalize

import (
	"bytes"
	"unicode/utf8"

	"github.com/urisieve/urisieve/normalize/uri"
	"github.com/urisieve/urisieve/normalize/uts39"
	"github.com/urisieve/urisieve/normalize/uts46"
	"github.com/urisieve/urisieve/normalize/whatwg"
)

// privateNames are host names that never leave a machine or a network, less their first dot: RFC 6761
// section 6.3, RFC 6762 section 3, RFC 8375, and internal, which ICANN reserved for private use.
var privateNames = [...]string{"localhost", "local", "home.arpa", "internal"}

// tellHost is tell for the host.
func (n *Normalizer) tellHost(url []byte, r *Result) {
	host := r.Parts.Host(url)
	if len(host) == 0 {
		return
	}
	switch last := host[len(host)-1]; {
	case r.Flags&(FlagIPAddress|FlagNumericHost) != 0:
		n.tellAddress(host, r)
	case n.web != nil && !isSpecial(r.Parts.Scheme(url)):
		n.tellOpaqueHost(host, r)
	case mayEndPrivate[last]:
		if isPrivateHost(host) {
			r.Flags |= FlagPrivateHost
		}
	}
	if r.Flags&(FlagIDN|FlagBadXNLabel) != 0 || n.web != nil && hasALabel(host) {
		r.Flags |= n.teller.flags(n, host)
	}
	if n.web != nil && r.Flags&FlagIPAddress == 0 && !isRegName(host) {
		r.Flags |= FlagHostDiffers
	}
}

// tellOpaqueHost tells of a host that the URL standard leaves as it is, since it knows nothing of its
// scheme: who connects to it may decode it, in lower case, and read an address in any form.
func (n *Normalizer) tellOpaqueHost(host []byte, r *Result) {
	name := appendUnescaped(n.teller.ascii[:0], host)
	n.teller.ascii = name
	lower(name)
	if len(name) > 0 && mayEndPrivate[name[len(name)-1]] && isPrivateHost(name) {
		r.Flags |= FlagPrivateHost
	}
}

// mayEndPrivate holds the bytes that end the name of a private host or an address in some form.
var mayEndPrivate = func() (ends [256]bool) {
	for c := range ends {
		ends[c] = uri.Is(byte(c), uri.HexDigit)
	}
	for _, name := range privateNames {
		ends[name[len(name)-1]] = true
	}
	ends['.'], ends['x'] = true, true // "0x" is zero
	return ends
}()

// isPrivateHost reports whether a host in lower case is a name for private use, or what programs
// may read as the address of a private host.
func isPrivateHost(host []byte) bool {
	if isPrivateName(host) {
		return true
	}
	if !endsInNumber(host) {
		return false
	}
	address, ok := whatwg.ParseIPv4(host)
	return ok && isPrivateIPv4(address)
}

// isSpecial reports whether a scheme in lower case is one of the URL standard's special schemes
// (section 4.2).
func isSpecial(name []byte) bool {
	switch string(name) {
	case "http", "https", "ws", "wss", "ftp", "file":
		return true
	}
	return false
}

// tellAddress tells of a host that is an address, or that the URL standard reads as one.
func (n *Normalizer) tellAddress(host []byte, r *Result) {
	if host[0] == '[' {
		switch address, bad := parseLiteral(host); {
		case host[1]|0x20 == 'v': // IPvFuture (RFC 3986 section 3.2.2), which the URL standard refuses
			r.Flags |= FlagHostDiffers
		case bad < 0 && address.isPrivate():
			r.Flags |= FlagPrivateHost
		}
		return
	}
	address, ok := whatwg.ParseIPv4(host)
	if ok && isPrivateIPv4(address) {
		r.Flags |= FlagPrivateHost
	}
	if r.Flags&FlagNumericHost != 0 {
		r.Flags |= FlagHostDiffers // there, it is an address in another form, or refused
	}
}

// isPrivateName reports whether a name in lower case is one for private use, or below one.
func isPrivateName(host []byte) bool {
	host = bytes.TrimSuffix(host, []byte{'.'})
	for _, name := range privateNames {
		if rest := len(host) - len(name); rest >= 0 && string(host[rest:]) == name && (rest == 0 || host[rest-1] == '.') {
			return rest > 0 || name == "localhost"
		}
	}
	return false
}

func isRegName(host []byte) bool {
	for i, c := range host {
		if !uri.Is(c, uri.RegName) && !uri.IsEscape(host, i) {
			return false
		}
	}
	return true
}

// privateIPv4 are the blocks that are not globally reachable (IANA IPv4 Special-Purpose Address
// Registry), as first address and prefix length; 192.0.0.0/24 with the exceptions of 192.0.0.9 and
// 192.0.0.10, and those blocks that are meant for one network alone.
var privateIPv4 = [...]struct {
	first  uint32
	prefix int
}{
	{0x00000000, 8},  // 0.0.0.0, RFC 791 section 3.2
	{0x0A000000, 8},  // 10.0.0.0, RFC 1918
	{0x64400000, 10}, // 100.64.0.0, RFC 6598
	{0x7F000000, 8},  // 127.0.0.0, RFC 1122 section 3.2.1.3
	{0xA9FE0000, 16}, // 169.254.0.0, RFC 3927
	{0xAC100000, 12}, // 172.16.0.0, RFC 1918
	{0xC0000000, 24}, // 192.0.0.0, RFC 6890 section 2.1
	{0xC0000200, 24}, // 192.0.2.0, RFC 5737
	{0xC0A80000, 16}, // 192.168.0.0, RFC 1918
	{0xC6120000, 15}, // 198.18.0.0, RFC 2544
	{0xC6336400, 24}, // 198.51.100.0, RFC 5737
	{0xCB007100, 24}, // 203.0.113.0, RFC 5737
	{0xF0000000, 4},  // 240.0.0.0, RFC 1112 section 4, and 255.255.255.255
}

func isPrivateIPv4(address uint32) bool {
	if address == 0xC0000009 || address == 0xC000000A { // RFC 7723, RFC 8155
		return false
	}
	for _, b := range privateIPv4 {
		if address>>(32-b.prefix) == b.first>>(32-b.prefix) {
			return true
		}
	}
	return false
}

// isPrivate reports whether an address is not globally reachable (IANA IPv6 Special-Purpose Address
// Registry), or stands for an IPv4 address that isn't.
func (a *ipv6) isPrivate() bool {
	low := uint32(a[6])<<16 | uint32(a[7])
	switch {
	case a[0]|a[1]|a[2]|a[3]|a[4] == 0 && (a[5] == 0xFFFF || a[5] == 0):
		return isPrivateIPv4(low) // IPv4-mapped and IPv4-compatible, RFC 4291 section 2.5.5, with :: and ::1
	case a[0] == 0x64 && a[1] == 0xFF9B && a[2]|a[3]|a[4]|a[5] == 0: // RFC 6052
		return isPrivateIPv4(low)
	case a[0] == 0x2002: // RFC 3056
		return isPrivateIPv4(uint32(a[1])<<16 | uint32(a[2]))
	case a[0] == 0x64 && a[1] == 0xFF9B && a[2] == 1, // RFC 8215
		a[0] == 0x100 && a[1]|a[2]|a[3] == 0,                       // RFC 6666
		a[0] == 0x2001 && a[1] == 0xDB8,                            // RFC 3849
		a[0] == 0x2001 && a[1] < 0x200 && !a.isReachableProtocol(), // RFC 2928
		a[0] == 0x3FFF && a[1] < 0x1000,                            // RFC 9637
		a[0] == 0x5F00,                                             // RFC 9602
		a[0]&0xFE00 == 0xFC00,                                      // RFC 4193
		a[0]&0xFF80 == 0xFE80:                                      // RFC 4291 section 2.5.6, and fec0::, RFC 3879
		return true
	}
	return false
}

// isReachableProtocol reports whether an address of 2001::/23, the IETF protocol assignments, is in
// one of the blocks there that are globally reachable all the same.
func (a *ipv6) isReachableProtocol() bool {
	return a[1] == 1 && a[2]|a[3]|a[4]|a[5]|a[6] == 0 && 1 <= a[7] && a[7] <= 3 || // RFC 7723, RFC 8155, RFC 9665
		a[1] == 3 || // RFC 7450
		a[1] == 4 && a[2] == 0x112 || // RFC 7535
		a[1]&0xFFF0 == 0x20 || // RFC 7343
		a[1]&0xFFF0 == 0x30 // RFC 9374
}

// teller knows what is remarkable about hosts with A-labels, and remembers the latest.
type teller struct {
	cache  []toldHost // nil until the first; direct-mapped
	domain *uts46.Processor
	label  []rune
	ascii  []byte
}

type toldHost struct {
	host  []byte
	flags Flags
}

// toldHosts is the number of hosts that a teller remembers, a power of two.
const toldHosts = 1024

// flags are those of a canonical host with an A-label.
func (t *teller) flags(n *Normalizer, host []byte) Flags {
	if t.cache == nil {
		t.cache = make([]toldHost, toldHosts)
		t.domain = whatwg.NewDomainToASCII()
	}
	if len(host) > cachedHostBytes {
		return t.flagsOf(n, host)
	}
	hash := uint32(2166136261) // FNV-1a
	for _, c := range host {
		hash = (hash ^ uint32(c)) * 16777619
	}
	slot := &t.cache[hash%toldHosts]
	if !bytes.Equal(slot.host, host) {
		slot.host, slot.flags = append(slot.host[:0], host...), t.flagsOf(n, host)
	}
	return slot.flags
}

func (t *teller) flagsOf(n *Normalizer, host []byte) (flags Flags) {
	for rest, more := host, true; more; {
		var label []byte
		label, rest, more = bytes.Cut(rest, []byte{'.'})
		if !isALabel(label) || len(label) > maxLabel {
			continue
		}
		var ok bool
		if t.label, ok = t.domain.AppendDecoded(t.label[:0], label); !ok {
			continue
		}
		var told uts39.Label
		for _, c := range t.label {
			told.Add(c)
		}
		if told.Mixed() {
			flags |= FlagMixedScriptHost
		}
		if told.Invisible() {
			flags |= FlagInvisibleHost
		}
	}
	var result uts46.Result
	if t.ascii, result = t.domain.AppendASCII(t.ascii[:0], host); result.Fault != uts46.NoFault || !bytes.Equal(t.ascii, host) {
		flags |= FlagHostDiffers
	}
	if n.web != nil {
		if mapped := n.mapper.mapped(host); mapped.bad >= 0 || !bytes.Equal(mapped.ascii, host) {
			flags |= FlagHostDiffers
		}
	}
	return flags
}

// holdsInvisible reports whether a text in UTF-8 holds a code point that nobody sees.
func holdsInvisible(text []byte) bool {
	for len(text) > 0 {
		c, size := utf8.DecodeRune(text)
		if uts39.IsInvisible(c) {
			return true
		}
		text = text[size:]
	}
	return false
}
