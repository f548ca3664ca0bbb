package refgen

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// Skew says which earlier URL a line repeats.
type Skew string

// Skews.
const (
	Uniform Skew = "uniform" // all of them equally often
	Zipf    Skew = "zipf"    // the k-th URL with a frequency of k^-1.1
)

// Options say what to make.
type Options struct {
	N        uint64  // lines
	Distinct float64 // share of the lines that are a URL's first appearance, 0 to 1; at least one line is
	Skew     Skew    // "": Uniform
	Dirty    float64 // share of the lines that are spelled badly, 0 to 1
	Seed     uint64
}

// Validate joins all faults.
func (o Options) Validate() error {
	var faults []error
	for _, share := range []struct {
		name string
		f    float64
	}{{"distinct", o.Distinct}, {"dirty", o.Dirty}} {
		if !(share.f >= 0 && share.f <= 1) {
			faults = append(faults, fmt.Errorf("%s: %v is no share between 0 and 1", share.name, share.f))
		}
	}
	switch o.Skew {
	case "", Uniform, Zipf:
	default:
		faults = append(faults, fmt.Errorf("skew: %q is neither %s nor %s", o.Skew, Uniform, Zipf))
	}
	return errors.Join(faults...)
}

// New is the exact number of distinct URLs among the lines.
func (o Options) New() uint64 {
	if o.N == 0 {
		return 0
	}
	return min(max(uint64(math.Round(o.Distinct*float64(o.N))), 1), o.N)
}

// Indices is the order of the URLs in a stream, by their numbers. The first appearances are spread
// evenly at random, and come in the order 0, 1, 2.
type Indices struct {
	random   random
	lines    uint64 // still to come
	fresh    uint64 // first appearances among them
	seen     uint64 // URLs so far
	zipf     bool
	tail     float64 // tail(seen+1), or of a few URLs less
	outdated uint64  // the seen at which tail is to be computed again
}

// NewIndices starts a stream. Its error is that of Validate.
func NewIndices(o Options) (*Indices, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	return &Indices{
		random: random{state: mix(o.Seed + 1)},
		lines:  o.N, fresh: o.New(), zipf: o.Skew == Zipf,
	}, nil
}

// Next is the number of the next line's URL; false at the end.
func (x *Indices) Next() (i uint64, ok bool) {
	if x.lines == 0 {
		return 0, false
	}
	// Selection sampling (Knuth, The Art of Computer Programming, volume 2, algorithm 3.4.2 S), which
	// takes exactly as many as it should. The first line has nothing to repeat.
	fresh := x.seen == 0 || x.random.below(x.lines) < x.fresh
	x.lines--
	switch {
	case fresh:
		i = x.seen
		x.seen++
		x.fresh--
	case x.zipf:
		i = x.popular()
	default:
		i = x.random.below(x.seen)
	}
	return i, true
}

// popular is an earlier URL by Zipf's law. The tail is a thousandth behind at most: the newest URLs wait so long.
func (x *Indices) popular() uint64 {
	if x.seen >= x.outdated {
		x.tail = tail(x.seen + 1)
		x.outdated = x.seen + x.seen/1024 + 1
	}
	return zipf(x.random.next(), x.seen, x.tail)
}

// Generator makes the lines of a stream.
type Generator struct {
	indices Indices
	seed    uint64
	dirt    random
	dirty   uint64 // of 2^32 lines, so many are dirty
	clean   []byte // the URL whose dirty spelling is being made
}

// New makes a generator. Its error is that of Validate.
func New(o Options) (*Generator, error) {
	x, err := NewIndices(o)
	if err != nil {
		return nil, err
	}
	return &Generator{
		indices: *x, seed: o.Seed,
		dirt:  random{state: mix(o.Seed + 2)},
		dirty: uint64(o.Dirty * (1 << 32)),
	}, nil
}

// AppendNext appends the next reference, without a line end, and gives the number of its URL; false,
// with nothing appended, at the end.
func (g *Generator) AppendNext(dst []byte) (out []byte, i uint64, ok bool) {
	i, ok = g.indices.Next()
	if !ok {
		return dst, 0, false
	}
	if g.dirty > 0 {
		if r := g.dirt.next(); r>>32 < g.dirty {
			var p parts
			g.clean, p = appendURL(g.clean[:0], g.seed, i)
			return appendDirty(dst, g.clean, p, mix(r)), i, true
		}
	}
	return AppendURL(dst, g.seed, i), i, true
}

// chunk is the size of the writes of WriteTo, but for the last one.
const chunk = 256 << 10

// WriteTo writes all lines that are still to come, each with a newline.
func (g *Generator) WriteTo(w io.Writer) (written int64, err error) {
	buffer := make([]byte, 0, chunk+4096)
	for ok := true; ok; {
		if buffer, _, ok = g.AppendNext(buffer); ok {
			buffer = append(buffer, '\n')
		}
		if len(buffer) >= chunk || !ok {
			n, err := w.Write(buffer)
			written += int64(n)
			if err != nil {
				return written, fmt.Errorf("after %s bytes: %w", strconv.FormatInt(written, 10), err)
			}
			buffer = buffer[:0]
		}
	}
	return written, nil
}
