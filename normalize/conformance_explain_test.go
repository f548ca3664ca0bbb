package normalize_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/normalize/uri"
)

// explain is Explain on strings, with passwords shown.
func explain(n *normalize.Normalizer, base layers, ref string) normalize.Explanation {
	return n.Explain(base[0], base[1], base[2], []byte(ref), normalize.ExplainOptions{ShowSecrets: true})
}

// everyCase calls f with each line of the tables of the RFCs' profiles, and with random references,
// repairing and strict.
func everyCase(t *testing.T, f func(n *normalize.Normalizer, base layers, c reqCase)) {
	t.Helper()
	for profile, table := range map[string]map[string][]reqCase{"rfc3986": requirementCases(), "rfc2396": cases2396} {
		for _, cases := range table {
			for _, c := range cases {
				for _, strict := range []bool{false, true} {
					c.opts.Strict, c.opts.Profile = strict, profile
					f(newNormalizer(t, c.opts), retrieval(c.base), c)
				}
			}
		}
		r := rand.New(rand.NewPCG(6, 0))
		for i, o := range everyPolicy {
			o.Strict, o.Profile = i%2 == 1, profile
			n := newNormalizer(t, o)
			for range 2_000 {
				c := reqCase{ref: randomReference(r), base: randomBases[r.IntN(len(randomBases))], opts: o}
				f(n, retrieval(c.base), c)
			}
		}
	}
}

// U60: what Explain tells is what Append does.
func TestU60_ExplainTellsWhatAppendDoes(t *testing.T) {
	everyCase(t, func(n *normalize.Normalizer, base layers, c reqCase) {
		want, r := outcome(n, base, c.ref)
		e := explain(n, base, c.ref)
		got := e.URL
		if e.Fragment != nil {
			got += "#" + *e.Fragment
		}
		if e.Reason != normalize.OK {
			got = fmt.Sprintf("!%s %s@%d", e.Reason, e.Component, e.At)
		}
		if got != want || e.Changed != r.Changed || e.Flags != r.Flags || e.BaseUsed != r.BaseUsed {
			t.Errorf("%v strict %v: explained as %s changed %v flags %v base %v, but it is %s changed %v flags %v base %v", c, c.opts.Strict,
				got, e.Changed.Names(), e.Flags.Names(), e.BaseUsed, want, r.Changed.Names(), r.Flags.Names(), r.BaseUsed)
		}
	})
}

// U60: every component is named once, in order; its span is where it stands in the reference, and
// what it became adds up to the URI.
func TestU60_ComponentsHaveSpansAndAddUp(t *testing.T) {
	names := []string{"scheme", "userinfo", "host", "port", "path", "query", "fragment"}
	everyCase(t, func(n *normalize.Normalizer, base layers, c reqCase) {
		e := explain(n, base, c.ref)
		var got []string
		for _, part := range e.Components {
			got = append(got, part.Component.String())
			if part.Present && (part.Start > part.End || part.End > len(c.ref) || c.ref[part.Start:part.End] != part.Before) {
				t.Errorf("%v: %s %q is not at [%d, %d)", c, part.Component, part.Before, part.Start, part.End)
			}
		}
		if !slices.Equal(got, names) {
			t.Errorf("%v: components %v, want %v", c, got, names)
		}
		if e.Reason != normalize.OK {
			return
		}
		want := e.URL
		if e.Fragment != nil {
			want += "#" + *e.Fragment
		}
		if sum := addUp(e.Components, uri.Split([]byte(want)).HasAuthority()); sum != want {
			t.Errorf("%v: the components add up to %q, want %q", c, sum, want)
		}
	})
}

// addUp is RFC 3986 section 5.3 on what components became.
func addUp(parts []normalize.ComponentExplanation, authority bool) string {
	colon := ":"
	if authority {
		colon = "://"
	}
	before := map[normalize.Component]string{normalize.ComponentPort: ":", normalize.ComponentQuery: "?", normalize.ComponentFragment: "#"}
	after := map[normalize.Component]string{normalize.ComponentScheme: colon, normalize.ComponentUserinfo: "@"}
	s := ""
	for _, part := range parts {
		if part.Kept {
			s += before[part.Component] + part.After + after[part.Component]
		}
	}
	return s
}

