package normalize_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/urisieve/urisieve/normalize"
)

// old are the options of the profile rfc2396.
var old = normalize.Options{Profile: "rfc2396"}

// cases2396 are the lines of the requirements that hold in rfc2396, by id; the options get the
// profile when they run.
var cases2396 = map[string][]reqCase{
	"G01": {
		{ref: "http://h/p#s", want: "http://h/p#s", strict: "="},
		{ref: "http://h/p#", want: "http://h/p#", strict: "="},
	},
	"G02": {
		{ref: "foo:/bar", want: "foo:/bar", strict: "="},
		{ref: "foo:bar", want: "foo:bar", strict: "="},
	},
	"G03": {
		{ref: "http://h/é", want: "http://h/%C3%A9", strict: "!bad_path path@9"},
		{ref: "http://h/\xe9", want: "http://h/%E9", strict: "!bad_path", flags: "invalid_utf8"},
		{ref: "http://bücher.example/", want: "http://xn--bcher-kva.example/", strict: "!bad_host"},
		{ref: "foo://é/", want: "foo://%C3%A9/", strict: "!bad_host"},
	},
	"G04": {
		{ref: "http://h/?", want: "http://h/?", strict: "="},
		{ref: "http://h/", want: "http://h/", strict: "="},
	},
	"G05": {{ref: "//a/b", base: "http://h/", want: "http://a/b", strict: "="}},
	"G06": {
		{ref: "http://h?x/y", want: "http://h/?x/y", strict: "="},
		{ref: "http://h#x/y", want: "http://h/#x/y", strict: "="},
	},
	"G07": {
		{ref: "http:///p", want: "!no_host", strict: "="},
		{ref: "http://a@b@h/", want: "http://a%40b@h/", strict: "!bad_userinfo userinfo@8", flags: "earlier_at"},
		{ref: "http://h:99999/", want: "!bad_port", strict: "="},
		{ref: "http://h:8o/", want: "!bad_port port@10", strict: "="},
		{ref: "file:///x", want: "file:///x", strict: "="},
		{ref: "foo://My_Registry/", want: "foo://My_Registry/", strict: "="},
		{ref: "foo://a:B:c/", want: "foo://a:B:c/", strict: "="},
		{ref: "foo://My.Host:007/", want: "foo://my.host:7/", strict: "="},
		{ref: "foo://U@My_Reg:x/", want: "foo://U@My_Reg:x/", strict: "=", flags: "userinfo"},
		{ref: "foo://a@b@h/", want: "foo://a%40b@h/", strict: "!bad_userinfo"},
		{ref: "foo://h:8%30/", want: "foo://h:80/", strict: "="},
		{ref: "foo://h:%30%37", want: "foo://h:7", strict: "="},
		{ref: "http://h:8%30/", want: "!bad_port port@10", strict: "="},
		{ref: "foo://ex%41mple:80", want: "foo://example:80", strict: "="},
		{ref: "foo://1.2.3/", want: "foo://1.2.3/", strict: "="},
		{ref: "foo://a-/", want: "foo://a-/", strict: "="},
		{ref: "http://my_host/", want: "http://my_host/", strict: "="},
	},
	"G08": {
		{ref: "http://[::1]/", want: "!bad_host host@7", strict: "="},
		{ref: "http://[v1.x]/", want: "!bad_host host@7", strict: "="},
		{ref: "foo://[::1]/", want: "!bad_host host@6", strict: "="},
		{ref: "http://127.0.0.1/", want: "http://127.0.0.1/", strict: "=", flags: "ip_address"},
		{ref: "foo://1.2.3.4:05/", want: "foo://1.2.3.4:5/", strict: "="},
		{ref: "http://EX-a.com./", want: "http://ex-a.com./", strict: "="},
	},
	"G09": {{ref: "http://h/a;x=1/b;y", want: "http://h/a;x=1/b;y", strict: "="}},
	"G10": {
		{ref: "MAILTO:User@Example.COM", want: "mailto:User@Example.COM", strict: "="},
		{ref: "foo:a/../b", want: "foo:a/../b", strict: "="},
		{ref: "#f", base: "mailto:a@b", want: "mailto:a@b#f", strict: "="},
		{ref: "g", base: "mailto:a@b", want: "!opaque_base", strict: "="},
		{ref: "?q", base: "mailto:a@b", want: "!opaque_base", strict: "="},
		{ref: "foo:a?b", want: "foo:a?b", strict: "="}, // an opaque part takes "?"
	},
	"G11": {
		{ref: "HTTP://h/", want: "http://h/", strict: "="},
		{ref: "1g:h", base: rfcBase, want: "!bad_scheme scheme@0", strict: "="},
	},
	"G12": {
		{ref: "http://h/100%", want: "http://h/100%25", strict: "!bad_escape path@12", flags: "stray_percent"},
		{ref: "http://h/%zz", want: "http://h/%25zz", strict: "!bad_escape"},
	},
	"G13": {
		{ref: " http://h/ ", want: "http://h/", strict: "!surrounding", flags: "trimmed"},
		{ref: "http://h/a b\tc", want: "http://h/a%20b%09c", strict: "!bad_path path@10"},
		{ref: `http://h/a\b`, want: "http://h/a%5Cb", strict: "!bad_path path@10", flags: "backslash_escaped"},
		{ref: `http://good.com\@evil.com/`, want: "!bad_authority", strict: "="},
		{ref: `/\evil.com`, base: rfcBase, want: "!bad_authority", strict: "="},
	},
	"G20": {{ref: "HTTP://EX.com/A", want: "http://ex.com/A", strict: "="}},
	"G21": {
		{ref: "https://h:0443/", want: "https://h/", strict: "="},
		{ref: "http://h:/", want: "http://h/", strict: "="},
		{ref: "http://h:08080/", want: "http://h:8080/", strict: "="},
		{ref: "ssh://h:22", want: "ssh://h/", strict: "="},
		{ref: "foo://h:/", want: "foo://h/", strict: "="},
		{ref: "foo://h:7/", want: "foo://h/", strict: "=", opts: normalize.Options{DefaultPorts: []normalize.DefaultPort{{Scheme: "foo", Port: 7}}}},
	},
	"G22": {
		{ref: "http://h/%7Ea%2D%41", want: "http://h/~a-A", strict: "="},
		{ref: "http://h/%21%2a%27%28%29?%21", want: "http://h/!*'()?!", strict: "="},
		{ref: "http://h/!*'()-_.~", want: "http://h/!*'()-_.~", strict: "="},
		{ref: "http://ex%21a/", want: "http://ex!a/", strict: "="},
		{ref: "http://h/%24%26%2B%2C%3B%3D", want: "http://h/%24%26%2B%2C%3B%3D", strict: "="},
	},
	"G23": {{ref: "http://h/%c3%a9", want: "http://h/%C3%A9", strict: "="}},
	"G24": {{ref: "http://h/%2F%0D%0A", want: "http://h/%2F%0D%0A", strict: "="}},
	"G25": {
		{ref: "http://h/ <>\"{}|^`", want: "http://h/%20%3C%3E%22%7B%7D%7C%5E%60", strict: "!bad_path path@9", flags: "escaped_illegal"},
		{ref: "http://h/a[b]?[c]#[d]", want: "http://h/a%5Bb%5D?%5Bc%5D#%5Bd%5D", strict: "!bad_path path@10"},
		{ref: "http://h/#a#b", want: "http://h/#a%23b", strict: "!bad_fragment"},
		{ref: "foo://a[b]/", want: "foo://a%5Bb%5D/", strict: "!bad_host host@7"},
	},
	"G26": {
		{ref: "http://h/%2541", want: "http://h/%2541", strict: "="},
		{ref: "http://h/%25%34%31", want: "http://h/%2541", strict: "="},
	},
	"G27": {
		{ref: "http://h/a/./b/../c", want: "http://h/a/./b/../c", strict: "="},
		{ref: "a:/..//b", want: "a:/..//b", strict: "=", flags: "-path_guarded"},
		{ref: "a:/.//b", want: "a:/.//b", strict: "=", flags: "path_guarded"},
		{ref: "../", base: "a:/.//b/c", want: "a:/.//", strict: "=", flags: "path_guarded"},
		{ref: "..//d", base: "a:/b/c", want: "a:/.//d", strict: "=", flags: "path_guarded"},
		{ref: "/x/%2e%2e/y", base: rfcBase, want: "http://a/x/../y", strict: "="},
		{ref: "%2e%2e/g", base: rfcBase, want: "http://a/b/g", strict: "="},
		{ref: "g", base: "http://h/a/../b/c", want: "http://h/b/g", strict: "="},
	},
	"G28": {
		{ref: "http://h", want: "http://h/", strict: "="},
		{ref: "foo://h", want: "foo://h", strict: "="},
		{ref: "foo://h?q", want: "foo://h?q", strict: "="},
		{ref: "http://h/?", want: "http://h/?", strict: "="},
	},
	"G29": {{ref: "http://h/?a=1%262+;%3d", want: "http://h/?a=1%262+;%3D", strict: "="}},
	"G40": {
		{ref: "g:h", base: rfcBase, want: "g:h", strict: "="},
		{ref: "?y", base: rfcBase, want: "http://a/b/c/?y", strict: "="},
		{ref: "?", base: rfcBase, want: "http://a/b/c/?", strict: "="},
		{ref: "../../../g", base: rfcBase, want: "http://a/../g", strict: "="},
		{ref: "../../../../g", base: rfcBase, want: "http://a/../../g", strict: "="},
		{ref: "/./g", base: rfcBase, want: "http://a/./g", strict: "="},
		{ref: "/../g", base: rfcBase, want: "http://a/../g", strict: "="},
		{ref: "..", base: rfcBase, want: "http://a/b/", strict: "="},
		{ref: "../..", base: rfcBase, want: "http://a/", strict: "="},
		{ref: "../../..", base: rfcBase, want: "http://a/..", strict: "="},
		{ref: ".", base: rfcBase, want: "http://a/b/c/", strict: "="},
		{ref: "./g/.", base: rfcBase, want: "http://a/b/c/g/", strict: "="},
		{ref: "g", base: "foo://h", want: "foo://h/g", strict: "="},
		{ref: "?y", base: "foo://h", want: "foo://h/?y", strict: "="},
		{ref: "g;x=1/../y", base: rfcBase, want: "http://a/b/c/y", strict: "="},
		{ref: "//g", base: rfcBase, want: "http://g/", strict: "="},
	},
	"G41": {
		{ref: "g?y/../x", base: rfcBase, want: "http://a/b/c/g?y/../x", strict: "="},
		{ref: "?/../x", base: rfcBase, want: "http://a/b/c/?/../x", strict: "="},
		{ref: "g", base: "http://a/b/c?d/e/f", want: "http://a/b/g", strict: "="},
	},
	"G42": {
		{ref: "g", base: "HTTP://A:80/x/y", want: "http://a/x/g", strict: "="},
		{ref: "g", base: "http://a b/", want: "!no_base", strict: "="},
	},
	"G43": {
		{ref: "g", want: "!no_base", strict: "="},
		{ref: "//g/h", want: "!no_base", strict: "="},
		{ref: "?q", want: "!no_base", strict: "="},
	},
	"G44": {
		{ref: "http:g", base: rfcBase, want: "http://a/b/c/g", strict: "!same_scheme", flags: "same_scheme"},
		{ref: "http:/g", base: rfcBase, want: "http://a/g", strict: "!same_scheme"},
		{ref: "http:?y", base: rfcBase, want: "http://a/b/c/?y", strict: "!same_scheme"},
		// Step 3 goes on with the steps below it: such a reference is none to the current document (step 2).
		{ref: "http:#s", base: rfcBase, want: "http://a/b/c/#s", strict: "!same_scheme"},
		{ref: "http:", base: rfcBase, want: "http://a/b/c/", strict: "!same_scheme"},
		{ref: "ftp:g", base: "ftp://a/b/c", want: "ftp:g", strict: "=", opts: normalize.Options{SameScheme: "keep"}},
		{ref: "http:g", base: rfcBase, want: "!no_host", strict: "=", opts: normalize.Options{SameScheme: "keep"}},
		{ref: "http:g", base: rfcBase, want: "!same_scheme", strict: "=", opts: normalize.Options{SameScheme: "reject"}},
		{ref: "file:/x", base: "file:///a/b", want: "file:/x", strict: "=", flags: "-same_scheme"},
	},
	"G45": {
		{ref: "#f", base: rfcBase, want: rfcBase + "#f", strict: "="},
		{ref: "", base: rfcBase, want: rfcBase, strict: "="},
		{ref: "", base: rfcBase + "#x", want: rfcBase, strict: "="},
		{ref: "#f", want: "!no_base", strict: "="},
		{ref: "", want: "!no_base", strict: "="},
		{ref: "#f", want: "!no_base", strict: "=", opts: normalize.Options{DefaultBase: "http://h/"}},
		{ref: "", base: "mailto:a@b", want: "mailto:a@b", strict: "="},
	},
	"G60": {
		{ref: "http://u:p@h/", want: "http://u:p@h/", strict: "=", flags: "userinfo password"},
		{ref: "foo://u:p@My_Reg/", want: "foo://u:p@My_Reg/", strict: "=", flags: "userinfo password"},
		{ref: "foo://u:p@My_Reg/", want: "foo://My_Reg/", strict: "=", opts: normalize.Options{Userinfo: "strip"}},
		{ref: "http://u:p@h/", want: "http://u@h/", strict: "=", flags: "password_stripped", opts: normalize.Options{Userinfo: "strip-password"}},
		{ref: "http://u@h/", want: "!userinfo_refused userinfo@7", strict: "=", opts: normalize.Options{Userinfo: "refuse"}},
	},
	"G61": {
		{ref: "http://h:25/", want: "http://h:25/", strict: "=", flags: "reserved_port"},
		{ref: "http://h:25/", want: "!bad_port", strict: "=", opts: normalize.Options{RefuseBadPorts: true}},
		{ref: "http://h:80/", want: "http://h/", strict: "=", flags: "-reserved_port"},
	},
	"G62": {{ref: "http://h/%0d%0A", want: "http://h/%0D%0A", strict: "=", flags: "escaped_control"}},
	"U01": {
		{ref: "http://h:8080/p?q#f", want: "http://h:8080/p?q#f", strict: "="},
		{ref: "mailto:u@h", want: "mailto:u@h", strict: "="},
		{ref: "data:text/plain,hello", want: "data:text/plain,hello", strict: "="},
		{ref: "file:///etc/x", want: "file:///etc/x", strict: "="},
		{ref: "file://localhost/etc/x", want: "file:///etc/x", strict: "="},
		{ref: "file:/etc/x", want: "file:/etc/x", strict: "="},
	},
	// RFC 2396 loses the page: the row holds in 3 and W.
	"U40": {{ref: "?query=new", base: tableBase, want: "https://example.com/a/b/?query=new", strict: "="}},
}

