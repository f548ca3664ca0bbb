// Main writes references for load tests to standard output, one a line, and what is known of them.
//
//	go run ./internal/refgen/main -n 100000000 -distinct 0.5 -skew zipf -truth truth.txt >refs.txt
//
// The package refgen says what they are, and what a run over them must leave.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/urisieve/urisieve/internal/refgen"
)

func main() {
	var o refgen.Options
	flag.Uint64Var(&o.N, "n", 1_000_000, "lines")
	flag.Float64Var(&o.Distinct, "distinct", 0.5, "share of the lines that are new; the others repeat an earlier URL")
	flag.StringVar((*string)(&o.Skew), "skew", string(refgen.Uniform), "which one a line repeats: uniform or zipf")
	flag.Float64Var(&o.Dirty, "dirty", 0.2, "share of the lines in other than the canonical spelling")
	canonical := flag.Bool("canonical", false, "all lines in the canonical spelling: -dirty 0")
	flag.Uint64Var(&o.Seed, "seed", 1, "another seed, other references")
	truth := flag.String("truth", "", "file for the number of distinct URLs, in decimal; - is standard error")
	flag.Parse()
	if *canonical {
		o.Dirty = 0
	}
	if err := run(o, *truth, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "refgen:", err)
		os.Exit(1)
	}
}

func run(o refgen.Options, truth string, w io.Writer) error {
	g, err := refgen.New(o)
	if err != nil {
		return err
	}
	if _, err := g.WriteTo(w); err != nil {
		return err
	}
	text := strconv.FormatUint(o.New(), 10) + "\n"
	switch truth {
	case "":
		return nil
	case "-":
		_, err := os.Stderr.WriteString(text)
		return err
	}
	return os.WriteFile(truth, []byte(text), 0o644)
}
