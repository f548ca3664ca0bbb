package pipeline_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/urisieve/urisieve/internal/fsys"
	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/normalize/keyrule"
	"github.com/urisieve/urisieve/normalize/uri"
	"github.com/urisieve/urisieve/pipeline"
	"github.com/urisieve/urisieve/pipeline/dedup"
	"github.com/urisieve/urisieve/pipeline/pipetest"
)

// passed are the pass-through columns of the tests.
var passed = []pipeline.Column{{Name: "x_text"}, {Name: "x_number", Kind: pipeline.ColumnInt64}, {Name: "x_time", Kind: pipeline.ColumnTimestamp}}

// everything is a line with all that a column could be made of.
func everything(b *pipeline.Batch, r *pipeline.Record) string {
	row := b.RowOf(r)
	embedded, entity, retrieval := b.Layers(row)
	text, number, at := b.Value(row, 0), b.Value(row, 1), b.Value(row, 2)
	cut, isCut := b.CutOf(r)
	layer := func(l []byte) string { return fmt.Sprintf("%q %t", l, l == nil) }
	return fmt.Sprint(r.Outcome, " ", b.SourceName(row), row.Number, row.Offset, row.Partition, r.Index, r.Element, r.Result, r.KeyRules, r.FilterRule,
		layer(b.Raw(r)), layer(b.Canon(r)), layer(b.KeyText(r)), layer(b.Fragment(r)), layer(embedded), layer(entity), layer(retrieval),
		layer(b.ValueText(text)), text.Null, number.Int, number.Null, at.Int, at.Null, cut, isCut)
}

func surt(b *pipeline.Batch, r *pipeline.Record) string {
	return string(normalize.AppendSURT(nil, b.URL(r), r.Result.Parts))
}

// randomURL makes URLs with long common prefixes, without a host, with ports, userinfo, bytes beyond ASCII.
func randomURL(r *rand.Rand) string {
	tail := fmt.Sprintf("/a/very/long/path/that/many/have/in/common/%d", r.IntN(40))
	switch r.IntN(9) {
	case 0:
		return "mailto:someone@example.org"
	case 1:
		return "urn:isbn:" + fmt.Sprint(r.IntN(10))
	case 2:
		return "file:///" + tail
	case 3:
		return fmt.Sprintf("http://user:secret%d@example.com:%d%s", r.IntN(3), 8000+r.IntN(3), tail)
	case 4:
		return "https://xn--bcher-kva.example/%E6%97%A5" + tail + "#" + strings.Repeat("f", r.IntN(3))
	case 5:
		return "http://bücher.example/日" + tail // no canonical URI is like that, but bytes are bytes
	case 6:
		return "http://[2001:db8::1]" + tail + "?q"
	case 7:
		return "http://192.0.2." + fmt.Sprint(r.IntN(12)) + "/"
	}
	return fmt.Sprintf("http://www%d.example.com%s?id=%d", r.IntN(3), tail, r.IntN(5))
}

// randomBatches makes n settled references in batches of the three columns.
func randomBatches(seed uint64, n, most int) (batches []*pipeline.Batch) {
	r := rand.New(rand.NewPCG(seed, 3))
	maybe := func(text string) []byte {
		switch r.IntN(3) {
		case 0:
			return nil
		case 1:
			return []byte{}
		}
		return []byte(text)
	}
	for number := int64(0); n > 0; {
		b := pipeline.NewBatch(len(passed))
		for range min(n, 1+r.IntN(most)) {
			number++
			row := pipeline.Row{Number: number, Offset: number * 1000, Partition: int32(r.IntN(4) - 1), Base: pipeline.NoBase, Source: b.Source(fmt.Sprintf("links%d.txt", r.IntN(5)))}
			if r.IntN(2) == 0 {
				row.Base = b.AddBase(maybe("http://embedded/"), maybe("http://entity/"), maybe(fmt.Sprintf("http://retrieval/%d", r.IntN(100))))
			}
			b.AddRow(row)
			if text := maybe("a text \xff"); text != nil {
				b.SetText(0, text)
			}
			if r.IntN(2) == 0 {
				b.SetInt(1, r.Int64()-r.Int64())
				b.SetInt(2, -1)
			}
			for range 1 + r.IntN(3) {
				canon := randomURL(r)
				raw := canon
				if r.IntN(2) == 0 {
					raw = "HTTP:\xff\x00" + strings.Repeat("x", r.IntN(200))
				}
				var rec *pipeline.Record
				if r.IntN(9) == 0 {
					b.AddCutReject(uint8(r.IntN(3)), []byte(raw), pipeline.Cut{Bytes: r.Int64(), Hash: [16]byte{1, 15: 9}}, normalize.TooLong, normalize.ComponentPath, 7)
					rec = &b.Records()[len(b.Records())-1]
				} else {
					rec = b.AddRef(uint8(r.IntN(3)), []byte(raw))
				}
				result := rec.Result
				result.Parts = uri.Split([]byte(canon))
				result.Changed, result.Flags = normalize.RuleSet(r.Uint64()), normalize.Flags(r.Uint64()>>r.IntN(64))
				result.BaseUsed = normalize.BaseUsed(r.IntN(3))
				var key []byte
				if r.IntN(3) == 0 {
					key, rec.KeyRules = []byte("http://key/"), keyrule.Set(r.Uint32())
				}
				b.SetCanon(rec, []byte(canon), key, result)
				rec.Outcome = pipeline.Unique + pipeline.Outcome(r.IntN(2))
				n--
			}
		}
		batches = append(batches, b)
	}
	return batches
}

