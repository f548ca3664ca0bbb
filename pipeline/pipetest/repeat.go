package pipetest

import (
	"context"
	"io"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/pipeline"
)

// Repeat is a Source that gives the same references over and over, one a record, and allocates
// nothing: for benchmarks, and for tests that count allocations.
type Repeat struct {
	Refs [][]byte
	N    int64 // records in all

	done int64
}

// Columns implements pipeline.Source.
func (s *Repeat) Columns() ([]pipeline.Column, []string) { return nil, []string{""} }

// Fill implements pipeline.Source.
func (s *Repeat) Fill(ctx context.Context, b *pipeline.Batch) error {
	source := b.Source("repeat")
	for !b.Full() {
		if s.done == s.N {
			return io.EOF
		}
		ref := s.Refs[s.done%int64(len(s.Refs))]
		s.done++
		b.AddRow(pipeline.Row{Number: s.done, Offset: s.done, Partition: -1, Base: pipeline.NoBase, Source: source})
		b.AddRef(0, ref)
	}
	return ctx.Err()
}

// Commit implements pipeline.Source.
func (s *Repeat) Commit(context.Context, []pipeline.Position) error { return nil }

// Stats implements pipeline.Source.
func (s *Repeat) Stats() pipeline.SourceStats { return pipeline.SourceStats{} }

// Close implements pipeline.Source.
func (s *Repeat) Close() error { return nil }

// Discard is a Sink that drops everything.
type Discard struct{}

// Check implements pipeline.Sink.
func (Discard) Check(*pipeline.Batch, *pipeline.Record) normalize.Reason { return normalize.OK }

// Write implements pipeline.Sink.
func (Discard) Write(context.Context, pipeline.View) error { return nil }

// Flush implements pipeline.Sink.
func (Discard) Flush(context.Context) error { return nil }

// Close implements pipeline.Sink.
func (Discard) Close() error { return nil }
