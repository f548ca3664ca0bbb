//go:build !unix

package dedup

// newSlots makes n empty slots.
func newSlots(n int) ([]Key, error) { return make([]Key, n), nil }

// freeSlots leaves them to the collector.
func freeSlots([]Key) {}

func roundUp(n int64) int64 { return n }
