package sinks

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// missing says that an output isn't as the progress of its job says.
func missing(name, format string, args ...any) error {
	return fmt.Errorf("output %s %s: the job can't be resumed, begin anew", name, fmt.Sprintf(format, args...))
}

// sizeOf is the size of a file, -1 where there is none.
func (t *fileTarget) sizeOf(name string) (int64, error) {
	info, err := t.disk.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return -1, nil
	}
	if err != nil {
		return 0, fmt.Errorf("output: %w", err)
	}
	return info.Size(), nil
}

func (t *fileTarget) temp() string { return filepath.Join(t.dir(), tempOf(t.base())) }

func (t *fileTarget) way() (way, int) { return wayFile, 0 }

func (t *fileTarget) reopen(p *outletProgress) (*placed, error) {
	if err := t.takeLock(); err != nil {
		return nil, err
	}
	if p.Open == nil {
		return t.reopenEmpty(p)
	}
	size, err := t.sizeOf(t.temp())
	switch {
	case err != nil:
		return nil, err
	case size >= 0 && size < p.Open.Bytes:
		return nil, missing(t.temp(), "has %d bytes, and had %d", size, p.Open.Bytes)
	case size >= 0:
		return t.reopenTemp(p)
	}
	for _, path := range []string{t.path, t.incomplete()} {
		finished, err := t.isFinished(path, p.Open)
		if err != nil {
			return nil, err
		}
		if finished {
			return t.placed(path, p)
		}
		if !t.overwrite {
			break
		}
	}
	return nil, missing(t.temp(), "is not there")
}

// reopenTemp looks at what is in the place of a file that is still under its temporary name.
func (t *fileTarget) reopenTemp(p *outletProgress) (*placed, error) {
	if t.overwrite {
		return nil, nil
	}
	there, err := t.disk.Stat(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("output: %w", err)
	}
	temp, err := t.disk.Stat(t.temp())
	if err == nil && os.SameFile(there, temp) {
		// Publishing took two steps here, and the crash came between them.
		made, err := t.placed(t.path, p)
		made.complete = func() error { return errors.Join(removeIfThere(t.disk, t.temp()), t.disk.SyncDir(t.dir())) }
		return made, err
	}
	return nil, &ExistsError{Path: t.path}
}

// reopenEmpty looks at an output of which nothing was written. It may have been finished as a file without rows.
func (t *fileTarget) reopenEmpty(p *outletProgress) (*placed, error) {
	size, err := t.sizeOf(t.path)
	if err != nil || size < 0 || t.overwrite { // replacing one without rows by another changes nothing
		return nil, err
	}
	want, err := t.empty()
	if err != nil {
		return nil, err
	}
	if size == int64(len(want)) {
		got, err := readAll(t.disk, t.path)
		if err != nil {
			return nil, fmt.Errorf("output: %w", err)
		}
		if bytes.Equal(got, want) {
			return t.placed(t.path, p)
		}
	}
	return nil, &ExistsError{Path: t.path}
}

// isFinished reports whether a file is what o became: the same bytes, and behind those of Parquet the footer.
func (t *fileTarget) isFinished(path string, o *openFile) (bool, error) {
	size, err := t.sizeOf(path)
	if format, _ := byExtension(t.path); err != nil || format != FormatParquet || size <= o.Bytes {
		return err == nil && size == o.Bytes, err
	}
	f, err := t.disk.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return false, fmt.Errorf("output: %w", err)
	}
	defer f.Close()
	end := make([]byte, len(parquetMagic))
	_, err = io.ReadFull(io.NewSectionReader(f, o.Bytes-int64(len(end)), int64(len(end))), end)
	return string(end) == parquetMagic, err
}

func (t *fileTarget) placed(path string, p *outletProgress) (_ *placed, err error) {
	entry := fileEntry{Name: t.base()}
	if p.Open != nil {
		entry = p.Open.fileEntry
	}
	entry.Bytes, err = t.sizeOf(path)
	return &placed{path, []fileEntry{entry}, func() error { return t.disk.SyncDir(t.dir()) }}, err
}

func (t *fileTarget) goOn(p *outletProgress) (*part, error) {
	if p.Open == nil {
		return nil, removeIfThere(t.disk, t.temp())
	}
	f, err := t.disk.OpenFile(t.temp(), os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	made := &part{disk: t.disk, file: f, out: f, temp: t.temp(), name: t.base(), dir: t.dir(), bytes: p.Open.Bytes, named: true}
	info, err := f.Stat()
	if err == nil && info.Size() > made.bytes {
		err = f.Truncate(made.bytes)
	}
	if err == nil {
		_, err = f.Seek(made.bytes, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	t.made = made
	return made, nil
}

// keep has little to do: what lies behind the last flush is cut off when the job goes on.
func (t *fileTarget) keep(p *filesProgress) error {
	if p.Open != nil {
		return nil
	}
	return removeIfThere(t.disk, t.temp())
}
