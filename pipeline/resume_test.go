package pipeline_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/normalize/keyrule"
	"github.com/urisieve/urisieve/pipeline"
)

// TestARunGoesOnWhereAnotherStopped: whichever checkpoint is the last one, two runs write and count what one
// does.
func TestARunGoesOnWhereAnotherStopped(t *testing.T) {
	items := randomItems(11, 900)
	n, err := normalize.New(normalize.Options{Key: keyrule.Options{Preset: "crawl"}})
	if err != nil {
		t.Fatal(err)
	}
	prepare := func(f *fixture) *fixture {
		f.options.Normalizer, f.options.Scope = n, web(t)
		f.options.CheckpointRecords, f.options.BatchRecords = 100, 64
		f.options.Meter = new(pipeline.Meter)
		return f
	}
	want := prepare(newFixture(t, items))
	wantStats := want.mustRun(t)
	for stop := 1; stop <= 9; stop++ {
		t.Run(fmt.Sprint(stop), func(t *testing.T) {
			f := prepare(newFixture(t, items))
			var saved []byte
			var at pipeline.Position
			stopped := errors.New("stopped")
			calls := 0
			f.options.OnCheckpoint = func(upto []pipeline.Position) error {
				if calls++; calls == stop+1 {
					return stopped
				}
				at = upto[0]
				var err error
				saved, err = json.Marshal(f.options.Meter)
				return err
			}
			if _, err := f.run(t); stop < 9 && !errors.Is(err, stopped) {
				t.Fatalf("ended with %v", err)
			}
			if at.Number != int64(100*stop) {
				t.Fatalf("checkpoint %d is at record %d", stop, at.Number)
			}
			second := prepare(newFixture(t, items))
			f.set.Crash()
			second.set = f.set
			second.open(second.set)
			second.source.Resume(at.Number)
			if err := json.Unmarshal(saved, second.options.Meter); err != nil {
				t.Fatal(err)
			}
			stats := second.mustRun(t)
			durable := func(one, two []string) []string { return append(append([]string(nil), one...), two...) }
			sameLines(t, "main", durable(f.main.Durable()[:len(want.main.Durable())-len(second.main.Durable())], second.main.Durable()), want.main.Durable())
			if got, want := countsOf(t, stats), countsOf(t, wantStats); got != want {
				t.Errorf("counts differ:\n%s\n%s", got, want)
			}
			if got := second.options.Meter.Merges(); !reflect.DeepEqual(got, want.options.Meter.Merges()) {
				t.Errorf("merges differ:\n%+v\n%+v", got, want.options.Meter.Merges())
			}
		})
	}
}

// countsOf is what must be the same however a run was divided.
func countsOf(t *testing.T, s pipeline.Stats) string {
	t.Helper()
	s.Source, s.Batches, s.Checkpoints, s.PoolBytes = pipeline.SourceStats{}, 0, 0, 0
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
