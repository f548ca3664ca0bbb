package dedup

import (
	"math/rand/v2"
	"testing"

	"github.com/urisieve/urisieve/internal/fsys"
)

// TestAFilterChangesWhenNotWhat: with a filter of any size the verdicts are those of a map, and with one that is large
// enough few new keys are Pending.
func TestAFilterChangesWhenNotWhat(t *testing.T) {
	const keys = 300_000
	for _, bytes := range []int64{0, 1, 64, 4096, keys / 8 * 10, keys * 4} {
		s := NewSpilling(SpillingOptions{Memory: 1, Filter: bytes, Scratch: fsys.Scratch{FS: fsys.OS{}, Dir: t.TempDir()}})
		r := rand.New(rand.NewPCG(1, 1))
		h := NewHasher(RandomSecret())
		seen := map[Key]bool{}
		var want []Verdict
		late, taken := 0, uint64(0)
		verdicts := make([]Verdict, 500)
		for len(seen) < keys {
			batch := make([]Key, 500)
			wanted := make([]Verdict, 500)
			for i := range batch {
				n := r.IntN(2 * keys)
				batch[i] = h.Sum([]byte{byte(n), byte(n >> 8), byte(n >> 16)})
				if seen[batch[i]] {
					wanted[i] = Seen
				}
				seen[batch[i]] = true
			}
			if err := s.Claim(batch, verdicts); err != nil {
				t.Fatal(err)
			}
			for i, v := range verdicts {
				if v == Pending {
					want = append(want, wanted[i])
					if wanted[i] == New {
						late++
					}
				} else if v != wanted[i] {
					t.Fatalf("filter of %d: %d, want %d", bytes, v, wanted[i])
				}
			}
		}
		if err := s.Settle(); err != nil {
			t.Fatal(err)
		}
		for ; taken < s.Known(); taken++ {
			if got := s.Take(taken); got != want[taken] {
				t.Fatalf("filter of %d: late answer %d is %d, want %d", bytes, taken, got, want[taken])
			}
		}
		if taken != uint64(len(want)) {
			t.Fatalf("%d of %d answers came", taken, len(want))
		}
		switch {
		case bytes == 0 && late < keys/2:
			t.Errorf("without a filter %d new keys were late", late)
		case bytes >= keys/8*10 && late > keys/40:
			t.Errorf("with a filter of %d bytes %d of %d new keys were late", bytes, late, keys)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAFilterOfAStateIsMadeAgain when the state is opened.
func TestAFilterOfAStateIsMadeAgain(t *testing.T) {
	dir := t.TempDir()
	const keys = 200_000
	claim := func(filter int64, from, to int, want Verdict) (late int) {
		t.Helper()
		s, err := OpenState(StateOptions{Dir: dir, SettingsID: "test", Memory: 1, Filter: filter, Secret: &Secret{1}})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		h := NewHasher(Secret{1})
		taken := uint64(0)
		verdicts := make([]Verdict, 1000)
		for i := from; i < to; i += 1000 {
			batch := make([]Key, 1000)
			for k := range batch {
				n := i + k
				batch[k] = h.Sum([]byte{byte(n), byte(n >> 8), byte(n >> 16)})
			}
			if err := s.Claim(batch, verdicts); err != nil {
				t.Fatal(err)
			}
			for _, v := range verdicts {
				if v == Pending {
					late++
				} else if v != want {
					t.Fatalf("got %d, want %d", v, want)
				}
			}
		}
		if err := s.Settle(); err != nil {
			t.Fatal(err)
		}
		for ; taken < s.Known(); taken++ {
			if v := s.Take(taken); v != want {
				t.Fatalf("late: got %d, want %d", v, want)
			}
		}
		if err := s.Sync(); err != nil {
			t.Fatal(err)
		}
		return late
	}
	claim(0, 0, keys, New)
	if late := claim(keys*4, keys, keys+50_000, New); late > 2500 {
		t.Errorf("%d of 50000 new keys were late", late)
	}
	claim(keys*4, 0, keys+50_000, Seen)
	claim(64, 0, keys+50_000, Seen)
}