// sortedLines are the lines of all references, sorted as is promised, stretch by stretch.
func sortedLines(batches []*pipeline.Batch, stretch int) (lines []string) {
	type keyed struct {
		key, line string
		record    int64
	}
	var all []keyed
	for _, b := range batches {
		for i := range b.Records() {
			r := &b.Records()[i]
			all = append(all, keyed{surt(b, r), everything(b, r), b.RowOf(r).Number})
		}
	}
	for len(all) > 0 {
		n := len(all)
		if stretch > 0 && stretch < n {
			for n = stretch; n < len(all) && all[n].record == all[n-1].record; n++ {
			}
		}
		slices.SortStableFunc(all[:n], func(a, b keyed) int { return bytes.Compare([]byte(a.key), []byte(b.key)) })
		for _, k := range all[:n] {
			lines = append(lines, k.line)
		}
		all = all[n:]
	}
	return lines
}

func everyRecord(b *pipeline.Batch) pipeline.View {
	v := pipeline.View{Batch: b}
	for i := range b.Records() {
		v.Selected = append(v.Selected, uint32(i))
	}
	return v
}

// TestSorterGivesWhatSliceSortGives, with all that belongs to a reference, whatever the memory, the batches and the sink.
func TestSorterGivesWhatSliceSortGives(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			n := []int{1, 300, 9000, 20_000}[seed%4]
			batches := randomBatches(seed, n, []int{1, 50, 5000}[seed%3])
			stretch := []int{0, 1, 700}[seed/4]
			to := &pipetest.Recorder{Name: "sorted", Journal: new(pipetest.Journal), Line: everything, Keep: int(seed % 4)}
			s := pipeline.NewSorter(to, pipeline.SorterOptions{
				StretchRows: int64(stretch), Memory: 1, Scratch: fsys.Scratch{FS: newScratchFS(), Dir: "/tmp"}, Columns: passed,
			})
			for _, b := range batches {
				if err := s.Write(t.Context(), everyRecord(b)); err != nil {
					t.Fatal(err)
				}
			}
			total := s.Stats().Rows + s.Pending()
			if err := s.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			sameLines(t, "sorted", to.Durable(), sortedLines(batches, stretch))
			st := s.Stats()
			if st.Rows != total || st.Rows < int64(n) || (st.Bytes > 0) != (n >= 9000 && stretch == 0) || s.Pending() != 0 {
				t.Errorf("%d rows of %d, %+v", total, n, st)
			}
			for range 2 {
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if to.Durable() == nil {
				t.Error("nothing was written")
			}
		})
	}
}

// sortBoth puts Sorters before the main sink of a fixture and before that of its duplicates.
func (f *fixture) sortBoth(o pipeline.SorterOptions) (sorters []*pipeline.Sorter) {
	if o.Scratch.FS == nil {
		o.Scratch = fsys.Scratch{FS: newScratchFS(), Dir: "/tmp"}
	}
	sorted, dups := pipeline.NewSorter(f.main, o), pipeline.NewSorter(f.duplicates, o)
	f.options.Open = func(context.Context, pipeline.LaneID) (*pipeline.Lane, error) {
		lane := &pipeline.Lane{Sink: sorted, Rejects: f.rejects, Set: f.set}
		if f.options.Duplicates == pipeline.SplitDuplicates {
			lane.Duplicates = dups
		}
		return lane, nil
	}
	return []*pipeline.Sorter{sorted, dups}
}

