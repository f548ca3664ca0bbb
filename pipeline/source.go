package pipeline

import "context"

// Source reads source records into batches. The reader goroutine calls Fill; Commit may run
// beside it, on a settle goroutine; Stats on any goroutine.
type Source interface {
	// Columns are the pass-through columns and the names of the elements that its references come
	// from ("request", "referer"; "" for the one plain reference). Fixed before the first Fill.
	Columns() (columns []Column, elements []string)
	// Fill adds records of one lane until b is full, or until no more are there just now. It
	// blocks for the first; io.EOF comes with or after the last. A reader that would block after at
	// least one record returns what it has, so that a pipe gets its answers. Any other error is a
	// fault of I/O that ends the run; damage of one input among others is not: see Stats. What is in b
	// when an error comes counts as read. When ctx ends, Fill returns ctx.Err() soon, even from a
	// read that blocks.
	Fill(ctx context.Context, b *Batch) error
	// Commit says that everything up to and including these positions is settled and durable.
	// Monotonic for each lane; an unknown (revoked) lane is ignored. Lanes that don't share a *Lane
	// commit on goroutines of their own, at the same time.
	Commit(ctx context.Context, upto []Position) error
	// Stats are the counts so far.
	Stats() SourceStats
	Close() error
}

// SourceStats are what a source read so far.
type SourceStats struct {
	Records    int64 // source records, the empty lines left out
	EmptyLines int64
	NoRefs     int64 // source records that hold no reference, and rightly so (an empty list of links)
	BytesIn    int64 // read, before decompression
	BytesTotal int64 // to be read, before decompression; 0 when unknown (a pipe)
	BytesPlain int64 // after decompression
	Inputs     []InputStats
	NeverSeen  []string // fields asked for by name that no record had so far: a misspelling, most likely
}

// InputStats are what was read of one input: a file, stdin.
type InputStats struct {
	Name       string
	Records    int64
	BytesIn    int64
	BytesPlain int64
	Done       bool
	Damage     error // why the rest of it could not be read; nil when whole
}
