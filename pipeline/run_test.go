package pipeline_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/normalize/keyrule"
	"github.com/urisieve/urisieve/pipeline"
	"github.com/urisieve/urisieve/pipeline/dedup"
	"github.com/urisieve/urisieve/pipeline/pipetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fixture is a run over a script, into recorders.
type fixture struct {
	journal                   *pipetest.Journal
	source                    *pipetest.Script
	main, rejects, duplicates *pipetest.Recorder
	set                       *pipetest.Set
	options                   pipeline.Options
}

func newFixture(t testing.TB, items []pipetest.Item) *fixture {
	t.Helper()
	n, err := normalize.New(normalize.Options{})
	if err != nil {
		t.Fatal(err)
	}
	j := new(pipetest.Journal)
	f := &fixture{
		journal:    j,
		source:     &pipetest.Script{Items: items, Journal: j},
		main:       &pipetest.Recorder{Name: "main", Journal: j},
		rejects:    &pipetest.Recorder{Name: "rejects", Journal: j},
		duplicates: &pipetest.Recorder{Name: "duplicates", Journal: j},
		set:        &pipetest.Set{Journal: j},
	}
	f.options = pipeline.Options{
		Source: f.source, Normalizer: n, Duplicates: pipeline.SplitDuplicates,
		Open: func(context.Context, pipeline.LaneID) (*pipeline.Lane, error) {
			return &pipeline.Lane{Sink: f.main, Rejects: f.rejects, Duplicates: f.duplicates, Set: f.set}, nil
		},
	}
	return f
}

func (f *fixture) run(t testing.TB) (pipeline.Stats, error) {
	t.Helper()
	s, err := pipeline.Run(t.Context(), f.options)
	balance(t, s)
	return s, err
}

func (f *fixture) mustRun(t testing.TB) pipeline.Stats {
	t.Helper()
	s, err := f.run(t)
	if err != nil {
		t.Fatal(err)
	}
	if s.InFlight != 0 {
		t.Errorf("%d references in flight after the end", s.InFlight)
	}
	return s
}

// balance holds the accounts of a run, to the one.
func balance(t testing.TB, s pipeline.Stats) {
	t.Helper()
	if s.References != s.Unique+s.Duplicate+s.Filtered+s.Rejected {
		t.Errorf("%d references, but %d unique + %d duplicates + %d filtered + %d rejected", s.References, s.Unique, s.Duplicate, s.Filtered, s.Rejected)
	}
	if s.Read != s.References+s.InFlight+s.GivenUp {
		t.Errorf("%d read, but %d settled + %d in flight + %d given up", s.Read, s.References, s.InFlight, s.GivenUp)
	}
	sum := func(list []int64) (n int64) {
		for _, x := range list {
			n += x
		}
		return n
	}
	if sum(s.Reasons[:]) != s.Rejected {
		t.Errorf("%d rejected, but reasons for %d", s.Rejected, sum(s.Reasons[:]))
	}
	if sum(s.Filters[:]) != s.Filtered {
		t.Errorf("%d filtered, but rules for %d", s.Filtered, sum(s.Filters[:]))
	}
	elements := int64(0)
	for _, e := range s.Elements {
		elements += e.Unique + e.Duplicate + e.Filtered + e.Rejected
	}
	if elements != s.References {
		t.Errorf("%d references, but %d of an element", s.References, elements)
	}
}

// randomItems makes records of all kinds: documents with a base and many links, single ones, ones without
// any, ones that the source refuses.
func randomItems(seed uint64, n int) []pipetest.Item {
	r := rand.New(rand.NewPCG(seed, 0))
	link := func() string { return fmt.Sprintf("http://h%d.example/%d", r.IntN(9), r.IntN(n/4+1)) }
	items := make([]pipetest.Item, n)
	for i := range items {
		item := &items[i]
		switch r.IntN(10) {
		case 0:
			item.Reject, item.Refs = normalize.BadRecord, []string{"{broken"}
		case 1: // no references
		case 2, 3:
			item.Base = fmt.Sprintf("http://base%d.example/dir/", r.IntN(3))
			for range r.IntN(12) {
				item.Refs = append(item.Refs, link())
			}
		case 4:
			item.Refs = []string{"mailto:someone@example.org"}
		default:
			item.Refs = []string{link()}
		}
	}
	return items
}

func countRefs(items []pipetest.Item) (n int64) {
	for i := range items {
		n += int64(len(items[i].Refs))
	}
	return n
}

