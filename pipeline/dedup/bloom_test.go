package dedup

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func newBloom(t testing.TB, capacity int64, rate float64) *Bloom {
	t.Helper()
	b, err := NewBloom(BloomOptions{Capacity: capacity, ErrorRate: rate})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// fillUp claims new keys, a call at a time, until so many calls were taken or one is refused.
func fillUp(t testing.TB, b *Bloom, r *rand.Rand, keys int64, call int) error {
	t.Helper()
	batch, verdicts := make([]Key, call), make([]Verdict, call)
	for claimed := int64(0); claimed < keys; claimed += int64(len(batch)) {
		batch = batch[:min(int64(call), keys-claimed)]
		for i := range batch {
			batch[i] = randomKey(r)
		}
		if err := b.Claim(batch, verdicts[:len(batch)]); err != nil {
			return err
		}
	}
	return nil
}

// wouldErr is the plain twin of a look-up: it changes nothing.
func (b *Bloom) wouldErr(k Key) bool {
	in := b.block(b.blockOf(&k))
	for _, at := range bitsOf(k, b.probes) {
		if in[at/128][at/64%2]>>(at%64)&1 == 0 {
			return false
		}
	}
	return true
}

// bitsOf are the numbers of a key's bits in its block.
func bitsOf(k Key, probes int) []int {
	var all []int
	for word, state := k[1], k[1]; len(all) < probes; state, word = nextWord(state) {
		for i := 0; i < 7 && len(all) < probes; i++ {
			all = append(all, int(word>>(9*i)&511))
		}
	}
	return all
}

// TestBloomHoldsItsErrorRate fills sets up to their capacity and counts how many of a million other keys they
// would call Seen. What is counted must be within five standard deviations of what the set says of
// itself, which chance alone passes once in two million runs (and the seed is fixed); what the set says must be
// below what was asked, and not by more than the margin of six deviations accounts for.
func TestBloomHoldsItsErrorRate(t *testing.T) {
	if testing.Short() {
		t.Skip("claims four million keys")
	}
	for _, c := range []struct {
		name     string
		rate     float64
		capacity int64
		least    float64 // of the asked rate
	}{
		{"one in ten", 0.1, 1e6, 0.97},
		{"one in a hundred", 0.01, 1e6, 0.96},
		{"one in a thousand", 0.001, 1e6, 0.94},
		{"one in ten thousand", 0.0001, 1e6, 0.91},
		{"few keys", 0.01, 2000, 0.3},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(11, 12))
			b := newBloom(t, c.capacity, c.rate)
			if err := fillUp(t, b, r, c.capacity, 4096); err != nil {
				t.Fatalf("full before its capacity: %v", err)
			}
			s := b.Stats()
			if s.Rate > c.rate || s.Rate < c.least*c.rate {
				t.Errorf("the set says it errs %.4g, want %g to %g", s.Rate, c.least*c.rate, c.rate)
			}
			const asked = 1_000_000
			wrong := 0
			for range asked {
				if b.wouldErr(randomKey(r)) {
					wrong++
				}
			}
			mean := s.Rate * asked
			if off := math.Abs(float64(wrong) - mean); off > 5*math.Sqrt(mean) {
				t.Errorf("%d of %d keys were wrong, want %.0f ± %.0f", wrong, asked, mean, 5*math.Sqrt(mean))
			}
			lost := float64(c.capacity - s.Keys) // all keys were different
			if off := math.Abs(lost - s.Lost); off > 5*math.Sqrt(max(s.Lost, 1)) {
				t.Errorf("%.0f keys were lost, the set says %.1f", lost, s.Lost)
			}
			t.Logf("%d probes, %.2f bits a key, fill %.3f, rate %.4g, counted %.4g, lost %.0f, said %.1f",
				b.probes, float64(s.Bits)/float64(c.capacity), s.Fill(), s.Rate, float64(wrong)/asked, lost, s.Lost)
		})
	}
}

