package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
)

// crashLines is the number of references of the crash tests, all different.
const crashLines = 60_000

func crashInput(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	for i := range crashLines {
		fmt.Fprintf(&b, "http://host%d.example/path/to/page?id=%d\n", i%97, i)
	}
	name := filepath.Join(t.TempDir(), "in.txt")
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// rowsOf reads every published file of a dataset to its end and counts the rows. A file that is short
// or unreadable fails the test.
func rowsOf(t *testing.T, dir string) (rows int64, files int) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*part-*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasPrefix(filepath.Base(name), ".") {
			continue
		}
		files++
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, ".jsonl") {
			if len(data) == 0 || data[len(data)-1] != '\n' {
				t.Errorf("%s ends within a line", name)
			}
			rows += int64(bytes.Count(data, []byte("\n")))
			continue
		}
		f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		read := int64(0)
		buf := make([]parquet.Row, 1000)
		for _, g := range f.RowGroups() {
			r := g.Rows()
			for {
				n, err := r.ReadRows(buf)
				read += int64(n)
				if err != nil {
					break
				}
			}
			r.Close()
		}
		if read != f.NumRows() {
			t.Errorf("%s: %d rows can be read of %d", name, read, f.NumRows())
		}
		rows += read
	}
	return rows, files
}

// TestKillAtAnyMoment kills the program at random moments: no published file is ever short or
// unreadable, a dataset that is to be replaced is there or replaced as a whole, and the next run
// gets through. -e2e does it many more times.
func TestKillAtAnyMoment(t *testing.T) {
	rounds := 6
	if *e2e {
		rounds = 300
	}
	if testing.Short() {
		rounds = 2
	}
	in := crashInput(t)
	killed := 0
	for _, format := range []string{"parquet", "jsonl"} {
		t.Run(format, func(t *testing.T) {
			dir := t.TempDir()
			out := filepath.Join(dir, "out")
			args := []string{
				"run", "-q", in, "--output", out, "--output-format", format, "--file-rows", "7000",
				"--row-group-rows", "1000", "--overwrite",
			}
			took := timeOf(t, args)
			for round := range rounds {
				fresh := round%2 == 0
				if fresh {
					if err := os.RemoveAll(dir); err != nil {
						t.Fatal(err)
					}
					if err := os.Mkdir(dir, 0o700); err != nil {
						t.Fatal(err)
					}
				}
				if killAfter(t, args, time.Duration(rand.Int64N(int64(took)))) {
					killed++
				}
				rows, files := rowsOf(t, out)
				_, err := os.Stat(filepath.Join(out, "_SUCCESS"))
				done := err == nil
				switch {
				case done && rows != crashLines:
					t.Errorf("round %d: _SUCCESS, and %d rows of %d in %d files", round, rows, crashLines, files)
				case !fresh && !done && !exists(out+"*"):
					t.Errorf("round %d: the old dataset is gone and there is no new one", round)
				}
				timeOf(t, args)
				if rows, _ := rowsOf(t, out); rows != crashLines {
					t.Fatalf("round %d: %d rows after the next run, want %d", round, rows, crashLines)
				}
			}
		})
	}
	if killed == 0 {
		t.Error("it was always done before it was killed: the test shows nothing")
	}
}

func exists(glob string) bool {
	names, err := filepath.Glob(glob)
	return err == nil && len(names) > 0
}

// timeOf runs the program to its end, which must be a good one.
func timeOf(t *testing.T, args []string) time.Duration {
	t.Helper()
	cmd := command(t, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	start := time.Now()
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	return time.Since(start)
}

// killAfter runs the program and kills it; it tells whether the kill came before the end.
func killAfter(t *testing.T, args []string, after time.Duration) bool {
	t.Helper()
	cmd := command(t, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(after)
	cmd.Process.Kill()
	cmd.Wait()
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled()
}

// TestAFullDiskForTemporaryFilesIsSaid sorts with a small file system for what memory has no room for: the message
// names the cause, nothing is published, nothing is left behind.
func TestAFullDiskForTemporaryFilesIsSaid(t *testing.T) {
	in, disk, out := crashInput(t), t.TempDir(), filepath.Join(t.TempDir(), "out")
	if err := mountSmall(disk); err != nil {
		t.Skipf("SKIPPED: no small file system can be mounted here: %v", err)
	}
	t.Cleanup(func() { unmount(disk) })
	cmd := command(t, "run", "-q", in, "--output", out, "--sort", "global", "--sort-memory", "1MiB", "--temp-dir", disk)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != exitFailed {
		t.Errorf("%v, want exit code 1: %s", err, stderr.String())
	}
	for _, want := range []string{syscall.ENOSPC.Error(), "sort: ", disk, "--temp-dir"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("the message has no %q: %s", want, stderr.String())
		}
	}
	for _, dir := range []string{disk, filepath.Dir(out)} {
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) > 0 {
			t.Errorf("left in %s: %v, %v", dir, entries, err)
		}
	}
}

// TestAFullDiskIsSaid writes to a small file system of its own: the message names the output, and
// no file that bears its name is short.
func TestAFullDiskIsSaid(t *testing.T) {
	in := crashInput(t)
	for _, format := range []string{"parquet", "jsonl"} {
		t.Run(format, func(t *testing.T) {
			disk := t.TempDir()
			if err := mountSmall(disk); err != nil {
				t.Skipf("SKIPPED: no small file system can be mounted here: %v", err)
			}
			t.Cleanup(func() { unmount(disk) })
			out := filepath.Join(disk, "out")
			cmd := command(t, "run", "-q", in, "--output", out, "--output-format", format, "--columns", "url,url_host_name",
				"--file-rows", "3000", "--row-group-rows", "1000")
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			err := cmd.Run()
			if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != exitFailed {
				t.Errorf("%v, want exit code 1: %s", err, stderr.String())
			}
			if text := stderr.String(); !strings.Contains(text, syscall.ENOSPC.Error()) || !strings.Contains(text, out) {
				t.Errorf("the message names neither the place nor the cause: %s", text)
			}
			if _, err := os.Stat(filepath.Join(out, "_SUCCESS")); !errors.Is(err, os.ErrNotExist) {
				t.Error("_SUCCESS on a full disk")
			}
			rowsOf(t, out)
		})
	}
}
