package dedup

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// SetTime says when what is claimed from now on is emitted, in seconds since 1970; 0 is taken as 1, which it is at first.
func (s *State) SetTime(now uint32) { s.now = max(now, 1) }

// Claim implements Set. The time of the claims is SetTime's.
func (s *State) Claim(keys []Key, verdicts []Verdict) error {
	if s.failed != nil {
		return s.failed
	}
	q := question{time: s.now, least: s.base(), verb: Claim}
	var at [group]uint64
	for len(keys) > 0 {
		n := min(len(keys), claimKeys)
		if err := s.makeRoom(keys[:n]); err != nil {
			return s.fail(err)
		}
		for from := 0; from < n; from += group {
			to := min(from+group, n)
			s.homes(keys[from:to], &at)
			for i := from; i < to; i++ {
				verdicts[i] = s.ask(&keys[i], at[i-from], q)
			}
		}
		keys, verdicts = keys[n:], verdicts[n:]
	}
	return s.fail(s.fault)
}

// Ask decides asks[i] into verdicts[i], in order. It is Claim for what needs more than a key.
func (s *State) Ask(asks []Ask, verdicts []Verdict) error {
	if s.failed != nil {
		return s.failed
	}
	var keys [claimKeys]Key
	var at [group]uint64
	for len(asks) > 0 {
		n := min(len(asks), claimKeys)
		for i := range asks[:n] {
			keys[i] = asks[i].Key
		}
		if err := s.makeRoom(keys[:n]); err != nil {
			return s.fail(err)
		}
		for from := 0; from < n; from += group {
			to := min(from+group, n)
			s.homes(keys[from:to], &at)
			for i := from; i < to; i++ {
				a := &asks[i]
				verdicts[i] = s.ask(&keys[i], at[i-from], question{max(a.Time, 1), s.leastOf(&a.Host), a.Verb})
			}
		}
		asks, verdicts = asks[n:], verdicts[n:]
	}
	return s.fail(s.fault)
}

// ForgetHost makes keys of a host that were emitted at or before a time new again, if Ask names the host with them. The host
// is a keyed fingerprint, not zero.
func (s *State) ForgetHost(host Key, at uint32) error {
	if s.failed != nil {
		return s.failed
	}
	s.forgetHost(host, at)
	if until, ok := s.hosts[host]; ok {
		s.journal.hosts(map[Key]uint32{host: until})
	}
	return nil
}

// ForgetBefore makes keys that were emitted before a time new again.
func (s *State) ForgetBefore(at uint32) error {
	if s.failed != nil {
		return s.failed
	}
	return s.fail(s.forgetBefore(at))
}

// Import notes keys, each at its time.
func (s *State) Import(keys []Key, times []uint32) error {
	var asks [claimKeys]Ask
	var verdicts [claimKeys]Verdict
	for len(keys) > 0 {
		n := min(len(keys), claimKeys)
		for i := range keys[:n] {
			asks[i] = Ask{Key: keys[i], Time: times[i], Verb: Note}
		}
		if err := s.Ask(asks[:n], verdicts[:n]); err != nil {
			return err
		}
		keys, times = keys[n:], times[n:]
	}
	return nil
}

// Each gives every key, ascending, with the time of its last emission, also one that was forgotten with its host, which
// a key doesn't tell. f must not call the state. It stops at the first error.
func (s *State) Each(f func(k Key, time uint32) error) error {
	if err := s.Settle(); err != nil {
		return err
	}
	told, err := s.each(f)
	if told {
		return err
	}
	return s.fail(err)
}

// Settle implements DeferringSet.
func (s *State) Settle() error {
	if s.failed != nil {
		return s.failed
	}
	return s.fail(s.timedSet.Settle())
}

// SetProgress gives bytes of the caller that belong to what was claimed so far: they are kept with the next Sync.
func (s *State) SetProgress(blob []byte) error {
	if len(blob) > MaxProgress {
		return fmt.Errorf("state %s: %d bytes of progress, no more than %d can be kept: sync more often", s.dir, len(blob), MaxProgress)
	}
	s.progress = slices.Clone(blob)
	return nil
}

