package main

import (
	"fmt"
	"strings"
)

// host is a host of the made-up web. All names are reserved for examples and tests (RFC 2606,
// RFC 6761), all addresses for documentation (RFC 5737, RFC 3849).
type host struct {
	name    string // canonical text
	unicode string // the same name as people write it, "" where that is the same
	scheme  string
	port    string // "" for the scheme's default
}

// page is a resource by its canonical components.
type page struct {
	host  *host
	path  string // canonical, starts with "/"
	query string // canonical, "" for none
}

// url is the canonical URI of the page.
func (p page) url() string {
	text := p.host.scheme + "://" + p.host.name
	if p.host.port != "" {
		text += ":" + p.host.port
	}
	text += p.path
	if p.query != "" {
		text += "?" + p.query
	}
	return text
}

func hosts() []*host {
	var all []*host
	add := func(name, unicode, scheme, port string) {
		all = append(all, &host{name: name, unicode: unicode, scheme: scheme, port: port})
	}
	for _, domain := range []string{"example.com", "example.org", "example.net"} {
		for _, sub := range []string{"www.", "", "blog.", "shop.", "docs.", "static.", "news.", "forum."} {
			add(sub+domain, "", "https", "")
		}
		add("legacy."+domain, "", "http", "")
		add("ftp."+domain, "", "ftp", "")
	}
	for _, name := range []string{"harbour", "library", "orchard", "museum", "railway", "bakery", "theatre", "garden"} {
		add(name+".example", "", "https", "")
		add("www."+name+".example", "", "http", "")
		add(name+".test", "", "http", "")
		add("api."+name+".test", "", "https", "8443")
	}
	add("xn--bcher-kva.example", "bücher.example", "https", "")
	add("xn--fiq228c.example", "中文.example", "https", "")
	add("xn--e1afmkfd.example", "пример.example", "http", "")
	add("xn--caf-dma.test", "café.test", "https", "")
	add("192.0.2.17", "", "http", "8080")
	add("198.51.100.4", "", "http", "")
	add("[2001:db8::1]", "", "http", "")
	add("[2001:db8:0:1::5]", "", "https", "9443")
	return all
}

var (
	sections = []string{"articles", "products", "wiki", "archive", "team", "media", "people", "events", "maps", "recipes"}
	nouns    = []string{
		"lantern", "compass", "harvest", "meadow", "bridge", "kettle", "atlas", "violin", "copper", "willow",
		"anchor", "saffron", "granite", "ferry", "almanac", "thistle", "beacon", "marble", "canal", "orchid",
	}
	adjectives = []string{"quiet", "northern", "old", "bright", "hollow", "second", "early", "winding", "salted", "open"}
	foreign    = []string{"caf%C3%A9", "M%C3%BCnchen", "%E6%9D%B1%E4%BA%AC", "%D0%BF%D1%83%D1%82%D1%8C", "ni%C3%B1o", "na%C3%AFve"}
)

// pages makes the web that the sample's references point at.
func pages(r *random, all []*host, n int) []page {
	made := make([]page, 0, n)
	for _, h := range all {
		made = append(made, page{host: h, path: "/"})
	}
	for len(made) < n {
		h := all[r.popular(len(all))]
		made = append(made, page{host: h, path: path(r, h), query: query(r, h)})
	}
	return made
}

func path(r *random, h *host) string {
	noun, adjective := pick(r, nouns), pick(r, adjectives)
	switch r.below(10) {
	case 0:
		return fmt.Sprintf("/%s/", pick(r, sections))
	case 1:
		return fmt.Sprintf("/~%s/%s.html", noun, adjective)
	case 2:
		return fmt.Sprintf("/%d/%02d/%02d/%s-%s", 2009+r.below(17), 1+r.below(12), 1+r.below(28), adjective, noun)
	case 3:
		return fmt.Sprintf("/%s/%s", pick(r, sections), pick(r, foreign))
	case 4:
		return fmt.Sprintf("/media/%s%%20%s%%20%d.jpg", adjective, noun, r.below(40))
	case 5:
		return fmt.Sprintf("/%s/%s;v=%d/%s", pick(r, sections), noun, 1+r.below(4), adjective)
	case 6:
		return fmt.Sprintf("/files/a%%2Fb/%s-%d.%s", noun, r.below(100), pick(r, []string{"pdf", "csv", "tar.gz", "xml"}))
	default:
		return fmt.Sprintf("/%s/%s-%s-%d", pick(r, sections), adjective, noun, r.below(3000))
	}
}

func query(r *random, h *host) string {
	if h.scheme == "ftp" {
		return ""
	}
	switch r.below(12) {
	case 0:
		return fmt.Sprintf("page=%d", 1+r.below(30))
	case 1:
		return fmt.Sprintf("q=%s+%s&lang=%s", pick(r, adjectives), pick(r, nouns), pick(r, []string{"en", "de", "fr", "ja"}))
	case 2:
		return fmt.Sprintf("utm_source=%s&utm_medium=mail&utm_campaign=%s%%26more&gid=%08x", pick(r, nouns), pick(r, adjectives), uint32(r.next()))
	case 3:
		return "redirect=https://" + pick(r, nouns) + ".example/../done?ok"
	case 4:
		return "tags=" + strings.Join([]string{pick(r, nouns), pick(r, foreign)}, ",")
	}
	return ""
}
