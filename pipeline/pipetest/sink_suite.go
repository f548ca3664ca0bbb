package pipetest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/normalize/uri"
	"github.com/urisieve/urisieve/pipeline"
)

// SinkCase is how TestSink gets at a sink.
type SinkCase struct {
	// Open makes an empty sink.
	Open func(t *testing.T) pipeline.Sink
	// Durable gives the urls that a crash right now would leave, of the sink that Open made last, in
	// order. It is called after Flush or Close.
	Durable func(t *testing.T) []string
}

// TestSink holds what every pipeline.Sink must do: keep the order, make durable what was flushed, let go of
// batches without waiting for more, give errors of the context back, and end with Close.
func TestSink(t *testing.T, c SinkCase) {
	t.Run("what is flushed is durable, in order", func(t *testing.T) { sinkKeepsOrder(t, c) })
	t.Run("only the selected references are written", func(t *testing.T) { sinkSelects(t, c) })
	t.Run("a flush of nothing is no error", func(t *testing.T) { sinkFlushesNothing(t, c) })
	t.Run("batches come back without another write", func(t *testing.T) { sinkReleases(t, c) })
	t.Run("a context that ended is given back", func(t *testing.T) { sinkHonorsContext(t, c) })
	t.Run("close may be called twice", func(t *testing.T) { sinkClosesTwice(t, c) })
}

// settled makes a batch of unique references that count from first.
func settled(first, n int) *pipeline.Batch {
	b := pipeline.NewBatch(0)
	source := b.Source("suite")
	for i := range n {
		url := sinkURL(first + i)
		b.AddRow(pipeline.Row{Number: int64(first + i + 1), Offset: int64(first+i) * 10, Partition: -1, Base: pipeline.NoBase, Source: source})
		r := b.AddRef(0, []byte(url))
		r.Outcome = pipeline.Unique
		b.SetCanon(r, []byte(url), nil, normalize.Result{Parts: uri.Split([]byte(url))})
	}
	return b
}

func sinkURL(i int) string { return fmt.Sprintf("http://example.com/%d", i) }

func all(b *pipeline.Batch) pipeline.View {
	v := pipeline.View{Batch: b}
	for i := range b.Records() {
		v.Selected = append(v.Selected, uint32(i))
	}
	return v
}

func mustBe(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

func checkDurable(t *testing.T, c SinkCase, want []string) {
	t.Helper()
	got := c.Durable(t)
	if len(got) != len(want) {
		t.Fatalf("%d urls are durable, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("url %d is %s, want %s", i, got[i], want[i])
		}
	}
}

func sinkKeepsOrder(t *testing.T, c SinkCase) {
	s := c.Open(t)
	var want []string
	for batch := range 20 {
		n := 1 + batch*7%50
		b := settled(len(want), n)
		v := all(b)
		for i := range n {
			if reason := s.Check(b, &b.Records()[i]); reason != normalize.OK {
				t.Fatalf("an ordinary reference is refused: %s", reason)
			}
			want = append(want, sinkURL(len(want)))
		}
		mustBe(t, "write", s.Write(t.Context(), v))
		clear(v.Selected) // the caller's own, once Write has returned
		b.Release()
		if batch%6 == 5 {
			mustBe(t, "flush", s.Flush(t.Context()))
			checkDurable(t, c, want)
		}
	}
	mustBe(t, "flush", s.Flush(t.Context()))
	checkDurable(t, c, want)
	mustBe(t, "close", s.Close())
	checkDurable(t, c, want)
}

func sinkSelects(t *testing.T, c SinkCase) {
	s := c.Open(t)
	b := settled(0, 5)
	mustBe(t, "write", s.Write(t.Context(), pipeline.View{Batch: b, Selected: []uint32{1, 4}}))
	mustBe(t, "write of nothing", s.Write(t.Context(), pipeline.View{Batch: b}))
	mustBe(t, "flush", s.Flush(t.Context()))
	checkDurable(t, c, []string{sinkURL(1), sinkURL(4)})
	mustBe(t, "close", s.Close())
}

func sinkFlushesNothing(t *testing.T, c SinkCase) {
	s := c.Open(t)
	mustBe(t, "flush", s.Flush(t.Context()))
	mustBe(t, "flush again", s.Flush(t.Context()))
	mustBe(t, "close", s.Close())
}

// sinkReleases releases its own hold of each batch, and then asks for one hold less than there may be:
// Release panics when the sink has kept fewer than it took, and a sink that keeps one for ever would
// starve a pool, so all must be gone after Flush.
func sinkReleases(t *testing.T, c SinkCase) {
	s := c.Open(t)
	var batches []*pipeline.Batch
	for i := range 30 {
		b := settled(i, 1)
		batches = append(batches, b)
		mustBe(t, "write", s.Write(t.Context(), all(b)))
	}
	mustBe(t, "flush", s.Flush(t.Context()))
	for i, b := range batches {
		b.Release()
		if !overReleased(b) {
			t.Fatalf("after a flush the sink still holds batch %d", i)
		}
	}
	mustBe(t, "close", s.Close())
}

// overReleased reports whether nobody holds a batch any more: one more Release is refused then.
func overReleased(b *pipeline.Batch) (refused bool) {
	defer func() { refused = recover() != nil }()
	b.Release()
	return false
}

func sinkHonorsContext(t *testing.T, c SinkCase) {
	s := c.Open(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Flush(ctx); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want nil or context.Canceled", err)
	}
	mustBe(t, "close", s.Close())
}

func sinkClosesTwice(t *testing.T, c SinkCase) {
	s := c.Open(t)
	mustBe(t, "close", s.Close())
	mustBe(t, "close again", s.Close())
}
