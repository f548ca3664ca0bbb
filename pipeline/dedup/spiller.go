package dedup

import (
	"errors"
)

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

// spiller keeps keys in memory as Exact does, and in runs what memory has no room for. It is what
// Spilling and State have in common.
//
// While all keys fit, it answers at once. From then on, a key that isn't in memory is Pending, if keys of
// its shard were spilled before. When memory is used up, the next shard in turn is spilled: its
// Pending keys are looked for in all runs, in one pass over the shard's section of each, from start to end
// unless there are very few, and the new
// ones go to the run that is being written. That run is finished when each shard had its turn, a cycle; where
// there are four of a size, they are merged into the new one on the way. So nothing waits for more than the
// work of one shard, a 256th of all.
type spiller struct {
	mem     Exact
	timed   bool   // whether keys have times
	floor   uint32 // of a timed one: what was emitted before counts as never
	files   runFiles
	decide  func(shard int) // makes the verdicts of asked known, from found
	spilled [shards]bool    // whether a run, or the one being written, has keys of the shard
	pending [shards]int     // what waits for the next resolve
	answers answers
	lately  cache
	filter  *filter // of the keys that were spilled; nil: none

	runs      []*run     // the older first; no level is higher than those before it
	writer    *runWriter // of the run that is being written; nil between cycles
	mergeFrom int        // index of runs: from it on, what goes into the run that is being written
	turn      int        // the shard that is spilled next

	asked   []Key    // of resolve
	askedAt []uint32 // slots of asked
	found   []entry  // what all runs say of asked
	readers []*sectionReader
	known   []*ReadState // older than all runs
	stats   SpillStats
}

// runFiles makes the files of runs.
type runFiles interface {
	// create begins a run.
	create(level int) (*runWriter, error)
	// finish ends it: it takes the place of those that were merged into it, which drop is told of next.
	finish(w *runWriter) error
	drop(r *run) error
}

// SpillStats are the counts of a set that spills.
type SpillStats struct {
	Keys         int64 // on disk; those of a run that is being written twice, until it is finished
	Bytes        int64 // on disk, likewise
	BytesWritten int64 // since the beginning
	BytesRead    int64
	Seeks        int64 // reads that passed over what no key was asked of
	Runs         int   // finished runs
	Shards       int   // shards spilled since the beginning
	Pending      int64
}

// spillStats are the counts so far.
func (s *spiller) spillStats() SpillStats {
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

// memoryFor is what the tables may use of a set's memory, 0 for the default; the rest is for buffers.
func memoryFor(memory int64) int64 {
	if memory == 0 {
		memory = DefaultMemory()
	}
	return max(memory, leastSpilling) / 16 * 15
}

// makeRoom spills until there is memory for keys.
func (s *spiller) makeRoom(keys []Key) error {
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

// mayBeSpilled reports whether a key that isn't in memory may have been spilled.
func (s *spiller) mayBeSpilled(shard int, k *Key) bool { return s.spilled[shard] && !s.filter.lacks(k) }

// homes finds the homes of up to a group of keys, and has memory bring them.
func (s *spiller) homes(keys []Key, at *[group]uint64) {
	touch := uint64(0)
	for i := range keys {
		t := &s.mem.tables[shardOf(&keys[i])]
		at[i] = t.homeOf(&keys[i])
		touch ^= t.slots[at[i]][0]
		if t.tags != nil {
			touch ^= uint64(t.tags[at[i]])
		}
		if t.times != nil {
			touch ^= uint64(t.times[at[i]])
		}
		if s.filter != nil {
			touch ^= s.filter.slots[s.filter.blockOf(&keys[i])][0]
		}
		if len(s.lately.keys) > 0 {
			touch ^= s.lately.keys[keys[i][1]&(latelySeen-1)][0]
		}
	}
	s.mem.touch = touch
}

// insert puts a key that isn't in the table at the slot that find gave, or at another if the table had to
// be made longer.
func (s *spiller) insert(t *table, k *Key, slot uint64) uint64 {
	for !t.insert(k, slot) {
		s.mem.lengthen(t)
		slot, _ = t.find(k, t.homeOf(k))
	}
	s.mem.keys++
	return slot
}

// spillNext spills the shard whose turn it is.
func (s *spiller) spillNext() error {
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
	*t = table{tagged: true, timed: s.timed}
	s.stats.Shards++
	if s.turn++; s.turn < shards {
		return nil
	}
	return s.endCycle()
}

func (s *spiller) beginCycle() error {
	level := s.pickMerge()
	w, err := s.files.create(level)
	if err != nil {
		return err
	}
	s.writer, s.turn = w, 0
	return nil
}

// pickMerge chooses what is merged into the next run, and gives the level that it has then: from level 0
// on, all runs of a level of which there are as many as are merged, less the one to come. They are the newest.
func (s *spiller) pickMerge() (level int) {
	s.mergeFrom = len(s.runs)
	for {
		first := s.mergeFrom
		for first > 0 && s.runs[first-1].level == level {
			first--
		}
		if s.mergeFrom-first < mergeRuns-1 {
			return level
		}
		s.mergeFrom = first
		level++
	}
}

// endCycle puts the run that was written in the place of those that were merged into it.
func (s *spiller) endCycle() error {
	w := s.writer
	if err := s.files.finish(w); err != nil {
		return err
	}
	s.stats.BytesWritten += w.run.bytes
	merged := append([]*run(nil), s.runs[s.mergeFrom:]...)
	s.runs = append(s.runs[:s.mergeFrom], w.run)
	s.writer = nil
	var faults []error
	for _, r := range merged {
		faults = append(faults, s.files.drop(r))
	}
	return errors.Join(faults...)
}

// runsOf gives the runs that hold what was spilled of a shard, the older ones first: once it had its turn, the
// one that is being written in the place of those that go into it.
func (s *spiller) runsOf(shard int, dst []*run) []*run {
	if s.writer == nil || shard >= s.turn {
		return append(dst, s.runs...)
	}
	return append(append(dst, s.runs[:s.mergeFrom]...), s.writer.run)
}

// resolve makes the verdicts of a shard's Pending keys known.
func (s *spiller) resolve(shard int) error {
	if s.pending[shard] == 0 {
		return nil
	}
	t := &s.mem.tables[shard]
	s.asked, s.askedAt = s.asked[:0], s.askedAt[:0]
	for i, tag := range t.tags {
		if inDoubt(tag) {
			s.asked, s.askedAt = append(s.asked, t.slots[i]), append(s.askedAt, uint32(i))
		}
	}
	if err := s.look(shard); err != nil {
		return err
	}
	s.decide(shard)
	s.pending[shard] = 0
	return nil
}

// look sets found to what all runs say of asked, which ascend.
func (s *spiller) look(shard int) error {
	if cap(s.found) < len(s.asked) {
		s.found = make([]entry, len(s.asked)+len(s.asked)/4)
	}
	s.found = s.found[:len(s.asked)]
	clear(s.found)
	for _, k := range s.known {
		if err := k.addTimes(s.asked, s.found); err != nil {
			return err
		}
	}
	var runs [8]*run
	for _, r := range s.runsOf(shard, runs[:0]) {
		if err := s.intersect(r, shard); err != nil {
			return err
		}
	}
	return nil
}

// reader gives the i-th reader.
func (s *spiller) reader(i int) *sectionReader {
	for len(s.readers) <= i {
		s.readers = append(s.readers, &sectionReader{})
	}
	return s.readers[i]
}

// intersect adds what a run says of asked to found.
func (s *spiller) intersect(from *run, shard int) error {
	if from.sections[shard].keys == 0 {
		return nil
	}
	r := s.reader(0)
	r.open(from, shard)
	defer func() {
		s.stats.BytesRead += r.read
		s.stats.Seeks += r.seeks
	}()
	asked, j := s.asked, 0
	for j < len(asked) {
		r.skip(&asked[j])
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
				s.found[j] = s.found[j].then(r.entryAt(i))
				if j++; j == len(asked) {
					return nil
				}
			}
		}
	}
	return nil
}

