//go:build tr46

package uts46

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAgreesWithTR46 compares with the npm package tr46, byte for byte. scripts/fetch-unicode brings it;
// Node.js runs it. make unicode does both.
func TestAgreesWithTR46(t *testing.T) {
	modules, err := filepath.Abs("../../build/unicode/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	names := hosts()
	var in bytes.Buffer
	for _, name := range names {
		line, err := json.Marshal(name)
		if err != nil {
			t.Fatal(err)
		}
		in.Write(append(line, '\n'))
	}
	cmd := exec.Command("node", "testdata/tr46.cjs")
	cmd.Env = append(os.Environ(), "NODE_PATH="+modules)
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	answers := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(answers) != len(names) {
		t.Fatalf("%d answers to %d names", len(answers), len(names))
	}
	p, different := New(lookup), 0
	for i, name := range names {
		var want *string
		if err := json.Unmarshal([]byte(answers[i]), &want); err != nil {
			t.Fatal(err)
		}
		got, result := p.AppendASCII(nil, []byte(name))
		if (want == nil) != (result.Fault != NoFault) || want != nil && string(got) != *want {
			different++
			if different <= 20 {
				t.Errorf("%+q: got %q, %v; tr46 %s", name, got, result.Fault, answers[i])
			}
		}
	}
	t.Logf("%d names, %d different", len(names), different)
}
