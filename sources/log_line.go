package sources

import (
	"bytes"

	"github.com/urisieve/urisieve/internal/jsonscan"
)

// logLine are the fields of one line of an access log, as spans of it. Quoted ones still have
// their escapes.
type logLine struct {
	vhost, client, user     []byte
	request, referer, agent []byte
	time                    int64 // microseconds since 1970 in UTC
	status, bytes           int64 // -1 for "-"
}

// parse reads a line. It gives the offset of what can't be, or -1.
func (l *logLine) parse(line []byte, vhost, combined bool) int {
	*l = logLine{}
	var pos int
	var ok bool
	if vhost {
		if l.vhost, pos, ok = word(line, pos); !ok {
			return pos
		}
	}
	if l.client, pos, ok = word(line, pos); !ok {
		return pos
	}
	if _, pos, ok = word(line, pos); !ok { // ident
		return pos
	}
	if pos, ok = l.userAndTime(line, pos); !ok {
		return pos
	}
	if l.request, pos, ok = requestField(line, pos); !ok {
		return pos
	}
	if l.status, pos, ok = number(line, pos); !ok {
		return pos
	}
	if pos == len(line) || line[pos] != ' ' {
		return pos
	}
	if l.bytes, pos, ok = number(line, pos+1); !ok {
		return pos
	}
	if pos < len(line) && line[pos] != ' ' {
		return pos
	}
	if !combined {
		return -1
	}
	if l.referer, pos, ok = quoted(line, pos+1); !ok {
		return pos
	}
	if pos == len(line) || line[pos] != ' ' {
		return pos
	}
	if l.agent, pos, ok = quoted(line, pos+1); !ok {
		return pos
	}
	if pos < len(line) && line[pos] != ' ' {
		return pos
	}
	return -1
}

// word reads up to a space and skips that.
func word(line []byte, pos int) ([]byte, int, bool) {
	i := bytes.IndexByte(line[pos:], ' ')
	if i <= 0 {
		return nil, pos, false
	}
	return line[pos : pos+i], pos + i + 1, true
}

// userAndTime reads the user, who may have spaces in his name, and the time; it skips the space
// behind that.
func (l *logLine) userAndTime(line []byte, pos int) (int, bool) {
	for from := pos; ; {
		i := bytes.Index(line[from:], []byte(" ["))
		if i < 0 {
			return pos, false
		}
		at := from + i + 2
		if t, ok := logTime(line[at:]); ok && at+27 < len(line) && line[at+26] == ']' && line[at+27] == ' ' {
			l.user, l.time = line[pos:from+i], t
			return at + 28, true
		}
		from = at
	}
}

// requestField reads the quoted request. A server that doesn't escape quotes leaves them in it, so
// its closing quote is the first one that a space and a status (or "-") follow.
func requestField(line []byte, pos int) ([]byte, int, bool) {
	if pos >= len(line) || line[pos] != '"' {
		return nil, pos, false
	}
	for end := pos + 1; ; end++ {
		i := quoteAt(line, end)
		if i < 0 {
			return nil, pos, false
		}
		end = i
		rest := line[end+1:]
		if len(rest) >= 2 && rest[0] == ' ' && rest[1] == '-' ||
			len(rest) >= 4 && rest[0] == ' ' && isDigit(rest[1]) && isDigit(rest[2]) && isDigit(rest[3]) {
			return line[pos+1 : end], end + 2, true
		}
	}
}

// quoted reads a quoted field.
func quoted(line []byte, pos int) ([]byte, int, bool) {
	if pos >= len(line) || line[pos] != '"' {
		return nil, min(pos, len(line)), false
	}
	end := quoteAt(line, pos+1)
	if end < 0 {
		return nil, pos, false
	}
	return line[pos+1 : end], end + 1, true
}

// quoteAt is the offset of the next quote that isn't escaped, -1 without one.
func quoteAt(line []byte, pos int) int {
	for pos < len(line) {
		i := bytes.IndexByte(line[pos:], '"')
		if i < 0 {
			return -1
		}
		slash := bytes.IndexByte(line[pos:pos+i], '\\')
		if slash < 0 {
			return pos + i
		}
		pos += slash + 2
	}
	return -1
}

// number reads digits, or "-" as -1.
func number(line []byte, pos int) (int64, int, bool) {
	if pos < len(line) && line[pos] == '-' {
		return -1, pos + 1, true
	}
	var n int64
	from := pos
	for ; pos < len(line) && isDigit(line[pos]); pos++ {
		if pos-from > 17 {
			return 0, pos, false
		}
		n = n*10 + int64(line[pos]-'0')
	}
	return n, pos, pos > from
}

