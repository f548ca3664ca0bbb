//go:build unix

package offheap

import (
	"fmt"
	"syscall"
)

// Alloc gives n zero bytes, n above 0, aligned to a page. Free gives them back.
func Alloc(n int64) ([]byte, error) {
	m, err := syscall.Mmap(-1, 0, int(Round(n)), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("map %d bytes of memory: %w", n, err)
	}
	return m[:n], nil
}

// Free gives back what Alloc gave, whole. Nothing may use it any more.
func Free(b []byte) {
	if cap(b) == 0 {
		return
	}
	// It can fail only for a slice that isn't a mapping, which is then the collector's.
	_ = syscall.Munmap(b[:cap(b)])
}
