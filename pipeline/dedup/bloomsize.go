package dedup

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// Ranges of BloomOptions.
const (
	MaxCapacity  = 1_000_000_000_000
	MinErrorRate = 0.000001
	MaxErrorRate = 0.1
)

// BloomOptions say what a Bloom is made for.
type BloomOptions struct {
	// Capacity is the number of different keys, 1 to MaxCapacity. When there come more, and the error
	// rate would pass ErrorRate, Claim refuses them.
	Capacity int64
	// ErrorRate is the greatest share of the keys that are new and called Seen, MinErrorRate to
	// MaxErrorRate.
	ErrorRate float64
	// Memory is what the filter may take, in bytes; less than 1 MiB is taken as 1 MiB. Default 0: any.
	Memory int64
}

// Validate reports all faults at once, joined, under the keys of the configuration.
func (o *BloomOptions) Validate() error {
	var faults []error
	if o.Capacity < 1 || o.Capacity > MaxCapacity {
		given := strconv.FormatInt(o.Capacity, 10)
		if o.Capacity == 0 {
			given = "not given"
		}
		faults = append(faults, fmt.Errorf("dedup.capacity: %s (want the number of different URLs to expect, from 1 to %d)", given, int64(MaxCapacity)))
	}
	if !(o.ErrorRate >= MinErrorRate && o.ErrorRate <= MaxErrorRate) {
		faults = append(faults, fmt.Errorf("dedup.error_rate: %v (want a share from %.6f to %v)", o.ErrorRate, MinErrorRate, MaxErrorRate))
	}
	if o.Memory < 0 {
		faults = append(faults, fmt.Errorf("dedup.memory: %d (want 1 or more bytes, or 0 for any number)", o.Memory))
	}
	if len(faults) == 0 && o.Memory > 0 {
		if need, limit := o.Bytes(), max(o.Memory, 1<<20); need > limit {
			faults = append(faults, fmt.Errorf("dedup.memory: a filter for %d keys at an error rate of %v needs %s, and may take %s (want as much, or a capacity of %d at most, or a higher error rate)",
				o.Capacity, o.ErrorRate, mebibytes(need), mebibytes(limit), o.fits(limit)))
		}
	}
	return errors.Join(faults...)
}

// Bytes is the memory that the filter takes, the same from the first key on.
func (o *BloomOptions) Bytes() int64 {
	s := bloomShape(o.Capacity, o.ErrorRate)
	return s.bytes()
}

// fits is a capacity, in three digits, that so many bytes are enough for.
func (o *BloomOptions) fits(limit int64) int64 {
	blocks := float64((limit - limit%(64<<10)) / (blockBits / 8)) // whole pages of any system
	mean, _ := crowding(o.ErrorRate, func(float64) float64 { return blocks })
	return int64(roundDown(mean * blocks))
}

// roundDown cuts a number off after three digits.
func roundDown(n float64) float64 {
	unit := math.Pow(10, max(math.Floor(math.Log10(max(n, 1)))-2, 0))
	return math.Floor(n/unit) * unit
}

// mebibytes writes a size in the unit that options take, rounded up.
func mebibytes(n int64) string { return fmt.Sprintf("%dMiB", (n+1<<20-1)>>20) }

// shape is the size of a filter.
type shape struct {
	blocks int64
	probes int
}

func (s shape) bytes() int64 { return roundUp(s.blocks * blockBits / 8) }

// deviations is by how many standard deviations the error rate of a full filter is to stay below the
// asked one. The rate is a mean over blocks, next to normally distributed: one filter in 10^9 is full before its
// capacity.
const deviations = 6

// bloomShape is the smallest filter whose error rate, with so many keys in it, is the asked one at most.
func bloomShape(keys int64, rate float64) shape {
	mean, probes := crowding(rate, func(mean float64) float64 { return float64(keys) / mean })
	return shape{int64(math.Ceil(float64(keys) / mean)), probes}
}

// crowding is the mean number of keys that a block may have, and the number of probes that allows the most; blocks
// tells how many blocks there are then.
//
// The keys of a block are distributed next to Poisson (Putze, Sanders and Singler 2009), the bits that they
// set as crowd says. That every block were filled like the mean, which is the formula for a filter without blocks, would
// promise too much: at a rate of 0.001 the filter would be 8% smaller and err 1.6 times as often.
func crowding(rate float64, blocks func(mean float64) float64) (best float64, bestProbes int) {
	for probes := 1; probes <= maxProbes; probes++ {
		c := newCrowd(probes)
		low, high := 0.0, float64(maxCrowd)/2 // by halving: the error rate rises with the mean
		for range 60 {
			mean := (low + high) / 2
			m1, m2 := c.moments(mean)
			if m1+deviations*math.Sqrt(max(m2-m1*m1, 0)/blocks(mean)) <= rate {
				low = mean
			} else {
				high = mean
			}
		}
		if low <= best {
			break // more probes are worse from here on
		}
		best, bestProbes = low, probes
	}
	return best, bestProbes
}

// maxCrowd is the number of keys in a block up to which crowd looks; where there are more the key is taken
// to err. A rate of MaxErrorRate makes 160 a block on average.
const maxCrowd = 512

// crowd is what becomes of a block with n keys: the mean of its chance to err, and of that squared.
type crowd struct {
	mean, square [maxCrowd]float64
	logFactorial [maxCrowd]float64
}

// newCrowd works it out from the distribution of the number of bits that are set, throw by throw: the
// next one hits a set bit with the probability c/512 (Christensen, Roginsky and Jimeno, A new analysis of
// the false positive rate of a Bloom filter, Information Processing Letters 110, 2010). Taking the mean number of
// bits to the power of probes instead would give less than the mean of the powers.
func newCrowd(probes int) *crowd {
	chance := chances(probes)
	c := new(crowd)
	var p [blockBits + 1]float64
	p[0] = 1
	for n := range maxCrowd {
		c.logFactorial[n], _ = math.Lgamma(float64(n + 1))
		for i, x := range p[:min(n*probes, blockBits)+1] {
			c.mean[n] += x * chance[i]
			c.square[n] += x * chance[i] * chance[i]
		}
		for range probes {
			for i := min((n+1)*probes, blockBits); i > 0; i-- {
				p[i] = (p[i]*float64(i) + p[i-1]*float64(blockBits-i+1)) / blockBits
			}
			p[0] = 0
		}
	}
	return c
}

// moments are the means over all blocks, where there are so many keys a block.
func (c *crowd) moments(keys float64) (mean, square float64) {
	rest := 1.0
	log := math.Log(keys)
	for n := range maxCrowd {
		p := math.Exp(float64(n)*log - keys - c.logFactorial[n])
		mean += p * c.mean[n]
		square += p * c.square[n]
		rest -= p
	}
	rest = max(rest, 0)
	return mean + rest, square + rest
}

// chances are the probabilities that so many probes meet set bits only, by the number of bits of the block that are set.
func chances(probes int) (chance [blockBits + 1]float64) {
	for c := range chance {
		chance[c] = math.Pow(float64(c)/blockBits, float64(probes))
	}
	return chance
}
