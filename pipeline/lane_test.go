package pipeline_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/urisieve/urisieve/pipeline"
	"github.com/urisieve/urisieve/pipeline/pipetest"
)

// pipeSource reads lines of a pipe on a goroutine of its own, and gives what is there.
type pipeSource struct {
	pipetest.Script
	lines <-chan string
	n     int64
}

func (s *pipeSource) Fill(ctx context.Context, b *pipeline.Batch) error {
	add := func(line string, ok bool) error {
		if !ok {
			return io.EOF
		}
		s.n++
		b.AddRow(pipeline.Row{Number: s.n, Partition: -1, Base: pipeline.NoBase, Source: b.Source("-")})
		b.AddRef(0, []byte(line))
		return nil
	}
	select {
	case line, ok := <-s.lines:
		if err := add(line, ok); err != nil {
			return err
		}
	case <-ctx.Done():
		return ctx.Err()
	}
	for !b.Full() {
		select {
		case line, ok := <-s.lines:
			if err := add(line, ok); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return nil
}

// echo writes what it is given to a pipe when it is told that the source waits.
type echo struct {
	pipetest.Recorder
	to      io.Writer
	written int
}

func (s *echo) Idle(ctx context.Context) error {
	lines := s.Lines()
	for _, line := range lines[s.written:] {
		if _, err := fmt.Fprintln(s.to, line); err != nil {
			return err
		}
	}
	s.written = len(lines)
	return nil
}

// TestALineInItsAnswerOut runs as a coprocess: no line is written before the last one's answer is read.
func TestALineInItsAnswerOut(t *testing.T) {
	for _, records := range []int{4096, 1} { // 1: every batch is full, so that only IdleFlush tells
		inRead, inWrite, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		outRead, outWrite, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		lines := make(chan string)
		go func() {
			defer close(lines)
			readLines(inRead, func(line string) { lines <- line })
		}()
		f := newFixture(t, nil)
		f.options.Source = &pipeSource{lines: lines}
		f.options.Duplicates, f.options.BatchRecords = pipeline.DropDuplicates, records
		sink := &echo{to: outWrite}
		f.options.Open = func(context.Context, pipeline.LaneID) (*pipeline.Lane, error) {
			return &pipeline.Lane{Sink: sink, Set: f.set}, nil
		}
		done := make(chan error, 1)
		go func() {
			_, err := pipeline.Run(context.Background(), f.options)
			outWrite.Close()
			done <- err
		}()
		answers := make(chan string)
		go func() {
			defer close(answers)
			readLines(outRead, func(line string) { answers <- line })
		}()
		for i := range 20 {
			if _, err := fmt.Fprintf(inWrite, "http://h/%d\n", i); err != nil {
				t.Fatal(err)
			}
			select {
			case line := <-answers:
				if want := fmt.Sprintf("%d.0 unique http://h/%d", i+1, i); line != want {
					t.Fatalf("got %q, want %q", line, want)
				}
			case <-time.After(10 * time.Second):
				t.Fatalf("no answer to line %d", i)
			}
		}
		inWrite.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
		for range answers {
		}
		inRead.Close()
		outRead.Close()
	}
}

func readLines(r io.Reader, each func(string)) {
	var line []byte
	buffer := make([]byte, 1024)
	for {
		n, err := r.Read(buffer)
		for _, c := range buffer[:n] {
			if c == '\n' {
				each(string(line))
				line = line[:0]
				continue
			}
			line = append(line, c)
		}
		if err != nil {
			return
		}
	}
}

// lanesFixture is a run of three lanes, each with sinks of its own.
type lanesFixture struct {
	options pipeline.Options
	source  *pipetest.Lanes
	sinks   map[pipeline.LaneID]*pipetest.Recorder
}

func newLanesFixture(t *testing.T, records int) *lanesFixture {
	t.Helper()
	f := newFixture(t, nil)
	l := &lanesFixture{options: f.options, source: new(pipetest.Lanes), sinks: map[pipeline.LaneID]*pipetest.Recorder{}}
	for i := range records {
		l.source.Items = append(l.source.Items, pipetest.Item{
			Lane: pipeline.LaneID(i % 3), Refs: []string{fmt.Sprintf("http://h/%d", i/3)},
		})
	}
	for id := range pipeline.LaneID(3) {
		l.sinks[id] = &pipetest.Recorder{Name: fmt.Sprint(id)}
	}
	l.options.Source = l.source
	l.options.Duplicates = pipeline.DropDuplicates
	l.options.BatchRecords = 10
	l.options.PoolBytes = 1 // one batch a lane
	l.options.Open = func(_ context.Context, id pipeline.LaneID) (*pipeline.Lane, error) {
		return &pipeline.Lane{Sink: l.sinks[id], Set: new(pipetest.Set)}, nil
	}
	return l
}

// TestStuckLaneStallsNoOther blocks the sink of lane 0 until the others are done.
func TestStuckLaneStallsNoOther(t *testing.T) {
	f := newLanesFixture(t, 3000)
	block := make(chan struct{})
	f.sinks[0].Block = block
	var stuck int
	go func() {
		for len(f.sinks[1].Lines()) < 1000 || len(f.sinks[2].Lines()) < 1000 {
			time.Sleep(time.Millisecond)
		}
		stuck = len(f.sinks[0].Lines())
		close(block)
	}()
	s, err := pipeline.Run(t.Context(), f.options)
	if err != nil {
		t.Fatal(err)
	}
	balance(t, s)
	if stuck != 0 || s.Unique != 3000 {
		t.Errorf("%d written by the stuck lane, %d unique in the end", stuck, s.Unique)
	}
	for id := range pipeline.LaneID(3) {
		if n := len(f.sinks[id].Durable()); n != 1000 {
			t.Errorf("lane %d: %d references durable", id, n)
		}
		if !slices.IsSortedFunc(f.sinks[id].Lines(), byNumber) {
			t.Errorf("lane %d is out of order", id)
		}
	}
}

func byNumber(a, b string) int {
	var x, y int
	fmt.Sscanf(a, "%d", &x)
	fmt.Sscanf(b, "%d", &y)
	return x - y
}

// TestLaneEnds ends lane 0 in order and loses lane 1 in the middle; lane 2 goes on.
func TestLaneEnds(t *testing.T) {
	f := newLanesFixture(t, 300)
	f.source.Items = append(f.source.Items,
		pipetest.Item{Lane: 0, End: pipeline.LaneDone},
		pipetest.Item{Lane: 1, End: pipeline.LaneLost},
		pipetest.Item{Lane: 2, Refs: []string{"http://h/last"}})
	s, err := pipeline.Run(t.Context(), f.options)
	if err != nil {
		t.Fatal(err)
	}
	balance(t, s)
	if n := f.source.Committed(0); n != 298 {
		t.Errorf("lane 0 committed up to %d, want 298", n)
	}
	if n := f.source.Committed(1); n != 0 {
		t.Errorf("the lost lane committed up to %d", n)
	}
	if n := f.source.Committed(2); n != 303 {
		t.Errorf("lane 2 committed up to %d, want 303", n)
	}
	if len(f.sinks[1].Durable()) != 0 || !f.sinks[1].Closed() {
		t.Error("the lost lane's sink was flushed, or isn't closed")
	}
}

// TestLostLaneEndsAlone has the sink of lane 1 find out that it is fenced.
func TestLostLaneEndsAlone(t *testing.T) {
	f := newLanesFixture(t, 300)
	f.sinks[1].FailWrite = func(n int) error {
		if n == 3 {
			return fmt.Errorf("fenced: %w", pipeline.ErrLaneLost)
		}
		return nil
	}
	s, err := pipeline.Run(t.Context(), f.options)
	if err != nil {
		t.Fatal(err)
	}
	balance(t, s)
	if s.Unique != 220 || s.GivenUp != 80 || s.InFlight != 0 {
		t.Errorf("%d unique, %d given up, %d in flight; want 220, 80, 0", s.Unique, s.GivenUp, s.InFlight)
	}
	if f.source.Committed(1) != 0 {
		t.Error("the lost lane committed")
	}
}

// TestLanesThatShareCommitTogether: a duplicate of one lane may be of a reference of the other.
func TestLanesThatShareCommitTogether(t *testing.T) {
	f := newLanesFixture(t, 300)
	j := new(pipetest.Journal)
	sink := &pipetest.Recorder{Name: "main", Journal: j}
	f.source.Journal = j
	shared := &pipeline.Lane{Sink: sink, Set: &pipetest.Set{Journal: j}}
	f.options.Open = func(context.Context, pipeline.LaneID) (*pipeline.Lane, error) { return shared, nil }
	f.options.CheckpointRecords = 50
	s, err := pipeline.Run(t.Context(), f.options)
	if err != nil {
		t.Fatal(err)
	}
	balance(t, s)
	if s.Unique != 100 || s.Duplicate != 200 {
		t.Errorf("%d unique, %d duplicates; want 100, 200", s.Unique, s.Duplicate)
	}
	for id := range pipeline.LaneID(3) {
		if n := f.source.Committed(id); n != int64(298+int(id)) {
			t.Errorf("lane %d committed up to %d", id, n)
		}
	}
	last := ""
	for _, e := range j.Events() {
		if strings.HasPrefix(e, "commit") && last != "sync" && !strings.HasPrefix(last, "commit") {
			t.Fatalf("%s after %s", e, last)
		}
		if e == "sync" && !strings.HasPrefix(last, "flush main") {
			t.Fatalf("sync after %s", last)
		}
		last = e
	}
}
