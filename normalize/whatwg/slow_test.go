package whatwg

import (
	"math/big"
	"strconv"
	"strings"
)

// This file is the URL standard's basic URL parser, host parsers and serializers, transcribed
// step by step, on code points, with lists and strings and no thought of speed: the twin that
// the package is held against. The names are the standard's.

type slowHost struct {
	kind  HostKind
	text  string
	ipv4  uint32
	ipv6  [8]uint16
	isSet bool
}

type slowURL struct {
	scheme, username, password string
	host                       slowHost
	port                       int // -1: null
	path                       []string
	opaquePath                 *string
	query, fragment            *string
}

type slowParser struct {
	toASCII func(dst, domain []byte) (out []byte, ok, strict bool)
	encoder *queryEncoder
	errs    Errors
}

func (u *slowURL) isSpecial() bool { return slowDefaultPort(u.scheme) != -2 }

// slowDefaultPort is -2 for what is no special scheme, -1 for null.
func slowDefaultPort(scheme string) int {
	switch scheme {
	case "ftp":
		return 21
	case "file":
		return -1
	case "http", "ws":
		return 80
	case "https", "wss":
		return 443
	}
	return -2
}

func (u *slowURL) shorten() {
	if u.scheme == "file" && len(u.path) == 1 && slowNormalizedDrive(u.path[0]) {
		return
	}
	if len(u.path) > 0 {
		u.path = u.path[:len(u.path)-1]
	}
}

func slowAlpha(c rune) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func slowDigit(c rune) bool { return c >= '0' && c <= '9' }
func slowHex(c rune) bool   { return slowDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }

func slowDrive(s []rune) bool {
	return len(s) == 2 && slowAlpha(s[0]) && (s[1] == ':' || s[1] == '|')
}
func slowNormalizedDrive(s string) bool { return slowDrive([]rune(s)) && s[1] == ':' }
func slowStartsWithDrive(s []rune) bool {
	return len(s) >= 2 && slowDrive(s[:2]) && (len(s) == 2 || strings.ContainsRune("/\\?#", s[2]))
}

func slowURLCodePoint(c rune) bool {
	if slowAlpha(c) || slowDigit(c) || strings.ContainsRune("!$&'()*+,-./:;=?@_~", c) {
		return true
	}
	if c < 0xA0 || c > 0x10FFFD || c >= 0xD800 && c <= 0xDFFF {
		return false
	}
	return !(c >= 0xFDD0 && c <= 0xFDEF) && c&0xFFFE != 0xFFFE
}

func slowInC0(c rune) bool       { return c <= 0x1F || c > 0x7E }
func slowInFragment(c rune) bool { return slowInC0(c) || strings.ContainsRune(" \"<>`", c) }
func slowInQuery(c rune) bool    { return slowInC0(c) || strings.ContainsRune(" \"#<>", c) }
func slowInSpecialQuery(c rune) bool {
	return slowInQuery(c) || c == '\''
}
func slowInPath(c rune) bool     { return slowInQuery(c) || strings.ContainsRune("?^`{}", c) }
func slowInUserinfo(c rune) bool { return slowInPath(c) || strings.ContainsRune("/:;=@[\\]|", c) }

func slowEncode(s string, in func(rune) bool) string {
	var b strings.Builder
	for _, c := range s {
		if !in(c) {
			b.WriteRune(c)
			continue
		}
		for _, x := range []byte(string(c)) {
			b.WriteString("%" + strings.ToUpper(strconv.FormatUint(uint64(x)+0x100, 16)[1:]))
		}
	}
	return b.String()
}

