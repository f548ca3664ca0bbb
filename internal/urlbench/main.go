// Urlbench measures how fast references are normalized, beside net/url on the same references in
// the same process, and how many references a second go through the whole program.
//
//	go run ./internal/urlbench -urisieve build/bin/urisieve [-corpora ../shared/corpora]
//
// Each number is the median of several rounds that alternate between the two sides, so that a
// noisy machine disturbs both alike. Without the corpora the shipped sample is measured.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
)

func main() {
	var o options
	flag.StringVar(&o.urisieve, "urisieve", "", "program for the end-to-end runs; none without")
	flag.StringVar(&o.corpora, "corpora", "../shared/corpora", "folder of real URLs; the sample where it is absent")
	flag.StringVar(&o.sample, "sample", "testdata/sample", "the shipped sample")
	flag.IntVar(&o.rounds, "rounds", 9, "rounds of each measurement")
	flag.IntVar(&o.most, "most", 100_000, "references of each kind at most")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "urlbench:", err)
		os.Exit(1)
	}
}

type options struct {
	urisieve, corpora, sample string
	rounds, most              int
}

func run(o options) error {
	inputs, where, err := o.inputs()
	if err != nil {
		return err
	}
	fmt.Printf("%s %s/%s, %d CPUs; references from %s\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), where)
	if err := o.normalizing(inputs); err != nil {
		return err
	}
	if o.urisieve == "" {
		return nil
	}
	return o.endToEnd(inputs)
}

// normalizing prints a line for each kind of reference.
func (o options) normalizing(in inputs) error {
	refs, err := in.references()
	if err != nil {
		return err
	}
	kinds, err := sorted(refs)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "references\tnumber\tbytes each\turisieve ns\tallocs\tnet/url ns\tallocs\tnet/url : urisieve\t")
	for _, k := range kinds {
		k.thin(o.most)
		m, err := k.measure(o.rounds)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s\t%d\t%.0f\t%.0f\t%.2f\t%.0f\t%.2f\t%.1f\t\n", k.name, len(k.refs), k.meanBytes(),
			m.ours.ns, m.ours.allocs, m.theirs.ns, m.theirs.allocs, m.theirs.ns/m.ours.ns)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Println(strings.TrimSpace(`
urisieve: Normalizer.Append. net/url: Parse, ResolveReference, String. Both resolve against the
document's base, parsed before; canonical: normalizing changes nothing; dirty: it does; relative: needs the base.
Left out: what either side refuses.`))
	return nil
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}
