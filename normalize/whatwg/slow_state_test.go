package whatwg

import (
	"strconv"
	"strings"
)

func slowSingleDot(s string) bool { return s == "." || strings.EqualFold(s, "%2e") }

func slowDoubleDot(s string) bool {
	switch strings.ToLower(s) {
	case "..", ".%2e", "%2e.", "%2e%2e":
		return true
	}
	return false
}

// parse is the basic URL parser without url and state override. input is bytes: they are decoded
// first, as the one who calls the standard's parser would.
func (p *slowParser) parse(ref []byte, base *slowURL) (*slowURL, Failure) {
	input, ill := slowDecodeUTF8(ref)
	if ill {
		p.errs |= InvalidUTF8
	}
	url := &slowURL{port: -1}
	for len(input) > 0 && input[0] <= ' ' {
		p.errs |= InvalidURLUnit
		input = input[1:]
	}
	for len(input) > 0 && input[len(input)-1] <= ' ' {
		p.errs |= InvalidURLUnit
		input = input[:len(input)-1]
	}
	var kept []rune
	for _, c := range input {
		if c == '\t' || c == '\n' || c == '\r' {
			p.errs |= InvalidURLUnit
		} else {
			kept = append(kept, c)
		}
	}
	input = kept

	const eof = rune(-1)
	state, buffer := "scheme start", ""
	atSignSeen, insideBrackets, passwordTokenSeen := false, false, false
	encoder := p.encoder
	rest := func(i int) []rune {
		if i >= len(input) {
			return nil
		}
		return input[i:]
	}
	starts := func(s []rune, prefix string) bool { return strings.HasPrefix(string(s), prefix) }

	for pointer := 0; ; pointer++ {
		c := eof
		if pointer < len(input) {
			c = input[pointer]
		}
		remaining := rest(pointer + 1)
		special := url.isSpecial()
		ends := c == eof || c == '/' || c == '?' || c == '#' || special && c == '\\'
		switch state {
		case "scheme start":
			if c != eof && slowAlpha(c) {
				buffer += strings.ToLower(string(c))
				state = "scheme"
			} else {
				state = "no scheme"
				pointer--
			}

		case "scheme":
			if c != eof && (slowAlpha(c) || slowDigit(c) || c == '+' || c == '-' || c == '.') {
				buffer += strings.ToLower(string(c))
			} else if c == ':' {
				url.scheme = buffer
				buffer = ""
				if url.scheme == "file" {
					if !starts(remaining, "//") {
						p.errs |= SpecialSchemeMissingFollowingSolidus
					}
					state = "file"
				} else if url.isSpecial() && base != nil && base.scheme == url.scheme {
					state = "special relative or authority"
				} else if url.isSpecial() {
					state = "special authority slashes"
				} else if starts(remaining, "/") {
					state = "path or authority"
					pointer++
				} else {
					url.opaquePath = new("")
					state = "opaque path"
				}
			} else {
				buffer = ""
				state = "no scheme"
				pointer = -1
				continue
			}

		case "no scheme":
			if base == nil || base.opaquePath != nil && c != '#' {
				p.errs |= MissingSchemeNonRelativeURL
				if base == nil {
					return nil, NoBase
				}
				return nil, OpaqueBase
			} else if base.opaquePath != nil && c == '#' {
				url.scheme, url.path, url.query = base.scheme, append([]string(nil), base.path...), base.query
				url.opaquePath = base.opaquePath
				url.fragment = new("")
				state = "fragment"
			} else if base.scheme != "file" {
				state = "relative"
				pointer--
			} else {
				state = "file"
				pointer--
			}

		case "special relative or authority":
			if c == '/' && starts(remaining, "/") {
				state = "special authority ignore slashes"
				pointer++
			} else {
				p.errs |= SpecialSchemeMissingFollowingSolidus
				state = "relative"
				pointer--
			}

		case "path or authority":
			if c == '/' {
				state = "authority"
			} else {
				state = "path"
				pointer--
			}

		case "relative":
			url.scheme = base.scheme
			special = url.isSpecial()
			if c == '/' {
				state = "relative slash"
			} else if special && c == '\\' {
				p.errs |= InvalidReverseSolidus
				state = "relative slash"
			} else {
				url.username, url.password, url.host, url.port = base.username, base.password, base.host, base.port
				url.path, url.query = append([]string(nil), base.path...), base.query
				if c == '?' {
					url.query = new("")
					state = "query"
				} else if c == '#' {
					url.fragment = new("")
					state = "fragment"
				} else if c != eof {
					url.query = nil
					url.shorten()
					state = "path"
					pointer--
				}
			}

		case "relative slash":
			if special && (c == '/' || c == '\\') {
				if c == '\\' {
					p.errs |= InvalidReverseSolidus
				}
				state = "special authority ignore slashes"
			} else if c == '/' {
				state = "authority"
			} else {
				url.username, url.password, url.host, url.port = base.username, base.password, base.host, base.port
				state = "path"
				pointer--
			}

		case "special authority slashes":
			if c == '/' && starts(remaining, "/") {
				state = "special authority ignore slashes"
				pointer++
			} else {
				p.errs |= SpecialSchemeMissingFollowingSolidus
				state = "special authority ignore slashes"
				pointer--
			}

		case "special authority ignore slashes":
			if c != '/' && c != '\\' {
				state = "authority"
				pointer--
			} else {
				p.errs |= SpecialSchemeMissingFollowingSolidus
			}

		case "authority":
			if c == '@' {
				p.errs |= InvalidCredentials
				if atSignSeen {
					buffer = "%40" + buffer
				}
				atSignSeen = true
				for _, codePoint := range buffer {
					if codePoint == ':' && !passwordTokenSeen {
						passwordTokenSeen = true
						continue
					}
					encoded := slowEncode(string(codePoint), slowInUserinfo)
					if passwordTokenSeen {
						url.password += encoded
					} else {
						url.username += encoded
					}
				}
				buffer = ""
			} else if ends {
				if atSignSeen && buffer == "" {
					p.errs |= HostMissing
					return nil, NoHost
				}
				pointer -= len([]rune(buffer)) + 1
				buffer = ""
				state = "host"
			} else {
				buffer += string(c)
			}

		case "host":
			if c == ':' && !insideBrackets {
				if buffer == "" {
					p.errs |= HostMissing
					return nil, NoHost
				}
				host, failure := p.parseHost(buffer, !special)
				if failure != OK {
					return nil, failure
				}
				url.host, buffer, state = host, "", "port"
			} else if ends {
				pointer--
				if special && buffer == "" {
					p.errs |= HostMissing
					return nil, NoHost
				}
				host := slowHost{kind: HostEmpty, isSet: true}
				if buffer != "" {
					var failure Failure
					if host, failure = p.parseHost(buffer, !special); failure != OK {
						return nil, failure
					}
				}
				url.host, buffer, state = host, "", "path start"
			} else {
				if c == '[' {
					insideBrackets = true
				}
				if c == ']' {
					insideBrackets = false
				}
				buffer += string(c)
			}

		case "port":
			if c != eof && slowDigit(c) {
				buffer += string(c)
			} else if ends {
				if buffer != "" {
					port, err := strconv.ParseUint(buffer, 10, 64)
					if err != nil || port > 65535 {
						p.errs |= PortOutOfRange
						return nil, PortTooBig
					}
					url.port = int(port)
					if url.port == slowDefaultPort(url.scheme) {
						url.port = -1
					}
					buffer = ""
				}
				state = "path start"
				pointer--
			} else {
				p.errs |= PortInvalid
				return nil, BadPort
			}

		case "file":
			url.scheme = "file"
			url.host = slowHost{kind: HostEmpty, isSet: true}
			if c == '/' || c == '\\' {
				if c == '\\' {
					p.errs |= InvalidReverseSolidus
				}
				state = "file slash"
			} else if base != nil && base.scheme == "file" {
				url.host, url.path, url.query = base.host, append([]string(nil), base.path...), base.query
				if c == '?' {
					url.query = new("")
					state = "query"
				} else if c == '#' {
					url.fragment = new("")
					state = "fragment"
				} else if c != eof {
					url.query = nil
					if !slowStartsWithDrive(rest(pointer)) {
						url.shorten()
					} else {
						p.errs |= FileInvalidWindowsDriveLetter
						url.path = nil
					}
					state = "path"
					pointer--
				}
			} else {
				state = "path"
				pointer--
			}

		case "file slash":
			if c == '/' || c == '\\' {
				if c == '\\' {
					p.errs |= InvalidReverseSolidus
				}
				state = "file host"
			} else {
				if base != nil && base.scheme == "file" {
					url.host = base.host
					if !slowStartsWithDrive(rest(pointer)) && len(base.path) > 0 && slowNormalizedDrive(base.path[0]) {
						url.path = append(url.path, base.path[0])
					}
				}
				state = "path"
				pointer--
			}

		case "file host":
			if c == eof || c == '/' || c == '\\' || c == '?' || c == '#' {
				pointer--
				if slowDrive([]rune(buffer)) {
					p.errs |= FileInvalidWindowsDriveLetterHost
					state = "path"
				} else if buffer == "" {
					url.host = slowHost{kind: HostEmpty, isSet: true}
					state = "path start"
				} else {
					host, failure := p.parseHost(buffer, !special)
					if failure != OK {
						return nil, failure
					}
					if host.kind == HostDomain && host.text == "localhost" {
						host = slowHost{kind: HostEmpty, isSet: true}
					}
					url.host, buffer, state = host, "", "path start"
				}
			} else {
				buffer += string(c)
			}

		case "path start":
			if special {
				if c == '\\' {
					p.errs |= InvalidReverseSolidus
				}
				state = "path"
				if c != '/' && c != '\\' {
					pointer--
				}
			} else if c == '?' {
				url.query = new("")
				state = "query"
			} else if c == '#' {
				url.fragment = new("")
				state = "fragment"
			} else if c != eof {
				state = "path"
				if c != '/' {
					pointer--
				}
			}

		case "path":
			if ends {
				if special && c == '\\' {
					p.errs |= InvalidReverseSolidus
				}
				slash := c == '/' || special && c == '\\'
				if slowDoubleDot(buffer) {
					url.shorten()
					if !slash {
						url.path = append(url.path, "")
					}
				} else if slowSingleDot(buffer) && !slash {
					url.path = append(url.path, "")
				} else if !slowSingleDot(buffer) {
					if url.scheme == "file" && len(url.path) == 0 && slowDrive([]rune(buffer)) {
						buffer = buffer[:1] + ":"
					}
					url.path = append(url.path, buffer)
				}
				buffer = ""
				if c == '?' {
					url.query = new("")
					state = "query"
				}
				if c == '#' {
					url.fragment = new("")
					state = "fragment"
				}
			} else {
				p.unit(c, remaining)
				buffer += slowEncode(string(c), slowInPath)
			}

		case "opaque path":
			if c == '?' {
				url.query = new("")
				state = "query"
			} else if c == '#' {
				url.fragment = new("")
				state = "fragment"
			} else if c == ' ' {
				p.errs |= InvalidURLUnit
				if starts(remaining, "?") || starts(remaining, "#") {
					*url.opaquePath += "%20"
				} else {
					*url.opaquePath += " "
				}
			} else if c != eof {
				p.unit(c, remaining)
				*url.opaquePath += slowEncode(string(c), slowInC0)
			}

		case "query":
			if encoder != nil && (!special || url.scheme == "ws" || url.scheme == "wss") {
				encoder = nil
			}
			if c == '#' || c == eof {
				in := slowInQuery
				if special {
					in = slowInSpecialQuery
				}
				if encoder == nil {
					*url.query += slowEncode(buffer, in)
				} else {
					encoded, _ := encoder.appendEncoded(nil, []byte(buffer))
					*url.query += string(encoded)
				}
				buffer = ""
				if c == '#' {
					url.fragment = new("")
					state = "fragment"
				}
			} else {
				p.unit(c, remaining)
				buffer += string(c)
			}

		case "fragment":
			if c != eof {
				p.unit(c, remaining)
				*url.fragment += slowEncode(string(c), slowInFragment)
			}
		}
		if pointer >= 0 && pointer >= len(input) {
			return url, OK
		}
	}
}
