package pipetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/urisieve/urisieve/pipeline"
)

// SourceCase is a Source under test.
type SourceCase struct {
	// Open opens a source of at least ten records in one lane, the same ones each time, that ends.
	Open func(t *testing.T) pipeline.Source
	// Blocked opens a source that has nothing to read and doesn't end: a pipe that nobody writes to. nil for a
	// source that never waits.
	Blocked func(t *testing.T) pipeline.Source
}

// soon is how long a source may take to notice that it is to stop: much more than it needs.
const soon = 10 * time.Second

// TestSource holds a Source to its contract.
func TestSource(t *testing.T, c SourceCase) {
	t.Run("records come in order, each once", func(t *testing.T) { c.positions(t) })
	t.Run("nothing is lost in small batches", func(t *testing.T) { c.smallBatches(t) })
	t.Run("the end stays the end", func(t *testing.T) { c.end(t) })
	t.Run("a context that has ended stops it", func(t *testing.T) { c.canceled(t) })
	t.Run("Commit takes positions, old ones and unknown lanes", func(t *testing.T) { c.commit(t) })
	t.Run("Stats count the records", func(t *testing.T) { c.stats(t) })
	t.Run("Close in the middle leaves nothing behind", func(t *testing.T) { c.closeEarly(t) })
	if c.Blocked == nil {
		return
	}
	t.Run("a context that ends wakes a Fill that waits", func(t *testing.T) { c.cancelBlocked(t) })
	t.Run("Close wakes a Fill that waits", func(t *testing.T) { c.closeBlocked(t) })
}

// seen is what a source gave.
type seen struct {
	lines     []string // a line a reference
	positions []pipeline.Position
}

// drain reads a source to its end in batches of at most so many references.
func drain(t *testing.T, s pipeline.Source, records int) seen {
	t.Helper()
	columns, elements := s.Columns()
	b := pipeline.NewBatch(len(columns))
	b.SetLimits(records, 1<<20)
	var all seen
	for {
		b.Reset()
		err := s.Fill(t.Context(), b)
		if err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		if err == nil && len(b.Rows()) == 0 && b.End == pipeline.LaneGoesOn {
			t.Fatal("Fill came back without a record, an end or an error")
		}
		all.add(t, b, len(columns), len(elements))
		if err != nil {
			return all
		}
	}
}

func (all *seen) add(t *testing.T, b *pipeline.Batch, columns, elements int) {
	t.Helper()
	for i := range b.Rows() {
		row := &b.Rows()[i]
		all.positions = append(all.positions, pipeline.Position{
			Lane: b.Lane, Source: b.SourceName(row), Number: row.Number, Offset: row.Offset,
		})
	}
	index := uint32(0)
	for i := range b.Records() {
		r := &b.Records()[i]
		if i > 0 && r.Row == b.Records()[i-1].Row {
			index++
		} else {
			index = 0
		}
		if r.Index != index {
			t.Fatalf("record %d: index %d, want %d", b.RowOf(r).Number, r.Index, index)
		}
		if int(r.Element) >= elements {
			t.Fatalf("element %d of %d", r.Element, elements)
		}
		if r.Outcome != pipeline.Undecided && r.Outcome != pipeline.Rejected {
			t.Fatalf("a source decided on %v", r.Outcome)
		}
		row := b.RowOf(r)
		embedded, entity, retrieval := b.Layers(row)
		var line strings.Builder
		fmt.Fprintf(&line, "%s:%d@%d.%d [%d] %q %v %q %q %q", b.SourceName(row), row.Number, row.Offset, r.Index,
			r.Element, b.Raw(r), r.Result.Reason, embedded, entity, retrieval)
		for c := range columns {
			v := b.Value(row, c)
			fmt.Fprintf(&line, " %v/%d/%q", v.Null, v.Int, b.ValueText(v))
		}
		all.lines = append(all.lines, line.String())
	}
}

func open(t *testing.T, f func(t *testing.T) pipeline.Source) pipeline.Source {
	t.Helper()
	current := goleak.IgnoreCurrent()
	s := f(t)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		if err := goleak.Find(current); err != nil {
			t.Errorf("after Close: %v", err)
		}
	})
	return s
}

