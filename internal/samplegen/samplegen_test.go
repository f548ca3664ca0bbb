package main

import (
	"bytes"
	"path/filepath"
	"testing"
)

const shipped = "../../testdata/sample"

func TestTheSameSampleEveryTime(t *testing.T) {
	first, second := samples(), samples()
	for i := range first {
		if !bytes.Equal(first[i].text, second[i].text) {
			t.Errorf("%s differs between two runs", first[i].name)
		}
	}
}

func TestShippedSampleIsCurrent(t *testing.T) {
	for _, s := range samples() {
		have, err := read(filepath.Join(shipped, s.name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(have, s.text) {
			t.Errorf("%s is not what samplegen writes: run go generate ./internal/samplegen", s.name)
		}
	}
}

// Every kind of dirt that the sample promises is really in it.
func TestSampleHoldsEveryKindOfDirt(t *testing.T) {
	var list []byte
	for _, s := range samples() {
		list = append(list, s.text...)
	}
	for _, kind := range []struct{ name, text string }{
		{"upper-case scheme", "HTTPS://"},
		{"upper-case host", "WWW.EXAMPLE.COM"},
		{"escaped letter in a host", "exa%6Dple"},
		{"default port", ".example.com:443/"},
		{"default port with a leading zero", ":0443/"},
		{"escaped unreserved character", "/%7e"},
		{"lower-case escape", "caf%c3%a9"},
		{"dot segments", "/a/b/../../"},
		{"escaped dot segments", "/./x/%2E%2e/"},
		{"space", "/media/old willow"},
		{"surrounding space", "\n  https://"},
		{"unescaped UTF-8", "/café"},
		{"bytes that are no UTF-8", "caf\xe9"},
		{"international host", "https://bücher.example"},
		{"IPv6 host", "[2001:DB8:"},
		{"fragment", "#section-2"},
		{"javascript link", "javascript:void(0)"},
		{"mail address", "MAILTO:"},
		{"data", "data:text/plain"},
		{"broken escape", "?d=%zz"},
		{"bad host", "http://exa%20mple.com/"},
		{"bad port", ":99999/"},
		{"backslash in front of a host", `.example\@other.example/`},
		{"password", "reader:swordfish@"},
		{"escaped line end", "/%0d%0aset/"},
		{"empty query", "https://www.example.net/?\n"},
		{"CRLF", "\r\n"},
		{"empty line", "\n\n"},
		{"relative reference", "\n../"},
		{"document with a base of its own", `"embedded_base":"/`},
		{"quoted CSV field with a newline", "\"over\ntwo lines\""},
	} {
		if !bytes.Contains(list, []byte(kind.text)) {
			t.Errorf("no %s (%q) in the sample", kind.name, kind.text)
		}
	}
}
