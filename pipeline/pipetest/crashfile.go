package pipetest

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"syscall"
)

// crashFile is an open file of a CrashFS.
type crashFile struct {
	fs     *CrashFS
	node   *crashNode
	name   string
	epoch  int
	flag   int
	offset int64
	closed bool
}

func (f *crashFile) Name() string { return f.name }

// alive locks the file system and says whether the handle may be used.
func (f *crashFile) alive(op string) error {
	f.fs.mu.Lock()
	switch {
	case f.closed:
		return &fs.PathError{Op: op, Path: f.name, Err: fs.ErrClosed}
	case f.epoch != f.fs.epoch:
		return &fs.PathError{Op: op, Path: f.name, Err: ErrStopped}
	}
	return nil
}

func (f *crashFile) writable() bool { return f.flag&(os.O_WRONLY|os.O_RDWR) != 0 }

func (f *crashFile) Read(p []byte) (int, error) {
	n, err := f.ReadAt(p, f.offset)
	f.offset += int64(n)
	if n > 0 && errors.Is(err, io.EOF) {
		return n, nil
	}
	return n, err
}

func (f *crashFile) ReadAt(p []byte, off int64) (int, error) {
	err := f.alive("read")
	defer f.fs.mu.Unlock()
	if err != nil {
		return 0, err
	}
	if off >= int64(len(f.node.data)) {
		return 0, io.EOF
	}
	n := copy(p, f.node.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *crashFile) Write(p []byte) (int, error) {
	err := f.alive("write")
	defer f.fs.mu.Unlock()
	if err == nil && !f.writable() {
		err = &fs.PathError{Op: "write", Path: f.name, Err: syscall.EBADF}
	}
	if err == nil {
		err = f.fs.begin("write", f.name)
	}
	if err != nil {
		return 0, err
	}
	if f.flag&os.O_APPEND != 0 {
		f.offset = int64(len(f.node.data))
	}
	room := len(p)
	if grow := f.offset + int64(len(p)) - int64(len(f.node.data)); f.fs.capacity >= 0 && grow > 0 {
		if free := f.fs.capacity - f.fs.root.bytes(); grow > free {
			room = max(0, len(p)-int(grow-free))
			err = &fs.PathError{Op: "write", Path: f.name, Err: syscall.ENOSPC}
		}
	}
	end := f.offset + int64(room)
	if end > int64(len(f.node.data)) {
		f.node.data = slices.Grow(f.node.data, int(end)-len(f.node.data))[:end]
	}
	copy(f.node.data[f.offset:], p[:room])
	f.offset = end
	return room, err
}

func (n *crashNode) bytes() int64 {
	total := int64(len(n.data))
	for _, child := range n.dir {
		total += child.bytes()
	}
	return total
}

func (f *crashFile) Seek(offset int64, whence int) (int64, error) {
	err := f.alive("seek")
	defer f.fs.mu.Unlock()
	if err != nil {
		return 0, err
	}
	switch whence {
	case io.SeekCurrent:
		offset += f.offset
	case io.SeekEnd:
		offset += int64(len(f.node.data))
	}
	if offset < 0 {
		return 0, &fs.PathError{Op: "seek", Path: f.name, Err: fs.ErrInvalid}
	}
	f.offset = offset
	return offset, nil
}

func (f *crashFile) Sync() error {
	err := f.alive("sync")
	defer f.fs.mu.Unlock()
	if err == nil {
		err = f.fs.begin("sync", f.name)
	}
	if err == nil {
		f.node.synced = slices.Clone(f.node.data)
	}
	return err
}

func (f *crashFile) Truncate(size int64) error {
	err := f.alive("truncate")
	defer f.fs.mu.Unlock()
	if err == nil {
		err = f.fs.begin("truncate", f.name)
	}
	if err != nil {
		return err
	}
	if grow := int(size) - len(f.node.data); grow > 0 {
		f.node.data = append(f.node.data, make([]byte, grow)...)
	}
	f.node.data = f.node.data[:size]
	return nil
}

func (f *crashFile) Stat() (fs.FileInfo, error) {
	err := f.alive("stat")
	defer f.fs.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return f.node.info(path.Base(clean(f.name))), nil
}

func (f *crashFile) Close() error {
	err := f.alive("close")
	defer f.fs.mu.Unlock()
	f.closed = true
	if errors.Is(err, fs.ErrClosed) {
		return err
	}
	return nil
}
