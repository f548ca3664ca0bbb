package normalize_test

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/normalize/keyrule"
)

// The golden file of a released profile never changes but by new lines at its end: what a profile
// makes of a reference is a database key of somebody's. -update adds the lines that are missing
// and refuses to change one that is there.
var update = flag.Bool("update", false, "add missing lines to the golden files")

// golden is a released profile and what holds it.
type golden struct {
	profile string
	modes   []string        // "repair", and "strict" where the profile has it
	flags   normalize.Flags // those that it was released with: later flags tell more, what these told must not change
	cases   func() map[string][]reqCase
}

var goldens = []golden{
	{"rfc3986-1", []string{"repair", "strict"}, normalize.FlagControlEscaped<<1 - 1, requirementCases},
	{"rfc2396-1", []string{"repair", "strict"}, normalize.FlagControlEscaped<<1 - 1, func() map[string][]reqCase { return cases2396 }},
	{"whatwg-2026-06", []string{"repair"}, normalize.FlagDriveLetterHost<<1 - 1, func() map[string][]reqCase { return casesWeb }},
}

func (g golden) file() string { return "testdata/golden/" + g.profile + ".txt" }

const goldenHead = `# What the profile %s makes of references. Lines are added at the end and never change.
# Fields, between tabs, texts quoted as in Go: mode, retrieval URI, reference, and what becomes of
# them: url, fragment, reason (with component and offset), base used, flags, changed.
`

// goldenKey is what a line is about, line all of it.
func goldenKey(mode, base, ref string) string {
	return strings.Join([]string{mode, strconv.QuoteToASCII(base), strconv.QuoteToASCII(ref)}, "\t")
}

func (g golden) line(t *testing.T, mode, base, ref string) string {
	n := newNormalizer(t, normalize.Options{Profile: g.profile, Strict: mode == "strict"})
	var b normalize.Base
	l := retrieval(base)
	n.SetBase(&b, l[0], l[1], l[2])
	out, r := n.Append(nil, &b, []byte(ref))
	url, fragment, reason := "-", "-", r.Reason.String()
	if r.Reason == normalize.OK {
		url = strconv.QuoteToASCII(string(out[:r.Parts.URLEnd(len(out))]))
		if r.Parts.HasFragment() {
			fragment = strconv.QuoteToASCII(string(r.Parts.Fragment(out)))
		}
	} else {
		reason = fmt.Sprintf("%s %s@%d", r.Reason, r.Component, r.At)
	}
	return strings.Join([]string{
		goldenKey(mode, base, ref), url, fragment, reason, orDash(r.BaseUsed.String()),
		orDash(string((r.Flags & g.flags).AppendNames(nil, ' '))), orDash(string(r.Changed.AppendNames(nil, ' '))),
	}, "\t")
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// inputs are the references that the file must have: those of the profile's tables, the inputs on
// which the standards disagree, and the seeds of the fuzz targets on every base.
func (g golden) inputs() [][3]string {
	var inputs [][3]string
	add := func(base, ref string) {
		for _, mode := range g.modes {
			inputs = append(inputs, [3]string{mode, base, ref})
		}
	}
	cases := g.cases()
	for _, id := range slices.Sorted(maps.Keys(cases)) {
		for _, c := range cases[id] {
			if len(c.ref) < 300 {
				add(c.base, c.ref)
			}
		}
	}
	for i, ref := range seeds {
		add(everyBase[i%len(everyBase)], ref)
		add("", ref)
	}
	for _, c := range standards {
		add(c.base, c.ref)
	}
	return inputs
}

// TestGolden_ProfileIsFrozen: every line of the golden files still holds, and every input of the
// tables has its line.
func TestGolden_ProfileIsFrozen(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.profile, func(t *testing.T) { g.check(t) })
	}
}

