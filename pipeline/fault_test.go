package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/pipeline"
	"github.com/urisieve/urisieve/pipeline/dedup"
	"github.com/urisieve/urisieve/pipeline/pipetest"
)

var errFault = errors.New("the fault of the test")

func at(n int) func(int) error {
	return func(call int) error {
		if call == n {
			return errFault
		}
		return nil
	}
}

// TestCheckpointOrder runs with checkpoints by records, and by bytes, in batches of any size: what
// happens, and in which order, is always the same.
func TestCheckpointOrder(t *testing.T) {
	items := pipetest.Refs("http://h/1", "http://h/1", "http://h/2", "http://h/3", "http://h/4")
	items[3] = pipetest.Item{Refs: []string{"x", "y"}, Reject: normalize.BadRecord}
	want := []string{
		"flush rejects 0", "flush duplicates 1", "flush main 1", "sync", "commit 0:2",
		"flush rejects 2", "flush duplicates 1", "flush main 2", "sync", "commit 0:4",
		"flush rejects 2", "flush duplicates 1", "flush main 3", "sync", "commit 0:5",
		"close rejects", "close duplicates", "close main", "close set",
	}
	for _, records := range []int{1, 2, 3, 100} {
		f := newFixture(t, items)
		f.options.BatchRecords, f.options.CheckpointRecords = records, 2
		s := f.mustRun(t)
		if got := f.checkpoints(); !slices.Equal(got, want) {
			t.Errorf("batches of %d:\ngot  %q\nwant %q", records, got, want)
		}
		if s.Checkpoints != 3 || s.Committed != 6 {
			t.Errorf("%d checkpoints of %d references", s.Checkpoints, s.Committed)
		}
	}
	commits := func(records int) (list []string) {
		f := newFixture(t, randomItems(5, 500))
		f.options.BatchRecords, f.options.CheckpointBytes = records, 2000
		f.mustRun(t)
		return f.checkpoints()
	}
	first := commits(1)
	if len(first) < 20 {
		t.Fatalf("too few checkpoints by bytes: %q", first)
	}
	for _, records := range []int{7, 4096} {
		if got := commits(records); !slices.Equal(got, first) {
			t.Errorf("checkpoints by bytes depend on the size of batches: %d", records)
		}
	}
}

// checkpoints are the events of the journal without Idle, whose time is the clock's.
func (f *fixture) checkpoints() []string {
	return slices.DeleteFunc(f.journal.Events(), func(e string) bool { return strings.HasPrefix(e, "idle") })
}

func TestCheckpointByAge(t *testing.T) {
	wait := make(chan struct{})
	items := append(pipetest.Refs("http://h/1"), pipetest.Item{Wait: wait, Refs: []string{"http://h/2"}})
	f := newFixture(t, items)
	f.options.CheckpointEvery = 5 * time.Millisecond
	go func() {
		for f.source.Committed(0) != 1 {
			time.Sleep(time.Millisecond)
		}
		close(wait)
	}()
	f.mustRun(t)
	if f.source.Committed(0) != 2 {
		t.Error("the end isn't committed")
	}
}

