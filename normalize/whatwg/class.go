package whatwg

// class is a set of byte classes, a bit each.
type class uint16

// The percent-encode sets that the parser uses (section 1.3, "Percent-encoded bytes"). Every byte
// over 0x7E is in all of them.
const (
	c0Set           class = 1 << iota // C0 control percent-encode set
	fragmentSet                       // fragment percent-encode set
	querySet                          // query percent-encode set
	specialQuerySet                   // special-query percent-encode set
	pathSet                           // path percent-encode set
	userinfoSet                       // userinfo percent-encode set
)

// Other classes. Bytes over 0x7F are none of them.
const (
	notURL          class = 1 << (iota + 6) // ASCII, but neither a URL code point (4.3) nor "%"
	forbiddenHost                           // forbidden host code point (3.2)
	forbiddenDomain                         // forbidden domain code point (3.2)
	schemeByte                              // may stand in a scheme: ASCII alphanumeric, "+", "-", "."
	plainDomain                             // lower-case letter or digit: no rule looks at it in a domain
	pathEnd                                 // "/", "\", "?" or "#"
	percent                                 // "%"
	wideByte                                // not ASCII
	upperCase                               // ASCII upper alpha
	authorityByte                           // delimits something in an authority, or ends it
)

// classes has the classes of every byte.
var classes = makeClasses()

func makeClasses() (t [256]class) {
	add := func(set class, bytes string) {
		for i := 0; i < len(bytes); i++ {
			t[bytes[i]] |= set
		}
	}
	const (
		digits = "0123456789"
		lower  = "abcdefghijklmnopqrstuvwxyz"
		upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	)
	all := c0Set | fragmentSet | querySet | specialQuerySet | pathSet | userinfoSet
	for b := range t {
		if b <= 0x1F || b > 0x7E {
			t[b] |= all
		}
		if b <= 0x1F || b == 0x7F {
			t[b] |= forbiddenDomain
		}
		if b >= 0x80 {
			t[b] |= wideByte
		} else {
			t[b] |= notURL
		}
	}
	// Section 1.3: each set in the words of the standard, the larger ones in terms of the smaller.
	add(fragmentSet, " \"<>`")
	add(querySet|specialQuerySet|pathSet|userinfoSet, " \"#<>")
	add(specialQuerySet, "'")
	add(pathSet|userinfoSet, "?^`{}")
	add(userinfoSet, "/:;=@[\\]|")
	// Section 4.3, "URL code points".
	for _, b := range []byte(digits + lower + upper + "!$&'()*+,-./:;=?@_~" + "%") {
		t[b] &^= notURL
	}
	// Section 3.2, "Host miscellaneous".
	add(forbiddenHost|forbiddenDomain, "\x00\t\n\r #/:<>?@[\\]^|")
	add(forbiddenDomain, "%")
	// Section 4.3, "URL-scheme string".
	add(schemeByte, digits+lower+upper+"+-.")
	add(plainDomain, digits+lower)
	add(pathEnd, "/\\?#")
	add(percent, "%")
	add(upperCase, upper)
	add(authorityByte, "@[]:/\\?#")
	return t
}

func isAlpha(b byte) bool { b |= 0x20; return 'a' <= b && b <= 'z' }

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// unhex is the value of a hex digit; ok is false for any other byte.
func unhex(b byte) (v byte, ok bool) {
	switch {
	case '0' <= b && b <= '9':
		return b - '0', true
	case 'a' <= b && b <= 'f':
		return b - 'a' + 10, true
	case 'A' <= b && b <= 'F':
		return b - 'A' + 10, true
	}
	return 0, false
}

// isEscape reports whether s begins with a percent-encoded byte.
func isEscape(s []byte) bool {
	if len(s) < 3 || s[0] != '%' {
		return false
	}
	_, hi := unhex(s[1])
	_, lo := unhex(s[2])
	return hi && lo
}

// scheme is a scheme as far as the parser tells schemes apart (4.2, "URL miscellaneous").
type scheme uint8

// The special schemes, and all others.
const (
	notSpecial scheme = iota
	schemeHTTP
	schemeHTTPS
	schemeWS
	schemeWSS
	schemeFTP
	schemeFile
)

// defaultPorts has the default port of each special scheme; -1 is no port at all.
var defaultPorts = [...]int32{notSpecial: -1, schemeHTTP: 80, schemeHTTPS: 443, schemeWS: 80, schemeWSS: 443, schemeFTP: 21, schemeFile: -1}

// schemeOf classifies a scheme in lower case.
func schemeOf(s []byte) scheme {
	switch string(s) {
	case "http":
		return schemeHTTP
	case "https":
		return schemeHTTPS
	case "ws":
		return schemeWS
	case "wss":
		return schemeWSS
	case "ftp":
		return schemeFTP
	case "file":
		return schemeFile
	}
	return notSpecial
}
