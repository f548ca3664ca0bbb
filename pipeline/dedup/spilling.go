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
	// Filter is the memory, in bytes, beside Memory, of a filter by which most new keys are known to be New at once, and only
	// one in some is Pending: 10 bits for a key that is spilled leave one in 80. With less, or too little, the answers are as
	// right, and more of them late. Default 0: none. Known states leave it out.
	Filter int64
	// Known are states whose keys count as seen. They must have the secret that the keys are made with, and stay open
	// as long as the set. Then every key that isn't in memory is Pending, and a Settle reads all of them.
	Known []*ReadState
}

// Spilling is a DeferringSet that keeps keys in memory as Exact does, and in temporary files what memory has no
// room for. It is as exact as Exact is.
//
// While all keys fit, it answers at once, and makes no file. From then on, a key that isn't in memory may be
// Pending. No call waits for more than reading and writing a 256th of what is on disk, but Settle.
type Spilling struct{ spiller }

// NewSpilling makes an empty set. It makes no file before it has to.
func NewSpilling(o SpillingOptions) *Spilling {
	s := &Spilling{spiller{mem: Exact{max: memoryFor(o.Memory)}, files: scratchRuns{o.Scratch, false}}}
	s.filter, _ = newFilter(o.Filter) // without it all is right, too
	s.decide = s.decideSeen
	for _, k := range o.Known {
		s.mem.zero = s.mem.zero || k.zeroTime() != 0
	}
	s.know(o.Known)
	return s
}

// Stats are the counts so far.
func (s *Spilling) Stats() SpillStats { return s.spillStats() }

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

// claim decides up to a group of keys. See Exact.claim.
func (s *Spilling) claim(keys []Key, verdicts []Verdict) {
	var at [group]uint64
	s.homes(keys, &at)
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
	inDoubt := s.mayBeSpilled(int(shard), k)
	if inDoubt && s.lately.has(k) {
		return Seen
	}
	slot = s.insert(t, k, slot)
	if !inDoubt {
		return New
	}
	t.tags[slot] = tagOf(s.answers.add())
	s.pending[shard]++
	return Pending
}

func (s *Spilling) noteLately(k *Key) {
	s.lately.make(s.mem.max, false)
	s.lately.note(k, 0)
}

// decideSeen is decide: a key that a run has was seen before.
func (s *Spilling) decideSeen(shard int) {
	t := &s.mem.tables[shard]
	for i, slot := range s.askedAt {
		number := s.answers.numberOf(t.tags[slot])
		if s.found[i] != (entry{}) {
			t.tags[slot] = tagStored
			s.answers.set(number, isSeen)
			s.noteLately(&s.asked[i])
			continue
		}
		t.tags[slot] = tagNew
		s.answers.set(number, isNew)
	}
}

// Sync implements Set. The set doesn't outlive the process: a claim never survives a crash.
func (s *Spilling) Sync() error { return nil }

// Close gives memory and files back.
func (s *Spilling) Close() error {
	s.filter.close()
	faults := []error{s.mem.Close()}
	for _, r := range s.runs {
		faults = append(faults, r.file.Close())
	}
	if s.writer != nil {
		faults = append(faults, s.writer.run.file.Close())
	}
	s.runs, s.writer, s.answers = nil, nil, answers{}
	return errors.Join(faults...)
}

var _ DeferringSet = (*Spilling)(nil)

// scratchRuns makes runs in temporary files.
type scratchRuns struct {
	scratch fsys.Scratch
	timed   bool
}

func (f scratchRuns) create(level int) (*runWriter, error) {
	file, err := f.scratch.Create("keys")
	if err != nil {
		return nil, fmt.Errorf("spill keys: %w", err)
	}
	return newRunWriter(&run{file: file, level: level, timed: f.timed}), nil
}

func (scratchRuns) finish(*runWriter) error { return nil }

func (scratchRuns) drop(r *run) error { return r.file.Close() }
