package pipeline_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/pipeline"
	"github.com/urisieve/urisieve/pipeline/pipetest"
)

// TestPoolBoundsMemory has a sink keep what it can, among records of all sizes: what is in use never passes the
// bound by more than the batch that was being filled and normalized.
func TestPoolBoundsMemory(t *testing.T) {
	var items []pipetest.Item
	for i := range 400 {
		size := 10
		if i%50 == 25 {
			size = 300 << 10
		}
		items = append(items, pipetest.Item{Refs: []string{fmt.Sprintf("http://h/%d/%s", i, strings.Repeat("x", size))}})
	}
	f := newFixture(t, items)
	n, err := normalize.New(normalize.Options{MaxURIBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	f.options.Normalizer = n
	f.options.BatchRecords, f.options.BatchBytes, f.options.Workers = 4, 4<<10, 2
	f.options.PoolBytes = 10 * pipeline.NominalBatchBytes(4, 4<<10)
	f.options.Meter = new(pipeline.Meter)
	f.main.Keep = 3
	peak := int64(0)
	f.main.FailWrite = func(int) error {
		peak = max(peak, f.options.Meter.Stats().PoolBytes)
		return nil
	}
	f.mustRun(t)
	if n := len(f.main.Durable()); n != 400 {
		t.Errorf("%d references, want 400", n)
	}
	// A large batch holds its reference twice, raw and canonical, in arenas up to twice its size. Two may be
	// under way before the pool knows of the first.
	if limit := f.options.PoolBytes + 2*2*2*(300<<10); peak > limit {
		t.Errorf("%d bytes in use, want at most %d", peak, limit)
	}
	if end := f.options.Meter.Stats().PoolBytes; end != 0 {
		t.Errorf("%d bytes in use after the end", end)
	}
}

// TestSmallestPool runs with memory for one batch.
func TestSmallestPool(t *testing.T) {
	items := randomItems(9, 300)
	want := newFixture(t, items)
	want.mustRun(t)
	f := newFixture(t, items)
	f.options.PoolBytes, f.options.BatchRecords, f.options.Workers = 1, 5, 4
	f.mustRun(t)
	sameLines(t, "main", f.main.Durable(), want.main.Durable())
}

// TestRecordThatAsksForTooMuch is one of very many short references with a long base: it goes
// through in several batches, to the same result, and is committed with the last of them.
func TestRecordThatAsksForTooMuch(t *testing.T) {
	big := pipetest.Item{Base: "http://base.example/" + strings.Repeat("d", 4000) + "/"}
	for i := range 3000 {
		big.Refs = append(big.Refs, fmt.Sprintf("http://h/%d", i%2000))
	}
	items := append(pipetest.Refs("http://h/first"), big)
	items = append(items, pipetest.Refs("http://h/last")...)
	for _, limit := range []int64{0, 2500} {
		f := newFixture(t, items)
		f.options.BatchBytes, f.options.CheckpointRecords, f.options.Limit = 8<<10, 1, limit
		f.source.Pass = []pipeline.Column{{Name: "x_n"}, {Name: "x_i", Kind: pipeline.ColumnInt64}}
		f.main.Line = func(b *pipeline.Batch, r *pipeline.Record) string {
			row := b.RowOf(r)
			_, _, base := b.Layers(row)
			return fmt.Sprintf("%s %d %s %d", pipetest.Line(b, r), len(base), b.ValueText(b.Value(row, 0)), b.Value(row, 1).Int)
		}
		s := f.mustRun(t)
		var want []string
		want = append(want, "1.0 unique http://h/first 0 1 1")
		for i := range 2000 {
			want = append(want, fmt.Sprintf("2.%d unique http://h/%d 4021 2 2", i, i))
		}
		committed := int64(1)
		if limit == 0 {
			want = append(want, "3.0 unique http://h/last 0 3 3")
			committed = 3
		}
		sameLines(t, "main", f.main.Durable(), want)
		if s.Batches < 10 {
			t.Errorf("%d batches: the record wasn't taken apart", s.Batches)
		}
		if got := f.source.Committed(0); got != committed {
			t.Errorf("limit %d: committed up to %d, want %d", limit, got, committed)
		}
	}
}

func TestReleaseTooOftenPanics(t *testing.T) {
	b := pipeline.NewBatch(0)
	b.Release()
	defer func() {
		if recover() == nil {
			t.Error("a second Release went unnoticed")
		}
	}()
	b.Release()
}

func TestViewYieldsWhatIsSelected(t *testing.T) {
	b := pipeline.NewBatch(0)
	b.AddRow(pipeline.Row{Base: pipeline.NoBase, Source: b.Source("s")})
	for i := range 5 {
		b.AddRef(0, fmt.Append(nil, i))
	}
	v := pipeline.View{Batch: b, Selected: []uint32{1, 3}}
	var got []string
	for r := range v.All() {
		got = append(got, string(b.Raw(r)))
	}
	if v.Len() != 2 || strings.Join(got, " ") != "1 3" {
		t.Errorf("got %q", got)
	}
}
