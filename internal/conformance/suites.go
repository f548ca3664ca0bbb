package main

import (
	"strings"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/normalize/keyrule"
	"github.com/urisieve/urisieve/normalize/uri"
	"github.com/urisieve/urisieve/normalize/uts46"
)

// suite is a row of the matrix: cases of one file that are held against the program in one way.
type suite struct {
	file    string
	profile string // the cases with this profile; "" is any. A trailing "*" is any end.
	op      string // and this op
	how     string // the profile and the rules, for a person to read
	// run gives what the program makes of a case and what the case wants. The two have the same
	// text around them, where the case is about a component alone.
	run func(l *layers, c testCase) (got, want answer)
	// isForm says that what is compared can't be asked about again: it is no URI.
	isForm bool
}

// holds reports whether the suite takes the case.
func (s suite) holds(c testCase) bool {
	prefix, open := strings.CutSuffix(s.profile, "*")
	return (s.profile == "" || s.profile == c.Profile || open && strings.HasPrefix(c.Profile, prefix)) &&
		(s.op == "" || s.op == c.Op)
}

var (
	rfc2396 = normalize.Options{Profile: "rfc2396"}
	rfc3986 = normalize.Options{}
	strict  = normalize.Options{Strict: true}
	whatwg  = normalize.Options{Profile: "whatwg"}
)

// withKey are options with key rules.
func withKey(o normalize.Options, rules ...string) normalize.Options {
	o.Key = keyrule.Options{Rules: rules}
	return o
}

// suites are the rows of the matrix. The first suite that holds a case runs it.
func suites() []suite {
	var all []suite
	for _, list := range [][]suite{standardSuites(), safeBrowsingSuites(), surtSuites(), urlcanonSuites(), toolSuites()} {
		all = append(all, list...)
	}
	return all
}

const (
	literal2396 = "RFC 2396 section 5.2 by the letter"
	literal3986 = "RFC 3986 section 5.2 by the letter"
	repairing   = "rfc3986"
)

// standardSuites are the files that were made against a standard.
func standardSuites() []suite {
	return []suite{
		{"wpt-urltestdata", "", "parse", "whatwg", parse, false},
		{"wpt-setters", "", "", "not applicable: nothing here sets a part of a URL. Held instead: what a setter leaves is an href of whatwg", hrefIsKept, true},
		{"rfc2396-appC", "", "resolve", literal2396 + "; the current document by the profile rfc2396", resolve2396, false},
		{"rfc2396-fielding", "", "resolve", literal2396, resolve2396, false},
		{"rfc3986-5.4", "", "resolve", literal3986, resolve, false},
		{"rfc3986-6.2", "", "remove_dot_segments", "RFC 3986 section 5.2.4 by the letter", removeDots, false},
		{"rfc3986-6.2", "", "", repairing, canonical, false},
		{"uriparser-foursuite", "", "resolve", literal3986, resolve, false},
		{"network-uri", "", "validate", "rfc3986, strict", validate, false},
		{"network-uri", "", "resolve", literal3986, resolve, false},
		{"network-uri", "", "", repairing, canonical, false},
		{"iri-string", "", "resolve", literal3986, resolve, false},
		{"iri-string", "", "", repairing, untouched, false},
		{"py-rfc3986", "", "remove_dot_segments", "RFC 3986 section 5.2.4 by the letter", removeDots, false},
		{"py-rfc3986", "", "iri-to-uri", repairing, canonical, false},
		{"py-rfc3986", "", "normalize-authority", "rfc3986, the authority alone", inAuthority, false},
		{"py-rfc3986", "", "normalize-host", "rfc3986, the host alone", inAuthority, false},
		{"py-rfc3986", "", "", "rfc3986, the path alone", inPath, false},
		{"go-net-url", "", "resolve", literal3986, resolve, false},
		{"cpython-urljoin", "", "resolve", literal3986, resolve, false},
		{"punycode", "", "punycode-encode", "a label through UTS 46", punycode, true},
	}
}

func parse(l *layers, c testCase) (got, want answer) {
	return l.url(whatwg, c.Base, c.Input), c.expected()
}

func hrefIsKept(l *layers, c testCase) (got, want answer) {
	return l.url(whatwg, nil, c.expected().text), c.expected()
}

func resolve(_ *layers, c testCase) (got, want answer) {
	return resolved(uri.AppendResolved, c), c.expected()
}

// resolve2396 resolves by the seven steps. A reference to the current document is none of theirs:
// the profile answers it. Two cells of appendix C hold no URI there but "(current document)", which
// is the base.
func resolve2396(l *layers, c testCase) (got, want answer) {
	want = c.expected()
	if c.Base != nil {
		want.text = strings.Replace(want.text, "(current document)", *c.Base, 1)
	}
	if ref := []byte(c.Input); uri.IsCurrentDocument(ref, uri.Split(ref)) {
		return l.url(rfc2396, c.Base, c.Input), want
	}
	return resolved(uri.AppendResolved2396, c), want
}

func removeDots(_ *layers, c testCase) (got, want answer) {
	return text(string(uri.AppendRemoveDots(nil, []byte(c.Input)))), c.expected()
}

// validate asks whether a reference is in the grammar. Relative ones are (section 4.1), so they get
// a base, of a scheme without rules of its own.
func validate(l *layers, c testCase) (got, want answer) {
	base := "foo://base/"
	got = l.url(strict, &base, c.Input)
	if !got.refused {
		got = text(c.Input)
	}
	return got, c.expected()
}

func canonical(l *layers, c testCase) (got, want answer) {
	return alone(c, func(base *string, ref string) answer { return l.url(rfc3986, base, ref) })
}

// alone runs a case. Where a tool normalizes relative references as they are, they get a URI around
// them, on both sides: "a/../b" becomes "http://h/a/../b".
func alone(c testCase, run func(base *string, ref string) answer) (got, want answer) {
	before := ""
	switch want := c.expected().text; {
	case c.Base != nil || hasScheme(c.Input) || c.Input == "" || hasScheme(want):
	case strings.HasPrefix(c.Input, "//") && strings.HasPrefix(want, "//"):
		before = "http:"
	case strings.HasPrefix(c.Input, "//"):
	case strings.HasPrefix(c.Input, "/") && strings.HasPrefix(want, "/"):
		before = "http://h"
	case !strings.HasPrefix(c.Input, "/"):
		before = "http://h/"
	}
	return run(c.Base, before+c.Input), c.expected().within(before, "")
}

// untouched is canonical for a tool that leaves the dot segments of relative references: they are
// taken as those of a URI without an authority.
func untouched(l *layers, c testCase) (got, want answer) {
	before := ""
	if c.Base == nil && !hasScheme(c.Input) {
		before = "scheme:"
	}
	return l.url(rfc3986, c.Base, before+c.Input), c.expected().within(before, "")
}

func inAuthority(l *layers, c testCase) (got, want answer) {
	return l.url(rfc3986, nil, "http://"+c.Input+"/"), c.expected().within("http://", "/")
}

func inPath(l *layers, c testCase) (got, want answer) {
	return l.url(rfc3986, nil, "http://h/"+c.Input), c.expected().within("http://h/", "")
}

// punycode encodes as a part of UTS 46, which folds case first: what is wanted is folded, too.
// Labels of ASCII alone are not encoded there.
func punycode(l *layers, c testCase) (got, want answer) {
	out, r := l.idna.AppendASCII(nil, []byte(c.Input))
	if r.Fault != uts46.NoFault {
		return answer{refused: true, reason: r.Fault.String()}, c.expected()
	}
	return text(string(out)), text("xn--" + strings.ToLower(c.expected().text))
}