// slowDecodeUTF8 is UTF-8 decode without BOM, after the decoder of the Encoding standard.
func slowDecodeUTF8(in []byte) (out []rune, ill bool) {
	var point rune
	seen, needed := 0, 0
	lower, upper := byte(0x80), byte(0xBF)
	for i := 0; i < len(in); i++ {
		b := in[i]
		if needed == 0 {
			switch {
			case b <= 0x7F:
				out = append(out, rune(b))
			case b >= 0xC2 && b <= 0xDF:
				needed, point = 1, rune(b&0x1F)
			case b >= 0xE0 && b <= 0xEF:
				if b == 0xE0 {
					lower = 0xA0
				}
				if b == 0xED {
					upper = 0x9F
				}
				needed, point = 2, rune(b&0xF)
			case b >= 0xF0 && b <= 0xF4:
				if b == 0xF0 {
					lower = 0x90
				}
				if b == 0xF4 {
					upper = 0x8F
				}
				needed, point = 3, rune(b&0x7)
			default:
				out, ill = append(out, 0xFFFD), true
			}
			continue
		}
		if b < lower || b > upper {
			point, seen, needed, lower, upper = 0, 0, 0, 0x80, 0xBF
			out, ill = append(out, 0xFFFD), true
			i--
			continue
		}
		lower, upper = 0x80, 0xBF
		point = point<<6 | rune(b&0x3F)
		if seen++; seen == needed {
			out = append(out, point)
			point, seen, needed = 0, 0, 0
		}
	}
	if needed != 0 {
		out, ill = append(out, 0xFFFD), true
	}
	return out, ill
}

func (p *slowParser) unit(c rune, remaining []rune) {
	if !slowURLCodePoint(c) && c != '%' {
		p.errs |= InvalidURLUnit
	}
	if c == '%' && !(len(remaining) >= 2 && slowHex(remaining[0]) && slowHex(remaining[1])) {
		p.errs |= InvalidURLUnit
	}
}

const slowForbiddenHost = "\x00\t\n\r #/:<>?@[\\]^|"

func slowForbiddenDomain(c rune) bool {
	return strings.ContainsRune(slowForbiddenHost, c) || c <= 0x1F || c == '%' || c == 0x7F
}

// parseHost is the host parser.
func (p *slowParser) parseHost(input string, isOpaque bool) (slowHost, Failure) {
	if strings.HasPrefix(input, "[") {
		if !strings.HasSuffix(input, "]") {
			p.errs |= IPv6Unclosed
			return slowHost{}, BadIPv6
		}
		address, ok := p.parseIPv6([]rune(input[1 : len(input)-1]))
		if !ok {
			return slowHost{}, BadIPv6
		}
		return slowHost{kind: HostIPv6, ipv6: address, isSet: true}, OK
	}
	if isOpaque {
		if strings.ContainsAny(input, slowForbiddenHost) {
			p.errs |= HostInvalidCodePoint
			return slowHost{}, BadOpaqueHost
		}
		points := []rune(input)
		for i, c := range points {
			p.unit(c, points[i+1:])
		}
		return slowHost{kind: HostOpaque, text: slowEncode(input, slowInC0), isSet: true}, OK
	}
	var decoded []byte
	for i := 0; i < len(input); i++ {
		if input[i] == '%' && i+2 < len(input) && slowHex(rune(input[i+1])) && slowHex(rune(input[i+2])) {
			p.errs |= DomainPercentEncoded
			v, _ := strconv.ParseUint(input[i+1:i+3], 16, 8)
			decoded = append(decoded, byte(v))
			i += 2
		} else {
			decoded = append(decoded, input[i])
		}
	}
	points, _ := slowDecodeUTF8(decoded)
	domain := string(points)
	ascii := true
	for _, c := range points {
		ascii = ascii && c < 0x80
	}
	out, ok, strict := p.toASCII(nil, []byte(domain))
	if !strict {
		p.errs |= DomainToASCII
	}
	result := string(out)
	if ascii {
		result = strings.ToLower(domain)
	} else if !ok {
		return slowHost{}, BadDomain
	}
	if result == "" {
		return slowHost{}, EmptyDomain
	}
	if strings.ContainsFunc(result, slowForbiddenDomain) {
		return slowHost{}, ForbiddenDomainByte
	}
	if !p.endsInNumber(result) {
		return slowHost{kind: HostDomain, text: result, isSet: true}, OK
	}
	if !ascii {
		p.errs |= IPv4NonASCIIInput
	}
	address, ok := p.parseIPv4(result)
	if !ok {
		return slowHost{}, BadIPv4
	}
	return slowHost{kind: HostIPv4, ipv4: address, isSet: true}, OK
}

