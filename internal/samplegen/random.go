package main

import "math"

// random is SplitMix64: a generator whose sequence is fixed by this file alone, so that the sample
// is the same bytes under every Go release.
type random struct{ state uint64 }

func (r *random) next() uint64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below is a number in [0, n). Its bias is n in 2^64.
func (r *random) below(n int) int { return int(r.next() % uint64(n)) }

// chance is true in percent of all cases.
func (r *random) chance(percent float64) bool {
	return float64(r.next()>>11)/(1<<53) < percent/100
}

// popular is a number in [0, n) where small ones are far more frequent: what links do.
func (r *random) popular(n int) int {
	u := float64(r.next()>>11) / (1 << 53)
	return int(math.Pow(u, 2.5) * float64(n))
}

func pick[T any](r *random, from []T) T { return from[r.below(len(from))] }
