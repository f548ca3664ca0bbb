package pipeline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/urisieve/urisieve/pipeline/dedup"
)

// What settle does where the set can't say yet whether a key is new: the reference, and, in InputOrder, all that comes after
// it and is bound for the same sinks, waits in the backlog. What is rejected or filtered, and duplicates that are dropped,
// don't wait.

// restShare bounds what a pipe's reader may cost: the set is made to settle, for the sake of its answers, no sooner
// than so many times as long as that took last time.
const restShare = 10

// drained is the last drain for the sake of a reader.
type drained struct {
	took time.Duration
	at   time.Time // its end
}

// needBacklog makes the backlog at the first Pending answer.
func (s *settler) needBacklog() error {
	if s.backlog != nil {
		return nil
	}
	set, ok := s.outlet.Set.(dedup.DeferringSet)
	if !ok {
		return errors.New("dedup: the set answered Pending, and is none that settles it later")
	}
	s.backlog = newBacklog(&s.run.opts, set, len(s.run.columns))
	return nil
}

// waits reports whether record i of the piece at hand waits.
func (s *settler) waits(i int, r *Record) bool {
	if i < s.waitFrom {
		return false
	}
	inOrder := s.run.opts.Order == InputOrder
	switch r.Outcome {
	case Undecided:
		return true
	case Unique:
		return inOrder
	case Duplicate:
		return inOrder && s.run.opts.Duplicates != DropDuplicates
	case Filtered, Rejected:
	}
	return false
}

// putOff puts what waits of the records of [waitFrom, to) into the backlog.
func (s *settler) putOff(b *Batch, to int) error {
	before := s.backlog.pending
	for i := s.waitFrom; i < to; i++ {
		if r := &b.recs[i]; s.waits(i, r) {
			if err := s.backlog.add(b, r); err != nil {
				return err
			}
		}
	}
	s.backlog.leave()
	s.buffered = true
	added := s.backlog.pending - before
	s.run.meter.update(func(st *Stats) { st.Waiting += added })
	return nil
}

// replay settles the batches of the backlog whose verdicts are known by now, in order.
func (s *settler) replay(ctx context.Context) error {
	if s.backlog == nil {
		return nil
	}
	for {
		b, err := s.backlog.next(ctx)
		if b == nil || err != nil {
			return err
		}
		err = s.settleLate(ctx, b)
		b.Release()
		if err != nil {
			return err
		}
	}
}

// settleLate writes and counts a batch of the backlog. What its duplicates' sink refuses comes late among
// the rejects.
func (s *settler) settleLate(ctx context.Context, b *Batch) error {
	for _, i := range s.backlog.late {
		if r := &b.recs[i]; r.Outcome == Duplicate {
			s.checkDuplicate(b, r)
		}
	}
	s.waitFrom = len(b.recs)
	if err := s.write(ctx, b, 0, len(b.recs)); err != nil {
		return err
	}
	for i := range b.recs {
		s.count(b, &b.recs[i])
	}
	s.run.meter.update(func(st *Stats) { st.Waiting -= int64(len(b.recs)) })
	s.run.meter.add(&s.counts, nil)
	s.counts.reset()
	return ctx.Err()
}

// drain has the set settle, and the whole backlog written.
func (s *settler) drain(ctx context.Context) error {
	if s.backlog == nil || s.backlog.empty() {
		return nil
	}
	if err := s.backlog.set.Settle(); err != nil {
		return fmt.Errorf("dedup: %w", err)
	}
	if err := s.backlog.seal(); err != nil {
		return err
	}
	return s.replay(ctx)
}

// drainForReader is drain when the source has nothing more just now and the reader of the output may be waiting.
func (s *settler) drainForReader(ctx context.Context) error {
	if s.backlog == nil || s.backlog.empty() {
		return nil
	}
	start := time.Now()
	err := s.drain(ctx)
	s.drained = drained{time.Since(start), time.Now()}
	return err
}

// restLeft is the time until drainForReader may run again.
func (s *settler) restLeft() time.Duration {
	if s.backlog == nil || s.backlog.empty() {
		return 0
	}
	return max(0, restShare*s.drained.took-time.Since(s.drained.at))
}

// giveUpWaiting counts what waits as given up: its lane was lost.
func (s *settler) giveUpWaiting() {
	if s.backlog == nil || s.backlog.empty() {
		return
	}
	n := s.backlog.pending
	s.run.meter.update(func(st *Stats) {
		st.Waiting -= n
		st.GivenUp += n
	})
}
