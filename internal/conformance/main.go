// Conformance holds the program against the published test suites of other projects, prints the
// matrix of what passed, and writes it as docs/conformance.md.
//
//	go run ./internal/conformance [-corpora DIR] [-lists DIR] [-o FILE] [-differences]
//
// The cases lie beside the repository and are no part of it. Each case of each file is run under
// the profile and the key rules that are nearest to what was tested there. It passes, or it stands
// on a list with a reason. The run fails where a case does neither, where a listed case passes, and
// where the answer differs in another way than its reason says.
//
// Exit status: 0 all well or no cases there, 1 faults, which are printed, 2 it could not run.
package main

//go:generate go run . -corpora ../../../shared/corpora/cases -lists testdata -o ../../docs/conformance.md

import (
	"flag"
	"fmt"
	"io"
	"os"
)

func main() { os.Exit(conformance(os.Args[1:], os.Stdout, os.Stderr)) }

func conformance(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("conformance", flag.ContinueOnError)
	flags.SetOutput(stderr)
	corpora := flags.String("corpora", "../shared/corpora/cases", "folder of the cases")
	lists := flags.String("lists", "internal/conformance/testdata", "folder of the reasons and the lists of differences")
	page := flags.String("o", "", "file to write the page to, instead of printing the matrix")
	differences := flags.Bool("differences", false, "print every listed difference with both answers")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if _, err := os.Stat(*corpora); os.IsNotExist(err) {
		fmt.Fprintf(stdout, "SKIPPED: no %s (the published suites lie beside the repository, not in it)\n", *corpora)
		return 0
	}
	res, err := run(*corpora, *lists)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 2
	}
	switch {
	case *differences:
		res.printDifferences(stdout)
	case *page == "":
		res.printMatrix(stdout)
	}
	for _, fault := range res.faults {
		fmt.Fprintln(stdout, fault)
	}
	if len(res.faults) > 0 {
		fmt.Fprintf(stdout, "%d faults\n", len(res.faults))
		return 1
	}
	if *page != "" {
		if err := os.WriteFile(*page, []byte(res.page()), 0o644); err != nil {
			fmt.Fprintln(stderr, err)
			return 2
		}
	}
	return 0
}
