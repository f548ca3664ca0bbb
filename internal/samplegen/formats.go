package main

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// sample is one file of the sample and the references that it holds, in order.
type sample struct {
	name string // ".gz" at the end: it is compressed when written
	text []byte
	refs []reference
}

// The sizes of the files, in references, documents or lines.
const (
	listReferences = 24_000
	tsvReferences  = 6_000
	csvReferences  = 1_500
	documents      = 900
	logLines       = 6_000
	webPages       = 9_000
)

// samples makes all files, always the same ones.
func samples() []sample {
	r := &random{state: 2396_3986}
	all := hosts()
	web := pages(r, all, webPages)
	byHost := make(map[*host][]page)
	for _, p := range web {
		byHost[p.host] = append(byHost[p.host], p)
	}
	w := &world{random: r, pages: web, byHost: byHost}
	return []sample{w.list(), w.tsv(), w.csv(), w.documents(), w.combined(), w.vcombined()}
}

type world struct {
	*random
	pages  []page
	byHost map[*host][]page
}

// link is a reference as the page `from` might hold it, half of them to its own host.
func (w *world) link(from page) reference {
	switch {
	case w.chance(4):
		return odd(w.random)
	case w.chance(60):
		own := w.byHost[from.host]
		to := own[w.popular(len(own))]
		return reference{text: relative(w.random, from, to), url: to.url()}
	}
	to := w.pages[w.popular(len(w.pages))]
	return reference{text: absolute(w.random, to), url: to.url()}
}

// list is one reference a line, nearly all absolute: what a seed list or a link dump looks like.
func (w *world) list() sample {
	s := sample{name: "urls.txt.gz"}
	for range listReferences {
		var ref reference
		switch {
		case w.chance(3):
			ref = odd(w.random)
		case w.chance(0.5):
			ref = reference{text: w.pages[w.below(len(w.pages))].path, reason: "no_base"}
		default:
			p := w.pages[w.popular(len(w.pages))]
			ref = reference{text: absolute(w.random, p), url: p.url()}
		}
		s.refs = append(s.refs, ref)
		s.text = append(append(s.text, ref.text...), w.lineEnd()...)
	}
	return s
}

// lineEnd is a newline, seldom that of another system or an empty line after it.
func (w *world) lineEnd() string {
	switch {
	case w.chance(1):
		return "\r\n"
	case w.chance(0.2):
		return "\n\n"
	}
	return "\n"
}

// tsv has a header, the reference, the document it stands in, and a column to pass through.
func (w *world) tsv() sample {
	s := sample{name: "links.tsv.gz", text: []byte("ref\tbase\tdepth\n")}
	for range tsvReferences {
		from := w.pages[w.popular(len(w.pages))]
		ref := w.link(from)
		ref.base = from.url()
		s.refs = append(s.refs, ref)
		s.text = fmt.Appendf(s.text, "%s\t%s\t%d\n", ref.text, ref.base, w.below(12))
	}
	return s
}

// csv has quoted fields with delimiters, quotes and newlines in them.
func (w *world) csv() sample {
	s := sample{name: "links.csv", text: []byte("ref,base,anchor\r\n")}
	anchors := []string{"plain", "", `said "yes"`, "one, two", "over\ntwo lines", "Ünïcode"}
	for range csvReferences {
		from := w.pages[w.popular(len(w.pages))]
		ref := w.link(from)
		ref.base = from.url()
		s.refs = append(s.refs, ref)
		s.text = fmt.Appendf(s.text, "%s,%s,%s\r\n", quoted(ref.text), quoted(ref.base), quoted(pick(w.random, anchors)))
	}
	return s
}

// quoted is a CSV field (RFC 4180 section 2), in quotes where it must be.
func quoted(field string) string {
	if !strings.ContainsAny(field, ",\"\r\n ") {
		return field
	}
	return `"` + strings.ReplaceAll(field, `"`, `""`) + `"`
}

