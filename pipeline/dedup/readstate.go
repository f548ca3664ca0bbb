package dedup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/urisieve/urisieve/internal/fsys"
)

// ReadOptions say which State is to be read, and what that may use.
type ReadOptions struct {
	FS  fsys.FS // nil: that of the machine
	Dir string
	// SettingsID refuses a state that was made under other settings. "": none.
	SettingsID string
	// Secret refuses a state that was made with another one. nil: none.
	Secret *Secret
	// Memory bounds what the keys of the state's journal may take, in bytes; more go to Scratch. Default 0:
	// DefaultMemory; less than 2 MiB is taken as 2 MiB.
	Memory  int64
	Scratch fsys.Scratch
}

// ReadState is the last commit of a State, as it was when it was opened, beside the process that has it open for writing or
// without one. It locks and changes nothing. It must not be used concurrently.
type ReadState struct {
	timedSet
	image  *stateImage
	secret *Secret
	order  []int // of Times
}

// readTries bounds how often the files of a state are looked for anew because the process that writes it has removed
// some: each time, it must have made a commit between two steps.
const readTries = 100

// OpenRead opens the last commit of a state.
func OpenRead(o ReadOptions) (*ReadState, error) {
	if o.FS == nil {
		o.FS = fsys.OS{}
	}
	r := &ReadState{}
	if err := r.open(&o); err != nil {
		return nil, stateError(o.Dir, errors.Join(err, r.Close()))
	}
	return r, nil
}

func (r *ReadState) open(o *ReadOptions) error {
	header, err := readHeader(o.FS, o.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no state, its %s is missing: %w", headerFile, err)
	}
	if err != nil {
		return err
	}
	if err := header.checkSettings(o.SettingsID); err != nil {
		return err
	}
	if r.secret, err = readableSecret(o, &header); err != nil {
		return err
	}
	for range readTries {
		if r.image, err = openImage(o.FS, o.Dir, header, os.O_RDONLY); err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrCorrupt) { // what looks corrupt may be about to be written
			return err
		}
	}
	if err != nil {
		return missingIsDamage(err)
	}
	r.init(scratchRuns{o.Scratch, true}, memoryFor(o.Memory))
	for _, run := range r.image.runs {
		run.level += neverMerged
	}
	return r.load(r.image)
}

// neverMerged is a level that no temporary run comes to.
const neverMerged = 1 << 20

// readableSecret gives the secret of a state, nil if it isn't in it and isn't given.
func readableSecret(o *ReadOptions, header *stateHeader) (*Secret, error) {
	if o.Secret != nil {
		return o.Secret, header.checkSecret(*o.Secret)
	}
	s, err := header.ownSecret(o.FS, o.Dir)
	if errors.Is(err, errNoSecret) {
		return nil, nil
	}
	return &s, err
}

// Secret is the one that the state's keys are made with; false if it wasn't given, and the state hasn't it.
func (r *ReadState) Secret() (Secret, bool) {
	if r.secret == nil {
		return Secret{}, false
	}
	return *r.secret, true
}

// SettingsID is the one that the state was made under.
func (r *ReadState) SettingsID() string { return r.image.header.SettingsID }

// KeyID is the fingerprint of the state's secret that may be shown.
func (r *ReadState) KeyID() string { return r.image.header.KeyID }

// Created is when the state was made.
func (r *ReadState) Created() time.Time { return r.image.header.Created }

// Progress gives the bytes that were kept with the commit.
func (r *ReadState) Progress() []byte { return slices.Clone(r.image.commit.progress) }

// Stats are the counts of the commit.
func (r *ReadState) Stats() StateStats {
	st := StateStats{
		SpillStats: r.spillStats(), KeysInMemory: r.mem.Len(), Emitted: r.emitted, Commits: int64(r.image.commit.number),
		Journals: len(r.image.journals), Hosts: len(r.hosts),
	}
	for _, j := range r.image.journals {
		st.JournalBytes += j.size
	}
	return st
}

