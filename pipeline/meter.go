package pipeline

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"sync"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/normalize/keyrule"
)

// Meter shows the counts of a run while it goes on. The zero value is ready; one Meter serves one
// run. Its JSON is what it has counted of settled references: read into another Meter, which is given to a run that
// goes on where the first was, that one counts on from there.
type Meter struct {
	mu      sync.Mutex
	stats   Stats
	samples []RejectSample
	merges  merges
	hinted  bool // OnRejectsInRow was called
	source  Source
	pool    *pool
}

// Stats are the counts so far. Any goroutine may call it, before, during and after the run.
func (m *Meter) Stats() Stats {
	m.mu.Lock()
	s, source, pool := m.stats, m.source, m.pool
	s.Elements = append([]ElementCount(nil), s.Elements...)
	m.mu.Unlock()
	s.InFlight = s.Read - s.References - s.GivenUp
	if source != nil {
		s.Source = source.Stats()
	}
	if pool != nil {
		s.PoolBytes = pool.inUse()
	}
	return s
}

// begin gives the references that were settled before.
func (m *Meter) begin(source Source, pool *pool, elements []string) (before int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.source, m.pool = source, pool
	counts := make([]ElementCount, len(elements))
	for i, e := range elements {
		counts[i].Element = e
		for _, c := range m.stats.Elements {
			if c.Element == e {
				counts[i] = c
			}
		}
	}
	m.stats.Elements = counts
	return m.stats.References
}

// savedMeter is the JSON of a Meter.
type savedMeter struct {
	Stats   Stats
	Samples []RejectSample
	Merges  map[int][]rankedSample // by slot
}

// MarshalJSON implements json.Marshaler.
func (m *Meter) MarshalJSON() ([]byte, error) {
	m.mu.Lock()
	saved := savedMeter{Stats: m.stats, Samples: m.samples, Merges: map[int][]rankedSample{}}
	m.mu.Unlock()
	s := &saved.Stats
	s.Read, s.Committed, s.GivenUp, s.Waiting = s.References, s.References, 0, 0
	s.Drained, s.Limited = false, false
	s.Source = SourceStats{}
	m.merges.mu.Lock()
	defer m.merges.mu.Unlock()
	for slot, samples := range &m.merges.samples {
		if len(samples) > 0 {
			saved.Merges[slot] = samples
		}
	}
	return json.Marshal(&saved)
}

// UnmarshalJSON implements json.Unmarshaler.
func (m *Meter) UnmarshalJSON(data []byte) error {
	var saved savedMeter
	if err := json.Unmarshal(data, &saved); err != nil {
		return err
	}
	m.mu.Lock()
	m.stats, m.samples = saved.Stats, saved.Samples
	m.mu.Unlock()
	for slot, samples := range saved.Merges {
		if slot < 0 || slot >= mergeSlots {
			return fmt.Errorf("merges: %d is no rule", slot)
		}
		for _, s := range samples {
			m.merges.keep(slot, s)
		}
	}
	return nil
}

func (m *Meter) update(f func(s *Stats)) {
	m.mu.Lock()
	f(&m.stats)
	m.mu.Unlock()
}

// add merges what a settle goroutine counted for a batch, and gives the rejected and all references
// so far, those that wait among them.
func (m *Meter) add(c *counts, t *tally) (rejected, references int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := &m.stats
	s.Unique += c.outcomes[Unique]
	s.Duplicate += c.outcomes[Duplicate]
	s.Filtered += c.outcomes[Filtered]
	s.Rejected += c.outcomes[Rejected]
	s.References += c.outcomes[Unique] + c.outcomes[Duplicate] + c.outcomes[Filtered] + c.outcomes[Rejected]
	s.Records += c.records
	s.BytesURL += c.bytesURL
	for i, n := range &c.reasons {
		s.Reasons[i] += n
	}
	for i, n := range &c.filters {
		s.Filters[i] += n
	}
	s.Future += c.future
	s.DuplicateSame += c.duplicateSame
	for i, n := range &c.duplicateRules {
		s.DuplicateRules[i] += n
	}
	for i := range s.Elements {
		e, n := &s.Elements[i], &c.elements[i]
		e.Unique += n[Unique]
		e.Duplicate += n[Duplicate]
		e.Filtered += n[Filtered]
		e.Rejected += n[Rejected]
	}
	if t != nil {
		if !t.part {
			s.Batches++
		}
		s.BytesRef += t.bytesRef
		for i := range t.rules {
			s.Rules[i] += int64(t.rules[i])
			s.Flags[i] += int64(t.flags[i])
		}
		for i, n := range &t.bases {
			s.Bases[i] += int64(n)
		}
		for i, n := range &t.keyRules {
			s.KeyRules[i] += int64(n)
		}
	}
	return s.Rejected, s.References + s.Waiting
}

// sample keeps a rejected reference to show, if there are few like it yet.
func (m *Meter) sample(b *Batch, r *Record) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.samples) == maxSamples {
		return
	}
	same := 0
	for i := range m.samples {
		if m.samples[i].Reason == r.Result.Reason {
			same++
		}
	}
	if same == maxSamplesPerReason {
		return
	}
	m.samples = append(m.samples, RejectSample{
		Position: b.position(b.RowOf(r)), Index: r.Index,
		Reason: r.Result.Reason, Component: r.Result.Component, At: r.Result.At,
		Text: sampleText(b.Raw(r)),
	})
}

// takeHint gives the samples so far; false when it did so before.
func (m *Meter) takeHint() ([]RejectSample, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.hinted {
		return nil, false
	}
	m.hinted = true
	return append([]RejectSample(nil), m.samples...), true
}

func (m *Meter) allSamples() []RejectSample {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]RejectSample(nil), m.samples...)
}

// tally is what a worker counts in a batch. It goes with the batch, so that what is given up
// after a fault isn't counted.
type tally struct {
	rules, flags [64]uint32
	keyRules     [32]uint32
	bases        [normalize.BaseDefault + 1]uint32
	bytesRef     int64
	part         bool // of a batch, and not its last
}

// record counts a record that a worker is done with.
func (t *tally) record(r *Record) {
	t.bytesRef += int64(r.RawLen)
	t.add(&r.Result)
	t.addKey(r.KeyRules)
}

func (t *tally) add(r *normalize.Result) {
	for set := uint64(r.Flags); set != 0; set &= set - 1 {
		t.flags[bits.TrailingZeros64(set)]++
	}
	if r.Reason != normalize.OK {
		return
	}
	for set := uint64(r.Changed); set != 0; set &= set - 1 {
		t.rules[bits.TrailingZeros64(set)]++
	}
	t.bases[r.BaseUsed]++
}

func (t *tally) addKey(fired keyrule.Set) {
	for set := uint32(fired); set != 0; set &= set - 1 {
		t.keyRules[bits.TrailingZeros32(set)]++
	}
}

// counts are what a settle goroutine counts, before it adds them to the Meter.
type counts struct {
	outcomes [Rejected + 1]int64
	reasons  [256]int64
	filters  [scopeRules]int64
	elements [][Rejected + 1]int64
	records  int64
	bytesURL int64

	future         int64 // dates of a time to come
	duplicateSame  int64
	duplicateRules [mergeSlots]int64
}

func (c *counts) reset() {
	clear(c.elements)
	*c = counts{elements: c.elements}
}
