package dedup

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/urisieve/urisieve/internal/fsys"
)

// The run of a state begins with a header like a journal's, whose first 8 bytes are "urisvrun", and ends with a
// footer: for each of the 256 shards, the bytes and keys of its section (uint64), which follow each other; then
//
//	4096 uint64  keys
//	4104 uint32  level
//	4108 uint32  CRC-32C of the footer before it
const (
	runMagic  = "urisvrun"
	runTable  = shards * 16
	runFooter = runTable + 16
)

// runOfState is what the run of a state has more than a temporary one.
type runOfState struct {
	number uint32
	sum    uint32 // of the footer
	synced bool
}

func runName(number uint32) string { return fmt.Sprintf("run-%06d", number) }

func (r *run) id() runID {
	return runID{r.state.number, uint32(r.level), r.keys, r.bytes, r.state.sum}
}

// beginRunFile begins the run of a state in an empty file.
func beginRunFile(file fsys.File, number uint32, level int, keyID string) (*runWriter, error) {
	w := newRunWriter(&run{file: file, level: level, timed: true, state: &runOfState{number: number}})
	return w, w.raw(fileHeader(runMagic, number, keyID))
}

// endRunFile writes the footer.
func endRunFile(w *runWriter) error {
	r, le := w.run, binary.LittleEndian
	b := make([]byte, 0, runFooter)
	for _, s := range &r.sections {
		b = le.AppendUint64(le.AppendUint64(b, uint64(s.bytes)), uint64(s.keys))
	}
	b = le.AppendUint64(b, uint64(r.keys))
	b = le.AppendUint32(b, uint32(r.level))
	r.state.sum = crc32.Checksum(b, castagnoli)
	if err := w.raw(le.AppendUint32(b, r.state.sum)); err != nil {
		return err
	}
	return w.flush()
}

// openRun opens the run that a commit speaks of. The error is of the disk, or a DamageError.
func openRun(file fsys.File, id runID, keyID string) (*run, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	switch size := info.Size(); {
	case size < id.bytes:
		return nil, &DamageError{file.Name(), size, fmt.Sprintf("the file ends here, it had %d bytes", id.bytes)}
	case size > id.bytes:
		return nil, &DamageError{file.Name(), id.bytes, "the file goes on after its end"}
	}
	header := io.NewSectionReader(file, 0, journalHeader)
	if err := checkFileHeader(header, file.Name(), id.bytes, fileHeader(runMagic, id.number, keyID)); err != nil {
		return nil, err
	}
	r := &run{file: file, level: int(id.level), timed: true, bytes: id.bytes, state: &runOfState{id.number, id.sum, true}}
	return r, r.readFooter(id)
}

func (r *run) readFooter(id runID) error {
	at := r.bytes - runFooter
	damaged := &DamageError{r.file.Name(), max(at, 0), "the table of sections there is corrupt"}
	if at < journalHeader {
		return damaged
	}
	b, le := make([]byte, runFooter), binary.LittleEndian
	if _, err := io.ReadFull(io.NewSectionReader(r.file, at, runFooter), b); err != nil {
		return fmt.Errorf("%s: byte %d: %w", r.file.Name(), at, err)
	}
	const end = runFooter - 4
	if sum := crc32.Checksum(b[:end], castagnoli); sum != id.sum || le.Uint32(b[end:]) != sum {
		return damaged
	}
	offset := int64(journalHeader)
	for i := range r.sections {
		s := section{offset, int64(le.Uint64(b[16*i:])), int64(le.Uint64(b[16*i+8:]))}
		r.sections[i] = s
		r.keys += s.keys
		offset += s.bytes
	}
	if offset != at || r.keys != id.keys {
		return damaged
	}
	return nil
}