// write writes the new keys of a shard, none of them Pending, with those of the runs that are merged.
func (s *spiller) write(shard int) error {
	w := s.writer
	w.begin(shard)
	s.filter.addTable(&s.mem.tables[shard])
	m, err := s.mergeOf(shard, s.runs[s.mergeFrom:])
	if err != nil {
		return err
	}
	oldest := s.mergeFrom == 0 && len(s.known) == 0
	for {
		ok, err := m.next()
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		if s.timed {
			if m.entry, ok = m.entry.reduced(s.floor, oldest); !ok {
				continue
			}
		}
		if err := w.add(m.key, m.entry); err != nil {
			return err
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

// mergeOf begins a merge of what runs and memory have of a shard.
func (s *spiller) mergeOf(shard int, runs []*run) (*merge, error) {
	m := &merge{table: &s.mem.tables[shard], timed: s.timed}
	for _, r := range runs {
		if r.sections[shard].keys == 0 {
			continue
		}
		reader := s.reader(len(m.heads))
		reader.open(r, shard)
		s.stats.BytesRead += r.sections[shard].bytes
		ok, err := reader.more()
		if err != nil {
			return nil, err
		}
		if ok {
			m.heads = append(m.heads, reader)
		}
	}
	return m, nil
}

// know makes the keys of states count as older than all that the set has.
func (s *spiller) know(states []*ReadState) {
	s.known = states
	if len(states) > 0 {
		s.filter.close() // what they have isn't in it
		s.filter = nil
	}
	for _, k := range states {
		for shard := range s.spilled {
			s.spilled[shard] = s.spilled[shard] || k.mayHave(shard)
			s.mem.tables[shard].tagged = s.mem.tables[shard].tagged || s.spilled[shard]
		}
	}
}

// Known implements DeferringSet.
func (s *spiller) Known() uint64 { return s.answers.prefix() }

// Take implements DeferringSet.
func (s *spiller) Take(number uint64) Verdict { return s.answers.take(number) }

// Settle implements DeferringSet. It spills nothing.
func (s *spiller) Settle() error {
	for shard := range s.mem.tables {
		if err := s.resolve(shard); err != nil {
			return err
		}
	}
	return nil
}

// cache remembers keys that were seen again, all of them in memory or in a run, and as late a time of each as
// is certain. It is direct-mapped.
type cache struct {
	keys  []Key
	times []uint32
}

// make makes the cache, if it is small beside so much memory.
func (c *cache) make(memory int64, timed bool) {
	if c.keys != nil || memory < latelySeen*keyBytes*16 {
		return
	}
	c.keys = make([]Key, latelySeen)
	if timed {
		c.times = make([]uint32, latelySeen)
	}
}

func (c *cache) has(k *Key) bool { return len(c.keys) > 0 && c.keys[k[1]&(latelySeen-1)] == *k }

// timeOf is the time of a key that it has.
func (c *cache) timeOf(k *Key) uint32 { return c.times[k[1]&(latelySeen-1)] }

func (c *cache) note(k *Key, time uint32) {
	if c.keys == nil {
		return
	}
	c.keys[k[1]&(latelySeen-1)] = *k
	if c.times != nil {
		c.times[k[1]&(latelySeen-1)] = time
	}
}

func (c *cache) forget(k *Key) {
	if c.has(k) {
		c.keys[k[1]&(latelySeen-1)] = Key{}
	}
}
