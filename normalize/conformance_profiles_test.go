package normalize_test

import (
	"testing"

	"github.com/urisieve/urisieve/normalize"
)

// profileCase is a line about which the standards, or the tools that claim them, disagree. where
// names the section or the requirement that decides it for rfc3986.
type profileCase struct {
	where string
	reqCase
}

// disagreements are inputs on which RFC 2396, RFC 3986 and the URL standard give different
// answers; the answers here are those of rfc3986.
var disagreements = []profileCase{
	{"5.2.2", reqCase{ref: "?y", base: rfcBase, want: "http://a/b/c/d;p?y", strict: "="}},
	{"5.2.4", reqCase{ref: "../../../g", base: rfcBase, want: "http://a/g", strict: "="}},
	{"5.2.4", reqCase{ref: "/./g", base: rfcBase, want: "http://a/g", strict: "="}},
	{"5.2.4", reqCase{ref: "/../g", base: rfcBase, want: "http://a/g", strict: "="}},
	{"G44", reqCase{ref: "http:g", base: rfcBase, want: "http://a/b/c/g", strict: "!same_scheme"}},
	{"G07", reqCase{ref: "https:g", base: rfcBase, want: "!no_host", strict: "="}},
	{"5.2.2", reqCase{ref: "", base: rfcBase + "#f", want: rfcBase, strict: "="}},
	{"5.2.2", reqCase{ref: "?", base: rfcBase, want: "http://a/b/c/d;p?", strict: "="}},
	{"5.2.3", reqCase{ref: "g", base: "http://a", want: "http://a/g", strict: "="}},
	{"RFC 9110 4.2.1", reqCase{ref: "///g", base: rfcBase, want: "!no_host", strict: "="}},
	{"RFC 9110 4.2.1", reqCase{ref: "//", base: "http://h/x", want: "!no_host", strict: "="}},
	{"4.2", reqCase{ref: "1g:h", base: rfcBase, want: "!bad_scheme", strict: "="}},
	{"G27", reqCase{ref: "/x/%2e%2e/y", base: rfcBase, want: "http://a/y", strict: "="}},
	{"6.2.2.2", reqCase{ref: "/%2e.bar", base: rfcBase, want: "http://a/..bar", strict: "="}},
	{"6.2.2.2", reqCase{ref: "/%7E%41", base: rfcBase, want: "http://a/~A", strict: "="}},
	{"2.3", reqCase{ref: "/%21%27%28%29%2A", base: rfcBase, want: "http://a/%21%27%28%29%2A", strict: "="}},
	{"2.2", reqCase{ref: "/!'()*?'", base: rfcBase, want: "http://a/!'()*?'", strict: "="}},
	{"6.2.2.1", reqCase{ref: "/%2f", base: rfcBase, want: "http://a/%2F", strict: "="}},
	{"G12", reqCase{ref: "/%zz%", base: rfcBase, want: "http://a/%25zz%25", strict: "!bad_escape path@1"}},
	{"G25", reqCase{ref: "/a b\"<>`{}", base: rfcBase, want: "http://a/a%20b%22%3C%3E%60%7B%7D", strict: "!bad_path path@2"}},
	{"G25", reqCase{ref: "/a|b[c]?[d]", base: rfcBase, want: "http://a/a%7Cb%5Bc%5D?%5Bd%5D", strict: "!bad_path path@2"}},
	{"G25", reqCase{ref: "/^?^", base: rfcBase, want: "http://a/%5E?%5E", strict: "!bad_path path@1"}},
	{"3.5", reqCase{ref: "p#a#b", base: rfcBase, want: "http://a/b/c/p#a%23b", strict: "!bad_fragment fragment@3"}},
	{"G13", reqCase{ref: `http:\\h\x`, want: "!bad_authority"}},
	{"G13", reqCase{ref: `http://good.com\@evil.com/`, want: "!bad_authority", strict: "="}},
	{"G13", reqCase{ref: "http://h\t/", want: "!bad_authority", strict: "="}},
	{"G13", reqCase{ref: "/a\nb", base: rfcBase, want: "http://a/a%0Ab", strict: "!bad_path path@2"}},
	{"G13", reqCase{ref: " http://h/ ", want: "http://h/", strict: "!surrounding", flags: "trimmed"}},
	{"G03", reqCase{ref: "/é#é", base: rfcBase, want: "http://a/%C3%A9#%C3%A9", strict: "!bad_path path@1"}},
	{"G03", reqCase{ref: "?q=é", base: rfcBase, want: "http://a/b/c/d;p?q=%C3%A9", strict: "!bad_query query@3"}},
	{"G03", reqCase{ref: "/\xe9", base: rfcBase, want: "http://a/%E9", strict: "!bad_path path@1"}},
	{"G14", reqCase{ref: "http://faß.de/", want: "http://xn--fa-hia.de/", strict: "!bad_host host@9"}},
	{"G14", reqCase{ref: "http://example。com/", want: "http://example.com/", strict: "!bad_host host@14"}},
	{"G14", reqCase{ref: "http://exa%6Dple.com/", want: "http://example.com/", strict: "="}},
	{"G14", reqCase{ref: "http://ex%2fample.com/", want: "!bad_host", strict: "="}},
	{"G14", reqCase{ref: "http://a_b.com/", want: "http://a_b.com/", strict: "="}},
	{"3.2.2", reqCase{ref: "http://[::1]/", want: "http://[::1]/", strict: "="}},
	{"RFC 5952 4", reqCase{ref: "http://[2001:DB8:0:0:0:0:0:1]/", want: "http://[2001:db8::1]/", strict: "="}},
	{"RFC 5952 5", reqCase{ref: "http://[::ffff:1.2.3.4]/", want: "http://[::ffff:1.2.3.4]/", strict: "="}},
	{"3.2.2", reqCase{ref: "http://[fe80::1%25en0]/", want: "!bad_host", strict: "="}},
	{"G14", reqCase{ref: "http://0x7f.1/", want: "http://0x7f.1/", strict: "=", flags: "numeric_host"}},
	{"G14", reqCase{ref: "http://0177.0.0.1/", want: "http://0177.0.0.1/", strict: "=", flags: "numeric_host"}},
	{"G14", reqCase{ref: "http://256.256.256.256/", want: "http://256.256.256.256/", strict: "=", flags: "numeric_host"}},
	{"G14", reqCase{ref: "http://1.2.3.4.5/", want: "http://1.2.3.4.5/", strict: "=", flags: "numeric_host"}},
	{"G21", reqCase{ref: "http://h:0080/", want: "http://h/", strict: "="}},
	{"G21", reqCase{ref: "http://h:/", want: "http://h/", strict: "="}},
	{"G07", reqCase{ref: "http://h:99999/", want: "!bad_port", strict: "="}},
	{"6.2.3", reqCase{ref: "http://@h/", want: "http://@h/", strict: "="}},
	{"6.2.3", reqCase{ref: "http://:@h/", want: "http://:@h/", strict: "="}},
	{"RFC 9110 4.2.1", reqCase{ref: "http://user@/x", want: "!no_host", strict: "="}},
	{"6.2.3", reqCase{ref: "foo://Host", want: "foo://host/", strict: "="}},
	{"G21", reqCase{ref: "ssh://h:22/", want: "ssh://h/", strict: "="}},
	{"6.2.3", reqCase{ref: "http://h/?", want: "http://h/?", strict: "="}},
	{"6.2.3", reqCase{ref: "http://h/#", want: "http://h/#", strict: "="}},
	{"G10", reqCase{ref: "?x", base: "mailto:a@b", want: "!opaque_base", strict: "="}}, // 5.2.2 alone: mailto:a@b?x
	{"G10", reqCase{ref: "../c", base: "urn:a:b", want: "!opaque_base", strict: "="}},  // 5.2.2 alone: urn:c
	{"G10", reqCase{ref: "#f", base: "data:,x", want: "data:,x#f", strict: "="}},
	{"G27", reqCase{ref: "a:/..//b", want: "a:/.//b", strict: "="}},
	{"G10", reqCase{ref: "data:text/plain,a b  #f", want: "data:text/plain,a%20b%20%20#f", strict: "!bad_path path@17"}},
	{"RFC 8089 2", reqCase{ref: "file://localhost/etc", want: "file:///etc", strict: "="}},
	{"RFC 8089 2", reqCase{ref: "file:/etc", want: "file:///etc", strict: "="}},
	{"G25", reqCase{ref: "file:///C|/x/../y", want: "file:///C%7C/y", strict: "!bad_path path@9"}},
	{"5.2.2", reqCase{ref: "/x", base: "file:///C:/a/b", want: "file:///x", strict: "="}},
	{"3.3", reqCase{ref: ";x", base: rfcBase, want: "http://a/b/c/;x", strict: "="}},
	{"3.3", reqCase{ref: "g;x=1/../y", base: rfcBase, want: "http://a/b/c/y", strict: "="}},
	{"3.3", reqCase{ref: "..;x/g", base: rfcBase, want: "http://a/b/c/..;x/g", strict: "="}},
	{"G14", reqCase{ref: "http://xn--a/", want: "http://xn--a/", strict: "=", flags: "bad_xn_label"}},
}

