package pipeline

import (
	"context"
	"errors"

	"github.com/urisieve/urisieve/pipeline/dedup"
)

// Lane is what one lane writes to. Where Options.Open gives the same *Lane for several ids, these
// share its sinks and set: one settle goroutine serves them all, and they are checkpointed
// together, so that no lane commits while anything that it touched isn't flushed.
//
// Of a batch, or the part of it up to a checkpoint, every reference has its outcome before the first Write; then
// come the rejected ones, the duplicates, and the output, each in one Write, if there are any.
type Lane struct {
	// Sink takes the unique references, and the duplicates where they are marked.
	Sink Sink
	// Rejects takes the rejected ones; nil: they are counted only. It must take whatever comes: its
	// Check isn't asked.
	Rejects Sink
	// Duplicates takes the duplicates under SplitDuplicates, else it must be nil.
	Duplicates Sink
	// Set decides what is a duplicate.
	Set dedup.Set
	// Close ends the lane, on its settle goroutine, after the last checkpoint: err is nil when all
	// that came was settled, flushed and committed. What it returns is a fault like one of Flush. Default
	// nil: all sinks and the set are closed. After that Open must not give this *Lane again.
	Close func(err error) error
}

// ErrLaneLost is wrapped by an error of a sink, a set, Source.Commit that ends the lane and not the
// run: the partition belongs to someone else now. What of the lane isn't committed is given up.
var ErrLaneLost = errors.New("the lane belongs to someone else now")

// LaneSource is a Source of several lanes that can serve those alone which have memory left, so that a
// lane whose sink is stuck stalls no other. Run calls FillLanes in place of Fill.
type LaneSource interface {
	Source
	// FillLanes is Fill for a lane of those that q admits. When it has records of none of them, it
	// waits for records, ctx, or q.
	FillLanes(ctx context.Context, b *Batch, q Quota) error
}

// Quota says which lanes may be filled.
type Quota interface {
	// Admits reports whether the lane has memory left for a batch. One that was never filled has.
	Admits(id LaneID) bool
	// Changed gets a token each time that a lane may have come to be admitted.
	Changed() <-chan struct{}
}

// LaneEnd says that a batch is the last one of its lane.
type LaneEnd uint8

// Ways in which a lane ends.
const (
	LaneGoesOn LaneEnd = iota
	LaneDone           // all that came of it is written, flushed and committed, then it is closed
	LaneLost           // it belongs to someone else now: what isn't committed is given up, this batch too
)