func (c *SourceCase) positions(t *testing.T) {
	all := drain(t, open(t, c.Open), 1<<20)
	if len(all.positions) < 10 {
		t.Fatalf("%d records: too few to show anything", len(all.positions))
	}
	last := map[string]pipeline.Position{}
	for i, p := range all.positions {
		if i > 0 && p.Lane != all.positions[0].Lane {
			t.Fatalf("lane %d beside lane %d", p.Lane, all.positions[0].Lane)
		}
		old, ok := last[p.Source]
		if ok && (p.Number <= old.Number || p.Offset < old.Offset) {
			t.Fatalf("record %+v after %+v", p, old)
		}
		if ok && p.Source != all.positions[i-1].Source {
			t.Fatalf("%s comes again after another source", p.Source)
		}
		last[p.Source] = p
	}
}

func (c *SourceCase) smallBatches(t *testing.T) {
	whole := drain(t, open(t, c.Open), 1<<20)
	for _, records := range []int{1, 2, 7} {
		small := drain(t, open(t, c.Open), records)
		if !slices.Equal(small.lines, whole.lines) {
			t.Fatalf("batches of %d: %d references, %d in large ones, or others", records, len(small.lines), len(whole.lines))
		}
		if !slices.Equal(small.positions, whole.positions) {
			t.Fatalf("batches of %d: other records than in large ones", records)
		}
	}
}

func (c *SourceCase) end(t *testing.T) {
	s := open(t, c.Open)
	drain(t, s, 1<<20)
	b := pipeline.NewBatch(0)
	for range 2 {
		if err := s.Fill(t.Context(), b); !errors.Is(err, io.EOF) || len(b.Rows()) > 0 {
			t.Fatalf("Fill after the end: %d records, %v; want io.EOF", len(b.Rows()), err)
		}
	}
}

func (c *SourceCase) canceled(t *testing.T) {
	s := open(t, c.Open)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	columns, _ := s.Columns()
	b := pipeline.NewBatch(len(columns))
	b.SetLimits(1, 1)
	// What it has already it may give, but not go on for ever.
	for range 1000 {
		b.Reset()
		if err := s.Fill(ctx, b); err != nil {
			if !errors.Is(err, context.Canceled) && !errors.Is(err, io.EOF) {
				t.Fatalf("got %v, want context.Canceled", err)
			}
			return
		}
	}
	t.Fatal("Fill goes on though its context has ended")
}

func (c *SourceCase) commit(t *testing.T) {
	s := open(t, c.Open)
	all := drain(t, s, 1<<20)
	n := len(all.positions)
	for _, upto := range [][]pipeline.Position{
		{all.positions[n/2]}, {all.positions[n/2]}, {all.positions[n-1]}, {{Lane: 1 << 31}}, nil,
	} {
		if err := s.Commit(t.Context(), upto); err != nil {
			t.Fatalf("Commit(%+v): %v", upto, err)
		}
	}
}

func (c *SourceCase) stats(t *testing.T) {
	s := open(t, c.Open)
	all := drain(t, s, 7)
	if got := s.Stats().Records; got != int64(len(all.positions)) {
		t.Errorf("Stats count %d records, there were %d", got, len(all.positions))
	}
}

func (c *SourceCase) closeEarly(t *testing.T) {
	s := open(t, c.Open)
	columns, _ := s.Columns()
	b := pipeline.NewBatch(len(columns))
	b.SetLimits(1, 1)
	if err := s.Fill(t.Context(), b); err != nil {
		t.Fatal(err)
	}
}

// fillAside calls Fill on a goroutine of its own.
func fillAside(ctx context.Context, s pipeline.Source) <-chan error {
	done := make(chan error, 1)
	columns, _ := s.Columns()
	go func() { done <- s.Fill(ctx, pipeline.NewBatch(len(columns))) }()
	return done
}

func (c *SourceCase) cancelBlocked(t *testing.T) {
	s := open(t, c.Blocked)
	ctx, cancel := context.WithCancel(t.Context())
	done := fillAside(ctx, s)
	select {
	case err := <-done:
		t.Fatalf("Fill came back with nothing to read: %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	cancel()
	select {
	case err := <-done:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}
	case <-time.After(soon):
		t.Fatal("Fill still waits though its context has ended")
	}
}

func (c *SourceCase) closeBlocked(t *testing.T) {
	current := goleak.IgnoreCurrent()
	s := c.Blocked(t)
	done := fillAside(t.Context(), s)
	time.Sleep(20 * time.Millisecond)
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	select {
	case err := <-done:
		if err == nil {
			t.Error("Fill came back without an error")
		}
	case <-time.After(soon):
		t.Fatal("Fill still waits though the source is closed")
	}
	if err := goleak.Find(current); err != nil {
		t.Errorf("after Close: %v", err)
	}
}
