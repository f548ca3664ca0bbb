package dedup

import (
	"errors"
	"fmt"
	"math/bits"
)

// ErrFull is wrapped by the error of a Claim that the set has no room for: no memory, or, in a Bloom, none
// that would keep its error rate. Nothing of that call was claimed; all that was claimed before stands.
var ErrFull = errors.New("the set of seen keys is full")

const (
	shardBits = 8
	shards    = 1 << shardBits
	keyBytes  = 16

	// group is the number of keys whose slots are touched before the first of them is looked up: the
	// memory answers them at the same time. Fewer leave it idle, more fall out of the first-level
	// cache again.
	group = 64
)

// Exact is a Set that keeps every key in memory, in 256 tables by the first byte of the key. A
// table that is three quarters full is replaced by one a quarter larger, which takes 21 to 27 bytes a key;
// their first sizes differ, so that they don't all do it at the same time, and the one that grows needs
// a 256th of the memory once more while it does.
//
// A table is sorted: a key stands at or after its home slot, which rises with the key, and what
// lies between is taken (ordered linear probing: Amble and Knuth, Ordered hash tables, The Computer Journal 17,
// 1974). So a look-up ends at the first greater key, and a new table is filled from the old one in one sweep.
type Exact struct {
	max    int64 // bytes that all tables may use
	used   int64
	keys   int64
	zero   bool // the zero key was claimed; a zero slot is an empty one
	tables [shards]table
	counts [shards]uint32 // of reserve
	touch  uint64         // what the touching pass read, so that it isn't left out
}

// table is one shard. The last slot is always empty, so that every search ends.
type table struct {
	slots []Key
	tags  []uint32 // of a spiller: one for each slot; nil where all are 0
	times []uint32 // of a timedSet: one for each slot
	home  uint64   // slots that are a home: the rest takes what is pushed beyond them
	n     int      // keys
	limit int      // keys at which it is to grow
	bytes int64    // memory of slots, tags and times

	tagged, timed bool // whether slots made from now on have tags and times
}

// NewExact makes an empty set that may use so many bytes; 0 is DefaultMemory. A set that can't hold
// a few thousand keys is of no use: less than 1 MiB is taken as 1 MiB.
func NewExact(memory int64) *Exact {
	if memory == 0 {
		memory = DefaultMemory()
	}
	return &Exact{max: max(memory, 1<<20)}
}

// Len is the number of keys in the set.
func (e *Exact) Len() int64 { return e.keys }

// Bytes is the memory that the set uses, in bytes.
func (e *Exact) Bytes() int64 { return e.used }

// Claim implements Set. Its error, if any, wraps ErrFull.
func (e *Exact) Claim(keys []Key, verdicts []Verdict) error {
	if err := e.reserve(keys); err != nil {
		return err
	}
	for len(keys) > 0 {
		n := min(len(keys), group)
		e.claim(keys[:n], verdicts[:n])
		keys, verdicts = keys[n:], verdicts[n:]
	}
	return nil
}

// claim decides up to a group of keys.
func (e *Exact) claim(keys []Key, verdicts []Verdict) {
	var at [group]uint64
	touch := uint64(0)
	for i := range keys {
		t := &e.tables[shardOf(&keys[i])]
		at[i] = t.homeOf(&keys[i])
		touch ^= t.slots[at[i]][0]
	}
	e.touch = touch
	for i := range keys {
		k := &keys[i]
		if *k == (Key{}) {
			verdicts[i] = Seen
			if !e.zero {
				verdicts[i], e.zero = New, true
				e.keys++
			}
			continue
		}
		t := &e.tables[shardOf(k)]
		home := at[i]
		if home >= t.home {
			home = t.homeOf(k)
		}
		verdicts[i] = e.claimOne(t, k, home)
	}
}

