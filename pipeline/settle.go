package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/pipeline/dedup"
)

// settler is the settle goroutine of a group: it alone calls the group's sinks and set, and
// commits its lanes.
type settler struct {
	*group
	run *run

	// err ends the group: what comes after it is given up. Checkpoints end with it, too, but for
	// that of dedup.ErrFull, which is made when it is set.
	err error

	keys     []dedup.Key
	verdicts []dedup.Verdict
	asked    []uint32 // index of the record that each of keys is of
	asks     []dedup.Ask
	others   []dedup.Key // of a dedup.Earlier
	dated    int         // index of Options.TimeColumn, if the set is an Asker; else -1
	counts   counts
	tally    tally // of tallyOf

	inBatch int // references of the batch at hand that are settled

	// Since the last checkpoint.
	records int64 // source records settled
	bytes   int64 // of references
	refs    int64
	since   time.Time // when the first of them was settled; zero: none
	timer   *time.Timer

	backlog  *backlog // nil before the first Pending answer of a DeferringSet
	waitFrom int      // of the piece at hand: the first record that has to wait, if it is bound for a sink
	drained  drained

	buffered bool // something was written since the last Idle
	short    bool // the last batch was handed over before it was full
}

func newSettler(r *run, g *group) *settler {
	s := &settler{group: g, run: r, dated: r.timeColumn(g.outlet.Set)}
	s.counts.elements = make([][Rejected + 1]int64, len(r.elements))
	s.timer = time.NewTimer(time.Hour)
	s.timer.Stop()
	return s
}

// loop settles what workers deliver until the reader has ended, or all lanes of the group have, and all
// is settled.
func (s *settler) loop(ctx context.Context) {
	defer s.timer.Stop()
	var ready []*Batch
	for {
		ready = s.take(ready[:0])
		for i, b := range ready {
			ready[i] = nil
			s.batch(ctx, b)
		}
		if len(ready) > 0 {
			continue
		}
		if s.finished() {
			break
		}
		s.wait(ctx)
	}
	if s.err == nil && ctx.Err() == nil {
		s.fail(s.checkpoint(ctx))
	}
	s.close(ctx)
}

// wait waits for more batches; meanwhile it hands over what readers of a pipe may wait for, and
// makes the checkpoint that falls due by age.
func (s *settler) wait(ctx context.Context) {
	o := &s.run.opts
	if s.buffered && s.short && s.restLeft() == 0 && s.caughtUp() {
		s.idle(ctx)
	}
	if s.err != nil || ctx.Err() != nil {
		<-s.wake
		return
	}
	due := time.Duration(-1)
	if s.buffered {
		due = max(o.IdleFlush, s.restLeft())
	}
	if o.CheckpointEvery > 0 && !s.since.IsZero() {
		left := max(0, o.CheckpointEvery-time.Since(s.since))
		if due < 0 || left < due {
			due = left
		}
	}
	if due < 0 {
		<-s.wake
		return
	}
	s.timer.Reset(due)
	select {
	case <-s.wake:
		s.timer.Stop()
	case <-s.timer.C:
		s.idle(ctx)
		s.checkpointByAge(ctx)
	}
}

// batch settles b, or gives it up, and lets go of it.
func (s *settler) batch(ctx context.Context, b *Batch) {
	l := b.lane
	if b.End == LaneLost {
		l.gone = true
	}
	switch {
	case l.gone || errors.Is(s.err, ErrLaneLost):
		s.run.meter.update(func(st *Stats) { st.GivenUp += int64(len(b.recs)) })
	case s.err == nil && ctx.Err() == nil:
		s.inBatch = 0
		s.fail(s.settle(ctx, b))
		if errors.Is(s.err, ErrLaneLost) {
			s.run.meter.update(func(st *Stats) { st.GivenUp += int64(len(b.recs) - s.inBatch) })
		}
	}
	end, short := b.End, b.short
	b.Release()
	s.short = short
	s.done(1)
	if end != LaneGoesOn {
		s.endLane(ctx, l)
	}
	if s.err == nil && ctx.Err() == nil {
		s.checkpointByAge(ctx)
	}
}

// endLane takes l out of the group; what is settled of it is committed unless it is lost.
func (s *settler) endLane(ctx context.Context, l *lane) {
	if l.gone {
		s.run.laneLost()
		if s.err == nil && len(s.allLanes()) == 1 {
			s.err = fmt.Errorf("lane %d: %w", l.id, ErrLaneLost) // its outlet is closed without a checkpoint
		}
	} else if s.err == nil && ctx.Err() == nil {
		s.fail(s.checkpoint(ctx))
	}
	s.remove(l)
	s.run.pool.addLanes(-1)
}

