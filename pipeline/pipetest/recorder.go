package pipetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/pipeline"
)

// Recorder is a Sink that keeps a line for each reference: its number, index, outcome and text. It
// checks that it is called as the contract says.
type Recorder struct {
	Name    string // in the journal
	Journal *Journal
	// Line makes the line of a reference. nil: the function Line.
	Line func(b *pipeline.Batch, r *pipeline.Record) string
	// Refuse is asked by Check. nil: it takes everything.
	Refuse func(b *pipeline.Batch, r *pipeline.Record) normalize.Reason
	// FailWrite, FailFlush are asked at each call, with its number from 1. nil: none fails.
	FailWrite, FailFlush func(n int) error
	// Block, if not nil, blocks every Write until it is closed, or ctx ends.
	Block <-chan struct{}
	// Keep, if more than 0, has the sink hold that many batches and read them only when others push
	// them out, or at Flush, as one does that encodes on another goroutine.
	Keep int

	mu      sync.Mutex
	kept    []pipeline.View
	lines   []string
	durable int // lines that are flushed
	writes  int
	flushes int
	idles   int
	closed  bool
}

// Check implements pipeline.Sink.
func (s *Recorder) Check(b *pipeline.Batch, r *pipeline.Record) normalize.Reason {
	if s.Refuse == nil {
		return normalize.OK
	}
	return s.Refuse(b, r)
}

// Write implements pipeline.Sink.
func (s *Recorder) Write(ctx context.Context, v pipeline.View) error {
	if s.Block != nil {
		select {
		case <-s.Block:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errors.New("Write after Close")
	}
	s.writes++
	if s.FailWrite != nil {
		if err := s.FailWrite(s.writes); err != nil {
			return err
		}
	}
	if s.Keep == 0 {
		s.read(v)
		return nil
	}
	v.Batch.Retain()
	s.kept = append(s.kept, v)
	for len(s.kept) > s.Keep {
		s.readFirst()
	}
	return nil
}

func (s *Recorder) readFirst() {
	v := s.kept[0]
	s.kept = slices.Delete(s.kept, 0, 1)
	s.read(v)
	v.Batch.Release()
}

func (s *Recorder) read(v pipeline.View) {
	for r := range v.All() {
		line := s.Line
		if line == nil {
			line = Line
		}
		s.lines = append(s.lines, line(v.Batch, r))
	}
}

// Line is the number of a reference's source record, its index, its outcome, and its url, or, when it is
// rejected, its reason and raw text.
func Line(b *pipeline.Batch, r *pipeline.Record) string {
	text := string(b.URL(r))
	if r.Outcome == pipeline.Rejected {
		text = r.Result.Reason.String() + " " + string(b.Raw(r))
	}
	return fmt.Sprintf("%d.%d %s %s", b.RowOf(r).Number, r.Index, r.Outcome, text)
}

// Flush implements pipeline.Sink.
func (s *Recorder) Flush(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errors.New("Flush after Close")
	}
	s.flushes++
	if s.FailFlush != nil {
		if err := s.FailFlush(s.flushes); err != nil {
			return err
		}
	}
	for len(s.kept) > 0 {
		s.readFirst()
	}
	s.durable = len(s.lines)
	s.Journal.Add("flush %s %d", s.Name, s.durable)
	return nil
}

// Idle implements pipeline.IdleSink.
func (s *Recorder) Idle(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idles++
	for len(s.kept) > 0 {
		s.readFirst()
	}
	s.Journal.Add("idle %s %d", s.Name, len(s.lines))
	return nil
}

// Close implements pipeline.Sink.
func (s *Recorder) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errors.New("Close after Close")
	}
	s.closed = true
	for _, v := range s.kept {
		v.Batch.Release()
	}
	s.kept = nil
	s.Journal.Add("close %s", s.Name)
	return nil
}

// Lines are all lines so far.
func (s *Recorder) Lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.lines)
}

// Durable are the lines that a crash leaves.
func (s *Recorder) Durable() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.lines[:s.durable])
}

// Closed reports whether Close was called.
func (s *Recorder) Closed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}
