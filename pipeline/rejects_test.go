package pipeline

import (
	"strings"
	"testing"
)

func TestSampleText(t *testing.T) {
	for _, c := range []struct{ name, raw, want string }{
		{"a userinfo", "http://u:p@h/", "http://***@h/"},
		{"a name alone", "http://token@h/", "http://***@h/"},
		{"two at signs", "http://u:p@q@h/", "http://***@h/"},
		{"a slash in the password", "http://u:p/w@h/", "http://***@h/"},
		{"no scheme", "//u:p@h/", "//***@h/"},
		{"no slashes", "http:u:p@h//x@y", "http:***@y"},
		{"one slash", "http:/u:p@h//x@y", "http:/***@y"},
		{"three slashes", "http:///u:p@h//x@y", "http:///***@y"},
		{"a backslash", `http:\\u:p@h//x@y`, `http:\\***@y`},
		{"a tab between the slashes", "http:/\t/u:p@h//x@y", "http:/\t/***@y"},
		{"a tab in the scheme", "ht\ttp://u:p@h/", "***@h/"},
		{"a URI in a query", "http://h/?u=http://u:p@i/", "http://***@i/"},
		{"a name in a path", "https://h/@name/1", "https://h/@name/1"},
		{"an address in a query", "https://h/?m=a@b", "https://h/?m=a@b"},
		{"a port", "https://h:80/@name", "https://***@name"},
		{"no at sign", "http://h/?a=1", "http://h/?a=1"},
		{"a long text", "http://h/" + strings.Repeat("x", 300), "http://h/" + strings.Repeat("x", 191)},
		{"an at sign far on", "http://h/" + strings.Repeat("x", 300) + "@y", "http://h/" + strings.Repeat("x", 191)},
		{"nothing", "", ""},
	} {
		if got := sampleText([]byte(c.raw)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