// splitRequest splits a request line "GET /a HTTP/1.1" (RFC 9112 section 3), or "GET /a" as of
// HTTP/0.9. The target is what stands between, spaces and all. A nil method: it isn't one.
func splitRequest(request []byte) (method, target, protocol []byte) {
	i := bytes.IndexByte(request, ' ')
	if i <= 0 || i+1 == len(request) {
		return nil, nil, nil
	}
	for _, c := range request[:i] {
		if !isTokenByte(c) {
			return nil, nil, nil
		}
	}
	method, target = request[:i], request[i+1:]
	j := bytes.LastIndexByte(target, ' ')
	if j > 0 && isProtocol(target[j+1:]) {
		return method, target[:j], target[j+1:]
	}
	if j >= 0 || string(method) != "GET" {
		return nil, nil, nil
	}
	return method, target, nil
}

// isProtocol checks for HTTP/ and a digit.
func isProtocol(s []byte) bool {
	return len(s) > 5 && string(s[:5]) == "HTTP/" && isDigit(s[5])
}

// isTokenByte: tchar of RFC 9110 section 5.6.2.
func isTokenByte(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || isDigit(c) || c > ' ' && c < 0x7F && bytes.IndexByte([]byte("!#$%&'*+-.^_`|~"), c) >= 0
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// appendLogUnescaped appends a quoted field without its escapes: \xHH, \" and \\ of nginx and
// Apache, \b, \f, \n, \r, \t and \v of Apache. A backslash before anything else is one.
func appendLogUnescaped(dst, field []byte) []byte {
	for i := 0; i < len(field); i++ {
		c := field[i]
		if c != '\\' || i+1 == len(field) {
			dst = append(dst, c)
			continue
		}
		i++
		switch e := field[i]; e {
		case '"', '\\':
			dst = append(dst, e)
		case 'b', 'f', 'n', 'r', 't':
			dst = append(dst, jsonscan.Unescaped(e))
		case 'v':
			dst = append(dst, '\v')
		case 'x':
			if i+2 < len(field) && jsonscan.Unhex(field[i+1]) >= 0 && jsonscan.Unhex(field[i+2]) >= 0 {
				dst = append(dst, byte(jsonscan.Unhex(field[i+1])<<4|jsonscan.Unhex(field[i+2])))
				i += 2
				break
			}
			dst = append(dst, '\\', 'x')
		default:
			dst = append(dst, '\\', e)
		}
	}
	return dst
}

// logTime reads "10/Oct/2000:13:55:36 -0700" as microseconds since 1970 in UTC.
func logTime(s []byte) (int64, bool) {
	if len(s) < 26 || s[2] != '/' || s[6] != '/' || s[11] != ':' || s[14] != ':' || s[17] != ':' || s[20] != ' ' {
		return 0, false
	}
	day, ok1 := digits(s[0:2])
	year, ok2 := digits(s[7:11])
	hour, ok3 := digits(s[12:14])
	minute, ok4 := digits(s[15:17])
	second, ok5 := digits(s[18:20])
	zoneHour, ok6 := digits(s[22:24])
	zoneMinute, ok7 := digits(s[24:26])
	month := monthNumber(s[3:6])
	if !(ok1 && ok2 && ok3 && ok4 && ok5 && ok6 && ok7) || s[21] != '+' && s[21] != '-' ||
		month == 0 || day < 1 || day > monthDays(year, month) ||
		hour > 23 || minute > 59 || second > 60 || zoneHour > 23 || zoneMinute > 59 {
		return 0, false
	}
	zone := int64(zoneHour*60+zoneMinute) * 60
	if s[21] == '-' {
		zone = -zone
	}
	return ((daysSince1970(year, month, day)*24+int64(hour))*3600 + int64(minute)*60 + int64(second) - zone) * 1e6, true
}

func digits(s []byte) (int, bool) {
	n := 0
	for _, c := range s {
		if !isDigit(c) {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

// monthNumber is 1 to 12 for an English abbreviation, 0 for anything else.
func monthNumber(s []byte) int {
	const names = "JanFebMarAprMayJunJulAugSepOctNovDec"
	for i := 0; i < len(names); i += 3 {
		if string(s) == names[i:i+3] {
			return i/3 + 1
		}
	}
	return 0
}

func isLeap(year int) bool { return year%4 == 0 && (year%100 != 0 || year%400 == 0) }

func monthDays(year, month int) int {
	if month == 2 && isLeap(year) {
		return 29
	}
	return [...]int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}[month-1]
}

// daysSince1970 counts the days of whole years and months before a date of the Gregorian calendar,
// from year 0 on.
func daysSince1970(year, month, day int) int64 {
	y := int64(year)
	days := y * 365
	if y > 0 { // leap years before this one; year 0 is one
		days += (y-1)/4 - (y-1)/100 + (y-1)/400 + 1
	}
	for m := 1; m < month; m++ {
		days += int64(monthDays(year, m))
	}
	const from0To1970 = 719528
	return days + int64(day-1) - from0To1970
}
