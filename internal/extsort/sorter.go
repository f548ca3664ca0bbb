package extsort

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/urisieve/urisieve/internal/fsys"
	"github.com/urisieve/urisieve/internal/offheap"
)

// MinMemory is the least that a Sorter works with, in bytes.
const MinMemory = 1 << 20

// Options say with what to sort.
type Options struct {
	// Memory is what may be used, in bytes. Less than MinMemory is taken as MinMemory.
	Memory int64
	// Scratch makes the files of the runs.
	Scratch fsys.Scratch
}

// Bounds of what follows from Options.Memory.
const (
	minFrame = 16 << 10
	maxFrame = 1 << 20 // a few ms of a disk that has to seek to it
	maxFanIn = 64
)

// Stats say what sorting took.
type Stats struct {
	Rows    int64 // that came out
	Runs    int64 // that were written from memory
	Merges  int64 // of runs into larger ones, before the last merge
	Written int64 // bytes of all runs, as stored
}

// Sorter sorts rows. One goroutine at a time uses it; a goroutine of its own writes runs, and Merge and Close
// wait for it.
type Sorter struct {
	scratch fsys.Scratch
	sizes   sizes

	filling *block // nil before the first row
	other   *block // being spilled, or empty; its memory is that of the last merge
	spare   []byte // buffers of spilling

	runs []*run // of the spilling goroutine, while there is one

	// See Stats.
	done, spills, merges, written atomic.Int64

	spilled chan error // of the spilling goroutine, when it ends; nil: there is none
	stopped atomic.Bool
	rows    int64 // since the last Merge
	err     error // the first: nothing goes on after it
}

// sizes are the shares of the memory.
type sizes struct {
	block, spare int64
	frame        int
	fanIn        int // runs that a merge before the last has buffers for
	lastFanIn    int
}

func sizesOf(memory int64) sizes {
	memory = max(memory, MinMemory)
	pages := func(n int64) int64 {
		if rounded := offheap.Round(n); rounded > n {
			return rounded - offheap.Round(1)
		}
		return n
	}
	z := sizes{spare: pages(memory / 4), frame: int(min(max(memory/1024, minFrame), maxFrame))}
	z.block = pages((memory - z.spare) / 2)
	z.fanIn = min(maxFanIn, int(z.spare)/frameBuffers(z.frame)-1) // one is written
	z.lastFanIn = min(2*maxFanIn, int(z.block)/frameBuffers(z.frame))
	return z
}

// New makes an empty Sorter. Memory is taken as rows come.
func New(o Options) *Sorter { return &Sorter{scratch: o.Scratch, sizes: sizesOf(o.Memory)} }

var errTooLong = errors.New("a key or a value of 4 GiB or more can't be sorted")

// Add adds a row; it keeps neither key nor value. It waits while the disk is behind, or until ctx ends. After an error it
// gives that again.
func (s *Sorter) Add(ctx context.Context, key, value []byte) error {
	if s.err == nil {
		s.err = s.add(ctx, key, value)
	}
	return s.err
}

func (s *Sorter) add(ctx context.Context, key, value []byte) error {
	size := rowBytes(key, value)
	if uint64(max(len(key), len(value))) > math.MaxUint32 {
		return errTooLong
	}
	if s.filling == nil {
		if err := s.newBlock(&s.filling); err != nil {
			return err
		}
	}
	s.rows++
	if !s.filling.fits(size) {
		if err := s.handOver(ctx); err != nil {
			return err
		}
		if !s.filling.fits(size) {
			return s.addLarge(ctx, key, value)
		}
	}
	s.filling.add(key, value)
	return nil
}

func (s *Sorter) newBlock(b **block) error {
	if *b != nil {
		return nil
	}
	mem, err := offheap.Alloc(s.sizes.block)
	if err != nil {
		return fmt.Errorf("sort: %w: give it less memory", err)
	}
	*b = &block{mem: mem}
	return nil
}

// handOver has the rows in memory written to disk, and begins an empty block.
func (s *Sorter) handOver(ctx context.Context) error {
	if s.filling.rows == 0 {
		return nil
	}
	if err := s.wait(ctx); err != nil {
		return err
	}
	if err := s.newBlock(&s.other); err != nil {
		return err
	}
	if err := s.needSpare(); err != nil {
		return err
	}
	s.filling, s.other = s.other, s.filling
	full, spilled := s.other, make(chan error, 1)
	s.spilled = spilled
	go func() { spilled <- s.spill(full) }()
	return nil
}

func (s *Sorter) needSpare() (err error) {
	if s.spare == nil {
		if s.spare, err = offheap.Alloc(s.sizes.spare); err != nil {
			return fmt.Errorf("sort: %w: give it less memory", err)
		}
	}
	return nil
}

