package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"

	"github.com/urisieve/urisieve/pipeline/dedup"
)

// read is the reader: it fills batches and gives them to workers until the source ends, it is told
// to stop, or the limit is reached. ctx is the run's; fillCtx ends with it or when the reader is to stop.
func (r *run) read(ctx, fillCtx context.Context) error {
	lanes, _ := r.opts.Source.(LaneSource)
	for {
		b, err := r.empty(fillCtx, lanes != nil)
		if err != nil {
			return r.readerStopped(ctx, err)
		}
		if lanes != nil {
			err = lanes.FillLanes(fillCtx, b, quota{r})
		} else {
			err = r.opts.Source.Fill(fillCtx, b)
		}
		limited, fault := r.handOver(ctx, b)
		switch {
		case fault != nil:
			return fault
		case limited:
			r.meter.update(func(s *Stats) { s.Limited = true })
			return nil
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return r.readerStopped(ctx, err)
		}
	}
}

// readerStopped tells the end of the reader's context from a fault of the source.
func (r *run) readerStopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if r.wasStopped() && errors.Is(err, context.Canceled) {
		r.cut = true
		return nil
	}
	return fmt.Errorf("read: %w", err)
}

func (r *run) empty(ctx context.Context, lanes bool) (*Batch, error) {
	if lanes {
		return r.pool.takeForLane(), ctx.Err()
	}
	return r.pool.get(ctx, 0)
}

// handOver gives what Fill put into b to the workers. limited says that nothing more is to be
// read.
func (r *run) handOver(ctx context.Context, b *Batch) (limited bool, err error) {
	if len(b.rows) == 0 && b.End == LaneGoesOn {
		b.Release()
		return false, nil
	}
	b.short = !b.Full()
	limited = r.limit(b)
	l, err := r.lane(ctx, b.Lane)
	if err != nil {
		b.Release()
		return false, err
	}
	if b.End != LaneGoesOn {
		delete(r.lanes, l.id)
	}
	if b.expected > 2*b.maxExpected() && len(b.recs) > 1 {
		return limited, r.handOverParts(ctx, b, l)
	}
	r.dispatch(b, l)
	return limited, nil
}

func (r *run) dispatch(b *Batch, l *lane) {
	r.meter.update(func(s *Stats) { s.Read += int64(len(b.recs)) })
	r.pool.charge(b, l)
	l.group.assign(b, l)
	r.todo <- b // workers never wait for anyone, so this doesn't wait long
}

// limit cuts b off where Options.Limit is reached.
func (r *run) limit(b *Batch) bool {
	if r.opts.Limit == 0 {
		return false
	}
	left := r.opts.Limit - r.taken
	if left > int64(len(b.recs)) {
		r.taken += int64(len(b.recs))
		return false
	}
	if left < int64(len(b.recs)) {
		next := b.recs[left].Row
		b.recs = b.recs[:left]
		b.open = left > 0 && b.recs[left-1].Row == next
		b.rows = b.rows[:next]
		if b.open {
			b.rows = b.rows[:next+1]
		}
		b.End = LaneGoesOn
	}
	r.taken = r.opts.Limit
	return true
}

// lane finds the lane, or opens it.
func (r *run) lane(ctx context.Context, id LaneID) (*lane, error) {
	if l := r.lanes[id]; l != nil {
		return l, nil
	}
	outlet, err := r.opts.Open(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("open lane %d: %w", id, err)
	}
	if err := r.checkOutlet(outlet); err != nil {
		return nil, fmt.Errorf("open lane %d: %w", id, err)
	}
	g := r.groups[outlet]
	if g == nil {
		maps.DeleteFunc(r.groups, func(_ *Lane, old *group) bool { return old.isClosed() })
		g = newGroup(outlet)
		r.groups[outlet] = g
	}
	l := g.add(id)
	if l == nil {
		return nil, fmt.Errorf("open lane %d: %w", id, errLaneClosed)
	}
	r.lanes[id] = l
	r.pool.addLanes(1)
	if !g.started {
		g.started = true
		s := newSettler(r, g)
		r.settlers.Go(func() { s.loop(ctx) })
	}
	return l, nil
}

func (r *run) checkOutlet(l *Lane) error {
	switch {
	case l == nil || l.Set == nil:
		return errors.New("it has no set")
	case !fits(l.Set, len(r.opts.Others)):
		return errors.New("its set has not as many other keys as the run")
	case l.Sink == nil && !r.opts.DryRun:
		return errors.New("it has no sink")
	case (l.Duplicates != nil) != (r.opts.Duplicates == SplitDuplicates) && !r.opts.DryRun:
		return errors.New("it must have a sink for duplicates if they are to be split off, and only then")
	case r.opts.checkpoints() && (isFinal(l.Sink) || isFinal(l.Duplicates)):
		return errors.New("a sink of it takes one checkpoint, at the end: CheckpointRecords, CheckpointBytes and CheckpointEvery must be 0")
	}
	return nil
}

// fits reports whether a set takes so many other keys.
func fits(set dedup.Set, others int) bool {
	e, ok := set.(*dedup.Earlier)
	return ok && e.Others() == others || !ok && others == 0
}

func isFinal(s Sink) bool {
	f, ok := s.(FinalSink)
	return ok && f.Final()
}

// quota is the pool as a LaneSource sees it. The reader's goroutine alone uses it, within
// FillLanes.
type quota struct{ r *run }

func (q quota) Admits(id LaneID) bool {
	l := q.r.lanes[id]
	return l == nil || q.r.pool.admits(l)
}

func (q quota) Changed() <-chan struct{} { return q.r.pool.changed }
