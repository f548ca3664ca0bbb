//go:build unix

package dedup

import (
	"fmt"
	"os"
	"syscall"
	"unsafe"
)

// mapped is the size in bytes from which a table lies outside the heap. The collector lets the
// heap grow to a multiple of what is in use, so that tables on it, and the ones that they replaced, would take
// about twice the memory that the set may use.
const mapped = 64 << 10

// newSlots makes n empty slots.
func newSlots(n int) ([]Key, error) {
	size := roundUp(int64(n) * keyBytes)
	if size < mapped {
		return make([]Key, n), nil
	}
	m, err := syscall.Mmap(-1, 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("map %d bytes of memory: %w", size, err)
	}
	return unsafe.Slice((*Key)(unsafe.Pointer(unsafe.SliceData(m))), n), nil
}

// freeSlots gives back what newSlots made.
func freeSlots(s []Key) {
	size := roundUp(int64(len(s)) * keyBytes)
	if size < mapped {
		return
	}
	// It can fail only for a slice that isn't a mapping: one made on the heap because mapping failed.
	_ = syscall.Munmap(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), size))
}

var pageSize = int64(os.Getpagesize())

// roundUp gives the memory, in bytes, that a table of so many bytes takes.
func roundUp(n int64) int64 {
	if n < mapped {
		return n
	}
	return (n + pageSize - 1) / pageSize * pageSize
}
