package pipeline_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/pipeline"
	"github.com/urisieve/urisieve/pipeline/dedup"
	"github.com/urisieve/urisieve/pipeline/pipetest"
)

// someRefs are canonical references of about 60 bytes.
func someRefs(n int) [][]byte {
	refs := make([][]byte, n)
	for i := range refs {
		refs[i] = fmt.Appendf(nil, "https://www%d.example.org/articles/%d/index.html?page=%d", i%97, i, i%7)
	}
	return refs
}

func repeat(t testing.TB, refs [][]byte, n int64, set dedup.Set, workers int, pool int64) pipeline.Stats {
	t.Helper()
	normalizer, err := normalize.New(normalize.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := pipeline.Run(t.Context(), pipeline.Options{
		Source: &pipetest.Repeat{Refs: refs, N: n}, Normalizer: normalizer, Workers: workers, PoolBytes: pool,
		Hasher: dedup.NewHasher(dedup.RandomSecret()),
		Open: func(context.Context, pipeline.LaneID) (*pipeline.Lane, error) {
			return &pipeline.Lane{Sink: pipetest.Discard{}, Set: set}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if s.References != n {
		t.Fatalf("%d references of %d", s.References, n)
	}
	return s
}

// TestNoAllocationPerRecord compares a run with one four times as long: what both allocate is what a
// run costs, the rest would be what records cost.
func TestNoAllocationPerRecord(t *testing.T) {
	refs := someRefs(5000)
	mallocs := func(n int64) int64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		repeat(t, refs, n, dedup.NewExact(64<<20), 2, 4*pipeline.NominalBatchBytes(4096, 1<<20))
		runtime.ReadMemStats(&after)
		return int64(after.Mallocs - before.Mallocs)
	}
	mallocs(50_000) // what is made once in a process
	short, long := mallocs(50_000), mallocs(200_000)
	// The runtime allocates at times; a record of those that are more may not.
	if extra := long - short; extra > 100 {
		t.Errorf("150,000 more references cost %d more allocations", extra)
	}
}

// BenchmarkRun takes references end to end, from a source in memory to a sink that drops them.
func BenchmarkRun(b *testing.B) {
	refs := someRefs(1 << 20)
	for _, workers := range []int{1, runtime.GOMAXPROCS(0)} {
		for _, set := range []string{"none", "exact"} {
			b.Run(fmt.Sprintf("dedup=%s/workers=%d", set, workers), func(b *testing.B) {
				seen := dedup.NewNone()
				if set == "exact" {
					seen = dedup.NewExact(1 << 30)
				}
				b.ReportAllocs()
				repeat(b, refs, int64(b.N), seen, workers, 0)
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "references/s")
			})
		}
	}
}
