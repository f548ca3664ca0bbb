package whatwg

import (
	"unicode/utf8"

	"golang.org/x/text/encoding"
)

// The encoders of x/text stand on older or other choices than the Encoding standard in the places
// below. Each is mended by a small map that is made when an encoder is first asked for.

// fixes are the codes, of one or two bytes, that are not those of the tables.
type fixes map[rune][2]byte

// newFixes finds what has to be mended in an encoding.
func newFixes(e encoding.Encoding, name string) fixes {
	f := fixes{}
	decoder := e.NewDecoder()
	decode := func(code ...byte) rune {
		var text [16]byte
		decoder.Reset()
		n, read, err := decoder.Transformer.Transform(text[:], code, true)
		r, size := utf8.DecodeRune(text[:n])
		if err != nil || read != len(code) || size != n {
			return utf8.RuneError
		}
		return r
	}
	switch name {
	case "shift_jis":
		f.addShiftJIS(decode, e.NewEncoder())
	case "big5":
		f.addBig5(decode)
	case "gbk", "gb18030":
		f.addGB18030()
	default:
		if len(name) > 8 && (name[:8] == "iso-8859" || name[:8] == "windows-") {
			f.addControls(decode)
		}
	}
	return f
}

// addControls adds U+0080 to U+009F of a single-byte encoding: in the standard's indexes of the
// ISO 8859 and Windows families the bytes that nothing else has are the controls of that number.
func (f fixes) addControls(decode func(...byte) rune) {
	for b := 0x80; b <= 0x9F; b++ {
		if decode(byte(b)) == utf8.RuneError {
			f[rune(b)] = [2]byte{byte(b)}
		}
	}
}

// addShiftJIS gives what the encoder has at lead bytes 0xED and 0xEE its later code: the index
// Shift_JIS pointer leaves out these, the pointers 8272 to 8835.
func (f fixes) addShiftJIS(decode func(...byte) rune, encoder *encoding.Encoder) {
	for lead := 0xFA; lead <= 0xFC; lead++ {
		for trail := 0x40; trail <= 0xFC; trail++ {
			r := decode(byte(lead), byte(trail))
			if r == utf8.RuneError {
				continue
			}
			code, err := encoder.Bytes([]byte(string(r)))
			if _, ok := f[r]; !ok && err == nil && code[0] >= 0xED && code[0] <= 0xEE {
				f[r] = [2]byte{byte(lead), byte(trail)}
			}
		}
	}
}

// addBig5 adds the first code of each code point from lead byte 0xA1 on, but for six that have
// their last: this is the index Big5 pointer.
func (f fixes) addBig5(decode func(...byte) rune) {
	for lead := 0xA1; lead <= 0xFE; lead++ {
		for trail := 0x40; trail <= 0xFE; trail++ {
			r := decode(byte(lead), byte(trail))
			_, ok := f[r]
			switch r {
			case utf8.RuneError:
				continue
			case 0x2550, 0x255E, 0x2561, 0x256A, 0x5341, 0x5345:
				ok = false
			}
			if !ok {
				f[r] = [2]byte{byte(lead), byte(trail)}
			}
		}
	}
}

// addGB18030 adds what the index gb18030 has beyond x/text: the three user-defined areas, and the
// runs of gb18030Runs.
func (f fixes) addGB18030() {
	for i := range 564 { // six rows of 94 from 0xAAA1
		f[rune(0xE000+i)] = [2]byte{byte(0xAA + i/94), byte(0xA1 + i%94)}
	}
	for i := range 658 { // seven rows of 94 from 0xF8A1
		f[rune(0xE234+i)] = [2]byte{byte(0xF8 + i/94), byte(0xA1 + i%94)}
	}
	for i := range 672 { // seven rows of 96 from 0xA140, without trail byte 0x7F
		trail := 0x40 + i%96
		if trail >= 0x7F {
			trail++
		}
		f[rune(0xE4C6+i)] = [2]byte{byte(0xA1 + i/96), byte(trail)}
	}
	delete(f, 0xE5E5) // the encoder refuses it by name
	for _, run := range &gb18030Runs {
		for i := range run[2] {
			f[run[0]+i] = [2]byte{byte((run[1] + i) >> 8), byte(run[1] + i)}
		}
	}
}

// gb18030Runs are first code point, first code, length: private use in the gaps of the index, and
// what GB 18030-2022 moved.
var gb18030Runs = [...][3]rune{
	{0x1E3F, 0xA8BC, 1},
	{0x9FB4, 0xFE59, 1},
	{0x9FB5, 0xFE61, 1},
	{0x9FB6, 0xFE66, 2},
	{0x9FB8, 0xFE6D, 1},
	{0x9FB9, 0xFE7E, 1},
	{0x9FBA, 0xFE90, 1},
	{0x9FBB, 0xFEA0, 1},
	{0xE766, 0xA2AB, 6},
	{0xE76D, 0xA2E4, 1},
	{0xE76E, 0xA2EF, 2},
	{0xE770, 0xA2FD, 2},
	{0xE772, 0xA4F4, 11},
	{0xE77D, 0xA5F7, 8},
	{0xE785, 0xA6B9, 8},
	{0xE78D, 0xA6D9, 7},
	{0xE794, 0xA6EC, 2},
	{0xE796, 0xA6F3, 1},
	{0xE797, 0xA6F6, 9},
	{0xE7A0, 0xA7C2, 15},
	{0xE7AF, 0xA7F2, 13},
	{0xE7BC, 0xA896, 11},
	{0xE7C9, 0xA8C1, 4},
	{0xE7CD, 0xA8EA, 21},
	{0xE7E2, 0xA958, 1},
	{0xE7E3, 0xA95B, 1},
	{0xE7E4, 0xA95D, 3},
	{0xE7F4, 0xA997, 13},
	{0xE801, 0xA9F0, 15},
	{0xE810, 0xD7FA, 5},
	{0xE816, 0xFE51, 3},
	{0xE81E, 0xFE59, 1},
	{0xE826, 0xFE61, 1},
	{0xE82B, 0xFE66, 2},
	{0xE831, 0xFE6C, 2},
	{0xE83B, 0xFE76, 1},
	{0xE843, 0xFE7E, 1},
	{0xE854, 0xFE90, 2},
	{0xE864, 0xFEA0, 1},
	{0xFE10, 0xA6D9, 1},
	{0xFE11, 0xA6DB, 1},
	{0xFE12, 0xA6DA, 1},
	{0xFE13, 0xA6DC, 4},
	{0xFE17, 0xA6EC, 2},
	{0xFE19, 0xA6F3, 1},
}
