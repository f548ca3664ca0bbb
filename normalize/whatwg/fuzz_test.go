package whatwg

import (
	"math/rand"
	"testing"
)

// pieces are what references are put together from where chance alone would take too long.
var pieces = []string{
	"http", "HTTPS", "ws", "wss", "ftp", "file", "mailto", "a", "javascript", ":", ":", "/", "/", "//", "\\", "?", "#", "@",
	"..", ".", "%2e", "%2E", "%", "%4", "%41", "%00", "%2f", "%zz", "%ff", "%C3%A9", "%e2%82", "[", "]", "[::1]", "[1:2::3.4.5.6]",
	"localhost", "example.com", "EXAMPLE.com", "a_b", "-a-", "a--b.c", "xn--", "xn--a", "xn--fa-hia.de", "faß.de", "1.2.3.4", "0x7f.1", "256", "09", "1.2.3",
	"C:", "C|", "c:/", "/C|/", "80", ":443", ":65536", "0080", " ", "\t", "\n", "\r", "\x00", "\x1f", "\x7f", "é", "\u00ad", "\u0080", "\ufdd0", "\U0001FFFF", "‽", "。", "\xff", "\xe2\x82", "\xf0\x9f\x98", "\xed\xa0\x80",
	"'", "\"", "<", ">", "`", "{", "}", "|", "^", "~", "!", "$", "&", "=", "+", ",", ";", "*", "_", "-", "abc", "日本", "\u2488", "①", "٠",
}

func randomRef(r *rand.Rand) []byte {
	var b []byte
	if r.Intn(3) > 0 {
		b = append(b, pieces[r.Intn(9)]...)
		b = append(b, [...]string{":", "://", ":/", "://h/", "://u:p@h:1/", ":///"}[r.Intn(6)]...)
	}
	for n := r.Intn(8); n > 0; n-- {
		b = append(b, pieces[r.Intn(len(pieces))]...)
	}
	return b
}

var encodings = []string{"", "windows-1252", "shift_jis", "iso-2022-jp", "gb18030"}

func TestTwinOnRandomReferences(t *testing.T) {
	p, r := New(Options{}), rand.New(rand.NewSource(1))
	n := 300_000
	if testing.Short() {
		n = 30_000
	}
	for i := 0; i < n; i++ {
		p.SetEncoding(encodings[i%len(encodings)])
		base := randomRef(r)
		if i%2 == 0 {
			base = []byte([...]string{"http://h/a/b?q#f", "file:///C:/a/b", "file://h/x", "a:/b/c", "a:/.//b/c", "mailto:x?y", "a://h", "https://u:p@h:1/"}[i/2%8])
		}
		checkTwin(t, p, base, randomRef(r), i%7 != 0)
	}
}

// FuzzTwin holds the parser against the standard's text on any bytes.
func FuzzTwin(f *testing.F) {
	r := rand.New(rand.NewSource(2))
	for range 200 {
		f.Add(randomRef(r), randomRef(r), byte(r.Intn(6)))
	}
	p := New(Options{})
	f.Fuzz(func(t *testing.T, base, ref []byte, mode byte) {
		p.SetEncoding(encodings[int(mode>>1)%len(encodings)])
		checkTwin(t, p, base, ref, mode&1 == 1)
	})
}
