package extsort_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/urisieve/urisieve/internal/extsort"
	"github.com/urisieve/urisieve/internal/fsys"
	"github.com/urisieve/urisieve/pipeline/pipetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type row struct{ key, value []byte }

func (r row) String() string { return fmt.Sprintf("%q=%q", r.key, r.value) }

// randomKey makes keys that have much in common, end within each other, hold zeros, or are empty.
func randomKey(r *rand.Rand) []byte {
	switch r.IntN(8) {
	case 0:
		return make([]byte, r.IntN(20))
	case 1:
		return append([]byte("com,example)/"), make([]byte, r.IntN(10))...)
	case 2:
		k := make([]byte, r.IntN(30))
		for i := range k {
			k[i] = byte(r.IntN(3)) * 127
		}
		return k
	case 3:
		return []byte(strings.Repeat("com,example,", r.IntN(20)) + ")/" + fmt.Sprint(r.IntN(50)))
	case 4:
		return []byte("com,\xff\xfe" + strings.Repeat("\xff", r.IntN(12)))
	}
	return fmt.Appendf(nil, "com,example,www%d)/a/long/path/that/all/have/%d?q=%d", r.IntN(5), r.IntN(100), r.IntN(3))
}

func randomRows(seed uint64, n int) []row {
	r := rand.New(rand.NewPCG(seed, 17))
	rows := make([]row, n)
	for i := range rows {
		value := fmt.Appendf(nil, "%d ", i)
		if r.IntN(3) == 0 {
			value = append(value, bytes.Repeat([]byte("v"), r.IntN(300))...)
		}
		rows[i] = row{randomKey(r), value}
	}
	return rows
}

func sorted(rows []row) []row {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b row) int { return bytes.Compare(a.key, b.key) })
	return rows
}

func addAll(ctx context.Context, s *extsort.Sorter, rows []row) error {
	for _, r := range rows {
		if err := s.Add(ctx, r.key, r.value); err != nil {
			return err
		}
	}
	return nil
}

func merged(ctx context.Context, s *extsort.Sorter) (rows []row, err error) {
	err = s.Merge(ctx, func(key, value []byte) error {
		rows = append(rows, row{bytes.Clone(key), bytes.Clone(value)})
		return nil
	})
	return rows, err
}

func same(t *testing.T, got, want []row) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d rows come out, want %d", len(got), len(want))
	}
	for i := range want {
		if !bytes.Equal(got[i].key, want[i].key) || !bytes.Equal(got[i].value, want[i].value) {
			t.Fatalf("row %d is %v, want %v", i, got[i], want[i])
		}
	}
}

func disk() *pipetest.CrashFS {
	d := pipetest.NewCrashFS()
	if err := d.MkdirAll("/tmp", 0o700); err != nil {
		panic(err)
	}
	return d
}

func scratch(d fsys.FS) fsys.Scratch { return fsys.Scratch{FS: d, Dir: "/tmp"} }

