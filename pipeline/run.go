package pipeline

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Run reads the source to its end and settles every reference. It returns when all its goroutines
// have ended, with the counts in any case.
//
// The error is nil when everything that was read is settled, flushed and committed: the source
// ended, or Options.Drain or Options.Limit ended it. Otherwise it is, or wraps, a
// *TooManyRejectsError, dedup.ErrFull, the first fault of source or sinks, or ctx.Err(). After
// dedup.ErrFull and after a fault of the source, all that came before is settled, flushed and committed;
// after any other, nothing past the last checkpoint is committed.
func Run(ctx context.Context, o Options) (Stats, error) {
	if err := o.Validate(); err != nil {
		return Stats{}, err
	}
	r := newRun(o.withDefaults())
	ctx, r.cancel = context.WithCancel(ctx)
	defer r.cancel()
	fillCtx, stopReading := context.WithCancel(ctx)
	defer stopReading()
	r.stopReading = stopReading

	stopWatching := r.watch(fillCtx)
	workers := r.startWorkers(ctx)
	read := r.read(ctx, fillCtx)

	close(r.todo)
	workers.Wait()
	for _, g := range r.groups {
		g.end()
	}
	r.settlers.Wait()
	stopWatching()
	return r.result(ctx, read)
}

// run is one Run. Its goroutines: the caller's is the reader; workers; one settle goroutine a
// group; one that watches Options.Drain and one that reports progress. Run waits for all of them.
//
//	todo    closed by the reader, when it has nothing more
//	wake    of a group, never closed
type run struct {
	opts     Options
	columns  []Column
	elements []string
	meter    *Meter
	pool     *pool
	todo     chan *Batch

	// Of the reader.
	lanes  map[LaneID]*lane
	groups map[*Lane]*group
	taken  int64 // references counted against Options.Limit
	cut    bool  // it was told to stop before the source ended

	settlers    sync.WaitGroup
	cancel      context.CancelFunc
	stopReading context.CancelFunc

	mu      sync.Mutex
	err     error // the first
	stopped bool  // the reader was told to stop: its context's end is no fault
	drain   bool  // by Options.Drain
	lost    bool  // a lane was lost: not all that is settled is committed
}

func newRun(o Options) *run {
	r := &run{opts: o, meter: o.Meter, lanes: map[LaneID]*lane{}, groups: map[*Lane]*group{}}
	if r.meter == nil {
		r.meter = new(Meter)
	}
	r.columns, r.elements = o.Source.Columns()
	r.pool = newPool(&r.opts, len(r.columns))
	r.todo = make(chan *Batch, o.Workers)
	r.taken = r.meter.begin(o.Source, r.pool, r.elements)
	return r
}

func (r *run) startWorkers(ctx context.Context) *sync.WaitGroup {
	var workers sync.WaitGroup
	for range r.opts.Workers {
		w := newWorker(&r.opts)
		workers.Go(func() {
			for b := range r.todo {
				if ctx.Err() == nil { // else settle gives the batch up
					if r.opts.beforeWork != nil {
						r.opts.beforeWork()
					}
					w.work(b)
					r.pool.charge(b, nil)
				}
				b.lane.group.deliver(b)
			}
		})
	}
	return &workers
}

// watch starts what accompanies the run; the result stops it and waits for its end.
func (r *run) watch(ctx context.Context) (stop func()) {
	done := make(chan struct{})
	var watchers sync.WaitGroup
	if r.opts.Drain != nil {
		watchers.Go(func() {
			select {
			case <-r.opts.Drain:
				r.mu.Lock()
				r.drain = true
				r.mu.Unlock()
				r.stop(nil)
			case <-ctx.Done():
			case <-done:
			}
		})
	}
	if r.opts.OnProgress != nil {
		watchers.Go(func() {
			ticker := time.NewTicker(r.opts.ProgressEvery)
			defer ticker.Stop()
			for {
				select {
				case <-ticker.C:
					r.opts.OnProgress(r.meter.Stats())
				case <-done:
					return
				}
			}
		})
	}
	return func() {
		close(done)
		watchers.Wait()
	}
}

// stop ends the reader; what was read is settled. err, if any, is what Run returns.
func (r *run) stop(err error) {
	r.mu.Lock()
	r.stopped = true
	if r.err == nil {
		r.err = err
	}
	r.mu.Unlock()
	r.stopReading()
}

// fail ends the run at once.
func (r *run) fail(err error) {
	r.mu.Lock()
	r.stopped = true
	if r.err == nil {
		r.err = err
	}
	r.mu.Unlock()
	r.cancel()
}

// result is what Run returns. ctx is still the run's: it has ended if the caller's has, or by fail.
func (r *run) result(ctx context.Context, read error) (Stats, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.err
	if err == nil {
		err = read
	}
	if err == nil {
		err = ctx.Err()
	}
	r.meter.update(func(s *Stats) { s.Drained = r.drain && r.cut })
	stats := r.meter.Stats()
	uncommitted := !r.opts.DryRun && !r.lost && stats.Committed != stats.References
	if err == nil && (stats.InFlight != 0 || uncommitted) {
		err = fmt.Errorf("the accounts don't balance: %d references read, %d settled, %d committed", stats.Read, stats.References, stats.Committed)
	}
	return stats, err
}

// laneLost notes that a lane was lost.
func (r *run) laneLost() {
	r.mu.Lock()
	r.lost = true
	r.mu.Unlock()
}

// wasStopped reports whether the reader was told to stop.
func (r *run) wasStopped() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stopped
}

var errLaneClosed = errors.New("its Lane is closed already: Open must give a new one")
