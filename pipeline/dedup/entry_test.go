package dedup

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// apply is what an entry makes of the time of a key, 0 for not seen.
func (e entry) apply(time uint32) uint32 {
	if e.kind == put {
		return max(time, e.time)
	}
	return e.time
}

func randomEntries(r *rand.Rand) (e [3]entry) {
	for i := range e {
		e[i] = entry{1 + r.Uint32N(4), entryKind(r.IntN(int(entryKinds)))}
		if e[i].kind == forgotten || r.IntN(9) == 0 && e[i].kind == put {
			e[i].time = 0
		}
	}
	return e
}

func TestEntriesAreChangesOneAfterTheOther(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 20_000 {
		e := randomEntries(r)
		before := r.Uint32N(5)
		if got, want := e[0].then(e[1]).apply(before), e[1].apply(e[0].apply(before)); got != want {
			t.Fatalf("%v and then %v make %d of %d, want %d", e[0], e[1], got, before, want)
		}
		if left, right := e[0].then(e[1]).then(e[2]), e[0].then(e[1].then(e[2])); left != right {
			t.Fatalf("%v isn't associative: %v, %v", e, left, right)
		}
		if e[0].then(e[0]) != e[0] {
			t.Fatalf("%v twice is %v", e[0], e[0].then(e[0]))
		}
	}
}

// What is left out of a run changes no answer: a time before the floor counts as never.
func TestReducedEntriesMakeTheSame(t *testing.T) {
	seen := func(time, floor uint32) uint32 {
		if time < floor {
			return 0
		}
		return time
	}
	r := rand.New(rand.NewPCG(2, 1))
	for range 20_000 {
		e := randomEntries(r)
		floor, before, oldest := r.Uint32N(6), r.Uint32N(5), r.IntN(2) == 0
		if oldest {
			before = 0
		}
		reduced, ok := e[0].reduced(floor, oldest)
		if !ok {
			reduced = entry{}
		}
		want, got := e[1].apply(e[0].apply(before)), e[1].apply(reduced.apply(before))
		if seen(got, floor) != seen(want, floor) {
			t.Fatalf("%v, reduced below %d (oldest %v) to %v: %d, then %v, makes %d, want %d", e[0], floor, oldest, reduced, before, e[1], got, want)
		}
	}
}

func TestBlocksWithTimesComeBack(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	for round := range 300 {
		n := 1 + r.IntN(runBlockKeys)
		keys, entries := make([]Key, n), make([]entry, n)
		for i := range keys {
			keys[i] = Key{uint64(i) << (round % 50), r.Uint64()}
			entries[i] = entry{time: 1 + r.Uint32()>>(round%33)}
			if round%3 == 0 {
				entries[i].kind = entryKind(r.IntN(int(entryKinds)))
			}
			if round%7 == 0 || entries[i].kind == forgotten {
				entries[i] = entry{kind: forgotten}
			}
		}
		var buf [runBlockMost]byte
		size := encodeBlock(&buf, keys, entries)
		var backKeys [runBlockKeys]Key
		var back [runBlockKeys]entry
		got, gotSize := decodeBlock(buf[:size], true, &backKeys, &back)
		if got != n || gotSize != size || fmt.Sprint(backKeys[:n]) != fmt.Sprint(keys) || fmt.Sprint(back[:n]) != fmt.Sprint(entries) {
			t.Fatalf("round %d: %d keys came back as %d", round, n, got)
		}
		if got, _ := decodeBlock(buf[:size-1], true, &backKeys, &back); got != 0 {
			t.Fatal("a block cut short was read")
		}
	}
}
