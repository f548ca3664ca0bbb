package dedup

import (
	"unsafe"

	"github.com/urisieve/urisieve/internal/offheap"
)

// mapped is the size in bytes from which a table lies outside the heap, see offheap.
const mapped = 64 << 10

// newSlots makes n empty slots.
func newSlots(n int) ([]Key, error) {
	size := roundUp(int64(n) * keyBytes)
	if size < mapped {
		return make([]Key, n), nil
	}
	m, err := offheap.Alloc(size)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*Key)(unsafe.Pointer(unsafe.SliceData(m))), n), nil
}

// freeSlots gives back what newSlots made.
func freeSlots(s []Key) {
	if size := roundUp(int64(len(s)) * keyBytes); size >= mapped {
		offheap.Free(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), size))
	}
}

// roundUp gives the memory, in bytes, that a table of so many bytes takes.
func roundUp(n int64) int64 {
	if n < mapped {
		return n
	}
	return offheap.Round(n)
}
