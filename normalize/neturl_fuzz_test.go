package normalize_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/urisieve/urisieve/normalize"
)

// netURL resolves as net/url does, of which path, query and fragment are told: it decodes and
// encodes hosts and userinfo by rules of its own. ok is false where it takes no part.
func netURL(base, ref string) (path, query, fragment string, ok bool) {
	b, err := url.Parse(base)
	if err != nil {
		return "", "", "", false
	}
	r, err := url.Parse(ref)
	if err != nil || r.Opaque != "" {
		return "", "", "", false
	}
	u := b.ResolveReference(r)
	query = u.RawQuery
	if u.ForceQuery || query != "" {
		query = "?" + query
	}
	return u.EscapedPath(), query, u.EscapedFragment(), true
}

// netURLDiffers says why an answer of net/url may differ; "" is no reason.
func netURLDiffers(base, ref string, want components) string {
	p := parseLiterally(ref)
	switch {
	case strings.HasPrefix(want.path, "//"):
		return "net/url drops the empty segment that begins a path, which section 5.2.4 keeps"
	case p.scheme != nil || p.authority != nil:
		return "net/url leaves the dot segments of a reference with an authority, which section 5.2.2 removes"
	case p.path == "" && p.query == nil && strings.Contains(base, "#"):
		return "net/url inherits the base's fragment, which section 5.2.2 does not"
	case p.path == "" && p.query == nil && want.query != nil && *want.query == "":
		return "net/url loses the base's empty query, which section 5.2.2 keeps"
	case p.path == "" && strings.Contains(want.path, "/."):
		return "net/url removes the dot segments of a base path that section 5.2.2 takes as it is"
	case strings.EqualFold(p.path, "%2a"):
		return "net/url takes %2A for the path of a request to the server as a whole"
	case strings.HasPrefix(p.path, "//"):
		return "section 5.2.2 has an authority there"
	}
	return ""
}

// FuzzNetURL: what net/url resolves, package uri resolves to the same path, query and fragment, but for
// what is listed; and whatever net/url writes as an http URL, the profile takes or refuses with a reason.
func FuzzNetURL(f *testing.F) {
	for _, ref := range seeds {
		f.Add(rfcBase, ref)
	}
	for _, c := range resolutionCases["G40"] {
		f.Add(c.base, c.ref)
	}
	n := newNormalizer(f, normalize.Options{})
	f.Fuzz(func(t *testing.T, base, ref string) {
		if !strings.HasPrefix(base, "http://") || !inGrammar(base) || !inGrammar(ref) {
			return // net/url mends what the grammar forbids in ways of its own
		}
		if parseLiterally(base).authority == nil || *parseLiterally(base).authority == "" {
			return
		}
		path, query, fragment, ok := netURL(base, ref)
		want := parseLiterally(resolved(base, ref))
		if !ok || netURLDiffers(base, ref, want) != "" {
			return
		}
		wantQuery, wantFragment := "", ""
		if want.query != nil {
			wantQuery = "?" + *want.query
		}
		if want.fragment != nil {
			wantFragment = *want.fragment
		}
		if path != want.path || query != wantQuery || fragment != wantFragment {
			t.Errorf("%q on %q: net/url has %q %q %q, section 5.2 %q %q %q", ref, base, path, query, fragment, want.path, wantQuery, wantFragment)
		}
		if got, r := outcome(n, retrieval(base), ref); r.Reason == normalize.OK && !inGrammar(got) {
			t.Errorf("%q on %q is %q", ref, base, got)
		}
	})
}
