package dedup

import "fmt"

// DamageError tells of a place in a file that isn't as it was written. It wraps ErrCorrupt.
type DamageError struct {
	File string
	Byte int64  // where, or from where on
	What string // "the block there is corrupt"
}

// Error says where, and what.
func (e *DamageError) Error() string {
	return fmt.Sprintf("%s: byte %d: %s", e.File, e.Byte, e.What)
}

// Unwrap gives ErrCorrupt.
func (e *DamageError) Unwrap() error { return ErrCorrupt }
