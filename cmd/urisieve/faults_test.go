package main

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/urisieve/urisieve/config"
)

// TestEveryFaultOfThePartsHasAKeyOfTheConfiguration: what a part says about its options is told
// under the key that a person can set.
func TestEveryFaultOfThePartsHasAKeyOfTheConfiguration(t *testing.T) {
	t.Chdir(t.TempDir())
	p := program{stdin: strings.NewReader(""), stdout: io.Discard, stderr: &console{w: io.Discard}}
	// A value that no part takes, for each option that is a text.
	var overrides []config.Override
	keys := map[string]bool{}
	for _, l := range config.Leaves() {
		keys[l.Key] = true
		if l.Kind != config.KindString || strings.HasSuffix(l.Key, "_file") {
			continue
		}
		switch l.Key {
		case "dedup.mode", "output.order", "progress.mode", "log.level", "log.format": // config itself checks these
			continue
		case "output.path", "rejects.path", "dedup.duplicates", "output.public_suffix_list":
			continue // any text is a path
		}
		overrides = append(overrides, config.Override{Key: l.Key, Origin: "--test-" + l.Key, Values: []string{"http://[nonsense"}})
	}
	overrides = append(overrides, config.Override{Key: "output.path", Origin: "--output", Values: []string{"out"}})
	l, err := config.Load("", overrides)
	if err != nil {
		t.Fatal(err)
	}
	faults := p.checkRun(l)
	found := map[string]bool{}
	for _, f := range faults {
		if !keys[f.Key] {
			t.Errorf("no key of the configuration: %v", f)
		}
		if f.Origin == "" && f.Key != "output.path" {
			t.Errorf("no origin: %v", f)
		}
		found[f.Key] = true
	}
	for _, key := range []string{
		"input.format", "input.header", "input.quotes", "input.delimiter", "input.vhost_scheme", "normalize.profile", "normalize.base",
		"normalize.same_scheme", "normalize.userinfo", "scope.preset", "output.format", "output.compression", "output.queue_key", "output.compat", "output.sort",
	} {
		if !found[key] {
			t.Errorf("%s took nonsense", key)
		}
	}
}

func TestRedactionMasksEveryPasswordInAText(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a URI", "http://u:p@h/", "http://u:***@h/"},
		{"within a sentence", `input "http://u:p@h/": no`, `input "http://u:***@h/": no`},
		{"two of them", "http://u:p@h/ http://v:q@i/", "http://u:***@h/ http://v:***@i/"},
		{"a slash in the password", "http://u:p/w@h/", "http://u:***@h/"},
		{"an at sign in the password", "http://u:p@w@h/", "http://u:***@h/"},
		{"without a scheme", "//u:p@h", "//u:***@h"},
		{"without slashes", "u:p@h", "u:***@h"},
		{"without slashes behind a scheme", "http:u:p@h//x@y", "http:***@y"},
		{"behind one slash", "http:/u:p@h//x@y", "http:/u:***@y"},
		{"behind three slashes", "http:///u:p@h/", "http:///u:***@h/"},
		{"behind a backslash", `http:\u:p@h//x@y`, `http:\u:***@y`},
		{"no password", "http://u@h/ http://h:80/", "http://u@h/ http://h:80/"},
		{"no text", "", ""},
	} {
		if got := redact(c.text); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestExitCodesAreFoundThroughWrappedErrors(t *testing.T) {
	err := failed(errors.Join(errors.New("a"), errors.New("b")))
	var e *exit
	if !errors.As(err, &e) || e.code != exitFailed {
		t.Errorf("%v", err)
	}
}

func TestNumbersForPeople(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1234: "-1,234"} {
		if got := grouped(n); got != want {
			t.Errorf("grouped(%d) = %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1536: "1.50 KiB", 10 << 20: "10.0 MiB", 3 << 40: "3.00 TiB"} {
		if got := byteText(n); got != want {
			t.Errorf("byteText(%d) = %q, want %q", n, got, want)
		}
	}
	for n, want := range map[float64]string{0: "0", 9999: "9999", 12345: "12.3k", 1234567: "1.23M", 2e9: "2G"} {
		if got := short(n); got != want {
			t.Errorf("short(%v) = %q, want %q", n, got, want)
		}
	}
}