// TestSortedRunsAreTheSameHoweverTheyRun: what a run writes is its unsorted output, sorted; rejects keep their order.
func TestSortedRunsAreTheSameHoweverTheyRun(t *testing.T) {
	items := randomItems(11, 6000)
	line := func(b *pipeline.Batch, r *pipeline.Record) string { return surt(b, r) + "\x00" + pipetest.Line(b, r) }
	sorted := func(lines []string) []string {
		lines = slices.Clone(lines)
		slices.SortStableFunc(lines, func(a, b string) int {
			a, _, _ = strings.Cut(a, "\x00")
			b, _, _ = strings.Cut(b, "\x00")
			return strings.Compare(a, b)
		})
		return lines
	}
	for _, policy := range []pipeline.DuplicatePolicy{pipeline.DropDuplicates, pipeline.MarkDuplicates, pipeline.SplitDuplicates} {
		want := newFixture(t, items)
		want.main.Line, want.duplicates.Line = line, line
		want.options.Duplicates = policy
		want.open(want.set)
		stats := want.mustRun(t)
		for i, o := range []pipeline.SorterOptions{{Memory: 1 << 20}, {Memory: 1 << 30}, {Memory: 1 << 20, StretchRows: 1 << 40}} {
			for _, workers := range []int{1, 4} {
				f := newFixture(t, items)
				f.main.Line, f.duplicates.Line = line, line
				f.main.Keep, f.options.Duplicates, f.options.Workers, f.options.BatchRecords = i, policy, workers, 1+workers*500
				f.sortBoth(o)
				if got := f.mustRun(t); got.Committed != stats.Committed || got.Unique != stats.Unique {
					t.Errorf("%d committed, %d unique", got.Committed, got.Unique)
				}
				sameLines(t, "main", f.main.Durable(), sorted(want.main.Durable()))
				sameLines(t, "duplicates", f.duplicates.Durable(), sorted(want.duplicates.Durable()))
				sameLines(t, "rejects", f.rejects.Durable(), want.rejects.Durable())
			}
		}
	}
}

// TestSortedStretchesEndWithCheckpoints: where a checkpoint lies in the middle, what came before it is sorted and
// durable with it.
func TestSortedStretchesEndWithCheckpoints(t *testing.T) {
	f := newFixture(t, pipetest.Refs("http://h/4", "http://h/3", "http://h/2", "http://h/1"))
	f.options.CheckpointRecords, f.options.Duplicates = 3, pipeline.DropDuplicates
	f.sortBoth(pipeline.SorterOptions{StretchRows: 100})
	f.mustRun(t)
	sameLines(t, "main", f.main.Durable(), []string{
		"3.0 unique http://h/2", "2.0 unique http://h/3", "1.0 unique http://h/4", "4.0 unique http://h/1",
	})
}

