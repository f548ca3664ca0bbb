package config

import (
	"fmt"
	"slices"
	"strings"
)

// Fault is one thing wrong with the configuration.
type Fault struct {
	Key      string // "input.format"; the unknown name where it is unknown
	Origin   string // "run.yaml:12", "URISIEVE_INPUT_FORMAT", "--input-format"
	Problem  string // what is wrong, with the value unless that is secret
	Accepted string // what would be taken; "" when Problem says all
	Nearest  string // the right name that is nearest; "" when there is none
}

func (f Fault) Error() string {
	var b strings.Builder
	if f.Origin != "" {
		b.WriteString(f.Origin + ": ")
	}
	if f.Key != "" && f.Key != f.Origin {
		b.WriteString(f.Key + ": ")
	}
	b.WriteString(f.Problem)
	if f.Accepted != "" {
		b.WriteString(" (want " + f.Accepted + ")")
	}
	if f.Nearest != "" {
		b.WriteString("; did you mean " + f.Nearest + "?")
	}
	return b.String()
}

// Faults are all of them, in the order: file by line, environment by name, flags.
type Faults []Fault

func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i := range f {
		lines[i] = f[i].Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives the single faults to errors.As.
func (f Faults) Unwrap() []error {
	errs := make([]error, len(f))
	for i := range f {
		errs[i] = f[i]
	}
	return errs
}

// err is f as an error: nil when there is none.
func (f Faults) err() error {
	if len(f) == 0 {
		return nil
	}
	return f
}

// Nearest is the name most like the one given, or "" when none is alike: at most a third of its
// letters may differ. Of equally near ones the first wins.
func Nearest(name string, names []string) string {
	best, bestCost := "", max(1, len(name)/3)+1
	for _, n := range names {
		if c := editCost(strings.ToLower(name), strings.ToLower(n)); c < bestCost {
			best, bestCost = n, c
		}
	}
	return best
}

// nearestKey also finds a key by its last part alone: "workers" is "run.workers".
func nearestKey(key string, keys []string) string {
	last := key[strings.LastIndexByte(key, '.')+1:]
	tail := func(k string) string { return k[strings.LastIndexByte(k, '.')+1:] }
	if i := slices.IndexFunc(keys, func(k string) bool { return tail(k) == strings.ToLower(last) }); i >= 0 {
		return keys[i]
	}
	if k := Nearest(key, keys); k != "" {
		return k
	}
	tails := make([]string, len(keys))
	for i, k := range keys {
		tails[i] = tail(k)
	}
	if t := Nearest(last, tails); t != "" {
		return keys[slices.Index(tails, t)]
	}
	return ""
}

// editCost counts the letters to insert, drop, replace or swap with their neighbour.
func editCost(a, b string) int {
	previous2, previous, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range previous {
		previous[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replace := previous[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			row[j] = min(replace, previous[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], previous2[j-2]+1)
			}
		}
		previous2, previous, row = previous, row, previous2
	}
	return previous[len(b)]
}

// quote shows a value in a message, cut to a length that fits a line.
func quote(value string) string {
	if len(value) > 80 {
		return fmt.Sprintf("%q...", value[:77])
	}
	return fmt.Sprintf("%q", value)
}
