package pipeline

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// TestPackedArraysComeBack: random elements of which every word has its own habit: constant, rising, close together,
// anything.
func TestPackedArraysComeBack(t *testing.T) {
	type element struct {
		a, b, c, d, e, f uint32
		wide             int64
	}
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{0, 1, 2, packGroup - 1, packGroup, packGroup + 1, 5*packGroup + 17} {
		for range 50 {
			array := make([]element, n)
			last := element{a: r.Uint32()}
			for i := range array {
				last.b = r.Uint32()
				last.c += uint32(r.IntN(100))
				last.d -= uint32(r.IntN(70_000))
				last.e = 1<<31 + uint32(r.IntN(300))
				last.f = uint32(r.IntN(2)) * r.Uint32()
				last.wide += r.Int64N(1 << 35)
				array[i] = last
			}
			packed := packArray([]byte("before"), array)
			if want := n*int(unsafe.Sizeof(last))*7/10 + 45; len(packed) > 6+want {
				t.Errorf("%d elements take %d bytes, want at most %d", n, len(packed), want)
			}
			got := make([]element, n)
			rest := unpackArray(got, append(packed[6:], "after"...))
			if string(rest) != "after" || !slices.Equal(got, array) {
				t.Fatalf("%d elements don't come back", n)
			}
		}
	}
}
