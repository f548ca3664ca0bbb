package sinks

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/urisieve/urisieve/pipeline/pipetest"
)

// crashes runs a job on a prepared disk, stopping it at each of its operations in turn, and once not at
// all. After each it turns the machine off, with no, and with random survival of what wasn't synced, and calls check.
func crashes(t *testing.T, prepare func(*pipetest.CrashFS), job func(*pipetest.CrashFS) error, check func(t *testing.T, disk *pipetest.CrashFS, finished bool)) {
	t.Helper()
	for at := 1; ; at++ {
		finished := false
		for seed := range uint64(4) {
			disk := newDisk()
			prepare(disk)
			disk.StopAt(disk.Ops() + at)
			err := job(disk)
			if err != nil && !errors.Is(err, pipetest.ErrStopped) {
				t.Fatalf("operation %d: %v", at, err)
			}
			finished = err == nil
			var rng *rand.Rand
			if seed > 0 {
				rng = rand.New(rand.NewPCG(seed, uint64(at)))
			}
			disk.Crash(rng)
			t.Run(fmt.Sprintf("operation %d seed %d", at, seed), func(t *testing.T) { check(t, disk, finished) })
			if t.Failed() {
				return
			}
		}
		if finished {
			return
		}
	}
}

// visible are the files that readers see.
func visible(t *testing.T, disk *pipetest.CrashFS) map[string]string {
	files := tree(t, disk, ".")
	maps.DeleteFunc(files, func(name, _ string) bool { return strings.HasPrefix(name, ".") || strings.Contains(name, "/.") })
	return files
}

func TestCrashWhileWritingLeavesOnlyWholeFiles(t *testing.T) {
	for _, o := range []Options{
		lines("a/out"),
		lines("a/out.jsonl"),
		{Output: "out", RowGroupRows: 1000, FileRows: 900, Columns: "min"},
		sortedOptions(lines("a/out"), SortGlobal),
		sortedOptions(Options{Output: "out", RowGroupRows: 1000, FileRows: 900, Columns: "min"}, SortFile),
	} {
		refs := some(2000)
		reference := newDisk()
		writeAll(t, reference, o, refs, 500)
		want := tree(t, reference, ".")
		crashes(t, func(*pipetest.CrashFS) {}, func(disk *pipetest.CrashFS) error {
			return tryWriteAll(t.Context(), disk, o, refs, 500)
		}, func(t *testing.T, disk *pipetest.CrashFS, finished bool) {
			left := visible(t, disk)
			for name, text := range left {
				if text != want[name] {
					t.Errorf("%s is there with %d bytes, whole it has %d", name, len(text), len(want[name]))
				}
			}
			if _, ok := left["out/_SUCCESS"]; (ok || finished) && !maps.Equal(left, want) {
				t.Errorf("it says that it is whole, with %v", names(left))
			}
			again := o
			again.Overwrite = true
			writeAll(t, disk, again, refs, 500)
			if got := tree(t, disk, "."); !maps.Equal(got, want) {
				t.Errorf("the next run leaves %v", names(got))
			}
		})
	}
}

func TestCrashWhileOverwritingLeavesTheOldOrTheNewDataset(t *testing.T) {
	for _, output := range []string{"out", "out.jsonl"} {
		o := lines(output)
		oldDisk, newDisk2 := newDisk(), newDisk()
		writeAll(t, oldDisk, o, some(900), 500)
		writeAll(t, newDisk2, o, some(2000), 500)
		older, newer := tree(t, oldDisk, "."), tree(t, newDisk2, ".")
		replace := o
		replace.Overwrite = true
		crashes(t, func(disk *pipetest.CrashFS) { writeAll(t, disk, o, some(900), 500) }, func(disk *pipetest.CrashFS) error {
			return tryWriteAll(t.Context(), disk, replace, some(2000), 500)
		}, func(t *testing.T, disk *pipetest.CrashFS, finished bool) {
			// Whoever opens the output next settles it first, and is then refused: it isn't empty.
			var there *ExistsError
			if _, err := Open(disk, o, info); !errors.As(err, &there) {
				t.Fatalf("got %v, want an ExistsError", err)
			}
			got := visible(t, disk)
			if !maps.Equal(got, newer) && (finished || !maps.Equal(got, older)) {
				t.Errorf("neither the old nor the new one: %v", names(got))
			}
			writeAll(t, disk, replace, some(2000), 500)
			if got := tree(t, disk, "."); !maps.Equal(got, newer) {
				t.Errorf("the next run leaves %v", names(got))
			}
		})
	}
}

func TestCrashWhileAppendingLeavesTheRunWholeOrNotAtAll(t *testing.T) {
	o := lines("out")
	o.Append = true
	first, second := newDisk(), newDisk()
	writeAll(t, first, o, some(900), 500)
	writeAll(t, second, o, some(900), 500)
	writeAll(t, second, o, some(2000), 500)
	before, after := tree(t, first, "."), tree(t, second, ".")
	crashes(t, func(disk *pipetest.CrashFS) { writeAll(t, disk, o, some(900), 500) }, func(disk *pipetest.CrashFS) error {
		return tryWriteAll(t.Context(), disk, o, some(2000), 500)
	}, func(t *testing.T, disk *pipetest.CrashFS, finished bool) {
		for name, text := range visible(t, disk) {
			if text != after[name] {
				t.Errorf("%s is there with %d bytes, whole it has %d", name, len(text), len(after[name]))
			}
		}
		out, err := Open(disk, o, info)
		if err != nil {
			t.Fatal(err)
		}
		if err := out.Abort(); err != nil {
			t.Fatal(err)
		}
		got := tree(t, disk, ".")
		if !maps.Equal(got, after) && (finished || !maps.Equal(got, before)) {
			t.Errorf("part of a run: %v", names(got))
		}
	})
}

func TestAnyFailingOperationIsReportedAndLosesNothingOld(t *testing.T) {
	boom := errors.New("boom")
	o := lines("out")
	reference := newDisk()
	writeAll(t, reference, o, some(900), 500)
	older := tree(t, reference, ".")
	o.Overwrite = true
	for at := 1; ; at++ {
		disk := newDisk()
		writeAll(t, disk, lines("out"), some(900), 500)
		from := disk.Ops()
		disk.FailAt(from+at, boom)
		err := tryWriteAll(t.Context(), disk, o, some(2000), 500)
		if disk.Ops() < from+at {
			return // it ended before
		}
		if err != nil && !errors.Is(err, boom) {
			t.Errorf("operation %d: %v", at, err)
		}
		got := visible(t, disk)
		if err == nil || !maps.Equal(got, older) {
			// The fault may have come after the swap; then the new one is whole.
			if _, ok := got["out/_SUCCESS"]; !ok || len(got) != 5 {
				t.Errorf("operation %d: %v leaves %v", at, err, names(got))
			}
		}
	}
}
