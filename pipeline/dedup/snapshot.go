package dedup

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/urisieve/urisieve/internal/fsys"
)

// Snapshot makes a copy of the state, as it was when it was opened, in a directory that is empty or isn't there. Runs, which
// never change, are linked where the file system can do that, else copied.
func (r *ReadState) Snapshot(dir string) error {
	if err := r.snapshot(dir); err != nil {
		return fmt.Errorf("snapshot of state %s in %s: %w", r.image.dir, dir, err)
	}
	return nil
}

func (r *ReadState) snapshot(dir string) error {
	m := r.image
	if err := makeDirs(m.files, dir); err != nil {
		return err
	}
	there, err := m.files.ReadDir(dir)
	if err != nil {
		return err
	}
	if len(there) > 0 {
		return fmt.Errorf("the directory isn't empty: %s is in it. Name another one, or empty it", there[0].Name())
	}
	for i, run := range m.runs {
		if err := r.copyRun(run, m.commit.runs[i], filepath.Join(dir, runName(run.state.number))); err != nil {
			return err
		}
	}
	for _, j := range m.journals {
		if err := copyFile(m.files, filepath.Join(dir, journalName(j.number)), j.file, j.size); err != nil {
			return err
		}
	}
	if err := writeSynced(m.files, filepath.Join(dir, markFile), encodeMark(m.end, m.commit.encode(), m.header.KeyID)); err != nil {
		return err
	}
	if own, err := m.header.ownSecret(m.files, m.dir); err == nil {
		if err := writeSynced(m.files, filepath.Join(dir, secretFile), secretText(own)); err != nil {
			return err
		}
	} else if !errors.Is(err, errNoSecret) {
		return err
	}
	text, err := m.header.encode()
	if err != nil {
		return err
	}
	temp := filepath.Join(dir, headerTemp)
	if err := writeSynced(m.files, temp, text); err != nil {
		return err
	}
	if err := m.files.SyncDir(dir); err != nil {
		return err
	}
	if err := m.files.Publish(temp, filepath.Join(dir, headerFile)); err != nil {
		return err
	}
	return m.files.SyncDir(dir)
}

// copyRun links a run, or copies it if that can't be: the run's own name may be gone.
func (r *ReadState) copyRun(run *run, id runID, name string) error {
	m := r.image
	if l, ok := m.files.(fsys.Linker); ok && l.Link(filepath.Join(m.dir, runName(id.number)), name) == nil {
		return nil
	}
	return copyFile(m.files, name, run.file, id.bytes)
}

// copyFile makes a file of the first bytes of another, which is open.
func copyFile(files fsys.FS, name string, from io.ReaderAt, size int64) error {
	f, err := files.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, io.NewSectionReader(from, 0, size))
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
