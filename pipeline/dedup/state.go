package dedup

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/urisieve/urisieve/internal/fsys"
)

// StateOptions say where a State is and what it may use.
type StateOptions struct {
	FS  fsys.FS // nil: that of the machine
	Dir string  // the state's directory; made, with those above it, if there is none
	// SettingsID stands for all that changes the keys of a URI. A state that was made under another one is refused.
	SettingsID string
	// Secret is the one that keys are made with. nil: the state's own, which lies in it.
	Secret *Secret
	// Memory is what the set may use, in bytes. Default 0: DefaultMemory; less than 2 MiB is taken as
	// 2 MiB. Hosts that were forgotten take some 40 bytes each beside it.
	Memory int64
	// TTL is the time after which a key that was emitted is new again, in whole seconds; a part of one counts as
	// one. Default 0: never. It isn't part of the state: each run has its own.
	TTL time.Duration
	// Filter is the memory of a filter: see SpillingOptions. All runs are read for it when the state is opened.
	Filter int64
	// Known are states whose keys count as if they had been noted in this one first, each at its time. They must have the
	// same secret, and stay open as long as this one. Then every key that isn't in memory is Pending, and a Settle
	// reads all of them.
	Known []*ReadState
	// Created is noted in a state that is made. Default: the time of the machine.
	Created time.Time
}

// Validate tells what is wrong with the options.
func (o *StateOptions) Validate() error {
	var faults []error
	if o.Dir == "" {
		faults = append(faults, errors.New("a state needs a directory"))
	}
	if o.SettingsID == "" {
		faults = append(faults, errors.New("a state needs the id of the settings that it is made under"))
	}
	if o.TTL < 0 {
		faults = append(faults, fmt.Errorf("a time of %v after which a key is new again: want 0 or more", o.TTL))
	}
	if o.Memory < 0 || o.Filter < 0 {
		faults = append(faults, fmt.Errorf("%d bytes of memory for a state, %d for its filter: want 0 or more", o.Memory, o.Filter))
	}
	return errors.Join(faults...)
}

const (
	// MaxProgress bounds what SetProgress takes, in bytes.
	MaxProgress = 64 << 20

	mostMark = MaxProgress + 16<<20

	// journalSlack is the length, in bytes, from which journals that repeat themselves are written anew.
	journalSlack = 4 << 20
)

// State is a DeferringSet that lives in a directory: what was claimed before a Sync that returned survives any crash,
// and nothing that was claimed after it does. It keeps with each key when it was emitted last.
//
// It keeps keys as Spilling does, in memory and in runs, and in a journal those that aren't in a run yet. A commit
// is a record of the journal that says which files count. So it costs what was claimed since the last one, and at opening
// the journal is read.
//
// One process at a time may have it open; any number may read it beside (OpenRead). After an error of any call but
// those that say otherwise it must be closed; opening it again finds the last commit.
type State struct {
	timedSet
	files  fsys.FS
	dir    string
	lock   io.Closer
	header stateHeader
	secret Secret
	now    uint32

	journal      *journal
	cycleJournal uint32 // the one that began with the cycle: it has all that the run won't have
	nextRun      uint32
	mark         fsys.File
	slack        int64

	committed commit
	at        place  // of committed
	progress  []byte // of the next commit
	unnamed   bool   // files were made whose names may not be durable
	retired   []retiredFile
	failed    error
}

// retiredFile is one that the last commit names and the next one won't.
type retiredFile struct {
	file fsys.File
	name string
}

// OpenState opens a state, or makes one if the directory is empty or isn't there. What a crash left
// of claims after the last commit is removed.
func OpenState(o StateOptions) (*State, error) {
	return openState(o, memoryFor(o.Memory), journalSlack)
}

func openState(o StateOptions, memory, slack int64) (_ *State, err error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if o.FS == nil {
		o.FS = fsys.OS{}
	}
	s := &State{files: o.FS, dir: o.Dir, slack: slack, now: 1}
	defer func() {
		if err != nil {
			_ = s.Close() // what it holds is of no use
		}
	}()
	if err := makeDirs(o.FS, o.Dir); err != nil {
		return nil, stateError(o.Dir, err)
	}
	if s.lock, err = lockState(o.FS, o.Dir); err != nil {
		return nil, stateError(o.Dir, err)
	}
	if err := s.makeIfNone(&o); err != nil {
		return nil, stateError(o.Dir, err)
	}
	if s.header, s.secret, err = openHeader(&o); err != nil {
		return nil, stateError(o.Dir, err)
	}
	s.init(s, memory)
	s.ttl = uint64((o.TTL + time.Second - 1) / time.Second)
	if err := checkKnown(&s.header, o.Known); err != nil {
		return nil, stateError(o.Dir, err)
	}
	if s.filter, err = newFilter(o.Filter); err != nil {
		return nil, stateError(o.Dir, err)
	}
	s.know(o.Known)
	if err := s.recover(); err != nil {
		return nil, stateError(o.Dir, err)
	}
	for _, k := range o.Known {
		s.zero = max(s.zero, k.zeroTime())
	}
	return s, nil
}

