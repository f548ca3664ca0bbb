// Package oracle holds the independent judge of the normalizer; see README.md.
package oracle

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The judge can be trusted only if it finds a liar: a program that agrees passes, one that gives
// one wrong byte fails, one that answers too little is no answer.
func TestCompareFindsDisagreement(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3 here")
	}
	dir := t.TempDir()
	files := map[string]string{
		"urls.txt":        "http://H/%7Ea\nhttp://h/b\n\n/c\n",
		"hrefs.jsonl.gz":  `{"raw": "../x y", "doc": "http://h/p/q", "base_href": null}` + "\n" + `{"raw": "z", "doc": "http://h/", "base_href": "/deep/er/"}` + "\n",
		"access.log":      `h - - [01/Jan/2026:00:00:00 +0000] "GET /a%2fb HTTP/1.1" 200 12 "http://Ref/" "agent"` + "\n",
		"nasa.tsv":        "host\turl\nh\t/d\n",
		"not-utf8.txt":    "http://h/\xe9\n",
		"surrounding.txt": " http://h/ \n",
	}
	var paths []string
	for name, text := range files {
		path := filepath.Join(dir, name)
		if strings.HasSuffix(name, ".gz") {
			var packed bytes.Buffer
			w := gzip.NewWriter(&packed)
			if _, err := w.Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			text = packed.String()
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	oracle, err := filepath.Abs("rfc3986.py")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, program string
		exit          int
		says          string
	}{
		{"honest", `exec python3 "` + oracle + `"`, 0, "10 references of 6 files: 10 agree"},
		{"one wrong byte", `python3 "` + oracle + `" | sed 's|%20y|+y|'`, 1, "1 disagree"},
		{"a wrong reason", `python3 "` + oracle + `" | sed 's|"ok"|"no_base"|'`, 1, "10 disagree"},
		{"too few answers", `python3 "` + oracle + `" | head -n 3`, 2, ""},
		{"failing", `python3 "` + oracle + `"; exit 3`, 2, ""},
	} {
		program := filepath.Join(dir, "program")
		if err := os.WriteFile(program, []byte("#!/bin/sh\n"+c.program+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("python3", append([]string{"compare.py", "--urisieve", program}, paths...)...).CombinedOutput()
		exit := 0
		if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
			exit = failed.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		if exit != c.exit || !strings.Contains(string(out), c.says) {
			t.Errorf("%s: exit %d, want %d; it says:\n%s", c.name, exit, c.exit, out)
		}
	}
}
