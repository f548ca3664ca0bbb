package main

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ada-url/goada"
	nlnwa "github.com/nlnwa/whatwg-url/url"

	"github.com/urisieve/urisieve/normalize"
)

const corpora = "../../shared/corpora"

const refused = "(refused)"

// library gives the href of a URL, refused where it takes none.
type library struct {
	name string
	href func(url string) string
	// differs says why an answer may differ from ours, by the section of the URL standard or the fault
	// of the library that is known; "" is no reason.
	differs func(url, ours, theirs string) string
}

func ours() func(string) string {
	n := normalizer("whatwg")
	return func(text string) string {
		out, r := n.Append(nil, nil, []byte(text))
		if r.Reason != normalize.OK {
			return refused
		}
		return string(out)
	}
}

func libraries() []library {
	parser := nlnwa.NewParser()
	return []library{
		{"ada", adaHref, adaDiffers},
		{"nlnwa", func(text string) string {
			u, err := parser.Parse(text)
			if err != nil {
				return refused
			}
			return u.Href(false)
		}, nlnwaDiffers},
	}
}

func adaHref(text string) string {
	u, err := goada.New(text)
	if err != nil {
		return refused
	}
	return u.Href()
}

// adaDiffers lists what ada 3.4.1 does otherwise.
func adaDiffers(text, ours, theirs string) string {
	switch {
	case !utf8.ValidString(text):
		return "section 4.4 begins with the UTF-8 decoding of the input: ada takes the bytes as they are"
	case strings.HasPrefix(ours, "file:") && strings.HasPrefix(theirs, "file:") && strings.Count(theirs, ":") > 1:
		return "section 4.4, shorten a URL's path: only a letter and a colon, nothing after them, is a drive letter that stays"
	case hasXN(ours) || hasXN(theirs) || hasXN(text):
		return "section 3.3 as of June 2026 (whatwg/url#914) takes A-labels that do not decode; ada is older, as its Unicode tables are"
	case hasNonASCIIHost(text):
		return "section 3.3: ada's tables are of an older Unicode version"
	}
	return ""
}

// nlnwaDiffers lists what whatwg-url 0.6.2 does otherwise. Where ada reads a URL as we do, whatwg-url is
// alone with its reading: it takes signs for digits of IPv4 numbers (section 3.5), leaves U+005E in paths
// (section 1.3, since 2025) and spaces at the end of opaque paths (section 4.4, since 2025), and more.
func nlnwaDiffers(text, ours, theirs string) string {
	if reason := adaDiffers(text, ours, theirs); reason != "" {
		return strings.ReplaceAll(reason, "ada", "nlnwa")
	}
	if adaHref(text) == ours {
		return "ada reads it as we do"
	}
	return ""
}

func hasXN(text string) bool { return strings.Contains(strings.ToLower(text), "xn--") }

func hasNonASCIIHost(text string) bool {
	_, rest, ok := strings.Cut(text, ":")
	if !ok {
		return false
	}
	host, _, _ := strings.Cut(strings.TrimLeft(rest, `/\`), "/")
	return strings.ContainsFunc(host, func(c rune) bool { return c >= utf8.RuneSelf || c == '%' })
}

// Over the lists of real URLs every href is the same to the byte, but for what is listed.
func TestRealURLsAreTheSame(t *testing.T) {
	mine := ours()
	for i, list := range lists {
		for _, l := range libraries() {
			every := []int{1, 7}[i]
			if l.name == "nlnwa" {
				every *= 11
			}
			count, differences := 0, map[string]int{}
			err := eachURL(corpora, list, every, func(text string) {
				count++
				a, b := mine(text), l.href(text)
				if a == b {
					return
				}
				reason := l.differs(text, a, b)
				if reason == "" {
					t.Errorf("%s: %q is %q here, %q there", l.name, text, a, b)
				}
				differences[reason]++
			})
			if errors.Is(err, fs.ErrNotExist) {
				t.Skipf("no corpora beside the repository: %v", err)
			} else if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s, %s: %d URLs, differences %v", l.name, list, count, differences)
		}
	}
}

var seeds = []string{
	"http://h/", "HTTP://u:p@EX.com:80/a/../b?c#d", "http://0x7f.1/", "http://[::1]:8080/", "http://[::ffff:1.2.3.4]", "file:///C|/x/../y", "file:/x", "mailto:a@b",
	"data:text/plain,a b #f", "http:\\\\h\\a\tb", "https:h", "a:/..//b", "foo://H ost", "ws://h:80?'#`", "http://h/%2e%2E/x/.%2e?^", "http://1.2.3.4.5/", "http://@h", " http://h \n",
	"javascript:alert(1)", "http://h:65536/", "http://é.example/é?é#é", "non-special://[::1]/a", "blob:http://h/x", "//h", "", "x", "http://h//..//a", "http://a%41b/",
}

func fuzz(f *testing.F, name string) {
	for _, s := range seeds {
		f.Add(s)
	}
	mine := ours()
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1000 || text == "" { // goada refuses the empty text itself
			return
		}
		for _, l := range libraries() {
			if l.name != name {
				continue
			}
			if a, b := mine(text), l.href(text); a != b && l.differs(text, a, b) == "" {
				t.Errorf("%s: %q is %q here, %q there", l.name, text, a, b)
			}
		}
	})
}

func FuzzAda(f *testing.F)   { fuzz(f, "ada") }
func FuzzNlnwa(f *testing.F) { fuzz(f, "nlnwa") }