func (e *Exact) claimOne(t *table, k *Key, home uint64) Verdict {
	slot, found := t.find(k, home)
	if found {
		return Seen
	}
	for !t.insert(k, slot) {
		e.lengthen(t)
		slot, _ = t.find(k, t.homeOf(k))
	}
	e.keys++
	return New
}

// find gives the slot of k, or the one that it is to be inserted at.
func (t *table) find(k *Key, home uint64) (slot uint64, found bool) {
	slots := t.slots
	for i := home; i < uint64(len(slots)); i++ {
		s := &slots[i]
		if s[0] > k[0] || *s == (Key{}) {
			return i, false
		}
		if s[0] == k[0] && s[1] >= k[1] {
			return i, s[1] == k[1]
		}
	}
	return uint64(len(slots)) - 1, false // not reached: the last slot is empty
}

// insert puts k at a slot and pushes what stands there on, up to the next empty slot; false, with
// nothing changed, if that is the last one.
func (t *table) insert(k *Key, slot uint64) bool {
	empty := slot
	for t.slots[empty] != (Key{}) {
		empty++
	}
	if empty == uint64(len(t.slots))-1 {
		return false
	}
	copy(t.slots[slot+1:empty+1], t.slots[slot:empty])
	t.slots[slot] = *k
	if t.tags != nil {
		copy(t.tags[slot+1:empty+1], t.tags[slot:empty])
		t.tags[slot] = 0
	}
	if t.times != nil {
		copy(t.times[slot+1:empty+1], t.times[slot:empty])
		t.times[slot] = 0
	}
	t.n++
	return true
}

func shardOf(k *Key) uint64 { return k[0] >> (64 - shardBits) }

// homeOf maps the bits of k after its shard's to a home slot, rising with k.
func (t *table) homeOf(k *Key) uint64 {
	hi, _ := bits.Mul64(k[0]<<shardBits, t.home)
	return hi
}

// reserve makes sure that every table has room for those of keys that may be new, so that Claim
// can't fail half way.
func (e *Exact) reserve(keys []Key) error {
	clear(e.counts[:])
	for i := range keys {
		e.counts[shardOf(&keys[i])]++
	}
	exact := false // counts are of keys that aren't in the set, no longer of all
	for i := 0; i < shards; i++ {
		t := &e.tables[i]
		need := t.n + int(e.counts[i])
		if need <= t.limit && t.slots != nil || e.counts[i] == 0 {
			continue
		}
		if t.slots == nil {
			t.home = firstHome(i)
		}
		home := t.grown(need)
		if e.used+t.bytesOf(int(home+tailOf(home))) <= e.max {
			if err := e.tryReplace(t, home); err != nil {
				return err
			}
			continue
		}
		if exact {
			return e.full()
		}
		e.countNew(keys)
		exact = true
		i-- // look at this table again
	}
	return nil
}

// firstHome is the first size of a table: from 64 on, and up to a quarter more, so that they grow at
// different times for ever after.
func firstHome(shard int) uint64 { return 64 + uint64(shard)*16/shards }

// grown is the number of home slots, a quarter more at a time, that n keys need.
func (t *table) grown(n int) uint64 {
	home := t.home
	for limitOf(home) < n {
		home += home / 4
	}
	return home
}

func limitOf(home uint64) int { return int(home / 4 * 3) }

// tailOf is the number of slots beyond the home slots. At three quarters full a key stands a slot and a
// half from home on average, and the farthest of a million some 60 slots.
func tailOf(home uint64) uint64 { return min(16+home/32, 128) }

// bytesOf is the memory that so many slots, and their tags and times if they have some, take.
func (t *table) bytesOf(slots int) int64 {
	n := roundUp(int64(slots) * keyBytes)
	beside := roundUp(int64(tagKeys(slots)) * keyBytes)
	if t.tagged {
		n += beside
	}
	if t.timed {
		n += beside
	}
	return n
}

