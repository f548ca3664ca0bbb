package dedup

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"slices"

	"github.com/urisieve/urisieve/internal/fsys"
)

// A journal is a header of 32 bytes,
//
//	0  8 bytes "urisvjnl"
//	8  uint32  format version
//	12 uint32  number of the journal
//	16 8 bytes key id of the state
//	24 uint32  0
//	28 uint32  CRC-32C of what is before it
//
// and records, of a header of 12 bytes and a payload:
//
//	0  uint32  bytes of the payload
//	4  uint8   kind, and 3 bytes 0
//	8  uint32  CRC-32C of the journal's number (uint32), the record's offset (uint64), the 8 bytes before, and the payload
//
// All numbers are little-endian.
const (
	journalMagic  = "urisvjnl"
	journalHeader = 32
	recordHeader  = 12
)

// Kinds of records.
const (
	recordKeys   = 1 // changes of keys
	recordHosts  = 2 // hosts that were forgotten, and until when
	recordCommit = 3 // all before it is part of the state
)

const (
	chunkKeys     = 2048
	journalBuffer = 64 << 10
)

// fileHeader is the header of a journal or a run.
func fileHeader(magic string, number uint32, keyID string) []byte {
	h := make([]byte, 0, journalHeader)
	h = append(h, magic...)
	h = binary.LittleEndian.AppendUint32(h, stateFormat)
	h = binary.LittleEndian.AppendUint32(h, number)
	h = append(h, keyIDBytes(keyID)...)
	h = binary.LittleEndian.AppendUint32(h, 0)
	return binary.LittleEndian.AppendUint32(h, crc32.Checksum(h, castagnoli))
}

// journalFile is a journal, all or the first size bytes of it.
type journalFile struct {
	number uint32
	file   fsys.File
	size   int64
	synced bool
}

func journalName(number uint32) string { return fmt.Sprintf("journal-%06d", number) }

// journal writes the journals of a state. Faults are kept, and told by flush.
type journal struct {
	files fsys.FS
	dir   string
	keyID string
	live  []*journalFile // from the first one that the next commit needs to the one that is written
	buf   []byte         // records that aren't written yet
	keys  []Key          // changes that aren't in a record yet
	times []uint32
	fault error
}

func (j *journal) last() *journalFile { return j.live[len(j.live)-1] }

// bytes is the length of all that are live.
func (j *journal) bytes() (n int64) {
	for _, f := range j.live {
		n += f.size
	}
	return n
}

// begin begins the next journal.
func (j *journal) begin(number uint32) error {
	if len(j.live) > 0 {
		if err := j.flush(); err != nil {
			return err
		}
	}
	f, err := j.files.OpenFile(filepath.Join(j.dir, journalName(number)), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("begin a journal: %w", err)
	}
	j.live = append(j.live, &journalFile{number: number, file: f, size: journalHeader})
	j.buf = append(j.buf, fileHeader(journalMagic, number, j.keyID)...)
	return nil
}

// change adds a change of a key: it was emitted at time, or forgotten (0).
func (j *journal) change(k *Key, time uint32) {
	j.keys, j.times = append(j.keys, *k), append(j.times, time)
	if len(j.keys) == chunkKeys {
		j.endChunk()
	}
}

func (j *journal) endChunk() {
	if len(j.keys) == 0 {
		return
	}
	at := j.beginRecord(recordKeys)
	j.buf = appendChanges(j.buf, j.keys, j.times)
	j.endRecord(at)
	j.keys, j.times = j.keys[:0], j.times[:0]
}

// beginRecord makes room for the header of a record, of which endRecord is told where it is.
func (j *journal) beginRecord(kind byte) (at int) {
	at = len(j.buf)
	j.buf = append(j.buf, 0, 0, 0, 0, kind, 0, 0, 0, 0, 0, 0, 0)
	return at
}

func (j *journal) endRecord(at int) {
	r := j.buf[at:]
	f := j.last()
	f.synced = false
	binary.LittleEndian.PutUint32(r, uint32(len(r)-recordHeader))
	binary.LittleEndian.PutUint32(r[8:], recordSum(f.number, f.size, r))
	f.size += int64(len(r))
	if len(j.buf) >= journalBuffer {
		j.write()
	}
}

