package main

import (
	"fmt"
	"strings"
)

// reference is one reference of the sample and what must become of it. The generator starts from
// the canonical form and spells it badly, so that it knows the answer without a normalizer.
type reference struct {
	text     string // as it stands in the sample; bytes, not always UTF-8
	base     string // the document it stands in, "" for none
	embedded string // the base that the document names itself, "" for none
	url      string // the canonical URI, "" where it must be refused
	reason   string // why it must be refused
}

// absolute spells a page as an absolute reference, more or less well.
func absolute(r *random, p page) string {
	text := scheme(r, p.host.scheme) + "://" + authority(r, p.host)
	path := p.path
	if path == "/" && p.query == "" && r.chance(30) {
		path = ""
	} else if r.chance(6) {
		path = dotted(r, path)
	}
	text += escapes(r, path)
	if p.query != "" {
		text += "?" + escapes(r, p.query)
	}
	return around(r, text+fragment(r))
}

func scheme(r *random, s string) string {
	if r.chance(5) {
		return strings.ToUpper(s)
	}
	return s
}

func authority(r *random, h *host) string {
	name := h.name
	if h.unicode != "" && r.chance(60) {
		name = h.unicode
	}
	switch {
	case r.chance(5):
		name = strings.ToUpper(name)
	case r.chance(1) && h.unicode == "" && strings.Contains(name, "example"):
		name = strings.Replace(name, "m", "%6D", 1)
	case strings.HasPrefix(name, "[2001:db8::") && r.chance(50):
		name = strings.Replace(name, "::", ":0:0::", 1)
	}
	if h.port != "" {
		return name + ":" + h.port
	}
	port := map[string]string{"http": "80", "https": "443", "ftp": "21"}[h.scheme]
	switch r.below(200) {
	case 0:
		return name + ":"
	case 1:
		return name + ":0" + port
	case 2, 3, 4, 5, 6, 7, 8, 9:
		return name + ":" + port
	}
	return name
}

// dotted puts segments into the path that removing dot segments takes out again.
func dotted(r *random, path string) string {
	at := strings.LastIndexByte(path, '/')
	return path[:at] + pick(r, []string{"/.", "/" + pick(r, nouns) + "/..", "/%2e", "/./x/%2E%2e", "/a/b/../.."}) + path[at:]
}

// escapes spells percent-encoded text in other ways that mean the same.
func escapes(r *random, text string) string {
	if r.chance(70) {
		return text
	}
	text = strings.NewReplacer("%C3", "%c3", "%A9", "%a9", "%2F", "%2f", "%E6", "%e6", "%BF", "%bf").Replace(text)
	if r.chance(50) { // as a person types it: the normalizer escapes it once
		text = strings.NewReplacer("%20", " ", "%c3%a9", "é", "%c3%BC", "ü", "%e6%9D%B1", "東", "%c3%B1", "ñ").Replace(text)
	}
	if r.chance(50) {
		text = strings.NewReplacer("~", "%7e", "-", "%2D").Replace(text)
	}
	if r.chance(10) && !strings.Contains(text, "%a") {
		text = strings.Replace(text, "a", "%61", 1)
	}
	return text
}

func fragment(r *random) string {
	if !r.chance(8) {
		return ""
	}
	return pick(r, []string{"#", "#top", "#section-2", "#comments", "#:~:text=harvest"})
}

// around adds what copying from text leaves at the ends.
func around(r *random, text string) string {
	if !r.chance(1.5) {
		return text
	}
	return pick(r, []string{" " + text, text + " ", "  " + text + "  ", text + "\x01"})
}

// relative spells a page as a document on the same host links to it.
func relative(r *random, from, to page) string {
	query := ""
	if to.query != "" {
		query = "?" + escapes(r, to.query)
	}
	switch {
	case from.path == to.path && to.query != "" && r.chance(70):
		return query + fragment(r)
	case from.url() == to.url():
		return pick(r, []string{"", "#top", "#section-2", "#"})
	case r.chance(8):
		return "//" + authority(r, to.host) + to.path + query
	case r.chance(35) || len(to.path) < 2:
		return around(r, escapes(r, to.path)+query+fragment(r))
	}
	return climb(r, from.path, to.path) + query + fragment(r)
}