// mistakes are inputs that crawlers' normalizers are known to get wrong, with the right answers.
var mistakes = []profileCase{
	{"5.2.2", reqCase{ref: "?y", base: rfcBase, want: "http://a/b/c/d;p?y", strict: "="}},
	{"5.2.2", reqCase{ref: "", base: rfcBase + "#f", want: rfcBase, strict: "="}},
	{"5.3", reqCase{ref: "?", base: "https://h/?hello", want: "https://h/?", strict: "="}},
	{"G44", reqCase{ref: "http:g", base: rfcBase, want: "http://a/b/c/g", strict: "!same_scheme"}},
	{"5.2.4", reqCase{ref: "../../../g", base: rfcBase, want: "http://a/g", strict: "="}},
	{"G41", reqCase{ref: "g?y/../x", base: rfcBase, want: "http://a/b/c/g?y/../x", strict: "="}},
	{"G07", reqCase{ref: "///g", base: "http://a/b/c/d", want: "!no_host", strict: "="}},
	{"G07", reqCase{ref: "//", base: "http://h/x?q", want: "!no_host", strict: "="}},
	{"5.2.3", reqCase{ref: "g", base: "http://a", want: "http://a/g", strict: "="}},
	{"G24", reqCase{ref: "../up", base: "http://example.com/foo%2Fbar/", want: "http://example.com/up", strict: "="}},
	{"5.2.4", reqCase{ref: "http://example.com/foo/bar//..", want: "http://example.com/foo/bar/", strict: "="}},
	{"5.2.4", reqCase{ref: "http://example.com/../..foo", want: "http://example.com/..foo", strict: "="}},
	{"G27", reqCase{ref: "http://www.example.org/dir/%2e%2e/secret", want: "http://www.example.org/secret", strict: "="}},
	{"G26", reqCase{ref: "http://h/cmp/Supermercados-Dia%25", want: "http://h/cmp/Supermercados-Dia%25", strict: "="}},
	{"G23", reqCase{ref: "http://h/foo%20bar%3a%20%2376", want: "http://h/foo%20bar%3A%20%2376", strict: "="}},
	{"G29", reqCase{ref: "https://h/More+Tea+Vicar%3F/discussion", want: "https://h/More+Tea+Vicar%3F/discussion", strict: "="}},
	{"G23", reqCase{ref: "https://h/Detail/NjAxOA%3d%3d", want: "https://h/Detail/NjAxOA%3D%3D", strict: "="}},
	{"G12", reqCase{ref: `https://forces.ca/"%url%/`, want: "https://forces.ca/%22%25url%25/", strict: "!bad_path path@18"}},
	{"G12", reqCase{ref: "http://h/%u00e9", want: "http://h/%25u00e9", strict: "!bad_escape path@9"}},
	{"G22", reqCase{ref: "http://h/%7Euser/%41%2D", want: "http://h/~user/A-", strict: "="}},
	{"G22", reqCase{ref: "http://h/%21%27%28%29%2A", want: "http://h/%21%27%28%29%2A", strict: "="}},
	{"G29", reqCase{ref: "http://h/%3Bx%26y%3Dz", want: "http://h/%3Bx%26y%3Dz", strict: "="}},
	{"G29", reqCase{ref: "http://h/?x=a+b%20c%2Bd", want: "http://h/?x=a+b%20c%2Bd", strict: "="}},
	{"3.4", reqCase{ref: "https://wiki.c2.com/?WikiWikiWeb", want: "https://wiki.c2.com/?WikiWikiWeb", strict: "="}},
	{"3.4", reqCase{ref: "http://h/?b=1&a=2&a=1", want: "http://h/?b=1&a=2&a=1", strict: "="}},
	{"G28", reqCase{ref: "http://h?a=1", want: "http://h/?a=1", strict: "="}},
	{"G28", reqCase{ref: "http://h?", want: "http://h/?", strict: "="}},
	{"G25", reqCase{ref: "http://h/s.aspx?q=t||1", want: "http://h/s.aspx?q=t%7C%7C1", strict: "!bad_query query@19"}},
	{"G25", reqCase{ref: "http://h/?x[y]=1", want: "http://h/?x%5By%5D=1", strict: "!bad_query query@11"}},
	{"2.2", reqCase{ref: "http://h/?it's", want: "http://h/?it's", strict: "="}},
	{"G25", reqCase{ref: "http://h/{{stuff}}^", want: "http://h/%7B%7Bstuff%7D%7D%5E", strict: "!bad_path path@9"}},
	{"G03", reqCase{ref: "http://h/café?q=é", want: "http://h/caf%C3%A9?q=%C3%A9", strict: "!bad_path path@12"}},
	{"G14", reqCase{ref: "http://faß.de/", want: "http://xn--fa-hia.de/", strict: "!bad_host"}},
	{"G08", reqCase{ref: "http://[::1]/", want: "http://[::1]/", strict: "="}},
	{"G08", reqCase{ref: "http://[2001:DB8:0:0:0:0:0:1]:80/", want: "http://[2001:db8::1]/", strict: "="}},
	{"G14", reqCase{ref: "http://256.256.256.256/", want: "http://256.256.256.256/", strict: "=", flags: "numeric_host"}},
	{"G20", reqCase{ref: "https://www1355544.com/", want: "https://www1355544.com/", strict: "="}},
	{"G21", reqCase{ref: "http://example.com:0080/", want: "http://example.com/", strict: "="}},
	{"G13", reqCase{ref: "http://fo\to.com/a\nb", want: "!bad_authority", strict: "="}},
	{"G13", reqCase{ref: " \thttp://foo.com/ \n", want: "http://foo.com/", strict: "!surrounding", flags: "trimmed"}},
	{"G09", reqCase{ref: "https://h/f/;jsessionid=E38?lang=en", want: "https://h/f/;jsessionid=E38?lang=en", strict: "="}},
}

func TestProfile_WhereTheStandardsDisagree(t *testing.T) { checkProfile(t, disagreements) }

func TestProfile_WhatToolsGetWrong(t *testing.T) { checkProfile(t, mistakes) }

func checkProfile(t *testing.T, cases []profileCase) {
	t.Helper()
	for _, c := range cases {
		for _, f := range c.failures(func(o normalize.Options) *normalize.Normalizer { return newNormalizer(t, o) }) {
			t.Errorf("%s: %s", c.where, f)
		}
	}
}
