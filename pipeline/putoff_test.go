package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/urisieve/urisieve/internal/fsys"
	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/pipeline"
	"github.com/urisieve/urisieve/pipeline/dedup"
	"github.com/urisieve/urisieve/pipeline/pipetest"
)

// deferAnswers makes the fixture's set one that answers late.
func (f *fixture) deferAnswers(seed uint64, percent int) *pipetest.Deferring {
	set := &pipetest.Deferring{Journal: f.journal, Random: rand.New(rand.NewPCG(seed, 1)), Percent: percent}
	f.options.Scratch = fsys.Scratch{FS: newScratchFS(), Dir: "/tmp"}
	f.open(set)
	return set
}

func newScratchFS() *pipetest.CrashFS {
	disk := pipetest.NewCrashFS()
	if err := disk.MkdirAll("/tmp", 0o700); err != nil {
		panic(err)
	}
	return disk
}

// open has the run use a set.
func (f *fixture) open(set dedup.Set) {
	f.options.Open = func(context.Context, pipeline.LaneID) (*pipeline.Lane, error) {
		lane := &pipeline.Lane{Sink: f.main, Rejects: f.rejects, Set: set}
		if f.options.Duplicates == pipeline.SplitDuplicates {
			lane.Duplicates = f.duplicates
		}
		return lane, nil
	}
}

// TestLateAnswersGiveTheSameBytes: whatever is known late, output, counts and commits are those of a set that
// knows at once.
func TestLateAnswersGiveTheSameBytes(t *testing.T) {
	items := randomItems(6, 1500)
	for _, policy := range []pipeline.DuplicatePolicy{pipeline.DropDuplicates, pipeline.MarkDuplicates, pipeline.SplitDuplicates} {
		want := newFixture(t, items)
		want.options.Duplicates, want.options.Scope = policy, web(t)
		want.open(want.set)
		stats := want.mustRun(t)
		for seed := range uint64(12) {
			t.Run(fmt.Sprintf("policy=%d/seed=%d", policy, seed), func(t *testing.T) {
				r := rand.New(rand.NewPCG(seed, uint64(policy)))
				f := newFixture(t, items)
				f.options.Duplicates, f.options.Scope = policy, web(t)
				set := f.deferAnswers(seed, []int{1, 30, 100}[seed%3])
				f.options.Workers, f.options.BatchRecords = 1+r.IntN(4), []int{1, 7, 300, 4096}[r.IntN(4)]
				f.options.BatchBytes = []int{100, 4000, 1 << 20}[r.IntN(3)]
				f.options.CheckpointRecords = []int64{0, 11, 400}[r.IntN(3)]
				f.main.Keep, f.rejects.Keep = r.IntN(3), r.IntN(3)
				f.source.Cut = func() int { return 1 + r.IntN(40) }
				got := f.mustRun(t)
				if set.Answers() == 0 {
					t.Fatal("no answer was late")
				}
				sameLines(t, "main", f.main.Durable(), want.main.Durable())
				sameLines(t, "rejects", f.rejects.Durable(), want.rejects.Durable())
				sameLines(t, "duplicates", f.duplicates.Durable(), want.duplicates.Durable())
				if got.Waiting != 0 || got.Committed != stats.Committed || got.BytesURL != stats.BytesURL || got.Records != stats.Records ||
					got.Unique != stats.Unique || got.Duplicate != stats.Duplicate || got.Filtered != stats.Filtered || got.Rejected != stats.Rejected ||
					got.DuplicateSame != stats.DuplicateSame || !slices.Equal(got.Elements, stats.Elements) {
					t.Errorf("counts differ: %+v, want %+v", got, stats)
				}
				if got := f.source.Committed(0); got != want.source.Committed(0) {
					t.Errorf("committed up to %d, want %d", got, want.source.Committed(0))
				}
			})
		}
	}
}

// TestArrivalOrder: what is late comes later, nothing else differs: the lines are the same, each kind of them in its
// order.
func TestArrivalOrder(t *testing.T) {
	items := randomItems(12, 1500)
	want := newFixture(t, items)
	want.options.Duplicates = pipeline.MarkDuplicates
	want.open(want.set)
	stats := want.mustRun(t)
	for seed := range uint64(4) {
		f := newFixture(t, items)
		f.options.Duplicates, f.options.Order = pipeline.MarkDuplicates, pipeline.ArrivalOrder
		f.options.BatchRecords, f.options.CheckpointRecords = 50, 700
		set := f.deferAnswers(seed, 10)
		got := f.mustRun(t)
		if set.Answers() == 0 || slices.Equal(f.main.Durable(), want.main.Durable()) {
			t.Errorf("seed %d: %d late answers, and nothing came later", seed, set.Answers())
		}
		sorted := func(lines []string) []string { return slices.Sorted(slices.Values(lines)) }
		sameLines(t, "main", sorted(f.main.Durable()), sorted(want.main.Durable()))
		sameLines(t, "rejects", f.rejects.Durable(), want.rejects.Durable())
		if got.Unique != stats.Unique || got.Duplicate != stats.Duplicate || got.Committed != stats.Committed || got.Waiting != 0 {
			t.Errorf("counts differ: %+v, want %+v", got, stats)
		}
	}
}

