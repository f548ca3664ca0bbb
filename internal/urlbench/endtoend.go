package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// endToEndRounds is the number of whole runs whose median counts.
const endToEndRounds = 3

// endToEnd times the program over the list, from the compressed file to the closed dataset.
func (o options) endToEnd(in inputs) error {
	dir, err := os.MkdirTemp("", "urlbench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Printf("\nend to end: %s\n", filepath.Base(in.list))
	for _, job := range []struct {
		name string
		args []string
	}{
		{"to Parquet, columns min", []string{"--columns", "min", "--rejects", "none"}},
		{"to Parquet, columns crawl", []string{"--columns", "crawl"}},
		{"dry run: all but writing", []string{"--dry-run"}},
	} {
		var took, worked []float64
		for range endToEndRounds {
			out := filepath.Join(dir, "out")
			args := append([]string{"run", in.list, "--quiet", "--output", out}, job.args...)
			start := time.Now()
			cmd := exec.Command(o.urisieve, args...)
			cmd.Stderr = os.Stderr
			if err := cmd.Run(); err != nil {
				return fmt.Errorf("%s %q: %w", o.urisieve, args, err)
			}
			took = append(took, time.Since(start).Seconds())
			worked = append(worked, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds())
			if _, err := os.Stat(filepath.Join(out, "_manifest.json")); err == nil {
				if in.total, err = references(out); err != nil {
					return err
				}
			}
			for _, leftover := range []string{out, out + ".rejects"} {
				if err := os.RemoveAll(leftover); err != nil {
					return err
				}
			}
		}
		s, cpu := median(took), median(worked)
		fmt.Printf("  %-27s %9d references in %5.2f s: %7.0f a second, %7.0f a CPU second\n",
			job.name, in.total, s, float64(in.total)/s, float64(in.total)/cpu)
	}
	return nil
}

// references is the number that a dataset's manifest gives.
func references(dataset string) (int64, error) {
	text, err := os.ReadFile(filepath.Join(dataset, "_manifest.json"))
	if err != nil {
		return 0, err
	}
	var m struct {
		Counts struct {
			References int64 `json:"references"`
		} `json:"counts"`
	}
	err = json.Unmarshal(text, &m)
	return m.Counts.References, err
}
