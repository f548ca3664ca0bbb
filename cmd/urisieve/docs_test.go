package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/urisieve/urisieve/config"
)

//go:generate go test -run PageIsCurrent . -update

// cliPage is docs/cli.md: what --help says, and what it does not.
func cliPage() string {
	var b strings.Builder
	b.WriteString(`# The command line

Made from the program's own --help; do not edit. Standard output has results alone; everything else
goes to standard error.

## Exit codes

| code | meaning |
| --- | --- |
| 0 | Done. Also when the reader of standard output had enough and closed the pipe. |
| 1 | Failed: a fault of input or output, or a limit was passed (` + "`--max-rejects`, `--dedup-capacity`" + `). |
| 2 | The command line or the configuration: all faults are listed, nothing was read or written. |
| 3 | Done, but some input was damaged or unreadable (then there is no ` + "`_SUCCESS`" + `, unless ` + "`--allow-damaged`" + `), or references were rejected and ` + "`--fail-on-reject`" + ` was given. |
| 130, 143 | Ended by SIGINT, SIGTERM. The first signal stops reading, and writes and publishes all that was read, without ` + "`_SUCCESS`" + `. The second one stops at once and publishes nothing more; what hangs is left behind after two seconds. |

## Environment

| variable | meaning |
| --- | --- |
| ` + "`GOMEMLIMIT`" + ` | The soft memory limit of the Go runtime. Default: nine tenths of what the machine or its control group allows. |
| ` + "`GOMAXPROCS`" + ` | The number of CPUs to use, and of workers unless ` + "`--workers`" + ` says so. |
`)
	for _, l := range config.Leaves() {
		b.WriteString("| `" + l.Env + "` | `" + l.Key + "` |\n")
	}
	b.WriteString(`
What each option means, with default and range, stands in [config/example.yaml](../config/example.yaml).
Lists are joined by commas; a variable that is set to nothing counts as not set. Unknown URISIEVE_
variables are errors, but for URISIEVE_SERVICE_* and URISIEVE_PORT*, which Kubernetes sets.

## Passwords

Error messages, logs and summaries show *** for what could be a password in a URI. Results and
rejects hold the bytes as they came, by design: ` + "`--userinfo strip-password`" + ` takes passwords out of URLs.
`)
	var page func(cmd *cobra.Command)
	page = func(cmd *cobra.Command) {
		b.WriteString("\n## " + cmd.CommandPath() + "\n\n```text\n" + strings.Replace(help(cmd), "\n"+exitHelp, "", 1) + "```\n")
		for _, sub := range cmd.Commands() {
			if sub.Name() != "completion" && sub.Name() != "help" {
				page(sub)
			}
		}
	}
	p := program{stdin: strings.NewReader(""), stdout: io.Discard, stderr: &console{w: io.Discard}}
	root := p.root()
	root.InitDefaultHelpFlag()
	for _, c := range root.Commands() {
		c.InitDefaultHelpFlag()
		for _, s := range c.Commands() {
			s.InitDefaultHelpFlag()
		}
	}
	page(root)
	return b.String()
}

func TestTheCommandLinePageIsCurrent(t *testing.T) {
	holdPage(t, "../../docs/cli.md", cliPage())
}

func TestTheRulesPageIsCurrent(t *testing.T) {
	page, err := rulesPage()
	if err != nil {
		t.Fatal(err)
	}
	holdPage(t, "../../docs/rules.md", page)
}

// holdPage holds a page of the documentation against what the program makes, or writes it anew.
func holdPage(t *testing.T, name, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the program says: run go generate ./cmd/urisieve", name)
	}
}

func TestHelpOfEveryCommandHasExamplesAndFitsALine(t *testing.T) {
	p := program{stdout: io.Discard, stderr: &console{w: io.Discard}}
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		if cmd.Name() == "completion" || cmd.Name() == "help" {
			return
		}
		if cmd.Example == "" {
			t.Errorf("%s has no example", cmd.CommandPath())
		}
		for line := range strings.Lines(cmd.Long) {
			if len(strings.TrimRight(line, "\n")) > 100 {
				t.Errorf("%s: a line over 100 bytes: %s", cmd.CommandPath(), line)
			}
		}
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(p.root())
}

// TestExamplesOfHelpWork runs each line of the examples in --help.
func TestExamplesOfHelpWork(t *testing.T) {
	p := program{stdout: io.Discard, stderr: &console{w: io.Discard}}
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		if cmd.Name() == "completion" || cmd.Name() == "help" {
			return
		}
		t.Run(cmd.CommandPath(), func(t *testing.T) {
			root, err := filepath.Abs("../..")
			if err != nil {
				t.Fatal(err)
			}
			dir, env := sandbox(t, root)
			copySample(t, dir)
			for line := range strings.Lines(cmd.Example) {
				line = strings.TrimSpace(line)
				if line == "" || line[0] == '#' {
					continue
				}
				sh := exec.Command("bash", "-e", "-c", line)
				sh.Dir, sh.Env = dir, env
				if text, err := sh.CombinedOutput(); err != nil {
					t.Errorf("%s\n%v: %s", line, err, text)
				}
			}
		})
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(p.root())
}

// copySample puts the files that examples name into a folder.
func copySample(t *testing.T, dir string) {
	t.Helper()
	sample, err := filepath.Glob("../../testdata/sample/*.*")
	if err != nil || len(sample) == 0 {
		t.Fatalf("no sample: %v", err)
	}
	write := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range sample {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		write(filepath.Base(name), data)
		if filepath.Base(name) == "urls.txt.gz" {
			r, err := gzip.NewReader(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			plain, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			write("urls.txt", plain)
		}
	}
	write("refs.txt", []byte("../c\n?q\n"))
	write("other-column.txt", []byte("1\n2\n"))
	write("asks.jsonl", []byte("\"http://h/\"\n{\"ref\":\"x\",\"base\":\"http://h/\"}\n{\"sync\":true}\n"))
	write("run.yaml", []byte("run: {workers: 2}\n"))
}
