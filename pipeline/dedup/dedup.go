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
	// What it claims isn't durable before Sync, and must not survive a crash before it. Only a
	// DeferringSet says Pending.
	Claim(keys []Key, verdicts []Verdict) error
	// Sync makes all claims so far durable.
	Sync() error
	Close() error
}

// DeferringSet is a Set that may answer Pending: whether the key is new is known later. Its Pending
// answers are numbered from 0, in the order in which they were given. A later claim of a key that
// is pending is Seen, or, in a set whose keys expire, Pending too.
type DeferringSet interface {
	Set
	// Known is the number of Pending answers whose verdicts are known without a gap from the first on.
	Known() uint64
	// Take gives the verdict, New or Seen, of the Pending answer with that number, which must be the
	// one after the number taken last, and less than Known.
	Take(number uint64) Verdict
	// Settle makes all verdicts known.
	Settle() error
}