func (p *slowParser) endsInNumber(input string) bool {
	parts := strings.Split(input, ".")
	if parts[len(parts)-1] == "" {
		if len(parts) == 1 {
			return false
		}
		parts = parts[:len(parts)-1]
	}
	last := parts[len(parts)-1]
	if last != "" && strings.Trim(last, "0123456789") == "" {
		return true
	}
	_, _, ok := slowIPv4Number(last)
	return ok
}

func (p *slowParser) parseIPv4(input string) (uint32, bool) {
	parts := strings.Split(input, ".")
	if parts[len(parts)-1] == "" {
		p.errs |= IPv4EmptyPart
		if len(parts) > 1 {
			parts = parts[:len(parts)-1]
		}
	}
	if len(parts) < 4 {
		p.errs |= IPv4TooFewParts
	}
	if len(parts) > 4 {
		p.errs |= IPv4TooManyParts
		return 0, false
	}
	var numbers []*big.Int
	for _, part := range parts {
		n, invalid, ok := slowIPv4Number(part)
		if !ok {
			p.errs |= IPv4NonNumericPart
			return 0, false
		}
		if invalid {
			p.errs |= IPv4NonDecimalPart
		}
		numbers = append(numbers, n)
	}
	ok := true
	for i, n := range numbers {
		if n.Cmp(big.NewInt(255)) > 0 {
			p.errs |= IPv4OutOfRangePart
			if i < len(numbers)-1 {
				ok = false
			}
		}
	}
	if !ok {
		return 0, false
	}
	last := numbers[len(numbers)-1]
	if last.Cmp(new(big.Int).Exp(big.NewInt(256), big.NewInt(int64(5-len(numbers))), nil)) >= 0 {
		return 0, false
	}
	ipv4 := last.Uint64()
	for counter, n := range numbers[:len(numbers)-1] {
		ipv4 += n.Uint64() << (8 * (3 - counter))
	}
	return uint32(ipv4), true
}

func slowIPv4Number(input string) (n *big.Int, invalid, ok bool) {
	if input == "" {
		return nil, false, false
	}
	radix, digits := 10, "0123456789"
	if len(input) >= 2 && (input[:2] == "0x" || input[:2] == "0X") {
		invalid, input, radix, digits = true, input[2:], 16, "0123456789abcdefABCDEF"
	} else if len(input) >= 2 && input[0] == '0' {
		invalid, input, radix, digits = true, input[1:], 8, "01234567"
	}
	if input == "" {
		return new(big.Int), true, true
	}
	if strings.Trim(input, digits) != "" {
		return nil, false, false
	}
	n, ok = new(big.Int).SetString(input, radix)
	return n, invalid, ok
}

