package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	corporaDir = "../../../shared/corpora/cases"
	pageFile   = "../../docs/conformance.md"
)

// ran is a run over all files, where they are.
func ran(t *testing.T) result {
	t.Helper()
	if _, err := os.Stat(corporaDir); os.IsNotExist(err) {
		t.Skipf("no %s: the published suites are tested only where they lie beside the repository", corporaDir)
	}
	res, err := run(corporaDir, "testdata")
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// Every case of every file passes or stands on a list, for a reason that is true.
func TestCorpora_EveryCasePassesOrHasItsReason(t *testing.T) {
	res := ran(t)
	for _, fault := range res.faults {
		t.Error(fault)
	}
	if n := res.total().cases; n != 5167 {
		t.Errorf("%d cases were run, want 5167", n)
	}
}

// What is wanted in full passes in full.
func TestCorpora_StandardsInFull(t *testing.T) {
	res := ran(t)
	for _, c := range []struct {
		file, op string
		cases    int
	}{
		{"wpt-urltestdata", "parse", 892},
		{"rfc2396-appC", "resolve", 43},
		{"rfc2396-fielding", "resolve", 60},
		{"google-safebrowsing", "", 33},
		{"rfc3986-6.2", "", 8},
		{"network-uri", "resolve", 148},
		{"network-uri", "validate", 111},
		{"go-net-url", "resolve", 93},
	} {
		i := slices.IndexFunc(res.rows, func(r row) bool { return r.suite.file == c.file && r.suite.op == c.op })
		if r := res.rows[i]; r.cases != c.cases || r.passed != c.cases {
			t.Errorf("%s %s: %d of %d pass, want %d of %d", c.file, c.op, r.passed, r.cases, c.cases, c.cases)
		}
	}
}

// The page is what a run writes now.
func TestCorpora_PageIsCurrent(t *testing.T) {
	want := ran(t).page()
	got, err := os.ReadFile(pageFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what a run writes: make generate", pageFile)
	}
}

// Without the cases the page is held in its form: a row for every suite, and every reason.
func TestPageHasEverySuiteAndReason(t *testing.T) {
	page, err := os.ReadFile(pageFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range suites() {
		if row := fmt.Sprintf("| %s | %s | ", s.file, code(s.what())); !bytes.Contains(page, []byte(row)) {
			t.Errorf("no row %q", row)
		}
		if !bytes.Contains(page, []byte("| "+s.how+" |\n")) {
			t.Errorf("no row is read by %q", s.how)
		}
	}
	reasons, err := readReasons("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range reasons {
		if !bytes.Contains(page, []byte("| "+code(r.code)+" | ")) {
			t.Errorf("no reason %s", r.code)
		}
	}
	if failed := "| all | | "; !strings.Contains(string(page), failed) || !strings.Contains(string(page), " | . | |\n") {
		t.Errorf("the page tells of failures")
	}
}

// A run finds what must not be: each of these is a case, its entry in the list, and the fault.
func TestFaultsAreFound(t *testing.T) {
	reasons := []reason{{code: "further", kind: further}, {code: "apart", kind: apart}, {code: "refused", kind: refuses}, {code: "accepted", kind: accepts}}
	url := func(s string) *string { return &s }
	for _, c := range []struct {
		name, input string
		expected    *string
		listed      string
		fault       string // "" is none
	}{
		{"passes", "http://h", url("http://h/"), "", ""},
		{"refused on both sides", "http://", nil, "", ""},
		{"passes, but is listed", "http://h", url("http://h/"), "further", "passes, but is listed"},
		{"neither passes nor is listed", "http://H", url("http://H/"), "", `got "http://h/", want "http://H/"`},
		{"listed, and goes further", "http://H", url("http://H/"), "further", ""},
		{"listed, and is apart", "http://H", url("http://i/"), "apart", ""},
		{"listed, and refuses", "http://", url("http:///"), "refused", ""},
		{"listed, and accepts", "http://h", nil, "accepted", ""},
		{"goes further, and is listed as apart", "http://H", url("http://H/"), "apart", "further, but apart is for apart"},
		{"apart, and is listed as going further", "http://H", url("http://i/"), "further", "apart, but further is for further"},
		{"refuses, and is listed as apart", "http://", url("http:///"), "apart", "refused, but apart is for apart"},
		{"listed under no reason", "http://H", url("http://H/"), "unheard-of", "which is no reason"},
	} {
		res := result{reasons: reasons, rows: []row{{suite: suite{run: canonical}}}}
		res.runCase(newLayers(), &res.rows[0], testCase{ID: "x-0001", Input: c.input, Expected: c.expected}, c.listed)
		fault := strings.Join(res.faults, "\n")
		if (fault == "") != (c.fault == "") || !strings.Contains(fault, c.fault) || res.rows[0].failed != len(res.faults) {
			t.Errorf("%s: the fault is %q, want %q", c.name, fault, c.fault)
		}
	}
}

// A run names files, cases and reasons that don't fit each other.
func TestRunHoldsListsAgainstFiles(t *testing.T) {
	corpora, lists := t.TempDir(), t.TempDir()
	write := func(dir, name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(corpora, "punycode.jsonl", `{"id":"punycode-0001","op":"punycode-encode","input":"ü","expected":"tda"}`+"\n"+
		`{"id":"punycode-0002","op":"unknown","input":"","expected":""}`+"\n")
	write(corpora, "newer.jsonl", `{"id":"newer-0001","op":"parse","input":"","expected":""}`+"\n")
	write(lists, "reasons.txt", "unused | apart | a section | A sentence.\n")
	write(lists, "differences/punycode.txt", "unused\n  0007\n")
	res, err := run(corpora, lists)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"wpt-urltestdata: no such file of cases",
		"punycode-0002: no suite takes  unknown",
		"newer-0001: no suite takes  parse",
		"punycode-0007 is listed, but there is no such case",
		"reason unused: no case stands on it",
	} {
		if !slices.Contains(res.faults, want) {
			t.Errorf("no fault %q in %q", want, res.faults)
		}
	}
	if n := res.total().passed; n != 1 {
		t.Errorf("%d cases pass, want 1", n)
	}
}

func TestReadDifferences(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       map[string]string // nil: an error
	}{
		{"ranges and single numbers", "# why\na\n  0001 0003-0005\nb\n  0009\n", map[string]string{"0001": "a", "0003": "a", "0004": "a", "0005": "a", "0009": "b"}},
		{"a number twice", "a\n 0001\nb\n 0001\n", nil},
		{"a number without a reason", "0001\n", nil},
		{"a range that goes down", "a\n 0005-0003\n", nil},
		{"no range", "a\n 0005-x\n", nil},
	} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "differences"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "differences", "f.txt"), []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := readDifferences(dir, "f")
		if (err != nil) != (c.want == nil) || !maps.Equal(got, c.want) {
			t.Errorf("%s: got %v, %v; want %v", c.name, got, err, c.want)
		}
	}
	if got, err := readDifferences(t.TempDir(), "none"); got != nil || err != nil {
		t.Errorf("no list: %v, %v", got, err)
	}
}

func TestReadReasons(t *testing.T) {
	for _, c := range []struct {
		name, text string
		ok         bool
	}{
		{"right", "a | apart | RFC 3986 | Why.\nb | form | x | Why.\n", true},
		{"a field is missing", "a | apart | Why.\n", false},
		{"no such kind", "a | other | RFC 3986 | Why.\n", false},
		{"twice", "a | apart | x | Why.\na | apart | x | Why.\n", false},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "reasons.txt"), []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := readReasons(dir); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// Where there are no cases the command says so and is content.
func TestNoCasesIsNoFault(t *testing.T) {
	var out, faults bytes.Buffer
	if status := conformance([]string{"-corpora", filepath.Join(t.TempDir(), "none")}, &out, &faults); status != 0 {
		t.Errorf("status %d, %s", status, &faults)
	}
	if !strings.HasPrefix(out.String(), "SKIPPED: ") {
		t.Errorf("it says %q", &out)
	}
}