// settle decides and writes the references of b, a checkpoint's worth at a time: a claim that a
// checkpoint makes durable must be of a reference that is written, so none is made ahead of it.
func (s *settler) settle(ctx context.Context, b *Batch) error {
	row, rec := 0, 0
	for first := true; first || row < len(b.rows); first = false {
		piece := s.next(b, row, rec)
		t := s.tallyOf(b, rec, piece)
		if err := s.decide(ctx, b, rec, piece.rec); err != nil {
			if errors.Is(err, dedup.ErrFull) {
				return s.full(ctx, err)
			}
			return err
		}
		if err := s.write(ctx, b, rec, piece.rec); err != nil {
			return err
		}
		s.settled(b, rec, piece)
		rejected, references := s.run.meter.add(&s.counts, t)
		s.counts.reset()
		s.inBatch = piece.rec
		if err := s.replay(ctx); err != nil {
			return err
		}
		if err := s.tooManyRejects(rejected, references); err != nil {
			return err
		}
		row, rec = piece.row, piece.rec
		if piece.due {
			if err := s.checkpoint(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// piece is the end of a part of a batch: the rows and records before row and rec.
type piece struct {
	row, rec int
	rows     int64 // source records that are settled with it
	bytes    int64 // of its references
	due      bool  // a checkpoint is due after it
}

// next finds the part of b, from row and rec on, up to the next checkpoint or the end of b.
func (s *settler) next(b *Batch, row, rec int) piece {
	o := &s.run.opts
	if o.CheckpointRecords == 0 && o.CheckpointBytes == 0 {
		p := piece{row: len(b.rows), rec: len(b.recs), rows: int64(len(b.rows) - row)}
		if b.open {
			p.rows--
		}
		return p
	}
	p := piece{row: row, rec: rec}
	for p.row < len(b.rows) && !p.due {
		for p.rec < len(b.recs) && int(b.recs[p.rec].Row) == p.row {
			p.bytes += int64(b.recs[p.rec].RawLen)
			p.rec++
		}
		p.row++
		if p.row == len(b.rows) && b.open {
			break
		}
		p.rows++
		p.due = o.CheckpointRecords > 0 && s.records+p.rows >= o.CheckpointRecords ||
			o.CheckpointBytes > 0 && s.bytes+p.bytes >= o.CheckpointBytes
	}
	return p
}

// tallyOf is what a worker counted of a piece of b that begins at a record. It is asked before the piece is
// decided.
func (s *settler) tallyOf(b *Batch, from int, p piece) *tally {
	if p.row == len(b.rows) && from == 0 {
		return &b.tally
	}
	s.tally = tally{part: p.row < len(b.rows)}
	for i := from; i < p.rec; i++ {
		s.tally.record(&b.recs[i])
	}
	return &s.tally
}

// decide gives every undecided record of [from, to) its outcome.
func (s *settler) decide(ctx context.Context, b *Batch, from, to int) error {
	s.keys, s.asked = s.keys[:0], s.asked[:0]
	sink := s.outlet.Sink
	for i := from; i < to; i++ {
		r := &b.recs[i]
		if r.Outcome != Undecided {
			continue
		}
		if sink != nil {
			if reason := sink.Check(b, r); reason != normalize.OK {
				refuse(r, reason)
				continue
			}
		}
		s.keys = append(s.keys, r.Key)
		s.asked = append(s.asked, uint32(i))
	}
	if cap(s.verdicts) < len(s.keys) {
		s.verdicts = make([]dedup.Verdict, len(s.keys)+len(s.keys)/4)
	}
	verdicts := s.verdicts[:len(s.keys)]
	if len(s.keys) > 0 {
		if err := s.claim(b, verdicts); err != nil {
			return fmt.Errorf("dedup: %w", err)
		}
	}
	s.waitFrom = to
	if s.backlog != nil && !s.backlog.empty() {
		s.waitFrom = from
	}
	for j, i := range s.asked {
		r := &b.recs[i]
		switch verdicts[j] {
		case dedup.New:
			r.Outcome = Unique
		case dedup.Seen:
			r.Outcome = Duplicate
			s.checkDuplicate(b, r)
		case dedup.Pending: // stays Undecided
			if err := s.needBacklog(); err != nil {
				return err
			}
			s.waitFrom = min(s.waitFrom, int(i))
		}
	}
	return ctx.Err()
}

// checkDuplicate refuses a duplicate that has a sink of its own, if that sink can't take it.
func (s *settler) checkDuplicate(b *Batch, r *Record) {
	if s.run.opts.Duplicates != SplitDuplicates || s.outlet.Duplicates == nil {
		return
	}
	if reason := s.outlet.Duplicates.Check(b, r); reason != normalize.OK {
		refuse(r, reason)
	}
}

func refuse(r *Record, reason normalize.Reason) {
	r.Outcome = Rejected
	r.Result.Reason, r.Result.Component, r.Result.At = reason, normalize.ComponentReference, 0
}

// write hands the records of [from, to) that needn't wait to the sinks, and the others to the backlog.
func (s *settler) write(ctx context.Context, b *Batch, from, to int) error {
	if s.waitFrom < to {
		if err := s.putOff(b, to); err != nil {
			return err
		}
	}
	if s.run.opts.DryRun {
		return nil
	}
	policy := s.run.opts.Duplicates
	unique, duplicate, rejected := len(b.unique), len(b.duplicate), len(b.rejected)
	for i := from; i < to; i++ {
		r := &b.recs[i]
		if s.waits(i, r) {
			continue
		}
		switch r.Outcome {
		case Unique:
			b.unique = append(b.unique, uint32(i))
		case Duplicate:
			switch policy {
			case MarkDuplicates:
				b.unique = append(b.unique, uint32(i))
			case SplitDuplicates:
				b.duplicate = append(b.duplicate, uint32(i))
			case DropDuplicates:
			}
		case Rejected:
			b.rejected = append(b.rejected, uint32(i))
		case Filtered, Undecided:
		}
	}
	if err := s.writeTo(ctx, s.outlet.Rejects, b, b.rejected[rejected:]); err != nil {
		return fmt.Errorf("write the rejects: %w", err)
	}
	if err := s.writeTo(ctx, s.outlet.Duplicates, b, b.duplicate[duplicate:]); err != nil {
		return fmt.Errorf("write the duplicates: %w", err)
	}
	if err := s.writeTo(ctx, s.outlet.Sink, b, b.unique[unique:]); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}

func (s *settler) writeTo(ctx context.Context, sink Sink, b *Batch, selected []uint32) error {
	if sink == nil || len(selected) == 0 {
		return nil
	}
	s.buffered = true
	return sink.Write(ctx, View{Batch: b, Selected: slices.Clip(selected)})
}

// settled counts the records of [from, p.rec) that are written, and moves the lane's position on.
func (s *settler) settled(b *Batch, from int, p piece) {
	l := b.lane
	for i := from; i < p.rec; i++ {
		r := &b.recs[i]
		if !s.waits(i, r) {
			s.count(b, r)
		}
		if r.Outcome == Rejected {
			s.rejected(l)
		} else {
			l.inRow = 0
		}
	}
	s.counts.records += p.rows
	s.records += p.rows
	s.bytes += p.bytes
	s.refs += int64(p.rec - from)
	last := p.row - 1
	if last == len(b.rows)-1 && b.open {
		last--
	}
	if p.rows > 0 {
		l.position, l.moved = b.position(&b.rows[last]), true
	}
	if s.since.IsZero() && s.run.opts.CheckpointEvery > 0 {
		s.since = time.Now()
	}
}

// count counts a record by its outcome.
func (s *settler) count(b *Batch, r *Record) {
	c := &s.counts
	c.outcomes[r.Outcome]++
	if int(r.Element) < len(c.elements) {
		c.elements[r.Element][r.Outcome]++
	}
	switch r.Outcome {
	case Rejected:
		c.reasons[r.Result.Reason]++
		s.run.meter.sample(b, r)
	case Filtered:
		c.filters[r.FilterRule]++
	case Unique:
		c.bytesURL += int64(r.Result.Parts.URLEnd(int(r.CanonLen)))
	case Duplicate:
		s.merged(b, r)
	case Undecided:
	}
}

// merged counts a duplicate by the rules that had a part in it.
func (s *settler) merged(b *Batch, r *Record) {
	set := r.mergeSet()
	if set == (mergeSet{}) {
		s.counts.duplicateSame++
		return
	}
	set.each(func(slot int) { s.counts.duplicateRules[slot]++ })
	s.run.meter.merges.sample(b, r, set)
}

// rejected counts the rejected references in a row of a lane.
func (s *settler) rejected(l *lane) {
	l.inRow++
	if hint := s.run.opts.OnRejectsInRow; hint != nil && l.inRow == rejectsInRow {
		if samples, first := s.run.meter.takeHint(); first {
			hint(l.inRow, samples)
		}
	}
}

func (s *settler) tooManyRejects(rejected, references int64) error {
	limit := s.run.opts.MaxRejects
	if limit == nil || !limit.exceeded(rejected, references) {
		return nil
	}
	return &TooManyRejectsError{Limit: *limit, Rejected: rejected, References: references, Samples: s.run.meter.allSamples()}
}

// fail ends the group with err, and the run unless only the lane is lost.
func (s *settler) fail(err error) {
	if err == nil || s.err != nil {
		return
	}
	s.err = err
	if errors.Is(err, ErrLaneLost) {
		s.run.laneLost()
		return
	}
	s.run.fail(err)
}