// documents are crawled pages with their links; some name a base of their own.
func (w *world) documents() sample {
	s := sample{name: "documents.jsonl.gz"}
	for range documents {
		doc := w.pages[w.popular(len(w.pages))]
		from, embedded := doc, ""
		if w.chance(15) {
			from, embedded = w.embeddedBase(doc)
		}
		s.text = fmt.Appendf(s.text, `{"base":%s`, jsonString(doc.url()))
		if embedded != "" {
			s.text = fmt.Appendf(s.text, `,"embedded_base":%s`, jsonString(embedded))
		}
		s.text = fmt.Appendf(s.text, `,"depth":%d,"links":[`, w.below(9))
		for i := range w.below(24) {
			ref := w.link(from)
			ref.base, ref.embedded = doc.url(), embedded
			s.refs = append(s.refs, ref)
			if i > 0 {
				s.text = append(s.text, ',')
			}
			s.text = fmt.Appendf(s.text, `{"href":%s,"text":%s}`, jsonString(ref.text), jsonString(pick(w.random, nouns)))
		}
		s.text = append(s.text, "]}\n"...)
	}
	return s
}

// embeddedBase is the base that a document names (HTML's <base href>), and the page that its
// relative links then start from.
func (w *world) embeddedBase(doc page) (from page, text string) {
	folder := "/" + pick(w.random, sections) + "/"
	if w.chance(50) {
		return page{host: doc.host, path: folder}, folder
	}
	p := page{host: w.pages[w.popular(len(w.pages))].host, path: folder}
	return p, p.url()
}

// jsonString quotes bytes and keeps those that are no UTF-8, as careless writers do.
func jsonString(text string) string {
	var b bytes.Buffer
	b.WriteByte('"')
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < 0x20:
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// combined is an access log of one web server, in the combined format.
func (w *world) combined() sample {
	s := sample{name: "access.combined.log.gz"}
	site := w.pages[0].host
	w.log(&s, func() *host { return site }, false)
	return s
}

// vcombined is an access log of several virtual hosts, each line led by the host.
func (w *world) vcombined() sample {
	s := sample{name: "access.vcombined.log.gz"}
	w.log(&s, func() *host {
		for {
			if h := w.pages[w.popular(60)].host; h.scheme == "https" && h.port == "" && h.unicode == "" {
				return h
			}
		}
	}, true)
	return s
}

func (w *world) log(s *sample, site func() *host, vhost bool) {
	agents := []string{
		"Mozilla/5.0 (X11; Linux x86_64) ExampleBrowser/12.1", "Mozilla/5.0 (Macintosh) ExampleBrowser/12.0",
		"examplebot/2.1 (+https://bot.example/about)", `odd \"agent\"`, "-",
	}
	at := time.Date(2026, time.March, 1, 0, 0, 7, 0, time.UTC)
	for range logLines {
		at = at.Add(time.Duration(w.below(9000)) * time.Millisecond)
		h := site()
		own := w.byHost[h]
		to := own[w.popular(len(own))]
		target := strings.ReplaceAll(escapes(w.random, to.path), " ", "%20")
		if to.query != "" {
			target += "?" + to.query
		}
		s.refs = append(s.refs, reference{text: target, base: h.scheme + "://" + h.name, url: to.url()})
		referer := "-"
		if w.chance(45) {
			from := w.pages[w.popular(len(w.pages))]
			referer = from.url()
			s.refs = append(s.refs, reference{text: referer, base: h.scheme + "://" + h.name, url: referer})
		}
		if vhost {
			s.text = fmt.Appendf(s.text, "%s:443 ", h.name)
		}
		status, bytes := pick(w.random, []string{"200", "200", "200", "304", "404", "301"}), strconv.Itoa(w.below(90_000))
		if status == "304" {
			bytes = "-"
		}
		s.text = fmt.Appendf(s.text, "203.0.113.%d - - [%s] \"%s %s HTTP/1.1\" %s %s \"%s\" \"%s\"\n", w.below(255),
			at.Format("02/Jan/2006:15:04:05 -0700"), pick(w.random, []string{"GET", "GET", "GET", "HEAD", "POST"}),
			target, status, bytes, referer, pick(w.random, agents))
	}
}
