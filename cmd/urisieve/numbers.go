package main

import (
	"fmt"
	"strconv"
	"time"
)

// grouped writes 1234567 as 1,234,567.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// short writes 1234567 as 1.23M.
func short(n float64) string {
	for _, u := range [...]struct {
		size   float64
		suffix string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e4, "k"}} {
		if n >= u.size {
			if u.suffix == "k" {
				u.size = 1e3
			}
			return strconv.FormatFloat(n/u.size, 'g', 3, 64) + u.suffix
		}
	}
	return strconv.FormatFloat(n, 'f', 0, 64)
}

// byteText writes a number of bytes in powers of 1024, with three digits.
func byteText(n int64) string {
	const units = "KMGTPE"
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	f, i := float64(n)/1024, 0
	for f >= 1024 && i < len(units)-1 {
		f /= 1024
		i++
	}
	return fmt.Sprintf("%.*f %ciB", digitsAfter(f), f, units[i])
}

func digitsAfter(f float64) int {
	switch {
	case f >= 100:
		return 0
	case f >= 10:
		return 1
	}
	return 2
}

// elapsed writes a duration as a person needs it: 850ms, 4.2s, 3m20s.
func elapsed(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// percent writes a share of a whole.
func percent(part, whole int64) string {
	if whole == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f%%", 100*float64(part)/float64(whole))
}