// climb is the relative path from a document to another of the same host.
func climb(r *random, from, to string) string {
	dirs := strings.Split(from[1:], "/")
	dirs = dirs[:len(dirs)-1]
	target := strings.Split(to[1:], "/")
	shared := 0
	for shared < len(dirs) && shared < len(target)-1 && dirs[shared] == target[shared] {
		shared++
	}
	text := strings.Repeat("../", len(dirs)-shared) + escapes(r, strings.Join(target[shared:], "/"))
	switch {
	case r.chance(3): // too many, which stop at the root (RFC 3986 section 5.4.2)
		return strings.Repeat("../", len(dirs)+2) + strings.Join(target, "/")
	case text == "" || text[0] == '/' || text[0] == ' ' || r.chance(10):
		return "./" + text
	}
	return text
}

// odd is a reference that is no page: another scheme, or broken.
func odd(r *random) reference {
	noun := pick(r, nouns)
	n := r.below(500)
	refused := func(reason, format string, a ...any) reference {
		return reference{text: fmt.Sprintf(format, a...), reason: reason}
	}
	same := func(format string, a ...any) reference {
		text := fmt.Sprintf(format, a...)
		return reference{text: text, url: text}
	}
	becomes := func(url, format string, a ...any) reference {
		return reference{text: fmt.Sprintf(format, a...), url: url}
	}
	switch r.below(24) {
	case 0:
		return same("javascript:void(%d)", r.below(2))
	case 1:
		return same("mailto:%s@example.org", noun)
	case 2:
		return same("data:text/plain,%s%%20%d", noun, n)
	case 3:
		return same("tel:+1-555-0%03d", n)
	case 4:
		return same("urn:isbn:97800000%05d", n)
	case 5:
		return becomes("mailto:"+noun+"@Example.ORG", "MAILTO:%s@Example.ORG", noun)
	case 6:
		return refused("bad_host", "http://exa%%20mple.com/%s", noun)
	case 7:
		return refused("bad_authority", "http://%s example.com/", noun)
	case 8:
		return refused("no_host", "http:///%s/%d", noun, n)
	case 9:
		return refused("bad_port", "https://%s.example:99999/", noun)
	case 10:
		return refused("bad_port", "https://%s.example:80a/", noun)
	case 11:
		return refused("bad_authority", `http://%s.example\@other.example/`, noun)
	case 12:
		return refused("bad_host", "http://[2001:db8::%x::1]/%s", 1+n, noun)
	case 13:
		return refused("bad_host", "http://%s%%2eexample%%2f.test/", noun)
	case 14:
		return becomes(fmt.Sprintf("https://www.example.com/sale/100%%25-%s", noun), "https://www.example.com/sale/100%%-%s", noun)
	case 15:
		return becomes("https://www.example.com/"+noun+"?d=%25zz", "https://www.example.com/%s?d=%%zz", noun)
	case 16: // Latin-1, which is no UTF-8
		return becomes(fmt.Sprintf("https://legacy.example.org/caf%%E9/%d", n), "https://legacy.example.org/caf\xe9/%d", n)
	case 17:
		return becomes(fmt.Sprintf("https://%s.example/a%%7Cb%%5E%d", noun, n), "https://%s.example/a|b^%d", noun, n)
	case 18:
		return becomes(fmt.Sprintf("https://%s.example/x%%5Cy", noun), `https://%s.example/x\y`, noun)
	case 19:
		return same("http://reader:swordfish@intranet.example/%s/%d", noun, n)
	case 20:
		return same("https://www.example.net/?")
	case 21:
		return becomes(fmt.Sprintf("https://%s.example/%%0D%%0Aset/%d", noun, n), "https://%s.example/%%0d%%0aset/%d", noun, n)
	case 22:
		return becomes("file:///srv/"+noun+".txt", "file:/srv/%s.txt", noun)
	}
	return same("https://www.example.org/%s/%%2541", noun)
}
