package dedup

import (
	"errors"
	"fmt"

	"github.com/urisieve/urisieve/internal/fsys"
)

// SpillingOptions say what a Spilling may use.
type SpillingOptions struct {
	// Memory is what the set may use, in bytes. Default 0: DefaultMemory; less than 2 MiB is taken as
	// 2 MiB.
	Memory int64
	// Scratch makes the files that keys are spilled to, some 16 bytes a key, twice that at times.
	Scratch fsys.Scratch
}

const (
	leastSpilling = 2 << 20

	// claimKeys bounds the keys that memory is made for at a time.
	claimKeys = 1024

	// mergeRuns is the number of runs of one level that are merged into one of the next. Every key
	// is written once for each level, log4(keys/memory) times; each cycle reads at most 3 runs of
	// each level.
	mergeRuns = 4

	// latelySeen bounds the cache of keys that were found again, a power of two: 1 MiB.
	latelySeen = 1 << 16
)

// Spilling is a DeferringSet that keeps keys in memory as Exact does, and on disk what memory has no
// room for. It is as exact as Exact is.
//
// While all keys fit, it answers at once. From then on, a key that isn't in memory is Pending, if keys of
// its shard were spilled before. When memory is used up, the next shard in turn is spilled: its
// Pending keys are looked for in all runs, in one sequential pass over the shard's section of each, and the new
// ones go to the run that is being written. That run is finished when each shard had its turn, a cycle; where
// there are four of a size, they are merged into the new one on the way. So nothing waits for more than the
// work of one shard, a 256th of all.
type Spilling struct {
	mem     Exact
	scratch fsys.Scratch
	spilled [shards]bool // whether a run, or the one being written, has keys of the shard
	pending [shards]int  // Pending keys in memory whose verdicts aren't known
	answers answers
	lately  []Key // direct-mapped: keys that were seen again, all of them in memory or in a run

	runs    []*run
	writer  *runWriter // of the run that is being written; nil between cycles
	merging []*run     // what goes into it too
	turn    int        // the shard that is spilled next

	asked   []Key    // of resolve
	askedAt []uint32 // slots of asked
	found   []bool
	readers []sectionReader
	stats   SpillStats
}

// SpillStats are the counts of a Spilling.
type SpillStats struct {
	Keys         int64 // on disk; those of a run that is being written twice, until it is finished
	Bytes        int64 // on disk, likewise
	BytesWritten int64 // since the beginning
	BytesRead    int64
	Runs         int // finished runs
	Shards       int // shards spilled since the beginning
	Pending      int64
}

// NewSpilling makes an empty set. It makes no file before it has to.
func NewSpilling(o SpillingOptions) *Spilling {
	memory := o.Memory
	if memory == 0 {
		memory = DefaultMemory()
	}
	return &Spilling{mem: Exact{max: max(memory, leastSpilling) / 16 * 15}, scratch: o.Scratch}
}

// Stats are the counts so far.
func (s *Spilling) Stats() SpillStats {
	st := s.stats
	st.Runs = len(s.runs)
	for _, r := range s.runs {
		st.Keys += r.keys
		st.Bytes += r.bytes
	}
	if s.writer != nil {
		st.Keys += s.writer.run.keys
		st.Bytes += s.writer.run.bytes
		st.BytesWritten += s.writer.run.bytes
	}
	st.Pending = int64(s.answers.next - s.answers.prefix())
	return st
}

// Claim implements Set. Its errors are of the disk, and then the set must not be used any more.
func (s *Spilling) Claim(keys []Key, verdicts []Verdict) error {
	for len(keys) > 0 {
		n := min(len(keys), claimKeys)
		if err := s.makeRoom(keys[:n]); err != nil {
			return err
		}
		for from := 0; from < n; from += group {
			to := min(from+group, n)
			s.claim(keys[from:to], verdicts[from:to])
		}
		keys, verdicts = keys[n:], verdicts[n:]
	}
	return nil
}

// makeRoom spills until there is memory for keys.
func (s *Spilling) makeRoom(keys []Key) error {
	for {
		err := s.mem.reserve(keys)
		if err == nil || !errors.Is(err, ErrFull) {
			return err
		}
		if s.mem.Len() == 0 {
			return err // not even these fit: the least memory is more than they need
		}
		for before := s.mem.Bytes(); s.mem.Bytes() == before; {
			if err := s.spillNext(); err != nil {
				return err
			}
		}
	}
}

