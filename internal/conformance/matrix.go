package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
)

// columns are the numbers of a row, as text: a zero is a dot, so that the others are seen.
func (r row) columns() []string {
	numbers := []int{r.cases, r.passed}
	numbers = append(numbers, r.listed[further:]...)
	numbers = append(numbers, r.failed)
	var all []string
	for _, n := range numbers {
		if n == 0 {
			all = append(all, ".")
		} else {
			all = append(all, strconv.Itoa(n))
		}
	}
	return all
}

// headings are those of columns.
func headings() []string {
	all := []string{"cases", "same"}
	all = append(all, kindNames[further:]...)
	return append(all, "failed")
}

// total sums the rows.
func (res result) total() row {
	var sum row
	for _, r := range res.rows {
		sum.cases += r.cases
		sum.passed += r.passed
		sum.failed += r.failed
		for k, n := range r.listed {
			sum.listed[k] += n
		}
	}
	return sum
}

// what names the cases of a row.
func (s suite) what() string {
	tool := strings.TrimPrefix(strings.TrimPrefix(s.profile, "tool:"), s.file)
	return strings.TrimSpace(strings.TrimPrefix(tool, "-") + " " + s.op)
}

// printMatrix prints the matrix for a terminal.
func (res result) printMatrix(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "file\tof it\t%s\tread by\n", strings.Join(headings(), "\t"))
	for _, r := range res.rows {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", r.suite.file, r.suite.what(), strings.Join(r.columns(), "\t"), r.suite.how)
	}
	fmt.Fprintf(t, "all\t\t%s\t\n", strings.Join(res.total().columns(), "\t"))
	t.Flush()
}

// printDifferences prints the listed differences, for whoever reads the lists.
func (res result) printDifferences(w io.Writer) {
	for _, d := range res.differences {
		on := ""
		if d.c.Base != nil {
			on = fmt.Sprintf(" on %q", *d.c.Base)
		}
		fmt.Fprintf(w, "%s (%s): %q%s: wanted %q, here %q\n", d.c.ID, d.code, d.c.Input, on, d.want, d.got)
	}
}
