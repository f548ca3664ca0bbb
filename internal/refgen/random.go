package refgen

import (
	"math"
	"math/bits"
)

// golden is the step of SplitMix64, the generator of the sample, too: its sequence is fixed by this
// file alone.
const golden = 0x9e3779b97f4a7c15

// mix is SplitMix64's output function, a bijection.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// random is a sequence of numbers.
type random struct{ state uint64 }

func (r *random) next() uint64 {
	r.state += golden
	return mix(r.state)
}

// below is a number in [0, n). Its bias is n in 2^64.
func (r *random) below(n uint64) uint64 {
	high, _ := bits.Mul64(r.next(), n)
	return high
}

// unit turns 64 random bits into a number in [0, 1).
func unit(r uint64) float64 { return float64(r>>11) / (1 << 53) }

// tail is m^-0.1: where ranks have no end, the share of those beyond m by Zipf's law with s = 1.1, which gives rank
// k a frequency of k^-s. It is the inverse tenth root by Newton's method, from below; math.Pow
// differs between machines in the last bit. Conversions keep compilers from fusing operations, which would, too.
func tail(m uint64) float64 {
	for y := math.Ldexp(1, -(bits.Len64(m)+9)/10); ; {
		next := float64(y * float64(1.1-float64(0.1*float64(float64(m)*tenth(y)))))
		if next <= y {
			return y
		}
		y = next
	}
}

// tenth is y^10.
func tenth(y float64) float64 {
	y2 := float64(y * y)
	y4 := float64(y2 * y2)
	return float64(float64(y4*y4) * y2)
}

// zipf is a rank in [0, m) by Zipf's law, from 64 random bits and tail(m+1).
//
// The frequency k^-s is taken as continuous over [1, m+1), which has the distribution function
// (1 - x^-0.1) / (1 - (m+1)^-0.1); it is inverted, and x rounded down.
func zipf(r, m uint64, tail float64) uint64 {
	x := 1 / tenth(1-float64(unit(r)*float64(1-tail)))
	if !(x < float64(m)+1) {
		return m - 1
	}
	return uint64(x) - 1
}

// tails holds tail(2^b + 1).
var tails = func() (t [64]float64) {
	for b := range t {
		t[b] = tail(1<<b + 1)
	}
	return t
}()