// Progress gives the bytes that were kept with the last Sync; nil if there were none.
func (s *State) Progress() []byte { return slices.Clone(s.committed.progress) }

// Secret is the one that keys are to be made with.
func (s *State) Secret() Secret { return s.secret }

// Created is when the state was made.
func (s *State) Created() time.Time { return s.header.Created }

// StateStats are the counts of a State.
type StateStats struct {
	SpillStats
	KeysInMemory int64
	Emitted      int64 // answers New since the state was made
	Commits      int64 // likewise
	Journals     int   // that are in use
	JournalBytes int64
	Hosts        int // that were forgotten
}

// Stats are the counts so far, of all that was claimed; zeros of a state that is closed.
func (s *State) Stats() StateStats {
	if s.journal == nil {
		return StateStats{}
	}
	return StateStats{
		SpillStats: s.spillStats(), KeysInMemory: s.mem.Len(), Emitted: s.emitted, Commits: int64(s.committed.number),
		Journals: len(s.journal.live), JournalBytes: s.journal.bytes(), Hosts: len(s.hosts),
	}
}

// fail keeps an error for all later calls.
func (s *State) fail(err error) error {
	if err != nil && s.failed == nil {
		s.failed = stateError(s.dir, err)
	}
	return s.failed
}

// Sync implements Set. All Pending answers must have been taken before it; else its error changes nothing.
func (s *State) Sync() error {
	switch n := s.answers.next - s.answers.taken; {
	case s.failed != nil:
		return s.failed
	case n > 0:
		return fmt.Errorf("state %s: %d Pending answers weren't taken: settle and take them before a sync", s.dir, n)
	case !s.changed():
		return nil
	}
	return s.fail(s.sync())
}

// changed says whether there is something to commit.
func (s *State) changed() bool {
	last := s.journal.last()
	return len(s.journal.keys) > 0 || last.number != s.at.journal || last.size != s.at.end ||
		s.floor != s.committed.floor || s.zero != s.committed.zero || uint64(s.emitted) != s.committed.emitted ||
		!bytes.Equal(s.progress, s.committed.progress)
}

func (s *State) sync() error {
	if err := s.shortenJournal(); err != nil {
		return err
	}
	// All that the commit speaks of is durable before the commit is written.
	if err := s.journal.syncEarlier(); err != nil {
		return err
	}
	for _, r := range s.runs {
		if r.state.synced {
			continue
		}
		if err := r.file.Sync(); err != nil {
			return err
		}
		r.state.synced = true
	}
	if s.unnamed {
		if err := s.files.SyncDir(s.dir); err != nil {
			return err
		}
		s.unnamed = false
	}
	c := s.nextCommit()
	payload := c.encode()
	end, err := s.journal.commit(payload)
	if err != nil {
		return err
	}
	s.committed, s.at = c, place{s.journal.last().number, end}
	if err := s.writeMark(payload); err != nil {
		return err
	}
	for _, f := range s.retired {
		s.discard(f)
	}
	s.retired = s.retired[:0]
	return nil
}

func (s *State) nextCommit() commit {
	c := commit{number: s.committed.number + 1, emitted: uint64(s.emitted), floor: s.floor, zero: s.zero, progress: s.progress, nextRun: s.nextRun}
	for _, r := range s.runs {
		c.runs = append(c.runs, r.id())
	}
	for _, j := range s.journal.live[:len(s.journal.live)-1] {
		c.journals = append(c.journals, journalID{j.number, j.size})
	}
	return c
}

// writeMark says that the last commit is durable.
func (s *State) writeMark(payload []byte) error {
	if _, err := s.mark.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := s.mark.Write(encodeMark(s.at, payload, s.header.KeyID))
	return err
}

// discard closes and removes a file that nothing needs any more. One that stays is removed when the state is opened again.
func (s *State) discard(f retiredFile) {
	_ = f.file.Close()
	_ = s.files.Remove(f.name)
}

// retire removes a file that the next commit won't name: after that commit, if the last one names it.
func (s *State) retire(f retiredFile, named bool) {
	if named {
		s.retired = append(s.retired, f)
		return
	}
	s.discard(f)
}