// Times gives when each of the keys was emitted last, 0 for never, or not since it was forgotten other than with its
// host. Keys may come in any order; the runs are read from the first of a shard's keys to the last, so many at a time cost
// little more than one.
func (r *ReadState) Times(keys []Key, times []uint32) error {
	r.order = r.order[:0]
	for i := range keys {
		r.order = append(r.order, i)
	}
	slices.SortFunc(r.order, func(i, j int) int { return compareKeys(keys[i], keys[j]) })
	sorted, found := make([]Key, 0, len(keys)), make([]entry, len(keys))
	for _, i := range r.order {
		if n := len(sorted); n == 0 || sorted[n-1] != keys[i] {
			sorted = append(sorted, keys[i])
		}
	}
	for from, to := 0, 0; from < len(sorted); from = to {
		for to = from + 1; to < len(sorted) && shardOf(&sorted[to]) == shardOf(&sorted[from]); {
			to++
		}
		if err := r.addTimes(sorted[from:to], found[from:to]); err != nil {
			return stateError(r.image.dir, err)
		}
	}
	n := 0
	for _, i := range r.order {
		for sorted[n] != keys[i] {
			n++
		}
		times[i] = found[n].time
	}
	return nil
}

// addTimes adds to found what the state says of keys of one shard, which ascend, none twice.
func (r *ReadState) addTimes(keys []Key, found []entry) error {
	if len(keys) == 0 {
		return nil
	}
	shard := int(shardOf(&keys[0]))
	r.asked = keys
	err := r.look(shard)
	r.asked = nil
	if err != nil {
		return err
	}
	t := &r.mem.tables[shard]
	for i := range keys {
		e := r.found[i]
		if keys[i] == (Key{}) {
			e.time = r.zeroTime()
		} else if t.slots != nil {
			if slot, ok := t.find(&keys[i], t.homeOf(&keys[i])); ok {
				e = e.then(t.entryAt(int(slot)))
			}
		}
		if e.time >= r.base() {
			found[i] = found[i].then(entry{time: e.time})
		}
	}
	return nil
}

// mayHave says whether the state may have keys of a shard.
func (r *ReadState) mayHave(shard int) bool { return r.spilled[shard] || r.mem.tables[shard].n > 0 }

// zeroTime is when the zero key was emitted, 0 for never.
func (r *ReadState) zeroTime() uint32 {
	if r.zero < r.base() {
		return 0
	}
	return r.zero
}

// Each gives every key, ascending, with the time of its last emission, also one that was forgotten with its host, which
// a key doesn't tell. f must not call the state. It stops at the first error.
func (r *ReadState) Each(f func(k Key, time uint32) error) error {
	told, err := r.each(f)
	if err == nil || told {
		return err
	}
	return stateError(r.image.dir, err)
}

// Close gives memory and files back.
func (r *ReadState) Close() error {
	faults := []error{r.mem.Close()}
	for _, run := range r.runs {
		if run.state == nil {
			faults = append(faults, run.file.Close())
		}
	}
	if r.writer != nil {
		faults = append(faults, r.writer.run.file.Close())
	}
	if r.image != nil {
		r.image.close()
	}
	r.runs, r.writer = nil, nil
	return errors.Join(faults...)
}

// checkKnown refuses states with another secret.
func checkKnown(header *stateHeader, states []*ReadState) error {
	for _, k := range states {
		if id := k.KeyID(); id != header.KeyID {
			return fmt.Errorf("its secret has the key id %s, that of the state %s %s: only states with the same secret can be compared", header.KeyID, k.image.dir, id)
		}
	}
	return nil
}

// Merge notes the keys of other states in dst, and forgets the hosts that were forgotten in any of them. They must have the same settings and the same
// secret. It doesn't sync.
func Merge(dst *State, from ...*ReadState) error {
	if err := checkKnown(&dst.header, from); err != nil {
		return stateError(dst.dir, err)
	}
	for _, r := range from {
		if err := dst.header.checkSettings(r.SettingsID()); err != nil {
			return fmt.Errorf("merge of state %s: %w", r.image.dir, stateError(dst.dir, err))
		}
	}
	for _, r := range from {
		if err := dst.merge(r); err != nil {
			return err
		}
	}
	return nil
}

func (s *State) merge(r *ReadState) error {
	for _, host := range sortedHosts(r.hosts) {
		if err := s.ForgetHost(host, r.hosts[host]); err != nil {
			return err
		}
	}
	keys, times := make([]Key, 0, claimKeys), make([]uint32, 0, claimKeys)
	err := r.Each(func(k Key, time uint32) error {
		if keys, times = append(keys, k), append(times, time); len(keys) < claimKeys {
			return nil
		}
		err := s.Import(keys, times)
		keys, times = keys[:0], times[:0]
		return err
	})
	if err != nil {
		return err
	}
	return s.Import(keys, times)
}
