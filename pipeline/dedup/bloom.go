package dedup

import (
	"fmt"
	"math"
	"math/bits"
	"sync"
)

const (
	// blockBits is the size of a block: a cache line of 64 bytes, which is four slots of Exact's tables.
	blockBits = 512
	blockKeys = blockBits / 8 / keyBytes

	// maxProbes bounds the bits of a key: Bloom.set has one for each. An error rate of MinErrorRate needs
	// 16.
	maxProbes = 32

	// bitBits choose a bit of a block; a word of 64 bits is good for seven of them.
	bitBits     = 9
	bitsPerWord = 64 / bitBits
)

// Bloom is a Set that forgets the keys and keeps a few bits of each: a blocked Bloom filter (Putze,
// Sanders and Singler, Cache-, hash-, and space-efficient Bloom filters, ACM Journal of Experimental
// Algorithmics 14, 2009). A key has one block, a cache line, and some bits in it. All are set: Seen. One isn't: New,
// and then they are set. So New is always right, while Seen is wrong for a share of the keys that are
// new, the error rate, which grows with the number of keys.
//
// The error rate is known at any moment and exactly, not by a formula for the average: a new key's
// block and bits are independent of all that is set, so among blocks with c of 512 bits set it
// meets set ones only with the probability (c/512)^probes. The set counts its blocks by c. A call that would take the
// rate over the asked one is refused.
//
// That the bits are independent is what the keyed fingerprint is for (Hasher): nobody who doesn't know the secret
// can choose keys that err more often, or fill the set faster.
type Bloom struct {
	capacity int64
	asked    float64 // the error rate that is not passed
	blocks   int64
	probes   int
	bytes    int64

	slots []Key // block i is slots[4i:4i+4]
	touch uint64

	// chance is the probability that a new key, in a block with so many bits set, meets set ones only;
	// byBits counts the blocks with so many bits set.
	chance [blockBits + 1]float64
	byBits [blockBits + 1]int64
	keys   int64
	erring float64 // the sum of chance over all blocks, updated key by key
	lost   float64
	set    []uint32 // which bits each key of the call at hand has set: what undo takes back

	mu    sync.Mutex
	stats BloomStats // as of the last call
}

// BloomStats is what a Bloom knows of itself.
type BloomStats struct {
	Capacity  int64   // keys that it was made for
	ErrorRate float64 // that it was made for, and does not pass
	Keys      int64   // for which it said New
	Bits      int64
	BitsSet   int64
	// Rate is the probability that a key which is new next would be called Seen.
	Rate float64
	// Lost is the expected number of different keys that were Seen from the first time on: for each
	// that was New at a rate r, r/(1-r) were not. It is right on average, whatever came.
	Lost  float64
	Bytes int64
	// Refused is the number of keys, known and repeated ones among them, of the last call that was refused.
	Refused int64
}

// Fill is the share of the bits that are set.
func (s *BloomStats) Fill() float64 { return float64(s.BitsSet) / float64(max(s.Bits, 1)) }

// NewBloom makes an empty set. Options that Validate refuses are an error, and so is memory that the
// system doesn't give.
func NewBloom(o BloomOptions) (*Bloom, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	s := bloomShape(o.Capacity, o.ErrorRate)
	if s.bytes() > math.MaxInt {
		return nil, fmt.Errorf("a Bloom filter of %s is beyond what this system can address", mebibytes(s.bytes()))
	}
	slots, err := newSlots(int(s.blocks * blockKeys))
	if err != nil {
		return nil, fmt.Errorf("a Bloom filter: %w", err)
	}
	b := &Bloom{capacity: o.Capacity, asked: o.ErrorRate, blocks: s.blocks, probes: s.probes, bytes: s.bytes(), slots: slots}
	b.chance = chances(s.probes)
	b.byBits[0] = s.blocks
	b.publish(0)
	return b, nil
}

// Stats are the counts as of the last call. It may be called from any goroutine, and after Close.
func (b *Bloom) Stats() BloomStats {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.stats
}

// Claim implements Set. Its error, if any, wraps ErrFull.
func (b *Bloom) Claim(keys []Key, verdicts []Verdict) error {
	if cap(b.set) < len(keys) {
		b.set = make([]uint32, len(keys)+len(keys)/4)
	}
	set := b.set[:len(keys)]
	before, erring, lost := b.keys, b.erring, b.lost
	for at := 0; at < len(keys); at += group {
		end := min(at+group, len(keys))
		b.claim(keys[at:end], verdicts[at:end], set[at:end])
	}
	rate := b.rate()
	if rate > b.asked && b.keys > before {
		b.undo(keys, set)
		b.keys, b.erring, b.lost = before, erring, lost
		b.refuse(len(keys))
		return fmt.Errorf("%w: %d keys, of a capacity of %d at an error rate of %g, which the next %d would raise to %.3g",
			ErrFull, b.keys, b.capacity, b.asked, len(keys), rate)
	}
	b.publish(rate)
	return nil
}

