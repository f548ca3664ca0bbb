package refgen

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/urisieve/urisieve/normalize"
)

func generator(t testing.TB, o Options) *Generator {
	t.Helper()
	g, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// The hash pins the lines: on another machine, and under another Go release, they are the same.
func TestTheSameLinesAlways(t *testing.T) {
	o := Options{N: 20_000, Distinct: 0.4, Skew: Zipf, Dirty: 0.3, Seed: 7}
	var a, b bytes.Buffer
	for _, w := range []*bytes.Buffer{&a, &b} {
		if _, err := generator(t, o).WriteTo(w); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("two generators with the same options differ")
	}
	h := fnv.New64a()
	h.Write(a.Bytes())
	if got := fmt.Sprintf("%016x", h.Sum64()); got != "05776c4fbe6f98a6" {
		t.Errorf("hash of the lines: got %s; if the change is meant, set it here", got)
	}
	o.Seed++
	b.Reset()
	if _, err := generator(t, o).WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("another seed gives the same lines")
	}
}

func TestShareOfNewURLsIsExact(t *testing.T) {
	for _, c := range []struct {
		n        uint64
		distinct float64
		want     uint64
	}{
		{0, 0.5, 0},
		{1, 0, 1},
		{1, 1, 1},
		{7, 0.5, 4},
		{1000, 0, 1},
		{1000, 0.001, 1},
		{1000, 1, 1000},
		{100_000, 0.5, 50_000},
		{100_001, 0.3333, 33_330},
	} {
		for _, skew := range []Skew{"", Uniform, Zipf} {
			o := Options{N: c.n, Distinct: c.distinct, Skew: skew, Seed: c.n}
			x, err := NewIndices(o)
			if err != nil {
				t.Fatal(err)
			}
			lines, seen := uint64(0), uint64(0)
			for i, ok := x.Next(); ok; i, ok = x.Next() {
				lines++
				if i > seen {
					t.Fatalf("%+v: line %d is URL %d, before URL %d", o, lines, i, seen)
				}
				if i == seen {
					seen++
				}
			}
			if lines != c.n || seen != c.want || o.New() != c.want {
				t.Errorf("%+v: %d lines with %d URLs, New says %d; want %d", o, lines, seen, o.New(), c.want)
			}
		}
	}
}

