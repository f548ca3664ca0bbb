package dedup

import (
	"errors"
	"fmt"
	"slices"
)

// timesOf is what Earlier asks a ReadState.
type timesOf interface {
	Times(keys []Key, times []uint32) error
}

// Earlier is a DeferringSet over another set: a key counts as seen, too, if one of several states has it, each
// of which knows it by a key of its own (it was made under other settings, or with another secret). The states
// are only read. What is new to the set below and may be in a state is Pending; it is looked for in all
// states together with many others, in one pass over what they have of a shard.
type Earlier struct {
	set       Set
	deferring DeferringSet // set, if it is one
	states    []timesOf
	most      int // keys of a state that wait to be looked for

	keys    [][]Key // for each state: of the answers from looked on
	times   []uint32
	answers []lateAnswer // from number first on
	first   uint64       // taken
	known   uint64
	looked  uint64
	below   uint64 // answers taken of set
}

// lateAnswer is a Pending answer.
type lateAnswer struct {
	below   bool    // set's answer is Pending, too
	verdict Verdict // Seen: a state has it
}

// NewEarlier makes the set. memory bounds what the keys that wait may take, in bytes. Close closes the set
// below, and leaves the states open.
func NewEarlier(set Set, states []*ReadState, memory int64) *Earlier {
	list := make([]timesOf, len(states))
	for i, s := range states {
		list[i] = s
	}
	return newEarlier(set, list, memory)
}

func newEarlier(set Set, states []timesOf, memory int64) *Earlier {
	e := &Earlier{set: set, states: states, keys: make([][]Key, len(states))}
	e.deferring, _ = set.(DeferringSet)
	// A key of each state, its time and place in the order of look, and the answer.
	e.most = int(max(memory/int64(len(states)*keyBytes+32), claimKeys))
	return e
}

// Others is the number of further keys of each reference: one for each state.
func (e *Earlier) Others() int { return len(e.states) }

// Claim implements Set, for keys that no state has.
func (e *Earlier) Claim(keys []Key, verdicts []Verdict) error {
	return e.ClaimOthers(keys, nil, verdicts)
}

// ClaimOthers is Claim, with the keys by which the states know keys[i] from others[i*Others()] on. The zero key is
// of what a state can't have; no others, of nothing that any of them can.
func (e *Earlier) ClaimOthers(keys, others []Key, verdicts []Verdict) error {
	if err := e.set.Claim(keys, verdicts); err != nil {
		return err
	}
	return e.add(others, verdicts)
}

// Dates reports whether the set below takes dates, by AskOthers.
func (e *Earlier) Dates() bool {
	_, ok := e.set.(*State)
	return ok
}

// AskOthers is ClaimOthers over a State.
func (e *Earlier) AskOthers(asks []Ask, others []Key, verdicts []Verdict) error {
	s, ok := e.set.(*State)
	if !ok {
		return errors.New("the set below takes no dates")
	}
	if err := s.Ask(asks, verdicts); err != nil {
		return err
	}
	return e.add(others, verdicts)
}

// add makes answers of what the set below did not see.
func (e *Earlier) add(others []Key, verdicts []Verdict) error {
	n := len(e.states)
	for i, v := range verdicts {
		if v == Seen {
			continue
		}
		e.answers = append(e.answers, lateAnswer{below: v == Pending})
		verdicts[i] = Pending
		for j := range e.states {
			k := Key{}
			if others != nil {
				k = others[i*n+j]
			}
			e.keys[j] = append(e.keys[j], k)
		}
		if len(e.keys[0]) >= e.most {
			if err := e.look(); err != nil {
				return err
			}
		}
	}
	return nil
}

// look looks for all keys that wait in the states.
func (e *Earlier) look() error {
	waiting := e.answers[e.looked-e.first:]
	e.times = slices.Grow(e.times[:0], len(waiting))[:len(waiting)]
	for j, s := range e.states {
		if err := s.Times(e.keys[j], e.times); err != nil {
			return fmt.Errorf("look for what was seen earlier: %w", err)
		}
		for i, time := range e.times {
			if time != 0 && e.keys[j][i] != (Key{}) {
				waiting[i].verdict = Seen
			}
		}
		e.keys[j] = e.keys[j][:0]
	}
	e.looked += uint64(len(waiting))
	return nil
}

// Known implements DeferringSet.
func (e *Earlier) Known() uint64 {
	below := uint64(0)
	if e.deferring != nil {
		below = e.deferring.Known()
	}
	for ; e.known < e.looked; e.known++ {
		a := &e.answers[e.known-e.first]
		if !a.below {
			continue
		}
		if e.below >= below {
			break
		}
		if v := e.deferring.Take(e.below); a.verdict != Seen {
			a.verdict = v
		}
		e.below++
	}
	return e.known
}

// Take implements DeferringSet.
func (e *Earlier) Take(number uint64) Verdict {
	v := e.answers[number-e.first].verdict
	if done := number + 1 - e.first; done >= uint64(max(len(e.answers)/2, claimKeys)) || done == uint64(len(e.answers)) {
		e.answers = append(e.answers[:0], e.answers[done:]...)
		e.first = number + 1
	}
	return v
}

// Settle implements DeferringSet.
func (e *Earlier) Settle() error {
	if err := e.look(); err != nil {
		return err
	}
	if e.deferring == nil {
		return nil
	}
	return e.deferring.Settle()
}

// Sync implements Set: it is the set's below.
func (e *Earlier) Sync() error { return e.set.Sync() }

// Close closes the set below.
func (e *Earlier) Close() error { return e.set.Close() }

var _ DeferringSet = (*Earlier)(nil)
