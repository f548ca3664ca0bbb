package pipeline

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/zeebo/xxh3"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/normalize/keyrule"
)

// MergeSample is a duplicate that a rule had a part in, to be judged by a person: what it was, and
// what it was taken for. Passwords are masked; long texts are cut.
type MergeSample struct {
	Position Position
	Index    uint32 // of the reference in its record
	Text     string // as it came in
	URL      string // its canonical URI
	Key      string // what was compared
}

// RuleMerges is what one rule, or key rule, had a part in.
type RuleMerges struct {
	Rule       string // its name
	KeyRule    bool   // whether it is a key rule
	Duplicates int64  // duplicates whose own text, or key, it changed
	Samples    []MergeSample
}

// mergeSlots are the rules and, behind them, the key rules.
const mergeSlots = 64 + 32

// maxMergeSamples bounds the samples of each rule.
const maxMergeSamples = 5

// merges holds, for each rule, the samples whose positions have the smallest hashes: the same ones
// however the work was shared and in whatever order it came.
type merges struct {
	mu      sync.Mutex
	samples [mergeSlots][]rankedSample
	above   [mergeSlots]atomic.Uint64 // a hash above this is not kept
}

type rankedSample struct {
	Rank uint64
	MergeSample
}

// mergeSet are the slots of the rules that changed a reference or its key.
type mergeSet struct{ rules, keyRules uint64 }

func (r *Record) mergeSet() mergeSet { return mergeSet{uint64(r.Result.Changed), uint64(r.KeyRules)} }

// each calls f with every slot of the set.
func (m mergeSet) each(f func(slot int)) {
	for set := m.rules; set != 0; set &= set - 1 {
		f(bits.TrailingZeros64(set))
	}
	for set := m.keyRules; set != 0; set &= set - 1 {
		f(64 + bits.TrailingZeros64(set))
	}
}

// sample keeps a duplicate for the rules that had a part in it, if its position is among the first in
// the order of their hashes.
func (m *merges) sample(b *Batch, r *Record, set mergeSet) {
	row := b.RowOf(r)
	rank := rankOf(b.sources[row.Source], row.Number, r.Index)
	var made *MergeSample
	set.each(func(slot int) {
		if above := m.above[slot].Load(); above != 0 && rank >= above {
			return
		}
		if made == nil {
			made = &MergeSample{Position: b.position(row), Index: r.Index, Text: sampleText(b.Raw(r)), URL: sampleText(b.URL(r))}
			made.Key = made.URL
			if key := b.KeyText(r); key != nil {
				made.Key = sampleText(key)
			}
		}
		m.keep(slot, rankedSample{rank, *made})
	})
}

func (m *merges) keep(slot int, s rankedSample) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := append(m.samples[slot], s)
	slices.SortFunc(all, func(a, b rankedSample) int {
		return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.Position.Source, b.Position.Source), cmp.Compare(a.Position.Number, b.Position.Number), cmp.Compare(a.Index, b.Index))
	})
	if len(all) > maxMergeSamples {
		all = all[:maxMergeSamples]
	}
	if len(all) == maxMergeSamples {
		m.above[slot].Store(all[len(all)-1].Rank)
	}
	m.samples[slot] = all
}

// rankOf orders positions as if by chance, the same way in every run.
func rankOf(source string, number int64, index uint32) uint64 {
	var place [12]byte
	binary.LittleEndian.PutUint64(place[:], uint64(number))
	binary.LittleEndian.PutUint32(place[8:], index)
	return max(1, xxh3.HashSeed(place[:], xxh3.HashString(source)))
}

// Merges tells which rules had a part in the duplicates of a run, those that had most first, with
// samples: what a person looks at to see whether a rule merges what it should not. Any goroutine may
// call it; after the run it is the same for any number of workers.
func (m *Meter) Merges() []RuleMerges {
	s := m.Stats()
	m.merges.mu.Lock()
	defer m.merges.mu.Unlock()
	var all []RuleMerges
	add := func(slot int, name string, keyRule bool) {
		if n := s.DuplicateRules[slot]; n > 0 {
			found := RuleMerges{Rule: name, KeyRule: keyRule, Duplicates: n}
			for _, sample := range m.merges.samples[slot] {
				found.Samples = append(found.Samples, sample.MergeSample)
			}
			all = append(all, found)
		}
	}
	for _, info := range normalize.Rules() {
		add(bits.TrailingZeros64(uint64(info.Bit)), info.Name, false)
	}
	for _, info := range keyrule.Infos() {
		add(64+bits.TrailingZeros64(uint64(info.Bit)), info.Name, true)
	}
	slices.SortStableFunc(all, func(a, b RuleMerges) int { return cmp.Compare(b.Duplicates, a.Duplicates) })
	return all
}
