package whatwg

import (
	"bytes"
	"strconv"
)

// endsInNumber is the ends in a number checker (section 3.5). domain is not empty, and in lower
// case.
func endsInNumber(domain []byte) bool {
	if domain[len(domain)-1] == '.' {
		domain = domain[:len(domain)-1]
	}
	last := domain[bytes.LastIndexByte(domain, '.')+1:]
	if len(last) == 0 || !isDigit(last[0]) {
		return false
	}
	if len(last) >= 2 && last[0] == '0' && last[1] == 'x' {
		for _, b := range last[2:] {
			if _, ok := unhex(b); !ok {
				return false
			}
		}
		return true
	}
	for _, b := range last {
		if !isDigit(b) {
			return false
		}
	}
	return true
}

// ParseIPv4 reads a domain in lower case that ends in a number as the IPv4 address that it is, in all
// the forms that section 3.5 takes. ok is false for a domain that does not end in a number, and where
// the URL standard refuses it.
func ParseIPv4(domain []byte) (address uint32, ok bool) {
	if len(domain) == 0 || !endsInNumber(domain) {
		return 0, false
	}
	address, _, ok = parseIPv4(domain)
	return address, ok
}

// parseIPv4 is the IPv4 parser (section 3.5) on a domain in lower case.
func parseIPv4(domain []byte) (address uint32, errs Errors, ok bool) {
	if domain[len(domain)-1] == '.' {
		errs |= IPv4EmptyPart
		if len(domain) > 1 {
			domain = domain[:len(domain)-1]
		}
	}
	count := 1 + bytes.Count(domain, []byte{'.'})
	switch {
	case count < 4:
		errs |= IPv4TooFewParts
	case count > 4:
		return 0, errs | IPv4TooManyParts, false
	}
	var numbers [4]uint64
	for i := range count {
		part, rest, _ := bytes.Cut(domain, []byte{'.'})
		n, e, ok := parseIPv4Number(part)
		errs |= e
		if !ok {
			return 0, errs | IPv4NonNumericPart, false
		}
		numbers[i] = n
		domain = rest
	}
	last := count - 1
	ok = numbers[last] < 1<<(8*(5-count))
	for i, n := range numbers[:count] {
		if n > 255 {
			errs |= IPv4OutOfRangePart
			ok = ok && i == last
		}
	}
	if !ok {
		return 0, errs, false
	}
	address = uint32(numbers[last])
	for i, n := range numbers[:last] {
		address += uint32(n) << (8 * (3 - i))
	}
	return address, errs, true
}

// parseIPv4Number is the IPv4 number parser (section 3.5). A number that is too big for any
// address comes back as 1<<32.
func parseIPv4Number(s []byte) (n uint64, errs Errors, ok bool) {
	if len(s) == 0 {
		return 0, 0, false
	}
	radix := byte(10)
	switch {
	case len(s) >= 2 && s[0] == '0' && s[1]|0x20 == 'x':
		s, radix, errs = s[2:], 16, IPv4NonDecimalPart
	case len(s) >= 2 && s[0] == '0':
		s, radix, errs = s[1:], 8, IPv4NonDecimalPart
	}
	for _, b := range s {
		v, hex := unhex(b)
		if !hex || v >= radix {
			return 0, 0, false
		}
		n = min(n*uint64(radix)+uint64(v), 1<<32)
	}
	return n, errs, true
}

// appendIPv4 is the IPv4 serializer (section 3.6).
func appendIPv4(dst []byte, address uint32) []byte {
	for shift := 24; ; shift -= 8 {
		dst = strconv.AppendUint(dst, uint64(address>>shift&255), 10)
		if shift == 0 {
			return dst
		}
		dst = append(dst, '.')
	}
}

