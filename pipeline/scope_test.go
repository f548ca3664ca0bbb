package pipeline

import (
	"regexp"
	"strings"
	"testing"

	"github.com/urisieve/urisieve/normalize/uri"
)

func TestScope(t *testing.T) {
	cases := []struct {
		name string
		o    ScopeOptions
		url  string
		want ScopeRule
	}{
		{"nothing set lets everything through", ScopeOptions{}, "javascript:x", InScope},
		{"web takes http", ScopeOptions{Preset: "web"}, "http://h/", InScope},
		{"web takes https", ScopeOptions{Preset: "web"}, "https://h/", InScope},
		{"web leaves mailto", ScopeOptions{Preset: "web"}, "mailto:a@b", OutOfSchemes},
		{"web and more", ScopeOptions{Preset: "web", Schemes: []string{"FTP:"}}, "ftp://h/", InScope},
		{"a scheme is compared as a whole", ScopeOptions{Schemes: []string{"http"}}, "https://h/", OutOfSchemes},
		{"denied scheme", ScopeOptions{DenySchemes: []string{"data"}}, "data:,x", DeniedScheme},
		{"denied wins over allowed", ScopeOptions{Schemes: []string{"data"}, DenySchemes: []string{"data"}}, "data:,x", DeniedScheme},

		{"host itself", ScopeOptions{Hosts: []string{"example.com"}}, "http://example.com/", InScope},
		{"host below", ScopeOptions{Hosts: []string{"example.com"}}, "http://a.b.example.com/", InScope},
		{"not a suffix within a label", ScopeOptions{Hosts: []string{"example.com"}}, "http://badexample.com/", OutOfHosts},
		{"not the parent", ScopeOptions{Hosts: []string{"a.example.com"}}, "http://example.com/", OutOfHosts},
		{"port and userinfo aren't the host", ScopeOptions{Hosts: []string{"example.com"}}, "http://example.com@evil.test:80/", OutOfHosts},
		{"userinfo before the host", ScopeOptions{Hosts: []string{"example.com"}}, "http://u:p@example.com:81/", InScope},
		{"exactly: itself", ScopeOptions{Hosts: []string{"=example.com"}}, "http://example.com/", InScope},
		{"exactly: not below", ScopeOptions{Hosts: []string{"=example.com"}}, "http://www.example.com/", OutOfHosts},
		{"below alone: below", ScopeOptions{Hosts: []string{".example.com"}}, "http://www.example.com/", InScope},
		{"below alone: not itself", ScopeOptions{Hosts: []string{"*.example.com"}}, "http://example.com/", OutOfHosts},
		{"both entries add up", ScopeOptions{Hosts: []string{"=example.com", ".example.com"}}, "http://example.com/", InScope},
		{"upper case in the option", ScopeOptions{Hosts: []string{"EXAMPLE.com"}}, "http://example.com/", InScope},
		{"dot at the end of the url's host", ScopeOptions{Hosts: []string{"example.com"}}, "http://example.com./", InScope},
		{"dot at the end of the option", ScopeOptions{Hosts: []string{"example.com."}}, "http://example.com/", InScope},
		{"top-level domain", ScopeOptions{Hosts: []string{"org"}}, "http://a.example.org/", InScope},
		{"IPv4 itself", ScopeOptions{Hosts: []string{"10.0.0.1"}}, "http://10.0.0.1/", InScope},
		{"IPv4 has no labels", ScopeOptions{Hosts: []string{"0.1"}}, "http://10.0.0.1/", OutOfHosts},
		{"IPv6 itself", ScopeOptions{Hosts: []string{"[::1]"}}, "http://[::1]:8080/", InScope},
		{"no host at all", ScopeOptions{Hosts: []string{"example.com"}}, "mailto:a@example.com", OutOfHosts},
		{"no host isn't denied", ScopeOptions{DenyHosts: []string{"example.com"}}, "mailto:a@example.com", InScope},
		{"denied host below", ScopeOptions{DenyHosts: []string{"example.com"}}, "http://x.example.com/", DeniedHost},

		{"path glob", ScopeOptions{Paths: []string{"/a/*"}}, "http://h/a/b", InScope},
		{"a star stays in its segment", ScopeOptions{Paths: []string{"/a/*"}}, "http://h/a/b/c", OutOfPaths},
		{"two stars don't", ScopeOptions{Paths: []string{"/a/**"}}, "http://h/a/b/c", InScope},
		{"query isn't path", ScopeOptions{Paths: []string{"/a"}}, "http://h/a?/b", InScope},
		{"one of several", ScopeOptions{Paths: []string{"/a", "/b"}}, "http://h/b", InScope},
		{"denied path", ScopeOptions{DenyPaths: []string{"**.jpg"}}, "http://h/x/y.jpg", DeniedPath},

		{"as long as allowed", ScopeOptions{MaxURLBytes: 9}, "http://h/", InScope},
		{"longer", ScopeOptions{MaxURLBytes: 8}, "http://h/", TooLongURL},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, err := NewScope(c.o)
			if err != nil {
				t.Fatal(err)
			}
			if got := s.Filter([]byte(c.url), uri.Split([]byte(c.url))); got != c.want {
				t.Errorf("%s: got %q, want %q", c.url, got, c.want)
			}
			// Parts are those of the canonical text, which may go on with a fragment.
			whole := uri.Split([]byte(c.url + "#frag?/x"))
			if got := s.Filter([]byte(c.url), whole); got != c.want {
				t.Errorf("%s with a fragment: got %q, want %q", c.url, got, c.want)
			}
		})
	}
}

