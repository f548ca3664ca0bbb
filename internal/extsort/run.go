package extsort

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/s2"
	"github.com/zeebo/xxh3"

	"github.com/urisieve/urisieve/internal/fsys"
)

// A run is a file of rows in order, in frames. A frame is a header of little-endian numbers,
//
//	0  uint32  bytes of the rows as stored
//	4  uint32  bytes of the rows
//	8  uint64  XXH3-64 of the rows as stored
//
// and whole rows, compressed by S2: neighbours have much in common, and so have a key and a value that it was made
// of. Nobody but the process that wrote it reads it.
const frameHeader = 16

// ErrCorrupt is wrapped by the error of a file that isn't as it was written.
var ErrCorrupt = errors.New("corrupt")

// run is a finished run.
type run struct {
	file   fsys.File
	level  int // the number of times that its rows were merged
	bytes  int64
	plain  int // bytes of the largest frame's rows
	stored int // the same as stored
}

// buffers is the memory that it takes to read the run.
func (r *run) buffers() int { return r.plain + r.stored }

// frameBuffers is the memory that it takes to read or write frames of so many bytes.
func frameBuffers(size int) int { return size + frameHeader + s2.MaxEncodedLen(size) }

// runWriter writes a run. Rows are gathered in plain, up to its capacity or a single row that is larger.
type runWriter struct {
	run    *run
	plain  []byte
	stored []byte
}

// newRunWriter takes its buffers, for frames of so many bytes, from memory of frameBuffers.
func newRunWriter(file fsys.File, frame int, memory []byte) *runWriter {
	return &runWriter{run: &run{file: file}, plain: memory[:0:frame], stored: memory[frame:frameBuffers(frame):frameBuffers(frame)]}
}

// add adds the next row.
func (w *runWriter) add(row []byte) error {
	if len(w.plain)+len(row) > cap(w.plain) {
		if err := w.flush(); err != nil {
			return err
		}
	}
	if len(row) > cap(w.plain) {
		return w.frame(row)
	}
	w.plain = append(w.plain, row...)
	return nil
}

func (w *runWriter) flush() error {
	if len(w.plain) == 0 {
		return nil
	}
	err := w.frame(w.plain)
	w.plain = w.plain[:0]
	return err
}

func (w *runWriter) frame(rows []byte) error {
	stored := w.stored
	if most := s2.MaxEncodedLen(len(rows)); most < 0 {
		return fmt.Errorf("a row of %d bytes is too long to be sorted", len(rows))
	} else if frameHeader+most > len(stored) {
		stored = make([]byte, frameHeader+most)
	}
	n := len(s2.Encode(stored[frameHeader:], rows))
	stored = stored[:frameHeader+n]
	binary.LittleEndian.PutUint32(stored[0:], uint32(n))
	binary.LittleEndian.PutUint32(stored[4:], uint32(len(rows)))
	binary.LittleEndian.PutUint64(stored[8:], xxh3.Hash(stored[frameHeader:]))
	if _, err := w.run.file.Write(stored); err != nil {
		return err
	}
	w.run.bytes += int64(len(stored))
	w.run.plain, w.run.stored = max(w.run.plain, len(rows)), max(w.run.stored, len(stored))
	return nil
}

// runReader reads the frames of a run in order.
type runReader struct {
	run    *run
	at     int64
	plain  []byte
	stored []byte
}

// newRunReader takes its buffers from memory of run.buffers.
func newRunReader(r *run, memory []byte) runReader {
	return runReader{run: r, plain: memory[:r.plain:r.plain], stored: memory[r.plain:r.buffers():r.buffers()]}
}

// next gives the rows of the next frame, good until the call after, or none at the end.
func (r *runReader) next() ([]byte, error) {
	if r.at == r.run.bytes {
		return nil, nil
	}
	corrupt := func() error {
		return fmt.Errorf("%s: byte %d: the frame is %w", r.run.file.Name(), r.at, ErrCorrupt)
	}
	header := r.stored[:frameHeader]
	if n, err := r.run.file.ReadAt(header, r.at); n < len(header) {
		return nil, r.readFault(err)
	}
	size, plain, sum := int(binary.LittleEndian.Uint32(header)), int(binary.LittleEndian.Uint32(header[4:])), binary.LittleEndian.Uint64(header[8:])
	if frameHeader+size > len(r.stored) || plain > len(r.plain) {
		return nil, corrupt()
	}
	stored := r.stored[frameHeader : frameHeader+size]
	if n, err := r.run.file.ReadAt(stored, r.at+frameHeader); n < len(stored) {
		return nil, r.readFault(err)
	}
	if xxh3.Hash(stored) != sum {
		return nil, corrupt()
	}
	rows, err := s2.Decode(r.plain, stored)
	if err != nil || len(rows) != plain {
		return nil, corrupt()
	}
	r.at += int64(frameHeader + size)
	return rows, nil
}

func (r *runReader) readFault(err error) error {
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("the file ends early: it is %w", ErrCorrupt)
	}
	return fmt.Errorf("%s: byte %d: %w", r.run.file.Name(), r.at, err)
}