// TestOneOrderTakesOneCheckpoint: with checkpoints before the end, one order over everything can't be had.
func TestOneOrderTakesOneCheckpoint(t *testing.T) {
	for _, set := range []func(o *pipeline.Options){
		func(o *pipeline.Options) { o.CheckpointRecords = 3 },
		func(o *pipeline.Options) { o.CheckpointBytes = 3 },
		func(o *pipeline.Options) { o.CheckpointEvery = 3 },
	} {
		f := newFixture(t, randomItems(1, 10))
		set(&f.options)
		sorters := f.sortBoth(pipeline.SorterOptions{})
		if _, err := f.run(t); err == nil || !strings.Contains(err.Error(), "one checkpoint, at the end") {
			t.Errorf("got %v", err)
		}
		for _, s := range sorters {
			s.Close()
		}
	}
	to := &pipetest.Recorder{Name: "sorted", Journal: new(pipetest.Journal)}
	s := pipeline.NewSorter(to, pipeline.SorterOptions{Scratch: fsys.Scratch{FS: newScratchFS(), Dir: "/tmp"}, Columns: passed})
	b := randomBatches(1, 1, 1)[0]
	for i, want := range []bool{true, false} {
		if err := s.Flush(t.Context()); err != nil { // of nothing: no end
			t.Fatal(err)
		}
		if err := s.Write(t.Context(), everyRecord(b)); (err == nil) != want {
			t.Errorf("write %d: %v", i, err)
		}
		if err := s.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestFaultsOfASortedRun: of the disk, of the sink behind, of the context: nothing is committed, nothing durable.
func TestFaultsOfASortedRun(t *testing.T) {
	items := randomItems(12, 4000)
	for name, spoil := range map[string]func(f *fixture, disk *pipetest.CrashFS) error{
		"full disk": func(_ *fixture, disk *pipetest.CrashFS) error {
			disk.FailAt(disk.Ops()+5, syscall.ENOSPC)
			return syscall.ENOSPC
		},
		"no file can be made": func(_ *fixture, disk *pipetest.CrashFS) error {
			disk.SetReadOnly(true)
			return syscall.EROFS
		},
		"the sink behind refuses": func(f *fixture, _ *pipetest.CrashFS) error { f.main.FailWrite = at(1); return errFault },
		"it can't be flushed":     func(f *fixture, _ *pipetest.CrashFS) error { f.main.FailFlush = at(1); return errFault },
	} {
		f := newFixture(t, items)
		f.options.Duplicates = pipeline.DropDuplicates
		disk := newScratchFS()
		f.sortBoth(pipeline.SorterOptions{Memory: 1, Scratch: fsys.Scratch{FS: disk, Dir: "/tmp"}})
		want := spoil(f, disk)
		stats, err := f.run(t)
		if !errors.Is(err, want) {
			t.Errorf("%s: got %v", name, err)
		}
		if stats.Committed != 0 || len(f.main.Durable()) != 0 {
			t.Errorf("%s: %d committed, %d durable", name, stats.Committed, len(f.main.Durable()))
		}
	}
}

// TestTheSecondSignalEndsAMerge: when the context ends while the output is put in order, the run does.
func TestTheSecondSignalEndsAMerge(t *testing.T) {
	f := newFixture(t, randomItems(13, 9000))
	f.options.Duplicates = pipeline.MarkDuplicates
	f.sortBoth(pipeline.SorterOptions{Memory: 1})
	ctx, cancel := context.WithCancel(t.Context())
	writes := 0
	f.main.FailWrite = func(n int) error {
		writes = n
		cancel()
		return nil
	}
	stats, err := pipeline.Run(ctx, f.options)
	if !errors.Is(err, context.Canceled) || writes != 1 || stats.Committed != 0 {
		t.Errorf("%d writes, %d committed, %v", writes, stats.Committed, err)
	}
}

// TestUnflushedRowsOfASorterAreKnown: whoever closes it can tell that something was given up.
func TestUnflushedRowsOfASorterAreKnown(t *testing.T) {
	to := &pipetest.Recorder{Name: "sorted", Journal: new(pipetest.Journal)}
	s := pipeline.NewSorter(to, pipeline.SorterOptions{Scratch: fsys.Scratch{FS: newScratchFS(), Dir: "/tmp"}, Columns: passed})
	if err := s.Write(t.Context(), everyRecord(randomBatches(1, 5, 9)[0])); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s.Pending() == 0 {
		t.Error("nothing is pending")
	}
}

// TestSorterCostsNoAllocationForAReference beyond those of runs and batches.
func TestSorterCostsNoAllocationForAReference(t *testing.T) {
	var n int
	batches := randomBatches(2, 8000, 3000)
	views := make([]pipeline.View, len(batches))
	for i, b := range batches {
		views[i] = everyRecord(b)
		n += len(b.Records())
	}
	s := pipeline.NewSorter(discard{}, pipeline.SorterOptions{Memory: 1, StretchRows: 1 << 40, Scratch: fsys.Scratch{FS: fsys.OS{}, Dir: t.TempDir()}, Columns: passed})
	defer s.Close()
	per := testing.AllocsPerRun(3, func() {
		for _, v := range views {
			if err := s.Write(t.Context(), v); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	if per > float64(n)/10 {
		t.Errorf("%.0f allocations for %d references", per, n)
	}
}

// discard is a sink that takes everything and keeps nothing.
type discard struct{}

func (discard) Check(*pipeline.Batch, *pipeline.Record) normalize.Reason { return normalize.OK }
func (discard) Write(context.Context, pipeline.View) error               { return nil }
func (discard) Flush(context.Context) error                              { return nil }
func (discard) Close() error                                             { return nil }

func TestDefaultSortMemory(t *testing.T) {
	if m := pipeline.DefaultSortMemory(); m <= 0 || m > 4<<30 || m > dedup.DefaultMemory() {
		t.Errorf("%d bytes", m)
	}
}