// TestWhatWaitsCarriesAllItsColumns: base layers, elements, pass-through values, key texts and place come
// through the disk as they went.
func TestWhatWaitsCarriesAllItsColumns(t *testing.T) {
	line := func(b *pipeline.Batch, r *pipeline.Record) string {
		row := b.RowOf(r)
		embedded, entity, retrieval := b.Layers(row)
		text, number := b.Value(row, 0), b.Value(row, 1)
		cut, isCut := b.CutOf(r)
		return fmt.Sprint(pipetest.Line(b, r), b.SourceName(row), row.Number, row.Offset, row.Partition, r.Index, r.Element, r.Result, r.Key,
			string(b.Raw(r)), string(b.Canon(r)), string(b.KeyText(r)), string(b.Fragment(r)), string(embedded), string(entity), string(retrieval),
			string(b.ValueText(text)), text.Null, number.Int, number.Null, cut, isCut)
	}
	items := randomItems(7, 400)
	run := func(f *fixture) []string {
		f.source.Pass = []pipeline.Column{{Name: "x_text"}, {Name: "x_number", Kind: pipeline.ColumnInt64}}
		f.main.Line = line
		f.options.BatchRecords = 9
		f.mustRun(t)
		return f.main.Durable()
	}
	want := newFixture(t, items)
	f := newFixture(t, items)
	f.deferAnswers(1, 60)
	sameLines(t, "main", run(f), run(want))
}

// TestSpillingSetInARun has a set of 2 MiB decide over five times what it can hold.
func TestSpillingSetInARun(t *testing.T) {
	n := 300_000
	if testing.Short() {
		n = 120_000
	}
	r := rand.New(rand.NewPCG(8, 8))
	items := make([]pipetest.Item, 0, n/10)
	for i := range n / 10 {
		item := pipetest.Item{}
		for j := range 10 {
			k := i*10 + j
			if r.IntN(2) == 0 {
				k = r.IntN(k + 1)
			}
			item.Refs = append(item.Refs, fmt.Sprintf("http://h%d.example/%d", k%97, k))
		}
		items = append(items, item)
	}
	run := func(set dedup.Set, workers int) *fixture {
		f := newFixture(t, items)
		f.options.Hasher = dedup.NewHasher(dedup.RandomSecret())
		f.options.Workers = workers
		f.open(set)
		f.mustRun(t)
		return f
	}
	want := run(dedup.NewExact(0), 1)
	for _, workers := range []int{1, 4} {
		spilling := dedup.NewSpilling(dedup.SpillingOptions{Memory: 2 << 20, Scratch: fsys.Scratch{FS: fsys.OS{}, Dir: t.TempDir()}})
		f := run(spilling, workers)
		sameLines(t, "main", f.main.Durable(), want.main.Durable())
		sameLines(t, "duplicates", f.duplicates.Durable(), want.duplicates.Durable())
	}
}

