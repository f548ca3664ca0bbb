package sources_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urisieve/urisieve/pipeline"
	"github.com/urisieve/urisieve/pipeline/pipetest"
	"github.com/urisieve/urisieve/sources"
)

func TestSourceSuite(t *testing.T) {
	dir := t.TempDir()
	for i := range 3 {
		var csv strings.Builder
		csv.WriteString("url,base,n\n")
		for k := range 20 {
			fmt.Fprintf(&csv, "/%d/%d,http://h/%d,\"a\nb%d\"\n\n", i, k, k/3, k)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.csv", i)), []byte(csv.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	blocked := func(t *testing.T) pipeline.Source {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { w.Close(); r.Close() })
		return open(t, sources.Options{Inputs: []string{"-"}, Stdin: r})
	}
	t.Run("files", func(t *testing.T) {
		pipetest.TestSource(t, pipetest.SourceCase{
			Open: func(t *testing.T) pipeline.Source {
				return open(t, sources.Options{Inputs: []string{dir}, Format: "csv", Pass: []string{"n"}, Header: "yes"})
			},
			Blocked: blocked,
		})
	})
	t.Run("reader", func(t *testing.T) {
		pipetest.TestSource(t, pipetest.SourceCase{
			Open: func(t *testing.T) pipeline.Source {
				text := strings.Repeat("{\"l\":[\"a\",\"b\"]}\nnot json\n{\"l\":[]}\n\n", 20)
				f, err := sources.NewReader(strings.NewReader(text), "in", sources.Options{Format: "jsonl", RefFields: []string{"l[]"}})
				if err != nil {
					t.Fatal(err)
				}
				return f
			},
			Blocked: func(t *testing.T) pipeline.Source {
				r, w := io.Pipe()
				t.Cleanup(func() { w.Close() })
				f, err := sources.NewReader(r, "in", sources.Options{})
				if err != nil {
					t.Fatal(err)
				}
				return f
			},
		})
	})
}

func open(t *testing.T, o sources.Options) *sources.Files {
	t.Helper()
	f, err := sources.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
