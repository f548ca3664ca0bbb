package sources

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// jsonScan reads one JSON text (RFC 8259) and keeps its bytes: what a string holds comes out as it
// is, valid UTF-8 or not. On a fault pos is the offset of the first byte that can't be.
type jsonScan struct {
	data  []byte
	pos   int
	stack []byte // the open brackets of skip
}

// space skips white space and gives the next byte, 0 at the end.
func (s *jsonScan) space() byte {
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; c {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return c
		}
	}
	return 0
}

// take skips c, which has to be next.
func (s *jsonScan) take(c byte) bool {
	if s.space() != c || s.pos >= len(s.data) {
		return false
	}
	s.pos++
	return true
}

// skip reads any one value. It keeps the open brackets on a stack of its own: no recursion, so no
// input is too deep.
func (s *jsonScan) skip() bool {
	s.stack = s.stack[:0]
	for {
		opened := false
		switch c := s.space(); c {
		case '{', '[':
			s.pos++
			s.stack = append(s.stack, c)
			if c == '{' {
				if s.space() != '}' {
					if !s.member() {
						return false
					}
					opened = true
				}
			} else {
				opened = s.space() != ']'
			}
		default:
			if !s.scalar(c) {
				return false
			}
		}
		if opened {
			continue
		}
		more, ok := s.behindValue()
		if !more || !ok {
			return ok
		}
	}
}

// behindValue closes brackets and skips a comma; more says that a value follows.
func (s *jsonScan) behindValue() (more, ok bool) {
	for len(s.stack) > 0 {
		top := s.stack[len(s.stack)-1]
		switch c := s.space(); {
		case c == ',':
			s.pos++
			return true, top == '[' || s.member()
		case c == '}' && top == '{', c == ']' && top == '[':
			s.pos++
			s.stack = s.stack[:len(s.stack)-1]
		default:
			return false, false
		}
	}
	return false, true
}

// member reads the name of a member and its colon.
func (s *jsonScan) member() bool {
	if s.space() != '"' {
		return false
	}
	_, _, ok := s.text()
	return ok && s.take(':')
}

// scalar reads a string, number, true, false or null that begins with c.
func (s *jsonScan) scalar(c byte) bool {
	switch {
	case c == '"':
		_, _, ok := s.text()
		return ok
	case c == 't':
		return s.word("true")
	case c == 'f':
		return s.word("false")
	case c == 'n':
		return s.word("null")
	case c == '-' || c >= '0' && c <= '9':
		return s.number()
	}
	return false
}

func (s *jsonScan) word(w string) bool {
	for i := range len(w) {
		if s.pos >= len(s.data) || s.data[s.pos] != w[i] {
			return false
		}
		s.pos++
	}
	return true
}

// number reads a number (RFC 8259 section 6).
func (s *jsonScan) number() bool {
	if s.data[s.pos] == '-' {
		s.pos++
	}
	if s.pos < len(s.data) && s.data[s.pos] == '0' {
		s.pos++
	} else if !s.digits() {
		return false
	}
	if s.pos < len(s.data) && s.data[s.pos] == '.' {
		s.pos++
		if !s.digits() {
			return false
		}
	}
	if s.pos < len(s.data) && s.data[s.pos]|0x20 == 'e' {
		s.pos++
		if s.pos < len(s.data) && (s.data[s.pos] == '+' || s.data[s.pos] == '-') {
			s.pos++
		}
		return s.digits()
	}
	return true
}

func (s *jsonScan) digits() bool {
	from := s.pos
	for s.pos < len(s.data) && s.data[s.pos] >= '0' && s.data[s.pos] <= '9' {
		s.pos++
	}
	return s.pos > from
}

// text reads a string and gives its span between the quotes, and whether it has escapes.
func (s *jsonScan) text() (from int, escaped, ok bool) {
	s.pos++
	from = s.pos
	for {
		s.pos = plainEnd(s.data, s.pos)
		if s.pos >= len(s.data) {
			return from, escaped, false
		}
		switch s.data[s.pos] {
		case '"':
			s.pos++
			return from, escaped, true
		case '\\':
			escaped = true
			if !s.escape() {
				return from, escaped, false
			}
		default: // a control character
			return from, escaped, false
		}
	}
}

// escape reads an escape (RFC 8259 section 7).
func (s *jsonScan) escape() bool {
	s.pos++
	if s.pos >= len(s.data) {
		return false
	}
	switch s.data[s.pos] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.pos++
		return true
	case 'u':
		s.pos++
		for range 4 {
			if s.pos >= len(s.data) || unhex(s.data[s.pos]) < 0 {
				return false
			}
			s.pos++
		}
		return true
	}
	return false
}

// plainEnd is the offset of the first quote, backslash or control character from pos on, eight
// bytes at a time.
func plainEnd(data []byte, pos int) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; pos+8 <= len(data); pos += 8 {
		w := binary.LittleEndian.Uint64(data[pos:])
		quote, slash := w^ones*'"', w^ones*'\\'
		// The lowest marked byte is right in each of the three; higher ones may be marked falsely.
		marks := ((quote-ones)&^quote | (slash-ones)&^slash | (w-ones*0x20)&^w) & tops
		if marks != 0 {
			return pos + bits.TrailingZeros64(marks)/8
		}
	}
	for pos < len(data) && data[pos] != '"' && data[pos] != '\\' && data[pos] >= 0x20 {
		pos++
	}
	return pos
}

// appendUnescaped appends what a valid JSON string holds. A pair of surrogates becomes its
// character; a surrogate without its other half becomes the three bytes that UTF-8 would give it
// (0xED 0xA0 0x80 for \ud800): nothing is replaced, and different strings stay different.
func appendUnescaped(dst, text []byte) []byte {
	for i := 0; i < len(text); {
		if text[i] != '\\' {
			end := i + 1
			for end < len(text) && text[end] != '\\' {
				end++
			}
			dst = append(dst, text[i:end]...)
			i = end
			continue
		}
		if text[i+1] != 'u' {
			dst = append(dst, unescaped(text[i+1]))
			i += 2
			continue
		}
		r := hex4(text[i+2:])
		i += 6
		if r >= 0xD800 && r < 0xDC00 && i+6 <= len(text) && text[i] == '\\' && text[i+1] == 'u' {
			if low := hex4(text[i+2:]); low >= 0xDC00 && low < 0xE000 {
				r = 0x10000 + (r-0xD800)<<10 + (low - 0xDC00)
				i += 6
			}
		}
		if r >= 0xD800 && r < 0xE000 {
			dst = append(dst, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
			continue
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

func unescaped(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

func hex4(s []byte) rune {
	return rune(unhex(s[0])<<12 | unhex(s[1])<<8 | unhex(s[2])<<4 | unhex(s[3]))
}

// unhex is the value of a hex digit, -1 for another byte.
func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}