// claim decides up to a group of keys. See Exact.claim.
func (s *Spilling) claim(keys []Key, verdicts []Verdict) {
	var at [group]uint64
	touch := uint64(0)
	for i := range keys {
		t := &s.mem.tables[shardOf(&keys[i])]
		at[i] = t.homeOf(&keys[i])
		touch ^= t.slots[at[i]][0]
	}
	s.mem.touch = touch
	for i := range keys {
		verdicts[i] = s.claimOne(&keys[i], at[i])
	}
}

func (s *Spilling) claimOne(k *Key, home uint64) Verdict {
	if *k == (Key{}) { // never spilled
		if s.mem.zero {
			return Seen
		}
		s.mem.zero = true
		return New
	}
	shard := shardOf(k)
	t := &s.mem.tables[shard]
	slot, found := t.find(k, home)
	if found {
		if s.spilled[shard] {
			s.noteLately(k)
		}
		return Seen
	}
	if s.spilled[shard] && s.lately != nil && s.lately[k[1]&(latelySeen-1)] == *k {
		return Seen
	}
	for !t.insert(k, slot) {
		s.mem.lengthen(t)
		slot, _ = t.find(k, t.homeOf(k))
	}
	s.mem.keys++
	if !s.spilled[shard] {
		return New
	}
	t.tags[slot] = tagOf(s.answers.add())
	s.pending[shard]++
	return Pending
}

func (s *Spilling) noteLately(k *Key) {
	if s.lately == nil {
		if s.mem.max < latelySeen*keyBytes*16 {
			return
		}
		s.lately = make([]Key, latelySeen)
	}
	s.lately[k[1]&(latelySeen-1)] = *k
}

// spillNext spills the shard whose turn it is.
func (s *Spilling) spillNext() error {
	if s.writer == nil {
		if err := s.beginCycle(); err != nil {
			return err
		}
	}
	shard := s.turn
	if err := s.resolve(shard); err != nil {
		return err
	}
	if err := s.write(shard); err != nil {
		return err
	}
	t := &s.mem.tables[shard]
	s.mem.keys -= int64(t.n)
	s.mem.used -= t.bytes
	t.free()
	*t = table{tagged: true}
	s.stats.Shards++
	if s.turn++; s.turn < shards {
		return nil
	}
	return s.endCycle()
}

func (s *Spilling) beginCycle() error {
	level := s.pickMerge()
	file, err := s.scratch.Create("keys")
	if err != nil {
		return fmt.Errorf("spill keys: %w", err)
	}
	s.writer, s.turn = newRunWriter(file, level), 0
	return nil
}

// pickMerge chooses what is merged into the next run, and gives the level that it has then: from level 0
// on, all runs of a level of which there are as many as are merged, less the one to come.
func (s *Spilling) pickMerge() (level int) {
	s.merging = s.merging[:0]
	for {
		n := 0
		for _, r := range s.runs {
			if r.level == level {
				n++
			}
		}
		if n < mergeRuns-1 {
			return level
		}
		for _, r := range s.runs {
			if r.level == level {
				s.merging = append(s.merging, r)
			}
		}
		level++
	}
}

// endCycle puts the run that was written in the place of those that were merged into it.
func (s *Spilling) endCycle() error {
	kept := s.runs[:0]
	var faults []error
	for _, r := range s.runs {
		merged := false
		for _, m := range s.merging {
			merged = merged || m == r
		}
		if !merged {
			kept = append(kept, r)
			continue
		}
		faults = append(faults, r.file.Close())
	}
	s.stats.BytesWritten += s.writer.run.bytes
	s.runs = append(kept, s.writer.run)
	s.writer, s.merging = nil, s.merging[:0]
	return errors.Join(faults...)
}

// resolve makes the verdicts of a shard's Pending keys known.
func (s *Spilling) resolve(shard int) error {
	if s.pending[shard] == 0 {
		return nil
	}
	t := &s.mem.tables[shard]
	s.asked, s.askedAt = s.asked[:0], s.askedAt[:0]
	for i, tag := range t.tags {
		if tag != 0 && tag != tagStored {
			s.asked, s.askedAt = append(s.asked, t.slots[i]), append(s.askedAt, uint32(i))
		}
	}
	if cap(s.found) < len(s.asked) {
		s.found = make([]bool, len(s.asked)+len(s.asked)/4)
	}
	found := s.found[:len(s.asked)]
	clear(found)
	for _, r := range s.runs {
		if err := s.intersect(r, shard, found); err != nil {
			return err
		}
	}
	if s.writer != nil && shard < s.turn {
		if err := s.intersect(s.writer.run, shard, found); err != nil {
			return err
		}
	}
	for i, slot := range s.askedAt {
		number := s.answers.numberOf(t.tags[slot])
		if found[i] {
			t.tags[slot] = tagStored
			s.answers.set(number, isSeen)
			s.noteLately(&s.asked[i])
			continue
		}
		t.tags[slot] = 0
		s.answers.set(number, isNew)
	}
	s.pending[shard] = 0
	return nil
}

