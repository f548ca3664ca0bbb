package dedup

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urisieve/urisieve/internal/fsys"
)

// stateImage is the last commit of a state as it is on disk, with all of its files open.
type stateImage struct {
	files    fsys.FS
	dir      string
	header   stateHeader
	commit   commit
	end      place          // of the commit
	journals []*journalFile // up to the commit
	runs     []*run
}

func (m *stateImage) close() {
	for _, j := range m.journals {
		_ = j.file.Close() // opened for reading, or not written to
	}
	for _, r := range m.runs {
		_ = r.file.Close()
	}
}

// openImage opens the last commit. The flag is that of the journals. Nothing is locked: where files went away
// meanwhile, the error wraps fs.ErrNotExist.
func openImage(files fsys.FS, dir string, header stateHeader, flag int) (_ *stateImage, err error) {
	m := &stateImage{files: files, dir: dir, header: header}
	defer func() {
		if err != nil {
			m.close()
		}
	}()
	durable, marked, err := m.readMark() // before the journals, so that it isn't ahead of what is read of them
	if err != nil {
		return nil, err
	}
	if err := m.findCommit(durable.place, marked, flag); err != nil {
		return nil, err
	}
	if err := m.openJournals(flag); err != nil {
		return nil, err
	}
	return m, m.openRuns()
}

// readMark reads the mark; false if it is missing or damaged.
func (m *stateImage) readMark() (found mark, ok bool, err error) {
	text, err := readSmall(m.files, filepath.Join(m.dir, markFile), mostMark)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrCorrupt) {
		return mark{}, false, nil
	}
	if err != nil {
		return mark{}, false, err
	}
	if found, ok = decodeMark(text, m.header.KeyID); !ok {
		return mark{}, false, nil
	}
	return found, true, nil
}

// numbered lists the files of a directory whose names are a prefix and a number: the numbers, ascending.
func numbered(files fsys.FS, dir, prefix string) ([]uint32, error) {
	entries, err := files.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var numbers []uint32
	for _, e := range entries {
		if n, ok := numberIn(e.Name(), prefix); ok {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

// numberIn gives the number of a file whose name is a prefix and a number.
func numberIn(name, prefix string) (uint32, bool) {
	digits, ok := strings.CutPrefix(name, prefix)
	n, err := strconv.ParseUint(digits, 10, 32)
	return uint32(n), ok && err == nil && fmt.Sprintf("%06d", n) == digits
}

const (
	journalPrefix = "journal-"
	runPrefix     = "run-"
)

// findCommit looks for the last commit from the last journal on backwards. What is damaged after durable is what a
// crash left; what is damaged before it is damage. Without a mark, anything damaged may be that.
func (m *stateImage) findCommit(durable place, marked bool, flag int) error {
	numbers, err := numbered(m.files, m.dir, journalPrefix)
	if err != nil {
		return err
	}
	var damage, missing error // of the journal that the durable commit is in
	for _, number := range slices.Backward(numbers) {
		j, err := m.openJournal(number, flag)
		if err != nil {
			return err
		}
		found, err := m.lastCommit(j)
		if err != nil {
			return errors.Join(err, j.file.Close())
		}
		if found.damage != nil && (number == durable.journal || !marked) {
			damage = found.damage
		}
		if number == durable.journal {
			missing = &DamageError{j.file.Name(), j.size, fmt.Sprintf("the file ends here, it had %d bytes", durable.end)}
		}
		if found.end > 0 {
			m.end, m.journals = place{number, found.end}, []*journalFile{j}
			break
		}
		if err := j.file.Close(); err != nil {
			return err
		}
	}
	if missing == nil {
		missing = &DamageError{filepath.Join(m.dir, journalName(max(durable.journal, 1))), 0, "the file is missing"}
	}
	switch {
	case damage != nil && (m.end.before(durable) || !marked):
		return damage
	case m.end.before(durable) || m.end.end == 0:
		return missing
	}
	return nil
}

// foundCommit is where the last commit of a journal ends, 0 if there is none, and what kept it from being read to
// the end of the file.
type foundCommit struct {
	end    int64
	damage error
}

// lastCommit finds the last commit of a journal.
func (m *stateImage) lastCommit(j *journalFile) (found foundCommit, err error) {
	r, err := newJournalReader(j, j.size, m.header.KeyID)
	for err == nil {
		var kind byte
		var payload []byte
		if kind, payload, err = r.next(); err != nil || kind != recordCommit {
			continue
		}
		c, ok := decodeCommit(payload)
		if !ok {
			err = &DamageError{r.name, r.at, "the commit before it is corrupt"}
			continue
		}
		m.commit, found.end = c, r.at
	}
	switch {
	case errors.Is(err, ErrCorrupt):
		found.damage = err
	case !errors.Is(err, io.EOF):
		return found, err
	}
	return found, nil
}

func (m *stateImage) openJournal(number uint32, flag int) (*journalFile, error) {
	f, err := m.files.OpenFile(filepath.Join(m.dir, journalName(number)), flag, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &journalFile{number, f, info.Size(), true}, nil
}

// openJournals opens the journals before the one with the commit.
func (m *stateImage) openJournals(flag int) error {
	last := m.journals[0]
	m.journals = nil
	for _, id := range m.commit.journals {
		j, err := m.openJournal(id.number, flag)
		if err != nil {
			return errors.Join(err, last.file.Close())
		}
		m.journals = append(m.journals, j)
		if j.size < id.bytes {
			return errors.Join(&DamageError{j.file.Name(), j.size, fmt.Sprintf("the file ends here, it had %d bytes", id.bytes)}, last.file.Close())
		}
		j.size = id.bytes
	}
	last.size = m.end.end
	m.journals = append(m.journals, last)
	return nil
}

func (m *stateImage) openRuns() error {
	for _, id := range m.commit.runs {
		f, err := m.files.OpenFile(filepath.Join(m.dir, runName(id.number)), os.O_RDONLY, 0)
		if err != nil {
			return err
		}
		r, err := openRun(f, id, m.header.KeyID)
		if err != nil {
			return errors.Join(err, f.Close())
		}
		m.runs = append(m.runs, r)
	}
	return nil
}

// replay reads the journals: changes is told of keys that were emitted at a time, or forgotten (0), and host of hosts that were.
func (m *stateImage) replay(changes func(keys []Key, times []uint32) error, host func(host Key, at uint32)) error {
	var keys []Key
	var times []uint32
	for _, j := range m.journals {
		r, err := newJournalReader(j, j.size, m.header.KeyID)
		if err != nil {
			return err
		}
		for {
			kind, payload, err := r.next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return err
			}
			ok := true
			switch kind {
			case recordKeys:
				if keys, times, ok = readChanges(payload, keys[:0], times[:0]); ok {
					err = changes(keys, times)
				}
			case recordHosts:
				ok = eachHost(payload, host)
			case recordCommit:
			default:
				ok = false
			}
			if !ok {
				return &DamageError{r.name, r.at, "the record before it is corrupt"}
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
