package main

import (
	"net/url"
	"runtime"
	"time"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/normalize/uri"
)

// kind is a set of references of one kind, grouped by document.
type kind struct {
	name string
	refs []reference
	sink string // the last result, so that the compiler can't leave the work out
}

func (k *kind) meanBytes() float64 {
	sum := 0
	for _, r := range k.refs {
		sum += len(r.text)
	}
	return float64(sum) / float64(max(1, len(k.refs)))
}

// thin keeps at most so many references, evenly spread.
func (k *kind) thin(most int) {
	if n := len(k.refs); n > most {
		for i := range most {
			k.refs[i] = k.refs[i*n/most]
		}
		k.refs = k.refs[:most]
	}
}

// sorted tells the references apart by what becomes of them.
func sorted(refs []reference) ([]*kind, error) {
	n, err := normalize.New(normalize.Options{})
	if err != nil {
		return nil, err
	}
	canonical, dirty, relative := &kind{name: "canonical"}, &kind{name: "dirty"}, &kind{name: "relative"}
	var base normalize.Base
	var out []byte
	for _, r := range refs {
		if _, err := theirs(r); err != nil {
			continue
		}
		n.SetBase(&base, nil, nil, []byte(r.base))
		var res normalize.Result
		out, res = n.Append(out[:0], &base, []byte(r.text))
		switch {
		case res.Reason != normalize.OK:
		case !uri.Split([]byte(r.text)).HasScheme():
			relative.refs = append(relative.refs, r)
		case string(out) == r.text:
			canonical.refs = append(canonical.refs, r)
		default:
			dirty.refs = append(dirty.refs, r)
		}
	}
	return []*kind{canonical, dirty, relative}, nil
}

func theirs(r reference) (string, error) {
	base, err := url.Parse(r.base)
	if err != nil {
		return "", err
	}
	u, err := url.Parse(r.text)
	if err != nil {
		return "", err
	}
	return base.ResolveReference(u).String(), nil
}

// cost is what one reference costs.
type cost struct{ ns, allocs float64 }

// compared is what it costs on both sides.
type compared struct{ ours, theirs cost }

// measure times both sides in turn. Each holds the documents' bases parsed, as a crawler would.
func (k *kind) measure(rounds int) (compared, error) {
	ours, err := k.byUrisieve()
	if err != nil {
		return compared{}, err
	}
	theirs, err := k.byNetURL()
	if err != nil {
		return compared{}, err
	}
	passes := 1 + leastReferences/max(1, len(k.refs))
	var us, them [2][]float64
	for range rounds {
		for i, side := range []func(){ours, theirs} {
			into := &us
			if i == 1 {
				into = &them
			}
			ns, allocs := timed(side, passes)
			into[0] = append(into[0], ns/float64(max(1, passes*len(k.refs))))
			into[1] = append(into[1], allocs/float64(max(1, passes*len(k.refs))))
		}
	}
	return compared{cost{median(us[0]), median(us[1])}, cost{median(them[0]), median(them[1])}}, nil
}

// leastReferences is how many references a round takes at least, over and over where there are fewer:
// a round of some milliseconds measures the machine's mood.
const leastReferences = 100_000

// timed gives nanoseconds and allocations of so many calls.
func timed(f func(), calls int) (ns, allocs float64) {
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	for range calls {
		f()
	}
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	return float64(took.Nanoseconds()), float64(after.Mallocs - before.Mallocs)
}

func (k *kind) byUrisieve() (func(), error) {
	n, err := normalize.New(normalize.Options{})
	if err != nil {
		return nil, err
	}
	bases := make([]*normalize.Base, len(k.refs))
	known := map[string]*normalize.Base{}
	texts := make([][]byte, len(k.refs))
	for i, r := range k.refs {
		if known[r.base] == nil {
			known[r.base] = new(normalize.Base)
			n.SetBase(known[r.base], nil, nil, []byte(r.base))
		}
		bases[i], texts[i] = known[r.base], []byte(r.text)
	}
	var out []byte
	return func() {
		for i, text := range texts {
			out, _ = n.Append(out[:0], bases[i], text)
		}
	}, nil
}

func (k *kind) byNetURL() (func(), error) {
	bases := make([]*url.URL, len(k.refs))
	known := map[string]*url.URL{}
	for i, r := range k.refs {
		if known[r.base] == nil {
			u, err := url.Parse(r.base)
			if err != nil {
				return nil, err
			}
			known[r.base] = u
		}
		bases[i] = known[r.base]
	}
	return func() {
		for i, r := range k.refs {
			if u, err := url.Parse(r.text); err == nil {
				k.sink = bases[i].ResolveReference(u).String()
			}
		}
	}, nil
}
