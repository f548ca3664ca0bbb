package config

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Size is a number of bytes. As text it carries its unit: B, KiB, MiB, GiB, TiB (powers of 1024),
// kB, MB, GB, TB (powers of 1000); "0" needs none.
type Size int64

// Auto is the Size that the program works out; its text is "auto". Only some options take it.
const Auto Size = -1

// sizeUnits are in the order in which they are tried: the longer suffix first.
var sizeUnits = [...]struct {
	suffix string
	bytes  int64
}{
	{"KiB", 1 << 10},
	{"MiB", 1 << 20},
	{"GiB", 1 << 30},
	{"TiB", 1 << 40},
	{"kB", 1e3},
	{"MB", 1e6},
	{"GB", 1e9},
	{"TB", 1e12},
	{"B", 1},
}

var errSize = errors.New("a size with its unit: 512B, 64KiB, 16MiB, 1GiB, 500MB")

// ParseSize reads a size; "auto" is [Auto].
func ParseSize(text string) (Size, error) {
	if text == "auto" {
		return Auto, nil
	}
	if text == "0" {
		return 0, nil
	}
	for _, u := range sizeUnits {
		number, ok := strings.CutSuffix(text, u.suffix)
		if !ok {
			continue
		}
		number = strings.TrimSpace(number)
		if n, err := strconv.ParseInt(number, 10, 64); err == nil {
			if n < 0 || n > math.MaxInt64/u.bytes {
				return 0, errSize
			}
			return Size(n * u.bytes), nil
		}
		f, err := strconv.ParseFloat(number, 64)
		// A part of a byte is no size, and float64 is exact up to 2^53.
		if err != nil || f < 0 || f*float64(u.bytes) > 1<<53 || f*float64(u.bytes) != math.Trunc(f*float64(u.bytes)) {
			return 0, errSize
		}
		return Size(f * float64(u.bytes)), nil
	}
	return 0, errSize
}

// String is the shortest exact text with a unit.
func (s Size) String() string {
	switch {
	case s == Auto:
		return "auto"
	case s == 0:
		return "0"
	}
	for _, u := range [...]int{3, 2, 1, 0} {
		if int64(s)%sizeUnits[u].bytes == 0 {
			return strconv.FormatInt(int64(s)/sizeUnits[u].bytes, 10) + sizeUnits[u].suffix
		}
	}
	return strconv.FormatInt(int64(s), 10) + "B"
}

// RejectLimit is how many rejected references a run bears: a count, a share, or any number of them.
// The zero value is any number.
type RejectLimit struct {
	Set     bool
	Count   int64   // where Percent is 0
	Percent float64 // over 0, below 100
}

var errRejectLimit = errors.New(`a count ("1000"), a share below 100% ("5%"), or "none"`)

// ParseRejectLimit reads "none", a count or a share in percent.
func ParseRejectLimit(text string) (RejectLimit, error) {
	if text == "none" {
		return RejectLimit{}, nil
	}
	if number, ok := strings.CutSuffix(text, "%"); ok {
		p, err := strconv.ParseFloat(number, 64)
		if err != nil || !(p > 0 && p < 100) {
			return RejectLimit{}, errRejectLimit
		}
		return RejectLimit{Set: true, Percent: p}, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return RejectLimit{}, errRejectLimit
	}
	return RejectLimit{Set: true, Count: n}, nil
}

func (l RejectLimit) String() string {
	switch {
	case !l.Set:
		return "none"
	case l.Percent > 0:
		return strconv.FormatFloat(l.Percent, 'g', -1, 64) + "%"
	}
	return strconv.FormatInt(l.Count, 10)
}

// ErrorRate is a share from 0.000001 to 0.1; as text it may also be in percent.
type ErrorRate float64

var errErrorRate = errors.New(`a share from 0.000001 to 0.1, or in percent ("0.1%")`)

// ParseErrorRate reads "0.001", "1e-3" or "0.1%".
func ParseErrorRate(text string) (ErrorRate, error) {
	if number, percent := strings.CutSuffix(text, "%"); percent {
		text = number + "e-2" // rather than a division, which would round once more
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || !(f >= 0.000001 && f <= 0.1) {
		return 0, errErrorRate
	}
	return ErrorRate(f), nil
}

func (r ErrorRate) String() string { return strconv.FormatFloat(float64(r), 'f', -1, 64) }

// ParseDefaultPort reads "coap=5683".
func ParseDefaultPort(text string) (DefaultPort, error) {
	scheme, number, ok := strings.Cut(text, "=")
	port, err := strconv.ParseUint(number, 10, 16)
	if !ok || scheme == "" || err != nil || port == 0 {
		return DefaultPort{}, errors.New("scheme=port, such as coap=5683, port from 1 to 65535")
	}
	return DefaultPort{Scheme: scheme, Port: uint16(port)}, nil
}

// Secret is a text that is never printed: every way of formatting it gives "***", or nothing when
// it is empty.
type Secret string

// Reveal is the text itself.
func (s Secret) Reveal() string { return string(s) }

func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "***"
}

// Format makes all verbs print what String gives.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s.String())) }

// MarshalText keeps it out of encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
