package dedup

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/bits"

	"github.com/urisieve/urisieve/internal/fsys"
)

// A run is a file of keys in ascending order, none twice: a section for each shard, and a section is
// blocks. A block is a header of 16 bytes,
//
//	0  uint64  word 0 of the first key
//	8  uint16  keys, at least 1
//	10 uint8   width: bytes of a difference, 0 to 8
//	11 uint8   0; of a run with times: 0x80, and the bytes of a time, 0 to 4, and 0x08 if there are kinds
//	12 uint32  CRC-32C of what is before it, and of all after it
//
// of a run with times also
//
//	16 uint32  the least time
//
// and a body of, for each key, the difference of word 0 to that of the key before (width bytes) and word 1
// (8 bytes); then each key's time, less the least one; then, if there are kinds, each key's entryKind (1 byte). All
// numbers are little-endian. Among n uniform keys a key takes about 16 - log2(n)/8 + 1 bytes, and its
// time none where a block's are equal.
const (
	runBlockKeys    = 512
	runBlockHeader  = 16
	timedHeader     = runBlockHeader + 4
	runBlockMost    = timedHeader + runBlockKeys*(16+4+1) + 8 // the encoder writes words of 8 bytes, over the end
	runBuffer       = 256 << 10
	blockTimed      = 0x80
	blockKinds      = 0x08
	blockTimeWidths = 0x07
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
	timed    bool
	sections [shards]section
	index    [shards]blockIndex // as far as it is known: of what this process wrote or read
	keys     int64
	bytes    int64

	state *runOfState // nil for a temporary one
}

// runWriter writes a run, shard after shard.
type runWriter struct {
	run     *run
	out     *bufio.Writer
	block   [runBlockKeys]Key
	entries [runBlockKeys]entry // of block, if the run is timed
	n       int
	shard   int
	buf     [runBlockMost]byte
}

func newRunWriter(r *run) *runWriter {
	return &runWriter{run: r, out: bufio.NewWriterSize(r.file, runBuffer)}
}

// begin begins the section of a shard.
func (w *runWriter) begin(shard int) {
	w.shard = shard
	w.run.sections[shard].offset = w.run.bytes
}

// add adds the next key of the shard.
func (w *runWriter) add(k Key, e entry) error {
	if w.n == 0 {
		w.run.index[w.shard].note(&k, w.run.bytes)
	}
	w.block[w.n] = k
	if w.run.timed {
		w.entries[w.n] = e
	}
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
	return w.flush()
}

func (w *runWriter) flush() error {
	if err := w.out.Flush(); err != nil {
		return fmt.Errorf("write keys: %w", err)
	}
	return nil
}

// raw writes what isn't a block.
func (w *runWriter) raw(data []byte) error {
	if _, err := w.out.Write(data); err != nil {
		return fmt.Errorf("write keys: %w", err)
	}
	w.run.bytes += int64(len(data))
	return nil
}

func (w *runWriter) flushBlock() error {
	if w.n == 0 {
		return nil
	}
	var entries []entry
	if w.run.timed {
		entries = w.entries[:w.n]
	}
	size := encodeBlock(&w.buf, w.block[:w.n], entries)
	w.run.sections[w.shard].keys += int64(w.n)
	w.n = 0
	return w.raw(w.buf[:size])
}

// encodeBlock writes a block of keys in ascending order, with what is said of each or nil, and gives its size.
func encodeBlock(buf *[runBlockMost]byte, keys []Key, entries []entry) (size int) {
	widest := uint64(0)
	for i := 1; i < len(keys); i++ {
		widest |= keys[i][0] - keys[i-1][0]
	}
	width := (bits.Len64(widest) + 7) / 8
	binary.LittleEndian.PutUint64(buf[0:], keys[0][0])
	binary.LittleEndian.PutUint16(buf[8:], uint16(len(keys)))
	buf[10], buf[11] = byte(width), 0
	at, before := runBlockHeader, keys[0][0]
	if entries != nil {
		at = timedHeader
	}
	for i := range keys {
		k := &keys[i]
		binary.LittleEndian.PutUint64(buf[at:], k[0]-before)
		binary.LittleEndian.PutUint64(buf[at+width:], k[1])
		before = k[0]
		at += width + 8
	}
	if entries != nil {
		at = encodeEntries(buf, at, entries)
	}
	binary.LittleEndian.PutUint32(buf[12:], blockSum(buf[:at]))
	return at
}

