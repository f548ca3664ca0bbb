package pipetest

import (
	"maps"

	"github.com/urisieve/urisieve/pipeline/dedup"
)

// Set is a plain dedup.Set that keeps a journal and two states: what it answers from, and what a
// crash leaves of it.
type Set struct {
	Journal *Journal
	// Max, if more than 0, is the number of keys from which Claim gives dedup.ErrFull.
	Max int
	// FailSync is asked at each Sync. nil: none fails.
	FailSync func() error

	keys, synced map[dedup.Key]bool
}

// Claim implements dedup.Set.
func (s *Set) Claim(keys []dedup.Key, verdicts []dedup.Verdict) error {
	if s.keys == nil {
		s.keys = map[dedup.Key]bool{}
	}
	if s.Max > 0 {
		fresh := map[dedup.Key]bool{}
		for _, k := range keys {
			if !s.keys[k] {
				fresh[k] = true
			}
		}
		if len(s.keys)+len(fresh) > s.Max {
			return dedup.ErrFull
		}
	}
	for i, k := range keys {
		verdicts[i] = dedup.New
		if s.keys[k] {
			verdicts[i] = dedup.Seen
		}
		s.keys[k] = true
	}
	return nil
}

// Sync implements dedup.Set.
func (s *Set) Sync() error {
	if s.FailSync != nil {
		if err := s.FailSync(); err != nil {
			return err
		}
	}
	s.synced = maps.Clone(s.keys)
	s.Journal.Add("sync")
	return nil
}

// Crash leaves what was synced.
func (s *Set) Crash() { s.keys = maps.Clone(s.synced) }

// Close implements dedup.Set.
func (s *Set) Close() error {
	s.Journal.Add("close set")
	return nil
}
