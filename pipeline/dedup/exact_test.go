package dedup

import (
	"errors"
	"math/rand/v2"
	"testing"
)

// reference is the plain twin of Exact.
type reference map[Key]bool

func (s reference) claim(k Key) Verdict {
	if s[k] {
		return Seen
	}
	s[k] = true
	return New
}

func randomKey(r *rand.Rand) Key { return Key{r.Uint64(), r.Uint64()} }

// TestExactAgreesWithMap claims keys that repeat, cluster and sit at the ends of the range.
func TestExactAgreesWithMap(t *testing.T) {
	makers := map[string]func(r *rand.Rand) Key{
		"uniform, half of them seen": func(r *rand.Rand) Key { x := r.Uint64N(20000); return Key{x * 0x9e3779b97f4a7c15, x} },
		"one shard":                  func(r *rand.Rand) Key { return Key{r.Uint64() >> 8, r.Uint64N(4)} },
		"equal first words":          func(r *rand.Rand) Key { return Key{r.Uint64N(3), r.Uint64N(900)} },
		"the highest keys":           func(r *rand.Rand) Key { return Key{^uint64(0) - r.Uint64N(3), ^r.Uint64N(500)} },
		"zero among others":          func(r *rand.Rand) Key { return Key{r.Uint64N(2), r.Uint64N(2)} },
	}
	for name, next := range makers {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			set, want := NewExact(1<<30), reference{}
			defer set.Close()
			for round := range 100 {
				keys := make([]Key, r.IntN(700))
				verdicts := make([]Verdict, len(keys))
				for i := range keys {
					keys[i] = next(r)
				}
				if err := set.Claim(keys, verdicts); err != nil {
					t.Fatal(err)
				}
				for i, k := range keys {
					if w := want.claim(k); verdicts[i] != w {
						t.Fatalf("key %x: got %d, want %d", k, verdicts[i], w)
					}
				}
				if round%20 == 19 {
					checkTables(t, set)
				}
			}
			if set.Len() != int64(len(want)) {
				t.Errorf("Len = %d, want %d", set.Len(), len(want))
			}
		})
	}
}

// checkTables holds the invariants of every table.
func checkTables(t *testing.T, e *Exact) {
	t.Helper()
	used := int64(0)
	for s := range e.tables {
		table := &e.tables[s]
		used += table.bytes
		n, last := 0, Key{}
		for i := range table.slots {
			k := table.slots[i]
			if k == (Key{}) {
				continue
			}
			n++
			if k[0] < last[0] || k[0] == last[0] && k[1] <= last[1] {
				t.Fatalf("shard %d: slot %d out of order", s, i)
			}
			last = k
			for j := table.homeOf(&k); j < uint64(i); j++ {
				if table.slots[j] == (Key{}) {
					t.Fatalf("shard %d: an empty slot between the home of a key and its place", s)
				}
			}
		}
		if n != table.n {
			t.Fatalf("shard %d: %d keys, counted %d", s, n, table.n)
		}
		if n > 0 && table.slots[len(table.slots)-1] != (Key{}) {
			t.Fatalf("shard %d: the last slot isn't empty", s)
		}
	}
	if used != e.used {
		t.Fatalf("used = %d, tables have %d", e.used, used)
	}
}

func TestExactFullClaimsNothingOfThatCall(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	set, want := NewExact(4<<20), reference{}
	defer set.Close()
	keys, verdicts := make([]Key, 1000), make([]Verdict, 1000)
	for range 10000 {
		for i := range keys {
			keys[i] = randomKey(r)
		}
		err := set.Claim(keys, verdicts)
		if err == nil {
			for i, k := range keys {
				if w := want.claim(k); verdicts[i] != w {
					t.Fatalf("key %x: got %d, want %d", k, verdicts[i], w)
				}
			}
			continue
		}
		if !errors.Is(err, ErrFull) {
			t.Fatal(err)
		}
		break
	}
	if set.Bytes() > 4<<20 {
		t.Errorf("uses %d bytes of %d", set.Bytes(), 4<<20)
	}
	if n := set.Len(); n != int64(len(want)) || n < 4<<20/30 {
		t.Errorf("full at %d keys, have %d; want at least one for 30 bytes", n, len(want))
	}
	checkTables(t, set)
	seen := make([]Key, 0, len(want))
	for k := range want {
		seen = append(seen, k)
	}
	verdicts = make([]Verdict, len(seen))
	if err := set.Claim(seen, verdicts); err != nil {
		t.Fatalf("a full set refuses keys that it has: %v", err)
	}
	for i, v := range verdicts {
		if v != Seen {
			t.Fatalf("key %x is lost", seen[i])
		}
	}
}

func TestExactBytesPerKey(t *testing.T) {
	if testing.Short() {
		t.Skip("claims a million keys")
	}
	r := rand.New(rand.NewPCG(5, 6))
	set := NewExact(1 << 30)
	defer set.Close()
	keys, verdicts := make([]Key, 4096), make([]Verdict, 4096)
	for set.Len() < 1<<20 {
		for i := range keys {
			keys[i] = randomKey(r)
		}
		if err := set.Claim(keys, verdicts); err != nil {
			t.Fatal(err)
		}
		if set.Len() < 1<<17 {
			continue
		}
		if per := float64(set.Bytes()) / float64(set.Len()); per > 27 {
			t.Fatalf("%.1f bytes a key at %d keys", per, set.Len())
		}
	}
}

func TestExactAllocatesNothingPerKey(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	set := NewExact(1 << 30)
	defer set.Close()
	keys, verdicts := make([]Key, 4096), make([]Verdict, 4096)
	for i := range keys {
		keys[i] = randomKey(r)
	}
	if n := testing.AllocsPerRun(20, func() {
		if err := set.Claim(keys, verdicts); err != nil {
			t.Error(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestNoneSaysNewToEveryKey(t *testing.T) {
	verdicts := []Verdict{Seen, Seen, Seen}
	if err := NewNone().Claim(make([]Key, 2), verdicts); err != nil {
		t.Fatal(err)
	}
	if verdicts[0] != New || verdicts[1] != New || verdicts[2] != Seen {
		t.Errorf("got %v", verdicts)
	}
}

// BenchmarkExact claims new keys and known ones in equal parts, in batches as the pipeline does.
func BenchmarkExact(b *testing.B) {
	r := rand.New(rand.NewPCG(9, 10))
	set := NewExact(16 << 30)
	defer set.Close()
	keys, verdicts := make([]Key, 4096), make([]Verdict, 4096)
	mix := func(x uint64) Key { // a bijection, so that known keys needn't be kept
		x ^= x >> 33
		x *= 0xff51afd7ed558ccd
		x ^= x >> 33
		x *= 0xc4ceb9fe1a85ec53
		x ^= x >> 33
		return Key{x, x}
	}
	next := uint64(1)
	for done := 0; done < b.N; done += len(keys) {
		for i := range keys {
			if i&1 == 0 {
				keys[i] = mix(next)
				next++
			} else {
				keys[i] = mix(1 + r.Uint64N(next))
			}
		}
		if err := set.Claim(keys, verdicts); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(set.Bytes())/float64(set.Len()), "bytes/key")
	b.ReportMetric(float64(set.Len()), "keys")
}