func web(t testing.TB) *pipeline.Scope {
	t.Helper()
	s, err := pipeline.NewScope(pipeline.ScopeOptions{Preset: "web"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSameBytesHoweverItIsRun runs one input with one worker, then in every other way.
func TestSameBytesHoweverItIsRun(t *testing.T) {
	items := randomItems(1, 1500)
	want := newFixture(t, items)
	want.options.Workers, want.options.Scope = 1, web(t)
	stats := want.mustRun(t)
	if stats.References != countRefs(items) {
		t.Fatalf("%d references settled of %d", stats.References, countRefs(items))
	}
	if stats.Unique == 0 || stats.Duplicate == 0 || stats.Filtered == 0 || stats.Rejected == 0 {
		t.Fatalf("an outcome is missing: %+v", stats)
	}
	for _, workers := range []int{1, 2, 16} {
		for _, records := range []int{1, 7, 4096} {
			for _, keep := range []int{0, 3} {
				t.Run(fmt.Sprintf("workers=%d/records=%d/keep=%d", workers, records, keep), func(t *testing.T) {
					r := rand.New(rand.NewPCG(uint64(workers), uint64(records)))
					f := newFixture(t, items)
					f.options.Workers, f.options.BatchRecords, f.options.Scope = workers, records, web(t)
					f.main.Keep, f.rejects.Keep = keep, keep
					f.source.Cut = func() int { return 1 + r.IntN(40) }
					pipeline.SetBeforeWork(&f.options, func() {
						if rand.IntN(8) == 0 {
							time.Sleep(time.Duration(rand.IntN(300)) * time.Microsecond)
						}
					})
					got := f.mustRun(t)
					sameLines(t, "main", f.main.Durable(), want.main.Durable())
					sameLines(t, "rejects", f.rejects.Durable(), want.rejects.Durable())
					sameLines(t, "duplicates", f.duplicates.Durable(), want.duplicates.Durable())
					if got.Unique != stats.Unique || got.Duplicate != stats.Duplicate || got.Filtered != stats.Filtered || got.Rejected != stats.Rejected {
						t.Errorf("counts differ: %+v, want %+v", got, stats)
					}
				})
			}
		}
	}
}

func sameLines(t *testing.T, what string, got, want []string) {
	t.Helper()
	if slices.Equal(got, want) {
		return
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Errorf("%s: line %d is %q, want %q", what, i, got[i], want[i])
			return
		}
	}
	t.Errorf("%s: %d lines, want %d", what, len(got), len(want))
}

func TestFirstOccurrenceWins(t *testing.T) {
	f := newFixture(t, pipetest.Refs("http://h/a", "http://h/b", "http://h/a", "http://h/c", "http://h/b"))
	f.options.BatchRecords = 1
	f.mustRun(t)
	sameLines(t, "main", f.main.Lines(), []string{"1.0 unique http://h/a", "2.0 unique http://h/b", "4.0 unique http://h/c"})
	sameLines(t, "duplicates", f.duplicates.Lines(), []string{"3.0 duplicate http://h/a", "5.0 duplicate http://h/b"})
}

func TestDuplicatePolicies(t *testing.T) {
	cases := []struct {
		name   string
		policy pipeline.DuplicatePolicy
		main   []string
	}{
		{"drop", pipeline.DropDuplicates, []string{"1.0 unique http://h/a"}},
		{"mark", pipeline.MarkDuplicates, []string{"1.0 unique http://h/a", "2.0 duplicate http://h/a"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t, pipetest.Refs("http://h/a", "http://h/a"))
			f.options.Duplicates = c.policy
			f.options.Open = func(context.Context, pipeline.LaneID) (*pipeline.Lane, error) {
				return &pipeline.Lane{Sink: f.main, Set: f.set}, nil
			}
			if s := f.mustRun(t); s.Unique != 1 || s.Duplicate != 1 {
				t.Errorf("%d unique, %d duplicate", s.Unique, s.Duplicate)
			}
			sameLines(t, "main", f.main.Lines(), c.main)
		})
	}
}

// TestSinkRefusesBeforeTheClaim: had the refused one been claimed, the second would be a duplicate of
// a reference that was never written.
func TestSinkRefusesBeforeTheClaim(t *testing.T) {
	f := newFixture(t, pipetest.Refs("http://h/a", "http://h/a"))
	f.main.Refuse = func(b *pipeline.Batch, r *pipeline.Record) normalize.Reason {
		if b.RowOf(r).Number == 1 {
			return normalize.SinkTooLarge
		}
		return normalize.OK
	}
	s := f.mustRun(t)
	sameLines(t, "main", f.main.Lines(), []string{"2.0 unique http://h/a"})
	sameLines(t, "rejects", f.rejects.Lines(), []string{"1.0 rejected sink_too_large http://h/a"})
	if s.Reasons[normalize.SinkTooLarge] != 1 {
		t.Error("the refusal isn't counted by its reason")
	}
}

func TestDuplicateThatItsSinkRefusesIsRejected(t *testing.T) {
	f := newFixture(t, pipetest.Refs("http://h/a", "http://h/a"))
	f.duplicates.Refuse = func(*pipeline.Batch, *pipeline.Record) normalize.Reason { return normalize.SinkTooLarge }
	if s := f.mustRun(t); s.Unique != 1 || s.Rejected != 1 || s.Duplicate != 0 {
		t.Errorf("%d unique, %d rejected, %d duplicates", s.Unique, s.Rejected, s.Duplicate)
	}
}

func TestFilteredAreCountedByRule(t *testing.T) {
	f := newFixture(t, pipetest.Refs("http://h/a", "mailto:a@b.c", "javascript:x", "http://bad.example/"))
	scope, err := pipeline.NewScope(pipeline.ScopeOptions{Preset: "web", DenyHosts: []string{"bad.example"}})
	if err != nil {
		t.Fatal(err)
	}
	f.options.Scope = scope
	s := f.mustRun(t)
	if s.Unique != 1 || s.Filters[pipeline.OutOfSchemes] != 2 || s.Filters[pipeline.DeniedHost] != 1 {
		t.Errorf("%d unique, filters %v", s.Unique, s.Filters)
	}
}

func TestElementsAreCountedApart(t *testing.T) {
	f := newFixture(t, []pipetest.Item{
		{Refs: []string{"http://h/a", "http://h/b"}, Elements: []uint8{0, 1}},
		{Refs: []string{"http://h/c", "http://h/b"}, Elements: []uint8{0, 1}},
	})
	f.source.Names = []string{"request", "referer"}
	s := f.mustRun(t)
	want := []pipeline.ElementCount{{Element: "request", Unique: 2}, {Element: "referer", Unique: 1, Duplicate: 1}}
	if !slices.Equal(s.Elements, want) {
		t.Errorf("got %+v, want %+v", s.Elements, want)
	}
}

func TestLimitIsExact(t *testing.T) {
	items := []pipetest.Item{
		{Refs: []string{"http://h/1"}},
		{Refs: []string{"http://h/2", "http://h/3", "http://h/4"}},
		{Refs: []string{"http://h/5"}},
	}
	// The record that the limit cuts isn't settled as a whole: it may not be committed.
	committed := []int64{0, 1, 1, 1, 2, 3, 3}
	for limit := int64(1); limit <= 6; limit++ {
		for _, records := range []int{1, 2, 100} {
			f := newFixture(t, items)
			f.options.Limit, f.options.BatchRecords = limit, records
			s := f.mustRun(t)
			if want := min(limit, 5); s.Unique != want || s.Limited != (limit <= 5) {
				t.Errorf("limit %d, batches of %d: %d references, limited %v", limit, records, s.Unique, s.Limited)
			}
			if got := f.source.Committed(0); got != committed[limit] {
				t.Errorf("limit %d, batches of %d: committed up to record %d, want %d", limit, records, got, committed[limit])
			}
		}
	}
}

func TestDryRunWritesAndCommitsNothing(t *testing.T) {
	items := randomItems(2, 300)
	want := newFixture(t, items)
	real := want.mustRun(t)
	f := newFixture(t, items)
	f.options.DryRun, f.options.CheckpointRecords = true, 10
	f.options.CheckpointEvery = time.Nanosecond
	f.options.Open = func(context.Context, pipeline.LaneID) (*pipeline.Lane, error) {
		return &pipeline.Lane{Set: f.set}, nil
	}
	s := f.mustRun(t)
	if s.Unique != real.Unique || s.Duplicate != real.Duplicate || s.Rejected != real.Rejected {
		t.Errorf("counted %+v, the real run %+v", s, real)
	}
	if got := f.journal.Events(); !slices.Equal(got, []string{"close set"}) {
		t.Errorf("did %q", got)
	}
}

func TestEmptySource(t *testing.T) {
	f := newFixture(t, nil)
	if s := f.mustRun(t); s.References != 0 {
		t.Errorf("%d references", s.References)
	}
}

func TestProgressAndMeterBalanceAtAnyMoment(t *testing.T) {
	f := newFixture(t, randomItems(3, 4000))
	f.options.BatchRecords = 7
	f.options.Meter = new(pipeline.Meter)
	calls := 0
	f.options.ProgressEvery = time.Millisecond
	f.options.OnProgress = func(s pipeline.Stats) {
		calls++
		balance(t, s)
		balance(t, f.options.Meter.Stats())
	}
	pipeline.SetBeforeWork(&f.options, func() { time.Sleep(20 * time.Microsecond) })
	end := f.mustRun(t)
	if calls == 0 {
		t.Error("OnProgress was never called")
	}
	if got := f.options.Meter.Stats(); got.References != end.References || got.Source.Records != 4000 {
		t.Errorf("the meter shows %d references, %d records", got.References, got.Source.Records)
	}
}

func TestValidateNamesEveryFault(t *testing.T) {
	o := pipeline.Options{Workers: -1, BatchRecords: -1, Limit: -2, MaxRejects: &pipeline.RejectLimit{Count: -1}}
	err := o.Validate()
	for _, want := range []string{"source:", "normalizer:", "open:", "workers:", "batch_records:", "limit:", "max_rejects:"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no word of %s in %v", want, err)
		}
	}
}

