package dedup

// Key is the keyed 128-bit fingerprint of what is compared: url, or the key text where key rules
// are on.
type Key [2]uint64

// Verdict is what a Set says about a key.
type Verdict uint8

// Verdicts.
const (
	New     Verdict = iota // the first one: it wins
	Seen                   // there was one before
	Pending                // known after a later merge
)

// Set remembers which keys were there. The settle goroutine of one lane calls it, in order; it
// need not be safe for concurrent use.
type Set interface {
	// Claim decides keys[i] into verdicts[i], in order; within one call, too, the first one wins.
	// What it claims isn't durable before Sync, and must not survive a crash before it.
	Claim(keys []Key, verdicts []Verdict) error
	// Defer keeps the row of a Pending key until Resolve. Part of what Sync makes durable.
	Defer(key Key, row []byte) error
	// Resolve hands out deferred rows that turned out to be New, in a deterministic order.
	Resolve(emit func(row []byte) error) error
	// Sync makes all claims so far durable.
	Sync() error
	Close() error
}
