package dedup

import (
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"slices"
)

// commit is what a state is made of: runs, journals from the first on up to the record that it stands in,
// and the few values that it holds itself. Its record:
//
//	0  uint64  number of the commit, from 1
//	8  uint64  keys that were emitted since the state was made
//	16 uint32  the time before which all is forgotten
//	20 uint32  when the zero key was emitted, 0 for never
//	24 uint32  runs
//	28 uint32  journals before the one that the record is in
//	32 uint32  bytes of progress
//	36 uint32  the number of the next run: none is used twice
//	40         for each run, the older first, its number and level (uint32), its keys and bytes (uint64), the
//	           checksum of its table of sections and 0 (uint32)
//	           for each journal its number and 0 (uint32), and its bytes (uint64)
//	           progress
type commit struct {
	number   uint64
	emitted  uint64
	floor    uint32
	zero     uint32
	nextRun  uint32
	runs     []runID
	journals []journalID
	progress []byte
}

// runID is what a commit says of a run.
type runID struct {
	number, level uint32
	keys, bytes   int64
	sum           uint32
}

// journalID is what a commit says of a journal.
type journalID struct {
	number uint32
	bytes  int64
}

const (
	commitHeader = 40
	commitRun    = 32
	commitFile   = 16
)

func (c *commit) encode() []byte {
	le := binary.LittleEndian
	b := le.AppendUint64(nil, c.number)
	b = le.AppendUint64(b, c.emitted)
	for _, v := range []uint32{c.floor, c.zero, uint32(len(c.runs)), uint32(len(c.journals)), uint32(len(c.progress)), c.nextRun} {
		b = le.AppendUint32(b, v)
	}
	for _, r := range c.runs {
		b = le.AppendUint32(le.AppendUint32(b, r.number), r.level)
		b = le.AppendUint64(le.AppendUint64(b, uint64(r.keys)), uint64(r.bytes))
		b = le.AppendUint32(le.AppendUint32(b, r.sum), 0)
	}
	for _, j := range c.journals {
		b = le.AppendUint64(le.AppendUint32(le.AppendUint32(b, j.number), 0), uint64(j.bytes))
	}
	return append(b, c.progress...)
}

// decodeCommit reads the payload of a commit; false if it isn't one.
func decodeCommit(b []byte) (c commit, ok bool) {
	le := binary.LittleEndian
	if len(b) < commitHeader {
		return c, false
	}
	c.number, c.emitted = le.Uint64(b), le.Uint64(b[8:])
	c.floor, c.zero = le.Uint32(b[16:]), le.Uint32(b[20:])
	runs, journals, progress := int64(le.Uint32(b[24:])), int64(le.Uint32(b[28:])), int64(le.Uint32(b[32:]))
	c.nextRun = le.Uint32(b[36:])
	b = b[commitHeader:]
	if int64(len(b)) != runs*commitRun+journals*commitFile+progress {
		return c, false
	}
	for range runs {
		c.runs = append(c.runs, runID{le.Uint32(b), le.Uint32(b[4:]), int64(le.Uint64(b[8:])), int64(le.Uint64(b[16:])), le.Uint32(b[24:])})
		b = b[commitRun:]
	}
	for range journals {
		c.journals = append(c.journals, journalID{le.Uint32(b), int64(le.Uint64(b[8:]))})
		b = b[commitFile:]
	}
	if len(b) > 0 {
		c.progress = slices.Clone(b)
	}
	return c, true
}

// place is where in the journals something ends.
type place struct {
	journal uint32
	end     int64
}

func (p place) before(q place) bool {
	return p.journal < q.journal || p.journal == q.journal && p.end < q.end
}

// mark is the file that says which commit was durable: it is written after the commit, over the one before, so what
// is damaged before its place was whole once, and what is damaged after it is what a crash left of a commit that never
// was. It is needed to tell these two apart, and to repair.
//
//	0  8 bytes "urisvcmt"
//	8  uint32  format version
//	12 uint32  number of the journal that the commit is in
//	16 uint64  offset of the end of the commit's record
//	24 8 bytes key id of the state
//	32 uint32  bytes of the payload
//	36 uint32  CRC-32C of what is before it: these 40 bytes are in one sector, so that a crash leaves the old or the new ones
//	40         the payload of the commit's record
//	   uint32  CRC-32C of all before it
type mark struct {
	place
	commit *commit // nil: not readable
}

const (
	markMagic  = "urisvcmt"
	markHeader = 40
)

func keyIDBytes(id string) []byte {
	b, _ := hex.DecodeString(id) // made by keyID, or compared with what was
	return append(b, make([]byte, 8)...)[:8]
}

func encodeMark(at place, payload []byte, keyID string) []byte {
	le := binary.LittleEndian
	b := append(make([]byte, 0, markHeader+len(payload)), markMagic...)
	b = le.AppendUint32(le.AppendUint32(b, stateFormat), at.journal)
	b = append(le.AppendUint64(b, uint64(at.end)), keyIDBytes(keyID)...)
	b = le.AppendUint32(b, uint32(len(payload)))
	b = append(le.AppendUint32(b, crc32.Checksum(b, castagnoli)), payload...)
	return le.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// decodeMark reads the bytes of the file, which may go on after the mark; false if the first 40 aren't a mark's.
func decodeMark(b []byte, keyID string) (m mark, ok bool) {
	le := binary.LittleEndian
	if len(b) < markHeader || crc32.Checksum(b[:36], castagnoli) != le.Uint32(b[36:]) {
		return m, false
	}
	if string(b[:8]) != markMagic || le.Uint32(b[8:]) != stateFormat || string(b[24:32]) != string(keyIDBytes(keyID)) {
		return m, false
	}
	m.place = place{le.Uint32(b[12:]), int64(le.Uint64(b[16:]))}
	end := markHeader + int64(le.Uint32(b[32:]))
	if int64(len(b)) < end+4 || crc32.Checksum(b[:end], castagnoli) != le.Uint32(b[end:]) {
		return m, true
	}
	if c, ok := decodeCommit(b[markHeader:end]); ok {
		m.commit = &c
	}
	return m, true
}
