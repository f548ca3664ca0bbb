package sinks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/urisieve/urisieve/internal/fsys"
	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/normalize/uri"
	"github.com/urisieve/urisieve/pipeline"
	"github.com/urisieve/urisieve/pipeline/pipetest"
)

// temporary is a disk of its own for what is sorted.
func temporary() fsys.Scratch {
	disk := newDisk()
	if err := disk.MkdirAll("/tmp", 0o700); err != nil {
		panic(err)
	}
	return fsys.Scratch{FS: disk, Dir: "/tmp"}
}

func sortedOptions(o Options, sort string) Options {
	o.Sort, o.SortMemory, o.Scratch = sort, 1<<20, temporary()
	return o
}

// keyed is a row of a file: what it is sorted by, and what tells it apart.
type keyed struct {
	key, url string
	record   int64
	index    int64
}

func keyedOf(r ref) keyed {
	return keyed{string(normalize.AppendSURT(nil, []byte(r.canon), uri.Split([]byte(r.canon)))), r.canon, r.record, int64(r.index)}
}

func inOrder(refs []ref) (rows []keyed) {
	for _, r := range refs {
		rows = append(rows, keyedOf(r))
	}
	slices.SortStableFunc(rows, func(a, b keyed) int { return bytes.Compare([]byte(a.key), []byte(b.key)) })
	return rows
}

// keyedRows reads a part file with the columns url_surtkey, url, source_record and source_index.
func keyedRows(t *testing.T, name string, content []byte) (rows []keyed) {
	t.Helper()
	if strings.HasSuffix(name, ".parquet") {
		all, file, err := rowsOf(content)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range all {
			rows = append(rows, keyed{r[surtColumn].String(), r["url"].String(), r["source_record"].Int64(), int64(r["source_index"].Int32())})
		}
		for i, g := range file.Metadata().RowGroups {
			if len(g.SortingColumns) != 1 || g.SortingColumns[0].Descending || file.Schema().Columns()[g.SortingColumns[0].ColumnIdx][0] != surtColumn {
				t.Errorf("%s: row group %d declares the order %+v", name, i, g.SortingColumns)
			}
		}
		if by, _ := file.Lookup("urisieve.sorted_by"); by != surtColumn {
			t.Errorf("%s: urisieve.sorted_by is %q", name, by)
		}
		if _, ok := file.Lookup("urisieve.first"); ok {
			t.Errorf("%s tells of a first source record", name)
		}
		return rows
	}
	for line := range bytes.Lines(content) {
		var row struct {
			Key    string `json:"url_surtkey"`
			URL    string
			Record int64 `json:"source_record"`
			Index  int64 `json:"source_index"`
		}
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, keyed{row.Key, row.URL, row.Record, row.Index})
	}
	return rows
}

const keyedColumns = "url_surtkey,url,source_record,source_index"

// sameKey makes references of which many have the same sort key, told apart by the source record alone.
func sameKey(n int) []ref {
	refs := some(n)
	for i := range refs {
		if i%3 > 0 {
			refs[i].canon = fmt.Sprintf("http://u%d@example.com/%d", i, i%5)
		}
	}
	return refs
}

func TestSortedDatasets(t *testing.T) {
	refs := sameKey(7000)
	for name, o := range map[string]Options{
		"parquet":       {RowGroupRows: 1000, FileRows: 2000},
		"parquet bytes": {RowGroupRows: 1000, FileBytes: MinFileBytes},
		"jsonl":         {Format: FormatJSONL, FileRows: 2000},
		"jsonl bytes":   {Format: FormatJSONL, FileRows: 5000, FileBytes: MinFileBytes},
	} {
		for _, sort := range []string{SortGlobal, SortFile} {
			t.Run(name+" "+sort, func(t *testing.T) {
				o.Output, o.Columns, o.Rejects = "out", keyedColumns+",url_fp", "none"
				disk := newDisk()
				writeAll(t, disk, sortedOptions(o, sort), refs, 700)
				files := tree(t, disk, "out")
				for size := range 3 {
					again, other := newDisk(), sortedOptions(o, sort)
					other.SortMemory = 1 << (20 + 5*size)
					writeAll(t, again, other, refs, []int{1, 37, 7000}[size])
					if got := tree(t, again, "out"); !maps.Equal(got, files) {
						t.Errorf("with other batches and memory: %v, want %v", names(got), names(files))
					}
				}
				var m manifest
				if err := json.Unmarshal([]byte(files["out/_manifest.json"]), &m); err != nil {
					t.Fatal(err)
				}
				if m.Sort != sort || m.SortedBy != surtColumn || m.Rows != 7000 {
					t.Errorf("manifest: sort %q by %q, %d rows", m.Sort, m.SortedBy, m.Rows)
				}
				checkSorted(t, files, &m, o, sort, refs)
			})
		}
	}
}

