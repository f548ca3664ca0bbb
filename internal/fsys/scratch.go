package fsys

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Scratch makes files that nobody sees: they have no name, so that they go with the process however it ends. Where
// a file can't be made without one (other systems than Linux, some file systems), it is taken away at once, and a process
// that is killed in between leaves an empty file; on a system where an open file keeps its name, Close removes it.
type Scratch struct {
	FS  FS
	Dir string // "": the system's directory for temporary files
}

// nameless is a file system that can make a file without a name.
type nameless interface {
	Nameless(dir string) (File, error)
}

// Create makes an empty file; kind is a part of the name that it may have for a moment.
func (s Scratch) Create(kind string) (File, error) {
	dir := s.Dir
	if dir == "" {
		dir = os.TempDir()
	}
	if disk, ok := s.FS.(nameless); ok {
		if f, err := disk.Nameless(dir); err == nil {
			return f, nil
		}
	}
	var unique [8]byte
	if _, err := rand.Read(unique[:]); err != nil {
		return nil, fmt.Errorf("name a temporary file: %w", err)
	}
	name := filepath.Join(dir, ".urisieve-"+kind+"-"+hex.EncodeToString(unique[:])+".tmp")
	f, err := s.FS.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	if s.FS.Remove(name) == nil {
		return f, nil
	}
	return named{f, s.FS, name}, nil
}

// named is a file that has its name until it is closed.
type named struct {
	File
	fs   FS
	name string
}

func (n named) Close() error {
	err := n.File.Close()
	if gone := n.fs.Remove(n.name); err == nil && gone != nil && !errors.Is(gone, fs.ErrNotExist) {
		err = gone
	}
	return err
}
