package dedup

import (
	"fmt"
	"math/bits"
)

// filter tells of most keys that aren't in a run that they aren't: a blocked Bloom filter, as Bloom is. What it says
// is right whatever it holds; the fuller it is, the less often it says something. nil says nothing.
type filter struct {
	slots  []Key // block i is slots[4i:4i+4]
	blocks uint64
}

// filterProbes is the number of bits of a key: with 10 bits of memory for each, one new key in 80 is taken for one
// that may be there.
const filterProbes = 6

// newFilter makes an empty one of so many bytes, nil for less than a block.
func newFilter(bytes int64) (*filter, error) {
	n := bytes / (blockBits / 8)
	if n == 0 {
		return nil, nil //nolint:nilnil // it is none
	}
	slots, err := newSlots(int(n * blockKeys))
	if err != nil {
		return nil, fmt.Errorf("a filter of %s: %w", mebibytes(bytes), err)
	}
	return &filter{slots, uint64(n)}, nil
}

func (f *filter) close() {
	if f != nil && f.slots != nil {
		freeSlots(f.slots)
		f.slots = nil
	}
}

func (f *filter) blockOf(k *Key) uint64 {
	hi, _ := bits.Mul64(k[0], f.blocks)
	return hi * blockKeys
}

// lacks reports that a key was not added. False says nothing.
func (f *filter) lacks(k *Key) bool {
	if f == nil {
		return false
	}
	in := (*block)(f.slots[f.blockOf(k):])
	choice := k[1]
	for range filterProbes {
		if w, bit := bitOf(in, choice); *w&bit == 0 {
			return true
		}
		choice >>= bitBits
	}
	return false
}

func (f *filter) add(k *Key) {
	in := (*block)(f.slots[f.blockOf(k):])
	choice := k[1]
	for range filterProbes {
		w, bit := bitOf(in, choice)
		*w |= bit
		choice >>= bitBits
	}
}

// addTable adds the keys of a table that may not be in a run yet.
func (f *filter) addTable(t *table) {
	if f == nil {
		return
	}
	for i := range t.slots {
		if k := &t.slots[i]; *k != (Key{}) && (!t.tagged || t.tags[i] != tagStored) {
			f.add(k)
		}
	}
}

// addRun adds all keys of a run.
func (f *filter) addRun(r *run, reader *sectionReader) error {
	for shard := range r.sections {
		if r.sections[shard].keys == 0 {
			continue
		}
		reader.open(r, shard)
		for {
			ok, err := reader.more()
			if err != nil {
				return err
			}
			if !ok {
				break
			}
			for i := range reader.block {
				f.add(&reader.block[i])
			}
		}
	}
	return nil
}
