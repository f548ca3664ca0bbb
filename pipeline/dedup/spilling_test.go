package dedup

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/urisieve/urisieve/internal/fsys"
)

func newSpilling(t testing.TB, memory int64) *Spilling {
	s := NewSpilling(SpillingOptions{Memory: memory, Scratch: fsys.Scratch{FS: fsys.OS{}, Dir: t.TempDir()}})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// checkClaims claims keys in random batches and holds every verdict, at once or when it is known,
// against a map.
func checkClaims(t *testing.T, set *Spilling, seed uint64, n int, next func(r *rand.Rand) Key, settleEvery int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	want := reference{}
	var pending []Verdict // what the Pending ones must come to, in order
	taken := uint64(0)
	take := func() {
		for ; taken < set.Known(); taken++ {
			if got := set.Take(taken); got != pending[taken] {
				t.Fatalf("pending answer %d is %d, want %d", taken, got, pending[taken])
			}
		}
	}
	for claimed, round := 0, 1; claimed < n; round++ {
		keys := make([]Key, 1+r.IntN(5000))
		verdicts := make([]Verdict, len(keys))
		for i := range keys {
			keys[i] = next(r)
		}
		if err := set.Claim(keys, verdicts); err != nil {
			t.Fatal(err)
		}
		for i, k := range keys {
			w := want.claim(k)
			if verdicts[i] == Pending {
				pending = append(pending, w)
			} else if verdicts[i] != w {
				t.Fatalf("key %x: got %d, want %d", k, verdicts[i], w)
			}
		}
		claimed += len(keys)
		if settleEvery > 0 && round%settleEvery == 0 {
			if err := set.Settle(); err != nil {
				t.Fatal(err)
			}
			if set.Known() != uint64(len(pending)) {
				t.Fatalf("after Settle, %d of %d answers are known", set.Known(), len(pending))
			}
		}
		if r.IntN(3) == 0 {
			take()
		}
	}
	if err := set.Settle(); err != nil {
		t.Fatal(err)
	}
	take()
	if int(taken) != len(pending) {
		t.Fatalf("%d of %d pending answers came", taken, len(pending))
	}
	if set.mem.Bytes() > set.mem.max {
		t.Errorf("uses %d bytes of %d", set.mem.Bytes(), set.mem.max)
	}
}

func TestSpillingAgreesWithMap(t *testing.T) {
	uniform := func(n uint64) func(r *rand.Rand) Key {
		return func(r *rand.Rand) Key { x := r.Uint64N(n); return Key{x * 0x9e3779b97f4a7c15, x} }
	}
	for _, c := range []struct {
		name   string
		n      int
		next   func(r *rand.Rand) Key
		settle int
	}{
		{"uniform", 1_500_000, uniform(900_000), 0},
		{"settled at times", 600_000, uniform(400_000), 20},
		{"skewed", 600_000, func(r *rand.Rand) Key {
			x := uint64(1) << r.IntN(22)
			x = r.Uint64N(x)
			return Key{x * 0x9e3779b97f4a7c15, x}
		}, 0},
		{"few shards, equal first words", 300_000, func(r *rand.Rand) Key { return Key{r.Uint64N(3) << 56, r.Uint64N(200_000)} }, 7},
		{"zero and the highest", 200_000, func(r *rand.Rand) Key { x := r.Uint64N(150_000); return Key{-(x & 1), -(x >> 1)} }, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			set := newSpilling(t, 2<<20)
			checkClaims(t, set, 7, c.n, c.next, c.settle)
			if set.Stats().Shards == 0 {
				t.Error("nothing was spilled")
			}
		})
	}
}

// What fits in memory is answered at once, and makes no file.
func TestSpillingIsExactInMemory(t *testing.T) {
	set := NewSpilling(SpillingOptions{Memory: 8 << 20, Scratch: fsys.Scratch{FS: fsys.OS{}, Dir: "/nonexistent"}})
	defer set.Close()
	checkClaims(t, set, 3, 200_000, func(r *rand.Rand) Key { x := r.Uint64N(150_000); return Key{x * 0x9e3779b97f4a7c15, x} }, 5)
	if n := set.answers.next; n != 0 {
		t.Errorf("%d answers were pending", n)
	}
}

func TestSpillingLeavesNoFile(t *testing.T) {
	dir := t.TempDir()
	set := NewSpilling(SpillingOptions{Memory: 2 << 20, Scratch: fsys.Scratch{FS: fsys.OS{}, Dir: dir}})
	checkClaims(t, set, 3, 500_000, randomKey, 0)
	if err := set.Close(); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// Where the disk can't be written, the claim fails and tells where.
func TestSpillingTellsOfTheDisk(t *testing.T) {
	set := NewSpilling(SpillingOptions{Memory: 2 << 20, Scratch: fsys.Scratch{FS: fsys.OS{}, Dir: "/nonexistent"}})
	defer set.Close()
	r := rand.New(rand.NewPCG(1, 1))
	keys, verdicts := make([]Key, 4096), make([]Verdict, 4096)
	for range 1000 {
		for i := range keys {
			keys[i] = randomKey(r)
		}
		if err := set.Claim(keys, verdicts); err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the error is %v", err)
			}
			return
		}
	}
	t.Error("no error came")
}

// A byte that changed on disk is found, and located.
func TestSpillingFindsDamage(t *testing.T) {
	set := newSpilling(t, 2<<20)
	r := rand.New(rand.NewPCG(1, 1))
	keys, verdicts := make([]Key, 4096), make([]Verdict, 4096)
	for len(set.runs) == 0 {
		for i := range keys {
			keys[i] = randomKey(r)
		}
		if err := set.Claim(keys, verdicts); err != nil {
			t.Fatal(err)
		}
	}
	shard := 0
	for set.pending[shard] == 0 {
		shard++
	}
	file := set.runs[0].file
	at := set.runs[0].sections[shard].offset + 20
	var b [1]byte
	if _, err := file.ReadAt(b[:], at); err != nil {
		t.Fatal(err)
	}
	if _, err := file.Seek(at, 0); err != nil {
		t.Fatal(err)
	}
	b[0] ^= 4
	if _, err := file.Write(b[:]); err != nil {
		t.Fatal(err)
	}
	if err := set.Settle(); !errors.Is(err, ErrCorrupt) {
		t.Errorf("the error is %v", err)
	}
}

func TestBlocksComeBack(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	for width := range 65 {
		for _, n := range []int{1, 2, runBlockKeys} {
			keys := make([]Key, n)
			var last Key
			for i := range keys {
				step := uint64(0)
				if width > 0 {
					step = r.Uint64() >> (64 - width) / runBlockKeys
				}
				last = Key{last[0] + step, last[1] + 1}
				keys[i] = last
			}
			var buf [runBlockMost]byte
			size := encodeBlock(&buf, keys, nil)
			var back [runBlockKeys]Key
			got, gotSize := decodeBlock(buf[:size], false, &back, nil)
			if got != n || gotSize != size || fmt.Sprint(back[:n]) != fmt.Sprint(keys) {
				t.Fatalf("width %d: %d keys came back as %d", width, n, got)
			}
			if got, _ := decodeBlock(buf[:size-1], false, &back, nil); got != 0 {
				t.Fatalf("a block cut short was read")
			}
		}
	}
}

func TestAnswersNumbersComeBack(t *testing.T) {
	a := answers{taken: 3*tagCycle - 50, known: 3*tagCycle - 50, next: 3*tagCycle - 50}
	for range 200 {
		n := a.add()
		if got := a.numberOf(tagOf(n)); got != n {
			t.Fatalf("number %d came back as %d", n, got)
		}
	}
}
