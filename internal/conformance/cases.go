package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// testCase is one case of a foreign test suite, in the uniform form of the corpora.
type testCase struct {
	ID       string  `json:"id"` // file name, "-", number: "purell-0001"
	Profile  string  `json:"profile"`
	Op       string  `json:"op"` // what was tested there
	Base     *string `json:"base"`
	Input    string  `json:"input"`
	Expected *string `json:"expected"` // nil: refused there
	Note     string  `json:"note"`

	InputB64    string `json:"input_b64"`    // the bytes of Input where they aren't UTF-8
	ExpectedB64 string `json:"expected_b64"` // those of Expected
}

// number is the id without the file's name: how the lists of differences name a case.
func (c testCase) number(file string) string { return strings.TrimPrefix(c.ID, file+"-") }

// fileNames are the names of the case files of a folder, without ".jsonl", sorted.
func fileNames(dir string) ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(paths))
	for _, path := range paths {
		names = append(names, strings.TrimSuffix(filepath.Base(path), ".jsonl"))
	}
	slices.Sort(names)
	return names, nil
}

// readCases reads a case file.
func readCases(dir, file string) ([]testCase, error) {
	f, err := os.Open(filepath.Join(dir, file+".jsonl"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var cases []testCase
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var c testCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", file, n, err)
		}
		if err := c.decode(); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", file, c.ID, err)
		}
		cases = append(cases, c)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(cases) == 0 {
		return nil, fmt.Errorf("%s: no cases", file)
	}
	return cases, nil
}

// decode puts the exact bytes in the place of what JSON could say of them.
func (c *testCase) decode() error {
	if c.InputB64 != "" {
		raw, err := base64.StdEncoding.DecodeString(c.InputB64)
		if err != nil {
			return err
		}
		c.Input = string(raw)
	}
	if c.ExpectedB64 != "" {
		raw, err := base64.StdEncoding.DecodeString(c.ExpectedB64)
		if err != nil {
			return err
		}
		text := string(raw)
		c.Expected = &text
	}
	return nil
}
