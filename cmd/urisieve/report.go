package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/urisieve/urisieve/config"
	"github.com/urisieve/urisieve/pipeline"
)

// report is what --report writes: the same bytes for the same input and settings, whatever the number
// of workers. With --dedup bloom the secret key is one of these settings.
type report struct {
	Settings   string           `json:"settings"`
	References int64            `json:"references"`
	Unique     int64            `json:"unique"`
	Duplicate  int64            `json:"duplicate"`
	Filtered   int64            `json:"filtered"`
	Rejected   int64            `json:"rejected"`
	Reasons    map[string]int64 `json:"rejected_by_reason"`
	Unchanged  int64            `json:"duplicate_unchanged"` // no rule changed them
	Bloom      *bloomCounts     `json:"bloom,omitempty"`     // with --dedup bloom
	Merges     []reportMerge    `json:"merges"`              // the most frequent first
}

// reportMerge is what one rule had a part in. A duplicate that several rules changed counts for each.
type reportMerge struct {
	Rule       string         `json:"rule"`
	Kind       string         `json:"kind"` // "rule" or "key_rule"
	Duplicates int64          `json:"duplicates"`
	Samples    []reportSample `json:"samples"`
}

type reportSample struct {
	Source    string `json:"source"`
	Record    int64  `json:"record"`
	Index     uint32 `json:"index"`
	Reference string `json:"reference"`
	URL       string `json:"url"`
	Key       string `json:"key"`
}

// reportFaults refuses to replace what may be somebody's: a file that is there, unless --overwrite is
// given, and an input or output, always.
func reportFaults(l *config.Loaded) config.Faults {
	path := l.Run.Report
	fault := func(problem, want string) config.Faults {
		return config.Faults{l.Fault("run.report", redactWord(path)+problem, want)}
	}
	switch path {
	case "":
		return nil
	case "-":
		return fault(" is standard output, where the URLs go", "a file")
	}
	for _, output := range []string{l.Output.Path, l.Rejects.Path} {
		if output != "" && output != "-" && samePath(path, output) {
			return fault(" is an output", "another file")
		}
	}
	there, err := os.Stat(path)
	exists := err == nil // one that can't be looked at can't be written: the write will tell
	for _, input := range l.Input.Paths {
		if info, err := os.Stat(input); err == nil && exists && os.SameFile(there, info) {
			return fault(" is an input", "another file")
		}
	}
	if exists && there.IsDir() {
		return fault(" is a directory", "a file")
	}
	if exists && there.Mode().IsRegular() && there.Size() > 0 && !l.Output.Overwrite {
		return fault(" is there already", "another file, or --overwrite")
	}
	return nil
}

// samePath reports whether two names are of one place, whether or not there is something.
func samePath(a, b string) bool {
	a, errA := filepath.Abs(a)
	b, errB := filepath.Abs(b)
	return errA == nil && errB == nil && a == b
}

// writeReport writes the report of a run, under its name once it is whole.
func (j *job) writeReport(s *pipeline.Stats) error {
	path := j.l.Run.Report
	if path == "" {
		return nil
	}
	r := report{
		Settings: j.norm.SettingsID(), References: s.References, Unique: s.Unique, Duplicate: s.Duplicate, Filtered: s.Filtered,
		Rejected: s.Rejected, Reasons: map[string]int64{}, Unchanged: s.DuplicateSame, Bloom: j.bloomCounts(), Merges: []reportMerge{},
	}
	for _, c := range reasons(s) {
		r.Reasons[c.name] = c.n
	}
	for _, m := range j.meter.Merges() {
		merge := reportMerge{Rule: m.Rule, Kind: "rule", Duplicates: m.Duplicates, Samples: []reportSample{}}
		if m.KeyRule {
			merge.Kind = "key_rule"
		}
		for _, x := range m.Samples {
			merge.Samples = append(merge.Samples, reportSample{x.Position.Source, x.Position.Number, x.Index, x.Text, x.URL, x.Key})
		}
		r.Merges = append(r.Merges, merge)
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false) // "&" is in every other URI
	enc.SetIndent("", "  ")
	if err := enc.Encode(r); err != nil {
		return err
	}
	for _, w := range j.written() {
		if samePath(path, w.Path) {
			return fmt.Errorf("write the report: %s was written by this run", redactWord(path))
		}
	}
	if err := replaceFile(path, text.Bytes()); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// replaceFile writes a file beside the name and then gives it the name, so that nobody reads half. A
// link keeps its place; into what is no file, such as a pipe or a device, the text is written.
func replaceFile(path string, text []byte) (err error) {
	if there, statErr := os.Stat(path); statErr == nil && !there.Mode().IsRegular() {
		return writeInto(path, text)
	}
	if target, linkErr := filepath.EvalSymlinks(path); linkErr == nil {
		path = target
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".report-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(text); err == nil {
		err = f.Chmod(0o644)
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func writeInto(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// merges are the counts of duplicates by the rules that had a part in them.
func merges(all []pipeline.RuleMerges) []count {
	counts := make([]count, 0, len(all))
	for _, m := range all {
		counts = append(counts, count{m.Rule, m.Duplicates})
	}
	return counts
}