// blockSum is the checksum of a block.
func blockSum(block []byte) uint32 {
	return crc32.Update(crc32.Checksum(block[:12], castagnoli), castagnoli, block[runBlockHeader:])
}

// encodeEntries writes what a block says of its keys, from at on, and gives the end of it.
func encodeEntries(buf *[runBlockMost]byte, at int, entries []entry) (end int) {
	least, most, kinds := uint32(math.MaxUint32), uint32(0), entryKind(0)
	for _, e := range entries {
		kinds |= e.kind
		if e.kind != forgotten {
			least, most = min(least, e.time), max(most, e.time)
		}
	}
	least = min(least, most) // if all are forgotten
	width := (bits.Len32(most-least) + 7) / 8
	buf[11] = blockTimed | byte(width)
	binary.LittleEndian.PutUint32(buf[runBlockHeader:], least)
	for _, e := range entries {
		binary.LittleEndian.PutUint32(buf[at:], max(e.time, least)-least)
		at += width
	}
	if kinds == 0 {
		return at
	}
	buf[11] |= blockKinds
	for _, e := range entries {
		buf[at] = byte(e.kind)
		at++
	}
	return at
}

// sectionReader reads the keys of a section in order.
type sectionReader struct {
	from    *run
	index   *blockIndex // of the section
	at      int64       // file offset of what comes after buf
	left    int64       // bytes of the section that aren't in buf yet
	buf     []byte
	until   int64  // where the next read ends, which is the end of a block; past or 0: anywhere
	seeks   int64  // since open
	read    int64  // bytes, likewise
	unread  []byte // of buf
	keys    [runBlockKeys]Key
	entries [runBlockKeys]entry // of keys, if the run is timed
	block   []Key               // the block at hand
	next    int                 // of block
}

// open begins at the start of a section of a run.
func (r *sectionReader) open(from *run, shard int) {
	s := from.sections[shard]
	r.from, r.index, r.at, r.left = from, &from.index[shard], s.offset, s.bytes
	r.unread, r.block, r.next, r.until, r.seeks, r.read = nil, nil, 0, 0, 0, 0
	if r.buf == nil {
		r.buf = make([]byte, runBuffer+runBlockMost)
	}
}

// skip passes over blocks that end before a key, as far as the index tells and they weren't read yet. What is read
// next goes up to the next block of the index.
func (r *sectionReader) skip(to *Key) {
	offset, until := r.index.around(to)
	if offset <= r.at {
		if r.read == 0 {
			r.until = until
		}
		return
	}
	r.unread, r.left = nil, r.left-(offset-r.at)
	r.at, r.until = offset, until
	r.seeks++
}

// key is the next key of the block at hand.
func (r *sectionReader) key() *Key { return &r.block[r.next] }

// entryAt is what the block at hand says of its i-th key. In a run without times a key is just seen.
func (r *sectionReader) entryAt(i int) entry {
	if !r.from.timed {
		return entry{time: 1}
	}
	return r.entries[i]
}

// advance goes on to the next key, if need be of the next block; false at the end of the section.
func (r *sectionReader) advance() (bool, error) {
	if r.next++; r.next < len(r.block) {
		return true, nil
	}
	return r.more()
}

