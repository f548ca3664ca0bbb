package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/urisieve/urisieve/internal/refgen"
	"github.com/urisieve/urisieve/pipeline/dedup"
)

// ways calls test for each way to use the store.
func ways(t *testing.T, test func(t *testing.T, o options)) {
	for _, way := range []string{batchWay, ingestWay} {
		for _, lookup := range []string{byGet, bySeek, byPrefix} {
			for _, wal := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s,%s,wal=%t", way, lookup, wal), func(t *testing.T) {
					test(t, options{dir: t.TempDir(), memory: minMemory, way: way, lookup: lookup, wal: wal})
				})
			}
		}
	}
}

func TestVerdictsAreThoseOfAMap(t *testing.T) {
	ways(t, func(t *testing.T, o options) {
		s, err := open(o)
		if err != nil {
			t.Fatal(err)
		}
		defer s.close()
		s.most = 10_000 // so that there are several files
		r := rand.New(rand.NewPCG(1, 2))
		seen := map[dedup.Key]bool{}
		for range 60 {
			keys := make([]dedup.Key, r.IntN(3000))
			for i := range keys {
				// 60,000 keys, some of which share their first half, and the zero key.
				k := r.Uint64N(60_000)
				keys[i] = dedup.Key{mix(k / 2), k % 2 * mix(k)}
			}
			verdicts := make([]dedup.Verdict, len(keys))
			if err := s.Claim(keys, verdicts); err != nil {
				t.Fatal(err)
			}
			for i, k := range keys {
				want := dedup.New
				if seen[k] {
					want = dedup.Seen
				}
				if verdicts[i] != want {
					t.Fatalf("key %x: verdict %d, want %d", k, verdicts[i], want)
				}
				seen[k] = true
			}
		}
		if o.way == ingestWay && s.files < 2 {
			t.Errorf("%d files were ingested, want more", s.files)
		}
		if err := s.sync(); err != nil {
			t.Fatal(err)
		}
		checkStore(t, s, seen)
	})
}

// checkStore reads the store's keys one after another.
func checkStore(t *testing.T, s *set, want map[dedup.Key]bool) {
	t.Helper()
	it, err := s.db.NewIter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer it.Close()
	n := 0
	texts := map[string]bool{}
	for k := range want {
		texts[string(appendKey(nil, k))] = true
	}
	for it.First(); it.Valid(); it.Next() {
		if n++; !texts[string(it.Key())] {
			t.Errorf("key %x was never claimed", it.Key())
		}
	}
	if n != len(want) || it.Error() != nil {
		t.Errorf("%d keys in the store, error %v; want %d", n, it.Error(), len(want))
	}
}

func TestAJobChecksAndTells(t *testing.T) {
	for _, way := range []string{batchWay, ingestWay, "memory"} {
		j := job{
			refs:  refgen.Options{N: 150_000, Distinct: 0.5, Skew: refgen.Zipf, Seed: 1},
			claim: 16_384,
			store: options{dir: t.TempDir(), memory: 8 << 20, way: way, lookup: byPrefix},
		}
		var out bytes.Buffer
		if err := j.run(&out); err != nil {
			t.Fatal(err)
		}
		want := []string{"150000 references, 75000 keys", "ns a reference", "peak RSS"}
		if way != "memory" {
			want = append(want, "bytes a key", "bytes written")
		}
		for _, want := range want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: nothing of %q in %s", way, want, out.String())
			}
		}
	}
}

// forgetful calls every key new.
type forgetful struct{}

func (forgetful) Claim(_ []dedup.Key, verdicts []dedup.Verdict) error {
	clear(verdicts)
	return nil
}

func TestAWrongVerdictEndsTheJob(t *testing.T) {
	j := job{refs: refgen.Options{N: 1000, Distinct: 0.9}, claim: 100}
	if err := j.claimAll(io.Discard, forgetful{}); err == nil {
		t.Error("a set that forgets is believed")
	}
}

func TestValidateNamesAllFaults(t *testing.T) {
	err := options{way: "x", lookup: "y", memory: 1}.validate()
	for _, want := range []string{"way", "lookup", "memory"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v doesn't name %s", err, want)
		}
	}
}