// TestSortedAsSlicesSort: whatever the memory, and in spite of merges before the last, rows come out as from
// slices.SortStableFunc, and a Sorter can be used again.
func TestSortedAsSlicesSort(t *testing.T) {
	for seed := range uint64(30) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			block := []int64{4096, 4096, 16384, 1 << 20}[seed%4]
			s := extsort.NewSmall(scratch(disk()), block)
			for _, n := range []int{0, 1, 3000, 40} {
				rows := randomRows(seed, n)
				if err := addAll(t.Context(), s, rows); err != nil {
					t.Fatal(err)
				}
				if got := s.Pending(); got != int64(n) {
					t.Errorf("%d rows are pending, want %d", got, n)
				}
				got, err := merged(t.Context(), s)
				if err != nil {
					t.Fatal(err)
				}
				same(t, got, sorted(rows))
			}
			stats := s.Stats()
			if stats.Rows != 3041 {
				t.Errorf("counted %d rows", stats.Rows)
			}
			if spills := block < 1<<20; spills != (stats.Merges > 4) || (stats.Runs > 0) != spills || (stats.Written > 0) != spills {
				t.Errorf("blocks of %d bytes: %+v", block, stats)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestRealSizes does the same with the sizes of a real sort of 1 MiB, which has to merge runs before the last merge.
func TestRealSizes(t *testing.T) {
	rows := randomRows(7, 60_000)
	want := sorted(rows)
	for _, memory := range []int64{0, extsort.MinMemory, 4 << 20, 64 << 20} {
		s := extsort.New(extsort.Options{Memory: memory, Scratch: fsys.Scratch{FS: fsys.OS{}, Dir: t.TempDir()}})
		if err := addAll(t.Context(), s, rows); err != nil {
			t.Fatal(err)
		}
		got, err := merged(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, want)
		if stats := s.Stats(); (stats.Merges > 0) != (memory <= extsort.MinMemory) || (stats.Runs > 0) != (memory < 64<<20) {
			t.Errorf("memory of %d: %+v", memory, stats)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLargeRows: rows that are larger than a frame, than all buffers, and than a block.
func TestLargeRows(t *testing.T) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 1))
		rows := randomRows(seed, 600)
		for range 25 {
			i := r.IntN(len(rows))
			rows[i].value = bytes.Repeat([]byte{byte(i), 1, 2}, r.IntN(12_000))
			if r.IntN(3) == 0 {
				rows[i].key = bytes.Repeat([]byte("com,"), r.IntN(8000))
			}
		}
		s := extsort.NewSmall(scratch(disk()), 8192)
		if err := addAll(t.Context(), s, rows); err != nil {
			t.Fatal(err)
		}
		got, err := merged(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, sorted(rows))
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// FuzzSortInMemory holds the multikey quicksort against slices.SortStableFunc.
func FuzzSortInMemory(f *testing.F) {
	f.Add([]byte("b\na\n\na\x00\na\nabcdefgh\nabcdefghi\nabcdefgh\x00"))
	for seed := range uint64(4) {
		var lines [][]byte
		for _, r := range randomRows(seed, 200) {
			lines = append(lines, r.key)
		}
		f.Add(bytes.Join(lines, []byte{'\n'}))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		keys := bytes.Split(text, []byte{'\n'})
		want := make([]int, len(keys))
		for i := range want {
			want[i] = i
		}
		slices.SortStableFunc(want, func(a, b int) int { return bytes.Compare(keys[a], keys[b]) })
		if got := extsort.SortInMemory(keys, len(text)); !slices.Equal(got, want) {
			t.Errorf("%q: order %v, want %v", keys, got, want)
		}
	})
}

// TestFaultsOfTheDisk: a fault is told, wherever it comes, and by every call after it.
func TestFaultsOfTheDisk(t *testing.T) {
	rows := randomRows(3, 700)
	for at := 1; ; at++ {
		d := disk()
		d.FailAt(d.Ops()+at, syscall.ENOSPC)
		s := extsort.NewSmall(scratch(d), 4096)
		err := addAll(t.Context(), s, rows)
		if err == nil {
			_, err = merged(t.Context(), s)
		}
		if err == nil && d.Ops() < at {
			if at < 100 {
				t.Fatalf("only %d operations", at)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			return
		}
		if err == nil { // the name of a file can't be taken away: Close does it
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if left, err := d.ReadDir("/tmp"); err != nil || len(left) > 0 {
				t.Fatalf("operation %d: left behind: %v, %v", at, left, err)
			}
			continue
		}
		if !errors.Is(err, syscall.ENOSPC) || !strings.HasPrefix(err.Error(), "sort: ") {
			t.Fatalf("operation %d: %v", at, err)
		}
		if again := s.Add(t.Context(), nil, nil); !errors.Is(again, syscall.ENOSPC) {
			t.Errorf("a row after it: %v", again)
		}
		if again := s.Merge(t.Context(), nil); !errors.Is(again, syscall.ENOSPC) {
			t.Errorf("a merge after it: %v", again)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if left, err := d.ReadDir("/tmp"); err != nil || len(left) > 0 {
			t.Fatalf("operation %d: left behind: %v, %v", at, left, err)
		}
	}
}

// spoiled is a disk whose files give other bytes than were written, or fewer.
type spoiled struct {
	*pipetest.CrashFS
	spoil func(p []byte, off int64) int
}

func (d spoiled) OpenFile(name string, flag int, perm fs.FileMode) (fsys.File, error) {
	f, err := d.CrashFS.OpenFile(name, flag, perm)
	return spoiledFile{f, d.spoil}, err
}

type spoiledFile struct {
	fsys.File
	spoil func(p []byte, off int64) int
}

func (f spoiledFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.File.ReadAt(p, off)
	if m := f.spoil(p[:n], off); m < n {
		return m, errors.Join(err, errors.New("short"))
	}
	return n, err
}

func TestSpoiledFilesAreFound(t *testing.T) {
	rows := randomRows(3, 400)
	for name, spoil := range map[string]func(p []byte, off int64) int{
		"a byte of a row":     func(p []byte, _ int64) int { p[len(p)-1] ^= 1; return len(p) },
		"a length":            func(p []byte, _ int64) int { p[3] = 9; return len(p) },
		"the checksum":        func(p []byte, _ int64) int { p[min(9, len(p)-1)] ^= 4; return len(p) },
		"the rows are others": func(p []byte, _ int64) int { clear(p[len(p)/2:]); return len(p) },
	} {
		s := extsort.NewSmall(scratch(spoiled{disk(), spoil}), 4096)
		err := addAll(t.Context(), s, rows)
		if err == nil {
			_, err = merged(t.Context(), s)
		}
		if !errors.Is(err, extsort.ErrCorrupt) || !strings.Contains(err.Error(), ".urisieve-sort-") {
			t.Errorf("%s: %v", name, err)
		}
		s.Close()
	}
}

func TestAContextThatEndsEndsTheMerge(t *testing.T) {
	s := extsort.NewSmall(scratch(disk()), 4096)
	if err := addAll(t.Context(), s, randomRows(1, 5000)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	err := s.Merge(ctx, func(_, _ []byte) error {
		n++
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) || n == 0 || n > 2000 {
		t.Errorf("%d rows, then %v", n, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestAFaultOfTheTakerEndsTheMerge(t *testing.T) {
	s := extsort.NewSmall(scratch(disk()), 4096)
	if err := addAll(t.Context(), s, randomRows(1, 100)); err != nil {
		t.Fatal(err)
	}
	boom := errors.New("boom")
	if err := s.Merge(t.Context(), func(_, _ []byte) error { return boom }); !errors.Is(err, boom) {
		t.Error(err)
	}
	s.Close()
}

// TestNothingStays: after Close, in the middle of anything, no file is there, and a second one is fine.
func TestNothingStays(t *testing.T) {
	for n := range 12 {
		dir := t.TempDir()
		s := extsort.NewSmall(fsys.Scratch{FS: fsys.OS{}, Dir: dir}, 4096)
		if err := addAll(t.Context(), s, randomRows(uint64(n), n*400)); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Add(t.Context(), nil, nil); err == nil {
			t.Error("a closed sorter takes rows")
		}
		entries, err := fsys.OS{}.ReadDir(dir)
		if err != nil || len(entries) > 0 {
			t.Errorf("left behind: %v, %v", entries, err)
		}
	}
}

// TestARowCostsNoAllocation: but for what a run costs.
func TestARowCostsNoAllocation(t *testing.T) {
	rows := randomRows(5, 20_000)
	s := extsort.New(extsort.Options{Memory: 1 << 20, Scratch: fsys.Scratch{FS: fsys.OS{}, Dir: t.TempDir()}})
	defer s.Close()
	per := testing.AllocsPerRun(3, func() {
		if err := addAll(t.Context(), s, rows); err != nil {
			t.Fatal(err)
		}
		if err := s.Merge(t.Context(), func(_, _ []byte) error { return nil }); err != nil {
			t.Fatal(err)
		}
	})
	if per > float64(len(rows))/20 {
		t.Errorf("%.0f allocations for %d rows", per, len(rows))
	}
}

func BenchmarkSorter(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	rows := make([]row, 1_000_000)
	for i := range rows {
		host := int(float64(20_000) * r.Float64() * r.Float64())
		rows[i].key = fmt.Appendf(nil, "com,example%d,www)/articles/%d/page/%d?id=%d", host, r.IntN(30), r.IntN(1000), r.IntN(100_000))
		rows[i].value = fmt.Appendf(nil, "%0100d%s", r.IntN(100_000), rows[i].key)
	}
	for _, memory := range []int64{64 << 20, 1 << 30} {
		b.Run(fmt.Sprintf("memory=%dMiB", memory>>20), func(b *testing.B) {
			for b.Loop() {
				s := extsort.New(extsort.Options{Memory: memory, Scratch: fsys.Scratch{FS: fsys.OS{}, Dir: b.TempDir()}})
				if err := addAll(b.Context(), s, rows); err != nil {
					b.Fatal(err)
				}
				if err := s.Merge(b.Context(), func(_, _ []byte) error { return nil }); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(s.Stats().Written)/float64(len(rows)), "B/row")
				s.Close()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(rows)), "ns/row")
		})
	}
}

// TestRowsAreWrittenALogarithmOfTimes: with eight times the rows, each is written some three times more, where three
// runs are merged at a time, and not eight times as often.
func TestRowsAreWrittenALogarithmOfTimes(t *testing.T) {
	often := func(n int) float64 {
		s := extsort.NewSmall(scratch(disk()), 4096)
		defer s.Close()
		if err := addAll(t.Context(), s, randomRows(9, n)); err != nil {
			t.Fatal(err)
		}
		if _, err := merged(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		return float64(s.Stats().Written) / float64(n)
	}
	if few, many := often(2000), often(16_000); many > 2.5*few {
		t.Errorf("%.0f bytes a row of few, %.0f of many", few, many)
	}
}
