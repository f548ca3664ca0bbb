package whatwg

import "testing"

// The requirements of all profiles, by id, where this parser alone decides them. Each case is
// reference, base ("-" without one) and href ("" where it must fail).
var requirementCases = []struct{ id, ref, base, want string }{
	{"G01", "http://h/p#s", "-", "http://h/p#s"},
	{"G01", "http://h/p#", "-", "http://h/p#"},
	{"G02", "foo:/bar", "-", "foo:/bar"},
	{"G02", "foo:bar", "-", "foo:bar"},
	{"G03", "http://h/é", "-", "http://h/%C3%A9"},
	{"G03", "http://h/\xe9", "-", "http://h/%EF%BF%BD"},
	{"G03", "http://bücher.de/?ü#ü", "-", "http://xn--bcher-kva.de/?%C3%BC#%C3%BC"},
	{"G04", "http://h/?", "-", "http://h/?"},
	{"G04", "http://h/", "-", "http://h/"},
	{"G05", "//a/b", "http://h/", "http://a/b"},
	{"G05", "//a/b", "foo://h/", "foo://a/b"},
	{"G06", "http://h?x/y", "-", "http://h/?x/y"},
	{"G06", "http://h#x/y", "-", "http://h/#x/y"},
	{"G08", "http://[2001:DB8::0:1]/", "-", "http://[2001:db8::1]/"},
	{"G08", "http://[::ffff:1.2.3.4]/", "-", "http://[::ffff:102:304]/"},
	{"G08", "http://[v1.x]/", "-", ""},
	{"G08", "http://192.168.1.1/", "-", "http://192.168.1.1/"},
	{"G09", "http://h/a;x=1/b;y", "-", "http://h/a;x=1/b;y"},
	{"G10", "mailto:User@Example.COM", "-", "mailto:User@Example.COM"},
	{"G10", "foo:a/../b", "-", "foo:a/../b"},
	{"G10", "#f", "mailto:a@b", "mailto:a@b#f"},
	{"G10", "x", "mailto:a@b", ""},
	{"G11", "HTTP://h/", "-", "http://h/"},
	{"G11", "A+b-C.1:x", "-", "a+b-c.1:x"},
	{"G11", "1a:x", "-", ""},
	{"G13", " \x01http://h/ ", "-", "http://h/"},
	{"G21", "https://h:0443/", "-", "https://h/"},
	{"G21", "http://h:80/", "-", "http://h/"},
	{"G21", "ftp://h:21/", "-", "ftp://h/"},
	{"G21", "ws://h:80/", "-", "ws://h/"},
	{"G21", "wss://h:443/", "-", "wss://h/"},
	{"G21", "ssh://h:22/", "-", "ssh://h:22/"},
	{"G21", "http://h:/", "-", "http://h/"},
	{"G21", "http://h:008080/", "-", "http://h:8080/"},
	{"G24", "http://h/a%2Fb%2fc%0D%0A%00?%26%3d", "-", "http://h/a%2Fb%2fc%0D%0A%00?%26%3d"},
	{"G26", "http://h/%2541?%2541#%2541", "-", "http://h/%2541?%2541#%2541"},
	{"G26", "http://u%3A@h/", "-", "http://u%3A@h/"},
	{"G27", "http://h/a/./b/../c", "-", "http://h/a/c"},
	{"G27", "a:/..//b", "-", "a:/.//b"},
	{"G27", "http://h/a/%2E%2e/b", "-", "http://h/b"},
	{"G28", "http://h", "-", "http://h/"},
	{"G28", "http://h?q", "-", "http://h/?q"},
	{"G28", "foo://h", "-", "foo://h"},
	{"G29", "http://h/?a=1%262&b=+%20%2B;c%3B", "-", "http://h/?a=1%262&b=+%20%2B;c%3B"},
	{"G40", "../../../g", "http://a/b/c/d;p?q", "http://a/g"},
	{"G41", "g?y/../x", "http://a/b/c/d;p?q", "http://a/b/c/g?y/../x"},
	{"G41", "?a/./b", "http://a/b/c/d;p?q", "http://a/b/c/d;p?a/./b"},
	{"G43", "x", "-", ""},
	{"G43", "", "-", ""},
	{"G44", "http:g", "http://a/b/c/d;p?q", "http://a/b/c/g"},
	{"G44", "http:/g", "http://a/b/c/d;p?q", "http://a/g"},
	{"G60", "http://u:p@h/", "-", "http://u:p@h/"},
	{"G62", "http://h/%0d%0A%00", "-", "http://h/%0d%0A%00"},
	{"U01", "https://example.com/page", "-", "https://example.com/page"},
	{"U01", "mailto:user@example.com", "-", "mailto:user@example.com"},
	{"U01", "data:text/plain;base64,SGVsbG8=", "-", "data:text/plain;base64,SGVsbG8="},
	{"U01", "file:///home/user/doc.pdf", "-", "file:///home/user/doc.pdf"},
	{"U40", "other.html", pageBase, "https://example.com/a/b/other.html"},
	{"U40", "./other.html", pageBase, "https://example.com/a/b/other.html"},
	{"U40", "../other.html", pageBase, "https://example.com/a/other.html"},
	{"U40", "../../other.html", pageBase, "https://example.com/other.html"},
	{"U40", "/other.html", pageBase, "https://example.com/other.html"},
	{"U40", "//other.com/page", pageBase, "https://other.com/page"},
	{"U40", "?query=new", pageBase, "https://example.com/a/b/page.html?query=new"},
	{"U40", "#section", pageBase, "https://example.com/a/b/page.html#section"},
}

