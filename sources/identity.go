package sources

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"unicode/utf8"

	"github.com/zeebo/xxh3"
)

// Identity is what the inputs of a job were, in the order of reading. It is encoded as JSON.
type Identity []InputIdentity

// InputIdentity is one input.
type InputIdentity struct {
	Name string `json:"name"` // quoted with escapes where it isn't UTF-8
	Size int64  `json:"size"` // bytes as stored
	Head string `json:"head"` // XXH3-64 of the first 64 KiB as stored, as 16 hex digits
}

// headBytes is how much of an input counts for its identity.
const headBytes = 64 << 10

// ErrNotResumable is what the errors about inputs are (errors.Is) of which no job can be resumed.
var ErrNotResumable = errors.New("a job of this input can't be resumed")

// notResumable says why an error is ErrNotResumable.
type notResumable string

func (n notResumable) Error() string { return string(n) }

func (n notResumable) Is(target error) bool { return target == ErrNotResumable }

const (
	errNotResumable notResumable = "is no file, and what was read of it once can't be read again"
	errNamedTwice   notResumable = "is named twice, and a job that can be resumed takes each input once"
)

var errOther = errors.New("isn't what it was when the job began")

const (
	hintResumable = "write it to a file first, or run a job that can't be resumed"
	hintOther     = "put back what was there, or begin anew"
)

// checkResumable reports every input that can't be read again from its middle, all at once.
func checkResumable(inputs []*input) error {
	var errs []error
	seen := map[string]bool{}
	for _, in := range inputs {
		switch {
		case in.size < 0:
			errs = append(errs, &InputError{in.name, errNotResumable, hintResumable})
		case seen[in.name]:
			errs = append(errs, &InputError{in.name, errNamedTwice, "leave one of them out"})
		}
		seen[in.name] = true
	}
	return errors.Join(errs...)
}

// Identity reads the head of each input. Standard input and pipes have none: they are errors, all at once,
// as are inputs that can't be read. It may be called before the first Fill and beside it.
func (f *Files) Identity(ctx context.Context) (Identity, error) {
	if err := checkResumable(f.inputs); err != nil {
		return nil, err
	}
	id := make(Identity, 0, len(f.inputs))
	var errs []error
	for _, in := range f.inputs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		one, err := identify(in.name)
		if err != nil {
			errs = append(errs, &InputError{in.name, reasonOf(err), hintReadable})
		}
		id = append(id, one)
	}
	return id, errors.Join(errs...)
}

func identify(name string) (InputIdentity, error) {
	file, err := os.Open(name)
	if err != nil {
		return InputIdentity{}, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return InputIdentity{}, err
	}
	head, err := io.ReadAll(io.LimitReader(file, headBytes))
	if err != nil {
		return InputIdentity{}, err
	}
	shown := name
	if !utf8.ValidString(name) { // JSON would make all of them one
		shown = strconv.QuoteToASCII(name)
	}
	return InputIdentity{shown, info.Size(), fmt.Sprintf("%016x", xxh3.Hash(head))}, nil
}

// Check holds the identity of today's inputs against that of the job. Every difference is an *InputError of
// its own, all at once: an input that is missing, new, has another size or head, or another place in
// the order.
func (id Identity) Check(today Identity) error {
	var errs []error
	fail := func(name, hint, format string, args ...any) {
		errs = append(errs, &InputError{name, fmt.Errorf(format, args...), hint})
	}
	was, is := numbersOf(id), numbersOf(today)
	for _, in := range id {
		if is[in.Name] == 0 {
			fail(in.Name, hintOther, "was an input of the job, and isn't one any more")
		}
	}
	for _, in := range today {
		at := was[in.Name]
		if at == 0 {
			fail(in.Name, "leave it out, and read it in a job of its own", "was no input of the job")
			continue
		}
		switch old := id[at-1]; {
		case old.Size != in.Size:
			fail(in.Name, hintOther, "has %d bytes, and had %d when the job began", in.Size, old.Size)
		case old.Head != in.Head:
			fail(in.Name, hintOther, "begins with other bytes than when the job began")
		}
	}
	return errors.Join(append(errs, id.checkOrder(today)...)...)
}

// checkOrder compares the order of the inputs that are in both.
func (id Identity) checkOrder(today Identity) (errs []error) {
	was := numbersOf(id)
	is := numbersOf(today)
	var before []string
	for _, in := range id {
		if _, ok := is[in.Name]; ok {
			before = append(before, in.Name)
		}
	}
	for _, in := range today {
		old, ok := was[in.Name]
		if !ok || len(before) == 0 {
			continue
		}
		if before[0] != in.Name {
			errs = append(errs, &InputError{in.Name, fmt.Errorf("was number %d of the inputs and is number %d", old, is[in.Name]), "give the inputs in their old order"})
		}
		before = before[1:]
	}
	return errs
}

// numbersOf gives the inputs' numbers, from 1.
func numbersOf(id Identity) map[string]int {
	at := make(map[string]int, len(id))
	for i, in := range id {
		at[in.Name] = i + 1
	}
	return at
}
