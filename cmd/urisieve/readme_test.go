package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// block is a fenced code block of the README.
type block struct {
	language, text string
	line           int  // of its opening fence
	after          bool // nothing stands between it and the block before
}

// TestEverySampleOfTheREADMEWorks runs the blocks marked sh, in order and in one folder, with the
// program in PATH and the sample data at hand. A block marked text right after one is what it prints.
func TestEverySampleOfTheREADMEWorks(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	all := fenced(string(text))
	dir, env := sandbox(t, root)
	ran := 0
	for i, b := range all {
		if b.language != "sh" {
			continue
		}
		ran++
		var stdout, stderr bytes.Buffer
		cmd := exec.Command("bash", "-euo", "pipefail", "-c", b.text)
		cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, &stdout, &stderr
		if err := cmd.Run(); err != nil {
			t.Errorf("README.md:%d: %v\n%s%s", b.line, err, b.text, stderr.String())
		}
		if i+1 < len(all) && all[i+1].language == "text" && all[i+1].after && stdout.String() != all[i+1].text {
			t.Errorf("README.md:%d: prints\n%sthe README says\n%s", b.line, stdout.String(), all[i+1].text)
		}
	}
	if ran < 5 {
		t.Errorf("only %d blocks marked sh in README.md", ran)
	}
}

// sandbox is a folder with the data that the README names and a PATH that begins with the program.
func sandbox(t *testing.T, root string) (dir string, env []string) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash on this machine")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{
		filepath.Join(bin, "urisieve"): self,
		filepath.Join(dir, "testdata"): filepath.Join(root, "testdata"),
		filepath.Join(dir, "deploy"):   filepath.Join(root, "deploy"),
	} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	return dir, append(os.Environ(), asProgram+"=1", "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// fenced lists the code blocks of a Markdown text.
func fenced(text string) []block {
	var all []block
	var open *block
	between := ""
	for i, line := range strings.SplitAfter(text, "\n") {
		mark, isFence := strings.CutPrefix(line, "```")
		switch {
		case isFence && open == nil:
			open = &block{language: strings.TrimSpace(mark), line: i + 1, after: strings.TrimSpace(between) == ""}
		case isFence:
			all = append(all, *open)
			open, between = nil, ""
		case open != nil:
			open.text += line
		default:
			between += line
		}
	}
	return all
}

// Every file that the README points at is there.
func TestLinksOfTheREADMELead(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, piece := range strings.Split(string(text), "](")[1:] {
		target, _, _ := strings.Cut(piece, ")")
		if strings.Contains(target, "://") {
			continue
		}
		if _, err := os.Stat(filepath.Join("../..", target)); err != nil {
			t.Errorf("README.md points at %s: %v", target, err)
		}
	}
}
