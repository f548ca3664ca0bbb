package extsort

import "github.com/urisieve/urisieve/internal/fsys"

// NewSmall makes a Sorter whose blocks have so many bytes and whose frames are of 512, so that a few rows are much.
func NewSmall(scratch fsys.Scratch, block int64) *Sorter {
	s := New(Options{Scratch: scratch})
	s.sizes = sizes{block: block, spare: int64(4 * frameBuffers(512)), frame: 512, fanIn: 3, lastFanIn: 4}
	return s
}

// SortInMemory puts rows in order in a block that has room for them.
func SortInMemory(keys [][]byte, size int) (order []int) {
	b := &block{mem: make([]byte, (size+len(keys)*(rowHeader+8+entryBytes))/entryBytes*entryBytes+entryBytes)}
	number := map[uint64]int{}
	for i, k := range keys {
		number[uint64(b.used)] = i
		b.add(k, nil)
	}
	b.sort()
	for _, e := range b.entries() {
		order = append(order, number[e.at])
	}
	return order
}
