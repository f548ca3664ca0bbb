package main

import (
	"errors"
	"fmt"
	"slices"
)

// difference is a case that is answered otherwise than it wants.
type difference struct {
	file      string
	c         testCase
	got, want answer
	kind      kind
	code      string // of its reason; "" where it is not listed
}

// row is a suite's line of the matrix.
type row struct {
	suite  suite
	cases  int
	passed int
	listed [form + 1]int // differences that are listed, by kind
	failed int
}

// result is what a run over all files found.
type result struct {
	rows        []row
	reasons     []reason
	differences []difference // the listed ones, in the order of the files and their cases
	faults      []string     // what must not be: failures, and lists that are not true
}

// run runs all cases of the files in corpora and holds them against the lists in lists.
func run(corpora, lists string) (result, error) {
	files, err := fileNames(corpora)
	if err != nil {
		return result{}, err
	}
	reasons, err := readReasons(lists)
	if err != nil {
		return result{}, err
	}
	res := result{reasons: reasons}
	for _, s := range suites() {
		if !slices.Contains(files, s.file) {
			res.faults = append(res.faults, s.file+": no such file of cases")
		}
		res.rows = append(res.rows, row{suite: s})
	}
	l := newLayers()
	for _, file := range files {
		if err := res.runFile(l, corpora, lists, file); err != nil {
			return result{}, err
		}
	}
	for _, r := range reasons {
		if !slices.ContainsFunc(res.differences, func(d difference) bool { return d.code == r.code }) {
			res.faults = append(res.faults, "reason "+r.code+": no case stands on it")
		}
	}
	return res, l.err
}

// runFile runs the cases of a file, each by the first suite that holds it.
func (res *result) runFile(l *layers, corpora, lists, file string) error {
	cases, err1 := readCases(corpora, file)
	listed, err2 := readDifferences(lists, file)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	for _, c := range cases {
		i := slices.IndexFunc(res.rows, func(r row) bool { return r.suite.file == file && r.suite.holds(c) })
		if i < 0 {
			res.faults = append(res.faults, fmt.Sprintf("%s: no suite takes %s %s", c.ID, c.Profile, c.Op))
			continue
		}
		number := c.number(file)
		res.runCase(l, &res.rows[i], c, listed[number])
		delete(listed, number)
	}
	for number := range listed {
		res.faults = append(res.faults, fmt.Sprintf("%s-%s is listed, but there is no such case", file, number))
	}
	return nil
}

// runCase runs one case, which stands on the reason of that code, or on none where it is "".
func (res *result) runCase(l *layers, r *row, c testCase, code string) {
	fault := func(format string, args ...any) {
		r.failed++
		res.faults = append(res.faults, fmt.Sprintf("%s: %s %q: ", c.ID, c.Op, c.Input)+fmt.Sprintf(format, args...))
	}
	r.cases++
	got, want := r.suite.run(l, c)
	if got.equal(want) {
		if code != "" {
			fault("passes, but is listed under %s", code)
			return
		}
		r.passed++
		return
	}
	d := difference{file: r.suite.file, c: c, got: got, want: want, code: code, kind: r.suite.kind(l, c, got, want)}
	i := slices.IndexFunc(res.reasons, func(r reason) bool { return r.code == code })
	switch {
	case code == "":
		fault("got %q, want %q (%s; %s)", got, want, d.kind, c.Note)
	case i < 0:
		fault("listed under %s, which is no reason", code)
	case res.reasons[i].kind != d.kind:
		fault("got %q, want %q: %s, but %s is for %s", got, want, d.kind, code, res.reasons[i].kind)
	default:
		r.listed[d.kind]++
		res.differences = append(res.differences, d)
	}
}

// kind finds out how an answer differs, by asking for what the other one answered.
func (s suite) kind(l *layers, c testCase, got, want answer) kind {
	switch {
	case s.isForm:
		return form
	case got.refused:
		return refuses
	case want.refused:
		return accepts
	}
	c.Input = *c.Expected
	if again, _ := s.run(l, c); again.equal(got) {
		return further
	}
	return apart
}
