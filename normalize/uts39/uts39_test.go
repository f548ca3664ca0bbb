package uts39

import (
	"testing"
	"unicode"
)

func labelOf(text string) *Label {
	var l Label
	for _, c := range text {
		l.Add(c)
	}
	return &l
}

func TestMixed(t *testing.T) {
	for _, c := range []struct {
		label string
		mixed bool
	}{
		{"", false},
		{"paypal", false},
		{"a1-b2", false},
		{"bücher", false},
		{"раураl", true},      // Cyrillic and Latin l
		{"раура", false},      // Cyrillic alone
		{"αlpha", true},       // Greek and Latin
		{"日本語", false},        // Han
		{"ひらがな日本", false},     // Han and Hiragana
		{"カタカナabc", false},    // Katakana and Latin
		{"abc日本ひカ", false},    // Latin, Han, Hiragana, Katakana
		{"한국abc", false},      // Hangul and Latin
		{"한국ひ", true},         // Hangul and Hiragana
		{"ㄅㄆ中文a", false},      // Bopomofo, Han, Latin
		{"ㄅひ", true},          // Bopomofo and Hiragana
		{"日本ru", false},       // Han and Latin
		{"日本р", true},         // Han and Cyrillic
		{"ー", false},          // extended: Hiragana and Katakana
		{"aー", false},         // with Latin: Japanese
		{"नमस्ते", false},     // Devanagari with marks
		{"नa", true},          // Devanagari and Latin
		{"१२", false},         // digits of several scripts (Script_Extensions)
		{"סלאם", false},       // Hebrew
		{"аb\u0301", true},    // an inherited mark joins either
		{"\u0301a", false},    // inherited and Latin
		{"a\U000E0FFF", true}, // unassigned: of no script
	} {
		if got := labelOf(c.label).Mixed(); got != c.mixed {
			t.Errorf("%q: mixed %v", c.label, got)
		}
	}
}

func TestInvisible(t *testing.T) {
	for _, c := range []struct {
		label     string
		invisible bool
	}{
		{"abc", false}, {"a\u00adb", true}, {"a\u200bb", true}, {"a\u200db", true}, {"a\ufe0f", true}, {"\u3164", true}, {"\U000e0061", true}, {"é", false}, {"א", false}, {"\u2060", true},
	} {
		if got := labelOf(c.label).Invisible(); got != c.invisible {
			t.Errorf("%q: invisible %v", c.label, got)
		}
	}
}

// The tables are newer than those of the Go release, never different.
func TestScripts_AgreeWithTheGoRelease(t *testing.T) {
	// Two letters of one script share a set, letters of two scripts don't.
	for _, pair := range [][2]rune{{'q', 'ß'}, {'α', 'ω'}, {'ж', 'я'}, {'א', 'ת'}, {'ก', 'ข'}} {
		if scriptsOf(pair[0]).and(scriptsOf(pair[1])) == (scripts{}) {
			t.Errorf("%q and %q are of no common script", pair[0], pair[1])
		}
	}
	for c := rune(0); c <= unicode.MaxRune; c++ {
		if unicode.Is(unicode.Latin, c) && !scriptsOf(c).has(latin) {
			t.Errorf("%U is Latin to Go, not here", c)
		}
	}
}
