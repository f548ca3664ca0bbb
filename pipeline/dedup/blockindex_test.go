package dedup

import (
	"math/rand/v2"
	"testing"

	"github.com/urisieve/urisieve/internal/fsys"
)

// TestFewKeysAreLookedUpNotReadFor: when few keys are asked of a large set, what is read is a small part of it, and
// the verdicts are right, at every density of questions.
func TestFewKeysAreLookedUpNotReadFor(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	const n = 600_000
	s := NewSpilling(SpillingOptions{Memory: 2 << 20, Scratch: fsys.Scratch{FS: fsys.OS{}, Dir: t.TempDir()}})
	defer s.Close()
	key := func(i int) Key { // few shards, so that sections are long
		x := rand.New(rand.NewPCG(uint64(i), 7))
		return Key{x.Uint64() >> 6, x.Uint64()}
	}
	verdicts := make([]Verdict, 1000)
	keys := make([]Key, 0, 1000)
	taken := uint64(0)
	claim := func(indices []int, want Verdict) {
		t.Helper()
		keys = keys[:0]
		for _, i := range indices {
			keys = append(keys, key(i))
		}
		if err := s.Claim(keys, verdicts[:len(keys)]); err != nil {
			t.Fatal(err)
		}
		if err := s.Settle(); err != nil {
			t.Fatal(err)
		}
		for i := range keys {
			v := verdicts[i]
			if v == Pending {
				v = s.Take(taken)
				taken++
			}
			if v != want {
				t.Fatalf("key %d: verdict %d, want %d", indices[i], v, want)
			}
		}
	}
	indices := make([]int, 0, 1000)
	for i := 0; i < n; i += 1000 {
		indices = indices[:0]
		for k := range 1000 {
			indices = append(indices, i+k)
		}
		claim(indices, New)
	}
	disk := s.Stats().Bytes
	for _, asked := range []int{1, 2, 10, 100, 1000} {
		before := s.Stats()
		for range 5 {
			indices = indices[:0]
			for range asked {
				indices = append(indices, r.IntN(n))
			}
			claim(indices, Seen)
		}
		after := s.Stats()
		read, seeks := after.BytesRead-before.BytesRead, after.Seeks-before.Seeks
		t.Logf("%d keys at a time: %d of %d bytes, %d seeks", asked, read/5, disk, seeks/5)
		if asked <= 2 && read/5 > int64(asked*after.Runs)*2*indexStride {
			t.Errorf("%d keys: %d bytes were read of %d", asked, read/5, disk)
		}
		if seeks > int64(5*asked*(after.Runs+1)) {
			t.Errorf("%d keys: %d seeks in %d runs", asked, seeks/5, after.Runs)
		}
	}
}
