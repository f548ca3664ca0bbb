package extsort

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"unsafe"
)

// A row is the same bytes in memory and in a run: lengths of key and value, as 4-byte little-endian numbers, the key,
// the value.
const rowHeader = 8

func rowBytes(key, value []byte) int { return rowHeader + len(key) + len(value) }

func appendRow(dst, key, value []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(key)))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(value)))
	return append(append(dst, key...), value...)
}

// splitRow gives the first row of b, and its key.
func splitRow(b []byte) (row, key []byte) {
	k, v := int(binary.LittleEndian.Uint32(b)), int(binary.LittleEndian.Uint32(b[4:]))
	return b[: rowHeader+k+v : rowHeader+k+v], b[rowHeader : rowHeader+k : rowHeader+k]
}

// entry is a row in a block. Sorting moves entries, never rows.
type entry struct {
	word uint64 // 8 bytes of the key, from some depth on, as a big-endian number; 0 where there are none
	at   uint64 // offset of the row: it grows with the order of arrival
}

const entryBytes = int(unsafe.Sizeof(entry{}))

// block is memory that is filled with rows from the bottom up, and with their entries from the top down.
//
//	len(mem) % entryBytes == 0
//	used + rows*entryBytes <= len(mem)
type block struct {
	mem  []byte
	used int // bytes of rows
	rows int
}

func (b *block) reset() { b.used, b.rows = 0, 0 }

// entries are those of all rows, the one that came last in front until they are sorted.
func (b *block) entries() []entry {
	if b.rows == 0 {
		return nil
	}
	return unsafe.Slice((*entry)(unsafe.Pointer(&b.mem[len(b.mem)-b.rows*entryBytes])), b.rows)
}

// fits reports whether there is room for one more row of so many bytes.
func (b *block) fits(size int) bool { return b.used+size+(b.rows+1)*entryBytes <= len(b.mem) }

// add adds a row that fits.
func (b *block) add(key, value []byte) {
	at := b.used
	b.used = len(appendRow(b.mem[:at], key, value))
	b.rows++
	b.entries()[0] = entry{b.word(uint64(at), 0), uint64(at)}
}

func (b *block) key(at uint64) []byte {
	_, key := splitRow(b.mem[at:b.used])
	return key
}

func (b *block) row(at uint64) []byte {
	row, _ := splitRow(b.mem[at:b.used])
	return row
}

// word gives 8 bytes of a row's key from a depth on. Where the key ends, zeros follow.
func (b *block) word(at uint64, depth int) uint64 {
	left := int(binary.LittleEndian.Uint32(b.mem[at:])) - depth
	if left <= 0 {
		return 0
	}
	from := int(at) + rowHeader + depth
	if from+8 > len(b.mem) {
		var last [8]byte
		copy(last[:], b.mem[from:from+min(left, 8)])
		return binary.BigEndian.Uint64(last[:])
	}
	w := binary.BigEndian.Uint64(b.mem[from:])
	if left < 8 {
		w &= ^uint64(0) << (64 - 8*left)
	}
	return w
}

// group is a range of entries whose keys agree in all bytes before depth; their words are those at depth.
type group struct{ from, to, depth int }

// smallGroup is the size up to which keys are compared whole, rather than word by word.
const smallGroup = 12

// sort puts the entries in order: a multikey quicksort over words of 8 bytes. The words of a group are sorted; those that
// are equal make a group of their own, with the words after them.
func (b *block) sort() {
	all := b.entries()
	groups := []group{{0, len(all), 0}}
	for len(groups) > 0 {
		g := groups[len(groups)-1]
		groups = groups[:len(groups)-1]
		entries := all[g.from:g.to]
		if len(entries) <= smallGroup {
			slices.SortFunc(entries, func(x, y entry) int { return b.compare(x, y, g.depth) })
			continue
		}
		slices.SortFunc(entries, func(x, y entry) int { return cmp.Compare(x.word, y.word) })
		for from := 0; from < len(entries); {
			to := from + 1
			for to < len(entries) && entries[to].word == entries[from].word {
				to++
			}
			if to-from > 1 {
				ended := b.deepen(entries[from:to], g.depth+8)
				if to-from-ended > 1 {
					groups = append(groups, group{g.from + from + ended, g.from + to, g.depth + 8})
				}
			}
			from = to
		}
	}
}

// compare is the whole comparison of two rows whose keys agree before depth.
func (b *block) compare(x, y entry, depth int) int {
	if x.word != y.word {
		return cmp.Compare(x.word, y.word)
	}
	k, l := b.key(x.at), b.key(y.at)
	if c := bytes.Compare(k[min(depth, len(k)):], l[min(depth, len(l)):]); c != 0 {
		return c
	}
	return cmp.Compare(x.at, y.at)
}

// deepen gives entries of equal words the words at depth. Keys that end before are in front then, and in order: they
// differ by zeros at their ends at most. It says how many these are.
func (b *block) deepen(entries []entry, depth int) (ended int) {
	for i := range entries {
		e := entries[i]
		if int(binary.LittleEndian.Uint32(b.mem[e.at:])) <= depth {
			entries[i], entries[ended] = entries[ended], e
			ended++
			continue
		}
		entries[i].word = b.word(e.at, depth)
	}
	if ended > 1 {
		slices.SortFunc(entries[:ended], func(x, y entry) int {
			return cmp.Or(cmp.Compare(len(b.key(x.at)), len(b.key(y.at))), cmp.Compare(x.at, y.at))
		})
	}
	return ended
}
