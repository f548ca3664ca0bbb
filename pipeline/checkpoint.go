package pipeline

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// checkpoint writes what waited, makes durable what was written, then what was claimed, then tells the source: in that
// order, since a claim or a commit that outlives its output in a crash would lose it.
func (s *settler) checkpoint(ctx context.Context) error {
	if err := s.drain(ctx); err != nil {
		return err
	}
	if s.run.opts.DryRun {
		s.begin()
		return nil
	}
	flush := func(sink Sink, what string) error {
		if sink == nil {
			return nil
		}
		if err := sink.Flush(ctx); err != nil {
			return fmt.Errorf("flush the %s: %w", what, err)
		}
		return nil
	}
	if err := flush(s.outlet.Rejects, "rejects"); err != nil {
		return err
	}
	if err := flush(s.outlet.Duplicates, "duplicates"); err != nil {
		return err
	}
	if err := flush(s.outlet.Sink, "output"); err != nil {
		return err
	}
	if err := s.tell(); err != nil {
		return err
	}
	if err := s.outlet.Set.Sync(); err != nil {
		return fmt.Errorf("sync the set of seen keys: %w", err)
	}
	var upto []Position
	for _, l := range s.allLanes() {
		if l.moved && !l.gone {
			upto = append(upto, l.position)
			l.moved = false
		}
	}
	if len(upto) > 0 {
		if err := s.run.opts.Source.Commit(ctx, upto); err != nil {
			return fmt.Errorf("commit: %w", err)
		}
	}
	s.run.meter.update(func(st *Stats) {
		st.Checkpoints++
		st.Committed += s.refs
	})
	s.begin()
	return nil
}

// tell calls Options.OnCheckpoint.
func (s *settler) tell() error {
	if s.run.opts.OnCheckpoint == nil {
		return nil
	}
	var upto []Position
	for _, l := range s.allLanes() {
		if l.position != (Position{}) {
			upto = append(upto, l.position)
		}
	}
	if err := s.run.opts.OnCheckpoint(upto); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// begin begins the time to the next checkpoint.
func (s *settler) begin() {
	s.records, s.bytes, s.refs, s.since, s.buffered = 0, 0, 0, time.Time{}, false
}

func (s *settler) checkpointByAge(ctx context.Context) {
	every := s.run.opts.CheckpointEvery
	if every == 0 || s.since.IsZero() || s.err != nil || ctx.Err() != nil || time.Since(s.since) < every {
		return
	}
	s.fail(s.checkpoint(ctx))
}

// full ends the group when the set has no memory left: all that came before the claim is made durable and
// committed, the rest of the lane is given up, and the reader stops.
func (s *settler) full(ctx context.Context, err error) error {
	if cause := s.checkpoint(ctx); cause != nil {
		return errors.Join(err, cause)
	}
	s.err = err
	s.run.stop(err)
	return nil
}

// idle hands over what is buffered in sinks whose reader may be waiting.
func (s *settler) idle(ctx context.Context) {
	if !s.buffered || s.err != nil || ctx.Err() != nil {
		return
	}
	if err := s.drainForReader(ctx); err != nil {
		s.fail(err)
		return
	}
	s.buffered = false
	for _, sink := range [...]Sink{s.outlet.Rejects, s.outlet.Duplicates, s.outlet.Sink} {
		if idler, ok := sink.(IdleSink); ok {
			if err := idler.Idle(ctx); err != nil {
				s.fail(fmt.Errorf("write: %w", err))
				return
			}
		}
	}
}

// close closes the outlet.
func (s *settler) close(ctx context.Context) {
	cause := s.err
	if cause == nil {
		cause = ctx.Err()
	}
	if errors.Is(cause, ErrLaneLost) {
		s.giveUpWaiting()
	}
	if s.backlog != nil {
		s.fail(s.backlog.close())
	}
	if s.outlet.Close != nil {
		s.fail(s.outlet.Close(cause))
		return
	}
	var faults []error
	for _, sink := range [...]Sink{s.outlet.Rejects, s.outlet.Duplicates, s.outlet.Sink} {
		if sink != nil {
			faults = append(faults, sink.Close())
		}
	}
	if s.outlet.Set != nil {
		faults = append(faults, s.outlet.Set.Close())
	}
	if err := errors.Join(faults...); err != nil {
		s.fail(fmt.Errorf("close: %w", err))
	}
}