// checkSorted holds files against the rule: of "global" one order; of "file" stretches of file_rows rows, to the end of
// the record.
func checkSorted(t *testing.T, files map[string]string, m *manifest, o Options, sort string, refs []ref) {
	t.Helper()
	var want []keyed
	if sort == SortGlobal {
		want = inOrder(refs)
	} else {
		stretch := int(o.FileRows)
		if stretch == 0 {
			stretch = len(refs)
		}
		stretch = (stretch + 2) / 3 * 3 // records of three
		for part := range slices.Chunk(refs, stretch) {
			want = append(want, inOrder(part)...)
		}
	}
	var got []keyed
	var sizes []int
	for _, f := range m.Files {
		rows := keyedRows(t, f.Name, []byte(files["out/"+f.Name]))
		if f.First != nil || f.Last != nil || *f.FirstKey != rows[0].key || *f.LastKey != rows[len(rows)-1].key {
			t.Errorf("%s: in the manifest from %s to %s", f.Name, *f.FirstKey, *f.LastKey)
		}
		got = append(got, rows...)
		sizes = append(sizes, len(rows))
	}
	if !slices.Equal(got, want) {
		t.Errorf("not the rows, or not in the order: %d rows", len(got))
	}
	switch {
	case o.FileBytes > 0 && len(sizes) < 2:
		t.Errorf("file_bytes ended no file: rows %v", sizes)
	case o.FileBytes == 0 && sort == SortGlobal && !slices.Equal(sizes, []int{2000, 2000, 2000, 1000}):
		t.Errorf("rows of the files: %v", sizes)
	case o.FileBytes == 0 && sort == SortFile && !slices.Equal(sizes, []int{2001, 2001, 2001, 997}):
		t.Errorf("rows of the files: %v", sizes)
	}
}

// TestSortOfOneFile: for one file and for standard output, file and global are the same.
func TestSortOfOneFile(t *testing.T) {
	refs := sameKey(3000)
	want := inOrder(refs)
	for _, sort := range []string{SortFile, SortGlobal} {
		disk := newDisk()
		writeAll(t, disk, sortedOptions(Options{Output: "out.parquet", Columns: keyedColumns, FileRows: 100, Rejects: "none"}, sort), refs, 99)
		if got := keyedRows(t, "out.parquet", read(t, disk, "out.parquet")); !slices.Equal(got, want) {
			t.Errorf("%s: one file isn't in order", sort)
		}
		p := &pipe{}
		out := openPipe(t, p, sortedOptions(Options{Format: FormatText}, sort))
		if _, ok := out.Main().(pipeline.IdleSink); ok {
			t.Error("a sorted output has something to hand over when it is idle")
		}
		if err := out.Main().Write(t.Context(), view(batch(refs))); err != nil {
			t.Fatal(err)
		}
		if p.String() != "" {
			t.Error("something was written before the end")
		}
		if err := out.Finish(t.Context(), Totals{}, true); err != nil { // it flushes
			t.Fatal(err)
		}
		var urls strings.Builder
		for _, k := range want {
			urls.WriteString(k.url + "\n")
		}
		if p.String() != urls.String() {
			t.Errorf("%s: standard output isn't in order", sort)
		}
	}
}

// TestOnlyWhatIsWantedIsSorted: duplicates of their own are, rejects keep the order of the input.
func TestOnlyWhatIsWantedIsSorted(t *testing.T) {
	refs := some(600)
	var rejected []ref
	for i := range 50 {
		rejected = append(rejected, ref{raw: fmt.Sprintf("%d", 1000-i), record: int64(i) + 1, outcome: pipeline.Rejected, reason: normalize.NoBase})
	}
	disk := newDisk()
	o := sortedOptions(Options{Output: "out.jsonl", Columns: keyedColumns, Duplicates: "dup.jsonl", Rejects: "rej.jsonl"}, SortGlobal)
	out, err := Open(disk, o, info)
	if err != nil {
		t.Fatal(err)
	}
	for sink, refs := range map[pipeline.Sink][]ref{out.Main(): refs[:300], out.Duplicates(): refs[300:], out.Rejects(): rejected} {
		if err := errors.Join(sink.Write(t.Context(), view(batch(refs))), sink.Flush(t.Context())); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Finish(t.Context(), Totals{}, true); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]ref{"out.jsonl": refs[:300], "dup.jsonl": refs[300:]} {
		if got := keyedRows(t, name, read(t, disk, name)); !slices.Equal(got, inOrder(want)) {
			t.Errorf("%s isn't in order", name)
		}
	}
	if got := string(read(t, disk, "rej.jsonl")); strings.Index(got, `"raw":"1000"`) > strings.Index(got, `"raw":"999"`) || !strings.Contains(got, `"raw":"951"`) {
		t.Error("the rejects aren't in the order of the input")
	}
	for _, w := range out.Written() {
		if want := map[string]int64{"output": 300, "duplicates": 300}[w.Role]; w.Sort.Rows != want {
			t.Errorf("%s: %d rows sorted", w.Role, w.Sort.Rows)
		}
	}
}

