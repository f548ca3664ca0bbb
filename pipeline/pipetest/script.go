package pipetest

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/pipeline"
)

// Item is one source record of a Script, or something else that happens there.
type Item struct {
	Lane     pipeline.LaneID
	Refs     []string
	Base     string           // retrieval URI; "": none
	Elements []uint8          // of Refs; nil: all 0
	Reject   normalize.Reason // the source refuses every one of Refs
	Pause    bool             // no record: Fill returns what it has
	Wait     <-chan struct{}  // before the record, Fill waits for this (or ctx); when it has records, it returns them first
	Err      error            // no record: Fill fails, this time
	End      pipeline.LaneEnd // no record: the lane ends
}

// Refs makes items of one reference each.
func Refs(refs ...string) []Item {
	items := make([]Item, len(refs))
	for i, r := range refs {
		items[i].Refs = []string{r}
	}
	return items
}

// Script is a Source that follows a script. A record's number, and its offset, is its place in the script,
// from 1. It serves one lane after the other, as the script says; see Lanes for one that chooses.
type Script struct {
	Items   []Item
	Journal *Journal
	Cut     func() int        // how many records the next Fill gives at most; nil: as many as the batch takes
	Fail    func() error      // for each Commit; nil: none fails
	Names   []string          // of the elements; nil: one, ""
	Pass    []pipeline.Column // every record has its number in them, as a text or an integer

	mu        sync.Mutex
	at        int
	closed    chan struct{}
	committed map[pipeline.LaneID]pipeline.Position
	commits   int
	stats     pipeline.SourceStats
}

// Resume has the script go on after item number n.
func (s *Script) Resume(n int64) { s.at = int(n) }

// Columns implements pipeline.Source.
func (s *Script) Columns() ([]pipeline.Column, []string) {
	if s.Names == nil {
		return s.Pass, []string{""}
	}
	return s.Pass, s.Names
}

// Fill implements pipeline.Source.
func (s *Script) Fill(ctx context.Context, b *pipeline.Batch) error {
	most := int(^uint(0) >> 1)
	if s.Cut != nil {
		most = s.Cut()
	}
	for n := 0; n < most && !b.Full(); {
		if err := ctx.Err(); err != nil {
			return err
		}
		if s.at == len(s.Items) {
			return io.EOF
		}
		item := &s.Items[s.at]
		if n > 0 && item.Lane != b.Lane {
			return nil
		}
		if item.Wait != nil {
			select {
			case <-item.Wait:
			default:
				if n > 0 {
					return nil
				}
				select {
				case <-item.Wait:
				case <-ctx.Done():
					return ctx.Err()
				case <-s.closing():
					return io.ErrClosedPipe
				}
			}
		}
		s.at++
		switch {
		case item.Err != nil:
			return item.Err
		case item.End != pipeline.LaneGoesOn:
			b.Lane, b.End = item.Lane, item.End
			return nil
		case item.Pause:
			if n > 0 {
				return nil
			}
		default:
			s.add(b, item, int64(s.at))
			n++
		}
	}
	return nil
}

func (s *Script) add(b *pipeline.Batch, item *Item, number int64) {
	b.Lane = item.Lane
	base := pipeline.NoBase
	if item.Base != "" {
		base = b.AddBase(nil, nil, []byte(item.Base))
	}
	source := b.Source("script")
	b.AddRow(pipeline.Row{Number: number, Offset: number, Partition: -1, Base: base, Source: source})
	for i, c := range s.Pass {
		if c.Kind == pipeline.ColumnText {
			b.SetText(i, fmt.Append(nil, number))
		} else {
			b.SetInt(i, number)
		}
	}
	for i, ref := range item.Refs {
		element := uint8(0)
		if item.Elements != nil {
			element = item.Elements[i]
		}
		if item.Reject != normalize.OK {
			b.AddReject(element, []byte(ref), item.Reject, normalize.ComponentRecord, 0)
			continue
		}
		b.AddRef(element, []byte(ref))
	}
	s.mu.Lock()
	s.stats.Records++
	s.mu.Unlock()
}

// Commit implements pipeline.Source. A position that goes back is an error.
func (s *Script) Commit(_ context.Context, upto []pipeline.Position) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.commits++
	if s.Fail != nil {
		if err := s.Fail(); err != nil {
			return err
		}
	}
	if s.committed == nil {
		s.committed = map[pipeline.LaneID]pipeline.Position{}
	}
	for _, p := range upto {
		if old, ok := s.committed[p.Lane]; ok && old.Number > p.Number {
			return fmt.Errorf("lane %d: commit goes back from record %d to %d", p.Lane, old.Number, p.Number)
		}
		s.committed[p.Lane] = p
		s.Journal.Add("commit %d:%d", p.Lane, p.Number)
	}
	return nil
}

// Committed is the number of the last committed record of a lane, 0 for none.
func (s *Script) Committed(id pipeline.LaneID) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.committed[id].Number
}

// Stats implements pipeline.Source.
func (s *Script) Stats() pipeline.SourceStats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stats
}

func (s *Script) closing() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed == nil {
		s.closed = make(chan struct{})
	}
	return s.closed
}

// Close implements pipeline.Source.
func (s *Script) Close() error {
	closed := s.closing()
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-closed:
	default:
		close(s.closed)
	}
	return nil
}

// Lanes is a Script that serves, at each Fill, the first lane that the quota admits: as Kafka does.
type Lanes struct {
	Script
	taken map[int]bool
}

// FillLanes implements pipeline.LaneSource.
func (s *Lanes) FillLanes(ctx context.Context, b *pipeline.Batch, q pipeline.Quota) error {
	if s.taken == nil {
		s.taken = map[int]bool{}
	}
	for {
		if len(s.taken) == len(s.Items) {
			return io.EOF
		}
		if s.serve(b, q) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-q.Changed():
		}
	}
}

// serve fills b from the first admitted lane; false when there is none.
func (s *Lanes) serve(b *pipeline.Batch, q pipeline.Quota) bool {
	chosen, n := false, 0
	admitted := map[pipeline.LaneID]bool{} // asked once: the answer may change, the order of a lane may not
	for i := range s.Items {
		item := &s.Items[i]
		if s.taken[i] {
			continue
		}
		if _, asked := admitted[item.Lane]; !asked {
			admitted[item.Lane] = q.Admits(item.Lane)
		}
		if !admitted[item.Lane] || chosen && item.Lane != b.Lane {
			continue
		}
		chosen, b.Lane = true, item.Lane
		if b.Full() {
			break
		}
		s.taken[i] = true
		if item.End != pipeline.LaneGoesOn {
			b.End = item.End
			return true
		}
		s.add(b, item, int64(i+1))
		n++
	}
	return n > 0
}