// beginJournal begins the next journal.
func (s *State) beginJournal() error {
	if err := s.journal.begin(s.journal.last().number + 1); err != nil {
		return err
	}
	s.unnamed = true
	s.journal.hosts(s.hosts)
	return nil
}

// retireJournals removes the journals before one with that number.
func (s *State) retireJournals(first uint32) {
	for _, j := range s.journal.retire(first) {
		s.retire(retiredFile{j.file, j.file.Name()}, j.number <= s.at.journal)
	}
}

// create implements runFiles: it begins a cycle. What is claimed from here on is in a journal of its own, so that those before it
// can go when the run is finished.
func (s *State) create(level int) (*runWriter, error) {
	s.cycleJournal = s.journal.live[0].number
	if s.log != nil { // while the journals are read, they are needed as long as what is read of them isn't in a run
		if err := s.beginJournal(); err != nil {
			return nil, err
		}
		s.cycleJournal = s.journal.last().number
	}
	number := s.nextRun
	s.nextRun++
	file, err := s.files.OpenFile(filepath.Join(s.dir, runName(number)), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("spill keys: %w", err)
	}
	s.unnamed = true
	return beginRunFile(file, number, level, s.header.KeyID)
}

// finish implements runFiles.
func (s *State) finish(w *runWriter) error {
	if err := endRunFile(w); err != nil {
		return err
	}
	s.retireJournals(s.cycleJournal)
	return nil
}

// drop implements runFiles.
func (s *State) drop(r *run) error {
	named := slices.ContainsFunc(s.committed.runs, func(id runID) bool { return id.number == r.state.number })
	s.retire(retiredFile{r.file, r.file.Name()}, named)
	return nil
}

// shortenJournal sees to it that the journals aren't many times as long as what they are needed for, as those become in
// which the same keys are forced or forgotten again and again.
func (s *State) shortenJournal() error {
	const perKey = keyBytes + 4
	tooLong := func() bool { return s.journal.bytes() > s.slack+4*perKey*(s.mem.Len()+int64(len(s.hosts))) }
	if !tooLong() {
		return nil
	}
	for s.writer != nil {
		if err := s.spillNext(); err != nil {
			return err
		}
	}
	if !tooLong() {
		return nil
	}
	if err := s.beginJournal(); err != nil {
		return err
	}
	for i := range s.mem.tables {
		s.journalTable(&s.mem.tables[i])
	}
	s.retireJournals(s.journal.last().number)
	return nil
}

// journalTable writes what isn't in runs to the journal.
func (s *State) journalTable(t *table) {
	for i, tag := range t.tags {
		k := &t.slots[i]
		if *k == (Key{}) || tag == tagStored {
			continue
		}
		if tag == tagForgotten || tag == tagOver {
			s.journal.change(k, 0)
		}
		if t.times[i] != 0 {
			s.journal.change(k, t.times[i])
		}
	}
}

// Close gives memory, files and the lock back. What was claimed after the last Sync is lost.
func (s *State) Close() error {
	if s.lock == nil && s.journal == nil {
		return nil
	}
	s.filter.close()
	faults := []error{s.mem.Close()}
	for _, r := range s.runs {
		faults = append(faults, r.file.Close())
	}
	for _, f := range s.retired {
		faults = append(faults, f.file.Close())
	}
	if s.writer != nil {
		s.discard(retiredFile{s.writer.run.file, s.writer.run.file.Name()})
	}
	if s.mark != nil {
		faults = append(faults, s.mark.Sync(), s.mark.Close())
	}
	if s.journal != nil {
		faults = append(faults, s.journal.close())
	}
	if s.lock != nil {
		faults = append(faults, s.lock.Close())
	}
	s.runs, s.retired, s.writer, s.mark, s.journal, s.lock = nil, nil, nil, nil, nil, nil
	s.failed = fmt.Errorf("state %s: it is closed: open it again", s.dir)
	return errors.Join(faults...)
}

var _ DeferringSet = (*State)(nil)