// parseIPv6 is the IPv6 parser (section 3.5) on what stands between the brackets. at is the offset
// of the byte at which it fails.
func parseIPv6(s []byte) (address [8]uint16, errs Errors, at int, ok bool) {
	piece, compress, i := 0, -1, 0
	if len(s) > 0 && s[0] == ':' {
		if len(s) < 2 || s[1] != ':' {
			return address, IPv6InvalidCompression, 0, false
		}
		i, piece, compress = 2, 1, 1
	}
	for i < len(s) {
		if piece == 8 {
			return address, errs | IPv6TooManyPieces, i, false
		}
		if s[i] == ':' {
			if compress >= 0 {
				return address, errs | IPv6MultipleCompression, i, false
			}
			i++
			piece++
			compress = piece
			continue
		}
		value, length := uint16(0), 0
		for length < 4 && i < len(s) {
			v, hex := unhex(s[i])
			if !hex {
				break
			}
			value = value<<4 | uint16(v)
			i++
			length++
		}
		if i < len(s) && s[i] == '.' {
			e, n := parseIPv4InIPv6(s, i-length, length, piece, &address)
			if errs |= e; e != 0 {
				return address, errs, n, false
			}
			piece += 2
			break
		}
		switch {
		case i < len(s) && s[i] == ':':
			if i++; i == len(s) {
				return address, errs | IPv6InvalidCodePoint, i - 1, false
			}
		case i < len(s):
			return address, errs | IPv6InvalidCodePoint, i, false
		}
		if length > 1 && value < 1<<(4*(length-1)) {
			errs |= IPv6PieceLeadingZero
		}
		address[piece] = value
		piece++
	}
	if compress >= 0 {
		tail := address[compress:piece]
		copy(address[8-len(tail):], tail)
		clear(address[compress:min(8-(piece-compress), 8)])
		return address, errs, 0, true
	}
	if piece != 8 {
		return address, errs | IPv6TooFewPieces, len(s), false
	}
	return address, errs, 0, true
}

// parseIPv4InIPv6 takes the dotted end of an IPv6 address from s[i:] into two pieces of address.
// length is how many hex digits stood before the first dot; the offset is where it failed.
func parseIPv4InIPv6(s []byte, i, length, piece int, address *[8]uint16) (Errors, int) {
	if length == 0 {
		return IPv4InIPv6InvalidCodePoint, i
	}
	if piece > 6 {
		return IPv4InIPv6TooManyPieces, i
	}
	seen := 0
	for i < len(s) {
		if seen > 0 {
			if s[i] != '.' || seen == 4 {
				return IPv4InIPv6InvalidCodePoint, i
			}
			i++
		}
		if i == len(s) || !isDigit(s[i]) {
			return IPv4InIPv6InvalidCodePoint, i
		}
		value := uint16(0)
		for first := true; i < len(s) && isDigit(s[i]); first = false {
			if !first && value == 0 {
				return IPv4InIPv6InvalidCodePoint, i
			}
			if value = value*10 + uint16(s[i]-'0'); value > 255 {
				return IPv4InIPv6OutOfRangePart, i
			}
			i++
		}
		address[piece+seen/2] = address[piece+seen/2]<<8 | value
		seen++
	}
	if seen != 4 {
		return IPv4InIPv6TooFewParts, i
	}
	return 0, 0
}

// appendIPv6 is the IPv6 serializer (section 3.6), with the brackets of the host serializer.
func appendIPv6(dst []byte, address [8]uint16) []byte {
	from, to := longestZeros(address)
	dst = append(dst, '[')
	for i := 0; i < 8; i++ {
		if i == from {
			if i == 0 {
				dst = append(dst, ':')
			}
			dst = append(dst, ':')
			i = to - 1
			continue
		}
		dst = strconv.AppendUint(dst, uint64(address[i]), 16)
		if i < 7 {
			dst = append(dst, ':')
		}
	}
	return append(dst, ']')
}

// longestZeros finds the first longest run of at least two zero pieces; from is -1 without one.
func longestZeros(address [8]uint16) (from, to int) {
	from = -1
	for i := 0; i < 8; i++ {
		j := i
		for j < 8 && address[j] == 0 {
			j++
		}
		if j-i > 1 && (from < 0 || j-i > to-from) {
			from, to = i, j
		}
		i = j
	}
	return from, to
}