// wait waits for the spilling goroutine.
func (s *Sorter) wait(ctx context.Context) error {
	if s.spilled == nil {
		return nil
	}
	select {
	case err := <-s.spilled:
		s.spilled = nil
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// addLarge writes a row that no block has room for as a run of its own. What came before it was handed over.
func (s *Sorter) addLarge(ctx context.Context, key, value []byte) error {
	if err := s.wait(ctx); err != nil {
		return err
	}
	if err := s.needSpare(); err != nil {
		return err
	}
	row := appendRow(nil, key, value)
	return s.write(func(w *runWriter) error { return w.add(row) })
}

// spill sorts a block and writes it as a run.
func (s *Sorter) spill(b *block) error {
	b.sort()
	defer b.reset()
	return s.write(func(w *runWriter) error {
		for i, e := range b.entries() {
			if i%haltRows == 0 {
				if err := s.halt(); err != nil {
					return err
				}
			}
			if err := w.add(b.row(e.at)); err != nil {
				return err
			}
		}
		return nil
	})
}

// write adds a run to the others, with the rows that fill gives it.
//
// Runs lie in the order of their rows' arrival, and so the level of one is never above that of the one before. Where a level
// has twice as many as are merged at a time, the older half becomes a run of the next level: every row is
// written as often as there are levels, and as few files are open. With less than that, the last merge can do it all.
func (s *Sorter) write(fill func(*runWriter) error) error {
	r, err := s.writeRun(s.sizes.frame, s.spare, fill)
	if err != nil {
		return err
	}
	s.runs = append(s.runs, r)
	s.spills.Add(1)
	for from, n := len(s.runs)-1, 1; from >= 0; from, n = from-1, n+1 {
		if from > 0 && s.runs[from-1].level == s.runs[from].level {
			continue
		}
		if n < 2*s.sizes.fanIn {
			return nil
		}
		if err := s.mergeRuns(from, from+s.sizes.fanIn, s.halt); err != nil {
			return err
		}
		n = 0
		from++ // the new run, and what is of its level before it
	}
	return nil
}

func (s *Sorter) writeRun(frame int, memory []byte, fill func(*runWriter) error) (*run, error) {
	file, err := s.scratch.Create("sort")
	if err != nil {
		return nil, fmt.Errorf("sort: %w", err)
	}
	w := newRunWriter(file, frame, memory)
	if err = fill(w); err == nil {
		err = w.flush()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("sort: %w", err), file.Close())
	}
	s.written.Add(w.run.bytes)
	return w.run, nil
}

// mergeRuns merges the runs of [from, to) into one in their place, or the first of them, two at least, where the spare
// memory has buffers for no more.
func (s *Sorter) mergeRuns(from, to int, halt func() error) error {
	frame := s.sizes.frame
	buffers := carve(s.spare[frameBuffers(frame):])
	for to-from > 2 && buffersOf(s.runs[from:to]) > len(buffers) {
		to--
	}
	merged, err := s.writeRun(frame, s.spare, func(w *runWriter) error {
		return merge(cursorsOf(s.runs[from:to], buffers), halt, func(row, _ []byte) error { return w.add(row) })
	})
	if err != nil {
		return err
	}
	merged.level = s.runs[from].level + 1
	s.merges.Add(1)
	err = closeRuns(s.runs[from:to])
	s.runs = append(s.runs[:from+1], s.runs[to:]...)
	s.runs[from] = merged
	return err
}

// Pending is the number of rows that were added since the last Merge.
func (s *Sorter) Pending() int64 { return s.rows }

// Merge gives all rows to emit, in order, which keeps nothing of them; after it the Sorter is empty, and can be filled
// again. It stops at the first error of emit, or when ctx ends.
func (s *Sorter) Merge(ctx context.Context, emit func(key, value []byte) error) error {
	if s.err == nil {
		s.err = s.merge(ctx, emit)
	}
	return s.err
}

func (s *Sorter) merge(ctx context.Context, emit func(key, value []byte) error) error {
	if err := s.wait(ctx); err != nil || s.rows == 0 {
		return err
	}
	s.filling.sort()
	var buffers carve
	if s.other != nil {
		buffers = s.other.mem
	}
	for len(s.runs) > s.sizes.lastFanIn || len(s.runs) > 2 && buffersOf(s.runs) > len(buffers) {
		n := max(2, min(s.sizes.fanIn, len(s.runs)-s.sizes.lastFanIn+1))
		from, to := lightest(s.runs, n)
		if err := s.mergeRuns(from, to, ctx.Err); err != nil {
			return err
		}
	}
	cursors := append(cursorsOf(s.runs, buffers), cursor{block: s.filling})
	err := merge(cursors, ctx.Err, func(row, key []byte) error { return emit(key, row[rowHeader+len(key):]) })
	if err != nil {
		return err
	}
	s.done.Add(s.rows)
	s.rows = 0
	s.filling.reset()
	err = closeRuns(s.runs)
	s.runs = s.runs[:0]
	return err
}

func closeRuns(runs []*run) error {
	var faults []error
	for i, r := range runs {
		if err := r.file.Close(); err != nil {
			faults = append(faults, fmt.Errorf("sort: %w", err))
		}
		runs[i] = nil
	}
	return errors.Join(faults...)
}

// Stats say what was sorted so far. Any goroutine may ask.
func (s *Sorter) Stats() Stats {
	return Stats{Rows: s.done.Load(), Runs: s.spills.Load(), Merges: s.merges.Load(), Written: s.written.Load()}
}

var errClosed = errors.New("sort: it was closed")

// halt ends the work of the spilling goroutine when nobody wants it any more.
func (s *Sorter) halt() error {
	if s.stopped.Load() {
		return errClosed
	}
	return nil
}

// Close gives up all rows, files and memory. A second one does nothing.
func (s *Sorter) Close() error {
	s.stopped.Store(true)
	if s.spilled != nil {
		if err := <-s.spilled; s.err == nil {
			s.err = err
		}
		s.spilled = nil
	}
	if s.err == nil {
		s.err = errClosed
	}
	err := closeRuns(s.runs)
	s.runs = nil
	for _, b := range []*block{s.filling, s.other} {
		if b != nil {
			offheap.Free(b.mem)
		}
	}
	offheap.Free(s.spare)
	s.filling, s.other, s.spare = nil, nil, nil
	return err
}
