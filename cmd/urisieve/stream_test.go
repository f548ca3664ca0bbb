package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is how long a test waits for what should come at once.
const patience = 20 * time.Second

// talk starts the program with its standard input open, and gives a function that sends a line
// and waits for the answer.
func talk(t *testing.T, args ...string) (ask func(line string) string, hangUp func() error) {
	t.Helper()
	cmd := command(t, args...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	answers := make(chan string)
	go func() {
		defer close(answers)
		for s := bufio.NewScanner(out); s.Scan(); {
			answers <- s.Text()
		}
	}()
	ask = func(line string) string {
		t.Helper()
		if _, err := io.WriteString(in, line+"\n"); err != nil {
			t.Fatal(err)
		}
		select {
		case a := <-answers:
			return a
		case <-time.After(patience):
			t.Fatalf("no answer to %q; standard error: %s", line, stderr.String())
			return ""
		}
	}
	hangUp = func() error {
		in.Close()
		for range answers {
		}
		return cmd.Wait()
	}
	return ask, hangUp
}

func TestNormalizeAnswersEachLineWhileItsInputStaysOpen(t *testing.T) {
	ask, hangUp := talk(t, "normalize", "--base", "http://h/a/b")
	for i := range 50 {
		if got, want := ask(fmt.Sprintf("c%d", i)), fmt.Sprintf("http://h/a/c%d", i); got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
	}
	if err := hangUp(); err != nil {
		t.Error(err)
	}
}

func TestNormalizeAnswersJSONWhileItsInputStaysOpen(t *testing.T) {
	ask, hangUp := talk(t, "normalize", "--input-format", "jsonl", "--output-format", "jsonl")
	for _, c := range []struct{ line, want string }{
		{`{"ref":"x","base":"http://h/a/b"}`, `"url":"http://h/a/x"`},
		{`no JSON`, `"reason":"bad_record"`},
		{`{"ref":"x"}`, `"reason":"no_base"`},
	} {
		if got := ask(c.line); !strings.Contains(got, c.want) {
			t.Errorf("%s: got %s, want %s", c.line, got, c.want)
		}
	}
	if err := hangUp(); err != nil {
		t.Error(err)
	}
}

func TestRunAnswersEachNewURLWhileItsInputStaysOpen(t *testing.T) {
	ask, hangUp := talk(t, "run", "--output", "-", "--rejects", "none", "--quiet", "-")
	for i := range 20 {
		url := fmt.Sprintf("http://h/%d", i)
		if got := ask(url + "\n" + url); got != url {
			t.Fatalf("got %q, want %q", got, url)
		}
	}
	if err := hangUp(); err != nil {
		t.Error(err)
	}
}

func TestAClosedPipeIsQuiet(t *testing.T) {
	for _, args := range [][]string{
		{"normalize"},
		{"normalize", "--output-format", "jsonl"},
		{"run", "--output", "-", "--rejects", "none", "--dedup", "none", "-"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			cmd := command(t, args...)
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			fed := make(chan struct{})
			go func() {
				defer close(fed)
				block := strings.Repeat("http://h/a/b/c\n", 1000)
				for {
					if _, err := io.WriteString(in, block); err != nil {
						return
					}
				}
			}()
			if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
				t.Error(err)
			}
			out.Close()
			err = waitFor(t, cmd)
			in.Close()
			<-fed
			if err != nil || stderr.Len() > 0 {
				t.Errorf("%v, standard error: %s", err, stderr.String())
			}
		})
	}
}

// waitFor waits for the process, and kills it when it takes too long.
func waitFor(t *testing.T, cmd *exec.Cmd) error {
	t.Helper()
	kill := time.AfterFunc(patience, func() {
		t.Error("it does not end")
		cmd.Process.Kill()
	})
	defer kill.Stop()
	return cmd.Wait()
}

// interruptible starts a run on standard input, which stays open, with some lines read.
func interruptible(t *testing.T, dir string, stderr io.Writer) (*exec.Cmd, io.WriteCloser) {
	t.Helper()
	cmd := command(t, "run", "--output", filepath.Join(dir, "out"), "--output-format", "jsonl", "--progress", "json", "--progress-interval", "100ms", "-")
	cmd.Stderr = stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); in.Close() })
	io.WriteString(in, strings.Repeat("http://h/same\n", 10)+"http://h/other\n")
	return cmd, in
}

// watched is a buffer that tells when a text has come.
type watched struct {
	mu   sync.Mutex
	text bytes.Buffer
	want string
	seen chan struct{}
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, err := w.text.Write(p)
	if w.want != "" && strings.Contains(w.text.String(), w.want) {
		w.want = ""
		close(w.seen)
	}
	return n, err
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

func (w *watched) wait(t *testing.T) {
	t.Helper()
	select {
	case <-w.seen:
	case <-time.After(patience):
		t.Fatalf("the lines were not read: %s", w)
	}
}

func TestTheFirstSignalWritesAllThatWasRead(t *testing.T) {
	for _, c := range []struct {
		signal syscall.Signal
		code   int
	}{{syscall.SIGINT, 130}, {syscall.SIGTERM, 143}} {
		t.Run(c.signal.String(), func(t *testing.T) {
			dir := t.TempDir()
			stderr := &watched{want: `"references":11`, seen: make(chan struct{})}
			cmd, _ := interruptible(t, dir, stderr)
			stderr.wait(t)
			cmd.Process.Signal(c.signal)
			waitFor(t, cmd)
			if got := cmd.ProcessState.ExitCode(); got != c.code {
				t.Errorf("exit code %d, want %d: %s", got, c.code, stderr.String())
			}
			rows, parts := 0, 0
			files, _ := filepath.Glob(filepath.Join(dir, "out", "part-*.jsonl"))
			for _, f := range files {
				text, _ := os.ReadFile(f)
				rows += bytes.Count(text, []byte("\n"))
				parts++
			}
			if rows != 2 || parts != 1 {
				t.Errorf("%d rows in %d files, want 2 in 1: %s", rows, parts, stderr.String())
			}
			if _, err := os.Stat(filepath.Join(dir, "out", "_SUCCESS")); err == nil {
				t.Error("_SUCCESS, though the input was not read to its end")
			}
			if !strings.Contains(stderr.String(), "ended by signal") {
				t.Errorf("nothing said: %s", stderr.String())
			}
		})
	}
}

func TestTheSecondSignalStopsAtOnceEvenWhereNobodyReadsTheOutput(t *testing.T) {
	cmd := command(t, "run", "--output", "-", "--rejects", "none", "--dedup", "none", "--pool-bytes", "1MiB", "-")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stuck := make(chan struct{}) // closed when the program takes no more
	go func() {
		block := strings.Repeat("http://h/a/b/c\n", 1000)
		last := time.AfterFunc(500*time.Millisecond, func() { close(stuck) })
		for {
			if _, err := io.WriteString(in, block); err != nil {
				return
			}
			last.Reset(500 * time.Millisecond)
		}
	}()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-stuck:
	case <-ended:
		t.Fatal("it ended by itself")
	case <-time.After(patience):
		t.Fatal("it takes input without end")
	}
	cmd.Process.Signal(syscall.SIGINT)
	select {
	case <-ended:
		t.Fatal("the first signal did not wait for the output to be taken")
	case <-time.After(300 * time.Millisecond):
	}
	cmd.Process.Signal(syscall.SIGINT)
	select {
	case <-ended:
	case <-time.After(patience):
		cmd.Process.Kill()
		t.Fatal("the second signal did not end it")
	}
	if got := cmd.ProcessState.ExitCode(); got != 130 {
		t.Errorf("exit code %d, want 130", got)
	}
}
