package dedup

import "sort"

// blockIndex says where some blocks of a section begin, in ascending order. It is made as the section is
// written, or read for the first time, and takes some 16 bytes for indexStride bytes of the file.
type blockIndex struct {
	first  []uint64 // word 0 of the block's first key
	offset []int64  // in the file
}

// indexStride is the least distance between two blocks of an index, in bytes: some 4,600 keys.
const indexStride = 64 << 10

// note tells of a block. Those that are told of in order, from the start of the section on, make the index.
func (x *blockIndex) note(first *Key, offset int64) {
	n := len(x.offset)
	if n == 0 || offset >= x.offset[n-1]+indexStride {
		x.first, x.offset = append(x.first, first[0]), append(x.offset, offset)
	}
}

// around gives the offset of the last block that is known to begin at or before a key, and that of the next one
// after that, 0 for none.
func (x *blockIndex) around(k *Key) (offset, next int64) {
	// Keys with the same word 0 may begin in the block before.
	i := sort.Search(len(x.first), func(i int) bool { return x.first[i] >= k[0] })
	if i < len(x.offset) {
		next = x.offset[i]
	}
	if i == 0 {
		return 0, next
	}
	return x.offset[i-1], next
}