// TestBloomAgreesWithPlainBits holds verdicts, counts and estimate against a filter that is a map of bits.
func TestBloomAgreesWithPlainBits(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	b := newBloom(t, 20000, 0.001)
	type place struct {
		block uint64
		bit   int
	}
	plain := map[place]bool{}
	for range 60 {
		keys := make([]Key, r.IntN(700))
		verdicts := make([]Verdict, len(keys))
		for i := range keys {
			x := r.Uint64N(15000)
			_, first := nextWord(x)
			_, second := nextWord(first)
			keys[i] = Key{first, second}
		}
		if err := b.Claim(keys, verdicts); err != nil {
			t.Fatal(err)
		}
		for i, k := range keys {
			want := Seen
			for _, bit := range bitsOf(k, b.probes) {
				at := place{b.blockOf(&k), bit}
				if !plain[at] {
					want, plain[at] = New, true
				}
			}
			if verdicts[i] != want {
				t.Fatalf("key %x: got %d, want %d", k, verdicts[i], want)
			}
		}
	}
	in := map[uint64]int{}
	for at := range plain {
		in[at.block]++
	}
	rate := 0.0
	for _, n := range in {
		rate += math.Pow(float64(n)/512, float64(b.probes)) / float64(b.blocks)
	}
	s := b.Stats()
	if s.BitsSet != int64(len(plain)) || math.Abs(s.Rate-rate) > 1e-9*rate {
		t.Errorf("%d bits, rate %g, want %d, %g", s.BitsSet, s.Rate, len(plain), rate)
	}
	if off := math.Abs(b.erring/float64(b.blocks) - s.Rate); off > 1e-9*rate {
		t.Errorf("the sum that is carried on is off by %g", off)
	}
}

func TestBloomFullClaimsNothingOfThatCall(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	b := newBloom(t, 50000, 0.01)
	first := make([]Key, 4096)
	verdicts := make([]Verdict, len(first))
	for i := range first {
		first[i] = randomKey(r)
	}
	if err := b.Claim(first, verdicts); err != nil {
		t.Fatal(err)
	}
	if err := fillUp(t, b, r, 50000-4096, 4096); err != nil {
		t.Fatal(err)
	}
	var before []Key
	var stats BloomStats
	var erring, lost float64
	var err error
	for err == nil {
		before, stats, erring, lost = append(before[:0], b.slots...), b.Stats(), b.erring, b.lost
		err = fillUp(t, b, r, 500, 500)
		if stats.Keys > 60000 {
			t.Fatal("never full")
		}
	}
	if !errors.Is(err, ErrFull) || !strings.Contains(err.Error(), "of a capacity of 50000 at an error rate of 0.01") {
		t.Fatal(err)
	}
	if stats.Keys+stats.Keys/50 < 50000 {
		t.Errorf("full at %d keys", stats.Keys)
	}
	for i := range before {
		if before[i] != b.slots[i] {
			t.Fatal("a bit of the refused call is left")
		}
	}
	if b.Stats().Refused != 500 {
		t.Errorf("%d keys were refused, want 500", b.Stats().Refused)
	}
	stats.Refused = 500
	if b.Stats() != stats || b.rate() != stats.Rate || b.erring != erring || b.lost != lost || b.keys != stats.Keys {
		t.Errorf("counts of the refused call are left: %+v, before %+v", b.Stats(), stats)
	}
	if err := b.Claim(first, verdicts); err != nil {
		t.Fatalf("a full set refuses keys that it has: %v", err)
	}
	for i, v := range verdicts {
		if v != Seen {
			t.Fatalf("key %x is lost", first[i])
		}
	}
}

// TestBloomNewIsNeverWrong: whatever was claimed is Seen from then on.
func TestBloomNewIsNeverWrong(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	b := newBloom(t, 1000, 0.1)
	keys := make([]Key, 900)
	for i := range keys {
		keys[i] = randomKey(r)
	}
	keys = append(keys, Key{}, Key{^uint64(0), ^uint64(0)})
	verdicts := make([]Verdict, len(keys))
	for round := range 2 {
		if err := b.Claim(keys, verdicts); err != nil {
			t.Fatal(err)
		}
		for i, v := range verdicts {
			if round == 1 && v != Seen {
				t.Errorf("key %x is New again", keys[i])
			}
		}
	}
}

func TestBloomIsTheSameForAnyCalls(t *testing.T) {
	stats := func(call int) BloomStats {
		b := newBloom(t, 20000, 0.001)
		if err := fillUp(t, b, rand.New(rand.NewPCG(19, 20)), 20000, call); err != nil {
			t.Fatal(err)
		}
		return b.Stats()
	}
	want := stats(1)
	for _, call := range []int{7, 64, 65, 20000} {
		if got := stats(call); got != want {
			t.Errorf("%d keys a call: %+v, want %+v", call, got, want)
		}
	}
}

