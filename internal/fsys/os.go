package fsys

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"

	"github.com/gofrs/flock"
)

// OS is the file system of the machine. The zero value is ready.
type OS struct{}

var (
	_ FS     = OS{}
	_ Linker = OS{}
)

// OpenFile is os.OpenFile.
func (OS) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	f, err := os.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err // not f: a nil *os.File in an interface isn't nil
	}
	return f, nil
}

// Rename is os.Rename.
func (OS) Rename(oldName, newName string) error { return os.Rename(oldName, newName) }

// Link is os.Link.
func (OS) Link(oldName, newName string) error { return os.Link(oldName, newName) }

// Remove is os.Remove.
func (OS) Remove(name string) error { return os.Remove(name) }

// RemoveAll is os.RemoveAll.
func (OS) RemoveAll(name string) error { return os.RemoveAll(name) }

// MkdirAll is os.MkdirAll.
func (OS) MkdirAll(name string, perm fs.FileMode) error { return os.MkdirAll(name, perm) }

// ReadDir is os.ReadDir: sorted by name.
func (OS) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }

// Stat is os.Stat.
func (OS) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

// SyncDir syncs the directory. Windows can't, and writes names through by itself.
func (OS) SyncDir(name string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Publish renames without replacing, in one step where the system can (Linux: renameat2 with
// RENAME_NOREPLACE). Else it gives the file its second name with link, which fails when there is
// one, and then takes the first away: a crash between leaves both. Where the file system has no links
// (FAT, some network and user-space ones), it looks and then renames: safe against what was there
// before, not against another process that creates the name in that instant.
func (o OS) Publish(oldName, newName string) error {
	err := renameNoReplace(oldName, newName)
	if err == nil || !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return publishByLink(oldName, newName)
}

func publishByLink(oldName, newName string) error {
	err := os.Link(oldName, newName)
	switch {
	case err == nil:
		return os.Remove(oldName)
	case errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist):
		return err
	}
	return publishByLooking(oldName, newName)
}

func publishByLooking(oldName, newName string) error {
	if _, err := os.Lstat(newName); err == nil {
		return &os.LinkError{Op: "rename", Old: oldName, New: newName, Err: fs.ErrExist}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(oldName, newName)
}

// Lock takes an advisory lock (flock, LockFileEx) on the file. A lock that was removed while this
// call waited for it is not taken: the name must still lead to the file that is locked.
func (OS) Lock(name string) (io.Closer, error) {
	for range 100 {
		l := flock.New(name)
		got, err := l.TryLock()
		if err != nil {
			return nil, err
		}
		if !got {
			return nil, &fs.PathError{Op: "lock", Path: name, Err: ErrLocked}
		}
		if sameAsName(l, name) {
			return osLock{l, name}, nil
		}
		_ = l.Close() // of a file that has lost its name: nobody else can lock it
	}
	return nil, &fs.PathError{Op: "lock", Path: name, Err: ErrLocked}
}

func sameAsName(l *flock.Flock, name string) bool {
	held, err := l.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(name)
	return err == nil && os.SameFile(held, named)
}

type osLock struct {
	lock *flock.Flock
	name string
}

// Close removes the file while the lock is still held, but only if the name still leads to it.
func (l osLock) Close() error {
	if sameAsName(l.lock, l.name) && runtime.GOOS != "windows" {
		os.Remove(l.name)
	}
	return l.lock.Close()
}