// U60: each rule that changed something has a step that says so, with its section.
func TestU60_EveryChangeHasAStep(t *testing.T) {
	type ruleOf struct {
		profile string
		bit     normalize.RuleSet
	}
	rules := map[ruleOf]normalize.RuleInfo{}
	for _, p := range normalize.Profiles() {
		for _, rule := range normalize.RulesOf(p.Name) {
			rules[ruleOf{p.Family, rule.Bit}] = rule
		}
	}
	everyCase(t, func(n *normalize.Normalizer, base layers, c reqCase) {
		e := explain(n, base, c.ref)
		if e.Reason != normalize.OK {
			return
		}
		var told normalize.RuleSet
		for _, step := range e.Steps {
			rule := rules[ruleOf{c.opts.Profile, step.Rule}]
			if step.Name != rule.Name || step.Section != rule.Section || step.Section == "" {
				t.Errorf("%v: step %+v is not rule %+v", c, step, rule)
			}
			if rule.Changes {
				told |= step.Rule
				if step.Before == step.After {
					t.Errorf("%v: %s changed nothing: %q", c, step.Name, step.Before)
				}
			}
		}
		if told != e.Changed {
			t.Errorf("%v: steps tell of %v, changed are %v", c, told.Names(), e.Changed.Names())
		}
	})
}

// U60: the example of the specification, read as a person does.
func TestU60_ComponentsOfTheSpecification(t *testing.T) {
	e := explain(newNormalizer(t, normalize.Options{}), layers{}, "https://www.example.com:8080/docs/guide?page=1&sort=name#section-2")
	want := []string{"https", "", "www.example.com", "8080", "/docs/guide", "page=1&sort=name", "section-2"}
	for i, part := range e.Components {
		if part.Before != want[i] || part.After != want[i] || part.Present != (want[i] != "") {
			t.Errorf("%s: %+v, want %q", part.Component, part, want[i])
		}
	}
}

// G60, U60: a password is not in an explanation unless asked for, wherever it stands.
func TestG60_ExplainHidesPasswords(t *testing.T) {
	const secret = "s3cret"
	for _, c := range []struct{ base, ref string }{
		{"", "http://u:s3cret@h/"},
		{"", "http://u:s3cret@h:99999/"},
		{"", "http://u:s3cret@exa mple/"},
		{"", "http://u:a@s3cret@h/"},
		{"", "http://u:s3cret@x@h/"},
		{"", "http://u:s3cret@/"},
		{"", "  http://u:s3cret@h/  "},
		{"", "HTTP://u:a:s3cret@H:80"},
		{"", "//u:s3cret@h/"},
		{"http://a/", "//u:s3cret@h/"},
		{"http://u:s3cret@h/", "g"},
		{"http://u:s3cret@h h/", "g"},
		{"http://u:s3cret@h/", "mailto:x"},
		{"", "foo://u:s3cret@h/"},
		{"", "http://u:s3%63ret@h/"},
	} {
		for _, strict := range []bool{false, true} {
			for _, policy := range []string{"keep", "strip-password", "strip", "refuse"} {
				n := newNormalizer(t, normalize.Options{Strict: strict, Userinfo: policy})
				l := retrieval(c.base)
				e := n.Explain(l[0], l[1], l[2], []byte(c.ref), normalize.ExplainOptions{})
				told := fmt.Sprintf("%+v", e)
				if e.Fragment != nil {
					told += *e.Fragment
				}
				if strings.Contains(told, secret) || strings.Contains(told, "s3%63ret") {
					t.Errorf("%q on %q, strict %v, userinfo %s: the password is in %s", c.ref, c.base, strict, policy, told)
				}
			}
		}
	}
}

// G60: browsers see an authority behind any number of slashes of either kind; what stands there is
// masked under every profile, since it is the same text that is told.
func TestG60_ExplainHidesPasswordsOfHiddenAuthorities(t *testing.T) {
	for _, ref := range []string{
		"http:u:s3cret@h/",
		"http:u:s3cret@h//x@y",
		"http:/u:s3cret@h/",
		"http:/u:s3cret@h//x@y",
		"http:///u:s3cret@h/",
		"HTTP:////u:s3cret@h/",
		`http:\\u:s3cret@h/`,
		`http:\u:s3cret@h//x@y`,
		`http:/\\u:s3cret@h/`,
		`\\u:s3cret@h/`,
		"http:/\t/u:s3cret@h/",
		"ftp:/u:s3cret@h:99999/",
		"ftp:/u:s3cret@h/%7e/../",
	} {
		for _, profile := range normalize.Profiles() {
			n := newNormalizer(t, normalize.Options{Profile: profile.Name})
			e := n.Explain(nil, nil, nil, []byte(ref), normalize.ExplainOptions{})
			if told := fmt.Sprintf("%+v", e); strings.Contains(told, "s3cret") {
				t.Errorf("%s: %q: the password is in %s", profile.Name, ref, told)
			}
		}
	}
}

