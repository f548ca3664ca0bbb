package normalize

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/text/secure/bidirule"
	"golang.org/x/text/unicode/bidi"

	"github.com/urisieve/urisieve/normalize/uri"
)

// maxLabel is the longest label, in bytes, that is converted to or from Punycode, whose cost grows
// with the square of the length. DNS ends at 63 (RFC 1035 section 2.3.4).
const maxLabel = 1024

// uts46 is UTS 46 section 4 as lookups need it: non-transitional, any ASCII (what may stand there
// is checked apart), hyphens anywhere ("r3---sn-x" is a name in use), and no length limits.
var uts46 = idna.New(
	idna.MapForLookup(),
	idna.Transitional(false),
	idna.StrictDomainName(false),
	idna.CheckHyphens(false),
	idna.CheckJoiners(true),
	idna.BidiRule(),
)

// mapLabels writes the labels of the name at out[at:], which is a host without escapes, in ASCII.
// Labels of pure ASCII are lower-cased only. One that begins with "xn--" and is no valid A-label
// is kept: such names exist, and nothing better can be made of them.
//
//	Bücher.example  ->  xn--bcher-kva.example
//
// Source: UTS 46 section 4, RFC 5893 section 2 for the bidi rule. Class: scheme.
func (r *run) mapLabels(at int) bool {
	name := string(r.out[at:])
	host := r.parts.Host(r.text)
	refuse := func(i int) bool {
		return r.refuse(BadHost, ComponentHost, int(r.parts.HostStart)+rawOffset(host, i))
	}
	if i := invalidUTF8(name); i >= 0 {
		return refuse(i)
	}
	r.out = r.out[:at]
	var labels bidiLabels
	from := 0
	for {
		end, next := labelEnd(name, from)
		r.work += uint64(end - from)
		if !r.appendLabel(name[from:end], &labels) {
			return refuse(from)
		}
		if end == len(name) {
			break
		}
		r.out = append(r.out, '.')
		from = next
	}
	if len(r.out) == at { // nothing but ignored characters
		return refuse(0)
	}
	if i := labels.broken(); i >= 0 {
		if labels.unicode {
			return refuse(0)
		}
		r.result.Flags |= FlagBadXNLabel
	}
	r.noteMapping([]byte(name), r.out[at:])
	return true
}

// noteMapping tells which rules made after of before.
func (r *run) noteMapping(before, after []byte) {
	folded := append([]byte(nil), before...)
	if lower(folded) {
		r.step(RuleLowerHost, ComponentHost, before, folded)
	}
	if string(folded) != string(after) {
		r.step(RuleIDNA, ComponentHost, folded, after)
	}
}

// appendLabel writes one label in ASCII, or reports that there is no such label.
func (r *run) appendLabel(label string, labels *bidiLabels) bool {
	at := len(r.out)
	switch ascii := isASCII(label); {
	case ascii && !isALabel(label):
		r.out = append(r.out, label...)
		lower(r.out[at:])
		labels.add(string(r.out[at:]), false)
		return true
	case len(label) > maxLabel:
		return false
	case ascii:
		r.out = append(r.out, label...)
		lower(r.out[at:])
		if mapped, err := uts46.ToASCII(string(r.out[at:])); err != nil || mapped != string(r.out[at:]) {
			r.result.Flags |= FlagBadXNLabel
			return true
		}
		r.result.Flags |= FlagIDN
		labels.add(toUnicode(string(r.out[at:])), false)
		return true
	}
	mapped, err := uts46.ToASCII(label)
	if err != nil || len(mapped) > maxLabel {
		return false
	}
	for i := range len(mapped) {
		if !uri.Is(mapped[i], uri.Unreserved) { // a delimiter or "%" came out
			return false
		}
	}
	r.out = append(r.out, mapped...)
	if hasALabel(r.out[at:]) {
		r.result.Flags |= FlagIDN
	}
	labels.add(toUnicode(mapped), true)
	return true
}

// toUnicode is a valid name with its A-labels decoded.
func toUnicode(name string) string {
	decoded, _ := uts46.ToUnicode(name)
	return decoded
}

// labelEnd finds the end of the label that begins at from, and where the next one begins: after
// a full stop or a character that UTS 46 section 4 maps to one.
func labelEnd(name string, from int) (end, next int) {
	for i := from; i < len(name); i++ {
		switch {
		case name[i] == '.':
			return i, i + 1
		case name[i] < utf8.RuneSelf:
		case strings.HasPrefix(name[i:], "\u3002"), strings.HasPrefix(name[i:], "\uff0e"), strings.HasPrefix(name[i:], "\uff61"):
			return i, i + len("\u3002")
		}
	}
	return len(name), len(name)
}

// bidiLabels are the labels of a name as Unicode has them. If one of them is written from right to
// left, the bidi rule binds them all (RFC 5893 section 2).
type bidiLabels struct {
	texts   []string
	rtl     bool // a label holds a character that is written from right to left
	unicode bool // a label came in as Unicode
}

func (l *bidiLabels) add(text string, unicode bool) {
	l.texts = append(l.texts, text)
	l.unicode = l.unicode || unicode
	l.rtl = l.rtl || !isASCII(text) && bidirule.DirectionString(text) != bidi.LeftToRight
}

// broken is the number of the first label that breaks the bidi rule, -1 if none does.
func (l *bidiLabels) broken() int {
	if !l.rtl {
		return -1
	}
	for i, text := range l.texts {
		if !bidirule.ValidString(text) {
			return i
		}
	}
	return -1
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// invalidUTF8 is the offset of the first byte that is no UTF-8, -1 if there is none.
func invalidUTF8(text string) int {
	for i, c := range text {
		if c == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)) {
			return i
		}
	}
	return -1
}
