package normalize_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/urisieve/urisieve/normalize"
)

// reqCase is one line of a requirement's table. It serves the test that bears the requirement's
// id and the mutation test, which runs the same line with a rule switched off.
//
// want and strict are what Append gives, repairing and strict: the appended text (url, then "#"
// and fragment), or "!" and the reason, and then, where the case is about the place,
// " component@offset". strict "=" is the same as want; "" is not tried. flags are names that
// must be set ("-name": must not) when repairing, separated by spaces.
type reqCase struct {
	ref, base    string
	want, strict string
	flags        string
	opts         normalize.Options
}

func (c reqCase) String() string {
	name := strconv.Quote(c.ref)
	if c.base != "" {
		name += " on " + strconv.Quote(c.base)
	}
	if c.opts.SameScheme != "" {
		name += " same_scheme=" + c.opts.SameScheme
	}
	if c.opts.Userinfo != "" {
		name += " userinfo=" + c.opts.Userinfo
	}
	return name
}

// layers are base URIs, innermost first; nil is absent.
type layers [3][]byte

func retrieval(base string) layers {
	if base == "" {
		return layers{}
	}
	return layers{2: []byte(base)}
}

// newNormalizer makes a normalizer whose options must be right.
func newNormalizer(t testing.TB, o normalize.Options) *normalize.Normalizer {
	t.Helper()
	n, err := normalize.New(o)
	if err != nil {
		t.Fatalf("New(%+v): %v", o, err)
	}
	return n
}

// outcome is the text that want and strict are held against.
func outcome(n *normalize.Normalizer, base layers, ref string) (string, normalize.Result) {
	var b normalize.Base
	n.SetBase(&b, base[0], base[1], base[2])
	out, r := n.Append(nil, &b, []byte(ref))
	if r.Reason != normalize.OK {
		return fmt.Sprintf("!%s %s@%d", r.Reason, r.Component, r.At), r
	}
	return string(out), r
}

// agrees reports whether an outcome is the one wanted; a reason may be wanted without its place.
func agrees(got, want string) bool {
	if strings.HasPrefix(want, "!") && !strings.Contains(want, " ") {
		got, _, _ = strings.Cut(got, " ")
	}
	return got == want
}

// failures runs a case on the normalizers that make builds and says what went wrong.
func (c reqCase) failures(build func(normalize.Options) *normalize.Normalizer) []string {
	var wrong []string
	got, r := outcome(build(c.opts), retrieval(c.base), c.ref)
	if !agrees(got, c.want) {
		wrong = append(wrong, fmt.Sprintf("repair %v: got %s, want %s", c, got, c.want))
	}
	set := r.Flags.Names()
	for f := range strings.FieldsSeq(c.flags) {
		name, not := strings.CutPrefix(f, "-")
		if slices.Contains(set, name) == not {
			wrong = append(wrong, fmt.Sprintf("repair %v: flags %v, want %s", c, set, f))
		}
	}
	if c.strict == "" {
		return wrong
	}
	want := c.strict
	if want == "=" {
		want = c.want
	}
	o := c.opts
	o.Strict = true
	if got, _ := outcome(build(o), retrieval(c.base), c.ref); !agrees(got, want) {
		wrong = append(wrong, fmt.Sprintf("strict %v: got %s, want %s", c, got, want))
	}
	return wrong
}

// checkCases is the body of the test that bears a requirement's id.
func checkCases(t *testing.T, id string) {
	t.Helper()
	cases := requirementCases()[id]
	if len(cases) == 0 {
		t.Fatalf("no cases for %s", id)
	}
	for _, c := range cases {
		for _, f := range c.failures(func(o normalize.Options) *normalize.Normalizer { return newNormalizer(t, o) }) {
			t.Error(f)
		}
	}
}

// requirementCases are the tables by requirement id.
func requirementCases() map[string][]reqCase {
	all := map[string][]reqCase{}
	for _, tables := range []map[string][]reqCase{syntaxCases, grammarCases, normalCases, resolutionCases, securityCases} {
		for id, cases := range tables {
			all[id] = append(all[id], cases...)
		}
	}
	return all
}
