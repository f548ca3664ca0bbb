// Package fsys is the little of a file system that the program writes through, so that a test can
// put one in its place that forgets all that was not synced, or is full, or read-only.
package fsys

import (
	"io"
	"io/fs"
)

// File is an open file.
type File interface {
	io.Reader
	io.ReaderAt
	io.Writer
	io.Seeker
	io.Closer
	Sync() error
	Truncate(size int64) error
	Stat() (fs.FileInfo, error)
	Name() string
}

// FS is a file system. Names are slash- or OS-separated paths as os takes them. Errors are
// *fs.PathError or *os.LinkError as in os, so that errors.Is(err, fs.ErrExist) works.
type FS interface {
	// OpenFile opens as os.OpenFile does, with its flags.
	OpenFile(name string, flag int, perm fs.FileMode) (File, error)
	// Publish gives the file a new name, only if there is none of that name yet; else fs.ErrExist.
	// It is durable after SyncDir of the directory.
	Publish(oldName, newName string) error
	// Rename replaces newName if it is there. Durable after SyncDir.
	Rename(oldName, newName string) error
	Remove(name string) error
	RemoveAll(name string) error
	MkdirAll(name string, perm fs.FileMode) error
	ReadDir(name string) ([]fs.DirEntry, error)
	Stat(name string) (fs.FileInfo, error)
	// SyncDir makes the names in a directory durable.
	SyncDir(name string) error
	// Lock takes the exclusive lock that the file name stands for, creating the file; ErrLocked
	// when another holds it. Close gives it up and removes the file. A crash gives it up too.
	Lock(name string) (io.Closer, error)
}

// Linker is an FS that can give a file a second name, only if there is none of that name yet. It is durable after
// SyncDir. Where the system can't, it gives an error.
type Linker interface {
	Link(oldName, newName string) error
}
