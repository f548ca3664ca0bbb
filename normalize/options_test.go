package normalize_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/urisieve/urisieve/normalize"
)

// faultKeys are the keys of all faults of options, as Validate joins them.
func faultKeys(t *testing.T, err error) []string {
	t.Helper()
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		t.Fatalf("%T is not joined", err)
	}
	var keys []string
	for _, e := range joined.Unwrap() {
		var fault *normalize.OptionError
		if !errors.As(e, &fault) {
			t.Fatalf("%v is no OptionError", e)
		}
		keys = append(keys, fault.Key)
	}
	return keys
}

func TestOptions_FaultsAreAllTold(t *testing.T) {
	port := func(scheme string, port uint16) normalize.Options {
		return normalize.Options{DefaultPorts: []normalize.DefaultPort{{Scheme: scheme, Port: port}}}
	}
	for _, c := range []struct {
		name    string
		options normalize.Options
		keys    []string
	}{
		{"zero value", normalize.Options{}, nil},
		{"all good", normalize.Options{Profile: "rfc3986-1", Strict: true, SameScheme: "keep", Userinfo: "refuse", MaxURIBytes: 8, DefaultBase: "http://h"}, nil},
		{"largest", normalize.Options{MaxURIBytes: normalize.MaxMaxURIBytes}, nil},
		{"too large", normalize.Options{MaxURIBytes: normalize.MaxMaxURIBytes + 1}, []string{"max_uri_bytes"}},
		{"negative", normalize.Options{MaxURIBytes: -1}, []string{"max_uri_bytes"}},
		{"everything wrong", normalize.Options{Profile: "rfc3987", SameScheme: "x", Userinfo: "y", MaxURIBytes: -1, DefaultPorts: []normalize.DefaultPort{{"1x", 1}}}, []string{"profile", "same_scheme", "userinfo", "max_uri_bytes", "default_ports[0]"}},
		{"relative base", normalize.Options{DefaultBase: "/x"}, []string{"base"}},
		{"bad base", normalize.Options{DefaultBase: "http://h h/"}, []string{"base"}},
		{"base that strict refuses", normalize.Options{DefaultBase: "http://h/a b", Strict: true}, []string{"base"}},
		{"opaque base", normalize.Options{DefaultBase: "mailto:a@b"}, nil},
		{"new port", port("foo", 7), nil},
		{"known port again", port("HTTP", 80), nil},
		{"another port for http", port("http", 8080), []string{"default_ports[0]"}},
		{"port 0", port("foo", 0), []string{"default_ports[0]"}},
		{"no scheme", port("", 7), []string{"default_ports[0]"}},
		{"scheme with a colon", port("foo:", 7), []string{"default_ports[0]"}},
		{"two ports for one", normalize.Options{DefaultPorts: []normalize.DefaultPort{{"foo", 7}, {"FOO", 8}}}, []string{"default_ports[1]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.options.Validate()
			if got := faultKeys(t, err); !slices.Equal(got, c.keys) {
				t.Errorf("faults of %v, want %v: %v", got, c.keys, err)
			}
			if n, err := normalize.New(c.options); (err == nil) != (c.keys == nil) || (n == nil) != (err != nil) {
				t.Errorf("New: %v, %v", n, err)
			}
		})
	}
}

// A password in the default base is not in the error about it.
func TestOptions_FaultsHidePasswords(t *testing.T) {
	for _, base := range []string{"//u:s3cret@h/", "http://u:s3cret@h h/", "http:\\\\u:s3cret@h/", " //u:s3cret@h/"} {
		err := normalize.Options{DefaultBase: base}.Validate()
		if err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: %v", base, err)
		}
	}
}

func TestOptions_AddedDefaultPorts(t *testing.T) {
	n := newNormalizer(t, normalize.Options{DefaultPorts: []normalize.DefaultPort{{"Foo", 7}, {"file", 9}}}).Clone()
	for _, c := range []struct{ ref, want string }{
		{"foo://h:7/", "foo://h/"},
		{"FOO://h:007", "foo://h/"},
		{"foo://h:8/", "foo://h:8/"},
		{"bar://h:7/", "bar://h:7/"},
		{"file://h:9/", "file://h/"},
		{"http://h:80/", "http://h/"},
	} {
		if got, _ := n.Append(nil, nil, []byte(c.ref)); string(got) != c.want {
			t.Errorf("%s: got %s, want %s", c.ref, got, c.want)
		}
	}
	if _, r := n.Append(nil, nil, []byte("foo://h:7/")); r.Flags&normalize.FlagReservedPort != 0 {
		t.Error("an added default port is flagged as reserved")
	}
}

func TestBase_TellsWhatItIs(t *testing.T) {
	n := newNormalizer(t, normalize.Options{DefaultBase: "http://d/"})
	var b normalize.Base
	if b.URL() != nil || b.Used() != normalize.BaseNone {
		t.Errorf("zero value: %q, %v", b.URL(), b.Used())
	}
	for _, c := range []struct {
		embedded, entity, retrieval []byte
		url                         string
		used                        normalize.BaseUsed
		skipped                     bool
	}{
		{nil, nil, nil, "http://d/", normalize.BaseDefault, false},
		{[]byte("HTTP://E:80/x#f"), nil, []byte("http://r/"), "http://e/x", normalize.BaseEmbedded, false},
		{[]byte("y"), []byte("x/"), []byte("http://r/z"), "http://r/x/y", normalize.BaseEmbedded, false},
		{[]byte("http://e e/"), nil, []byte("http://r/"), "http://r/", normalize.BaseRetrieval, true},
		{[]byte(""), nil, []byte("http://r/a#b"), "http://r/a", normalize.BaseEmbedded, false},
		{[]byte("y"), nil, []byte("mailto:a@b"), "mailto:a@b", normalize.BaseRetrieval, true},
	} {
		n.SetBase(&b, c.embedded, c.entity, c.retrieval)
		if string(b.URL()) != c.url || b.Used() != c.used || b.Skipped() != c.skipped {
			t.Errorf("%q %q %q: got %s %v skipped %v, want %s %v %v", c.embedded, c.entity, c.retrieval, b.URL(), b.Used(), b.Skipped(), c.url, c.used, c.skipped)
		}
	}
}