// checkOld is the body of a test of the profile rfc2396.
func checkOld(t *testing.T, id string) {
	t.Helper()
	if len(cases2396[id]) == 0 {
		t.Fatalf("no cases for %s", id)
	}
	for _, c := range cases2396[id] {
		for _, f := range c.failures(func(o normalize.Options) *normalize.Normalizer {
			o.Profile = "rfc2396"
			return newNormalizer(t, o)
		}) {
			t.Error(f)
		}
	}
}

// Every requirement of the profile has its lines; each is a test that bears its id.
func TestRFC2396_Requirements(t *testing.T) {
	for id, profiles := range readRequirementIDs(t) {
		if strings.Contains(profiles, "2") && id != "U60" && id != "U61" && len(cases2396[id]) == 0 {
			t.Errorf("%s has no lines for rfc2396", id)
		}
	}
	for id := range cases2396 {
		t.Run(id, func(t *testing.T) { checkOld(t, id) })
	}
}

// requirements2396 are the requirements whose lines must fail in rfc2396 when a rule is off, where
// they are not those of ruleRequirements.
var requirements2396 = map[string][]string{
	"decode_unreserved": {"G22"},
	"decode_host":       {"G22"},
	"idna":              {"G03"},
	"drop_localhost":    {"U01"},
	"resolve":           {"G40", "G41", "G42"},
	"check_host":        {"G08"},
	"check_grammar":     {"G12", "G25"},
	"flag_host":         {"G08"},
	"current_document":  {"G45"},
}

