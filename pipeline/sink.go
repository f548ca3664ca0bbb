package pipeline

import (
	"context"

	"github.com/urisieve/urisieve/normalize"
)

// Sink writes references. The settle goroutine of its lane calls all methods, one at a time.
type Sink interface {
	// Check says whether the sink can take r at all (size limits and the like), before the key is
	// claimed: a refusal after that would lose the page. OK lets it through.
	Check(b *Batch, r *Record) normalize.Reason
	// Write takes the selected references: accepted, not durable. It keeps nothing of v unless it retains
	// the batch: see Batch.Retain.
	Write(ctx context.Context, v View) error
	// Flush makes all that was accepted durable.
	Flush(ctx context.Context) error
	// Close gives everything up; what was not flushed is dropped. See Lane.Close for when.
	Close() error
}

// IdleSink is a Sink whose reader may be waiting at a pipe. Idle hands over what is buffered,
// without a promise of durability; settle calls it when the source has nothing to read just now.
type IdleSink interface {
	Sink
	Idle(ctx context.Context) error
}

// StretchSink is a Sink that ends its file where a stretch of sorted references ends: see Sorter.
type StretchSink interface {
	Sink
	// EndStretch says that what was written is in an order, and that what comes begins another one. It promises nothing about
	// durability.
	EndStretch(ctx context.Context) error
}

// FinalSink is a Sink that may be able to take nothing more after a Flush, since what it writes depends on all that
// comes. Where Final says so, Run refuses Options that make checkpoints before the end.
type FinalSink interface {
	Sink
	Final() bool
}
