package dedup

import "math"

// Verb is what an Ask asks for.
type Verb uint8

// Verbs. Only a Claim may be answered Pending.
const (
	Claim  Verb = iota // New if the key isn't seen: then it is emitted, and seen from now on; else Seen
	Note               // mark it seen, without emitting it: Seen
	Force              // emit it even if it is seen: New
	Forget             // make it as if it had never been seen: Seen
)

// Ask is a question about a key, or an order.
type Ask struct {
	Key  Key
	Host Key    // the keyed fingerprint of the host that the key belongs to, for ForgetHost; zero: none
	Time uint32 // of a Claim, Note or Force, in seconds since 1970; 0 is taken as 1
	Verb Verb
}

// timedSet decides about keys that have times. What it is asked in an order, it decides in that order, whatever of it
// has to wait for a merge.
type timedSet struct {
	spiller
	ttl     uint64 // seconds; 0: for ever
	hosts   map[Key]uint32
	zero    uint32 // when the zero key was emitted, which is in no table
	emitted int64  // answers New
	fault   error  // of a resolve in the middle of a question

	later     [shards][]laterAsk
	laterMost int // of one shard

	// log is told of every change of a key: it was emitted at time, or forgotten (0). nil: of none.
	log func(k *Key, time uint32)
}

// question is an Ask without its key.
type question struct {
	time  uint32
	least uint32 // emissions before it don't count, for they are forgotten with their host or all others
	verb  Verb
}

// laterAsk waits for what the runs say of its key.
type laterAsk struct {
	key    Key
	number uint64 // of the answer, of a Claim
	question
}

// init makes an empty set whose tables may use so much memory.
func (s *timedSet) init(files runFiles, memory int64) {
	s.mem.max, s.timed, s.files, s.decide = memory, true, files, s.decideTimes
	s.hosts = map[Key]uint32{}
	const ofMemory, each = 16, 48 // a 16th of it for what waits, of which one takes 48 bytes
	s.laterMost = int(max(8, memory/ofMemory/shards/each))
	for i := range s.mem.tables {
		s.mem.tables[i] = table{tagged: true, timed: true}
	}
}

// base is the least time that counts for a key whose host wasn't forgotten.
func (s *timedSet) base() uint32 { return max(s.floor, 1) }

// leastOf is the least time that counts for a key of that host.
func (s *timedSet) leastOf(host *Key) uint32 {
	if len(s.hosts) == 0 || *host == (Key{}) {
		return s.base()
	}
	if at, ok := s.hosts[*host]; ok {
		return max(s.base(), at+1) // at is less than the greatest number
	}
	return s.base()
}

// seen says whether a claim finds a key seen that was emitted last at time, 0 for never.
func (s *timedSet) seen(time uint32, q *question) bool {
	return time != 0 && time >= q.least && (s.ttl == 0 || uint64(q.time) < uint64(time)+s.ttl)
}

// immediate is the answer to what isn't a Claim.
func (q *question) immediate() Verdict {
	if q.verb == Force {
		return New
	}
	return Seen
}

// ask decides about one key, for which there must be room.
func (s *timedSet) ask(k *Key, home uint64, q question) Verdict {
	if *k == (Key{}) {
		return s.askZero(q)
	}
	shard := int(shardOf(k))
	t := &s.mem.tables[shard]
	slot, found := t.find(k, home)
	if !found {
		return s.askAbsent(shard, k, slot, q)
	}
	switch tag := t.tags[slot]; {
	case waits(tag):
		// If that claim comes out as New, the key has its time, else a later one less ttl: either way, an earlier
		// claim of the same host finds it seen.
		if q.verb == Claim && q.least == s.base() && (s.ttl == 0 || q.time <= t.times[slot]) {
			return Seen
		}
		// It goes before the others of its key.
		s.later[shard] = append(s.later[shard], laterAsk{*k, s.answers.numberOf(tag), question{t.times[slot], s.base(), Claim}})
		t.tags[slot], t.times[slot] = tagAsked, 0
		return s.postpone(shard, k, q)
	case tag == tagAsked:
		return s.postpone(shard, k, q)
	case tag == tagPartial:
		return s.askPartial(shard, slot, q)
	}
	return s.decideAt(t, slot, q)
}

