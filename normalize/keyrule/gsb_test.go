package keyrule

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func TestGSB(t *testing.T) {
	g := NewGSB()
	for _, c := range []struct{ name, in, want string }{
		{"unescapes until nothing is left", "http://h.example/%25%32%35", "http://h.example/%25"},
		{"deep", "http://h.example/%" + strings.Repeat("25", 100000) + "41", "http://h.example/A"},
		{"number as host", "http://3279880203/blah", "http://195.127.0.11/blah"},
		{"octal and hexadecimal", "http://0x7f.01/", "http://127.0.0.1/"},
		{"too large a number", "http://1.2.3.256/", "http://1.2.3.256/"},
		{"dots tidied", "http://..www...Example.com./", "http://www.example.com/"},
		{"port and userinfo out", "http://u:p@h.example:81/", "http://h.example/"},
		{"dot segments", "http://h.example/a/./b/../../../c/..", "http://h.example/"},
		{"slashes", "http://h.example//a///b?c//d", "http://h.example/a/b?c//d"},
		{"escaped dot segments", "http://h.example/a/%2e%2e/b", "http://h.example/b"},
		{"query kept empty", "http://h.example/q?", "http://h.example/q?"},
		{"no scheme", "h.example", "http://h.example/"},
		{"IDN", "http://bücher.example/ü", "http://xn--bcher-kva.example/%C3%BC"},
		{"bytes", "http://\x01\x80.com/", "http://%01%80.com/"},
	} {
		if got := string(g.Append(nil, []byte(c.in))); got != c.want {
			t.Errorf("%s: got %.80q, want %.80q", c.name, got, c.want)
		}
	}
}

// TestGSBPublishedExamples are the examples that Safe Browsing publishes.
func TestGSBPublishedExamples(t *testing.T) {
	const name = "../../../shared/corpora/cases/google-safebrowsing.jsonl"
	f, err := os.Open(name)
	if err != nil {
		t.Skipf("the published examples are not beside the repository (%s)", name)
	}
	defer f.Close()
	g, n := NewGSB(), 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var c struct {
			ID, Input, Expected, Profile string
			Input64                      string `json:"input_b64"`
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		if c.Profile != "tool:google-safebrowsing" {
			continue
		}
		in := []byte(c.Input)
		if c.Input64 != "" {
			if in, err = base64.StdEncoding.DecodeString(c.Input64); err != nil {
				t.Fatal(err)
			}
		}
		n++
		if got := string(g.Append(nil, in)); got != c.Expected {
			t.Errorf("%s: %q: got %q, want %q", c.ID, in, got, c.Expected)
		}
	}
	if n != 33 {
		t.Errorf("%d examples, want 33", n)
	}
}
