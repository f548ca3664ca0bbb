// Package jsonscan reads JSON texts (RFC 8259) byte by byte, without a copy and without a tree: whoever uses it decides at
// each value whether to look into it or to skip it. It keeps the bytes of strings, valid UTF-8 or not, and no
// input is too deep for it.
package jsonscan

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// Scan reads one JSON text. Its methods that give a bool say whether the text goes on as JSON; if not, Pos is the
// offset of the first byte that can't be. The zero value with Data is ready; Data and Pos may be set anew.
type Scan struct {
	Data  []byte
	Pos   int
	stack []byte // the open brackets of Skip
}

// Space skips white space and gives the next byte, 0 at the end.
func (s *Scan) Space() byte {
	for s.Pos < len(s.Data) {
		switch c := s.Data[s.Pos]; c {
		case ' ', '\t', '\n', '\r':
			s.Pos++
		default:
			return c
		}
	}
	return 0
}

// Take skips c, which has to be next.
func (s *Scan) Take(c byte) bool {
	if s.Space() != c || s.Pos >= len(s.Data) {
		return false
	}
	s.Pos++
	return true
}

// Skip reads any one value. It keeps the open brackets on a stack of its own: no recursion, so no
// input is too deep.
func (s *Scan) Skip() bool {
	s.stack = s.stack[:0]
	for {
		opened := false
		switch c := s.Space(); c {
		case '{', '[':
			s.Pos++
			s.stack = append(s.stack, c)
			if c == '{' {
				if s.Space() != '}' {
					if !s.member() {
						return false
					}
					opened = true
				}
			} else {
				opened = s.Space() != ']'
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
func (s *Scan) behindValue() (more, ok bool) {
	for len(s.stack) > 0 {
		top := s.stack[len(s.stack)-1]
		switch c := s.Space(); {
		case c == ',':
			s.Pos++
			return true, top == '[' || s.member()
		case c == '}' && top == '{', c == ']' && top == '[':
			s.Pos++
			s.stack = s.stack[:len(s.stack)-1]
		default:
			return false, false
		}
	}
	return false, true
}

// member reads the name of a member and its colon.
func (s *Scan) member() bool {
	if s.Space() != '"' {
		return false
	}
	_, _, ok := s.Text()
	return ok && s.Take(':')
}

// scalar reads a string, number, true, false or null that begins with c.
func (s *Scan) scalar(c byte) bool {
	switch {
	case c == '"':
		_, _, ok := s.Text()
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

func (s *Scan) word(w string) bool {
	for i := range len(w) {
		if s.Pos >= len(s.Data) || s.Data[s.Pos] != w[i] {
			return false
		}
		s.Pos++
	}
	return true
}

// number reads a number (RFC 8259 section 6).
func (s *Scan) number() bool {
	if s.Data[s.Pos] == '-' {
		s.Pos++
	}
	if s.Pos < len(s.Data) && s.Data[s.Pos] == '0' {
		s.Pos++
	} else if !s.digits() {
		return false
	}
	if s.Pos < len(s.Data) && s.Data[s.Pos] == '.' {
		s.Pos++
		if !s.digits() {
			return false
		}
	}
	if s.Pos < len(s.Data) && s.Data[s.Pos]|0x20 == 'e' {
		s.Pos++
		if s.Pos < len(s.Data) && (s.Data[s.Pos] == '+' || s.Data[s.Pos] == '-') {
			s.Pos++
		}
		return s.digits()
	}
	return true
}

func (s *Scan) digits() bool {
	from := s.Pos
	for s.Pos < len(s.Data) && s.Data[s.Pos] >= '0' && s.Data[s.Pos] <= '9' {
		s.Pos++
	}
	return s.Pos > from
}

// Text reads a string, whose opening quote is next, and gives its span between the quotes, and whether it has escapes.
func (s *Scan) Text() (from int, escaped, ok bool) {
	s.Pos++
	from = s.Pos
	for {
		s.Pos = plainEnd(s.Data, s.Pos)
		if s.Pos >= len(s.Data) {
			return from, escaped, false
		}
		switch s.Data[s.Pos] {
		case '"':
			s.Pos++
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
func (s *Scan) escape() bool {
	s.Pos++
	if s.Pos >= len(s.Data) {
		return false
	}
	switch s.Data[s.Pos] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.Pos++
		return true
	case 'u':
		s.Pos++
		for range 4 {
			if s.Pos >= len(s.Data) || Unhex(s.Data[s.Pos]) < 0 {
				return false
			}
			s.Pos++
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

// AppendUnescaped appends what a valid JSON string holds. A pair of surrogates becomes its
// character; a surrogate without its other half becomes the three bytes that UTF-8 would give it
// (0xED 0xA0 0x80 for \ud800): nothing is replaced, and different strings stay different.
func AppendUnescaped(dst, text []byte) []byte {
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
			dst = append(dst, Unescaped(text[i+1]))
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

// Unescaped is the character that a backslash and c stand for, but for c == 'u'.
func Unescaped(c byte) byte {
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
	return rune(Unhex(s[0])<<12 | Unhex(s[1])<<8 | Unhex(s[2])<<4 | Unhex(s[3]))
}

// Unhex is the value of a hex digit, -1 for another byte.
func Unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}
