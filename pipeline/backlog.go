package pipeline

import (
	"context"
	"fmt"
	"io"

	"github.com/urisieve/urisieve/internal/fsys"
	"github.com/urisieve/urisieve/pipeline/dedup"
)

// backlog keeps, in order, the references that can't be written yet: those whose keys are Pending, and all
// that come after the first of them, so that the output has the same order as with a set that knows
// everything at once. Its memory is two batches; the rest is on disk.
//
// On disk a batch is a frame: see appendFrame.
type backlog struct {
	scratch  fsys.Scratch
	set      dedup.DeferringSet
	tail     *Batch
	tailRow  int64 // the row, of the batch that is copied from, that the last row of tail is a copy of; -1: none
	frames   []frame
	segments []segment // of which the frames are, in order; written to is the last
	pool     *pool     // of the batches that are read back

	late []uint32 // of the batch that next gave: the records that had been Undecided

	pending int64 // references in it
	asked   uint64
	taken   uint64
	buf     []byte
	written int64 // bytes, since the beginning
}

// frame is a batch on disk.
type frame struct {
	segment int // number of it, from the beginning
	offset  int64
	bytes   int64
	upto    uint64 // Pending answers in it and in all before it
	records int
}

// segment is a file of frames. It is closed, and with that gone, when all of them are read.
type segment struct {
	number int
	file   fsys.File
	bytes  int64
}

const (
	segmentBytes  = 64 << 20
	backlogMemory = 4 // batches that may be read back at a time
)

func newBacklog(o *Options, set dedup.DeferringSet, columns int) *backlog {
	l := &backlog{scratch: o.Scratch, set: set, tail: NewBatch(columns), tailRow: -1}
	nominal := nominalBatchBytes(o.BatchRecords, o.BatchBytes)
	l.pool = &pool{
		budget: backlogMemory * nominal, nominal: nominal, columns: columns, records: o.BatchRecords, bytes: o.BatchBytes,
		changed: make(chan struct{}, 1),
	}
	l.tail.SetLimits(o.BatchRecords, o.BatchBytes)
	return l
}

// empty reports whether nothing waits.
func (l *backlog) empty() bool { return l.pending == 0 }

// add copies a reference of b. One that is Undecided has the next Pending answer. leave must follow before b
// goes.
func (l *backlog) add(b *Batch, r *Record) error {
	if len(l.tail.recs) > 0 && l.tail.Lane != b.Lane {
		if err := l.seal(); err != nil {
			return err
		}
	}
	if l.tailRow != int64(r.Row) {
		l.tail.copyRow(b, int(r.Row), 0, 0)
		l.tailRow = int64(r.Row)
	}
	l.tail.Lane = b.Lane
	l.tail.copySettled(b, r)
	l.pending++
	if r.Outcome == Undecided {
		l.asked++
	}
	if l.tail.Full() || len(l.tail.canon) >= l.tail.maxBytes {
		return l.seal()
	}
	return nil
}

// leave says that the next reference is of another batch.
func (l *backlog) leave() { l.tailRow = -1 }

// seal puts tail on disk.
func (l *backlog) seal() error {
	b := l.tail
	if len(b.recs) == 0 {
		return nil
	}
	l.buf = b.appendFrame(l.buf[:0])
	if len(l.segments) == 0 || l.segments[len(l.segments)-1].bytes >= segmentBytes {
		number := 0
		if n := len(l.segments); n > 0 {
			number = l.segments[n-1].number + 1
		} else if n := len(l.frames); n > 0 {
			number = l.frames[n-1].segment + 1
		}
		file, err := l.scratch.Create("rows")
		if err != nil {
			return fmt.Errorf("keep references that wait: %w", err)
		}
		l.segments = append(l.segments, segment{number: number, file: file})
	}
	s := &l.segments[len(l.segments)-1]
	if _, err := s.file.Write(l.buf); err != nil {
		return fmt.Errorf("keep references that wait: %w", err)
	}
	l.frames = append(l.frames, frame{s.number, s.bytes, int64(len(l.buf)), l.asked, len(b.recs)})
	s.bytes += int64(len(l.buf))
	l.written += int64(len(l.buf))
	b.Reset()
	b.shrink()
	l.tailRow = -1
	return nil
}

// next gives the oldest batch if its verdicts are all known, with every reference decided; nil if not. The
// caller releases it.
func (l *backlog) next(ctx context.Context) (*Batch, error) {
	if len(l.frames) == 0 || l.frames[0].upto > l.set.Known() {
		return nil, nil //nolint:nilnil // there is none yet, and nothing is wrong
	}
	b, err := l.pool.get(ctx, 0)
	if err != nil {
		return nil, err
	}
	if err := l.read(b, l.frames[0]); err != nil {
		b.Release()
		return nil, err
	}
	l.pool.charge(b, nil)
	if l.frames = l.frames[1:]; len(l.frames) == 0 {
		l.frames = nil
	}
	l.pending -= int64(len(b.recs))
	l.late = l.late[:0]
	for i := range b.recs {
		r := &b.recs[i]
		if r.Outcome != Undecided {
			continue
		}
		l.late = append(l.late, uint32(i))
		r.Outcome = Duplicate
		if l.set.Take(l.taken) == dedup.New {
			r.Outcome = Unique
		}
		l.taken++
	}
	return b, l.closeRead()
}

func (l *backlog) read(b *Batch, f frame) error {
	s := &l.segments[f.segment-l.segments[0].number]
	if int64(cap(l.buf)) < f.bytes {
		l.buf = make([]byte, f.bytes)
	}
	l.buf = l.buf[:f.bytes]
	if _, err := s.file.ReadAt(l.buf, f.offset); err != nil && err != io.EOF {
		return fmt.Errorf("read references that wait: %w", err)
	}
	if !b.fromFrame(l.buf) || len(b.recs) != f.records {
		return fmt.Errorf("read references that wait: %s: byte %d: the frame is %w", s.file.Name(), f.offset, dedup.ErrCorrupt)
	}
	return nil
}

// closeRead closes the segments that no frame is of.
func (l *backlog) closeRead() error {
	for len(l.segments) > 0 {
		s := &l.segments[0]
		if len(l.frames) > 0 && l.frames[0].segment == s.number || len(l.frames) == 0 && s.bytes < segmentBytes {
			return nil
		}
		if err := s.file.Close(); err != nil {
			return fmt.Errorf("close references that waited: %w", err)
		}
		l.segments = l.segments[1:]
	}
	return nil
}

func (l *backlog) close() error {
	var first error
	for i := range l.segments {
		if err := l.segments[i].file.Close(); err != nil && first == nil {
			first = fmt.Errorf("close references that waited: %w", err)
		}
	}
	l.segments, l.frames = nil, nil
	return first
}
