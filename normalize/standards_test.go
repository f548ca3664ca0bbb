package normalize_test

import (
	"strings"
	"testing"

	"github.com/urisieve/urisieve/normalize"
)

// standard is an input on which the three standards, or the tools that claim them, disagree, with
// what each of our profiles gives. "3" stands for the answer of
// rfc3986; "!" and a reason is a refusal. by names what decides where another reading is possible.
type standard struct {
	ref, base        string
	old, rfc3986, wh string
	by               string
}

// standards are in the order of the questions: resolution, escapes, characters, hosts, ports,
// empty components, opaque URIs, files, parameters.
var standards = []standard{
	{"?y", rfcBase, "http://a/b/c/?y", "http://a/b/c/d;p?y", "3", "RFC 2396 5.2 step 6, RFC 3986 5.2.2"},
	{"../../../g", rfcBase, "http://a/../g", "http://a/g", "3", "RFC 2396 5.2 step 6g, RFC 3986 5.2.4"},
	{"/./g", rfcBase, "http://a/./g", "http://a/g", "3", "RFC 2396 5.2 step 5, RFC 3986 5.2.4"},
	{"/../g", rfcBase, "http://a/../g", "http://a/g", "3", "RFC 2396 5.2 step 5, RFC 3986 5.2.4"},
	{"http:g", rfcBase, "3", "http://a/b/c/g", "3", "G44"},
	{"https:g", rfcBase, "3", "!no_host", "https://g/", "G07"},
	{"", rfcBase + "#f", "3", rfcBase, "3", "G45, RFC 3986 5.2.2"},
	{"?", rfcBase, "http://a/b/c/?", "http://a/b/c/d;p?", "3", "RFC 3986 5.2.2"},
	{"g", "http://a", "3", "http://a/g", "3", "G40, RFC 3986 5.2.3"},
	{"///g", rfcBase, "3", "!no_host", "http://g/", "G07"},
	{"//", "http://h/x", "3", "!no_host", "!no_host", "G07"},
	{"1g:h", rfcBase, "3", "!bad_scheme", "http://a/b/c/1g:h", "RFC 3986 4.2, URL standard 4.4 (no scheme state)"},
	{"/x/%2e%2e/y", rfcBase, "http://a/x/../y", "http://a/y", "3", "G27"},
	{"/%2e.bar", rfcBase, "3", "http://a/..bar", "http://a/%2e.bar", "RFC 3986 6.2.2.2"},
	{"/%7E%41", rfcBase, "3", "http://a/~A", "http://a/%7E%41", "RFC 3986 6.2.2.2"},
	{"/%21%27%28%29%2A", rfcBase, "http://a/!'()*", "http://a/%21%27%28%29%2A", "3", "RFC 2396 2.3, RFC 3986 2.3"},
	{"/!'()*?'", rfcBase, "3", "http://a/!'()*?'", "http://a/!'()*?%27", "URL standard 1.3 (special-query percent-encode set)"},
	{"/%2f", rfcBase, "3", "http://a/%2F", "http://a/%2f", "RFC 3986 6.2.2.1"},
	{"/%zz%", rfcBase, "3", "http://a/%25zz%25", "http://a/%zz%", "G12"},
	{"/a b\"<>`{}", rfcBase, "3", "http://a/a%20b%22%3C%3E%60%7B%7D", "3", "G25"},
	{"/a|b[c]?[d]", rfcBase, "3", "http://a/a%7Cb%5Bc%5D?%5Bd%5D", "http://a/a|b[c]?[d]", "G25"},
	{"/^?^", rfcBase, "3", "http://a/%5E?%5E", "http://a/%5E?^", "G25, URL standard 1.3 (path percent-encode set)"},
	{"p#a#b", rfcBase, "3", "http://a/b/c/p#a%23b", "http://a/b/c/p#a#b", "RFC 3986 3.5"},
	{`http:\\h\x`, "", "3", "!bad_authority", "http://h/x", "G13"},
	{`http://good.com\@evil.com/`, "", "3", "!bad_authority", "http://good.com/@evil.com/", "G13"},
	{"http://h\t/", "", "3", "!bad_authority", "http://h/", "G13"},
	{"/a\nb", rfcBase, "3", "http://a/a%0Ab", "http://a/ab", "G13"},
	{" http://h/ ", "", "3", "http://h/", "3", "G13"},
	{"/é#é", rfcBase, "3", "http://a/%C3%A9#%C3%A9", "3", "G03"},
	{"?q=é", "http://a/p", "http://a/?q=%C3%A9", "http://a/p?q=%C3%A9", "3", "G03"},
	{"/\xe9", rfcBase, "3", "http://a/%E9", "http://a/%EF%BF%BD", "G03"},
	{"http://faß.de/", "", "3", "http://xn--fa-hia.de/", "3", "G03, UTS 46 4 (non-transitional)"},
	{"http://example。com/", "", "3", "http://example.com/", "3", "UTS 46 4"},
	{"http://exa%6Dple.com/", "", "3", "http://example.com/", "3", "G07, G14"},
	{"http://ex%2fample.com/", "", "3", "!bad_host", "!bad_host", "G14; in rfc2396 a registry name is no host (G07, RFC 2616 3.2.2)"},
	{"http://a_b.com/", "", "3", "http://a_b.com/", "3", "G07, G14"},
	{"http://[::1]/", "", "!bad_host", "http://[::1]/", "3", "G08"},
	{"http://[2001:DB8:0:0:0:0:0:1]/", "", "!bad_host", "http://[2001:db8::1]/", "3", "G08"},
	{"http://[::ffff:1.2.3.4]/", "", "!bad_host", "http://[::ffff:1.2.3.4]/", "http://[::ffff:102:304]/", "G08, RFC 5952 5"},
	{"http://[fe80::1%25en0]/", "", "!bad_host", "!bad_host", "!bad_host", "RFC 3986 3.2.2"},
	{"http://0x7f.1/", "", "3", "http://0x7f.1/", "http://127.0.0.1/", "G08, G14"},
	{"http://0177.0.0.1/", "", "3", "http://0177.0.0.1/", "http://127.0.0.1/", "G08, G14"},
	{"http://256.256.256.256/", "", "3", "http://256.256.256.256/", "!bad_host", "G08, G14"},
	{"http://1.2.3.4.5/", "", "3", "http://1.2.3.4.5/", "!bad_host", "G08, G14"},
	{"http://h:0080/", "", "3", "http://h/", "3", "G21"},
	{"http://h:/", "", "3", "http://h/", "3", "G21"},
	{"http://h:99999/", "", "3", "!bad_port", "!bad_port", "G07"},
	{"http://@h/", "", "3", "http://@h/", "http://h/", "RFC 3986 6.2.3"},
	{"http://:@h/", "", "3", "http://:@h/", "http://h/", "RFC 3986 6.2.3"},
	{"http://user@/x", "", "3", "!no_host", "!no_host", "G07"},
	{"foo://Host", "", "foo://host", "foo://host/", "foo://Host", "G20, G28"},
	{"ssh://h:22/", "", "3", "ssh://h/", "ssh://h:22/", "G21"},
	{"http://h/?", "", "3", "http://h/?", "3", "RFC 3986 6.2.3"},
	{"http://h/#", "", "3", "http://h/#", "3", "RFC 3986 6.2.3"},
	{"?x", "mailto:a@b", "3", "!opaque_base", "!opaque_base", "G10"},
	{"../c", "urn:a:b", "3", "!opaque_base", "!opaque_base", "G10"},
	{"#f", "data:,x", "3", "data:,x#f", "3", "G10"},
	{"a:/..//b", "", "a:/..//b", "a:/.//b", "3", "G27"},
	{"data:text/plain,a b  #f", "", "3", "data:text/plain,a%20b%20%20#f", "data:text/plain,a b %20#f", "G25, URL standard 4.4 (opaque path state)"},
	{"file://localhost/etc", "", "3", "file:///etc", "3", "RFC 1738 3.10, RFC 8089 2"},
	{"file:/etc", "", "file:/etc", "file:///etc", "3", "RFC 8089 appendix B"},
	{"file:///C|/x/../y", "", "file:///C%7C/x/../y", "file:///C%7C/y", "file:///C:/y", "G25, URL standard 4.4 (Windows drive letters)"},
	{"/x", "file:///C:/a/b", "3", "file:///x", "file:///C:/x", "RFC 3986 5.2.2"},
	{";x", rfcBase, "3", "http://a/b/c/;x", "3", "RFC 3986 3.3"},
	{"g;x=1/../y", rfcBase, "3", "http://a/b/c/y", "3", "RFC 3986 3.3"},
	{"..;x/g", rfcBase, "3", "http://a/b/c/..;x/g", "3", "RFC 3986 3.3"},
	{"http://xn--a/", "", "3", "http://xn--a/", "3", "G14, whatwg/url#914"},

	// What crawlers' normalizers get wrong.
	{"?", "https://h/?hello", "3", "https://h/?", "3", "RFC 3986 5.3"},
	{"g?y/../x", rfcBase, "3", "http://a/b/c/g?y/../x", "3", "G41"},
	{"../up", "http://example.com/foo%2Fbar/", "3", "http://example.com/up", "3", "G24"},
	{"http://example.com/foo/bar//..", "", "http://example.com/foo/bar//..", "http://example.com/foo/bar/", "3", "RFC 3986 5.2.4"},
	{"http://www.example.org/dir/%2e%2e/secret", "", "http://www.example.org/dir/../secret", "http://www.example.org/secret", "3", "G27"},
	{"http://h/cmp/Supermercados-Dia%25", "", "3", "http://h/cmp/Supermercados-Dia%25", "3", "G26"},
	{"http://h/foo%20bar%3a%20%2376", "", "3", "http://h/foo%20bar%3A%20%2376", "http://h/foo%20bar%3a%20%2376", "G23"},
	{"https://h/More+Tea+Vicar%3F/discussion", "", "3", "https://h/More+Tea+Vicar%3F/discussion", "3", "G29"},
	{"https://h/Detail/NjAxOA%3d%3d", "", "3", "https://h/Detail/NjAxOA%3D%3D", "https://h/Detail/NjAxOA%3d%3d", "G23"},
	{`https://forces.ca/"%url%/`, "", "3", "https://forces.ca/%22%25url%25/", "https://forces.ca/%22%url%/", "G12"},
	{"http://h/%u00e9", "", "3", "http://h/%25u00e9", "http://h/%u00e9", "G12"},
	{"http://h/%7Euser/%41%2D", "", "3", "http://h/~user/A-", "http://h/%7Euser/%41%2D", "G22"},
	{"http://h/%3Bx%26y%3Dz", "", "3", "http://h/%3Bx%26y%3Dz", "3", "G29"},
	{"http://h/?x=a+b%20c%2Bd", "", "3", "http://h/?x=a+b%20c%2Bd", "3", "G29"},
	{"https://wiki.c2.com/?WikiWikiWeb", "", "3", "https://wiki.c2.com/?WikiWikiWeb", "3", "RFC 3986 3.4"},
	{"http://h/?b=1&a=2&a=1", "", "3", "http://h/?b=1&a=2&a=1", "3", "RFC 3986 3.4"},
	{"http://h?a=1", "", "3", "http://h/?a=1", "3", "G28"},
	{"http://h?", "", "3", "http://h/?", "3", "G28"},
	{"http://h/s.aspx?q=t||1", "", "3", "http://h/s.aspx?q=t%7C%7C1", "http://h/s.aspx?q=t||1", "G25"},
	{"http://h/?x[y]=1", "", "3", "http://h/?x%5By%5D=1", "http://h/?x[y]=1", "G25"},
	{"http://h/?it's", "", "3", "http://h/?it's", "http://h/?it%27s", "URL standard 1.3 (special-query percent-encode set)"},
	{"http://h/{{stuff}}^", "", "3", "http://h/%7B%7Bstuff%7D%7D%5E", "3", "G25"},
	{"http://h/café?q=é", "", "3", "http://h/caf%C3%A9?q=%C3%A9", "3", "G03"},
	{"http://[2001:DB8:0:0:0:0:0:1]:80/", "", "!bad_host", "http://[2001:db8::1]/", "3", "G08"},
	{"https://www1355544.com/", "", "3", "https://www1355544.com/", "3", "G20"},
	{"http://example.com:0080/", "", "3", "http://example.com/", "3", "G21"},
	{"http://fo\to.com/a\nb", "", "3", "!bad_authority", "http://foo.com/ab", "G13"},
	{" \thttp://foo.com/ \n", "", "3", "http://foo.com/", "3", "G13"},
	{"https://h/f/;jsessionid=E38?lang=en", "", "3", "https://h/f/;jsessionid=E38?lang=en", "3", "G09"},
}