// TestParquetWithoutTheKeyDeclaresNoOrder: a reader can't use what it doesn't see.
func TestParquetWithoutTheKeyDeclaresNoOrder(t *testing.T) {
	for _, o := range []Options{
		sortedOptions(Options{Output: "out.parquet", Columns: "min", Rejects: "none"}, SortGlobal),
		{Output: "out.parquet", Columns: "crawl", Rejects: "none"},
	} {
		disk := newDisk()
		writeAll(t, disk, o, some(10), 3)
		content := read(t, disk, "out.parquet")
		file, err := parquet.OpenFile(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			t.Fatal(err)
		}
		if order := file.Metadata().RowGroups[0].SortingColumns; len(order) > 0 {
			t.Errorf("sort %q: the order %+v", o.Sort, order)
		}
		if by, ok := file.Lookup("urisieve.sorted_by"); ok != (o.Sort == SortGlobal) {
			t.Errorf("sort %q: urisieve.sorted_by is %q", o.Sort, by)
		}
	}
}

// TestUnflushedSortedRowsFailTheOutput: it must not be taken for whole.
func TestUnflushedSortedRowsFailTheOutput(t *testing.T) {
	disk := newDisk()
	out, err := Open(disk, sortedOptions(lines("out"), SortGlobal), info)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(out.Main().Write(t.Context(), view(batch(some(5)))), out.Main().Close()); err != nil {
		t.Fatal(err)
	}
	if err := out.Finish(t.Context(), Totals{}, true); !errors.Is(err, errUnflushed) {
		t.Errorf("got %v", err)
	}
	if left := visible(t, disk); len(left) > 0 {
		t.Errorf("left behind: %v", names(left))
	}
}

// TestASortedJobGoesOn: with one checkpoint, at the end, a crash at any operation leaves what can be gone on with, to the
// same bytes.
func TestASortedJobGoesOn(t *testing.T) {
	for _, o := range []Options{
		{Output: "d/out", Format: FormatJSONL, Duplicates: "d/dups", Columns: keyedColumns, FileRows: 25},
		{Output: "d/out.jsonl.zst", Duplicates: "d/dups.jsonl", Columns: keyedColumns},
		{Output: "d/out.parquet", Duplicates: "d/dups.parquet", Columns: keyedColumns},
	} {
		o = sortedOptions(o, SortGlobal)
		if !o.OneFlush() {
			t.Error("it takes more than one flush")
		}
		reference := newDisk()
		j := resumableJob{o: o, refs: mixed(120), every: 120}
		if err := j.run(t, reference); err != nil {
			t.Fatal(err)
		}
		want := tree(t, reference, ".")
		for at := 1; at <= reference.Ops(); at++ {
			disk := newDisk()
			j := resumableJob{o: o, refs: mixed(120), every: 120}
			disk.StopAt(at)
			if err := j.run(t, disk); err != nil && !errors.Is(err, pipetest.ErrStopped) {
				t.Fatalf("operation %d: %v", at, err)
			}
			disk.Crash(nil)
			if j.progress == nil { // it had not begun
				j.o.Overwrite = true
			}
			if err := j.run(t, disk); err != nil {
				t.Fatalf("%s, operation %d: resumed: %v", o.Output, at, err)
			}
			if got := tree(t, disk, "."); !maps.Equal(got, want) {
				t.Fatalf("%s, operation %d: %v, want %v%s", o.Output, at, names(got), names(want), differing(got, want))
			}
		}
	}
}

func TestOneFlush(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want bool
	}{
		{Options{Output: "out"}, false},
		{Options{Output: "out.txt"}, false},
		{Options{Output: "out", Sort: SortFile}, false},
		{Options{Output: "out", Sort: SortFile, Duplicates: "dups/"}, false},
		{Options{Output: "out", Sort: SortFile, Duplicates: "dups.txt"}, true},
		{Options{Output: "out.txt", Sort: SortFile}, true},
		{Options{Output: "-", Sort: SortFile}, true},
		{Options{Output: "out", Sort: SortGlobal}, true},
	} {
		if got := c.o.OneFlush(); got != c.want {
			t.Errorf("%+v: %t", c.o, got)
		}
	}
}

// TestFullDiskOfTheSort: the fault is told, nothing is published, nothing is left.
func TestFullDiskOfTheSort(t *testing.T) {
	for _, sort := range []string{SortGlobal, SortFile} {
		disk, o := newDisk(), sortedOptions(lines("out"), sort)
		o.FileRows = 12_000
		o.Scratch.FS.(*pipetest.CrashFS).FailAt(9, syscall.ENOSPC)
		err := tryWriteAll(t.Context(), disk, o, some(12_000), 500)
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("%s: got %v", sort, err)
		}
		if left := tree(t, disk, "."); len(left) > 0 {
			t.Errorf("%s: left behind: %v", sort, names(left))
		}
		if left := tree(t, o.Scratch.FS, "/tmp"); len(left) > 0 {
			t.Errorf("%s: left behind: %v", sort, names(left))
		}
	}
}
