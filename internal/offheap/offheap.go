// Package offheap gives memory outside the Go heap. The collector lets the heap grow to a multiple of what is
// in use, so that large tables on it, and those that they replaced, would take about twice what they hold; and it
// leaves pages out of account that were never touched, which these don't take either.
package offheap

import "os"

var pageSize = int64(os.Getpagesize())

// Round gives the memory, in bytes, that Alloc takes for so many.
func Round(n int64) int64 { return (n + pageSize - 1) / pageSize * pageSize }