func (p *slowParser) parseIPv6(input []rune) (address [8]uint16, ok bool) {
	const eof = rune(-1)
	pieceIndex, compress, pointer := 0, -1, 0
	at := func(i int) rune {
		if i < len(input) {
			return input[i]
		}
		return eof
	}
	fail := func(e Errors) ([8]uint16, bool) { p.errs |= e; return address, false }
	if at(pointer) == ':' {
		if at(pointer+1) != ':' {
			return fail(IPv6InvalidCompression)
		}
		pointer += 2
		pieceIndex++
		compress = pieceIndex
	}
	for at(pointer) != eof {
		if pieceIndex == 8 {
			return fail(IPv6TooManyPieces)
		}
		if at(pointer) == ':' {
			if compress != -1 {
				return fail(IPv6MultipleCompression)
			}
			pointer++
			pieceIndex++
			compress = pieceIndex
			continue
		}
		value, length := 0, 0
		for length < 4 && slowHex(at(pointer)) {
			v, _ := strconv.ParseInt(string(at(pointer)), 16, 32)
			value = value*0x10 + int(v)
			pointer++
			length++
		}
		if at(pointer) == '.' {
			if length == 0 {
				return fail(IPv4InIPv6InvalidCodePoint)
			}
			pointer -= length
			if pieceIndex > 6 {
				return fail(IPv4InIPv6TooManyPieces)
			}
			numbersSeen := 0
			for at(pointer) != eof {
				ipv4Piece := -1
				if numbersSeen > 0 {
					if at(pointer) != '.' || numbersSeen >= 4 {
						return fail(IPv4InIPv6InvalidCodePoint)
					}
					pointer++
				}
				if !slowDigit(at(pointer)) {
					return fail(IPv4InIPv6InvalidCodePoint)
				}
				for slowDigit(at(pointer)) {
					number := int(at(pointer) - '0')
					switch ipv4Piece {
					case -1:
						ipv4Piece = number
					case 0:
						return fail(IPv4InIPv6InvalidCodePoint)
					default:
						ipv4Piece = ipv4Piece*10 + number
					}
					if ipv4Piece > 255 {
						return fail(IPv4InIPv6OutOfRangePart)
					}
					pointer++
				}
				address[pieceIndex] = address[pieceIndex]*0x100 + uint16(ipv4Piece)
				numbersSeen++
				if numbersSeen == 2 || numbersSeen == 4 {
					pieceIndex++
				}
			}
			if numbersSeen != 4 {
				return fail(IPv4InIPv6TooFewParts)
			}
			break
		} else if at(pointer) == ':' {
			pointer++
			if at(pointer) == eof {
				return fail(IPv6InvalidCodePoint)
			}
		} else if at(pointer) != eof {
			return fail(IPv6InvalidCodePoint)
		}
		if length > 1 && value < 1<<(4*(length-1)) {
			p.errs |= IPv6PieceLeadingZero
		}
		address[pieceIndex] = uint16(value)
		pieceIndex++
	}
	if compress != -1 {
		swaps := pieceIndex - compress
		pieceIndex = 7
		for pieceIndex != 0 && swaps > 0 {
			j := compress + swaps - 1
			address[pieceIndex], address[j] = address[j], address[pieceIndex]
			pieceIndex--
			swaps--
		}
	} else if pieceIndex != 8 {
		return fail(IPv6TooFewPieces)
	}
	return address, true
}

func (h slowHost) serialize() string {
	switch h.kind {
	case HostIPv4:
		out, n := "", h.ipv4
		for i := 1; i <= 4; i++ {
			out = strconv.Itoa(int(n%256)) + out
			if i != 4 {
				out = "." + out
			}
			n /= 256
		}
		return out
	case HostIPv6:
		return "[" + slowSerializeIPv6(h.ipv6) + "]"
	}
	return h.text
}

func slowSerializeIPv6(address [8]uint16) string {
	longestIndex, longestSize, foundIndex, foundSize := -1, 1, -1, 0
	for i, piece := range address {
		if piece != 0 {
			if foundSize > longestSize {
				longestIndex, longestSize = foundIndex, foundSize
			}
			foundIndex, foundSize = -1, 0
		} else {
			if foundIndex == -1 {
				foundIndex = i
			}
			foundSize++
		}
	}
	compress := longestIndex
	if foundSize > longestSize {
		compress = foundIndex
	}
	out, ignore0 := "", false
	for i, piece := range address {
		if ignore0 && piece == 0 {
			continue
		}
		ignore0 = false
		if compress == i {
			if i == 0 {
				out += "::"
			} else {
				out += ":"
			}
			ignore0 = true
			continue
		}
		out += strconv.FormatUint(uint64(piece), 16)
		if i != 7 {
			out += ":"
		}
	}
	return out
}

// serialize is the URL serializer.
func (u *slowURL) serialize() string {
	out := u.scheme + ":"
	if u.host.isSet {
		out += "//"
		if u.username != "" || u.password != "" {
			out += u.username
			if u.password != "" {
				out += ":" + u.password
			}
			out += "@"
		}
		out += u.host.serialize()
		if u.port >= 0 {
			out += ":" + strconv.Itoa(u.port)
		}
	}
	if !u.host.isSet && u.opaquePath == nil && len(u.path) > 1 && u.path[0] == "" {
		out += "/."
	}
	if u.opaquePath != nil {
		out += *u.opaquePath
	} else {
		for _, segment := range u.path {
			out += "/" + segment
		}
	}
	if u.query != nil {
		out += "?" + *u.query
	}
	if u.fragment != nil {
		out += "#" + *u.fragment
	}
	return out
}