func (s *timedSet) askZero(q question) Verdict {
	switch {
	case q.verb == Forget:
		s.zero = 0
	case q.verb == Claim && s.seen(s.zero, &q):
	default:
		s.zero = max(s.zero, q.time, q.least)
		if q.verb != Note {
			s.emitted++
			return New
		}
	}
	return Seen
}

// askAbsent decides about a key that isn't in memory and would have its place at slot.
func (s *timedSet) askAbsent(shard int, k *Key, slot uint64, q question) Verdict {
	t := &s.mem.tables[shard]
	if !s.mayBeSpilled(shard, k) {
		if q.verb == Forget {
			return Seen
		}
		return s.decideAt(t, s.insert(t, k, slot), q)
	}
	switch q.verb {
	case Claim:
		if s.lately.has(k) && s.seen(s.lately.timeOf(k), &q) {
			return Seen
		}
		slot = s.insert(t, k, slot)
		if q.least != s.base() {
			t.tags[slot] = tagAsked
			return s.postpone(shard, k, q)
		}
		t.tags[slot], t.times[slot] = tagOf(s.answers.add()), q.time
		s.pending[shard]++
		return Pending
	case Forget:
		slot = s.insert(t, k, slot)
		s.forget(t, slot)
	default:
		slot = s.insert(t, k, slot)
		t.tags[slot] = tagPartial
		s.put(t, slot, max(q.time, q.least))
	}
	return s.answered(q)
}

// askPartial decides about a key that was put without a look at what the runs say of it.
func (s *timedSet) askPartial(shard int, slot uint64, q question) Verdict {
	t := &s.mem.tables[shard]
	switch q.verb {
	case Claim:
		if s.seen(t.times[slot], &q) { // the runs could only make it later
			return Seen
		}
		t.tags[slot] = tagAsked
		return s.postpone(shard, &t.slots[slot], q)
	case Forget:
		s.forget(t, slot)
	default:
		s.put(t, slot, max(q.time, q.least))
	}
	return s.answered(q)
}

// answered gives, and counts, the answer to what isn't a Claim.
func (s *timedSet) answered(q question) Verdict {
	if q.verb == Force {
		s.emitted++
	}
	return q.immediate()
}

// postpone keeps a question until what the runs say of its key is known.
func (s *timedSet) postpone(shard int, k *Key, q question) Verdict {
	a, v := laterAsk{key: *k, question: q}, q.immediate()
	if q.verb == Claim {
		a.number, v = s.answers.add(), Pending
	}
	s.pending[shard]++
	s.later[shard] = append(s.later[shard], a)
	if len(s.later[shard]) >= s.laterMost && s.fault == nil {
		s.fault = s.resolve(shard)
	}
	return v
}

// decideAt decides about a key in memory of which all is known.
func (s *timedSet) decideAt(t *table, slot uint64, q question) Verdict {
	switch {
	case q.verb == Forget:
		if t.times[slot] != 0 {
			s.forget(t, slot)
		}
		return Seen
	case q.verb == Claim && s.seen(t.times[slot], &q):
		s.noteLately(t, slot)
		return Seen
	}
	s.put(t, slot, max(q.time, q.least))
	if q.verb == Note {
		return Seen
	}
	s.emitted++
	return New
}

// put makes a key as late as time, if it isn't yet.
func (s *timedSet) put(t *table, slot uint64, time uint32) {
	if time <= t.times[slot] {
		return
	}
	switch t.tags[slot] {
	case tagStored:
		t.tags[slot] = tagNew
	case tagForgotten:
		t.tags[slot] = tagOver
	}
	t.times[slot] = time
	if s.log != nil {
		s.log(&t.slots[slot], time)
	}
}

func (s *timedSet) forget(t *table, slot uint64) {
	t.tags[slot], t.times[slot] = tagForgotten, 0
	s.lately.forget(&t.slots[slot])
	if s.log != nil {
		s.log(&t.slots[slot], 0)
	}
}