func TestBloomAllocatesNothingPerKey(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	b := newBloom(t, 1e6, 0.001)
	keys, verdicts := make([]Key, 4096), make([]Verdict, 4096)
	if n := testing.AllocsPerRun(20, func() {
		for i := range keys {
			keys[i] = randomKey(r)
		}
		if err := b.Claim(keys, verdicts); err != nil {
			t.Error(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestBloomBitsPerKey pins the numbers of docs/dedup.md.
func TestBloomBitsPerKey(t *testing.T) {
	for rate, want := range map[float64]struct {
		probes int
		bits   float64
	}{0.1: {3, 4.84}, 0.01: {6, 9.92}, 0.001: {9, 15.55}, 0.0001: {12, 22.04}, 0.00001: {14, 29.68}, 0.000001: {16, 38.85}} {
		s := bloomShape(1e9, rate)
		if got := float64(s.blocks*blockBits) / 1e9; s.probes != want.probes || math.Abs(got-want.bits) > 0.01 {
			t.Errorf("rate %g: %d probes, %.2f bits a key, want %d, %.2f", rate, s.probes, got, want.probes, want.bits)
		}
	}
}

func TestBloomOptions(t *testing.T) {
	for _, c := range []struct {
		name    string
		options BloomOptions
		want    []string // in this order; none: valid
	}{
		{"valid", BloomOptions{Capacity: 1, ErrorRate: 0.1}, nil},
		{"the ends of the ranges", BloomOptions{Capacity: MaxCapacity, ErrorRate: MinErrorRate}, nil},
		{"nothing given", BloomOptions{}, []string{"dedup.capacity: not given (want ", " from 1 to 1000000000000)", "dedup.error_rate: 0 (want a share from 0.000001 to 0.1)"}},
		{"beyond the ranges", BloomOptions{Capacity: MaxCapacity + 1, ErrorRate: 0.11, Memory: -1}, []string{"dedup.capacity: 1000000000001", "dedup.error_rate: 0.11", "dedup.memory: -1"}},
		{"not a number", BloomOptions{Capacity: 5, ErrorRate: math.NaN()}, []string{"dedup.error_rate: NaN"}},
		{"too little memory", BloomOptions{Capacity: 1e9, ErrorRate: 0.001, Memory: 1 << 30}, []string{"dedup.memory: ", "for 1000000000 keys at an error rate of 0.001 needs 1854MiB, and may take 1024MiB", "a capacity of 552000000 at most"}},
		{"what it says would fit", BloomOptions{Capacity: 552000000, ErrorRate: 0.001, Memory: 1 << 30}, nil},
		{"less than 1 MiB is 1 MiB", BloomOptions{Capacity: 100000, ErrorRate: 0.01, Memory: 1}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.options.Validate()
			if err == nil {
				if c.want != nil {
					t.Fatalf("took them, want %q", c.want)
				}
				return
			}
			text := err.Error()
			for _, w := range c.want {
				_, rest, found := strings.Cut(text, w)
				if !found {
					t.Fatalf("got %v, want %q", err, w)
				}
				text = rest
			}
			if c.want == nil {
				t.Fatal(err)
			}
			if _, err := NewBloom(c.options); err == nil {
				t.Error("NewBloom takes what Validate refuses")
			}
		})
	}
}

// TestWhatFitsFits: the capacity that a fault names is one that the memory is enough for.
func TestWhatFitsFits(t *testing.T) {
	for _, rate := range []float64{0.1, 0.003, 0.000001} {
		for _, limit := range []int64{1 << 20, 3_333_333, 1 << 30, 1 << 38} {
			o := BloomOptions{ErrorRate: rate, Memory: limit}
			o.Capacity = o.fits(limit)
			if err := o.Validate(); err != nil {
				t.Error(err)
			}
			if used := float64(o.Bytes()) / float64(limit); used < 0.93 {
				t.Errorf("rate %g, %d bytes: a capacity of %d uses %.2f of them", rate, limit, o.Capacity, used)
			}
		}
	}
}

// BenchmarkBloom claims new keys and known ones in equal parts, as BenchmarkExact does.
func BenchmarkBloom(b *testing.B) {
	r := rand.New(rand.NewPCG(9, 10))
	set := newBloom(b, max(int64(b.N), 1e6), 0.001)
	keys, verdicts := make([]Key, 4096), make([]Verdict, 4096)
	mix := func(x uint64) Key {
		_, first := nextWord(x)
		_, second := nextWord(^x)
		return Key{first, second}
	}
	next := uint64(1)
	for done := 0; done < b.N; done += len(keys) {
		for i := range keys {
			if i&1 == 0 {
				keys[i] = mix(next)
				next++
			} else {
				keys[i] = mix(1 + r.Uint64N(next))
			}
		}
		if err := set.Claim(keys, verdicts); err != nil {
			b.Fatal(err)
		}
	}
	s := set.Stats()
	b.ReportMetric(float64(s.Bytes)/float64(s.Capacity), "bytes/key")
	b.ReportMetric(float64(s.Keys), "keys")
}
