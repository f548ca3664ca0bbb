package sinks

import (
	"bytes"
	"slices"
)

// host is what the host columns need, worked out once for each host and not for each URI.
type host struct {
	name             []byte // as in the URI, nil when there is none
	tld              []byte // last label; nil for addresses
	registrySuffix   []byte // public suffix by the ICANN section
	registeredDomain []byte // one label more, nil when the host is itself a suffix
	privateSuffix    []byte // public suffix by both sections
	privateDomain    []byte
	reversed         []byte // labels from the last to the first
}

// hostCache holds the hosts seen lately. It belongs to one goroutine.
type hostCache struct {
	list  *SuffixList
	hosts map[string]*host
	last  *host // links of one page often have one host
}

// The bounds of a cache: some tens of MB, about 300 bytes a host. When it is full it starts over, which
// costs little: the hosts of a crawl come in clusters. A name longer than the DNS allows isn't kept.
const (
	maxCachedHosts   = 1 << 16
	maxCachedHostLen = 255
)

var noHost = &host{}

func newHostCache(list *SuffixList) *hostCache {
	return &hostCache{list: list, hosts: map[string]*host{}}
}

// of gives the parts of a host as it stands in a canonical URI; empty or nil is no host.
func (c *hostCache) of(name []byte) *host {
	if len(name) == 0 {
		return noHost
	}
	if c.last != nil && bytes.Equal(c.last.name, name) {
		return c.last
	}
	if len(name) > maxCachedHostLen {
		return c.list.split(bytes.Clone(name))
	}
	h := c.hosts[string(name)]
	if h == nil {
		if len(c.hosts) >= maxCachedHosts {
			clear(c.hosts)
		}
		h = c.list.split(bytes.Clone(name))
		c.hosts[string(h.name)] = h
	}
	c.last = h
	return h
}

// isAddress reports whether a host is no domain name: an IP literal, or a name whose last label is a
// number, which the URL standard takes for an IPv4 address ("ends in a number").
func isAddress(name []byte) bool {
	if name[0] == '[' {
		return true
	}
	label := name[bytes.LastIndexByte(name, '.')+1:]
	if len(label) > 1 && label[0] == '0' && label[1]|0x20 == 'x' {
		for _, c := range label[2:] {
			if !(c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f') {
				return false
			}
		}
		return true
	}
	for _, c := range label {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(label) > 0
}

// split works out the parts. A dot at the end ("example.com.") belongs to the name alone.
func (l *SuffixList) split(name []byte) *host {
	h := &host{name: name}
	domain := bytes.TrimSuffix(name, []byte("."))
	if len(domain) == 0 || isAddress(domain) {
		return h
	}
	tld := domain[bytes.LastIndexByte(domain, '.')+1:]
	if len(tld) == 0 {
		return h // "a..": no name of the DNS
	}
	h.tld = tld
	h.registrySuffix, h.registeredDomain = l.cut(domain, false)
	h.privateSuffix, h.privateDomain = l.cut(domain, true)
	h.reversed = appendReversed(nil, domain)
	return h
}

// appendReversed appends the labels from the last to the first: "www.example.com" gives
// "com.example.www".
func appendReversed(dst, domain []byte) []byte {
	dst = slices.Grow(dst, len(domain))
	for {
		dot := bytes.LastIndexByte(domain, '.')
		dst = append(dst, domain[dot+1:]...)
		if dot < 0 {
			return dst
		}
		dst = append(dst, '.')
		domain = domain[:dot]
	}
}
