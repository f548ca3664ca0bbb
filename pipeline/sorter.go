package pipeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/urisieve/urisieve/internal/extsort"
	"github.com/urisieve/urisieve/internal/fsys"
	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/pipeline/dedup"
)

// SorterOptions say how a Sorter works. Scratch is required.
type SorterOptions struct {
	// StretchRows ends a stretch at the first source record after so many references: each stretch is sorted
	// by itself. Default 0: all there is is one stretch.
	StretchRows int64
	// Memory is what may be used, in bytes; beside it, a batch takes some MiB. Default 0:
	// DefaultSortMemory; less than 1 MiB is taken as 1 MiB. What it has no room for goes to disk.
	Memory int64
	// Scratch makes the temporary files.
	Scratch fsys.Scratch
	// Columns are the source's pass-through columns.
	Columns []Column
}

// mostSortMemory bounds DefaultSortMemory: more of it makes a sort no faster.
const mostSortMemory = 4 << 30

// DefaultSortMemory is half of dedup.DefaultMemory, a quarter of what the process may use, but 4 GiB at most.
func DefaultSortMemory() int64 { return min(dedup.DefaultMemory()/2, mostSortMemory) }

// Sorter is a Sink that gives what it gets to another one in ascending order of the SURT form of url
// (normalize.AppendSURT), compared byte by byte; equal ones stay in the order in which they came. What comes out does
// not depend on how it was cut into batches, nor on the memory.
//
// References are kept, in memory and in temporary files, until their stretch ends: by SorterOptions.StretchRows, or
// by a Flush. Then they are written to the other sink, which is told so where it is a StretchSink. Of one stretch alone (StretchRows 0), a Flush is the end, and a Write after it fails: that is a
// FinalSink.
//
// It writes batches of its own, in which each reference has its row for itself. They carry all that columns are made
// of, but not Record.Key and Batch.Lane, which nobody needs who writes.
type Sorter struct {
	to      Sink
	stretch int64
	sorter  *extsort.Sorter
	codec   rowCodec
	pool    *pool
	out     *Batch   // that is filled from the sort; nil between two
	all     []uint32 // the selection of a whole batch: never changed, so that views may share it

	key, value []byte
	last       rowID // of the reference that came last
	ended      bool  // the only stretch
	closed     bool
}

// rowID tells source records apart.
type rowID struct {
	source         uint32
	number, offset int64
}

// sortBatches is how many batches may be on their way to the other sink.
const sortBatches = 4

// NewSorter makes a Sorter in front of a sink, which is closed with it.
func NewSorter(to Sink, o SorterOptions) *Sorter {
	if o.Memory <= 0 {
		o.Memory = DefaultSortMemory()
	}
	nominal := nominalBatchBytes(defaultBatchRecords, defaultBatchBytes)
	s := &Sorter{
		to: to, stretch: o.StretchRows,
		sorter: extsort.New(extsort.Options{Memory: o.Memory, Scratch: o.Scratch}),
		codec:  newRowCodec(o.Columns),
		pool: &pool{
			budget: sortBatches * nominal, nominal: nominal, columns: len(o.Columns),
			records: defaultBatchRecords, bytes: defaultBatchBytes, changed: make(chan struct{}, 1),
		},
		all: make([]uint32, defaultBatchRecords),
	}
	for i := range s.all {
		s.all[i] = uint32(i)
	}
	return s
}

var _ FinalSink = (*Sorter)(nil)

// Final implements FinalSink.
func (s *Sorter) Final() bool { return s.stretch == 0 }

// Check asks the other sink.
func (s *Sorter) Check(b *Batch, r *Record) normalize.Reason { return s.to.Check(b, r) }

var errSorted = errors.New("references come after the sorted output was made durable: it takes one checkpoint, at the end")

// Write keeps the references.
func (s *Sorter) Write(ctx context.Context, v View) error {
	if v.Len() == 0 {
		return nil
	}
	if s.ended {
		return errSorted
	}
	b := v.Batch
	s.codec.enter(b)
	for r := range v.All() {
		row := b.RowOf(r)
		id := rowID{s.codec.source(row), row.Number, row.Offset}
		if s.stretch > 0 && s.sorter.Pending() >= s.stretch && id != s.last {
			if err := s.endStretch(ctx); err != nil {
				return err
			}
		}
		s.last = id
		s.key = normalize.AppendSURT(s.key[:0], b.URL(r), r.Result.Parts)
		s.value = s.codec.append(s.value[:0], b, r)
		if err := s.sorter.Add(ctx, s.key, s.value); err != nil {
			return err
		}
	}
	return nil
}

// endStretch writes what was kept, in order, to the other sink.
func (s *Sorter) endStretch(ctx context.Context) error {
	err := s.sorter.Merge(ctx, func(_, value []byte) error {
		if s.out == nil {
			b, err := s.pool.get(ctx, 0)
			if err != nil {
				return err
			}
			s.out = b
			s.codec.leave()
		}
		if !s.codec.take(s.out, value) {
			return fmt.Errorf("sort: a reference is %w", extsort.ErrCorrupt)
		}
		if s.out.Full() || len(s.out.canon) >= s.out.maxBytes {
			return s.handOn(ctx)
		}
		return nil
	})
	if err == nil && s.out != nil {
		err = s.handOn(ctx)
	}
	if to, ok := s.to.(StretchSink); ok && err == nil {
		err = to.EndStretch(ctx)
	}
	return err
}

// handOn writes the batch at hand.
func (s *Sorter) handOn(ctx context.Context) error {
	b := s.out
	s.out = nil
	s.pool.charge(b, nil)
	err := s.to.Write(ctx, View{Batch: b, Selected: s.all[:len(b.recs):len(b.recs)]})
	b.Release()
	return err
}

// Flush ends the stretch: all that came is durable, in order.
func (s *Sorter) Flush(ctx context.Context) error {
	if s.sorter.Pending() > 0 {
		s.ended = s.stretch == 0
		if err := s.endStretch(ctx); err != nil {
			return err
		}
	}
	return s.to.Flush(ctx)
}

// Close gives up what was not flushed, and closes the other sink.
func (s *Sorter) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	if s.out != nil {
		s.out.Release()
		s.out = nil
	}
	return errors.Join(s.sorter.Close(), s.to.Close())
}

// Pending is the number of references that were written and wait for a Flush.
func (s *Sorter) Pending() int64 { return s.sorter.Pending() }

// SortStats say what a Sorter did.
type SortStats struct {
	Rows  int64 // references that came out
	Bytes int64 // that were written to temporary files; 0 where memory had room for all
}

// Stats give the counts so far. Any goroutine may ask.
func (s *Sorter) Stats() SortStats {
	st := s.sorter.Stats()
	return SortStats{st.Rows, st.Written}
}
