package sources

import "bytes"

// rowEnds finds the ends of rows: line ends outside quoted fields (RFC 4180 section 2).
//
// A row whose quoting is broken - something else than a delimiter or a line end behind a closing
// quote, or a quote that no later one closes - is given as its first line alone, with the fault,
// and the next row begins at the next line: one stray quote costs a line, not the rest of the
// file.
//
// What was scanned in vain behind that first line is scanned again. So that this stays linear for
// any input, it is paid from an allowance: four times what the rows so far had, and 64 MiB. While
// it is used up, a quoted field that isn't closed in its line counts as broken.
type rowEnds struct {
	delimiter byte
	quotes    bool

	state   rowState
	scanned int  // window[:scanned] is behind us
	at      int  // inQuoted: offset of the quote that opened the field; broken: of the fault
	oneLine bool // broken, and there is no line end in window[:scanned]

	consumed, wasted int64
}

const wasteAllowance = 64 << 20

type rowState uint8

const (
	fieldStart rowState = iota
	inPlain
	inQuoted
	behindQuote // a quote inside a quoted field: its end, or the first of two
	behindCR    // a CR behind a closing quote
	broken      // the first line's end is wanted
)

func (r *rowEnds) begin() { *r = rowEnds{delimiter: r.delimiter, quotes: r.quotes} }

func (r *rowEnds) end(window []byte, last bool) (size, fault int) {
	size, fault = r.scan(window, last)
	if size > 0 {
		r.consumed += int64(size)
		r.wasted += int64(max(r.scanned-size, 0))
		r.state, r.scanned, r.oneLine = fieldStart, 0, false
	}
	return size, fault
}

func (r *rowEnds) scan(window []byte, last bool) (size, fault int) {
	if r.scanned == 0 || !r.quotes {
		// Almost all rows: a line without any quote.
		line := window[r.scanned:]
		i := bytes.IndexByte(line, '\n')
		if i >= 0 {
			line = line[:i]
		}
		if !r.quotes || bytes.IndexByte(line, '"') < 0 {
			switch {
			case i >= 0:
				return r.scanned + i + 1, -1
			case last:
				return len(window), -1
			case !r.quotes:
				r.scanned = len(window)
				return 0, -1
			}
		}
	}
	return r.scanQuoted(window, last)
}

// scanQuoted walks through the fields, from where it stopped.
func (r *rowEnds) scanQuoted(window []byte, last bool) (size, fault int) {
	poor := r.wasted > 4*r.consumed+wasteAllowance
	for r.state != broken && r.scanned < len(window) {
		c := window[r.scanned]
		switch r.state {
		case fieldStart, inPlain:
			switch {
			case c == '\n':
				return r.scanned + 1, -1
			case c == r.delimiter:
				r.state = fieldStart
			case c == '"' && r.state == fieldStart:
				r.state, r.at = inQuoted, r.scanned
			default:
				r.state = inPlain
			}
		case inQuoted:
			rest := window[r.scanned:]
			i := bytes.IndexByte(rest, '"')
			if i < 0 {
				i = len(rest)
			}
			if poor && bytes.IndexByte(rest[:i], '\n') >= 0 {
				r.state = broken
				continue
			}
			if r.scanned += i; i == len(rest) {
				continue
			}
			r.state = behindQuote
		case behindQuote, behindCR:
			switch {
			case c == '\n':
				return r.scanned + 1, -1
			case r.state == behindCR:
				r.state, r.at = broken, r.scanned
				continue
			case c == '"':
				r.state = inQuoted
			case c == r.delimiter:
				r.state = fieldStart
			case c == '\r':
				r.state = behindCR
			default:
				r.state, r.at = broken, r.scanned
				continue
			}
		case broken: // ends the loop
		}
		r.scanned++
	}
	if r.state == broken || last && r.state == inQuoted {
		return r.firstLine(window, last)
	}
	if last {
		return len(window), -1
	}
	return 0, -1
}

// firstLine gives up on the row but for its first line.
func (r *rowEnds) firstLine(window []byte, last bool) (size, fault int) {
	from := 0
	switch {
	case r.oneLine: // searched before, by an earlier call
		from = r.scanned
	case bytes.IndexByte(window[:r.at], '\n') < 0:
		from = r.at
	}
	if i := bytes.IndexByte(window[from:], '\n'); i >= 0 {
		return from + i + 1, min(r.at, from+i)
	}
	if last {
		return len(window), r.at
	}
	r.oneLine, r.scanned = true, len(window)
	return 0, -1
}
