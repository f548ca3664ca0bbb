package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/urisieve/urisieve/"

// layer says what the packages of a folder may not lead to, by whatever path.
type layer struct {
	folder  string // "normalize" is that package, "sinks/..." all below it, too
	only    []string
	without []string // packages that it must not even use indirectly
	direct  []string // packages that it must not import itself
}

// The arrows of docs/architecture.md: uri <- normalize <- pipeline <- {sources, sinks} <- cmd,
// dedup <- pipeline, config imports none of ours. only are the folders of ours that it may use.
var layers = []layer{
	{folder: "normalize/uri", only: nil},
	{
		folder: "normalize", only: []string{"normalize"},
		direct:  []string{"regexp", "net/url", "log", "log/slog", "os", "time", "fmt", "io", "context", "sync", "net", "net/http"},
		without: []string{"net/http", "log/slog", "net/url"},
	},
	{folder: "normalize/whatwg", only: []string{"normalize"}, direct: []string{"regexp", "net/url", "log", "os", "time", "fmt"}},
	{folder: "pipeline/dedup", only: []string{"internal"}},
	{folder: "pipeline", only: []string{"normalize", "pipeline/dedup", "internal"}},
	{folder: "sources", only: []string{"normalize", "pipeline", "internal"}},
	{folder: "sinks", only: []string{"normalize", "pipeline", "internal"}},
	{folder: "config", only: nil},
	{folder: "internal/fsys", only: nil},
}

// listed is a package as go list tells of it.
type listed struct {
	ImportPath string
	Imports    []string
	Deps       []string
	Standard   bool
}

// TestLayers holds the import arrows over what is really linked in.
func TestLayers(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,Deps", module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	packages := map[string]listed{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		packages[p.ImportPath] = p
	}
	for _, l := range layers {
		p, ok := packages[module+l.folder]
		if !ok {
			t.Errorf("there is no package %s", l.folder)
			continue
		}
		for _, dep := range p.Deps {
			if ours, ok := strings.CutPrefix(dep, module); ok && !allowed(ours, l.only) {
				t.Errorf("%s leads to %s", l.folder, ours)
			}
			for _, w := range l.without {
				if dep == w {
					t.Errorf("%s leads to %s", l.folder, dep)
				}
			}
		}
		for _, imported := range p.Imports {
			for _, d := range l.direct {
				if imported == d {
					t.Errorf("%s imports %s", l.folder, d)
				}
			}
		}
	}
}

func allowed(folder string, only []string) bool {
	for _, o := range only {
		if folder == o || strings.HasPrefix(folder, o+"/") {
			return true
		}
	}
	return false
}

// TestOnlyCmdKnowsConcreteTypes: sources and sinks are used by nothing but the program, and by
// test code.
func TestOnlyCmdKnowsConcreteTypes(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}}: {{join .Imports \" \"}}", module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		name, imports, _ := strings.Cut(strings.TrimSpace(line), ": ")
		name = strings.TrimPrefix(name, module)
		if strings.HasPrefix(name, "cmd/") || strings.HasPrefix(name, "bench") {
			continue
		}
		for imported := range strings.FieldsSeq(imports) {
			switch ours := strings.TrimPrefix(imported, module); ours {
			case "sources", "sinks", "config":
				t.Errorf("%s imports %s", name, ours)
			}
		}
	}
}