// claim decides up to a group of keys.
func (b *Bloom) claim(keys []Key, verdicts []Verdict, set []uint32) {
	var at [group]uint64
	touch := uint64(0)
	for i := range keys {
		at[i] = b.blockOf(&keys[i])
		touch ^= b.slots[at[i]*blockKeys][0]
	}
	b.touch = touch
	for i := range keys {
		in := b.block(at[i])
		found := setBits(in)
		set[i] = b.setMissing(in, keys[i][1])
		if set[i] == 0 {
			verdicts[i] = Seen
			continue
		}
		verdicts[i] = New
		now := found + bits.OnesCount32(set[i])
		b.lost += b.erring / (float64(b.blocks) - b.erring)
		b.erring += b.chance[now] - b.chance[found]
		b.byBits[found]--
		b.byBits[now]++
		b.keys++
	}
}

type block = [blockKeys]Key

func (b *Bloom) block(i uint64) *block { return (*block)(b.slots[i*blockKeys:]) }

// blockOf maps the first word of a key to a block.
func (b *Bloom) blockOf(k *Key) uint64 {
	hi, _ := bits.Mul64(k[0], uint64(b.blocks))
	return hi
}

// setMissing sets the bits of a key, given by its second word, and tells which of them were not set.
func (b *Bloom) setMissing(in *block, word uint64) (missing uint32) {
	choice := word
	for i := range b.probes {
		if i > 0 && i%bitsPerWord == 0 {
			word, choice = nextWord(word)
		}
		w, bit := bitOf(in, choice)
		if *w&bit == 0 {
			*w |= bit
			missing |= 1 << i
		}
		choice >>= bitBits
	}
	return missing
}

// undo clears the bits that each key of a call has set.
func (b *Bloom) undo(keys []Key, set []uint32) {
	for i := range keys {
		if set[i] == 0 {
			continue
		}
		in := b.block(b.blockOf(&keys[i]))
		b.byBits[setBits(in)]--
		word := keys[i][1]
		choice := word
		for j := range b.probes {
			if j > 0 && j%bitsPerWord == 0 {
				word, choice = nextWord(word)
			}
			if set[i]>>j&1 != 0 {
				w, bit := bitOf(in, choice)
				*w &^= bit
			}
			choice >>= bitBits
		}
		b.byBits[setBits(in)]++
	}
}

// bitOf is the bit of a block that the low nine bits of choice name, in its word.
func bitOf(in *block, choice uint64) (word *uint64, bit uint64) {
	return &in[choice>>7%blockKeys][choice>>6&1], 1 << (choice & 63)
}

// nextWord makes 64 more bits of a key's word, as splitmix64 does (Steele, Lea and Flood, Fast splittable
// pseudorandom number generators, OOPSLA 2014), for keys of more than seven bits.
func nextWord(state uint64) (next, out uint64) {
	state += 0x9e3779b97f4a7c15
	z := (state ^ state>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return state, z ^ z>>31
}

func setBits(in *block) int {
	n := 0
	for i := range in {
		n += bits.OnesCount64(in[i][0]) + bits.OnesCount64(in[i][1])
	}
	return n
}

// rate is the error rate, from the counts of blocks alone: nothing adds up in it from call to call.
func (b *Bloom) rate() float64 {
	sum := 0.0
	for c, n := range &b.byBits {
		if n != 0 {
			sum += float64(n) * b.chance[c]
		}
	}
	return sum / float64(b.blocks)
}

// refuse notes a call that was refused.
func (b *Bloom) refuse(keys int) {
	b.mu.Lock()
	b.stats.Refused = int64(keys)
	b.mu.Unlock()
}

// publish makes the counts of now those of Stats.
func (b *Bloom) publish(rate float64) {
	s := BloomStats{
		Capacity: b.capacity, ErrorRate: b.asked, Keys: b.keys, Bits: b.blocks * blockBits, Rate: rate, Lost: b.lost, Bytes: b.bytes,
	}
	for c, n := range &b.byBits {
		s.BitsSet += int64(c) * n
	}
	b.mu.Lock()
	s.Refused = b.stats.Refused
	b.stats = s
	b.mu.Unlock()
}

// Sync implements Set. The set doesn't outlive the process: a claim never survives a crash.
func (b *Bloom) Sync() error { return nil }

// Close gives the memory back. Stats tells what was; nothing can be claimed any more.
func (b *Bloom) Close() error {
	freeSlots(b.slots)
	b.slots = nil
	return nil
}
