package sinks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/pipeline"
)

// queueLength is how many batches may wait to be encoded. Each stays in use until it is, so the queue
// takes its share of the pipeline's pool; it never waits for more, so it can't hold the pool up.
const queueLength = 4

// order is what the settle goroutine asks of the writing one.
type order struct {
	batch    *pipeline.Batch
	selected []uint32
	idle     bool
	ends     bool         // the file at hand ends
	flushed  chan<- error // a flush: gets its result
}

// sink is a pipeline.IdleSink over a fileSet. A goroutine of its own encodes and writes; open starts it,
// Close ends it and waits for it. The channel has one sender, the settle goroutine, which also closes it.
type sink struct {
	role  string // for messages: "output", "rejects", "duplicates"
	path  string
	files *fileSet // belongs to the goroutine until it has ended
	refs  *refs
	hosts bool // a column needs them

	orders chan order
	ended  chan struct{}
	free   chan []uint32 // selections to use again

	mu     sync.Mutex
	err    error // the first one; nothing is written after it
	closed bool
	dirty  bool // Write came after the last Flush
}

func (s *sink) start() {
	s.orders = make(chan order, queueLength)
	s.free = make(chan []uint32, queueLength+1)
	s.ended = make(chan struct{})
	go s.run()
}

// run writes until the channel is closed.
func (s *sink) run() {
	defer close(s.ended)
	for o := range s.orders {
		err := s.failure()
		switch {
		case o.batch != nil:
			if err == nil {
				s.refs.load(o.batch, o.selected, s.hosts)
				s.fail(s.files.write(s.refs))
				s.refs.forget()
			}
			o.batch.Release()
			s.recycle(o.selected)
		case o.idle && err == nil:
			s.fail(s.files.idle())
		case o.ends && err == nil:
			s.fail(s.files.endStretch())
		case o.flushed != nil:
			if err == nil {
				s.fail(s.files.flush())
			}
			o.flushed <- s.failure()
		}
	}
}

// forget lets go of the batch, which is about to be used for something else.
func (v *refs) forget() {
	clear(v.recs)
	v.b = nil
}

func (s *sink) recycle(selected []uint32) {
	select {
	case s.free <- selected[:0]:
	default:
	}
}

// fail keeps the first error, with its place.
func (s *sink) fail(err error) {
	if err == nil {
		return
	}
	if s.path == "-" && (errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)) {
		err = fmt.Errorf("%w: %w", ErrClosedPipe, err)
	} else {
		err = fmt.Errorf("%s %s: %w", s.role, s.path, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
}

func (s *sink) isDirty() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dirty
}

func (s *sink) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Check lets everything through: a file has room for any reference that the normalizer takes.
func (s *sink) Check(*pipeline.Batch, *pipeline.Record) normalize.Reason { return normalize.OK }

// Write queues the references. It waits while the queue is full.
func (s *sink) Write(ctx context.Context, v pipeline.View) error {
	if err := s.failure(); err != nil || v.Len() == 0 {
		return err
	}
	var selected []uint32
	select {
	case selected = <-s.free:
	default:
	}
	selected = append(selected, v.Selected...)
	v.Batch.Retain()
	s.mu.Lock()
	s.dirty = true
	s.mu.Unlock()
	select {
	case s.orders <- order{batch: v.Batch, selected: selected}:
		return nil
	case <-ctx.Done():
		v.Batch.Release()
		return ctx.Err()
	}
}

// Flush waits until all that was written is encoded, synced and, in a directory, published.
func (s *sink) Flush(ctx context.Context) error {
	flushed := make(chan error, 1) // room for the answer, should nobody wait for it any more
	select {
	case s.orders <- order{flushed: flushed}:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-flushed:
		if err == nil {
			s.mu.Lock()
			s.dirty = false
			s.mu.Unlock()
		}
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Idle hands over what is buffered; it doesn't wait for that.
func (s *sink) Idle(ctx context.Context) error {
	if s.path != "-" {
		return nil
	}
	return s.ask(ctx, order{idle: true})
}

// EndStretch ends the file at hand; it doesn't wait for that.
func (s *sink) EndStretch(ctx context.Context) error { return s.ask(ctx, order{ends: true}) }

func (s *sink) ask(ctx context.Context, o order) error {
	if err := s.failure(); err != nil {
		return err
	}
	select {
	case s.orders <- o:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

var errUnflushed = errors.New("closed before what was written was flushed")

// Close ends the goroutine. What was flushed stays with the Output, which finishes or aborts it.
func (s *sink) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	s.mu.Lock()
	if s.dirty && s.err == nil {
		// What waits in the queue is given up, and so is the file that it would have gone to.
		s.err = fmt.Errorf("%s %s: %w", s.role, s.path, errUnflushed)
	}
	s.mu.Unlock()
	close(s.orders)
	<-s.ended
	return nil
}