// numbers are the record numbers of lines.
func numbers(t *testing.T, lists ...[]string) map[int64]bool {
	t.Helper()
	all := map[int64]bool{}
	for _, list := range lists {
		for _, line := range list {
			number, _, _ := strings.Cut(line, ".")
			n, err := strconv.ParseInt(number, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			all[n] = true
		}
	}
	return all
}

// nothingCommittedEarly holds that every record up to the committed one is durable.
func (f *fixture) nothingCommittedEarly(t *testing.T) {
	t.Helper()
	durable := numbers(t, f.main.Durable(), f.rejects.Durable(), f.duplicates.Durable())
	for n := int64(1); n <= f.source.Committed(0); n++ {
		if len(f.source.Items[n-1].Refs) > 0 && !durable[n] {
			t.Errorf("record %d is committed and not durable", n)
			return
		}
	}
}

func TestFaults(t *testing.T) {
	cases := []struct {
		name  string
		set   func(f *fixture)
		wraps error
		says  string
		all   bool // everything read before is committed all the same
	}{
		{"the sink fails to write", func(f *fixture) { f.main.FailWrite = at(5) }, errFault, "write:", false},
		{"the reject sink fails to write", func(f *fixture) { f.rejects.FailWrite = at(4) }, errFault, "rejects", false},
		{"the duplicates' sink fails to write", func(f *fixture) { f.duplicates.FailWrite = at(4) }, errFault, "duplicates", false},
		{"the sink fails to flush", func(f *fixture) { f.main.FailFlush = at(3) }, errFault, "flush the output", false},
		{"the reject sink fails to flush", func(f *fixture) { f.rejects.FailFlush = at(3) }, errFault, "flush the rejects", false},
		{"the duplicates' sink fails to flush", func(f *fixture) { f.duplicates.FailFlush = at(3) }, errFault, "flush the duplicates", false},
		{"the set fails to sync", func(f *fixture) {
			n := 0
			f.set.FailSync = func() error { n++; return at(3)(n) }
		}, errFault, "sync", false},
		{"the source fails to commit", func(f *fixture) {
			n := 0
			f.source.Fail = func() error { n++; return at(3)(n) }
		}, errFault, "commit", false},
		{"the source fails to read", func(f *fixture) {
			f.source.Items = slices.Insert(f.source.Items, 250, pipetest.Item{Err: errFault})
		}, errFault, "read:", true},
		{"the set is full", func(f *fixture) { f.set.Max = 40 }, dedup.ErrFull, "dedup", false},
	}
	for _, c := range cases {
		for _, workers := range []int{1, 4} {
			t.Run(fmt.Sprintf("%s/workers=%d", c.name, workers), func(t *testing.T) {
				f := newFixture(t, randomItems(6, 500))
				f.options.Workers, f.options.BatchRecords, f.options.CheckpointRecords = workers, 16, 20
				c.set(f)
				s, err := f.run(t)
				if !errors.Is(err, c.wraps) || !strings.Contains(err.Error(), c.says) {
					t.Errorf("got %v, want %v with %q", err, c.wraps, c.says)
				}
				f.nothingCommittedEarly(t)
				if got := f.source.Committed(0); got == 0 || got == 500 {
					t.Errorf("committed up to record %d: the fault of this test came too early or too late", got)
				}
				if c.all && s.InFlight != 0 {
					t.Errorf("%d references that were read aren't settled", s.InFlight)
				}
				if !f.main.Closed() || !f.rejects.Closed() || !f.duplicates.Closed() {
					t.Error("a sink isn't closed")
				}
			})
		}
	}
}

// TestFullSetEndsCleanly: all that came before is written, flushed and committed.
func TestFullSetEndsCleanly(t *testing.T) {
	var refs []string
	for i := range 100 {
		refs = append(refs, fmt.Sprintf("http://h/%d", i))
	}
	f := newFixture(t, pipetest.Refs(refs...))
	f.options.BatchRecords, f.set.Max = 10, 55
	_, err := f.run(t)
	if !errors.Is(err, dedup.ErrFull) {
		t.Fatalf("got %v", err)
	}
	if n := len(f.main.Durable()); n != 50 {
		t.Errorf("%d references are durable, want 50", n)
	}
	if got := f.source.Committed(0); got != 50 {
		t.Errorf("committed up to record %d, want 50", got)
	}
}

func TestSourceFaultKeepsWhatCameBefore(t *testing.T) {
	f := newFixture(t, append(pipetest.Refs("http://h/1", "http://h/2", "http://h/3"), pipetest.Item{Err: errFault}))
	_, err := f.run(t)
	if !errors.Is(err, errFault) {
		t.Fatalf("got %v", err)
	}
	if f.source.Committed(0) != 3 || len(f.main.Durable()) != 3 {
		t.Errorf("committed up to %d, %d durable; want 3 and 3", f.source.Committed(0), len(f.main.Durable()))
	}
}

func TestOpenFault(t *testing.T) {
	f := newFixture(t, pipetest.Refs("http://h/1"))
	f.options.Open = func(context.Context, pipeline.LaneID) (*pipeline.Lane, error) { return nil, errFault }
	if _, err := f.run(t); !errors.Is(err, errFault) {
		t.Errorf("got %v", err)
	}
	f.options.Open = func(context.Context, pipeline.LaneID) (*pipeline.Lane, error) { return &pipeline.Lane{}, nil }
	f.source.Items = pipetest.Refs("http://h/1", "http://h/2")
	if _, err := f.run(t); err == nil {
		t.Error("a lane without a set is no error")
	}
}

func TestLaneCloseIsToldHowItEnded(t *testing.T) {
	for _, fault := range []error{nil, errFault} {
		f := newFixture(t, pipetest.Refs("http://h/1"))
		f.main.FailFlush = func(int) error { return fault }
		told := errors.New("Close was not called")
		f.options.Duplicates = pipeline.DropDuplicates
		f.options.Open = func(context.Context, pipeline.LaneID) (*pipeline.Lane, error) {
			return &pipeline.Lane{Sink: f.main, Set: f.set, Close: func(err error) error { told = err; return nil }}, nil
		}
		if _, err := f.run(t); !errors.Is(err, fault) {
			t.Errorf("got %v, want %v", err, fault)
		}
		if !errors.Is(told, fault) {
			t.Errorf("Close was told %v, want %v", told, fault)
		}
	}
}

func TestCancelAtRandomPoints(t *testing.T) {
	items := randomItems(7, 400)
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		f := newFixture(t, items)
		f.options.BatchRecords, f.options.CheckpointRecords, f.options.Workers = 1+r.IntN(20), 1+r.Int64N(30), 1+r.IntN(4)
		ctx, cancel := context.WithCancel(t.Context())
		stop := r.IntN(60)
		calls := 0
		f.main.FailWrite = func(int) error {
			if calls++; calls == stop {
				cancel()
			}
			return nil
		}
		s, err := pipeline.Run(ctx, f.options)
		balance(t, s)
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if ctx.Err() != nil && err == nil && f.source.Committed(0) != 400 {
			t.Error("cancelled, not done, and no error")
		}
		f.nothingCommittedEarly(t)
		cancel()
	}
}

