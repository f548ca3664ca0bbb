package dedup

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/urisieve/urisieve/internal/fsys"
)

// makeIfNone makes a state in the directory, unless there is one. The header comes last, so that
// without it there is no state, but what a crash left of making one.
func (s *State) makeIfNone(o *StateOptions) error {
	_, err := s.files.Stat(filepath.Join(s.dir, headerFile))
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	secret, keep, err := s.clear(o.Secret)
	if err != nil {
		return err
	}
	h := stateHeader{Format: stateFormat, SettingsID: o.SettingsID, Hash: stateHash, KeyID: keyID(secret), Created: o.Created}
	if h.Created.IsZero() {
		h.Created = time.Now()
	}
	h.Created = h.Created.UTC().Truncate(time.Second)
	text, err := h.encode()
	if err != nil {
		return err
	}
	if o.Secret == nil && !keep {
		if err := writeSynced(s.files, filepath.Join(s.dir, secretFile), secretText(secret)); err != nil {
			return err
		}
	}
	if err := s.makeFirstCommit(h.KeyID); err != nil {
		return err
	}
	temp := filepath.Join(s.dir, headerTemp)
	if err := writeSynced(s.files, temp, text); err != nil {
		return err
	}
	if err := s.files.SyncDir(s.dir); err != nil {
		return err
	}
	if err := s.files.Publish(temp, filepath.Join(s.dir, headerFile)); err != nil {
		return err
	}
	return s.files.SyncDir(s.dir)
}

// makeFirstCommit makes a journal with a commit of nothing, and its mark.
func (s *State) makeFirstCommit(keyID string) error {
	j := &journal{files: s.files, dir: s.dir, keyID: keyID}
	if err := j.begin(1); err != nil {
		return err
	}
	first := commit{number: 1, nextRun: 1}
	end, err := j.commit(first.encode())
	if err := errors.Join(err, j.close()); err != nil {
		return err
	}
	return writeSynced(s.files, filepath.Join(s.dir, markFile), encodeMark(place{1, end}, first.encode(), keyID))
}

// firstJournal is the length of the first journal of a state that was just made.
const firstJournal = journalHeader + recordHeader + commitHeader

// clear makes sure that the directory has nothing but what a crash left of making a state, and removes that. The
// secret is the given one, the one that lies there already (keep), or a new one.
func (s *State) clear(given *Secret) (secret Secret, keep bool, err error) {
	entries, err := s.files.ReadDir(s.dir)
	if err != nil {
		return Secret{}, false, err
	}
	if given != nil {
		secret = *given
	} else if text, err := readSmall(s.files, filepath.Join(s.dir, secretFile), maxSecretFile); err == nil {
		secret, keep = parseSecret(text)
		keep = keep && bytes.Equal(text, secretText(secret))
	}
	if given == nil && !keep {
		secret = RandomSecret()
	}
	var remove []string
	for _, e := range entries {
		switch name := e.Name(); name {
		case lockFile:
		case secretFile, headerTemp, markFile, journalName(1):
			info, err := e.Info()
			if err != nil {
				return Secret{}, false, err
			}
			if name == journalName(1) && info.Size() > firstJournal {
				return Secret{}, false, &DamageError{filepath.Join(s.dir, headerFile), 0, "the file is missing"}
			}
			if name != secretFile || !keep {
				remove = append(remove, name)
			}
		default:
			if _, ok := numberIn(name, journalPrefix); ok {
				return Secret{}, false, &DamageError{filepath.Join(s.dir, headerFile), 0, "the file is missing"}
			}
			return Secret{}, false, fmt.Errorf("the directory isn't a state's, and not empty: %s is in it. Name another one, or empty it", name)
		}
	}
	for _, name := range remove {
		if err := s.files.Remove(filepath.Join(s.dir, name)); err != nil {
			return Secret{}, false, err
		}
	}
	return secret, keep, nil
}

// writeSynced makes a file that isn't there yet, which only its owner may read.
func writeSynced(files fsys.FS, name string, text []byte) error {
	f, err := files.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