// reader gives the i-th reader.
func (s *Spilling) reader(i int) *sectionReader {
	for len(s.readers) <= i {
		s.readers = append(s.readers, sectionReader{})
	}
	return &s.readers[i]
}

// intersect marks those of asked, which ascend, that are in a run.
func (s *Spilling) intersect(from *run, shard int, found []bool) error {
	if from.sections[shard].keys == 0 {
		return nil
	}
	r := s.reader(0)
	r.open(from, shard)
	s.stats.BytesRead += from.sections[shard].bytes
	asked, j := s.asked, 0
	for j < len(asked) {
		ok, err := r.more()
		if err != nil || !ok {
			return err
		}
		if less(&r.block[len(r.block)-1], &asked[j]) {
			continue
		}
		for i := range r.block {
			k := &r.block[i]
			for less(&asked[j], k) {
				if j++; j == len(asked) {
					return nil
				}
			}
			if asked[j] == *k {
				found[j] = true
				if j++; j == len(asked) {
					return nil
				}
			}
		}
	}
	return nil
}

// write writes the new keys of a shard, all known, with those of the runs that are merged.
func (s *Spilling) write(shard int) error {
	w := s.writer
	w.begin(shard)
	var heads []*sectionReader
	for i, r := range s.merging {
		if r.sections[shard].keys == 0 {
			continue
		}
		reader := s.reader(i)
		reader.open(r, shard)
		s.stats.BytesRead += r.sections[shard].bytes
		ok, err := reader.more()
		if err != nil {
			return err
		}
		if ok {
			heads = append(heads, reader)
		}
	}
	t := &s.mem.tables[shard]
	slot := 0
	for {
		// The least of the heads; there are few.
		least := -1
		for i := range heads {
			if least < 0 || less(&heads[i].block[heads[i].next], &heads[least].block[heads[least].next]) {
				least = i
			}
		}
		for ; slot < len(t.slots); slot++ {
			k := &t.slots[slot]
			if *k == (Key{}) || t.tagged && t.tags[slot] == tagStored {
				continue
			}
			if least >= 0 && less(&heads[least].block[heads[least].next], k) {
				break
			}
			if err := w.add(*k); err != nil {
				return err
			}
		}
		if least < 0 {
			break
		}
		head := heads[least]
		if err := w.add(head.block[head.next]); err != nil {
			return err
		}
		if head.next++; head.next < len(head.block) {
			continue
		}
		ok, err := head.more()
		if err != nil {
			return err
		}
		if !ok {
			heads = append(heads[:least], heads[least+1:]...)
		}
	}
	if err := w.end(); err != nil {
		return err
	}
	if w.run.sections[shard].keys > 0 {
		s.spilled[shard] = true
	}
	return nil
}

// Known implements DeferringSet.
func (s *Spilling) Known() uint64 { return s.answers.prefix() }

// Take implements DeferringSet.
func (s *Spilling) Take(number uint64) Verdict { return s.answers.take(number) }

// Settle implements DeferringSet. It spills nothing.
func (s *Spilling) Settle() error {
	for shard := range s.mem.tables {
		if err := s.resolve(shard); err != nil {
			return err
		}
	}
	return nil
}

// Sync implements Set. The set doesn't outlive the process: a claim never survives a crash.
func (s *Spilling) Sync() error { return nil }

// Close gives memory and files back.
func (s *Spilling) Close() error {
	faults := []error{s.mem.Close()}
	for _, r := range s.runs {
		faults = append(faults, r.file.Close())
	}
	if s.writer != nil {
		faults = append(faults, s.writer.run.file.Close())
	}
	s.runs, s.writer, s.merging, s.answers = nil, nil, nil, answers{}
	return errors.Join(faults...)
}

var _ DeferringSet = (*Spilling)(nil)