// more reads the next block; false at the end of the section.
func (r *sectionReader) more() (bool, error) {
	whole := r.at == r.until && len(r.unread) > 0 // there is a block in what is unread
	if len(r.unread) < runBlockMost && r.left > 0 && !whole {
		n := copy(r.buf, r.unread)
		fresh := int(min(r.left, int64(len(r.buf)-n)))
		if r.until > r.at {
			fresh = int(min(int64(fresh), r.until-r.at))
		}
		if _, err := io.ReadFull(io.NewSectionReader(r.from.file, r.at, int64(fresh)), r.buf[n:n+fresh]); err != nil {
			return false, fmt.Errorf("read keys: %s: byte %d: %w", r.from.file.Name(), r.at, err)
		}
		r.read += int64(fresh)
		r.at += int64(fresh)
		r.left -= int64(fresh)
		r.unread = r.buf[:n+fresh]
	}
	if len(r.unread) == 0 {
		return false, nil
	}
	n, size := decodeBlock(r.unread, r.from.timed, &r.keys, &r.entries)
	if n == 0 {
		return false, fmt.Errorf("read keys: %w", &DamageError{r.from.file.Name(), r.position(), "the block there is corrupt"})
	}
	r.index.note(&r.keys[0], r.position())
	r.unread = r.unread[size:]
	r.block, r.next = r.keys[:n], 0
	return true, nil
}

// position is the file offset of the next block.
func (r *sectionReader) position() int64 { return r.at - int64(len(r.unread)) }

// decodeBlock reads the block that data begins with, with what it says of its keys if it is timed, and
// gives the number of its keys and its size; 0 if it isn't one.
func decodeBlock(data []byte, timed bool, keys *[runBlockKeys]Key, entries *[runBlockKeys]entry) (n, size int) {
	if len(data) < runBlockHeader {
		return 0, 0
	}
	first := binary.LittleEndian.Uint64(data)
	n, width, flags := int(binary.LittleEndian.Uint16(data[8:])), int(data[10]), data[11]
	at := runBlockHeader
	size = at + n*(width+8)
	if timed {
		at = timedHeader
		size = at + n*(width+8+entrySize(flags))
	}
	if n == 0 || n > runBlockKeys || width > 8 || size > len(data) || !flagsRight(flags, timed) {
		return 0, 0
	}
	if blockSum(data[:size]) != binary.LittleEndian.Uint32(data[12:]) {
		return 0, 0
	}
	mask := uint64(1)<<(8*width) - 1 // all bits for 8
	word := first
	for i := range keys[:n] {
		word += binary.LittleEndian.Uint64(data[at:at+8]) & mask
		keys[i] = Key{word, binary.LittleEndian.Uint64(data[at+width : at+width+8])}
		at += width + 8
	}
	if timed {
		decodeEntries(data, at, entries[:n])
	}
	return n, size
}

func flagsRight(flags byte, timed bool) bool {
	if !timed {
		return flags == 0
	}
	return flags&^(blockKinds|blockTimeWidths) == blockTimed && flags&blockTimeWidths <= 4
}

// entrySize is the number of bytes that a block with these flags has for a key's time and kind.
func entrySize(flags byte) int { return int(flags&blockTimeWidths) + int(flags&blockKinds/blockKinds) }

// decodeEntries reads what the block says of its keys, which is written from at on.
func decodeEntries(data []byte, at int, entries []entry) {
	least, width := binary.LittleEndian.Uint32(data[runBlockHeader:]), int(data[11]&blockTimeWidths)
	for i := range entries {
		time := uint32(0)
		for b := range width {
			time |= uint32(data[at+b]) << (8 * b)
		}
		entries[i] = entry{time: least + time}
		at += width
	}
	if data[11]&blockKinds == 0 {
		return
	}
	for i := range entries {
		if entries[i].kind = entryKind(data[at+i]); entries[i].kind == forgotten {
			entries[i].time = 0
		}
	}
}

func less(a, b *Key) bool { return a[0] < b[0] || a[0] == b[0] && a[1] < b[1] }

func compareKeys(a, b Key) int {
	switch {
	case less(&a, &b):
		return -1
	case a == b:
		return 0
	}
	return 1
}