// recordSum is the checksum of a record that stands at an offset of a journal.
func recordSum(number uint32, offset int64, record []byte) uint32 {
	var place [12]byte
	binary.LittleEndian.PutUint32(place[:], number)
	binary.LittleEndian.PutUint64(place[4:], uint64(offset))
	sum := crc32.Update(crc32.Checksum(place[:], castagnoli), castagnoli, record[:8])
	return crc32.Update(sum, castagnoli, record[recordHeader:])
}

func (j *journal) write() {
	if j.fault != nil {
		return
	}
	if _, err := j.last().file.Write(j.buf); err != nil {
		j.fault = fmt.Errorf("write the journal: %w", err)
	}
	j.buf = j.buf[:0]
}

// flush writes all that was added.
func (j *journal) flush() error {
	j.endChunk()
	if len(j.buf) > 0 {
		j.write()
	}
	return j.fault
}

// hosts adds when hosts were forgotten.
func (j *journal) hosts(hosts map[Key]uint32) {
	if len(hosts) == 0 {
		return
	}
	j.endChunk()
	at := j.beginRecord(recordHosts)
	for _, host := range sortedHosts(hosts) {
		j.buf = appendHost(j.buf, host, hosts[host])
	}
	j.endRecord(at)
}

// commit adds a commit and makes the journal durable, and gives the offset of its end.
func (j *journal) commit(payload []byte) (end int64, err error) {
	j.endChunk()
	at := j.beginRecord(recordCommit)
	j.buf = append(j.buf, payload...)
	j.endRecord(at)
	if err := j.sync(j.live[len(j.live)-1:]); err != nil {
		return 0, err
	}
	return j.last().size, nil
}

// syncEarlier makes the journals durable that come before the one that is written.
func (j *journal) syncEarlier() error { return j.sync(j.live[:len(j.live)-1]) }

func (j *journal) sync(files []*journalFile) error {
	if err := j.flush(); err != nil {
		return err
	}
	for _, f := range files {
		if f.synced {
			continue
		}
		if err := f.file.Sync(); err != nil {
			return fmt.Errorf("sync the journal: %w", err)
		}
		f.synced = true
	}
	return nil
}

// retire takes the journals before one with that number out of those that are live.
func (j *journal) retire(first uint32) (retired []*journalFile) {
	n := 0
	for j.live[n].number < first {
		n++
	}
	retired = append(retired, j.live[:n]...)
	j.live = append(j.live[:0], j.live[n:]...)
	return retired
}

func (j *journal) close() error {
	var faults []error
	for _, f := range j.live {
		faults = append(faults, f.file.Close())
	}
	return errors.Join(faults...)
}

func sortedHosts(hosts map[Key]uint32) []Key {
	return slices.SortedFunc(maps.Keys(hosts), compareKeys)
}

func appendKey(dst []byte, k Key) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, k[0])
	return binary.LittleEndian.AppendUint64(dst, k[1])
}

func readKey(data []byte) Key {
	return Key{binary.LittleEndian.Uint64(data), binary.LittleEndian.Uint64(data[8:])}
}

func appendHost(dst []byte, host Key, at uint32) []byte {
	return binary.LittleEndian.AppendUint32(appendKey(dst, host), at)
}

// eachHost reads the payload of recordHosts; false if it isn't one.
func eachHost(payload []byte, f func(host Key, at uint32)) bool {
	const size = keyBytes + 4
	for ; len(payload) >= size; payload = payload[size:] {
		f(readKey(payload), binary.LittleEndian.Uint32(payload[keyBytes:]))
	}
	return len(payload) == 0
}