func (g golden) check(t *testing.T) {
	text, err := os.ReadFile(g.file())
	if err != nil && !(*update && os.IsNotExist(err)) {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.SplitN(line, "\t", 4)
		if len(fields) < 4 {
			t.Fatalf("%s:%d: %d fields", g.file(), i+1, len(fields))
		}
		base, err1 := strconv.Unquote(fields[1])
		ref, err2 := strconv.Unquote(fields[2])
		if err1 != nil || err2 != nil {
			t.Fatalf("%s:%d: bad quotes", g.file(), i+1)
		}
		if got := g.line(t, fields[0], base, ref); got != line {
			t.Errorf("%s:%d: a released profile must not change: now\n%s\nwas\n%s", g.file(), i+1, got, line)
		}
		have[strings.Join(fields[:3], "\t")] = true
	}
	var missing bytes.Buffer
	for _, in := range g.inputs() {
		if key := goldenKey(in[0], in[1], in[2]); !have[key] {
			have[key] = true
			missing.WriteString(g.line(t, in[0], in[1], in[2]) + "\n")
		}
	}
	switch {
	case missing.Len() == 0 || t.Failed():
	case !*update:
		t.Errorf("%s lacks %d lines: go test ./normalize -run Golden -update\n%.2000s", g.file(), bytes.Count(missing.Bytes(), []byte("\n")), missing.Bytes())
	default:
		if len(text) == 0 {
			text = fmt.Appendf(nil, goldenHead, g.profile)
		}
		if err := os.MkdirAll(filepath.Dir(g.file()), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(g.file(), append(text, missing.Bytes()...), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A released profile has its golden file, and is listed.
func TestGolden_EveryProfileHasOne(t *testing.T) {
	for _, p := range normalize.Profiles() {
		if !slices.ContainsFunc(goldens, func(g golden) bool { return g.profile == p.Name }) {
			t.Errorf("%s has no golden file", p.Name)
		}
	}
}

// The settings id is part of other people's databases too.
func TestGolden_SettingsIDs(t *testing.T) {
	for _, c := range []struct {
		options normalize.Options
		want    string
	}{
		{normalize.Options{}, "rfc3986-1.u17+b1e7c6c5"},
		{normalize.Options{Profile: "rfc3986"}, "rfc3986-1.u17+b1e7c6c5"},
		{normalize.Options{Profile: "rfc3986-1", SameScheme: "strip", Userinfo: "keep", MaxURIBytes: 99, DefaultBase: "http://h/"}, "rfc3986-1.u17+b1e7c6c5"},
		{normalize.Options{DefaultPorts: []normalize.DefaultPort{{Scheme: "HTTP", Port: 80}}}, "rfc3986-1.u17+b1e7c6c5"},
		{normalize.Options{Strict: true}, "rfc3986-1.u17+aa1d9bed"},
		{normalize.Options{Strict: true, SameScheme: "strip"}, "rfc3986-1.u17+40e729e3"},
		{normalize.Options{SameScheme: "reject"}, "rfc3986-1.u17+25f800a7"},
		{normalize.Options{SameScheme: "keep"}, "rfc3986-1.u17+da339e51"},
		{normalize.Options{Userinfo: "strip-password"}, "rfc3986-1.u17+0ba1f693"},
		{normalize.Options{Userinfo: "strip"}, "rfc3986-1.u17+fad50c3a"},
		{normalize.Options{Userinfo: "refuse"}, "rfc3986-1.u17+5843e763"},
		{normalize.Options{RefuseBadPorts: true}, "rfc3986-1.u17+a4b384b8"},
		{normalize.Options{Profile: "rfc2396"}, "rfc2396-1.u17+b1e7c6c5"},
		{normalize.Options{Profile: "whatwg"}, "whatwg-2026-06.u17+0623dad2"},
		{normalize.Options{Profile: "whatwg", Encoding: " UTF8 "}, "whatwg-2026-06.u17+0623dad2"},
		{normalize.Options{Profile: "whatwg", Encoding: "utf-16"}, "whatwg-2026-06.u17+0623dad2"},
		{normalize.Options{DefaultPorts: []normalize.DefaultPort{{Scheme: "b", Port: 2}, {Scheme: "A", Port: 1}, {Scheme: "a", Port: 1}}}, "rfc3986-1.u17+ac8f7047"},
	} {
		if got := newNormalizer(t, c.options).SettingsID(); got != c.want {
			t.Errorf("%+v: %s, want %s", c.options, got, c.want)
		}
	}
}

// TestGolden_Keys: keys are frozen with their profile: under each preset, and under all rules at once.
func TestGolden_Keys(t *testing.T) {
	const file = "testdata/golden/keys.txt"
	want := "# The keys of references: profile, rules, reference, key (quoted as in Go). Lines never change.\n"
	var all []string
	for _, info := range keyrule.Infos() {
		if info.Bit != keyrule.GSB {
			all = append(all, info.Name)
		}
	}
	for _, g := range goldens {
		for _, rules := range []struct {
			name    string
			options normalize.Options
		}{
			{"crawl", normalize.Options{Key: keyrule.Options{Preset: "crawl"}}},
			{"surt", normalize.Options{Key: keyrule.Options{Preset: "surt"}}},
			{"gsb", normalize.Options{Key: keyrule.Options{Preset: "gsb"}}},
			{"all", withRules(all...)},
		} {
			rules.options.Profile = g.profile
			n := newNormalizer(t, rules.options)
			for _, ref := range keyReferences {
				_, key, _ := keyOf(n, ref)
				want += g.profile + "\t" + rules.name + "\t" + strconv.QuoteToASCII(ref) + "\t" + strconv.QuoteToASCII(key) + "\n"
			}
		}
	}
	got, err := os.ReadFile(file)
	if os.IsNotExist(err) && *update {
		got, err = []byte(want), os.WriteFile(file, []byte(want), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(want, "\n")
	for line := range strings.SplitSeq(string(got), "\n") {
		if !slices.Contains(lines, line) {
			t.Errorf("a key of a released profile must not change: was\n%s", line)
		}
	}
	if !t.Failed() && len(got) < len(want) {
		t.Errorf("%s lacks lines that the test has: remove the file, run with -update, and see that no line is lost", file)
	}
}