// The new URLs must not all come first: a set would then be asked in two phases.
func TestNewURLsAreSpreadEvenly(t *testing.T) {
	const n = 100_000
	x, err := NewIndices(Options{N: n, Distinct: 0.25, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	for part := range 10 {
		before := x.seen
		for range n / 10 {
			x.Next()
		}
		if fresh := x.seen - before; fresh < 2300 || fresh > 2700 {
			t.Errorf("tenth %d of the lines has %d new URLs, want about 2500", part, fresh)
		}
	}
}

func TestURLsAreDistinct(t *testing.T) {
	for _, seed := range []uint64{0, 1, math.MaxUint64} {
		all := make(map[string]uint64, 200_000)
		for i := range uint64(200_000) {
			url := string(AppendURL(nil, seed, i))
			if other, ok := all[url]; ok {
				t.Fatalf("seed %d: URLs %d and %d are both %s", seed, other, i, url)
			}
			all[url] = i
		}
	}
}

// The argument of appendURL, that the text tells the index.
func TestURLTellsItsIndex(t *testing.T) {
	for _, start := range []uint64{0, 1 << 20, 1 << 32, 1<<40 - 77} {
		for i := start; i < start+20_000; i++ {
			url := string(AppendURL(nil, 9, i))
			number := url[strings.LastIndexByte(url, '-')+1:]
			if end := strings.IndexFunc(number, func(c rune) bool { return !strings.ContainsRune(digits, c) }); end >= 0 {
				number = number[:end]
			}
			got, err := strconv.ParseUint(number, 36, 64)
			if err != nil {
				t.Fatalf("URL %d, %s: %v", i, url, err)
			}
			if strings.Count(url, "/") == 3 && strings.HasSuffix(url, "/") {
				got *= hostEvery
			}
			if got != i {
				t.Fatalf("URL %d, %s: tells %d", i, url, got)
			}
		}
	}
}

func TestLengthsAndHosts(t *testing.T) {
	const n = 100_000
	length, queries, hosts := 0, 0, map[string]int{}
	for i := range uint64(n) {
		url := string(AppendURL(nil, 1, i))
		length += len(url)
		if strings.Contains(url, "?") {
			queries++
		}
		hosts[strings.SplitN(url, "/", 4)[2]]++
	}
	if mean := float64(length) / n; mean < 50 || mean > 80 {
		t.Errorf("mean length is %.1f bytes", mean)
	}
	if queries < n/5 || queries > n/2 {
		t.Errorf("%d of %d URLs have a query", queries, n)
	}
	if want := n / hostEvery; len(hosts) != want {
		t.Errorf("%d hosts, want %d", len(hosts), want)
	}
	most := 0
	for _, urls := range hosts {
		most = max(most, urls)
	}
	if most < n/20 || most > n/4 {
		t.Errorf("the largest host has %d of %d URLs", most, n)
	}
}

func TestTailIsThePower(t *testing.T) {
	for m := uint64(1); m < 1<<63; m += m/3 + 1 {
		if got, want := tail(m), math.Pow(float64(m), -0.1); math.Abs(got-want) > 1e-14 {
			t.Errorf("tail(%d) = %v, want %v", m, got, want)
		}
	}
}

func TestZipfFollowsItsLaw(t *testing.T) {
	const m, draws = 10_000, 1_000_000
	r, beyond := random{state: 1}, tail(m+1)
	count := make([]int, m)
	for range draws {
		count[zipf(r.next(), m, beyond)]++
	}
	for _, k := range []float64{1, 2, 3, 10, 100} {
		got := float64(count[int(k)-1])
		want := draws * (math.Pow(k, -0.1) - math.Pow(k+1, -0.1)) / (1 - beyond)
		if math.Abs(got-want) > 5*math.Sqrt(want) {
			t.Errorf("rank %.0f: %.0f times, want %.0f", k, got, want)
		}
	}
	if got := zipf(math.MaxUint64, m, beyond); got > m-1 {
		t.Errorf("the last rank is %d of %d", got, m)
	}
}

func TestDuplicatesAreSkewed(t *testing.T) {
	const n = 400_000
	shares := func(skew Skew) (first, last float64) {
		x, err := NewIndices(Options{N: n, Distinct: 0.5, Skew: skew, Seed: 5})
		if err != nil {
			t.Fatal(err)
		}
		count := make([]float64, n/2)
		for i, ok := x.Next(); ok; i, ok = x.Next() {
			count[i]++
		}
		for i := range count {
			count[i]-- // its first appearance is no duplicate
			if i >= len(count)/10 {
				last += count[i]
			}
		}
		return count[0] / (n / 2), last / (n / 2)
	}
	if first, last := shares(Zipf); first < 0.08 || first > 0.15 || last > 0.25 {
		t.Errorf("zipf: URL 0 makes up %.4f of the duplicates, the newer nine tenths %.4f", first, last)
	}
	if first, last := shares(Uniform); first > 0.001 || last < 0.6 {
		t.Errorf("uniform: URL 0 makes up %.4f of the duplicates, the newer nine tenths %.4f", first, last)
	}
}

func TestCanonicalLinesStayAsTheyAre(t *testing.T) {
	for _, profile := range []string{"rfc3986", "rfc2396", "whatwg"} {
		checkLines(t, normalize.Options{Profile: profile}, Options{N: 60_000, Distinct: 0.5, Skew: Zipf, Seed: 11})
	}
}

func TestDirtyLinesComeBack(t *testing.T) {
	o := Options{N: 60_000, Distinct: 0.5, Dirty: 0.5, Seed: 12}
	if dirty := checkLines(t, normalize.Options{}, o); dirty < 29_000 || dirty > 31_000 {
		t.Errorf("%d lines of 60000 are dirty, want about half", dirty)
	}
	if dirty := checkLines(t, normalize.Options{}, Options{N: 10_000, Distinct: 0.5, Dirty: 1, Skew: Zipf}); dirty != 10_000 {
		t.Errorf("%d lines of 10000 are dirty, want all", dirty)
	}
}

// checkLines holds every line against its URL, and counts those in another spelling.
func checkLines(t *testing.T, no normalize.Options, o Options) (dirty int) {
	t.Helper()
	n, err := normalize.New(no)
	if err != nil {
		t.Fatal(err)
	}
	g := generator(t, o)
	var line, got, want []byte
	for {
		var i uint64
		var ok bool
		if line, i, ok = g.AppendNext(line[:0]); !ok {
			return dirty
		}
		want = AppendURL(want[:0], o.Seed, i)
		if !bytes.Equal(line, want) {
			dirty++
		}
		var result normalize.Result
		got, result = n.Append(got[:0], nil, line)
		if result.Reason != normalize.OK || !bytes.Equal(got, want) {
			t.Fatalf("%s: %s becomes %q (%v), want %s", no.Profile, line, got, result.Reason, want)
		}
	}
}

func TestWriteToWritesTheLines(t *testing.T) {
	o := Options{N: 9_000, Distinct: 0.5, Dirty: 0.2, Seed: 2} // more than two chunks
	var want []byte
	g := generator(t, o)
	for ok := true; ok; {
		if want, _, ok = g.AppendNext(want); ok {
			want = append(want, '\n')
		}
	}
	var got bytes.Buffer
	n, err := generator(t, o).WriteTo(&got)
	if err != nil || n != int64(len(want)) || !bytes.Equal(got.Bytes(), want) {
		t.Errorf("%d bytes written, error %v; %d bytes wanted", n, err, len(want))
	}
	full := errors.New("disk full")
	if _, err := generator(t, o).WriteTo(failing{full}); !errors.Is(err, full) {
		t.Errorf("got error %v, want %v", err, full)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestValidateNamesAllFaults(t *testing.T) {
	err := Options{Distinct: 1.5, Dirty: math.NaN(), Skew: "steep"}.Validate()
	if err == nil {
		t.Fatal("no fault found")
	}
	for _, want := range []string{"distinct", "dirty", "steep"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q doesn't name %s", err, want)
		}
	}
}

func TestNoAllocationPerLine(t *testing.T) {
	g := generator(t, Options{N: 1 << 40, Distinct: 0.5, Skew: Zipf, Dirty: 0.5})
	line := make([]byte, 0, 1024)
	g.clean = make([]byte, 0, 1024)
	if n := testing.AllocsPerRun(10_000, func() { line, _, _ = g.AppendNext(line[:0]) }); n != 0 {
		t.Errorf("%v allocations a line", n)
	}
}

func BenchmarkAppendNext(b *testing.B) {
	for _, c := range []struct {
		name string
		o    Options
	}{
		{"uniform", Options{Distinct: 0.5}},
		{"zipf", Options{Distinct: 0.5, Skew: Zipf}},
		{"zipf, 20 % dirty", Options{Distinct: 0.5, Skew: Zipf, Dirty: 0.2}},
	} {
		b.Run(c.name, func(b *testing.B) {
			c.o.N = 1 << 40
			g := generator(b, c.o)
			var line []byte
			for b.Loop() {
				line, _, _ = g.AppendNext(line[:0])
			}
			b.SetBytes(int64(len(line)))
		})
	}
}
