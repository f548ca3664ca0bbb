package normalize_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/urisieve/urisieve/normalize"
)

// The golden file of a released profile never changes but by new lines at its end: what a profile
// makes of a reference is a database key of somebody's. -update adds the lines that are missing
// and refuses to change one that is there.
var update = flag.Bool("update", false, "add missing lines to the golden files")

const goldenFile = "testdata/golden/rfc3986-1.txt"

const goldenHead = `# What the profile rfc3986-1 makes of references. Lines are added at the end and never change.
# Fields, between tabs, texts quoted as in Go: mode, retrieval URI, reference, and what becomes of
# them: url, fragment, reason (with component and offset), base used, flags, changed.
`

// goldenFlags are the flags that the profile was released with. Later flags tell more about a
// reference; what these told must not change.
const goldenFlags = normalize.FlagControlEscaped<<1 - 1

// goldenKey is what a line is about, goldenLine all of it.
func goldenKey(mode, base, ref string) string {
	return strings.Join([]string{mode, strconv.QuoteToASCII(base), strconv.QuoteToASCII(ref)}, "\t")
}

func goldenLine(t *testing.T, mode, base, ref string) string {
	n := newNormalizer(t, normalize.Options{Profile: "rfc3986-1", Strict: mode == "strict"})
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
		orDash(string((r.Flags & goldenFlags).AppendNames(nil, ' '))), orDash(string(r.Changed.AppendNames(nil, ' '))),
	}, "\t")
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// goldenInputs are the references that the file must have: those of all tables, and the seeds of
// the fuzz targets on every base.
func goldenInputs() [][3]string {
	var inputs [][3]string
	add := func(base, ref string) {
		inputs = append(inputs, [3]string{"repair", base, ref}, [3]string{"strict", base, ref})
	}
	cases := requirementCases()
	ids := make([]string, 0, len(cases))
	for id := range cases {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
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
	return inputs
}

// TestGolden_ProfileIsFrozen: every line of the golden file still holds, and every input of the
// tables has its line.
func TestGolden_ProfileIsFrozen(t *testing.T) {
	text, err := os.ReadFile(goldenFile)
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
			t.Fatalf("%s:%d: %d fields", goldenFile, i+1, len(fields))
		}
		base, err1 := strconv.Unquote(fields[1])
		ref, err2 := strconv.Unquote(fields[2])
		if err1 != nil || err2 != nil {
			t.Fatalf("%s:%d: bad quotes", goldenFile, i+1)
		}
		if got := goldenLine(t, fields[0], base, ref); got != line {
			t.Errorf("%s:%d: a released profile must not change: now\n%s\nwas\n%s", goldenFile, i+1, got, line)
		}
		have[strings.Join(fields[:3], "\t")] = true
	}
	var missing bytes.Buffer
	for _, in := range goldenInputs() {
		if key := goldenKey(in[0], in[1], in[2]); !have[key] {
			have[key] = true
			missing.WriteString(goldenLine(t, in[0], in[1], in[2]) + "\n")
		}
	}
	switch {
	case missing.Len() == 0 || t.Failed():
	case !*update:
		t.Errorf("%s lacks %d lines: go test ./normalize -run Golden -update\n%.2000s", goldenFile, bytes.Count(missing.Bytes(), []byte("\n")), missing.Bytes())
	default:
		if len(text) == 0 {
			text = []byte(goldenHead)
		}
		if err := os.MkdirAll(filepath.Dir(goldenFile), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(goldenFile, append(text, missing.Bytes()...), 0o644); err != nil {
			t.Fatal(err)
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
		{normalize.Options{DefaultPorts: []normalize.DefaultPort{{Scheme: "b", Port: 2}, {Scheme: "A", Port: 1}, {Scheme: "a", Port: 1}}}, "rfc3986-1.u17+ac8f7047"},
	} {
		if got := newNormalizer(t, c.options).SettingsID(); got != c.want {
			t.Errorf("%+v: %s, want %s", c.options, got, c.want)
		}
	}
}