// appendChanges appends the payload of recordKeys:
//
//	0  uint32  changes
//	4  uint32  the least time
//	8  uint8   width: bytes of a time, 0 to 4, and 3 bytes 0
//	12         for each, its key (16 bytes), and its time, less the least one (width bytes)
//
// A time of 0 is that of a key that was forgotten.
func appendChanges(dst []byte, keys []Key, times []uint32) []byte {
	least, most := uint32(math.MaxUint32), uint32(0)
	for _, t := range times {
		least, most = min(least, t), max(most, t)
	}
	width := (bits.Len32(most-least) + 7) / 8
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(keys)))
	dst = binary.LittleEndian.AppendUint32(dst, least)
	dst = append(dst, byte(width), 0, 0, 0)
	for i, k := range keys {
		dst = appendKey(dst, k)
		var time [4]byte
		binary.LittleEndian.PutUint32(time[:], times[i]-least)
		dst = append(dst, time[:width]...)
	}
	return dst
}

// readChanges reads the payload of recordKeys, appending to keys and times; false if it isn't one.
func readChanges(payload []byte, keys []Key, times []uint32) ([]Key, []uint32, bool) {
	const header = 12
	if len(payload) < header || payload[8] > 4 {
		return keys, times, false
	}
	n, least, width := int64(binary.LittleEndian.Uint32(payload)), binary.LittleEndian.Uint32(payload[4:]), int(payload[8])
	payload = payload[header:]
	if int64(len(payload)) != n*int64(keyBytes+width) {
		return keys, times, false
	}
	for ; len(payload) > 0; payload = payload[keyBytes+width:] {
		var time [4]byte
		copy(time[:], payload[keyBytes:keyBytes+width])
		keys, times = append(keys, readKey(payload)), append(times, least+binary.LittleEndian.Uint32(time[:]))
	}
	return keys, times, true
}

// journalReader reads the records of a journal in order.
type journalReader struct {
	name   string
	number uint32
	file   fsys.File
	in     *bufio.Reader
	at     int64 // offset of the next record
	size   int64 // of what is read
	record []byte
}

// newJournalReader reads the first size bytes of a journal. The error is of the disk, or a DamageError.
func newJournalReader(f *journalFile, size int64, keyID string) (*journalReader, error) {
	header := io.NewSectionReader(f.file, 0, journalHeader)
	if err := checkFileHeader(header, f.file.Name(), size, fileHeader(journalMagic, f.number, keyID)); err != nil {
		return nil, err
	}
	return resumeJournal(f, journalHeader, size), nil
}

// checkFileHeader reads the header of a file and holds it against what it must be.
func checkFileHeader(in io.Reader, name string, size int64, want []byte) error {
	if size < int64(len(want)) {
		return &DamageError{name, size, "the file ends within its header"}
	}
	got := make([]byte, len(want))
	if _, err := io.ReadFull(in, got); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for i := range want {
		if got[i] != want[i] {
			return &DamageError{name, int64(i), "the header is corrupt, or the file isn't of this state"}
		}
	}
	return nil
}

// next gives the next record, which is overwritten by the one after it. The error is io.EOF at the end, a DamageError,
// or of the disk.
func (r *journalReader) next() (kind byte, payload []byte, err error) {
	left := r.size - r.at
	if left == 0 {
		return 0, nil, io.EOF
	}
	torn := &DamageError{r.name, r.at, "the record there is cut short"}
	if left < recordHeader {
		return 0, nil, torn
	}
	r.record = append(r.record[:0], make([]byte, recordHeader)...)
	if _, err := io.ReadFull(r.in, r.record); err != nil {
		return 0, nil, fmt.Errorf("%s: byte %d: %w", r.name, r.at, err)
	}
	length := int64(binary.LittleEndian.Uint32(r.record))
	if length > left-recordHeader {
		return 0, nil, torn
	}
	r.record = append(r.record, make([]byte, length)...)
	if _, err := io.ReadFull(r.in, r.record[recordHeader:]); err != nil {
		return 0, nil, fmt.Errorf("%s: byte %d: %w", r.name, r.at, err)
	}
	if recordSum(r.number, r.at, r.record) != binary.LittleEndian.Uint32(r.record[8:]) {
		return 0, nil, &DamageError{r.name, r.at, "the record there is corrupt"}
	}
	r.at += int64(len(r.record))
	return r.record[4], r.record[recordHeader:], nil
}
