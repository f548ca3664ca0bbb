package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// module has a package of every kind of end.
var module = map[string]string{
	"go.mod":           "module m\n\ngo 1.26\n",
	"good/a_test.go":   "package good\nimport \"testing\"\nfunc TestGood(t *testing.T) { t.Log(\"quiet\"); t.Run(\"sub\", func(t *testing.T) {}) }",
	"none/a.go":        "package none",
	"bad/a_test.go":    "package bad\nimport \"testing\"\nfunc TestBad(t *testing.T) { t.Run(\"sub\", func(t *testing.T) { t.Error(\"boom\") }) }\nfunc TestFine(t *testing.T) { t.Log(\"quiet\") }",
	"skips/a_test.go":  "package skips\nimport \"testing\"\nfunc TestFree(t *testing.T) { t.Skip(\"no ../shared/corpora\") }\nfunc TestNot(t *testing.T) { t.Skip(\"no\\ntool\") }",
	"panics/a_test.go": "package panics\nimport \"testing\"\nfunc TestPanics(t *testing.T) { panic(\"argh\") }",
	"exits/a_test.go":  "package exits\nimport (\"os\"; \"testing\")\nfunc TestExits(t *testing.T) { os.Exit(3) }",
	"broken/a_test.go": "package broken\nvar x int = \"\"\n",
}

func TestReportOfEveryKindOfEnd(t *testing.T) {
	dir := t.TempDir()
	for name, text := range module {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "test", "-json", "-shuffle=7", "./...")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	events, _ := cmd.Output() // it fails, as it must
	var out strings.Builder
	r := newReport(&out, true)
	if err := r.read(strings.NewReader(string(events))); err != nil {
		t.Fatal(err)
	}
	r.summarize()
	for _, want := range []string{
		`(?m)^ok  \tm/good\t[\d.]+s$`,
		`(?m)^\?   \tm/none\t\[no test files\]$`,
		`a_test.go:3: boom\n *--- FAIL: TestBad/sub`,
		`(?m)^FAIL\tm/bad\t[\d.]+s$`,
		`panic: argh`,
		`(?m)^FAIL\tm/panics\t`,
		`(?m)^FAIL\tm/exits\t`,
		`cannot use "" \(untyped string constant\)`,
		`(?m)^FAIL\tm/broken \[build failed\]$`,
		`(?m)^skipped: m/skips TestFree: no ../shared/corpora$`,
		`(?m)^FAIL: skipped, .*: m/skips TestNot: no tool$`,
		`(?m)^the same order again: go test -shuffle=7 m/bad$`,
		`\n3 passed, 5 failed, 2 skipped\n$`, // failed: TestBad, its sub, TestPanics, TestExits, the build
	} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(out.String(), "quiet") || strings.Contains(out.String(), "===") {
		t.Error("it tells what passing tests print")
	}
	if r.ok() {
		t.Error("it is content")
	}
	if t.Failed() {
		t.Log(out.String())
	}
}

func TestSkipsCountAgainstCIOnly(t *testing.T) {
	for _, c := range []struct {
		reason     string
		strict, ok bool
	}{
		{reason: "no tool", strict: false, ok: true},
		{reason: "no tool", strict: true, ok: false},
		{reason: "open ../shared/corpora: no such file", strict: true, ok: true},
		{reason: "no small file system can be mounted here: EPERM", strict: true, ok: true},
	} {
		var out strings.Builder
		r := newReport(&out, c.strict)
		err := r.read(strings.NewReader(`{"Action":"output","Package":"m","Test":"T","Output":"    a_test.go:1: ` + c.reason + `\n"}
{"Action":"skip","Package":"m","Test":"T"}
{"Action":"pass","Package":"m"}
`))
		if err != nil {
			t.Error(err)
		}
		if r.summarize(); r.ok() != c.ok || !strings.HasSuffix(out.String(), "T: "+c.reason+"\n0 passed, 0 failed, 1 skipped\n") {
			t.Errorf("%q, CI %v: ok %v\n%s", c.reason, c.strict, r.ok(), out.String())
		}
	}
}

// Of a stream that breaks off nobody learns that all was well.
func TestAStreamWithoutItsEndFails(t *testing.T) {
	r := newReport(new(strings.Builder), false)
	if err := r.read(strings.NewReader(`{"Action":"run","Package":"m","Test":"T"}`)); err == nil {
		t.Error("no error")
	}
}
