package main

import (
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/urisieve/urisieve/internal/fsys"
	"github.com/urisieve/urisieve/pipeline/dedup"
)

// Ways of urisieve's own sets.
const (
	memoryWay = "memory" // dedup.Exact
	spillWay  = "spill"  // dedup.Spilling
	stateWay  = "state"  // dedup.State
)

// ownSet makes the set of the way, nil where that is one of Pebble's.
func (j *job) ownSet() (dedup.Set, error) {
	switch j.store.way {
	case memoryWay:
		return dedup.NewExact(j.store.memory), nil
	case spillWay:
		return dedup.NewSpilling(dedup.SpillingOptions{Memory: j.store.memory, Filter: j.filter, Scratch: fsys.Scratch{FS: fsys.OS{}, Dir: j.store.dir}}), nil
	case stateWay:
		return dedup.OpenState(dedup.StateOptions{Dir: filepath.Join(j.store.dir, "state"), SettingsID: "bench", Memory: j.store.memory, Filter: j.filter})
	}
	return nil, nil //nolint:nilnil // it is one of Pebble's
}

// spillStats are those of a set of urisieve's own that spills; false of any other.
func spillStats(set claimer) (dedup.SpillStats, bool) {
	switch s := set.(type) {
	case *dedup.Spilling:
		return s.Stats(), true
	case *dedup.State:
		return s.Stats().SpillStats, true
	}
	return dedup.SpillStats{}, false
}

// printOwn prints what a set of urisieve's own has on disk.
func (j *job) printOwn(w io.Writer, set claimer) error {
	st, ok := spillStats(set)
	if !ok {
		return nil
	}
	keys := float64(max(j.refs.New(), 1))
	fmt.Fprintf(w, "disk               %.1f bytes a key there (%d bytes, %d keys, %d runs)\n",
		float64(st.Bytes)/float64(max(st.Keys, 1)), st.Bytes, st.Keys, st.Runs)
	fmt.Fprintf(w, "written            %d bytes: %.2f for each byte of a key\n", st.BytesWritten, float64(st.BytesWritten)/keys/keyBytes)
	fmt.Fprintf(w, "read               %d bytes, in sequence: %.1f a key; random reads: %.4f a key\n",
		st.BytesRead, float64(st.BytesRead)/keys, float64(st.Seeks)/keys)
	if s, ok := set.(*dedup.State); ok {
		fmt.Fprintf(w, "journal            %d bytes there, in %d files; %d commits\n", s.Stats().JournalBytes, s.Stats().Journals, s.Stats().Commits)
	}
	return nil
}

// lateAnswers holds the Pending answers of a set against what they must turn out to be.
type lateAnswers struct {
	set    claimer
	want   []bool // whether an answer is to be New; from number first on
	first  uint64
	number uint64 // of answers expected
}

func (l *lateAnswers) expect(v dedup.Verdict) {
	l.want = append(l.want, v == dedup.New)
	l.number++
}

// check takes the answers that are known.
func (l *lateAnswers) check() error {
	set, ok := l.set.(dedup.DeferringSet)
	if !ok || len(l.want) == 0 {
		return nil
	}
	known := set.Known()
	for n := l.first; n < known; n++ {
		if got := set.Take(n); (got == dedup.New) != l.want[n-l.first] {
			return fmt.Errorf("late answer %d is %d", n, got)
		}
	}
	l.want = l.want[known-l.first:]
	l.first = known
	return nil
}

// settle has the set answer, and checks that all answers came.
func (l *lateAnswers) settle() error {
	set, ok := l.set.(dedup.DeferringSet)
	if !ok {
		return nil
	}
	if err := set.Settle(); err != nil {
		return err
	}
	if err := l.check(); err != nil {
		return err
	}
	if l.first != l.number {
		return fmt.Errorf("%d of %d late answers came", l.first, l.number)
	}
	return nil
}

// curve prints what each stretch of references took.
type curve struct {
	w     io.Writer
	every uint64
	set   claimer
	next  uint64
	at    uint64
	last  usage
}

func newCurve(w io.Writer, every uint64, set claimer) *curve {
	c := &curve{w: w, every: every, set: set, next: every}
	c.last, _ = used() // it did not fail a moment ago
	return c
}

func (c *curve) point(line uint64) error {
	if c.every == 0 || line < c.next {
		return nil
	}
	now, err := used()
	if err != nil {
		return err
	}
	n := float64(line - c.at)
	fmt.Fprintf(c.w, "to %d references: CPU %.0f ns, wall %.0f ns a reference of this stretch; peak RSS %.1f MiB",
		line, float64(now.cpu-c.last.cpu)/n, float64(now.wall.Sub(c.last.wall)/time.Nanosecond)/n, float64(now.peak)/1024)
	if st, ok := spillStats(c.set); ok {
		fmt.Fprintf(c.w, "; %d keys on disk, %d runs, %.1f GiB written, %.1f GiB read", st.Keys, st.Runs, float64(st.BytesWritten)/(1<<30), float64(st.BytesRead)/(1<<30))
	}
	fmt.Fprintln(c.w)
	c.last, c.at = now, line
	c.next += c.every
	return nil
}
