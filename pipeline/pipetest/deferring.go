package pipetest

import (
	"errors"
	"math/rand/v2"

	"github.com/urisieve/urisieve/pipeline/dedup"
)

// Deferring is a dedup.DeferringSet over a map, for one run: at random it says Pending of a key that it was
// not asked for before in this run, and knows the verdict at some later Claim, or at Settle.
type Deferring struct {
	Journal *Journal
	Random  *rand.Rand
	// Percent is how many of the keys it says Pending of.
	Percent int
	// Stored are keys that are in it from the start.
	Stored map[dedup.Key]bool
	// FailSettle is what Settle gives.
	FailSettle error

	asked   map[dedup.Key]bool
	answers []dedup.Verdict // Pending ones, from number 0 on
	known   uint64
	taken   uint64
}

// Claim implements dedup.Set.
func (s *Deferring) Claim(keys []dedup.Key, verdicts []dedup.Verdict) error {
	if s.asked == nil {
		s.asked = map[dedup.Key]bool{}
	}
	for i, k := range keys {
		verdict := dedup.New
		if s.Stored[k] || s.asked[k] {
			verdict = dedup.Seen
		}
		verdicts[i] = verdict
		if !s.asked[k] && s.Random.IntN(100) < s.Percent {
			verdicts[i] = dedup.Pending
			s.answers = append(s.answers, verdict)
		}
		s.asked[k] = true
	}
	if n := uint64(len(s.answers)); s.known < n && s.Random.IntN(3) == 0 {
		s.known += s.Random.Uint64N(n - s.known + 1)
	}
	return nil
}

// Known implements dedup.DeferringSet.
func (s *Deferring) Known() uint64 { return s.known }

// Take implements dedup.DeferringSet.
func (s *Deferring) Take(number uint64) dedup.Verdict {
	if number != s.taken || number >= s.known {
		panic("Take out of turn")
	}
	s.taken++
	return s.answers[number]
}

// Settle implements dedup.DeferringSet.
func (s *Deferring) Settle() error {
	if s.FailSettle == nil {
		s.known = uint64(len(s.answers))
	}
	return s.FailSettle
}

// Answers is the number of Pending answers.
func (s *Deferring) Answers() int { return len(s.answers) }

// Sync implements dedup.Set.
func (s *Deferring) Sync() error {
	s.Journal.Add("sync")
	if s.taken != uint64(len(s.answers)) {
		return errors.New("Sync before every Pending answer was taken")
	}
	return nil
}

// Close implements dedup.Set.
func (s *Deferring) Close() error {
	s.Journal.Add("close set")
	return nil
}