// countNew sets counts to the keys that aren't in the set; one that occurs twice counts twice.
func (e *Exact) countNew(keys []Key) {
	clear(e.counts[:])
	for i := range keys {
		k := &keys[i]
		t := &e.tables[shardOf(k)]
		if t.slots != nil {
			if _, found := t.find(k, t.homeOf(k)); found {
				continue
			}
		}
		e.counts[shardOf(k)]++
	}
}

// tryReplace gives t a table of so many home slots, or an error that wraps ErrFull.
func (e *Exact) tryReplace(t *table, home uint64) error {
	for tail := tailOf(home); ; tail *= 2 {
		grown := table{home: home, tagged: t.tagged, timed: t.timed}
		if err := grown.allocate(int(home + tail)); err != nil {
			return fmt.Errorf("%w (%w)", e.full(), err)
		}
		if t.fill(&grown) {
			e.swap(t, &grown)
			return nil
		}
		grown.free()
	}
}

// lengthen makes the part of a table beyond its home slots twice as long. Among fingerprints it is
// next to never used up; whatever keys come, the set is right and no larger than it must be.
// It may take the set over its limit by that part.
func (e *Exact) lengthen(t *table) {
	n := len(t.slots) + int(uint64(len(t.slots))-t.home)
	longer := table{home: t.home, tagged: t.tagged, timed: t.timed}
	if longer.allocate(n) != nil {
		longer.slots = make([]Key, n)
		if t.tagged {
			longer.tags = make([]uint32, n)
		}
		if t.timed {
			longer.times = make([]uint32, n)
		}
	}
	copy(longer.slots, t.slots)
	copy(longer.tags, t.tags)
	copy(longer.times, t.times)
	e.swap(t, &longer)
}

// allocate gives an empty table n slots.
func (t *table) allocate(n int) (err error) {
	if t.slots, err = newSlots(n); err != nil {
		return err
	}
	if t.tagged {
		t.tags, err = newTags(n)
	}
	if t.timed && err == nil {
		t.times, err = newTags(n)
	}
	if err != nil {
		t.free()
	}
	return err
}

// free gives the memory of a table back.
func (t *table) free() {
	if t.slots != nil {
		freeSlots(t.slots)
	}
	if t.tags != nil {
		freeTags(t.tags)
	}
	if t.times != nil {
		freeTags(t.times)
	}
	t.slots, t.tags, t.times = nil, nil, nil
}

// fill copies the keys of t, in order, to the slots of a new table; false if they don't fit.
func (t *table) fill(grown *table) bool {
	next := uint64(0)
	last := uint64(len(grown.slots)) - 1
	for i := range t.slots {
		k := &t.slots[i]
		if *k == (Key{}) {
			continue
		}
		next = max(next, grown.homeOf(k))
		if next >= last {
			return false
		}
		grown.slots[next] = *k
		if t.tags != nil {
			grown.tags[next] = t.tags[i]
		}
		if t.times != nil {
			grown.times[next] = t.times[i]
		}
		next++
	}
	return true
}

// swap puts the slots of grown in the place of those of t.
func (e *Exact) swap(t, grown *table) {
	old := *t
	t.slots, t.tags, t.times, t.home, t.limit = grown.slots, grown.tags, grown.times, grown.home, limitOf(grown.home)
	t.bytes = t.bytesOf(len(t.slots))
	e.used += t.bytes - old.bytes
	old.free()
}

func (e *Exact) full() error {
	return fmt.Errorf("%w, it has used up its memory: %d keys in %d of %d bytes. Give it more (27 bytes a key), or go without deduplication",
		ErrFull, e.keys, e.used, e.max)
}

// Sync implements Set. The set doesn't outlive the process: a claim never survives a crash.
func (e *Exact) Sync() error { return nil }

// Close gives the memory back. The set is empty afterwards.
func (e *Exact) Close() error {
	for i := range e.tables {
		e.tables[i].free()
		e.tables[i] = table{}
	}
	e.used, e.keys, e.zero = 0, 0, false
	return nil
}