// noteLately remembers a key that was seen again after its shard was spilled.
func (s *timedSet) noteLately(t *table, slot uint64) {
	if k := &t.slots[slot]; s.spilled[shardOf(k)] {
		s.lately.make(s.mem.max, true)
		s.lately.note(k, t.times[slot])
	}
}

// decideTimes is decide: now all is known of the keys that were asked, and first of all what was asked of
// them is decided in its order.
func (s *timedSet) decideTimes(shard int) {
	t := &s.mem.tables[shard]
	for i, slot := range s.askedAt {
		tag, before, known := t.tags[slot], t.times[slot], s.found[i].time
		if !waits(tag) && before > known {
			t.tags[slot] = tagNew // put after all that the runs say
			continue
		}
		t.tags[slot], t.times[slot] = tagStored, known
		if waits(tag) {
			q := question{time: before, least: s.base(), verb: Claim}
			s.answer(s.answers.numberOf(tag), s.decideAt(t, uint64(slot), q))
		}
	}
	for i := range s.later[shard] {
		a := &s.later[shard][i]
		slot, _ := t.find(&a.key, t.homeOf(&a.key))
		v := s.decideAt(t, slot, a.question)
		if a.verb == Claim {
			s.answer(a.number, v)
		}
	}
	s.later[shard] = s.later[shard][:0]
}

func (s *timedSet) answer(number uint64, v Verdict) {
	if v == New {
		s.answers.set(number, isNew)
	} else {
		s.answers.set(number, isSeen)
	}
}

// forgetHost makes what was emitted of a host up to a time as if it had never been. What waits was asked before, and keeps
// the least time of then.
func (s *timedSet) forgetHost(host Key, at uint32) {
	if at = min(at, math.MaxUint32-1); at >= s.floor {
		s.hosts[host] = max(s.hosts[host], at)
	}
}

// forgetBefore makes what was emitted before a time as if it had never been.
func (s *timedSet) forgetBefore(at uint32) error {
	if err := s.Settle(); err != nil { // what waits is decided by the floor of now
		return err
	}
	s.floor = max(s.floor, at)
	for host, t := range s.hosts {
		if t < s.floor {
			delete(s.hosts, host)
		}
	}
	return nil
}

// each gives every key that is seen, ascending, none of them in doubt. told says whether the error is f's.
func (s *timedSet) each(f func(k Key, time uint32) error) (told bool, err error) {
	if s.zero >= s.base() {
		if err := f(Key{}, s.zero); err != nil {
			return true, err
		}
	}
	for shard := range s.mem.tables {
		m, err := s.mergeOf(shard, s.runsOf(shard, nil))
		if err != nil {
			return false, err
		}
		for {
			ok, err := m.next()
			if err != nil {
				return false, err
			}
			if !ok {
				break
			}
			if m.entry.time < s.base() {
				continue
			}
			if err := f(m.key, m.entry.time); err != nil {
				return true, err
			}
		}
	}
	return false, nil
}

// load fills the set with what an image says. It tells log of nothing.
func (s *timedSet) load(m *stateImage) error {
	s.runs = m.runs
	for _, r := range s.runs {
		for shard := range r.sections {
			s.spilled[shard] = s.spilled[shard] || r.sections[shard].keys > 0
		}
		if s.filter != nil {
			if err := s.filter.addRun(r, s.reader(0)); err != nil {
				return err
			}
		}
	}
	s.floor, s.zero, s.emitted = m.commit.floor, m.commit.zero, int64(m.commit.emitted)
	return m.replay(s.change, s.forgetHost)
}

// change applies changes: a key was emitted at a time, or forgotten (0).
func (s *timedSet) change(keys []Key, times []uint32) error {
	for len(keys) > 0 {
		n := min(len(keys), claimKeys)
		if err := s.makeRoom(keys[:n]); err != nil {
			return err
		}
		for i := range keys[:n] {
			q := question{time: times[i], least: 1, verb: Note}
			if q.time == 0 {
				q.verb = Forget
			}
			s.ask(&keys[i], s.mem.tables[shardOf(&keys[i])].homeOf(&keys[i]), q)
		}
		keys, times = keys[n:], times[n:]
	}
	return nil
}
