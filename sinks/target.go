package sinks

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/urisieve/urisieve/internal/fsys"
)

// target is where the files of one output lie: a directory, one file, or standard output.
type target interface {
	// inspect looks whether the output may be written, without changing anything but what a crash
	// left half done.
	inspect() error
	// prepare makes the place ready and takes its lock.
	prepare() error
	// create opens the n-th file under its temporary name.
	create(n int) (*part, error)
	// finish puts the output in its place, under a manifest where it has one, and says where that is.
	finish(m *manifest, whole bool) (path string, err error)
	// abort takes away what isn't whole.
	abort() error
	// unlock gives the place up.
	unlock() error
	// rolls reports whether the output may have more than one file; if not, a flush can't end one.
	rolls() bool
}

// part is a file that is being written.
type part struct {
	disk  fsys.FS
	file  fsys.File // nil on standard output
	out   io.Writer
	temp  string // path under which it is written
	final string // path under which it is published; "" when finish does that
	name  string // for the manifest
	dir   string
	bytes int64
	named bool // the temporary name is durable
}

func (p *part) Write(b []byte) (int, error) {
	n, err := p.out.Write(b)
	p.bytes += int64(n)
	return n, err
}

// ReadAt reads what was written before.
func (p *part) ReadAt(b []byte, off int64) (int, error) { return p.file.ReadAt(b, off) }

// openPart opens a temporary file; one that is there can only be left over.
func openPart(disk fsys.FS, dir, temp, final, name string) (*part, error) {
	p := &part{disk: disk, temp: filepath.Join(dir, temp), name: name, dir: dir}
	if final != "" {
		p.final = filepath.Join(dir, final)
	}
	f, err := disk.OpenFile(p.temp, os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	p.file, p.out = f, f
	return p, nil
}

// publish makes the file durable under its name.
func (p *part) publish() error {
	if p.file == nil {
		return nil
	}
	if err := p.file.Sync(); err != nil {
		return err
	}
	file := p.file
	p.file = nil
	if err := file.Close(); err != nil || p.final == "" {
		return err
	}
	if err := p.disk.Publish(p.temp, p.final); err != nil {
		return err
	}
	return p.disk.SyncDir(p.dir)
}

// sync makes what was written durable, under the temporary name.
func (p *part) sync() error {
	if p.file == nil {
		return nil
	}
	return p.file.Sync()
}

// syncWithName makes the temporary name durable, too.
func (p *part) syncWithName() error {
	if err := p.sync(); err != nil || p.named {
		return err
	}
	p.named = true
	return p.disk.SyncDir(p.dir)
}

// close leaves the file as it is.
func (p *part) close() error {
	if p.file == nil {
		return nil
	}
	file := p.file
	p.file = nil
	return file.Close()
}

// drop takes the file away.
func (p *part) drop() error {
	if p.temp == "" {
		return nil
	}
	_ = p.close() // what it holds isn't wanted
	return removeIfThere(p.disk, p.temp)
}

// fileTarget is one file, published at the end.
type fileTarget struct {
	disk      fsys.FS
	path      string
	overwrite bool
	empty     func() ([]byte, error) // the bytes of a file without rows
	lock      io.Closer
	made      *part
}

func (t *fileTarget) dir() string  { return filepath.Dir(t.path) }
func (t *fileTarget) base() string { return filepath.Base(t.path) }

func (t *fileTarget) inspect() error {
	info, err := t.disk.Stat(t.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("output: %w", err)
	case info.IsDir():
		return fmt.Errorf("output %s is a directory, and its name is that of a file: choose another", t.path)
	case !t.overwrite:
		return &ExistsError{Path: t.path}
	}
	return nil
}

func (t *fileTarget) prepare() error {
	if err := t.takeLock(); err != nil {
		return err
	}
	if err := t.inspect(); err != nil { // again, now that nobody else is at it
		return errors.Join(err, t.unlock())
	}
	return nil
}

func (t *fileTarget) takeLock() (err error) {
	if err := mkdirDurable(t.disk, t.dir()); err != nil {
		return fmt.Errorf("output: %w", err)
	}
	t.lock, err = takeLock(t.disk, t.path, filepath.Join(t.dir(), "."+t.base()+".urisieve-lock"))
	return err
}

func (t *fileTarget) create(int) (p *part, err error) {
	t.made, err = openPart(t.disk, t.dir(), tempOf(t.base()), "", t.base())
	return t.made, err
}

// finish publishes the file. One of incomplete input doesn't replace a whole one.
func (t *fileTarget) finish(_ *manifest, whole bool) (string, error) {
	there, err := exists(t.disk, t.path)
	if err != nil {
		return "", err
	}
	path := t.path
	switch {
	case !there:
		err = t.disk.Publish(t.made.temp, path)
	case whole:
		err = t.disk.Rename(t.made.temp, path)
	default:
		path = t.incomplete()
		err = t.disk.Rename(t.made.temp, path)
	}
	if err != nil {
		return "", err
	}
	return path, t.disk.SyncDir(t.dir())
}

// incomplete is the name of a file of incomplete input that replaces nothing.
func (t *fileTarget) incomplete() string {
	stem, ext := splitExtension(t.path)
	return stem + ".incomplete" + ext
}

// splitExtension cuts a path before the extensions that say what it holds: "a.b.jsonl.gz" gives
// "a.b" and ".jsonl.gz".
func splitExtension(path string) (stem, ext string) {
	stem = path
	if _, packed := byExtension(path); packed != "" {
		stem = strings.TrimSuffix(stem, filepath.Ext(stem))
	}
	stem = strings.TrimSuffix(stem, filepath.Ext(stem))
	return stem, path[len(stem):]
}

func (t *fileTarget) abort() error {
	if t.made == nil {
		return nil
	}
	return t.made.drop()
}

func (t *fileTarget) unlock() error { return closeLock(&t.lock) }
func (t *fileTarget) rolls() bool   { return false }

// pipeTarget is standard output.
type pipeTarget struct{ out io.Writer }

func (t *pipeTarget) inspect() error { return nil }
func (t *pipeTarget) prepare() error { return nil }

func (t *pipeTarget) create(int) (*part, error) { return &part{out: t.out, name: "-"}, nil }

func (t *pipeTarget) finish(*manifest, bool) (string, error) { return "-", nil }

func (t *pipeTarget) abort() error  { return nil }
func (t *pipeTarget) unlock() error { return nil }
func (t *pipeTarget) rolls() bool   { return false }

// takeLock locks an output by a file.
func takeLock(disk fsys.FS, output, name string) (io.Closer, error) {
	lock, err := disk.Lock(name)
	if errors.Is(err, fsys.ErrLocked) {
		return nil, &BusyError{output}
	}
	if err != nil {
		return nil, fmt.Errorf("output %s: %w", output, err)
	}
	return lock, nil
}

func closeLock(lock *io.Closer) error {
	if *lock == nil {
		return nil
	}
	err := (*lock).Close()
	*lock = nil
	return err
}
