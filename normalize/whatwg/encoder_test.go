package whatwg

import (
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
)

func TestQueryInTheDocumentsEncoding(t *testing.T) {
	p := New(Options{})
	for _, c := range []struct{ encoding, query, want string }{
		{"", "é", "%C3%A9"},
		{"UTF-8", "é", "%C3%A9"},
		{"windows-1252", "sm\u00f6rg\u00e5sbord", "sm%F6rg%E5sbord"},
		{" Latin1\n", "é", "%E9"},
		{"windows-1252", "\u0081\u0080€", "%81%26%23128%3B%80"},
		{"iso-8859-2", "\u0080ł", "%80%B3"},
		{"koi8-r", "Ж\u0080", "%F6%26%23128%3B"},
		{"windows-1252", "‽&8253;", "%26%238253%3B&8253;"},
		{"windows-1252", "a%41 '\"<>\x01.", "a%41%20%27%22%3C%3E%01."},
		{"windows-1252", "\xff", "%26%2365533%3B"},
		{"shift_jis", " ", "%20"},
		{"shift_jis", "≡", "%81%DF"},
		{"shift_jis", "‽", "%26%238253%3B"},
		{"shift_jis", "¥‾\u0080ｱ−", "\\~%80%B1%81|"},
		{"shift_jis", "ⅰ￢Ⅰ", "%FA@%81%CA%87T"},
		{"euc-jp", "¥‾ｱ−日", "\\~%8E%B1%A1%DD%C6%FC"},
		{"euc-jp", "丂", "%26%2319970%3B"},
		{"iso-2022-jp", "¥", "%1B(J\\%1B(B"},
		{"iso-2022-jp", "a¥b\\c", "a%1B(J\\b%1B(B\\c"},
		{"iso-2022-jp", "日本a", "%1B$BF|K\\%1B(Ba"},
		{"iso-2022-jp", "日‽¥‽", "%1B$BF|%1B(B%26%238253%3B%1B(J\\%26%238253%3B%1B(B"},
		{"iso-2022-jp", "ｱ", "%1B$B%%22%1B(B"},
		{"iso-2022-jp", "a\x0eb", "a%26%2365533%3Bb"},
		{"big5", "é╬═", "%26%23233%3B%F9%E1%F9%F9"},
		{"big5", "╭", "%A2~"},
		{"gbk", "€\U0001F600", "%80%26%23128512%3B"},
		{"gb18030", "€\U0001F600\ue5e5\ue7c7ḿ", "%A2%E3%949%FC6%26%2358853%3B%815%F47%A8%BC"},
		{"gb18030", "\ue000\ue234\ue4c6\ue4c6\ue505", "%AA%A1%F8%A1%A1@%A1@%A1%80"},
		{"euc-kr", "한", "%C7%D1"},
		{"x-user-defined", "\uf780", "%80"},
		{"utf-16le", "é", "%C3%A9"},
		{"utf-16", "é", "%C3%A9"},
		{"iso-2022-kr", "é", "%C3%A9"}, // the replacement encoding
		{"no-such-charset", "é", "%C3%A9"},
	} {
		known := p.SetEncoding(c.encoding)
		if want := c.encoding != "no-such-charset"; known != want || p.SetEncoding(c.encoding) != want || c.encoding != "" && IsEncoding(c.encoding) != want {
			t.Errorf("%q is known: %v", c.encoding, known)
		}
		if got, r := parse(p, nil, "http://h/?"+c.query+"#"); r.Failure != OK || got != "http://h/?"+c.want+"#" {
			t.Errorf("%q in %q is %q, want %q", c.query, c.encoding, got, c.want)
		}
	}
}

func TestEncodingIsForSpecialQueriesAlone(t *testing.T) {
	p := New(Options{Encoding: "windows-1252"})
	for _, c := range []struct{ ref, want string }{
		{"http://h/é?é#é", "http://h/%C3%A9?%E9#%C3%A9"},
		{"file:///é?é", "file:///%C3%A9?%E9"},
		{"ftp://h/?é", "ftp://h/?%E9"},
		{"ws://h/?é", "ws://h/?%C3%A9"},
		{"wss://h/?é", "wss://h/?%C3%A9"},
		{"a://h/?é", "a://h/?%C3%A9"},
		{"a:b?é", "a:b?%C3%A9"},
		{"http://é@h/", "http://%C3%A9@h/"},
	} {
		if got, _ := parse(p.Clone(), nil, c.ref); got != c.want {
			t.Errorf("%q is %q, want %q", c.ref, got, c.want)
		}
	}
}

// Every encoding, on every code point: what is encoded decodes to what it was, but for the few
// that the Encoding standard folds.
func TestEncodersRoundTrip(t *testing.T) {
	folds := map[rune]string{0xA5: "\\¥", 0x203E: "~‾", 0x2212: "－"}
	for _, name := range []string{
		"big5", "euc-jp", "shift_jis", "gbk", "gb18030", "euc-kr", "ibm866", "iso-8859-2", "iso-8859-8", "iso-8859-16",
		"koi8-r", "koi8-u", "macintosh", "windows-874", "windows-1250", "windows-1251", "windows-1252", "windows-1258", "x-mac-cyrillic",
	} {
		e, err := htmlindex.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		q, decoder := newQueryEncoder(e, name), e.NewDecoder()
		encoded := 0
		for r := rune(0x80); r < 0x30000; r++ {
			var code [4]byte
			n := q.encode(&code, r)
			if n == 0 || !utf8.ValidRune(r) {
				continue
			}
			encoded++
			if _, fixed := q.fixes[r]; fixed && name != "big5" && name != "shift_jis" {
				continue // x/text can't decode them
			}
			if r == 0x80 && name == "shift_jis" || r == 0xE7C7 && name == "gb18030" {
				continue // nor these
			}
			decoder.Reset()
			text, err := decoder.Bytes(code[:n])
			if got, _ := utf8.DecodeRune(text); err != nil || got != r && !containsRune(folds[r], got) {
				t.Errorf("%s: %U is %x, and that is %U %v", name, r, code[:n], got, err)
			}
		}
		if encoded < 90 {
			t.Errorf("%s has only %d code points", name, encoded)
		}
	}
}

func containsRune(s string, r rune) bool {
	for _, x := range s {
		if x == r {
			return true
		}
	}
	return false
}
