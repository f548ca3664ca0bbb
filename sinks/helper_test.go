package sinks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/urisieve/urisieve/internal/fsys"
	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/normalize/uri"
	"github.com/urisieve/urisieve/pipeline"
	"github.com/urisieve/urisieve/pipeline/pipetest"
)

// ref is a reference of a test, settled.
type ref struct {
	raw, canon string
	record     int64  // number of its source record; equal neighbours share one
	index      uint32 // in its record
	outcome    pipeline.Outcome
	reason     normalize.Reason
	component  normalize.Component
	base       string // retrieval URI
	pass       string // the value of the first pass-through column
}

// info is what the tests' sinks know of the run.
var info = Info{SettingsID: "rfc3986-0.u15+12345678", Tool: "urisieve 0.1.0", Dedup: true, Columns: []pipeline.Column{{Name: "x_note"}}}

// batch makes a batch of references.
func batch(refs []ref) *pipeline.Batch {
	b := pipeline.NewBatch(1)
	source := b.Source("links.txt")
	for i, r := range refs {
		if i == 0 || refs[i-1].record != r.record {
			base := pipeline.NoBase
			if r.base != "" {
				base = b.AddBase(nil, nil, []byte(r.base))
			}
			b.AddRow(pipeline.Row{Number: r.record, Offset: r.record * 100, Partition: -1, Base: base, Source: source})
			if r.pass != "" {
				b.SetText(0, []byte(r.pass))
			}
		}
		raw := r.raw
		if raw == "" {
			raw = r.canon
		}
		rec := b.AddRef(0, []byte(raw))
		rec.Outcome, rec.Index = r.outcome, r.index
		result := normalize.Result{Reason: r.reason, Component: r.component, At: uint32(len(r.raw) / 2)}
		if r.reason == normalize.OK {
			result.Parts = uri.Split([]byte(r.canon))
		}
		b.SetCanon(rec, []byte(r.canon), nil, result)
	}
	return b
}

// view selects everything.
func view(b *pipeline.Batch) pipeline.View {
	v := pipeline.View{Batch: b}
	for i := range b.Records() {
		v.Selected = append(v.Selected, uint32(i))
	}
	return v
}

// some makes n references in records of three.
func some(n int) []ref {
	refs := make([]ref, n)
	for i := range refs {
		refs[i] = ref{canon: fmt.Sprintf("http://www%d.example.com/path/%d?q=%d", i%17, i*7919%10007, i), record: int64(i/3) + 1, index: uint32(i % 3), outcome: pipeline.Unique, pass: "note"}
	}
	return refs
}

// writeAll opens, writes the references in batches of the given size, flushes and finishes.
func writeAll(t testing.TB, disk fsys.FS, o Options, refs []ref, size int) {
	t.Helper()
	if err := tryWriteAll(t.Context(), disk, o, refs, size); err != nil {
		t.Fatal(err)
	}
}

func tryWriteAll(ctx context.Context, disk fsys.FS, o Options, refs []ref, size int) (err error) {
	out, err := Open(disk, o, info)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Abort()) }()
	for part := range slices.Chunk(refs, size) {
		if err := out.Main().Write(ctx, view(batch(part))); err != nil {
			return err
		}
	}
	if err := out.Main().Flush(ctx); err != nil {
		return err
	}
	return out.Finish(ctx, Totals{References: int64(len(refs)), Unique: int64(len(refs))}, true)
}

// read gives a file's bytes.
func read(t testing.TB, disk fsys.FS, name string) []byte {
	t.Helper()
	f, err := disk.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// tree gives all files under a directory, hidden ones too, with their bytes.
func tree(t testing.TB, disk fsys.FS, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	entries, err := disk.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return files
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		if e.IsDir() {
			maps.Copy(files, tree(t, disk, name))
			continue
		}
		files[name] = string(read(t, disk, name))
	}
	return files
}

// names are the sorted keys of a tree.
func names(files map[string]string) []string {
	var list []string
	for name := range files {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// rowsOf reads a Parquet file back: a row a map from column to value, as the reader shows it.
func rowsOf(content []byte) (rows []map[string]parquet.Value, file *parquet.File, err error) {
	file, err = parquet.OpenFile(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, nil, err
	}
	columns := file.Schema().Columns()
	for _, group := range file.RowGroups() {
		reader := group.Rows()
		buffer := make([]parquet.Row, 100)
		for {
			n, err := reader.ReadRows(buffer)
			for _, row := range buffer[:n] {
				m := map[string]parquet.Value{}
				for _, value := range row {
					m[columns[value.Column()][0]] = value.Clone()
				}
				rows = append(rows, m)
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return nil, nil, err
			}
		}
		reader.Close()
	}
	return rows, file, nil
}

func newDisk() *pipetest.CrashFS { return pipetest.NewCrashFS() }

var osDisk fsys.FS = fsys.OS{}
