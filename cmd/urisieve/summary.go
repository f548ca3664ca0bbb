package main

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/normalize/keyrule"
	"github.com/urisieve/urisieve/pipeline"
)

// count is a number and what it counts.
type count struct {
	name string
	n    int64
}

// top joins counts, the largest first, at most so many of them.
func top(counts []count, most int) string {
	counts = slices.DeleteFunc(counts, func(c count) bool { return c.n == 0 })
	slices.SortStableFunc(counts, func(a, b count) int { return cmp.Compare(b.n, a.n) })
	var b strings.Builder
	for i, c := range counts {
		if i == most {
			fmt.Fprintf(&b, ", %d more", len(counts)-most)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s %s", c.name, grouped(c.n))
	}
	return b.String()
}

// reasons are the counts of rejected references by reason.
func reasons(s *pipeline.Stats) []count {
	var counts []count
	for r := range s.Reasons {
		n := s.Reasons[r]
		if n > 0 {
			counts = append(counts, count{normalize.Reason(r).String(), n})
		}
	}
	return counts
}

func filters(s *pipeline.Stats) []count {
	var counts []count
	for rule, n := range s.Filters {
		counts = append(counts, count{pipeline.ScopeRule(rule).String(), n})
	}
	return counts
}

func keyRules(s *pipeline.Stats) []count {
	var counts []count
	for _, info := range keyrule.Infos() {
		counts = append(counts, count{info.Name, s.KeyRules[bits.TrailingZeros32(uint32(info.Bit))]})
	}
	return counts
}

func bases(s *pipeline.Stats) []count {
	var counts []count
	for b, n := range s.Bases {
		if normalize.BaseUsed(b) != normalize.BaseNone {
			counts = append(counts, count{normalize.BaseUsed(b).String(), n})
		}
	}
	return counts
}

// counted is a number with its noun.
func counted(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return grouped(n) + " " + noun
}

// summarize prints the table at the end of a run.
func (j *job) summarize(s *pipeline.Stats, took time.Duration) {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, n int64, notes ...string) {
		fmt.Fprintf(w, "%s\t%s\t%s\t", name, grouped(n), percent(n, s.References))
		for _, note := range notes {
			if note != "" {
				fmt.Fprintf(w, "  %s", note)
			}
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "references\t%s\t\t  %s, %s/s\n", grouped(s.References), elapsed(took), short(float64(s.References)/max(took.Seconds(), 1e-3)))
	unique := ""
	if j.l.Dedup.Mode == dedupNone {
		unique = "not deduplicated"
	}
	row("unique", s.Unique, unique)
	note := ""
	if text := top(merges(j.meter.Merges()), 4); text != "" {
		note = "made so by " + text
	}
	row("duplicate", s.Duplicate, note)
	row("filtered", s.Filtered, top(filters(s), 4))
	row("rejected", s.Rejected, top(reasons(s), 4))
	in := s.Source
	note = byteText(in.BytesIn) + " read"
	if in.BytesPlain > in.BytesIn {
		note += ", " + byteText(in.BytesPlain) + " decompressed"
	}
	fmt.Fprintf(w, "records\t%s\t\t  %s\n", grouped(in.Records), note)
	if in.EmptyLines > 0 {
		fmt.Fprintf(w, "empty lines\t%s\t\t  skipped\n", grouped(in.EmptyLines))
	}
	w.Flush()
	if text := top(bases(s), 4); text != "" {
		fmt.Fprintf(&b, "resolved against: %s\n", text)
	}
	if text := top(keyRules(s), 6); text != "" {
		fmt.Fprintf(&b, "keys changed by: %s\n", text)
	}
	if c := j.bloomCounts(); c != nil {
		b.WriteString(c.summary())
	}
	b.WriteString(spilled(j.spilled))
	if s.Future > 0 {
		fmt.Fprintf(&b, "%s dated in the future, taken for now\n", counted(s.Future, "reference"))
	}
	if j.memory != nil {
		b.WriteString(j.memory.summary(j.l.State.Dir))
	}
	for _, x := range j.written() {
		b.WriteString(sorted(x))
		name := "written to"
		if x.Role != "output" {
			name = x.Role + " to"
		}
		fmt.Fprintf(&b, "%s %s: %s, %s, %s\n", name, x.Path, counted(x.Rows, "row"), counted(int64(x.Files), "file"), byteText(x.Bytes))
	}
	fmt.Fprintf(&b, "settings %s\n", j.norm.SettingsID())
	j.say(redact(b.String()))
}