func TestSURT(t *testing.T) {
	n := newNormalizer(t, normalize.Options{})
	for _, c := range []struct{ name, ref, want string }{
		{"labels from the last", "http://www.example.com/a?b", "com,example,www)/a?b"},
		{"https lies beside http", "https://www.example.com/a?b", "com,example,www)/a?b"},
		{"www stays", "http://www3288.com/", "com,www3288)/"},
		{"port before the parenthesis", "http://example.com:8080/", "com,example:8080)/"},
		{"no fragment", "http://example.com/#x", "com,example)/"},
		{"no userinfo", "http://u:p@example.com:81/", "com,example:81)/"},
		{"IPv4 is not turned round", "http://192.0.2.1/", "192.0.2.1)/"},
		{"IPv6 is not turned round", "http://[2001:DB8::1]:81/", "[2001:db8::1]:81)/"},
		{"numbers that are no address are", "http://1.2.3/", "3,2,1)/"},
		{"one label", "http://localhost/", "localhost)/"},
		{"trailing dot", "http://example.com./", ",com,example)/"},
		{"a comma is no delimiter", "http://a,b.com/", "com,a%2Cb)/"},
		{"other schemes are told apart", "ftp://example.com/a", "ftp://(com,example)/a"},
		{"empty host", "file:///etc", "file://()/etc"},
		{"opaque", "mailto:a@example.com?subject=x", "mailto:a@example.com?subject=x"},
		{"no authority", "foo:/a/b", "foo:/a/b"},
		{"relative", "g?x", "a,b)/c/g?x"},
	} {
		var b normalize.Base
		n.SetBase(&b, nil, nil, []byte("http://b.a/c/d"))
		out, r := n.Append([]byte("xy"), &b, []byte(c.ref))
		out = out[2:]
		if got := normalize.AppendSURT([]byte("s="), out[:r.Parts.URLEnd(len(out))], r.Parts); string(got) != "s="+c.want {
			t.Errorf("%s: %s: got %s, want %s", c.name, c.ref, got, c.want)
		}
	}
}

// Names are unique, well-formed, and bits and values are where the lists have them.
func TestLists_NamesAndBits(t *testing.T) {
	seen := map[string]bool{}
	check := func(kind, name string) {
		if seen[kind+name] || name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
			t.Errorf("%s %q is there twice or is no name", kind, name)
		}
		seen[kind+name] = true
	}
	for i, r := range normalize.Rules() {
		check("rule", r.Name)
		if r.Bit != 1<<i || len(r.Profiles) == 0 || !slices.Equal(r.Bit.Names(), []string{r.Name}) {
			t.Errorf("rule %d: %+v", i, r)
		}
	}
	for i, f := range normalize.FlagInfos() {
		check("flag", f.Name)
		if f.Bit != 1<<i || !slices.Equal(f.Bit.Names(), []string{f.Name}) || f.About != "reference" && f.About != "result" {
			t.Errorf("flag %d: %+v", i, f)
		}
	}
	for i, r := range normalize.ReasonInfos() {
		check("reason", r.Name)
		if int(r.Reason) != i || r.Reason.String() != r.Name || r.Doc == "" || r.Help == "" && r.Reason != normalize.OK {
			t.Errorf("reason %d: %+v", i, r)
		}
	}
	for i, c := range normalize.ComponentInfos() {
		check("component", c.Name)
		if int(c.Component) != i+1 || c.Component.String() != c.Name || c.Doc == "" {
			t.Errorf("component %d: %+v", i, c)
		}
	}
	if got := string((normalize.FlagTrimmed | normalize.FlagIDN).AppendNames([]byte("="), ',')); got != "=trimmed,idn" {
		t.Errorf("flags: %s", got)
	}
	if got := string((normalize.RuleTrim | normalize.RuleResolve).AppendNames(nil, ' ')); got != "trim resolve" {
		t.Errorf("rules: %s", got)
	}
}

// A password shows up in no text that a Normalizer makes about a reference, refused or not.
func TestG60_NamesHoldNoPassword(t *testing.T) {
	n := newNormalizer(t, normalize.Options{Userinfo: "refuse"})
	_, r := n.Append(nil, nil, []byte("http://u:s3cret@h/"))
	told := r.Reason.String() + r.Component.String() + strings.Join(r.Flags.Names(), "") + strings.Join(r.Changed.Names(), "") + r.BaseUsed.String() + n.SettingsID()
	if r.Reason != normalize.UserinfoRefused || strings.Contains(told, "s3cret") {
		t.Errorf("%s", told)
	}
}

// Labels of one encoding give the same bytes, so they have one settings id.
func TestSettingsID_OneForAllLabelsOfAnEncoding(t *testing.T) {
	id := func(label string) string {
		return newNormalizer(t, normalize.Options{Profile: "whatwg", Encoding: label}).SettingsID()
	}
	for _, label := range []string{"latin1", "ISO-8859-1", "ascii", " cp1252\t"} {
		if got, want := id(label), id("windows-1252"); got != want {
			t.Errorf("%q has the settings id %s, windows-1252 has %s", label, got, want)
		}
	}
	if id("windows-1252") == id("windows-1251") || id("windows-1252") == id("") {
		t.Error("different encodings have one settings id")
	}
}