func TestScopeFaults(t *testing.T) {
	o := ScopeOptions{
		Preset: "wep", Schemes: []string{"http://"}, DenySchemes: []string{""},
		Hosts:     []string{"http://example.com/", "bücher.example", "", "a..b", "example.com:80"},
		DenyHosts: []string{"*"}, Paths: []string{"", "[a]"}, DenyPaths: []string{`\`}, MaxURLBytes: -1,
	}
	err := o.Validate()
	if err == nil {
		t.Fatal("no fault found")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 13 {
		t.Errorf("%d faults, want 13:\n%v", len(lines), err)
	}
	for _, key := range []string{"preset", "schemes", "deny_schemes", "hosts", "deny_hosts", "paths", "deny_paths", "max_url_bytes"} {
		if !strings.Contains(err.Error(), "scope."+key+":") {
			t.Errorf("no word of scope.%s", key)
		}
	}
}

func TestScopeAllocatesNothing(t *testing.T) {
	s, err := NewScope(ScopeOptions{
		Preset: "web", Hosts: []string{"example.com", "org"}, DenyHosts: []string{"x.org"},
		Paths: []string{"/**"}, DenyPaths: []string{"**.jpg"}, MaxURLBytes: 1000,
	})
	if err != nil {
		t.Fatal(err)
	}
	url := []byte("http://a.b.c.example.com/some/path/index.html?q=1")
	p := uri.Split(url)
	if n := testing.AllocsPerRun(100, func() {
		if s.Filter(url, p) != InScope {
			t.Error("filtered")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// plainGlob is the plain twin of glob: a regular expression.
func plainGlob(pattern string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString(`(?s)^`)
	for i := 0; i < len(pattern); i++ {
		switch {
		case strings.HasPrefix(pattern[i:], "**"):
			b.WriteString(`.*`)
			for i+1 < len(pattern) && pattern[i+1] == '*' {
				i++
			}
		case pattern[i] == '*':
			b.WriteString(`[^/]*`)
		case pattern[i] == '?':
			b.WriteString(`[^/]`)
		case pattern[i] == '\\':
			i++
			b.WriteString(regexp.QuoteMeta(pattern[i : i+1]))
		default:
			b.WriteString(regexp.QuoteMeta(pattern[i : i+1]))
		}
	}
	b.WriteString(`$`)
	return regexp.MustCompile(b.String())
}

func FuzzGlob(f *testing.F) {
	long := strings.Repeat("ab*", 40)
	for _, seed := range [][2]string{
		{"/a/*", "/a/b"},
		{"/a/*", "/a/b/c"},
		{"**", "/"},
		{"/**/x", "/a/b/x"},
		{"a?c", "abc"},
		{"a?c", "a/c"},
		{`\*`, "*"},
		{"***", "x"},
		{"*a*a*a*a*b", strings.Repeat("a", 50)},
		{"", ""},
		{long, strings.Repeat("ab", 40)},
		{strings.Repeat("x", 64), strings.Repeat("x", 64)},
		{strings.Repeat("x", 63) + "*", strings.Repeat("x", 70)},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, pattern, path string) {
		for _, c := range []byte(pattern + path) {
			if c >= 0x80 || len(pattern) > 300 {
				return // the twin works on runes; canonical paths are ASCII
			}
		}
		g, err := compileGlob(pattern)
		if err != nil {
			return
		}
		if got, want := g.matches([]byte(path)), plainGlob(pattern).MatchString(path); got != want {
			t.Errorf("glob %q, path %q: got %v, want %v", pattern, path, got, want)
		}
	})
}