// TestAReaderGetsItsAnswersInSpiteOfAllThatWaits: with the source open and idle, everything comes out.
func TestAReaderGetsItsAnswersInSpiteOfAllThatWaits(t *testing.T) {
	gate := make(chan struct{})
	items := append(pipetest.Refs("http://h/a", "http://h/b", "http://h/a", "http://h/c"), pipetest.Item{Wait: gate, Refs: []string{"http://h/d"}})
	f := newFixture(t, items)
	f.deferAnswers(1, 100).Random = rand.New(rand.NewPCG(1, 1))
	done := make(chan error, 1)
	go func() {
		_, err := pipeline.Run(t.Context(), f.options)
		done <- err
	}()
	for len(f.main.Lines()) < 3 {
		select {
		case err := <-done:
			t.Fatalf("ended before the source did: %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	close(gate)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	sameLines(t, "main", f.main.Durable(), []string{"1.0 unique http://h/a", "2.0 unique http://h/b", "4.0 unique http://h/c", "5.0 unique http://h/d"})
}

// TestADuplicateThatTurnsOutLateMayBeRefused by its sink, and is a reject then.
func TestADuplicateThatTurnsOutLateMayBeRefused(t *testing.T) {
	f := newFixture(t, pipetest.Refs("http://h/a", "http://h/b"))
	set := f.deferAnswers(1, 100)
	set.Stored = map[dedup.Key]bool{f.options.Hasher.Sum([]byte("http://h/a")): true}
	f.duplicates.Refuse = func(*pipeline.Batch, *pipeline.Record) normalize.Reason { return normalize.SinkTooLarge }
	if s := f.mustRun(t); s.Unique != 1 || s.Rejected != 1 || s.Duplicate != 0 || s.Reasons[normalize.SinkTooLarge] != 1 {
		t.Errorf("%d unique, %d rejected, %d duplicates", s.Unique, s.Rejected, s.Duplicate)
	}
	sameLines(t, "rejects", f.rejects.Durable(), []string{"1.0 rejected sink_too_large http://h/a"})
}

// TestRejectsAreNoLargerShareBecauseTheOthersWait: what waits counts as read.
func TestRejectsAreNoLargerShareBecauseTheOthersWait(t *testing.T) {
	var items []pipetest.Item
	for i := range 4000 {
		items = append(items, pipetest.Refs(fmt.Sprintf("http://h/%d", i))...)
	}
	for range 200 {
		items = append(items, pipetest.Item{Refs: []string{"{broken"}, Reject: normalize.BadRecord})
	}
	f := newFixture(t, items)
	f.deferAnswers(1, 100).Random = rand.New(rand.NewPCG(2, 2))
	f.options.BatchRecords = 100
	f.options.MaxRejects = &pipeline.RejectLimit{Percent: 20}
	if s := f.mustRun(t); s.Rejected != 200 {
		t.Errorf("%d rejected", s.Rejected)
	}
}

// TestFaultsOfTheDiskThatHoldsWhatWaits end the run with nothing committed that isn't written.
func TestFaultsOfTheDiskThatHoldsWhatWaits(t *testing.T) {
	items := randomItems(9, 3000)
	cases := []struct {
		name  string
		harm  func(*pipetest.CrashFS)
		wants error
	}{
		{"full", func(c *pipetest.CrashFS) { c.FailAt(c.Ops()+5, syscall.ENOSPC) }, syscall.ENOSPC},
		{"read-only", func(c *pipetest.CrashFS) { c.SetReadOnly(true) }, syscall.EROFS},
		{"stopped", func(c *pipetest.CrashFS) { c.StopAt(c.Ops() + 5) }, pipetest.ErrStopped},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t, items)
			f.deferAnswers(1, 50)
			f.options.BatchRecords, f.options.CheckpointRecords = 50, 700
			c.harm(f.options.Scratch.FS.(*pipetest.CrashFS))
			_, err := f.run(t)
			if !errors.Is(err, c.wants) || !strings.Contains(err.Error(), "wait") {
				t.Errorf("got %v, want one of what waits: %v", err, c.wants)
			}
			committed := f.source.Committed(0)
			for _, line := range f.main.Durable() {
				var number int64
				if _, err := fmt.Sscanf(line, "%d.", &number); err != nil {
					t.Fatal(err)
				}
				if number > committed {
					t.Fatalf("%s is flushed, committed is %d", line, committed)
				}
			}
		})
	}
	f := newFixture(t, items)
	f.deferAnswers(1, 50).FailSettle = errors.New("the disk is gone")
	if _, err := f.run(t); err == nil || !strings.Contains(err.Error(), "the disk is gone") {
		t.Errorf("got %v, want the set's fault", err)
	}
}

// A lost lane gives up what waits.
func TestALostLaneGivesUpWhatWaits(t *testing.T) {
	items := pipetest.Refs("http://h/a", "http://h/b", "http://h/c")
	items = append(items, pipetest.Item{End: pipeline.LaneLost})
	f := newFixture(t, items)
	set := f.deferAnswers(1, 100)
	set.Random = rand.New(rand.NewPCG(3, 3))
	f.options.BatchRecords = 1
	s, err := pipeline.Run(t.Context(), f.options)
	if err != nil {
		t.Fatal(err)
	}
	balance(t, s)
	if s.InFlight != 0 || s.Waiting != 0 || s.GivenUp == 0 || f.source.Committed(0) != 0 {
		t.Errorf("%d in flight, %d waiting, %d given up, committed %d", s.InFlight, s.Waiting, s.GivenUp, f.source.Committed(0))
	}
}
