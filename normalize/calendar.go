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

// isDated reports whether a path ends in a segment that is a year and a month, or in such segments
// one after the other, with or without a day. What goes on after its date, as the page of one event
// does, is no page of a calendar.
func isDated(path []byte) bool {
	path = bytes.TrimSuffix(path, slash)
	last := cutLast(&path)
	if isISODate(last) {
		return true
	}
	before := cutLast(&path)
	if isMonth(last) && isYear(before) {
		return true
	}
	return isDay(last) && isMonth(before) && isYear(cutLast(&path))
}

// cutLast cuts the last segment off a path.
func cutLast(path *[]byte) (segment []byte) {
	i := bytes.LastIndexByte(*path, '/')
	segment = (*path)[i+1:]
	*path = (*path)[:max(i, 0)]
	return segment
}

// dateParams are the parameters, in lower case and without "-" and "_", whose value says which page
// of a calendar it is. A date elsewhere may be that of a version or an article.
var dateParams = [...]string{
	"d", "date", "day", "month", "week", "from", "to", "start", "end", "startdate", "enddate", "datefrom", "dateto",
	"fromdate", "todate", "tribebardate",
}

// isDateParam reports whether name is one of dateParams, or begins with one of calendarWords.
func isDateParam(name []byte) bool {
	if isCalendarWord(name) {
		return true
	}
	var buffer [len("tribebardate") + 1]byte
	text := buffer[:0]
	for _, c := range name {
		if c == '-' || c == '_' {
			continue
		}
		if len(text) == len(buffer) {
			return false
		}
		text = append(text, c)
	}
	lower(text)
	for _, p := range &dateParams {
		if p == string(text) {
			return true
		}
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

// isDay is isMonth for 1 to 31.
func isDay(text []byte) bool {
	return isMonth(text) || len(text) == 2 && isDigits(text) && '1' <= text[0] && text[0] <= '3' && (text[0] < '3' || text[1] <= '1')
}

// isISODate reports whether text is a year and a month with "-" between, with or without a day and
// a time (ISO 8601): 2031-05, 2031-05-01, 2031-05-01T00:00.
func isISODate(text []byte) bool {
	if len(text) < 7 || text[4] != '-' || !isYear(text[:4]) || !isMonth(text[5:7]) {
		return false
	}
	return len(text) == 7 || len(text) >= 10 && text[7] == '-' && isDay(text[8:10]) && (len(text) == 10 || text[10] == 'T')
}

func isDigits(text []byte) bool {
	for _, c := range text {
		if !uri.Is(c, uri.Digit) {
			return false
		}
	}
	return true
}