func TestExactSetInARun(t *testing.T) {
	items := randomItems(4, 3000)
	want := newFixture(t, items)
	want.mustRun(t)
	f := newFixture(t, items)
	exact := dedup.NewExact(0)
	f.options.Hasher = dedup.NewHasher(dedup.RandomSecret())
	f.options.Open = func(context.Context, pipeline.LaneID) (*pipeline.Lane, error) {
		return &pipeline.Lane{Sink: f.main, Rejects: f.rejects, Duplicates: f.duplicates, Set: exact}, nil
	}
	f.mustRun(t)
	sameLines(t, "main", f.main.Durable(), want.main.Durable())
	sameLines(t, "duplicates", f.duplicates.Durable(), want.duplicates.Durable())
}

// TestMerges_SameForAnyNumberOfWorkers: the duplicates are counted by the rules that had a part in them,
// and the samples are the same however the work was shared.
func TestMerges_SameForAnyNumberOfWorkers(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	items := make([]pipetest.Item, 3000)
	for i := range items {
		scheme, host, port := "http", "h", ""
		if r.IntN(3) == 0 {
			scheme = "HTTP"
		}
		if r.IntN(3) == 0 {
			host = "H"
		}
		if r.IntN(3) == 0 {
			port = ":80"
		}
		items[i].Refs = []string{fmt.Sprintf("%s://u:secret@%s%s/%d?utm_source=%d", scheme, host, port, r.IntN(40), r.IntN(2))}
	}
	n, err := normalize.New(normalize.Options{Key: keyrule.Options{Preset: "crawl"}})
	if err != nil {
		t.Fatal(err)
	}
	var want []pipeline.RuleMerges
	for _, workers := range []int{1, 2, 7} {
		f := newFixture(t, items)
		f.options.Normalizer, f.options.Workers, f.options.BatchRecords, f.options.Meter = n, workers, 1+64/workers, new(pipeline.Meter)
		s := f.mustRun(t)
		got := f.options.Meter.Merges()
		counts := map[string]int64{}
		for _, m := range got {
			counts[m.Rule] = m.Duplicates
			if len(m.Samples) != 5 {
				t.Errorf("%s has %d samples", m.Rule, len(m.Samples))
			}
			for _, x := range m.Samples {
				if text := items[x.Position.Number-1].Refs[x.Index]; strings.Contains(x.Text+x.URL+x.Key, "secret") || !strings.HasSuffix(text, x.Text[strings.LastIndexByte(x.Text, '@'):]) {
					t.Errorf("%s: the sample %+v is not of %s", m.Rule, x, text)
				}
			}
		}
		for _, rule := range []string{"lower_scheme", "lower_host", "drop_default_port", "drop-params", "drop-userinfo"} {
			if counts[rule] == 0 || counts[rule] > s.Duplicate {
				t.Errorf("%s had a part in %d of %d duplicates", rule, counts[rule], s.Duplicate)
			}
		}
		if want == nil {
			want = got
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%d workers: %+v, with one %+v", workers, got, want)
		}
	}
}

// Duplicates that came in as they were before are no rule's doing.
func TestMerges_SameTextIsNoMerge(t *testing.T) {
	f := newFixture(t, []pipetest.Item{{Refs: []string{"http://h/", "http://h/", "HTTP://h/", "http://h/"}}})
	f.options.Meter = new(pipeline.Meter)
	s := f.mustRun(t)
	if m := f.options.Meter.Merges(); s.DuplicateSame != 2 || len(m) != 1 || m[0].Rule != "lower_scheme" || m[0].Duplicates != 1 || m[0].Samples[0].Text != "HTTP://h/" || m[0].Samples[0].Key != "http://h/" {
		t.Errorf("%d the same, merges %+v", s.DuplicateSame, m)
	}
}
