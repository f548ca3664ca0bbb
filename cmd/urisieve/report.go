package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/urisieve/urisieve/config"
	"github.com/urisieve/urisieve/pipeline"
)

// report is what --report writes: the same bytes for the same input and settings, whatever the number
// of workers.
type report struct {
	Settings   string           `json:"settings"`
	References int64            `json:"references"`
	Unique     int64            `json:"unique"`
	Duplicate  int64            `json:"duplicate"`
	Filtered   int64            `json:"filtered"`
	Rejected   int64            `json:"rejected"`
	Reasons    map[string]int64 `json:"rejected_by_reason"`
	Unchanged  int64            `json:"duplicate_unchanged"` // no rule changed them
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
// given, and an input, always.
func reportFaults(l *config.Loaded) (faults config.Faults) {
	if l.Run.Report == "" {
		return nil
	}
	there, err := os.Stat(l.Run.Report)
	if err == nil && (there.IsDir() || there.Size() > 0 && !l.Output.Overwrite) {
		faults = append(faults, l.Fault("run.report", redactWord(l.Run.Report)+" is there already", "another file, or --overwrite"))
	}
	for _, path := range l.Input.Paths {
		if input, inputErr := os.Stat(path); err == nil && inputErr == nil && os.SameFile(there, input) {
			return config.Faults{l.Fault("run.report", redactWord(l.Run.Report)+" is an input", "another file")}
		}
	}
	return faults // a file that can't be looked at is one that can't be written: the write will tell
}

// writeReport writes the report of a run, under its name once it is whole.
func (j *job) writeReport(s *pipeline.Stats) error {
	path := j.l.Run.Report
	if path == "" {
		return nil
	}
	r := report{
		Settings: j.norm.SettingsID(), References: s.References, Unique: s.Unique, Duplicate: s.Duplicate, Filtered: s.Filtered,
		Rejected: s.Rejected, Reasons: map[string]int64{}, Unchanged: s.DuplicateSame, Merges: []reportMerge{},
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
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := replaceFile(path, append(text, '\n')); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// replaceFile writes a file beside the name and then gives it the name, so that nobody reads half.
func replaceFile(path string, text []byte) (err error) {
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

// merges are the counts of duplicates by the rules that had a part in them.
func merges(all []pipeline.RuleMerges) []count {
	counts := make([]count, 0, len(all))
	for _, m := range all {
		counts = append(counts, count{m.Rule, m.Duplicates})
	}
	return counts
}
