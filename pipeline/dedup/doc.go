// Package dedup remembers which keys were seen.
//
// A key is a keyed 128-bit fingerprint (Hasher) of the text that is compared. The secret keeps
// anyone who chooses URIs from making two whose keys are equal, which would lose one of them; by chance
// that happens among 10^10 keys with a probability of 10^-19.
//
// A Set is asked a batch of keys at a time, in order, and the first one of a key wins. There are
// Exact, which keeps every key in memory; Spilling, which keeps on disk what memory has no room for; State, which lives in a
// directory, and outlives the process; Bloom, which keeps a few bits of each and calls a known share of
// the new keys seen; and None, which knows nothing and calls every key new.
package dedup