// lockState takes the lock of a state.
func lockState(files fsys.FS, dir string) (io.Closer, error) {
	lock, err := files.Lock(filepath.Join(dir, lockFile))
	if errors.Is(err, fsys.ErrLocked) {
		return nil, fmt.Errorf("it is in use: wait for the process that holds its lock, or take another state: %w", err)
	}
	return lock, err
}

// stateError says which state it is, and what to do about damage.
func stateError(dir string, err error) error {
	if errors.Is(err, ErrCorrupt) {
		return fmt.Errorf("state %s: %w: verify it for all that is damaged, then repair it or put a copy in its place", dir, err)
	}
	return fmt.Errorf("state %s: %w", dir, err)
}

// makeDirs makes a directory and those above it, durably.
func makeDirs(files fsys.FS, dir string) error {
	var above []string // of directories to be made
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		if _, err := files.Stat(at); err == nil || !errors.Is(err, fs.ErrNotExist) {
			break
		}
		above = append(above, filepath.Dir(at))
		if at == filepath.Dir(at) {
			break
		}
	}
	if err := files.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	for _, d := range slices.Backward(above) {
		if err := files.SyncDir(d); err != nil {
			return err
		}
	}
	return nil
}

// openHeader reads the header and finds the secret.
func openHeader(o *StateOptions) (stateHeader, Secret, error) {
	h, err := readHeader(o.FS, o.Dir)
	if err != nil {
		return h, Secret{}, err
	}
	if err := h.checkSettings(o.SettingsID); err != nil {
		return h, Secret{}, err
	}
	if o.Secret != nil {
		return h, *o.Secret, h.checkSecret(*o.Secret)
	}
	secret, err := h.ownSecret(o.FS, o.Dir)
	return h, secret, err
}

// recover reads the last commit and removes what came after it.
func (s *State) recover() error {
	image, err := openImage(s.files, s.dir, s.header, os.O_RDWR)
	if err != nil {
		return missingIsDamage(err)
	}
	s.journal = &journal{files: s.files, dir: s.dir, keyID: s.header.KeyID, live: image.journals}
	s.runs = image.runs
	s.committed, s.at, s.progress = image.commit, image.end, image.commit.progress
	if s.mark, err = s.files.OpenFile(filepath.Join(s.dir, markFile), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return err
	}
	if err := s.tidy(); err != nil {
		return err
	}
	if err := s.writeMark(s.committed.encode()); err != nil {
		return err
	}
	s.nextRun = image.commit.nextRun
	if err := s.load(image); err != nil {
		return err
	}
	s.log = s.journal.change
	return nil
}

// missingIsDamage makes an error of a file that isn't there one that tells of damage.
func missingIsDamage(err error) error {
	var missing *fs.PathError
	if errors.Is(err, fs.ErrNotExist) && errors.As(err, &missing) {
		return &DamageError{missing.Path, 0, "the file is missing"}
	}
	return err
}

// tidy cuts the last journal after the commit, and removes the files that the commit doesn't name.
func (s *State) tidy() error {
	f := s.journal.last()
	if err := f.file.Truncate(f.size); err != nil {
		return err
	}
	if err := f.file.Sync(); err != nil {
		return err
	}
	if _, err := f.file.Seek(f.size, io.SeekStart); err != nil {
		return err
	}
	keep := map[string]bool{}
	for _, j := range s.journal.live {
		keep[journalName(j.number)] = true
	}
	for _, r := range s.runs {
		keep[runName(r.state.number)] = true
	}
	return removeOthers(s.files, s.dir, keep)
}

// removeOthers removes journals and runs that aren't to be kept.
func removeOthers(files fsys.FS, dir string, keep map[string]bool) error {
	entries, err := files.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		_, isJournal := numberIn(e.Name(), journalPrefix)
		_, isRun := numberIn(e.Name(), runPrefix)
		if (isJournal || isRun) && !keep[e.Name()] {
			if err := files.Remove(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