// TestStandards_WhereTheyDisagree: each profile gives the answer of its standard.
func TestStandards_WhereTheyDisagree(t *testing.T) {
	for _, profile := range []string{"rfc2396", "rfc3986", "whatwg"} {
		n := newNormalizer(t, normalize.Options{Profile: profile})
		for _, c := range standards {
			want := map[string]string{"rfc2396": c.old, "rfc3986": c.rfc3986, "whatwg": c.wh}[profile]
			if want == "3" {
				want = c.rfc3986
			}
			if got, _ := outcome(n, retrieval(c.base), c.ref); !agrees(got, want) || c.by == "" {
				t.Errorf("%s: %q on %q: got %s, want %s (%s)", profile, c.ref, c.base, got, want, c.by)
			}
		}
	}
}

// A query is written in its document's encoding in whatwg, and in UTF-8 elsewhere.
func TestStandards_QueryOfAWindows1252Page(t *testing.T) {
	for profile, want := range map[string]string{"rfc2396": "http://a/?q=%C3%A9", "rfc3986": "http://a/?q=%C3%A9", "whatwg": "http://a/?q=%E9"} {
		o := normalize.Options{Profile: profile}
		if strings.HasPrefix(profile, "whatwg") {
			o.Encoding = "windows-1252"
		}
		if got, _ := outcome(newNormalizer(t, o), retrieval("http://a/"), "?q=é"); got != want {
			t.Errorf("%s: %s, want %s", profile, got, want)
		}
	}
}
