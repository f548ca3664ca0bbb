package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var (
	update = flag.Bool("update", false, "rewrite docs/cli.md and the expected output in scripts")
	e2e    = flag.Bool("e2e", false, "run the long tests, too: many rounds of kill -9")
)

// asProgram, in the environment, makes the test binary be the program, so that a test can start
// it as a process of its own.
const asProgram = "URISIEVE_PORT_TEST_PROGRAM" // a name that the program leaves out of account

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Unsetenv(asProgram)
		main()
	}
	testscript.Main(m, map[string]func(){"urisieve": main})
}

// command is the program as a process of its own.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = []string{asProgram + "=1"}
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "URISIEVE_") {
			cmd.Env = append(cmd.Env, pair)
		}
	}
	return cmd
}

// TestScripts runs testdata/script: a script for each command and each fault.
func TestScripts(t *testing.T) {
	sample, err := filepath.Abs("../../testdata/sample")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("SAMPLE", sample)
			return nil
		},
		Condition: func(name string) (bool, error) {
			if name == "root" {
				return os.Geteuid() == 0, nil
			}
			return false, errors.New("unknown condition " + name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code": code, "gzip": gzipFile, "damage": damageFile, "bomb": bombFile, "lines": countLines, "repeat": repeatLine, "longline": longLine,
		},
	})
}

// code N COMMAND ARG... runs a command that must end with exit code N.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N COMMAND ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// gzip FROM TO compresses a file.
func gzipFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: gzip FROM TO")
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(ts.ReadFile(args[0])))
	ts.Check(err)
	ts.Check(w.Close())
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), b.Bytes(), 0o600))
}

// damage FILE middle|end zeroes bytes in the middle of a file, or cuts its last quarter off.
func damageFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: damage FILE middle|end")
	}
	name := ts.MkAbs(args[0])
	data, err := os.ReadFile(name)
	ts.Check(err)
	switch args[1] {
	case "middle":
		clear(data[len(data)/2 : len(data)/2+min(64, len(data)/4)])
	case "end":
		data = data[:len(data)*3/4]
	default:
		ts.Fatalf("damage where?")
	}
	ts.Check(os.WriteFile(name, data, 0o600))
}

// bomb FILE MIB writes a gzip file of so many MiB of one URL after the other.
func bombFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: bomb FILE MIB")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	w, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	ts.Check(err)
	_, err = w.Write([]byte("http://h/first\n"))
	ts.Check(err)
	block := bytes.Repeat([]byte("http://h/aaaaaa\n"), 1<<16)
	for range n {
		_, err = w.Write(block)
		ts.Check(err)
	}
	ts.Check(w.Close())
	ts.Check(f.Close())
}

// lines FILE N holds a file's number of lines.
func countLines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: lines FILE N")
	}
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	if got := strings.Count(ts.ReadFile(args[0]), "\n"); got != want {
		ts.Fatalf("%s has %d lines, want %d", args[0], got, want)
	}
}

// repeat FILE N LINE writes a line N times, each %d in it its number.
func repeatLine(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: repeat FILE N LINE")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	var b bytes.Buffer
	for i := range n {
		b.WriteString(strings.ReplaceAll(args[2], "%d", strconv.Itoa(i)) + "\n")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b.Bytes(), 0o600))
}

// longline FILE MIB writes a URL, a line of so many MiB, and another URL.
func longLine(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: longline FILE MIB")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	text := "http://h/before\n" + strings.Repeat("a", n<<20) + "\nhttp://h/after\n"
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}
