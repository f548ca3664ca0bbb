package dedup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/urisieve/urisieve/internal/fsys"
)

// RepairReport is what Repair did.
type RepairReport struct {
	Damage []*DamageError // what was found
	// Dropped is the number of keys that are lost, at most. They are new when they come again.
	Dropped int64
	Aside   []string // names that the damaged files have now
}

// Repair makes a state whole again: it keeps all that can be read, in new files, and gives the damaged ones another name,
// "damaged-" before it. Of the options it needs the directory; for a header that can't be read also the settings, and for a
// secret that can't be read the secret. It does nothing to a state without damage.
func Repair(o StateOptions) (_ RepairReport, err error) {
	if o.FS == nil {
		o.FS = fsys.OS{}
	}
	lock, err := lockState(o.FS, o.Dir)
	if err != nil {
		return RepairReport{}, stateError(o.Dir, err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	v, err := newSurvey(o.FS, o.Dir)
	if err != nil {
		return RepairReport{}, stateError(o.Dir, err)
	}
	defer v.close()
	r := repair{survey: v, o: &o}
	if err := r.do(); err != nil {
		return RepairReport{}, fmt.Errorf("repair of state %s: %w", o.Dir, err)
	}
	return RepairReport{v.damage, v.lost, r.aside}, nil
}

// repair writes what can be read of a state: to a new journal, which ends in a commit, and to a run in the place of each
// that is damaged. Once they are durable, that commit is the last one, so that a crash leaves the damaged state or the whole
// one.
type repair struct {
	*survey
	o       *StateOptions
	damaged map[uint32]bool // runs
	journal *journal
	writer  *runWriter // of the run that is read
	shard   int        // of writer
	made    []string   // new files
	aside   []string
}

func (r *repair) do() error {
	if r.at.end == 0 {
		return errors.New("no commit can be read, neither in a journal nor in the mark: nothing tells what is a part of it. Put a copy in its place")
	}
	if err := r.repairHeader(); err != nil {
		return err
	}
	// The first pass only looks for damage: without it, nothing is to be written.
	if err := r.look(); err != nil || len(r.damage) == 0 {
		return err
	}
	found := r.damage
	r.lost = 0
	end, c, err := r.rewrite()
	if err != nil {
		return errors.Join(err, r.undo())
	}
	r.damage = found
	if err := r.rewriteFile(markFile, encodeMark(end, c.encode(), r.header.KeyID)); err != nil {
		return err
	}
	return r.putAside()
}

// look finds all damage.
func (r *repair) look() error {
	if err := r.replay(func(byte, []byte) error { return nil }); err != nil {
		return err
	}
	r.damaged = map[uint32]bool{}
	for _, id := range r.commit.runs {
		whole, err := r.run(id, func(Key, entry) error { return nil })
		if err != nil {
			return err
		}
		r.damaged[id.number] = !whole
	}
	return nil
}

// rewrite writes the new files, which end in a commit.
func (r *repair) rewrite() (end place, c commit, err error) {
	number := r.at.journal + 1
	for _, j := range r.journals {
		number = max(number, j.number+1)
	}
	r.journal = &journal{files: r.files, dir: r.dir, keyID: r.header.KeyID}
	if err := r.journal.begin(number); err != nil {
		return end, c, err
	}
	r.made = append(r.made, r.path(journalName(number)))
	if err := r.replay(r.copyRecord); err != nil {
		return end, c, err
	}
	if err := r.setNextRun(); err != nil {
		return end, c, err
	}
	c = r.commit
	c.number++
	c.runs, c.journals = nil, nil
	for _, id := range r.commit.runs {
		if r.damaged[id.number] {
			if id, err = r.rewriteRun(id); err != nil {
				return end, c, err
			}
		}
		c.runs = append(c.runs, id)
	}
	c.nextRun = r.commit.nextRun
	if err := r.journal.sync(r.journal.live); err != nil {
		return end, c, err
	}
	if err := r.files.SyncDir(r.dir); err != nil {
		return end, c, err
	}
	end.journal = number
	if end.end, err = r.journal.commit(c.encode()); err != nil {
		return end, c, err
	}
	return end, c, r.journal.close()
}

// undo removes new files, as far as it can: there is no commit in them, or it isn't durable.
func (r *repair) undo() error {
	var faults []error
	if r.journal != nil {
		_ = r.journal.close() // it is of no use any more
	}
	if r.writer != nil {
		_ = r.writer.run.file.Close()
	}
	for _, name := range slices.Backward(r.made) {
		faults = append(faults, r.files.Remove(name))
	}
	return errors.Join(faults...)
}

// repairHeader makes the header and the secret right.
func (r *repair) repairHeader() error {
	if r.header.KeyID == "" {
		return errors.New("neither its header nor any journal can be read: nothing tells which state it is. Put a copy in its place")
	}
	if r.o.Secret != nil {
		if err := r.header.checkSecret(*r.o.Secret); err != nil {
			return err
		}
	}
	if r.secretDamage {
		if r.o.Secret == nil {
			return fmt.Errorf("its secret can't be read, and without it no key can be compared: give the one with the key id %s", r.header.KeyID)
		}
		if err := r.replaceFile(secretFile, secretText(*r.o.Secret)); err != nil {
			return err
		}
	}
	if !r.headerDamage {
		return r.header.checkSettings(r.o.SettingsID)
	}
	if r.o.SettingsID == "" {
		return errors.New("its header can't be read: give the id of the settings that it was made under")
	}
	h := stateHeader{Format: stateFormat, SettingsID: r.o.SettingsID, Hash: stateHash, KeyID: r.header.KeyID, Created: r.o.Created}
	if h.Created.IsZero() {
		h.Created = time.Now()
	}
	h.Created = h.Created.UTC().Truncate(time.Second)
	text, err := h.encode()
	if err != nil {
		return err
	}
	return r.replaceFile(headerFile, text)
}

// replaceFile puts a file in the place of one that is damaged, in one step, and a copy of that aside.
func (r *repair) replaceFile(name string, text []byte) error {
	old, err := r.files.OpenFile(r.path(name), os.O_RDONLY, 0)
	if err == nil {
		defer old.Close()
		aside := r.asideName(name)
		if err := copyFile(r.files, r.path(aside), old, mostSum); err != nil {
			return err
		}
		r.aside = append(r.aside, aside)
	}
	return r.rewriteFile(name, text)
}

// rewriteFile writes a file in one step.
func (r *repair) rewriteFile(name string, text []byte) error {
	temp := r.path(headerTemp)
	if err := r.files.RemoveAll(temp); err != nil {
		return err
	}
	if err := writeSynced(r.files, temp, text); err != nil {
		return err
	}
	if err := r.files.Rename(temp, r.path(name)); err != nil {
		return err
	}
	return r.files.SyncDir(r.dir)
}

// setAside gives a damaged file another name, by which no state knows it.
func (r *repair) setAside(name string) error {
	aside := r.asideName(name)
	if err := r.files.Rename(r.path(name), r.path(aside)); err != nil {
		return err
	}
	r.aside = append(r.aside, aside)
	return nil
}

// asideName is a name for a damaged file that isn't taken.
func (r *repair) asideName(name string) string {
	aside := "damaged-" + name
	for n := 2; ; n++ {
		if _, err := r.files.Stat(r.path(aside)); err != nil {
			return aside
		}
		aside = fmt.Sprintf("damaged-%d-%s", n, name)
	}
}

// putAside renames what is damaged: only now the state doesn't need it.
func (r *repair) putAside() error {
	var names []string
	for _, d := range r.damage {
		name := filepath.Base(d.File)
		_, isJournal := numberIn(name, journalPrefix)
		_, isRun := numberIn(name, runPrefix)
		if !isJournal && !isRun || slices.Contains(names, name) {
			continue
		}
		names = append(names, name)
		if _, err := r.files.Stat(d.File); err != nil {
			continue // it is missing: that is its damage
		}
		if err := r.setAside(name); err != nil {
			return err
		}
	}
	return r.files.SyncDir(r.dir)
}

// copyRecord keeps a record but for commits.
func (r *repair) copyRecord(kind byte, payload []byte) error {
	if kind == recordCommit {
		return nil
	}
	at := r.journal.beginRecord(kind)
	r.journal.buf = append(r.journal.buf, payload...)
	r.journal.endRecord(at)
	return r.journal.fault
}

// setNextRun makes sure that new runs get names that no file has.
func (r *repair) setNextRun() error {
	numbers, err := numbered(r.files, r.dir, runPrefix)
	if err != nil {
		return err
	}
	for _, n := range numbers {
		r.commit.nextRun = max(r.commit.nextRun, n+1)
	}
	return nil
}

// rewriteRun writes what can be read of a run to a new one.
func (r *repair) rewriteRun(id runID) (runID, error) {
	name := r.path(runName(r.commit.nextRun))
	f, err := r.files.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return id, err
	}
	r.made = append(r.made, name)
	if r.writer, err = beginRunFile(f, r.commit.nextRun, int(id.level), r.header.KeyID); err != nil {
		return id, err
	}
	r.commit.nextRun++
	r.shard = 0
	r.writer.begin(0)
	if _, err := r.run(id, r.addKey); err != nil {
		return id, err
	}
	if err := r.toShard(shards - 1); err != nil {
		return id, err
	}
	if err := r.writer.end(); err != nil {
		return id, err
	}
	if err := endRunFile(r.writer); err != nil {
		return id, err
	}
	if err := f.Sync(); err != nil {
		return id, err
	}
	id = r.writer.run.id()
	r.writer = nil
	return id, f.Close()
}

func (r *repair) addKey(k Key, e entry) error {
	if err := r.toShard(int(shardOf(&k))); err != nil {
		return err
	}
	return r.writer.add(k, e)
}

// toShard ends the sections before a shard's.
func (r *repair) toShard(shard int) error {
	for ; r.shard < shard; r.shard++ {
		if err := r.writer.end(); err != nil {
			return err
		}
		r.writer.begin(r.shard + 1)
	}
	return nil
}
