package pipeline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/urisieve/urisieve/internal/fsys"
	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/pipeline/dedup"
)

// Options say what Run does. Source, Normalizer and Open are required; the zero value of every
// other field is its default.
type Options struct {
	// Source is where references come from. Run reads and commits it; whoever opened it closes it,
	// after Run.
	Source Source
	// Normalizer is cloned for each worker.
	Normalizer *normalize.Normalizer
	// Hasher makes the keys. Its secret must be that of every set that Open gives. The zero Hasher
	// is for tests: its secret is known to all.
	Hasher dedup.Hasher
	// Open opens what a lane writes to, when its first batch arrives, on the reader goroutine. It
	// may give the same *Lane for several ids: see Lane.
	Open func(ctx context.Context, id LaneID) (*Lane, error)
	// Others make a further key of each reference, by which another state than that of the run knows it. The sets
	// that Open gives must then be a *dedup.Earlier of as many states. Default: none.
	Others []OtherKey
	// Scope filters by the canonical url. Default nil: everything passes.
	Scope *Scope
	// Duplicates says what becomes of duplicates. Default DropDuplicates.
	Duplicates DuplicatePolicy

	// Order is that of the output. Default InputOrder.
	Order Order

	// Workers is the number of normalizing goroutines. Default GOMAXPROCS; 1 to 1,024.
	Workers int
	// BatchRecords is the number of references after which a batch is handed over; a batch may go
	// over by the one source record that is being added. Default 4,096; 1 to 1 Mi.
	BatchRecords int
	// BatchBytes does the same for bytes of input. Default 1 MiB; 1 B to 64 MiB.
	BatchBytes int
	// PoolBytes bounds the memory of all batches together; when it is used up the source isn't
	// read until a sink releases a batch. There is always at least one batch a lane, however
	// small PoolBytes is. Default 64 MiB, or what two batches a worker and four more need if that is
	// more; at least 1 B.
	PoolBytes int64

	// CheckpointRecords is the number of source records of a lane after which everything is
	// flushed, synced and committed. Default 0: no checkpoint by records.
	CheckpointRecords int64
	// CheckpointBytes does the same for bytes of references, as they came in. Default 0: none.
	CheckpointBytes int64
	// CheckpointEvery does the same by age: the time since the first reference that isn't committed yet.
	// Where a checkpoint closes a file (Parquet), this makes file boundaries depend on
	// the clock: for streams only. Default 0: none. With all three 0 there is one checkpoint, at the end.
	CheckpointEvery time.Duration

	// TimeColumn names the pass-through column, of kind ColumnTimestamp, that dates a reference for a set that takes dates (dedup.State). A
	// reference without a date, or of a time to come, is dated Now. Default "": all are.
	TimeColumn string
	// Now is the time of the run, in seconds since 1970, for TimeColumn. Default 0: when Run begins.
	Now uint32

	// Hosts names the host of each reference to a set that forgets hosts (dedup.State). It costs a fingerprint for each. Default
	// false: as long as no host was forgotten, there is no need.
	Hosts bool

	// Scratch makes the files for references that wait for a DeferringSet. Default: in the system's
	// directory for temporary files.
	Scratch fsys.Scratch

	// OnCheckpoint is called in each checkpoint of a lane, or of the lanes that share a *Lane, on their settle goroutine: what
	// they wrote is flushed, and their set is about to be synced. upto are the last source records that are settled as a
	// whole; none is of a lane that has not settled one. An error ends the run before anything is synced. Default nil.
	OnCheckpoint func(upto []Position) error

	// Limit ends the run after exactly that many references, as if the source ended there.
	// Default 0: none.
	Limit int64
	// MaxRejects ends the run with a *TooManyRejectsError. Default nil: no limit.
	MaxRejects *RejectLimit
	// OnRejectsInRow is called, once in a run, when 1,000 references in a row were rejected: most
	// likely a wrong field or format. It is called on a settle goroutine and should return soon.
	OnRejectsInRow func(inRow int64, samples []RejectSample)

	// DryRun does everything but write: no sink is called but for Check, nothing is synced or committed.
	// The lanes' sinks may then be nil; their sets are used and should be throw-away ones.
	DryRun bool
	// IdleFlush is how long a lane waits for the next batch before it calls IdleSink.Idle.
	// A batch that the source handed over before it was full shows that the source has no more just
	// now: then Idle is called at once. Default 10 ms.
	IdleFlush time.Duration
	// Drain, when closed, ends the run in order: the reader stops, all that was read is written, flushed and
	// committed. Cancel the context to stop at once instead. Default nil: never.
	Drain <-chan struct{}

	// Meter gives counts while the run is going on, to any goroutine. Default nil.
	Meter *Meter
	// OnProgress is called with the counts every ProgressEvery, on a goroutine of its own, and never after
	// Run returned. Default nil.
	OnProgress func(Stats)
	// ProgressEvery is the time between two calls of OnProgress. Default 1 s.
	ProgressEvery time.Duration

	beforeWork func() // of tests: called by a worker before each batch
}

