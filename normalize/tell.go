package normalize

import (
	"bytes"

	"github.com/urisieve/urisieve/normalize/keyrule"
	"github.com/urisieve/urisieve/normalize/uri"
)

// The bounds beyond which a URI is remarkable.
const (
	veryLong     = 2048 // bytes of url: sitemaps.org, "XML tag definitions": loc must have fewer
	deepSegments = 20   // segments of the path
	fewSegments  = 5    // in a path of no more, nothing counts as repeated: what piles up gets there
)

// odd says which characters a path holds that some flag is about.
type odd uint8

const (
	oddEscape odd = 1 << iota // "%"
	oddParam                  // ";" or "("
	oddAll    = oddEscape | oddParam
)

// tell sets the flags that a canonical URI has by its text, whoever wrote it and under whatever
// profile. holds is what the path may hold. Most URIs have no flag, so each question begins with what
// is cheap to see.
func (n *Normalizer) tell(text []byte, r *Result, holds odd) {
	switch {
	case r.Parts.HasAuthority():
		n.tellHost(text, r)
	case namesHostWithoutSlashes(text, r):
		r.Flags |= FlagHostDiffers
	}
	if holds&oddEscape != 0 {
		if path := r.Parts.Path(text); len(path) > 0 && path[0] == '/' && holdsEscapedSlash(path) {
			r.Flags |= FlagEncodedSlash
		}
	}
	if n.traps {
		tellTraps(text, r, holds)
	}
}

// namesHostWithoutSlashes reports whether a URI without authority, such as ftp:h/x, has a host for
// programs that follow the URL standard: after most special schemes they need no "//" (section 4.4
// there, "special authority ignore slashes state").
func namesHostWithoutSlashes(text []byte, r *Result) bool {
	scheme := r.Parts.Scheme(text)
	return isSpecial(scheme) && string(scheme) != "file"
}

// tellTraps is tell for what a crawler may be caught in.
func tellTraps(text []byte, r *Result, holds odd) {
	if r.Parts.URLEnd(len(text)) >= veryLong {
		r.Flags |= FlagVeryLong
	}
	path := r.Parts.Path(text)
	if len(path) == 0 || path[0] != '/' {
		return // opaque: no segments, no parameters
	}
	if slashes := bytes.Count(path, slash); slashes >= 2 {
		if slashes > fewSegments && repeatsSegments(path) {
			r.Flags |= FlagRepeatedSegments
		}
		if slashes > deepSegments {
			r.Flags |= FlagDeepPath
		}
		if datedCalendar(path) {
			r.Flags |= FlagCalendar
		}
	}
	if holds&oddParam != 0 && keyrule.HoldsSessionSegment(path) {
		r.Flags |= FlagSessionID
	}
	if r.Parts.HasQuery() {
		r.Flags |= tellQuery(r.Parts.Query(text))
	}
}

// tellQuery is tell for the query.
func tellQuery(query []byte) (flags Flags) {
	year, month := false, false
	for i := 0; i < len(query); i++ {
		name := query[i:]
		end := bytes.IndexByte(name, '&')
		if end < 0 {
			end = len(name)
		}
		if i += end; end < 3 { // no name of a session is that short, nor a date with its name
			continue
		}
		name, value, ok := bytes.Cut(name[:end], equals)
		if keyrule.IsSessionParam(name, value) {
			flags |= FlagSessionID
		}
		switch {
		case !ok || len(name) == 0 || len(value) == 0 || value[0] < '0' || value[0] > '9':
		case isISODate(value):
			if isDateParam(name) {
				flags |= FlagCalendar
			}
		case isYear(value) && name[0]|0x20 == 'y':
			year = true
		case isMonth(value) && name[0]|0x20 == 'm':
			month = true
		}
	}
	if year && month {
		flags |= FlagCalendar
	}
	return flags
}

var slash, equals = []byte("/"), []byte("=")

// holdsEscapedSlash reports whether a path holds the escape of a slash or backslash.
func holdsEscapedSlash(path []byte) bool {
	for {
		i := bytes.IndexByte(path, '%')
		if i < 0 || i+2 >= len(path) {
			return false
		}
		switch high, low := path[i+1], path[i+2]|0x20; {
		case high == '2' && low == 'f', high == '5' && low == 'c':
			return true
		}
		path = path[i+1:]
	}
}

// longestPeriod is the most segments that are looked at together for repetition.
const longestPeriod = 3

// repeatsSegments reports whether up to three segments of a path stand there three times in a row,
// as links that a server resolves wrongly make them pile up. The dot segments that RFC 2396 keeps
// (section 5.2, step 6) are none of them.
//
//	/a/a/a   /img/css/img/css/img/css/
func repeatsSegments(path []byte) bool {
	var start, length, same [longestPeriod]int // of the segments before, the latest first, and how many in a row are equal to it
	for i := 1; i < len(path); {
		n := bytes.IndexByte(path[i:], '/')
		if n < 0 {
			n = len(path) - i
		}
		for j := range same {
			if n != length[j] || start[j] == 0 || string(path[i:i+n]) != string(path[start[j]:start[j]+n]) {
				same[j] = 0
			} else if same[j]++; same[j] == 2*(j+1) && !isDots(path[i:i+n]) {
				return true
			}
		}
		start[2], start[1], start[0] = start[1], start[0], i
		length[2], length[1], length[0] = length[1], length[0], n
		i += n + 1
	}
	return false
}

func isDots(segment []byte) bool { return string(segment) == "." || string(segment) == ".." }

// hasEncodedDots reports whether a segment of a path is a dot segment with an escaped dot. more are
// the characters besides "/" that end a segment.
func hasEncodedDots(path []byte, more string) bool {
	dots, escaped := 0, false // of the segment so far; -1 if it is none
	for i := 0; i <= len(path); i++ {
		switch {
		case i == len(path) || path[i] == '/' || bytes.IndexByte([]byte(more), path[i]) >= 0:
			if escaped && (dots == 1 || dots == 2) {
				return true
			}
			dots, escaped = 0, false
		case dots < 0:
		case path[i] == '.':
			dots++
		case uri.IsEscape(path, i) && path[i+1] == '2' && path[i+2]|0x20 == 'e':
			dots, escaped = dots+1, true
			i += 2
		default:
			dots = -1
		}
	}
	return false
}