// U61: the tables of the specification are in the program's own.
func TestU61_TablesOfTheSpecification(t *testing.T) {
	ports := map[string]uint16{"http": 80, "https": 443, "ftp": 21, "ssh": 22, "ws": 80, "wss": 443}
	n := newNormalizer(t, normalize.Options{})
	for _, p := range normalize.DefaultPorts("rfc3986") {
		delete(ports, p.Scheme)
		got, _ := n.Append(nil, nil, fmt.Appendf(nil, "%s://h:%d/", p.Scheme, p.Port))
		if string(got) != p.Scheme+"://h/" {
			t.Errorf("%s has default port %d, but got %s", p.Scheme, p.Port, got)
		}
	}
	if len(ports) > 0 {
		t.Errorf("default ports lack %v", ports)
	}
	escaped := map[byte]string{':': "%3A", '/': "%2F", '?': "%3F", '#': "%23", '&': "%26", '=': "%3D", '@': "%40", '[': "%5B", ']': "%5D"}
	chars := ""
	for _, r := range normalize.ReservedCharacters("rfc3986") {
		if want, ok := escaped[r.Char]; ok && want != r.Escaped || r.Purpose == "" || r.Escaped != fmt.Sprintf("%%%02X", r.Char) {
			t.Errorf("reserved character %+v, want escape %s", r, want)
		}
		delete(escaped, r.Char)
		chars += string(r.Char)
		got, _ := n.Append(nil, nil, []byte("http://h/"+strings.ToLower(r.Escaped)))
		if string(got) != "http://h/"+r.Escaped {
			t.Errorf("%c is reserved, but its escape became %s", r.Char, got)
		}
	}
	if len(escaped) > 0 {
		t.Errorf("reserved characters lack %v", escaped)
	}
	for c := range byte(128) {
		if want := strings.IndexByte(":/?#[]@"+subDelims, c) >= 0; want != (strings.IndexByte(chars, c) >= 0) {
			t.Errorf("%q: reserved %v by RFC 3986 section 2.2", c, want)
		}
	}
}

// U61: the example of every rule is true: the rule acts on it, and refuses or tells what it says.
func TestU61_ExamplesOfRulesAreTrue(t *testing.T) {
	options := map[string]normalize.Options{
		"strip_password":     {Userinfo: "strip-password"},
		"strip_userinfo":     {Userinfo: "strip"},
		"refuse_userinfo":    {Userinfo: "refuse"},
		"refuse_bad_port":    {RefuseBadPorts: true},
		"reject_same_scheme": {SameScheme: "reject"},
		"check_grammar":      {Strict: true},
	}
	bases := map[string]string{
		"strip_same_scheme": rfcBase, "reject_same_scheme": rfcBase, "resolve": rfcBase, "opaque_base": "mailto:a@b", "current_document": rfcBase,
		"guard_path": "a:/b/c",
	}
	for _, profile := range []string{"rfc3986", "rfc2396"} {
		for _, rule := range normalize.RulesOf(profile) {
			o := options[rule.Name]
			o.Profile = profile
			got, r := outcome(newNormalizer(t, o), retrieval(bases[rule.Name]), rule.Before)
			shows := got == rule.After || rule.Name == "strip_same_scheme" // whose example is the reference that is then resolved
			switch {
			case rule.Doc == "" || rule.Section == "" || !slices.Contains([]string{"syntax", "scheme", "policy"}, rule.Class):
				t.Errorf("%s: %s is not described: %+v", profile, rule.Name, rule)
			case rule.Changes && (r.Changed&rule.Bit == 0 || !shows):
				t.Errorf("%s: %s on %q: got %s, changed %v, want %s", profile, rule.Name, rule.Before, got, r.Changed.Names(), rule.After)
			case !rule.Changes && !agrees(got, "!"+rule.After) && !slices.Contains(r.Flags.Names(), rule.After):
				t.Errorf("%s: %s on %q: got %s, flags %v, want %s", profile, rule.Name, rule.Before, got, r.Flags.Names(), rule.After)
			}
		}
	}
}

// U61: the example of every flag has the flag.
func TestU61_ExamplesOfFlagsAreTrue(t *testing.T) {
	options := map[string]normalize.Options{
		"userinfo_stripped": {Userinfo: "strip"},
		"password_stripped": {Userinfo: "strip-password"},
	}
	bases := map[string]layers{
		"same_scheme":  retrieval(rfcBase),
		"base_skipped": {[]byte("http://a b/"), nil, []byte("http://a/")},
	}
	for _, flag := range normalize.FlagInfos() {
		if flag.Family != "" {
			continue // of another profile, whose tests have it
		}
		o := options[flag.Name]
		o.TrapFlags = true
		got, r := outcome(newNormalizer(t, o), bases[flag.Name], flag.Example)
		if r.Flags&flag.Bit == 0 || flag.Doc == "" {
			t.Errorf("%s: %q gave %s with flags %v", flag.Name, flag.Example, got, r.Flags.Names())
		}
	}
}