const pageBase = "https://example.com/a/b/page.html"

// Where the standards disagree, and the inputs that users asked about: the answer of this one. The
// base of those that need one is http://a/b/c/d;p?q, as in RFC 3986 section 5.4.
var disagreementCases = []struct{ ref, base, want string }{
	{"?y", "", "http://a/b/c/d;p?y"},
	{"/./g", "", "http://a/g"},
	{"/../g", "", "http://a/g"},
	{"https:g", "", "https://g/"},
	{"", "http://a/b/c/d;p?q#f", "http://a/b/c/d;p?q"},
	{"?", "", "http://a/b/c/d;p?"},
	{"g", "http://a", "http://a/g"},
	{"///g", "", "http://g/"},
	{"//", "http://h/x", ""},
	{"1g:h", "", "http://a/b/c/1g:h"},
	{"/x/%2e%2e/y", "", "http://a/y"},
	{"/%2e.bar", "", "http://a/%2e.bar"},
	{"/%7E%41", "", "http://a/%7E%41"},
	{"/%21%27%28%29%2A", "", "http://a/%21%27%28%29%2A"},
	{"/!'()*?!'()*", "", "http://a/!'()*?!%27()*"},
	{"/%zz%", "", "http://a/%zz%"},
	{"/a b\"<>`{}", "", "http://a/a%20b%22%3C%3E%60%7B%7D"},
	{"/|[]?|[]", "", "http://a/|[]?|[]"},
	{"/^?^", "", "http://a/%5E?^"},
	{"p#a#b", "", "http://a/b/c/p#a#b"},
	{`http:\\h\x`, "", "http://h/x"},
	{"http://h/a\tb\nc", "", "http://h/abc"},
	{"http://exa%6Dple.com/", "", "http://example.com/"},
	{"http://[fe80::1%25en0]/", "", ""},
	{"http://256.256.256.256/", "", ""},
	{"http://user@/x", "", ""},
	{"foo://Host", "", "foo://Host"},
	{"http://h/#", "", "http://h/#"},
	{"?x", "mailto:a@b", ""},
	{"../c", "urn:a:b", ""},
	{"#f", "data:,x", "data:,x#f"},
	{"file://localhost/etc", "", "file:///etc"},
	{"file:/etc", "", "file:///etc"},
	{"file:///C|/x/../y", "", "file:///C:/y"},
	{"/x", "file:///C:/a/b", "file:///C:/x"},
	{";x", "", "http://a/b/c/;x"},
	{"g;x=1/../y", "", "http://a/b/c/y"},
	{"..;x/g", "", "http://a/b/c/..;x/g"},
	{"http://xn--a/", "", "http://xn--a/"},
	{"?", "https://h/?hello", "https://h/?"},
	{"../up", "http://example.com/foo%2Fbar/", "http://example.com/up"},
	{"http://example.com/foo/bar//..", "", "http://example.com/foo/bar/"},
	{"http://www.example.org/dir/%2e%2e/secret", "", "http://www.example.org/secret"},
	{"http://h/cmp/Supermercados-Dia%25", "", "http://h/cmp/Supermercados-Dia%25"},
	{"http://h/foo%20bar%3a%20%2376", "", "http://h/foo%20bar%3a%20%2376"},
	{"https://h/More+Tea+Vicar%3F/discussion", "", "https://h/More+Tea+Vicar%3F/discussion"},
	{"https://h/Detail/NjAxOA%3d%3d", "", "https://h/Detail/NjAxOA%3d%3d"},
	{`https://forces.ca/"%url%/`, "", "https://forces.ca/%22%url%/"},
	{"http://h/%u00e9", "", "http://h/%u00e9"},
	{"http://h/%3Bx%26y%3Dz", "", "http://h/%3Bx%26y%3Dz"},
	{"https://wiki.c2.com/?WikiWikiWeb", "", "https://wiki.c2.com/?WikiWikiWeb"},
	{"http://h/?b=1&a=2&a=1", "", "http://h/?b=1&a=2&a=1"},
	{"http://h/s.aspx?q=t||1", "", "http://h/s.aspx?q=t||1"},
	{"http://h/?x[y]=1", "", "http://h/?x[y]=1"},
	{"http://h/{{stuff}}^", "", "http://h/%7B%7Bstuff%7D%7D%5E"},
	{"http://[2001:DB8:0:0:0:0:0:1]:80/", "", "http://[2001:db8::1]/"},
	{"https://www1355544.com/", "", "https://www1355544.com/"},
	{"https://h/f/;jsessionid=E38?lang=en", "", "https://h/f/;jsessionid=E38?lang=en"},
}

func TestRequirements(t *testing.T) {
	p := New(Options{})
	for _, c := range requirementCases {
		t.Run(c.id, func(t *testing.T) {
			var base *string
			if c.base != "-" {
				base = &c.base
			}
			if got, r := parse(p, base, c.ref); got != c.want {
				t.Errorf("%q on %q is %q (%v), want %q", c.ref, c.base, got, r.Failure, c.want)
			}
			checkTwin(t, p, []byte(c.base), []byte(c.ref), base != nil)
		})
	}
}

func TestWhereStandardsDisagree(t *testing.T) {
	p := New(Options{})
	for _, c := range disagreementCases {
		base := c.base
		if base == "" {
			base = "http://a/b/c/d;p?q"
		}
		if got, r := parse(p, &base, c.ref); got != c.want {
			t.Errorf("%q on %q is %q (%v), want %q", c.ref, base, got, r.Failure, c.want)
		}
	}
}
