package sinks

import (
	"bytes"
	"encoding/base64"
	"math"
	"strconv"
	"time"
	"unicode/utf8"
)

// parseTimestamp reads RFC 3339, or the 14 digits of web archives (UTC), as microseconds since 1970.
func parseTimestamp(text []byte) cell {
	layout := time.RFC3339Nano
	if len(text) == 14 && bytes.IndexByte(text, '-') < 0 {
		layout = "20060102150405"
	}
	t, err := time.Parse(layout, string(text))
	if err != nil {
		return null
	}
	return cell{num: t.UnixMicro()}
}

// appendTimestamp appends a timestamp in RFC 3339, UTC, in quotes. A year that the format has no digits
// for is clamped to the nearest that it has.
func appendTimestamp(dst []byte, micros int64) []byte {
	const first, last = -62167219200_000000, 253402300799_999999 // the years 0000 to 9999
	t := time.UnixMicro(min(max(micros, first), last)).UTC()
	dst = append(dst, '"')
	dst = t.AppendFormat(dst, "2006-01-02T15:04:05.999999Z07:00")
	return append(dst, '"')
}

// AppendJSONString appends text as a JSON string (RFC 8259 section 7), with the quotes. text must be
// UTF-8; what isn't becomes U+FFFD, so that the result is JSON in any case.
func AppendJSONString(dst, text []byte) []byte {
	dst = append(dst, '"')
	done := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			if r, n := utf8.DecodeRune(text[i:]); r != utf8.RuneError || n > 1 {
				i += n
				continue
			}
		}
		dst = append(dst, text[done:i]...)
		dst = appendEscaped(dst, c)
		i++
		done = i
	}
	dst = append(dst, text[done:]...)
	return append(dst, '"')
}

func appendEscaped(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	if c >= utf8.RuneSelf {
		return append(dst, "\uFFFD"...)
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// key is the name as a JSON member's, with the colon.
func (c *column) key() []byte { return append(AppendJSONString(nil, []byte(c.Name)), ':') }

// appendMember appends `"name":value`, key being what key gives. Bytes that aren't UTF-8 go to a member of their own: name is null
// then, and name_b64 has them in base64 (RFC 4648 section 4).
func (c *column) appendMember(dst, key []byte, value cell) []byte {
	dst = append(dst, key...)
	if value.null {
		return append(dst, "null"...)
	}
	switch c.Kind {
	case KindText:
		return AppendJSONString(dst, value.text)
	case KindBytes:
		return c.appendBytes(dst, value.text)
	case KindHash:
		dst = append(dst, '"')
		for _, b := range value.text {
			dst = append(dst, hexDigits[b>>4], hexDigits[b&15])
		}
		return append(dst, '"')
	case KindBool:
		return strconv.AppendBool(dst, value.num != 0)
	case KindBits:
		return c.appendBits(dst, uint64(value.num))
	case KindFloat:
		return appendFloat(dst, math.Float32frombits(uint32(value.num)))
	case KindTimestamp:
		return appendTimestamp(dst, value.num)
	default:
		return strconv.AppendInt(dst, value.num, 10)
	}
}

func (c *column) appendBytes(dst, text []byte) []byte {
	if utf8.Valid(text) {
		return AppendJSONString(dst, text)
	}
	dst = append(dst, `null,"`...)
	dst = append(dst, c.Name...)
	dst = append(dst, `_b64":"`...)
	dst = base64.StdEncoding.AppendEncode(dst, text)
	return append(dst, '"')
}

// appendFloat appends a number; JSON has none for infinity.
func appendFloat(dst []byte, f float32) []byte {
	if math.IsInf(float64(f), 0) || f != f {
		return append(dst, "null"...)
	}
	return strconv.AppendFloat(dst, float64(f), 'g', -1, 32)
}

// appendBits appends the names of the bits that are set. A bit without a name shows as its number.
func (c *column) appendBits(dst []byte, set uint64) []byte {
	dst = append(dst, '[')
	for bit := 0; set != 0; bit, set = bit+1, set>>1 {
		if set&1 == 0 {
			continue
		}
		if dst[len(dst)-1] != '[' {
			dst = append(dst, ',')
		}
		dst = append(dst, '"')
		dst = append(dst, bitName(c.bits, bit)...)
		dst = append(dst, '"')
	}
	return append(dst, ']')
}

func bitName(names []string, bit int) string {
	if bit < len(names) && names[bit] != "" {
		return names[bit]
	}
	return "bit_" + strconv.Itoa(bit)
}
