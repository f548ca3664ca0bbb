package dedup

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/urisieve/urisieve/internal/fsys"
)

// earlierTimes is a state in a map.
type earlierTimes struct {
	times map[Key]uint32
	fail  error
}

func (e *earlierTimes) Times(keys []Key, times []uint32) error {
	for i, k := range keys {
		times[i] = e.times[k]
	}
	return e.fail
}

// TestEarlier_AgainstAMap has two states that know things by keys of their own, over each set.
func TestEarlier_AgainstAMap(t *testing.T) {
	sets := map[string]func() Set{
		"exact": func() Set { return NewExact(0) },
		"spilling": func() Set {
			return NewSpilling(SpillingOptions{Memory: 1, Scratch: fsys.Scratch{FS: fsys.OS{}, Dir: t.TempDir()}})
		},
	}
	for name, newSet := range sets {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, 3))
			const things = 200_000
			keyOf := func(space, i uint64) Key {
				return NewHasher(Secret{byte(space)}).Sum([]byte{byte(i), byte(i >> 8), byte(i >> 16)})
			}
			states := []*earlierTimes{{times: map[Key]uint32{}}, {times: map[Key]uint32{}}}
			known := map[uint64]bool{}
			for range things / 4 {
				i := r.Uint64N(things)
				s := r.Uint64N(2)
				states[s].times[keyOf(s+1, i)] = 7
				known[i] = true
			}
			e := newEarlier(newSet(), []timesOf{states[0], states[1]}, 100_000)
			defer e.Close()
			var want []Verdict // of the Pending answers
			taken := uint64(0)
			take := func() {
				for known := e.Known(); taken < known; taken++ {
					if got := e.Take(taken); got != want[taken] {
						t.Fatalf("answer %d: %d, want %d", taken, got, want[taken])
					}
				}
			}
			for round := range 300 {
				var keys, others []Key
				var wanted []Verdict
				for range r.IntN(2000) {
					i := r.Uint64N(things)
					v := New
					if known[i] {
						v = Seen
					}
					known[i] = true
					keys, wanted = append(keys, keyOf(0, i)), append(wanted, v)
					others = append(others, keyOf(1, i), keyOf(2, i))
				}
				verdicts := make([]Verdict, len(keys))
				if err := e.ClaimOthers(keys, others, verdicts); err != nil {
					t.Fatal(err)
				}
				for i, v := range verdicts {
					if v == Pending {
						want = append(want, wanted[i])
					} else if v != wanted[i] {
						t.Fatalf("round %d: %d, want %d", round, v, wanted[i])
					}
				}
				if round%50 == 49 {
					if err := e.Settle(); err != nil {
						t.Fatal(err)
					}
					take()
					if taken != uint64(len(want)) {
						t.Fatalf("%d of %d answers after Settle", taken, len(want))
					}
				}
				take()
			}
			if len(want) == 0 {
				t.Fatal("no answer was late")
			}
		})
	}
}

// The zero key stands for none, and a key without others is in no state.
func TestEarlier_WithoutOtherKeys(t *testing.T) {
	e := newEarlier(NewExact(0), []timesOf{&earlierTimes{times: map[Key]uint32{{}: 5}}}, 1)
	defer e.Close()
	verdicts := make([]Verdict, 2)
	if err := errors.Join(e.Claim([]Key{{1, 1}, {1, 1}}, verdicts), e.Settle()); err != nil {
		t.Fatal(err)
	}
	if verdicts[0] != Pending || verdicts[1] != Seen || e.Known() != 1 || e.Take(0) != New {
		t.Errorf("got %v", verdicts)
	}
}

func TestEarlier_FaultsOfAState(t *testing.T) {
	gone := errors.New("gone")
	e := newEarlier(NewExact(0), []timesOf{&earlierTimes{fail: gone}}, 1)
	defer e.Close()
	if err := e.Claim([]Key{{1, 1}}, make([]Verdict, 1)); err != nil {
		t.Fatal(err)
	}
	if err := e.Settle(); !errors.Is(err, gone) || !strings.Contains(err.Error(), "earlier") {
		t.Errorf("got %v", err)
	}
	if err := e.AskOthers(make([]Ask, 1), make([]Key, 1), make([]Verdict, 1)); err == nil {
		t.Error("dates are taken by a set that has none")
	}
}
