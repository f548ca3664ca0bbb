package dedup

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/bits"

	"github.com/urisieve/urisieve/internal/fsys"
)

// A run is a file of keys in ascending order, none twice: a section for each shard, and a section is
// blocks. A block is a header of 16 bytes,
//
//	0  uint64  word 0 of the first key
//	8  uint16  keys, at least 1
//	10 uint8   width: bytes of a difference, 0 to 8
//	11 uint8   0
//	12 uint32  CRC-32C of the header before it and of the body
//
// and a body of, for each key, the difference of word 0 to that of the key before (width bytes) and word 1
// (8 bytes). All numbers are little-endian. Among n uniform keys a key takes about 16 - log2(n)/8 + 1 bytes.
const (
	runBlockKeys   = 512
	runBlockHeader = 16
	runBlockMost   = runBlockHeader + runBlockKeys*16 + 8 // the encoder writes words of 8 bytes, over the end
	runBuffer      = 256 << 10
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrCorrupt is wrapped by the error of a file that isn't as it was written.
var ErrCorrupt = errors.New("corrupt")

// section is the part of a run that holds the keys of one shard.
type section struct{ offset, bytes, keys int64 }

// run is a finished run, or one that is being written, as far as it is on disk.
type run struct {
	file     fsys.File
	level    int // the number of times that its keys were merged
	sections [shards]section
	keys     int64
	bytes    int64
}

// runWriter writes a run, shard after shard.
type runWriter struct {
	run   *run
	out   *bufio.Writer
	block [runBlockKeys]Key
	n     int
	shard int // of add; -1 before the first
	buf   [runBlockMost]byte
}

func newRunWriter(file fsys.File, level int) *runWriter {
	return &runWriter{run: &run{file: file, level: level}, out: bufio.NewWriterSize(file, runBuffer)}
}

// begin begins the section of a shard.
func (w *runWriter) begin(shard int) {
	w.shard = shard
	w.run.sections[shard].offset = w.run.bytes
}

// add adds the next key of the shard.
func (w *runWriter) add(k Key) error {
	w.block[w.n] = k
	w.n++
	if w.n < runBlockKeys {
		return nil
	}
	return w.flushBlock()
}

// end ends the section: all of it can be read.
func (w *runWriter) end() error {
	if err := w.flushBlock(); err != nil {
		return err
	}
	s := &w.run.sections[w.shard]
	s.bytes = w.run.bytes - s.offset
	w.run.keys += s.keys
	if err := w.out.Flush(); err != nil {
		return fmt.Errorf("write keys: %w", err)
	}
	return nil
}

func (w *runWriter) flushBlock() error {
	if w.n == 0 {
		return nil
	}
	size := encodeBlock(&w.buf, w.block[:w.n])
	if _, err := w.out.Write(w.buf[:size]); err != nil {
		return fmt.Errorf("write keys: %w", err)
	}
	w.run.sections[w.shard].keys += int64(w.n)
	w.run.bytes += int64(size)
	w.n = 0
	return nil
}

// encodeBlock writes a block of keys in ascending order and gives its size.
func encodeBlock(buf *[runBlockMost]byte, keys []Key) (size int) {
	widest := uint64(0)
	for i := 1; i < len(keys); i++ {
		widest |= keys[i][0] - keys[i-1][0]
	}
	width := (bits.Len64(widest) + 7) / 8
	binary.LittleEndian.PutUint64(buf[0:], keys[0][0])
	binary.LittleEndian.PutUint16(buf[8:], uint16(len(keys)))
	buf[10], buf[11] = byte(width), 0
	at, before := runBlockHeader, keys[0][0]
	for i := range keys {
		k := &keys[i]
		binary.LittleEndian.PutUint64(buf[at:], k[0]-before)
		binary.LittleEndian.PutUint64(buf[at+width:], k[1])
		before = k[0]
		at += width + 8
	}
	sum := crc32.Update(crc32.Checksum(buf[:12], castagnoli), castagnoli, buf[runBlockHeader:at])
	binary.LittleEndian.PutUint32(buf[12:], sum)
	return at
}

// sectionReader reads the keys of a section in order.
type sectionReader struct {
	file   fsys.File
	at     int64 // file offset of what comes after buf
	left   int64 // bytes of the section that aren't in buf yet
	buf    []byte
	unread []byte // of buf
	keys   [runBlockKeys]Key
	block  []Key // the block at hand
	next   int   // of block
}

// open begins at the start of a section of a run.
func (r *sectionReader) open(from *run, shard int) {
	s := from.sections[shard]
	r.file, r.at, r.left = from.file, s.offset, s.bytes
	r.unread, r.block, r.next = nil, nil, 0
	if r.buf == nil {
		r.buf = make([]byte, runBuffer+runBlockMost)
	}
}

// more reads the next block; false at the end of the section.
func (r *sectionReader) more() (bool, error) {
	if len(r.unread) < runBlockMost && r.left > 0 {
		n := copy(r.buf, r.unread)
		fresh := int(min(r.left, int64(len(r.buf)-n)))
		if _, err := io.ReadFull(io.NewSectionReader(r.file, r.at, int64(fresh)), r.buf[n:n+fresh]); err != nil {
			return false, fmt.Errorf("read keys: %s: byte %d: %w", r.file.Name(), r.at, err)
		}
		r.at += int64(fresh)
		r.left -= int64(fresh)
		r.unread = r.buf[:n+fresh]
	}
	if len(r.unread) == 0 {
		return false, nil
	}
	n, size := decodeBlock(r.unread, &r.keys)
	if n == 0 {
		return false, fmt.Errorf("read keys: %s: byte %d: the block is %w", r.file.Name(), r.at-int64(len(r.unread)), ErrCorrupt)
	}
	r.unread = r.unread[size:]
	r.block, r.next = r.keys[:n], 0
	return true, nil
}

// decodeBlock reads the block that data begins with, and gives the number of its keys and its size; 0 if
// it isn't one.
func decodeBlock(data []byte, keys *[runBlockKeys]Key) (n, size int) {
	if len(data) < runBlockHeader {
		return 0, 0
	}
	first := binary.LittleEndian.Uint64(data)
	n, width := int(binary.LittleEndian.Uint16(data[8:])), int(data[10])
	size = runBlockHeader + n*(width+8)
	if n == 0 || n > runBlockKeys || width > 8 || data[11] != 0 || size > len(data) {
		return 0, 0
	}
	sum := crc32.Update(crc32.Checksum(data[:12], castagnoli), castagnoli, data[runBlockHeader:size])
	if sum != binary.LittleEndian.Uint32(data[12:]) {
		return 0, 0
	}
	mask := uint64(1)<<(8*width) - 1 // all bits for 8
	word, at := first, runBlockHeader
	for i := range keys[:n] {
		word += binary.LittleEndian.Uint64(data[at:at+8]) & mask
		keys[i] = Key{word, binary.LittleEndian.Uint64(data[at+width : at+width+8])}
		at += width + 8
	}
	return n, size
}

func less(a, b *Key) bool { return a[0] < b[0] || a[0] == b[0] && a[1] < b[1] }
