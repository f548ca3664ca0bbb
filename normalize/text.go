package normalize

import (
	"unicode/utf8"

	"github.com/urisieve/urisieve/normalize/uri"
)

// appendText writes the text of a component with its escapes in their canonical form, and with
// what is not of the set escaped. Every byte is looked at once, and what one rule writes no other
// reads: nothing is ever escaped or unescaped twice (RFC 3986 section 2.4).
//
// It applies RuleEscapeStrayPercent, RuleEscapeEarlierAt, RuleDecodeUnreserved, RuleUpperHex,
// RuleEscapeIllegal, RuleEscapeBackslash and RuleEscapeNonASCII. No two of them touch the same byte, so
// one pass does what passes one after the other would do, if stray percents go first: "%%41" is "%25A".
func (r *run) appendText(text []byte, set uri.Class, c Component) {
	r.work += uint64(len(text))
	if r.trace != nil {
		r.traceText(text, set, c)
	}
	from, i := 0, min(r.canonical, len(text))
	r.canonical -= i
	for i < len(text) {
		if uri.Is(text[i], set) {
			i++
			continue
		}
		r.out = append(r.out, text[from:i]...)
		switch b := text[i]; {
		case b == '%':
			i = r.appendPercent(text, i)
		case b >= utf8.RuneSelf:
			i = r.appendNonASCII(text, i)
		default:
			r.appendIllegal(b, c)
			i++
		}
		from = i
	}
	r.out = append(r.out, text[from:]...)
}

// appendPercent writes the escape at text[i], or the stray percent, and returns where it ends.
//
//	%7E -> ~   an escaped unreserved character is decoded. Source: RFC 3986 section 6.2.2.2;
//	           RFC 2396 section 2.3, whose unreserved characters are more.
//	%c3 -> %C3 other escapes stay, their digits in upper case. Source: section 6.2.2.1.
//	%zz -> %25zz what is no escape is data. Source: section 2.4.
//
// Class: syntax.
func (r *run) appendPercent(text []byte, i int) int {
	if !uri.IsEscape(text, i) {
		if r.on&RuleEscapeStrayPercent == 0 {
			r.out = append(r.out, '%')
			return i + 1
		}
		r.result.Changed |= RuleEscapeStrayPercent
		r.result.Flags |= FlagStrayPercent
		r.out = append(r.out, "%25"...)
		return i + 1
	}
	high, low := text[i+1], text[i+2]
	b := uri.Unhex(high)<<4 | uri.Unhex(low)
	if uri.Is(b, r.n.marks) && r.on&RuleDecodeUnreserved != 0 {
		r.result.Changed |= RuleDecodeUnreserved
		r.out = append(r.out, b)
		return i + 3
	}
	if isControl(b) && r.on&RuleFlagControl != 0 {
		r.result.Flags |= FlagEscapedControl
	}
	if (high >= 'a' || low >= 'a') && r.on&RuleUpperHex != 0 {
		r.result.Changed |= RuleUpperHex
		r.out = appendEscape(r.out, b)
		return i + 3
	}
	r.out = append(r.out, text[i:i+3]...)
	return i + 3
}

// appendNonASCII writes the character at text[i] as escapes of its bytes, and returns where it
// ends. Bytes that are no UTF-8 are escaped as they are.
//
//	é  ->  %C3%A9
//
// Source: RFC 3987 section 3.1 step 2. Class: syntax.
func (r *run) appendNonASCII(text []byte, i int) int {
	char, size := utf8.DecodeRune(text[i:])
	if r.on&RuleEscapeNonASCII == 0 {
		r.out = append(r.out, text[i:i+size]...)
		return i + size
	}
	if char == utf8.RuneError && size == 1 {
		r.result.Flags |= FlagInvalidUTF8
	}
	r.result.Changed |= RuleEscapeNonASCII
	r.result.Flags |= FlagNonASCIIEscaped
	for _, b := range text[i : i+size] {
		r.out = appendEscape(r.out, b)
	}
	return i + size
}

// appendIllegal writes an ASCII character that the grammar forbids in its component as an escape.
//
//	a b  ->  a%20b
//
// Source: RFC 3986 section 2.1. Class: syntax.
func (r *run) appendIllegal(b byte, c Component) {
	rule, flag := RuleEscapeIllegal, FlagEscapedIllegal
	switch {
	case b == '\\':
		rule, flag = RuleEscapeBackslash, FlagBackslashEscaped
	case b == '@' && c == ComponentUserinfo:
		rule, flag = RuleEscapeEarlierAt, FlagEarlierAt
	}
	if r.on&rule == 0 {
		r.out = append(r.out, b)
		return
	}
	if isControl(b) {
		flag |= FlagControlEscaped
		if r.on&RuleFlagControl != 0 {
			flag |= FlagEscapedControl
		}
	}
	r.result.Changed |= rule
	r.result.Flags |= flag
	r.out = appendEscape(r.out, b)
}

// isControl reports whether b is a control character of US-ASCII.
func isControl(b byte) bool { return b < 0x20 || b == 0x7F }

// appendEscape writes b as a pct-encoded triplet (RFC 3986 section 2.1).
func appendEscape(dst []byte, b byte) []byte {
	const digits = "0123456789ABCDEF"
	return append(dst, '%', digits[b>>4], digits[b&15])
}

// hasEscapedControl reports whether a canonical text holds the escape of a control character.
func hasEscapedControl(text []byte) bool {
	for i, c := range text {
		if c == '%' && uri.IsEscape(text, i) && isControl(uri.Unhex(text[i+1])<<4|uri.Unhex(text[i+2])) {
			return true
		}
	}
	return false
}
