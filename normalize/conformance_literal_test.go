package normalize_test

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/urisieve/urisieve/normalize/uri"
)

// This file is RFC 3986 section 5.2 word for word, on strings, to hold package uri against.

// components are those of RFC 3986 appendix B; nil is undefined.
type components struct {
	scheme, authority *string
	path              string
	query, fragment   *string
}

// appendixB is the expression of the appendix, with section 3.1's scheme for "anything before a
// colon": "1a:b" has no scheme.
var appendixB = regexp.MustCompile(`(?s)^(?:(` + reScheme + `):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$`)

func parseLiterally(s string) components {
	m := appendixB.FindStringSubmatchIndex(s)
	group := func(i int) *string {
		if m[2*i] < 0 {
			return nil
		}
		text := s[m[2*i]:m[2*i+1]]
		return &text
	}
	return components{group(1), group(2), *group(3), group(4), group(5)}
}

// transform is the pseudocode of section 5.2.2.
func transform(base, r components) (t components) {
	switch {
	case r.scheme != nil:
		t = components{r.scheme, r.authority, removeDotSegments(r.path), r.query, nil}
	case r.authority != nil:
		t = components{base.scheme, r.authority, removeDotSegments(r.path), r.query, nil}
	case r.path == "" && r.query != nil:
		t = components{base.scheme, base.authority, base.path, r.query, nil}
	case r.path == "":
		t = components{base.scheme, base.authority, base.path, base.query, nil}
	case strings.HasPrefix(r.path, "/"):
		t = components{base.scheme, base.authority, removeDotSegments(r.path), r.query, nil}
	default:
		t = components{base.scheme, base.authority, removeDotSegments(mergePaths(base, r.path)), r.query, nil}
	}
	t.fragment = r.fragment
	return t
}

// mergePaths is section 5.2.3.
func mergePaths(base components, path string) string {
	if base.authority != nil && base.path == "" {
		return "/" + path
	}
	return base.path[:strings.LastIndexByte(base.path, '/')+1] + path
}

// removeDotSegments is section 5.2.4.
func removeDotSegments(input string) string {
	output := ""
	removeLast := func() {
		output = output[:max(strings.LastIndexByte(output, '/'), 0)]
	}
	for input != "" {
		switch {
		case strings.HasPrefix(input, "../"): // A
			input = input[3:]
		case strings.HasPrefix(input, "./"):
			input = input[2:]
		case strings.HasPrefix(input, "/./"): // B
			input = "/" + input[3:]
		case input == "/.":
			input = "/"
		case strings.HasPrefix(input, "/../"): // C
			input = "/" + input[4:]
			removeLast()
		case input == "/..":
			input = "/"
			removeLast()
		case input == "." || input == "..": // D
			input = ""
		default: // E
			end := strings.IndexByte(input[1:], '/') + 1
			if end == 0 {
				end = len(input)
			}
			output, input = output+input[:end], input[end:]
		}
	}
	return output
}

// recompose is section 5.3.
func (c components) recompose() string {
	s := ""
	if c.scheme != nil {
		s += *c.scheme + ":"
	}
	if c.authority != nil {
		s += "//" + *c.authority
	}
	s += c.path
	if c.query != nil {
		s += "?" + *c.query
	}
	if c.fragment != nil {
		s += "#" + *c.fragment
	}
	return s
}

// resolved is uri.AppendResolved on strings.
func resolved(base, ref string) string {
	b, r := []byte(base), []byte(ref)
	return string(uri.AppendResolved(nil, uri.Ref{Text: b, Parts: uri.Split(b)}, uri.Ref{Text: r, Parts: uri.Split(r)}))
}

func TestLiteral_AppendResolvedFollowsSection52(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 2))
	for range 100_000 {
		base, ref := randomBases[r.IntN(len(randomBases))], randomReference(r)
		if r.IntN(2) == 0 {
			base = randomReference(r)
		}
		want := transform(parseLiterally(base), parseLiterally(ref)).recompose()
		if got := resolved(base, ref); got != want {
			t.Fatalf("%q on %q: got %q, section 5.2 says %q", ref, base, got, want)
		}
	}
}

func TestLiteral_RemoveDotsFollowsSection524(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 24))
	for range 100_000 {
		var b strings.Builder
		for range r.IntN(12) {
			b.WriteString([]string{"/", "/", ".", "..", "/..", "/.", "a", "bc", "...", ".a", "%2e"}[r.IntN(11)])
		}
		path := b.String()
		if got, want := string(uri.AppendRemoveDots(nil, []byte(path))), removeDotSegments(path); got != want {
			t.Fatalf("%q: got %q, section 5.2.4 says %q", path, got, want)
		}
	}
}

func TestLiteral_SplitFollowsAppendixB(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 3))
	same := func(got []byte, want *string) bool {
		return (got == nil) == (want == nil) && (want == nil || string(got) == *want)
	}
	for range 100_000 {
		text := []byte(randomReference(r))
		p, want := uri.Split(text), parseLiterally(string(text))
		if !same(p.Scheme(text), want.scheme) || !same(p.Authority(text), want.authority) || string(p.Path(text)) != want.path ||
			!same(p.Query(text), want.query) || !same(p.Fragment(text), want.fragment) {
			t.Fatalf("%q: got %+v, appendix B says %+v", text, p, want)
		}
		if want.authority == nil {
			continue
		}
		sum := string(p.Host(text)) // section 3.2: [ userinfo "@" ] host [ ":" port ]
		if p.HasUserinfo() {
			sum = string(p.Userinfo(text)) + "@" + sum
		}
		if p.HasPort() {
			sum += ":" + string(p.Port(text))
		}
		if sum != *want.authority || bytes.ContainsRune(p.Host(text), '@') || bytes.ContainsRune(p.Port(text), ':') {
			t.Fatalf("%q: the authority %q splits as userinfo %q, host %q, port %q", text, *want.authority, p.Userinfo(text), p.Host(text), p.Port(text))
		}
	}
}
