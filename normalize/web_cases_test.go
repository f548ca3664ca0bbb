package normalize_test

import (
	"strings"
	"testing"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/normalize/uri"
)

// casesWeb are the lines of the requirements that hold in whatwg, by id.
var casesWeb = map[string][]reqCase{
	"G01": {{ref: "http://h/p#s", want: "http://h/p#s"}, {ref: "http://h/p#", want: "http://h/p#"}},
	"G02": {{ref: "foo:/bar", want: "foo:/bar"}, {ref: "foo:bar", want: "foo:bar"}},
	"G03": {
		{ref: "http://h/\xe9", want: "http://h/%EF%BF%BD", flags: "invalid_utf8"},
		{ref: "http://h/é", want: "http://h/%C3%A9"},
		{ref: "http://bücher.example/", want: "http://xn--bcher-kva.example/", flags: "idn"},
	},
	"G04": {{ref: "http://h/?", want: "http://h/?"}, {ref: "http://h/", want: "http://h/"}},
	"G05": {{ref: "//a/b", base: "http://h/", want: "http://a/b"}, {ref: "//a/b", base: "foo:/h", want: "foo://a/b"}},
	"G06": {{ref: "http://h?x/y", want: "http://h/?x/y"}, {ref: "http://h#x/y", want: "http://h/#x/y"}},
	"G08": {
		{ref: "http://[::ffff:1.2.3.4]/", want: "http://[::ffff:102:304]/", flags: "ip_address"},
		{ref: "http://[2001:DB8::0:1]/", want: "http://[2001:db8::1]/"},
		{ref: "http://127.0.0.1/", want: "http://127.0.0.1/", flags: "ip_address"},
		{ref: "http://[v1.x]/", want: "!bad_host"},
	},
	"G09": {{ref: "http://h/a;x=1/b;y", want: "http://h/a;x=1/b;y"}},
	"G10": {
		{ref: "#f", base: "mailto:a@b", want: "mailto:a@b#f"},
		{ref: "g", base: "mailto:a@b", want: "!opaque_base"},
		{ref: "MAILTO:User@Example.COM", want: "mailto:User@Example.COM"},
		{ref: "foo:a/../b", want: "foo:a/../b"},
	},
	"G11": {{ref: "HTTP://h/", want: "http://h/"}, {ref: "1g:h", base: rfcBase, want: "http://a/b/c/1g:h"}},
	"G13": {
		{ref: "http://good.com\\@evil.com/", want: "http://good.com/@evil.com/"},
		{ref: " http://h/ ", want: "http://h/"},
		{ref: "http://h/a\tb", want: "http://h/ab"},
	},
	"G21": {
		{ref: "ssh://h:22/", want: "ssh://h:22/"},
		{ref: "https://h:0443/", want: "https://h/"},
		{ref: "http://h:/", want: "http://h/"},
		{ref: "foo://h:/", want: "foo://h/"},
		{ref: "http://h:08080/", want: "http://h:8080/"},
	},
	"G24": {{ref: "http://h/%2f%0D", want: "http://h/%2f%0D"}, {ref: "http://ex%2fample/", want: "!bad_host"}},
	"G26": {{ref: "http://h/%2541", want: "http://h/%2541"}},
	"G27": {{ref: "a:/..//b", want: "a:/.//b", flags: "path_guarded"}, {ref: "http://h/a/%2e/b/%2e%2e/c", want: "http://h/a/c"}},
	"G28": {{ref: "foo://h", want: "foo://h"}, {ref: "http://h", want: "http://h/"}, {ref: "http://h?", want: "http://h/?"}},
	"G29": {{ref: "http://h/?a=1%262+", want: "http://h/?a=1%262+"}, {ref: "http://h/?'", want: "http://h/?%27"}},
	"G40": {
		{ref: "../../../g", base: rfcBase, want: "http://a/g"},
		{ref: "?y", base: rfcBase, want: "http://a/b/c/d;p?y"},
		{ref: "//g", base: rfcBase, want: "http://g/"},
	},
	"G41": {{ref: "g?y/../x", base: rfcBase, want: "http://a/b/c/g?y/../x"}},
	"G42": {{ref: "g", base: "HTTP://A:80/x/y", want: "http://a/x/g"}, {ref: "g", base: "http://[", want: "!no_base"}},
	"G43": {{ref: "g", want: "!no_base"}, {ref: "", want: "!no_base"}, {ref: "//g", want: "!no_base"}},
	"G44": {
		{ref: "http:g", base: rfcBase, want: "http://a/b/c/g", flags: "same_scheme"},
		{ref: "http:/g", base: rfcBase, want: "http://a/g", flags: "same_scheme"},
		{ref: "file:/x", base: "file:///a/b", want: "file:///x"},
	},
	"G60": {
		{ref: "http://u:p@h/", want: "http://u:p@h/", flags: "userinfo password"},
		{ref: "http://u:p@h/", want: "http://h/", flags: "userinfo_stripped", opts: normalize.Options{Userinfo: "strip"}},
		{ref: "http://u@h/", want: "!userinfo_refused", opts: normalize.Options{Userinfo: "refuse"}},
	},
	"G61": {
		{ref: "http://h:25/", want: "http://h:25/", flags: "reserved_port"},
		{ref: "http://h:25/", want: "!bad_port", opts: normalize.Options{RefuseBadPorts: true}},
		{ref: "http://h:80/", want: "http://h/", flags: "-reserved_port"},
	},
	"G62": {{ref: "http://h/%0d%0A", want: "http://h/%0d%0A", flags: "escaped_control"}},
	"U01": {
		{ref: "http://h:8080/p?q#f", want: "http://h:8080/p?q#f"},
		{ref: "mailto:u@h", want: "mailto:u@h"},
		{ref: "data:text/plain,hello", want: "data:text/plain,hello"},
		{ref: "file:///etc/x", want: "file:///etc/x"},
	},
	"U40": {
		{ref: "other.html", base: tableBase, want: "https://example.com/a/b/other.html"},
		{ref: "./other.html", base: tableBase, want: "https://example.com/a/b/other.html"},
		{ref: "../other.html", base: tableBase, want: "https://example.com/a/other.html"},
		{ref: "../../other.html", base: tableBase, want: "https://example.com/other.html"},
		{ref: "/other.html", base: tableBase, want: "https://example.com/other.html"},
		{ref: "//other.com/page", base: tableBase, want: "https://other.com/page"},
		{ref: "?query=new", base: tableBase, want: "https://example.com/a/b/page.html?query=new"},
		{ref: "#section", base: tableBase, want: "https://example.com/a/b/page.html#section"},
	},
}

// Every requirement of the profile whatwg has its lines; each is a test that bears its id.
func TestWeb_Requirements(t *testing.T) {
	for id, profiles := range readRequirementIDs(t) {
		if strings.Contains(profiles, "W") && id != "U60" && id != "U61" && len(casesWeb[id]) == 0 {
			t.Errorf("%s has no lines for whatwg", id)
		}
	}
	for id, cases := range casesWeb {
		t.Run(id, func(t *testing.T) {
			for _, c := range cases {
				build := func(o normalize.Options) *normalize.Normalizer {
					o.Profile = "whatwg"
					return newNormalizer(t, o)
				}
				for _, f := range c.failures(build) {
					t.Error(f)
				}
				if got, r := outcome(build(c.opts), retrieval(c.base), c.ref); r.Reason == normalize.OK && r.Parts != uri.Split([]byte(got)) {
					t.Errorf("%v: parts %+v of %s", c, r.Parts, got)
				}
			}
		})
	}
}

// G42: all sixteen combinations of layers, as in the other profiles.
func TestG42_WebSixteenCombinations(t *testing.T) { checkSixteenCombinations(t, web) }
