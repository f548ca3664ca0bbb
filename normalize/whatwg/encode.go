package whatwg

import (
	"encoding/binary"
	"slices"
	"unicode/utf8"
)

const upperHex = "0123456789ABCDEF"

// appendEscape appends b as a percent-encoded byte.
func appendEscape(dst []byte, b byte) []byte {
	return append(dst, '%', upperHex[b>>4], upperHex[b&15])
}

// appendEncoded appends s, UTF-8 percent-encoded with the set (section 1.3). s is valid UTF-8. The
// errors are those of a state that looks at every code point: InvalidURLUnit or none.
func appendEncoded(dst, s []byte, set class) ([]byte, Errors) {
	var errs Errors
	stop := set | notURL | percent
	done := 0 // s[:done] is written
	for i := range s {
		c := classes[s[i]]
		if c&stop == 0 {
			continue
		}
		if errs == 0 && !isURLUnit(s[i:]) {
			errs = InvalidURLUnit
		}
		if c&set != 0 {
			dst = append(dst, s[done:i]...)
			dst = appendEscape(dst, s[i])
			done = i + 1
		}
	}
	return append(dst, s[done:]...), errs
}

// isURLUnit reports whether s, valid UTF-8 or the rest of a code point, begins with a URL code
// point or a percent-encoded byte (section 4.3). The rest of a code point counts as one: what
// there was to say was said at its first byte.
func isURLUnit(s []byte) bool {
	switch b := s[0]; {
	case b == '%':
		return isEscape(s)
	case b < utf8.RuneSelf:
		return classes[b]&notURL == 0
	case !utf8.RuneStart(b):
		return true
	}
	r, _ := utf8.DecodeRune(s)
	return r >= 0xA0 && !isNoncharacter(r)
}

// isNoncharacter reports whether r is a noncharacter (Infra, "code points").
func isNoncharacter(r rune) bool {
	return 0xFDD0 <= r && r <= 0xFDEF || r&0xFFFE == 0xFFFE
}

// isASCII reports whether s has no byte over 0x7F.
func isASCII(s []byte) bool {
	for len(s) >= 8 {
		if (uint64(s[0])|uint64(s[1])|uint64(s[2])|uint64(s[3])|uint64(s[4])|uint64(s[5])|uint64(s[6])|uint64(s[7]))&0x80 != 0 {
			return false
		}
		s = s[8:]
	}
	for _, b := range s {
		if b >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// isTrimmed reports whether b is a C0 control or space: they are removed at both ends.
func isTrimmed(b byte) bool { return b <= ' ' }

// isRemoved reports whether b is an ASCII tab or newline: they are removed everywhere.
func isRemoved(b byte) bool { return b == '\t' || b == '\n' || b == '\r' }

// trim removes leading and trailing C0 controls and spaces; skipped is how many led.
func trim(s []byte) (trimmed []byte, skipped int) {
	for skipped < len(s) && isTrimmed(s[skipped]) {
		skipped++
	}
	end := len(s)
	for end > skipped && isTrimmed(s[end-1]) {
		end--
	}
	return s[skipped:end], skipped
}

// needsClean reports whether s has tabs or newlines, or is not UTF-8. It takes eight bytes at a
// time as long as none is a control or over 0x7F.
func needsClean(s []byte) (tabs, ill bool) {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(s); i += 8 {
		// A byte under 0x20 borrows from its own high bit; what a borrow does to the byte above
		// can only make this say yes too often.
		if x := binary.LittleEndian.Uint64(s[i:]); (x|(x-0x20*ones))&high != 0 {
			return hasTabOrNewline(s[i:]), !utf8.Valid(s[i:])
		}
	}
	return hasTabOrNewline(s[i:]), !utf8.Valid(s[i:])
}

// hasTabOrNewline reports whether s has a byte that is removed.
func hasTabOrNewline(s []byte) bool {
	return slices.ContainsFunc(s, isRemoved)
}

// appendClean appends s as UTF-8 decode and encode leave it (ill-formed parts become U+FFFD), less
// tabs and newlines, and stops when it has written limit bytes; read is how many bytes of s it
// took. In this order: "\xE2\t\x82\xAC" has two ill-formed parts and a stray tail, and is not a
// euro sign.
func appendClean(dst, s []byte, limit int) (out []byte, read int) {
	start := len(dst)
	for read < len(s) && len(dst)-start < limit {
		n := maximalPart(s[read:])
		switch {
		case n < 0:
			n = -n
			dst = append(dst, "\uFFFD"...)
		case !isRemoved(s[read]):
			dst = append(dst, s[read:read+n]...)
		}
		read += n
	}
	return dst, read
}

// maximalPart is the length of the code point that s begins with; where s begins with none it is
// the length, negated, of the maximal part of one (Unicode section 3.9, definition of "maximal
// subpart"; it is what UTF-8 decode replaces by one U+FFFD).
func maximalPart(s []byte) int {
	if s[0] < utf8.RuneSelf {
		return 1
	}
	if r, n := utf8.DecodeRune(s); r != utf8.RuneError || n > 1 {
		return n
	}
	low, high, want := byte(0x80), byte(0xBF), 0
	switch b := s[0]; {
	case 0xC2 <= b && b <= 0xDF:
		want = 1
	case 0xE0 <= b && b <= 0xEF:
		want = 2
	case 0xF0 <= b && b <= 0xF4:
		want = 3
	default:
		return -1
	}
	switch s[0] {
	case 0xE0:
		low = 0xA0
	case 0xED:
		high = 0x9F
	case 0xF0:
		low = 0x90
	case 0xF4:
		high = 0x8F
	}
	n := 1
	for n <= want && n < len(s) && low <= s[n] && s[n] <= high {
		n++
		low, high = 0x80, 0xBF
	}
	return -n
}
