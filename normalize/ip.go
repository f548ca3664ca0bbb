package normalize

import (
	"strconv"

	"github.com/urisieve/urisieve/normalize/uri"
)

// ipv6 is an IPv6 address in its eight groups of 16 bits.
type ipv6 [8]uint16

// parseLiteral reads an IP literal with its brackets: an IPv6 address, or an address of a future
// version, for which address is zero. bad is the offset of the first byte that can't stand where
// it does, -1 if it is a literal. A zone (RFC 6874) isn't part of the grammar.
//
//	IP-literal = "[" ( IPv6address / IPvFuture  ) "]"
//	IPvFuture  = "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )
//
// Source: RFC 3986 section 3.2.2.
func parseLiteral(host []byte) (address ipv6, bad int) {
	if len(host) > 1 && host[1]|0x20 == 'v' {
		return ipv6{}, parseFuture(host)
	}
	address, end := parseIPv6(host, 1)
	if end == len(host)-1 && host[end] == ']' {
		return address, -1
	}
	return ipv6{}, min(max(end, -end), len(host)-1)
}

// parseFuture checks an address of a future version; see parseLiteral.
func parseFuture(host []byte) (bad int) {
	i := 2
	for i < len(host) && uri.Is(host[i], uri.HexDigit) {
		i++
	}
	if i == 2 || i == len(host) || host[i] != '.' {
		return min(i, len(host)-1)
	}
	first := i + 1
	for i = first; i < len(host) && (uri.Is(host[i], uri.RegName) || host[i] == ':'); i++ {
	}
	if i > first && i == len(host)-1 && host[i] == ']' {
		return -1
	}
	return min(i, len(host)-1)
}

// parseIPv6 reads an IPv6 address at text[i:] as far as it goes. end is where it ends, or minus
// the offset of the byte that spoils it.
//
// It has eight groups of one to four hexadecimal digits; the last two may be an IPv4 address; and
// once "::" may stand for one or more groups of zeros. Source: RFC 3986 section 3.2.2.
func parseIPv6(text []byte, i int) (address ipv6, end int) {
	count, gap := 0, -1
	if i+1 < len(text) && text[i] == ':' && text[i+1] == ':' {
		gap, i = 0, i+2
	}
	for count < 8 {
		value, next := parseGroup(text, i)
		if next == i { // no group here: good only after "::"
			if gap == count {
				break
			}
			return ipv6{}, -i
		}
		if next < len(text) && text[next] == '.' && count <= 6 {
			if after := parseIPv4(text, i); after > 0 {
				b := ipv4Bytes(text[i:after])
				address[count], address[count+1] = uint16(b[0])<<8|uint16(b[1]), uint16(b[2])<<8|uint16(b[3])
				count, i = count+2, after
				break
			}
			return ipv6{}, -next
		}
		address[count] = value
		count, i = count+1, next
		if i+1 < len(text) && text[i] == ':' && text[i+1] == ':' && gap < 0 {
			gap, i = count, i+2
			continue
		}
		if i >= len(text) || text[i] != ':' {
			break
		}
		if count == 8 {
			break
		}
		i++
	}
	if gap < 0 && count < 8 || gap >= 0 && count == 8 {
		return ipv6{}, -i
	}
	if gap >= 0 {
		tail := count - gap
		copy(address[8-tail:], address[gap:count])
		clear(address[gap : 8-tail])
	}
	return address, i
}

// parseGroup reads one to four hexadecimal digits at text[i:]; next is i if there are none.
func parseGroup(text []byte, i int) (value uint16, next int) {
	for next = i; next < len(text) && next < i+4 && uri.Is(text[next], uri.HexDigit); next++ {
		value = value<<4 | uint16(uri.Unhex(text[next]))
	}
	return value, next
}

// parseIPv4 is the end of the IPv4 address at text[i:], 0 if there is none: four numbers from 0 to
// 255 without leading zeros (RFC 3986 section 3.2.2, IPv4address).
func parseIPv4(text []byte, i int) (end int) {
	for part := range 4 {
		if part > 0 {
			if i >= len(text) || text[i] != '.' {
				return 0
			}
			i++
		}
		value, first := 0, i
		for i < len(text) && i < first+3 && uri.Is(text[i], uri.Digit) {
			value = value*10 + int(text[i]-'0')
			i++
		}
		if i == first || value > 255 || i > first+1 && text[first] == '0' {
			return 0
		}
	}
	return i
}

// isIPv4 reports whether all of host is an IPv4 address.
func isIPv4(host []byte) bool {
	return uri.Is(host[0], uri.Digit) && parseIPv4(host, 0) == len(host)
}

// ipv4Bytes are the four numbers of an IPv4 address.
func ipv4Bytes(text []byte) (b [4]byte) {
	part := 0
	for _, c := range text {
		if c == '.' {
			part++
		} else {
			b[part] = b[part]*10 + c - '0'
		}
	}
	return b
}

// appendText appends the recommended text of the address (RFC 5952): lower case, no leading zeros
// (4.1, 4.3), "::" for the longest run of two or more zero groups, the first of equals (4.2), and
// dotted decimal for an IPv4-mapped address (5).
func (a *ipv6) appendText(dst []byte) []byte {
	if *a == (ipv6{5: 0xffff, 6: a[6], 7: a[7]}) {
		dst = append(dst, "::ffff:"...)
		for i, b := range [4]uint16{a[6] >> 8, a[6] & 255, a[7] >> 8, a[7] & 255} {
			if i > 0 {
				dst = append(dst, '.')
			}
			dst = strconv.AppendUint(dst, uint64(b), 10)
		}
		return dst
	}
	gap, size := a.longestZeros()
	for i := 0; i < 8; i++ {
		if i == gap {
			dst = append(dst, "::"...)
			i += size - 1
			continue
		}
		if i > 0 && i != gap+size {
			dst = append(dst, ':')
		}
		dst = strconv.AppendUint(dst, uint64(a[i]), 16)
	}
	return dst
}

// longestZeros is the first longest run of at least two zero groups; gap is -1 if there is none.
func (a *ipv6) longestZeros() (gap, size int) {
	gap, size = -1, 1
	for from := 0; from < 8; from++ {
		to := from
		for to < 8 && a[to] == 0 {
			to++
		}
		if to-from > size {
			gap, size = from, to-from
		}
		from = max(from, to)
	}
	return gap, size
}
