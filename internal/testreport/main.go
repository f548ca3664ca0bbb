// Testreport reads what `go test -json` writes and prints what `go test` would: a line a package, and
// of what failed its output. Behind that it lists every test that was skipped with its reason, which
// `go test` keeps to itself, and counts what passed, failed and was skipped, subtests among them.
//
// It ends with exit code 1 if something failed. With CI=true in the environment a skipped test is a
// failure too, but for those that need what such a machine can't have.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
)

// mayLack are the reasons, in part, for which a test may be skipped even with CI=true: the folder of
// corpora beside the repository, and the right to mount a file system.
var mayLack = []string{"shared/", "can be mounted here"}

func main() {
	r := newReport(os.Stdout, os.Getenv("CI") == "true")
	err := r.read(os.Stdin)
	r.summarize()
	if err != nil {
		fmt.Fprintln(os.Stderr, "testreport:", err)
	}
	if err != nil || !r.ok() {
		os.Exit(1)
	}
}

// event is a line of `go test -json`: see `go doc test2json` and `go help buildjson`.
type event struct {
	Action  string
	Package string
	Test    string // "" where the event is about the package
	Output  string
}

// results are those of a package whose tests are running.
type results struct {
	tests  []*result // in the order of their first events
	byName map[string]*result
	seed   string // of -shuffle
}

type result struct {
	name   string
	action string // how it ended; "" while it runs, and for ever where the process died of it
	output []string
}

type skip struct{ test, reason string }

type report struct {
	out            io.Writer
	strict         bool // CI=true
	packages       map[string]*results
	skips          []skip
	passed, failed int
	refused        int      // skips that CI=true forbids
	again          []string // commands that run what failed in the same order
}

func newReport(out io.Writer, strict bool) *report {
	return &report{out: out, strict: strict, packages: map[string]*results{}}
}

// ok tells whether all was as it must be.
func (r *report) ok() bool { return r.failed == 0 && (!r.strict || r.refused == 0) }

// read takes all events, and prints each package when it ends.
func (r *report) read(in io.Reader) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil || e.Action == "" {
				fmt.Fprintf(r.out, "%s", line) // what is no event is for a person
			} else {
				r.take(&e)
			}
		}
		if errors.Is(err, io.EOF) {
			return r.unfinished()
		}
		if err != nil {
			return err
		}
	}
}

// unfinished tells of packages that had no end, as where `go test` itself was killed.
func (r *report) unfinished() error {
	var names []string
	for name := range r.packages {
		names = append(names, name)
	}
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	return fmt.Errorf("no end of %s", strings.Join(names, ", "))
}

func (r *report) take(e *event) {
	if e.Action == "build-output" {
		fmt.Fprint(r.out, e.Output)
		return
	}
	if e.Package == "" {
		return // build-fail: the package's own failure follows
	}
	p := r.packages[e.Package]
	if p == nil {
		p = &results{byName: map[string]*result{}}
		r.packages[e.Package] = p
	}
	t := p.byName[e.Test]
	if t == nil {
		t = &result{name: e.Test}
		p.byName[e.Test] = t
		p.tests = append(p.tests, t)
	}
	switch e.Action {
	case "output":
		if seed, ok := strings.CutPrefix(e.Output, "-test.shuffle "); ok && e.Test == "" {
			p.seed = strings.TrimSpace(seed)
		}
		t.output = append(t.output, e.Output)
	case "pass", "fail", "skip":
		t.action = e.Action
		if e.Test == "" {
			r.end(e.Package, p)
			delete(r.packages, e.Package)
		}
	}
}

// end counts and prints the results of a package.
func (r *report) end(name string, p *results) {
	own := p.byName[""]
	failed := 0
	for _, t := range p.tests {
		switch {
		case t == own:
		case t.action == "pass":
			r.passed++
		case t.action == "skip":
			s := skip{name + " " + t.name, reason(t.output)}
			r.skips = append(r.skips, s)
			if !allowed(s.reason) {
				r.refused++
			}
		default:
			failed++
			fmt.Fprint(r.out, told(t.output))
		}
	}
	if own.action != "fail" {
		for _, line := range own.output { // as `go test` does, without what the tests said
			if strings.HasPrefix(line, "ok  \t") || strings.HasPrefix(line, "?   \t") {
				fmt.Fprint(r.out, line)
			}
		}
		return
	}
	fmt.Fprint(r.out, told(own.output))
	r.failed += max(1, failed) // one that did not build, or whose process died, has failed too
	if p.seed != "" {
		r.again = append(r.again, fmt.Sprintf("go test -shuffle=%s %s", p.seed, name))
	}
}

// told is what a test printed, without the lines that say when it ran.
func told(output []string) string {
	var b strings.Builder
	for _, line := range output {
		if !strings.HasPrefix(line, "=== ") {
			b.WriteString(line)
		}
	}
	return b.String()
}

var place = regexp.MustCompile(`^\s*[\w.-]+\.go:\d+: `)

// reason is what a skipped test gave as one.
func reason(output []string) string {
	var lines []string
	for _, line := range output {
		if strings.HasPrefix(line, "=== ") || strings.HasPrefix(strings.TrimSpace(line), "--- SKIP") {
			continue
		}
		lines = append(lines, strings.TrimSpace(place.ReplaceAllString(line, "")))
	}
	return strings.Join(lines, " ")
}

func allowed(reason string) bool {
	return slices.ContainsFunc(mayLack, func(part string) bool { return strings.Contains(reason, part) })
}

// summarize prints what stands behind the packages.
func (r *report) summarize() {
	for _, s := range r.skips {
		word := "skipped"
		if r.strict && !allowed(s.reason) {
			word = "FAIL: skipped, which CI=true forbids"
		}
		fmt.Fprintf(r.out, "%s: %s: %s\n", word, s.test, s.reason)
	}
	for _, command := range r.again {
		fmt.Fprintf(r.out, "the same order again: %s\n", command)
	}
	fmt.Fprintf(r.out, "%d passed, %d failed, %d skipped\n", r.passed, r.failed, len(r.skips))
}
