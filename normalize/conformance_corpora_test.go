package normalize_test

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// corporaDir is where test data that nobody in this project wrote may lie, seen from this folder:
// beside the repository. It is not part of it.
const corporaDir = "../../shared/corpora"

// corpusCase is a case of a foreign test suite, as far as these tests need it. What is expected there
// is held by internal/conformance.
type corpusCase struct {
	ID       string  `json:"id"`
	Base     *string `json:"base"`
	Input    string  `json:"input"`
	InputB64 string  `json:"input_b64"`
	Expected *string `json:"expected"`
}

func readCorpus(t *testing.T, name string) []corpusCase {
	t.Helper()
	f, err := os.Open(filepath.Join(corporaDir, "cases", name+".jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("no corpora: %v (these cases are tested only where the folder lies beside the repository)", err)
	} else if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var cases []corpusCase
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var c corpusCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if c.InputB64 != "" {
			raw, err := base64.StdEncoding.DecodeString(c.InputB64)
			if err != nil {
				t.Fatalf("%s: %v", c.ID, err)
			}
			c.Input = string(raw)
		}
		cases = append(cases, c)
	}
	if len(cases) == 0 {
		t.Fatalf("%s has no cases", name)
	}
	return cases
}