// Switching a rule off makes the lines of each of its requirements fail.
func TestMutation_RFC2396(t *testing.T) {
	for _, rule := range normalize.Rules() {
		if !slices.Contains(rule.Profiles, "rfc2396-1") {
			continue
		}
		ids := requirements2396[rule.Name]
		if ids == nil {
			ids = ruleRequirements[rule.Name]
		}
		if len(ids) == 0 {
			t.Errorf("rule %s belongs to no requirement", rule.Name)
		}
		checkCaught(t, rule, "rfc2396", ids, cases2396)
	}
}

// G45: the current document is the retrieval URI, whatever the base, and is told as such.
func TestG45_CurrentDocumentIsTheRetrievalURI(t *testing.T) {
	n := newNormalizer(t, normalize.Options{Profile: "rfc2396", DefaultBase: "http://default/"})
	for _, c := range []struct {
		embedded, entity, retrieval string // "-" is absent
		ref, want                   string
	}{
		{"http://e/x", "http://n/y", "http://r/z?q", "#f", "http://r/z?q#f"},
		{"http://e/x", "http://n/y", "http://r/z?q", "", "http://r/z?q"},
		{"http://e/x", "http://n/y", "http://r/z?q", "?p", "http://e/?p"},
		{"http://e/x", "http://n/y", "-", "#f", "!no_base reference@0"},
		{"http://e/x", "-", "http://[/", "#f", "!no_base reference@0"},
		{"mailto:a@b", "-", "http://r/z", "#f", "http://r/z#f"},
		{"-", "-", "z", "#f", "http://default/z#f"},
		{"#e", "-", "http://r/z", "g", "http://r/g"}, // the layer is a reference to the document too
	} {
		var base layers
		for i, text := range []string{c.embedded, c.entity, c.retrieval} {
			if text != "-" {
				base[i] = []byte(text)
			}
		}
		got, r := outcome(n, base, c.ref)
		if got != c.want || r.Reason == normalize.OK && uriIsCurrent(c.ref) && r.BaseUsed != normalize.BaseRetrieval {
			t.Errorf("%+v: got %s by %v, want %s", c, got, r.BaseUsed, c.want)
		}
		e := n.Explain(base[0], base[1], base[2], []byte(c.ref), normalize.ExplainOptions{})
		if r.Reason == normalize.OK && uriIsCurrent(c.ref) && e.Base+c.ref != c.want {
			t.Errorf("%+v: explained by the base %s", c, e.Base)
		}
	}
}

func uriIsCurrent(ref string) bool { return ref == "" || ref[0] == '#' }

// G42: all sixteen combinations of layers, as in the other profiles.
func TestG42_RFC2396SixteenCombinations(t *testing.T) { checkSixteenCombinations(t, old) }

// Appendix C and Fielding's further pages, through the Normalizer: internal/conformance holds the
// steps by the letter. The cells of references to the current document hold no URI; the document is
// the base there.
func TestRFC2396_Corpora(t *testing.T) {
	o := old
	o.SameScheme = "keep"
	n := newNormalizer(t, o)
	for _, name := range []string{"rfc2396-appC", "rfc2396-fielding"} {
		for _, c := range readCorpus(t, name) {
			want := strings.Replace(*c.Expected, "(current document)", *c.Base, 1)
			if got, r := outcome(n, retrieval(*c.Base), c.Input); got != want && r.Reason == normalize.OK && !sameBut623(got, want) {
				t.Errorf("%s: %q on %q: got %s, want %s", c.ID, c.Input, *c.Base, got, want)
			}
		}
	}
}

// sameBut623 reports whether a result is the one wanted but for the "/" of an empty path.
func sameBut623(got, want string) bool { return strings.TrimSuffix(got, "/") == want }
