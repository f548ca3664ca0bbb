package normalize

import (
	"bytes"

	"github.com/urisieve/urisieve/normalize/uri"
)

// A calendar links to the next month for ever. What looks like a page of one has a date where a
// blog's archive, which ends, seldom has it.

// calendarWords begin one of the first three segments, in any case, of what looks like a calendar.
var calendarWords = [...]string{"cal", "event", "agenda", "kalender"}

// datedCalendar reports whether a path has year and month, as one segment or two, after one of its
// first three segments that begins with a word for a calendar:
//
//	/calendar/2031/05   /en/Events/list/2031-05-01/
func datedCalendar(path []byte) bool {
	for i, tries := 1, 0; tries < 3; tries++ {
		if isCalendarWord(path[i:]) {
			return isDated(path[i:])
		}
		n := bytes.IndexByte(path[i:], '/')
		if n < 0 {
			return false
		}
		i += n + 1
	}
	return false
}

// isCalendarWord reports whether text begins with one of calendarWords.
func isCalendarWord(text []byte) bool {
	if len(text) == 0 {
		return false
	}
	switch text[0] | 0x20 {
	case 'c', 'e', 'a', 'k':
		for _, w := range calendarWords {
			if len(text) >= len(w) && bytes.EqualFold(text[:len(w)], []byte(w)) {
				return true
			}
		}
	}
	return false
}

// isDated reports whether a path has a segment that is a year and a month, or two such segments.
func isDated(path []byte) bool {
	year := false // the last segment was one
	for rest, more := path, true; more; {
		var segment []byte
		segment, rest, more = bytes.Cut(rest, slash)
		if year && isMonth(segment) || isISODate(segment) {
			return true
		}
		year = isYear(segment)
	}
	return false
}

// isYear reports whether text is a year from 2000 to 2199.
func isYear(text []byte) bool {
	return len(text) == 4 && text[0] == '2' && text[1] <= '1' && isDigits(text)
}

// isMonth reports whether text is 1 to 12, with or without a leading zero.
func isMonth(text []byte) bool {
	switch len(text) {
	case 1:
		return '1' <= text[0] && text[0] <= '9'
	case 2:
		return text[0] == '0' && '1' <= text[1] && text[1] <= '9' || text[0] == '1' && '0' <= text[1] && text[1] <= '2'
	}
	return false
}

// isISODate reports whether text is a year and a month with "-" between, and what may follow those
// (ISO 8601): 2031-05, 2031-05-01, 2031-05-01T00:00.
func isISODate(text []byte) bool {
	return len(text) >= 7 && text[4] == '-' && isYear(text[:4]) && isMonth(text[5:7]) && (len(text) == 7 || text[7] == '-')
}

func isDigits(text []byte) bool {
	for _, c := range text {
		if !uri.Is(c, uri.Digit) {
			return false
		}
	}
	return true
}
