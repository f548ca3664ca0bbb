package whatwg

import "github.com/urisieve/urisieve/normalize/uri"

// needStrict marks, between verify and Append, a host that must still be looked at by isStrict. It
// is no validation error.
const needStrict Errors = 1 << 63

// verify reports whether ref is, byte for byte, the href that it has, whatever the base and the
// encoding, or would be with a "/" behind its host, its last byte: most links of a crawl are. It
// takes URLs of special schemes but "file", with a domain for host and no userinfo and port; what
// it does not take is parsed in full. One pass over one table.
func verify(ref []byte, r *Result) bool {
	i := 0
	switch {
	case len(ref) >= 8 && string(ref[:8]) == "https://":
		i = 8
	case len(ref) >= 7 && string(ref[:7]) == "http://":
		i = 7
	case len(ref) >= 6 && (string(ref[:6]) == "wss://" || string(ref[:6]) == "ftp://"):
		i = 6
	case len(ref) >= 5 && string(ref[:5]) == "ws://":
		i = 5
	default:
		return false
	}
	if len(ref) > MaxBytes {
		return false
	}
	host := i
	i, errs, ok := verifyDomain(ref, i)
	if !ok {
		return false
	}
	r.Parts = uri.Parts{
		SchemeEnd: uint32(host - 3), AuthStart: uint32(host), HostStart: uint32(host), HostEnd: uint32(i),
		PathStart: uint32(i), QueryStart: uri.Absent, FragStart: uri.Absent,
	}
	if i == len(ref) {
		r.Errors, r.Host = errs, HostDomain
		return true
	}
	seen, i := verifyPath(ref, i)
	if i < len(ref) && ref[i] == '?' {
		r.Parts.QueryStart = uint32(i + 1)
		var c class
		c, i = verifyRun(ref, i+1, specialQuerySet)
		seen |= c
	}
	if i < len(ref) && ref[i] == '#' {
		r.Parts.FragStart = uint32(i + 1)
		var c class
		c, i = verifyRun(ref, i+1, fragmentSet)
		seen |= c
	}
	if i < len(ref) {
		return false
	}
	if seen&notURL != 0 {
		errs |= InvalidURLUnit
	}
	r.Errors, r.Host = errs, HostDomain
	return true
}

// verifyDomain finds the end of the domain that begins at i: a "/", or the end of ref. ok is false
// where the domain is empty, not in its final form, or might be an IPv4 address.
func verifyDomain(ref []byte, i int) (end int, errs Errors, ok bool) {
	begin, label := i, i // label is where the last label begins
	for ; i < len(ref); i++ {
		c := classes[ref[i]]
		if c&plainDomain != 0 {
			continue
		}
		if ref[i] == '.' {
			if n := i - label; n == 0 || n > maxLabelBytes {
				errs = needStrict
			}
			label = i + 1
			continue
		}
		if ref[i] == '/' {
			break
		}
		if c&(forbiddenDomain|wideByte|upperCase) != 0 {
			return i, 0, false
		}
		if ref[i] != '-' || i == label || i+1 == len(ref) || classes[ref[i+1]]&plainDomain == 0 {
			errs = needStrict // a hyphen at an end or before another; or what no strict domain has
		}
	}
	if i == begin {
		return i, 0, false
	}
	if label == i { // a trailing dot: the last label is the one before
		errs = needStrict
		for label--; label > begin && ref[label-1] != '.'; label-- {
		}
	}
	if isDigit(ref[label]) {
		return i, 0, false
	}
	if i-label > maxLabelBytes || i-begin > maxDomainBytes {
		errs = needStrict
	}
	return i, errs, true
}

// verifyPath goes over the path that begins with the "/" at i. It stops at what ends the path, and
// at what isn't canonical in it.
func verifyPath(ref []byte, i int) (seen class, end int) {
	for ; i < len(ref); i++ {
		c := classes[ref[i]]
		if c&(pathSet|notURL|percent|pathEnd) == 0 {
			continue
		}
		switch {
		case ref[i] == '/':
			if i+1 < len(ref) && (ref[i+1] == '.' || ref[i+1] == '%') && startsWithDots(ref[i+1:]) {
				return 0, i
			}
		case c&(pathSet|pathEnd) != 0:
			return seen, i
		case c&percent != 0:
			if !isEscape(ref[i:]) {
				seen |= notURL
			}
		default:
			seen |= c
		}
	}
	return seen, i
}

// startsWithDots reports whether s begins with a dot segment of a special URL's path.
func startsWithDots(s []byte) bool {
	n := 0
	for n < len(s) && n <= len("%2e%2e") && classes[s[n]]&pathEnd == 0 {
		n++
	}
	return countDots(s[:n]) > 0
}

// verifyRun goes over a query or fragment that begins at i, up to the first byte of the set.
func verifyRun(ref []byte, i int, set class) (seen class, end int) {
	for ; i < len(ref); i++ {
		c := classes[ref[i]]
		if c&(set|notURL|percent) == 0 {
			continue
		}
		if c&set != 0 {
			return seen, i
		}
		if c&percent != 0 && !isEscape(ref[i:]) {
			c = notURL
		}
		seen |= c
	}
	return seen, i
}