func TestCancelWakesABlockedSink(t *testing.T) {
	f := newFixture(t, randomItems(8, 2000))
	f.options.BatchRecords, f.options.PoolBytes = 10, 1
	f.main.Block = make(chan struct{})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := pipeline.Run(ctx, f.options); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// TestDrainSettlesWhatWasRead closes Drain while the source waits for more.
func TestDrainSettlesWhatWasRead(t *testing.T) {
	drain := make(chan struct{})
	items := append(pipetest.Refs("http://h/1", "http://h/2"), pipetest.Item{Wait: make(chan struct{}), Refs: []string{"never"}})
	f := newFixture(t, items)
	f.options.Drain = drain
	time.AfterFunc(10*time.Millisecond, func() { close(drain) })
	s := f.mustRun(t)
	if !s.Drained || s.Unique != 2 || f.source.Committed(0) != 2 || len(f.main.Durable()) != 2 {
		t.Errorf("drained %v, %d unique, committed %d, %d durable", s.Drained, s.Unique, f.source.Committed(0), len(f.main.Durable()))
	}
}

// TestDrainAfterTheEnd closes Drain when the source was read to its end: the run is whole.
func TestDrainAfterTheEnd(t *testing.T) {
	drain := make(chan struct{})
	f := newFixture(t, pipetest.Refs("http://h/1", "http://h/2"))
	f.options.Drain = drain
	pipeline.SetBeforeWork(&f.options, func() {
		time.Sleep(10 * time.Millisecond)
		close(drain)
		time.Sleep(10 * time.Millisecond)
	})
	if s := f.mustRun(t); s.Drained || s.Unique != 2 {
		t.Errorf("drained %v, %d unique", s.Drained, s.Unique)
	}
}

// TestCrashesLoseNothing crashes runs over and over, with a set that remembers what was synced, until one ends:
// each record's canonical URI is then durable, and the set never held back one that wasn't.
func TestCrashesLoseNothing(t *testing.T) {
	rounds := 150
	if testing.Short() {
		rounds = 20
	}
	crashes := 0
	for seed := range uint64(rounds) {
		r := rand.New(rand.NewPCG(seed, 2))
		items := randomItems(seed, 120)
		var set *pipetest.Set
		durable := map[string]bool{}
		committed := int64(0)
		for {
			f := newFixture(t, items[committed:])
			if set == nil {
				set = f.set
			}
			f.set = set
			set.Journal, set.FailSync = nil, nil
			f.options.Workers, f.options.BatchRecords = 1+r.IntN(3), 1+r.IntN(15)
			f.options.CheckpointRecords = 1 + r.Int64N(25)
			stop := crashPoint(r, f)
			_, err := f.run(t)
			for _, list := range [][]string{f.main.Durable(), f.rejects.Durable()} {
				for _, line := range list {
					_, text, _ := strings.Cut(line, " ")
					durable[text] = true
				}
			}
			f.nothingCommittedEarly(t)
			committed += f.source.Committed(0)
			if err == nil {
				break
			}
			if !errors.Is(err, errFault) {
				t.Fatal(err)
			}
			crashes++
			stop()
			set.Crash()
		}
		want := newFixture(t, items)
		want.mustRun(t)
		for _, line := range append(want.main.Durable(), want.rejects.Durable()...) {
			_, text, _ := strings.Cut(line, " ")
			if !durable[text] {
				t.Fatalf("seed %d: lost: %s", seed, text)
			}
		}
	}
	if crashes < rounds {
		t.Errorf("only %d crashes in %d rounds", crashes, rounds)
	}
}

// crashPoint picks something of f to fail.
func crashPoint(r *rand.Rand, f *fixture) (forget func()) {
	n := 1 + r.IntN(12)
	call := 0
	count := func() error { call++; return at(n)(call) }
	switch r.IntN(7) {
	case 0:
		f.main.FailWrite = at(n)
	case 1:
		f.main.FailFlush = at(n)
	case 2:
		f.rejects.FailWrite = at(n)
	case 3:
		f.rejects.FailFlush = at(n)
	case 4:
		f.set.FailSync = count
	case 5:
		f.source.Fail = count
	case 6: // none
	}
	return func() { f.set.FailSync = nil }
}

func TestTooManyRejects(t *testing.T) {
	items := make([]pipetest.Item, 3000)
	for i := range items {
		items[i] = pipetest.Item{Refs: []string{fmt.Sprintf("http://user:secret@h/%d", i)}}
		if i%2 == 0 {
			items[i].Reject = normalize.BadRecord
		}
	}
	cases := []struct {
		limit string
		ends  bool
	}{
		{"0", true}, {"1499", true}, {"1500", false}, {"49%", true}, {"51%", false},
	}
	for _, c := range cases {
		t.Run(c.limit, func(t *testing.T) {
			limit, err := pipeline.ParseRejectLimit(c.limit)
			if err != nil {
				t.Fatal(err)
			}
			f := newFixture(t, items)
			f.options.MaxRejects, f.options.BatchRecords = limit, 100
			_, err = f.run(t)
			var many *pipeline.TooManyRejectsError
			if errors.As(err, &many) != c.ends || !c.ends && err != nil {
				t.Fatalf("got %v", err)
			}
			if !c.ends {
				return
			}
			if len(many.Samples) == 0 || !strings.Contains(err.Error(), "bad_record") || strings.Contains(err.Error(), "secret") {
				t.Errorf("the message: %v", err)
			}
			if f.source.Committed(0) != 0 {
				t.Error("something was committed")
			}
		})
	}
	for _, bad := range []string{"", "x", "-1", "0%", "100%", "-5%", "NaN%", "5 %"} {
		if _, err := pipeline.ParseRejectLimit(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestHintAfterAThousandRejectsInARow(t *testing.T) {
	for _, rejects := range []int{999, 1000, 2500} {
		var items []pipetest.Item
		for range rejects {
			items = append(items, pipetest.Item{Refs: []string{"x"}, Reject: normalize.BadRecord})
		}
		items = append(items, pipetest.Refs("http://h/")...)
		f := newFixture(t, items)
		f.options.BatchRecords = 64
		var calls []int64
		f.options.OnRejectsInRow = func(n int64, samples []pipeline.RejectSample) {
			calls = append(calls, n)
			if len(samples) == 0 {
				t.Error("no samples")
			}
		}
		f.mustRun(t)
		want := []int64{1000}
		if rejects < 1000 {
			want = nil
		}
		if !slices.Equal(calls, want) {
			t.Errorf("%d in a row: called with %v, want %v", rejects, calls, want)
		}
	}
}
