package whatwg

import (
	"strconv"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
)

// queryEncoder is an encoder of the Encoding standard (section 4.2 there, "Names and labels") that
// tells what it can't express. The tables are those of x/text; where its encoders differ from the
// standard's, the standard is followed here.
type queryEncoder struct {
	encoder *encoding.Encoder
	fixes   fixes // where encoder is not the standard's
	name    string
	isJIS   bool // ISO-2022-JP, the one that has states
	// What table passes through an interface lies here: on the stack it would be allocated anew.
	text [utf8.UTFMax]byte
	code [4]byte
}

func newQueryEncoder(e encoding.Encoding, name string) *queryEncoder {
	q := &queryEncoder{name: name, isJIS: name == "iso-2022-jp", fixes: newFixes(e, name)}
	if q.isJIS {
		e = japanese.EUCJP // the same index, with the high bits set
	}
	q.encoder = e.NewEncoder()
	return q
}

// appendEncoded is percent-encode after encoding (section 1.3) with the special-query
// percent-encode set: what the encoding can't express becomes a numeric character reference, its
// "&", "#" and ";" escaped. s is valid UTF-8.
func (e *queryEncoder) appendEncoded(dst, s []byte) ([]byte, Errors) {
	var errs Errors
	var mode jisMode
	for i, size := 0, 0; i < len(s); i += size {
		if errs == 0 && !isURLUnit(s[i:]) {
			errs = InvalidURLUnit
		}
		var r rune
		r, size = utf8.DecodeRune(s[i:])
		var code [4]byte
		var n int
		if e.isJIS {
			dst, n = e.encodeJIS(dst, &code, &mode, &r)
		} else {
			n = e.encode(&code, r)
		}
		if n == 0 {
			dst = append(dst, "%26%23"...)
			dst = strconv.AppendInt(dst, int64(r), 10)
			dst = append(dst, "%3B"...)
		}
		for _, b := range code[:n] {
			if classes[b]&specialQuerySet != 0 {
				dst = appendEscape(dst, b)
			} else {
				dst = append(dst, b)
			}
		}
	}
	return mode.change(dst, jisASCII), errs
}

// encode puts r into code, in an encoding without states, and returns its length, 0 where the
// encoding does not have it.
func (e *queryEncoder) encode(code *[4]byte, r rune) int {
	if r < utf8.RuneSelf {
		code[0] = byte(r)
		return 1
	}
	switch e.name {
	case "euc-jp", "shift_jis":
		switch {
		case r == 0xA5:
			code[0] = '\\'
			return 1
		case r == 0x203E:
			code[0] = '~'
			return 1
		case r == 0x80 && e.name == "shift_jis":
			code[0] = 0x80
			return 1
		case r == 0x2212:
			r = 0xFF0D
		}
	}
	if fix, ok := e.fixes[r]; ok {
		code[0], code[1] = fix[0], fix[1]
		if fix[1] == 0 {
			return 1
		}
		return 2
	}
	n := e.table(code, r)
	switch {
	case e.name == "euc-jp" && n == 3:
		return 0 // of the index jis0212, which the encoder doesn't use
	case e.name == "big5" && n == 2 && code[0] < 0xA1:
		return 0 // of the Hong Kong rows, which the encoder doesn't use
	case r == 0xE5E5 && (e.name == "gb18030" || e.name == "gbk"):
		return 0
	case r == 0xE7C7 && e.name == "gb18030":
		*code = [4]byte{0x81, 0x35, 0xF4, 0x37}
		return 4
	}
	return n
}

// table looks r up in the tables of x/text.
func (e *queryEncoder) table(code *[4]byte, r rune) int {
	size := utf8.EncodeRune(e.text[:], r)
	e.encoder.Reset()
	n, _, err := e.encoder.Transformer.Transform(e.code[:], e.text[:size], true)
	if err != nil {
		return 0
	}
	*code = e.code
	return n
}

// jisMode is a state of the ISO-2022-JP encoder (Encoding standard, section 12.2.2).
type jisMode uint8

const (
	jisASCII jisMode = iota
	jisRoman
	jisKanji
)

// change writes, percent-encoded, the escape sequence that leads to another state.
func (m *jisMode) change(dst []byte, to jisMode) []byte {
	if *m == to {
		return dst
	}
	*m = to
	return append(dst, [...]string{"%1B(B", "%1B(J", "%1B$B"}[to]...)
}

// halfKatakana has the full-width form of each code point from U+FF61 to U+FF9F (index
// ISO-2022-JP katakana).
var halfKatakana = []rune("。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン゛゜")

// encodeJIS is encode for ISO-2022-JP. It writes the escape sequence that r needs. Where there is
// no code for *r, that may become another code point, the one to be named in the output.
func (e *queryEncoder) encodeJIS(dst []byte, code *[4]byte, mode *jisMode, r *rune) (out []byte, n int) {
	switch c := *r; {
	case c < utf8.RuneSelf:
		if *mode == jisKanji || *mode == jisRoman && (c == '\\' || c == '~') {
			dst = mode.change(dst, jisASCII)
		}
		if c == 0x0E || c == 0x0F || c == 0x1B {
			*r = utf8.RuneError
			return dst, 0
		}
		code[0] = byte(c)
		return dst, 1
	case c == 0xA5:
		code[0] = '\\'
		return mode.change(dst, jisRoman), 1
	case c == 0x203E:
		code[0] = '~'
		return mode.change(dst, jisRoman), 1
	}
	c := *r
	switch {
	case c == 0x2212:
		c = 0xFF0D
	case 0xFF61 <= c && c <= 0xFF9F:
		c = halfKatakana[c-0xFF61]
	}
	if e.table(code, c) != 2 || code[0] < 0xA1 {
		if *mode == jisKanji {
			dst = mode.change(dst, jisASCII)
		}
		return dst, 0
	}
	code[0] &= 0x7F
	code[1] &= 0x7F
	return mode.change(dst, jisKanji), 2
}
