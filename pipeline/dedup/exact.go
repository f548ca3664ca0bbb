package dedup

import "errors"

// ErrFull is wrapped by the error of a Claim that the set has no memory for. Nothing of that call was
// claimed; all that was claimed before stands.
var ErrFull = errors.New("the set of seen keys has used up its memory")

// Exact is a Set that keeps every key in memory.
type Exact struct{ max int64 }

// NewExact makes an empty set that may use so many bytes. 0 is DefaultMemory.
func NewExact(memory int64) *Exact { return &Exact{memory} }

// DefaultMemory is half of the memory that the process may use: of its control group's limit or of the
// machine's memory, whichever is lower.
func DefaultMemory() int64 { return 1 << 30 }

// NewNone makes a Set that says New to every key.
func NewNone() Set { return none{} }

type none struct{}

func (none) Claim(_ []Key, verdicts []Verdict) error {
	clear(verdicts) // New
	return nil
}
func (none) Defer(Key, []byte) error              { return nil }
func (none) Resolve(func(row []byte) error) error { return nil }
func (none) Sync() error                          { return nil }
func (none) Close() error                         { return nil }
