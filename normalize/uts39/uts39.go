// Package uts39 tells what Unicode Technical Standard 39 finds suspicious in the label of a host
// name: scripts that are not written together, and code points that nobody sees. Its tables are
// those of Unicode 17.0.0, whatever the Go release: gen_tables.go makes them from data that `make
// unicode` fetches. It isn't part of `go generate`, which has to work on a machine with Go alone.
package uts39

import "slices"

// scripts is a set of scripts, a bit each.
type scripts [3]uint64

func (s scripts) and(t scripts) scripts { return scripts{s[0] & t[0], s[1] & t[1], s[2] & t[2]} }

func (s scripts) has(bit int) bool { return s[bit/64]>>(bit%64)&1 != 0 }

// span is a run of code points of one set of scripts, up to the next one's first.
type span struct {
	first rune
	set   uint16
}

// Label collects what is known of the characters of one label. The zero value is an empty one.
type Label struct {
	common scripts // those that all characters so far have
	// whether all characters so far are of Latin and one more writing system (section 5.2)
	withHanb, withJpan, withKore bool
	invisible, begun             bool
}

// Add takes the next character of the label.
func (l *Label) Add(c rune) {
	if !l.begun {
		*l = Label{common: scripts{^uint64(0), ^uint64(0), ^uint64(0)}, withHanb: true, withJpan: true, withKore: true, begun: true}
	}
	if IsInvisible(c) {
		l.invisible = true
	}
	s := scriptsOf(c)
	l.common = l.common.and(s)
	if !s.has(latin) {
		l.withHanb = l.withHanb && s.has(hanb)
		l.withJpan = l.withJpan && s.has(jpan)
		l.withKore = l.withKore && s.has(kore)
	}
}

// Mixed reports whether the label mixes scripts beyond the level "highly restrictive": it is neither
// of one script, nor of Latin with Han and Bopomofo, with Han, Hiragana and Katakana, or with Han
// and Hangul (UTS 39 sections 5.1 and 5.2).
func (l *Label) Mixed() bool {
	return l.begun && l.common == scripts{} && !l.withHanb && !l.withJpan && !l.withKore
}

// Invisible reports whether the label holds a character that nobody sees.
func (l *Label) Invisible() bool { return l.invisible }

// scriptsOf is the augmented set of scripts of a character (UTS 39 section 5.1).
func scriptsOf(c rune) scripts {
	i, found := slices.BinarySearchFunc(spans[:], c, func(s span, c rune) int { return int(s.first) - int(c) })
	if !found {
		i--
	}
	return sets[spans[i].set]
}

// IsInvisible reports whether a character shows nothing and takes no room
// (Default_Ignorable_Code_Point), as the joiners, the soft hyphen and variation selectors do.
func IsInvisible(c rune) bool {
	if c < ignorable[0][0] {
		return false
	}
	i, found := slices.BinarySearchFunc(ignorable[:], c, func(r [2]rune, c rune) int { return int(r[0]) - int(c) })
	return found || i > 0 && c <= ignorable[i-1][1]
}
