package keyrule

import (
	"bytes"
	"slices"
)

// host applies drop-trailing-dot, strip-www and strip-www-number until nothing changes. What it
// returns lies in host.
func (r *Rules) host(host []byte) (_ []byte, fired Set) {
	if len(host) == 0 || host[0] == '[' {
		return host, 0
	}
	if r.set&DropTrailingDot != 0 {
		trimmed := bytes.TrimRight(host, ".")
		// A name that ends in several dots is no address, whatever its labels are: it must not become one.
		if dots := len(host) - len(trimmed); len(trimmed) > 0 && (dots == 1 || dots > 1 && !endsInDigits(trimmed)) {
			host = trimmed
			fired |= DropTrailingDot
		}
	}
	for r.set&(StripWWW|StripWWWNumber) != 0 {
		n, rule := wwwLabel(host)
		if r.set&rule == 0 || !standsAlone(host[n:]) {
			break
		}
		host = host[n:]
		fired |= r.set & rule
	}
	return host, fired
}

// wwwLabel gives the length of the leading label "www" or "www" and digits, its dot included, and
// the rules that strip it; 0 where there is none.
func wwwLabel(host []byte) (int, Set) {
	if !bytes.HasPrefix(host, []byte("www")) {
		return 0, 0
	}
	n := 3
	for n < len(host) && host[n] >= '0' && host[n] <= '9' {
		n++
	}
	if n == len(host) || host[n] != '.' {
		return 0, 0
	}
	if n == 3 {
		return n + 1, StripWWW | StripWWWNumber
	}
	return n + 1, StripWWWNumber
}

// standsAlone reports whether a host can do without the label before it: it isn't empty, no
// public suffix, and wouldn't be read as an IPv4 address.
func standsAlone(host []byte) bool {
	host = bytes.TrimSuffix(host, []byte("."))
	return len(host) > 0 && host[0] != '.' && !isSuffix(host) && !endsInDigits(host)
}

// endsInDigits reports whether the last label of a host is empty or begins with a digit, as that of
// every IPv4 address does, in all the forms that the URL standard reads (section 3.5).
func endsInDigits(host []byte) bool {
	last := host[bytes.LastIndexByte(host, '.')+1:]
	return len(last) == 0 || '0' <= last[0] && last[0] <= '9'
}

// isSuffix reports whether a name is a public suffix as a whole (publicsuffix.org, "Algorithm").
// A name of one label always is.
func isSuffix(name []byte) bool {
	_, after, ok := bytes.Cut(name, []byte{'.'})
	if !ok {
		return true
	}
	if has(exceptions[:], name) {
		return false
	}
	return has(suffixes[:], name) || has(wildcards[:], after)
}

func has(sorted []string, name []byte) bool {
	_, ok := slices.BinarySearchFunc(sorted, name, func(s string, name []byte) int {
		switch {
		case s < string(name):
			return -1
		case s > string(name):
			return 1
		}
		return 0
	})
	return ok
}