// OtherKey makes the keys of a state that was made under settings, or with a secret, of its own.
type OtherKey struct {
	Normalizer *normalize.Normalizer // cloned for each worker
	Hasher     dedup.Hasher
}

// DuplicatePolicy says what becomes of duplicates.
type DuplicatePolicy uint8

// Policies.
const (
	DropDuplicates  DuplicatePolicy = iota // counted only
	MarkDuplicates                         // to Lane.Sink, beside the unique ones, in input order; Record.Outcome tells them apart
	SplitDuplicates                        // to Lane.Duplicates
)

// Order says what waits for the verdict of a dedup.DeferringSet.
type Order uint8

// Orders.
const (
	// InputOrder has all that comes after a reference without a verdict wait with it: the output is in the order of the input,
	// and the same whatever the set has memory for.
	InputOrder Order = iota
	// ArrivalOrder has such a reference wait alone, so that what is new at once leaves at once; what leaves late keeps its
	// order among itself.
	ArrivalOrder
)

const (
	defaultBatchRecords  = 4096
	defaultBatchBytes    = 1 << 20
	defaultPoolBytes     = 64 << 20
	defaultIdleFlush     = 10 * time.Millisecond
	defaultProgressEvery = time.Second

	maxWorkers      = 1024
	maxBatchRecords = 1 << 20
	maxBatchBytes   = 64 << 20
)

// Validate reports all faults at once, joined.
func (o *Options) Validate() error {
	var faults []error
	need := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	need(o.Source != nil, "source: required")
	need(o.Normalizer != nil, "normalizer: required")
	need(o.Open != nil, "open: required")
	need(o.Duplicates <= SplitDuplicates, "duplicates: %d is no policy: want drop, mark or a sink of its own", o.Duplicates)
	need(o.Order <= ArrivalOrder, "order: %d is none: want that of the input or of arrival", o.Order)
	need(o.Workers >= 0 && o.Workers <= maxWorkers, "workers: %d: want 1 to %d, or 0 for one per CPU", o.Workers, maxWorkers)
	need(o.BatchRecords >= 0 && o.BatchRecords <= maxBatchRecords, "batch_records: %d: want 1 to %d", o.BatchRecords, maxBatchRecords)
	need(o.BatchBytes >= 0 && o.BatchBytes <= maxBatchBytes, "batch_bytes: %d: want 1 to %d", o.BatchBytes, maxBatchBytes)
	need(o.PoolBytes >= 0, "pool_bytes: %d: want 1 or more", o.PoolBytes)
	need(o.CheckpointRecords >= 0, "checkpoint_records: %d: want 1 or more, or 0 for none", o.CheckpointRecords)
	need(o.CheckpointBytes >= 0, "checkpoint_bytes: %d: want 1 or more, or 0 for none", o.CheckpointBytes)
	need(o.CheckpointEvery >= 0, "checkpoint_every: %v: want a positive duration, or 0 for none", o.CheckpointEvery)
	need(o.Limit >= 0, "limit: %d: want 1 or more, or 0 for none", o.Limit)
	need(o.IdleFlush >= 0, "idle_flush: %v: want a positive duration", o.IdleFlush)
	need(o.ProgressEvery >= 0, "progress_every: %v: want a positive duration", o.ProgressEvery)
	if o.MaxRejects != nil {
		if err := o.MaxRejects.Validate(); err != nil {
			faults = append(faults, err)
		}
	}
	return errors.Join(faults...)
}

// checkpoints reports whether there are checkpoints before the end.
func (o *Options) checkpoints() bool {
	return o.CheckpointRecords > 0 || o.CheckpointBytes > 0 || o.CheckpointEvery > 0
}

// withDefaults fills in what was left at its zero value.
func (o Options) withDefaults() Options {
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.BatchRecords == 0 {
		o.BatchRecords = defaultBatchRecords
	}
	if o.BatchBytes == 0 {
		o.BatchBytes = defaultBatchBytes
	}
	if o.PoolBytes == 0 {
		batches := int64(2*o.Workers + 4)
		o.PoolBytes = max(defaultPoolBytes, batches*nominalBatchBytes(o.BatchRecords, o.BatchBytes))
	}
	if o.Scratch.FS == nil {
		o.Scratch.FS = fsys.OS{}
	}
	if o.Now == 0 {
		o.Now = uint32(min(time.Now().Unix(), math.MaxUint32))
	}
	if o.IdleFlush == 0 {
		o.IdleFlush = defaultIdleFlush
	}
	if o.ProgressEvery == 0 {
		o.ProgressEvery = defaultProgressEvery
	}
	return o
}
