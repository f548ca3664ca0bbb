package sinks

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"syscall"
	"testing"
)

// lines is a small dataset's options: files of 64 KiB.
func lines(output string) Options {
	return Options{Output: output, Format: FormatJSONL, Columns: "url,source_record", FileBytes: MinFileBytes, Rejects: "none"}
}

func TestDatasetNamesManifestAndSuccess(t *testing.T) {
	disk := newDisk()
	writeAll(t, disk, lines("a/b/out"), some(3000), 100)
	files := tree(t, disk, ".")
	want := []string{"a/b/out/_SUCCESS", "a/b/out/_manifest.json", "a/b/out/part-000000.jsonl", "a/b/out/part-000001.jsonl", "a/b/out/part-000002.jsonl", "a/b/out/part-000003.jsonl"}
	if got := names(files); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	var m manifest
	if err := json.Unmarshal([]byte(files["a/b/out/_manifest.json"]), &m); err != nil {
		t.Fatal(err)
	}
	if m.Rows != 3000 || !m.Complete || m.Schema != SchemaMain || m.SettingsID != info.SettingsID || m.Counts.Unique != 3000 || len(m.Files) != 4 {
		t.Errorf("manifest: %+v", m)
	}
	bytes, next := int64(0), int64(1)
	for _, f := range m.Files {
		bytes += f.Bytes
		if int(f.Bytes) != len(files["a/b/out/"+f.Name]) {
			t.Errorf("%s: %d bytes in the manifest, %d on disk", f.Name, f.Bytes, len(files["a/b/out/"+f.Name]))
		}
		if f.First.Record != next {
			t.Errorf("%s begins with record %d, want %d: a record was cut or lost", f.Name, f.First.Record, next)
		}
		next = f.Last.Record + 1
	}
	if bytes != m.Bytes || next != 1001 {
		t.Errorf("%d bytes, want %d; last record %d, want 1000", m.Bytes, bytes, next-1)
	}
}

func TestSameBytesWhateverTheBatches(t *testing.T) {
	refs := some(7000)
	for name, o := range map[string]Options{
		"parquet": {Output: "out", RowGroupRows: 1000, FileBytes: MinFileBytes, Rejects: "none"},
		"wide":    {Output: "out", RowGroupRows: 1500, FileRows: 2000, Compat: "wide", Rejects: "none"},
		"jsonl":   lines("out"),
		"gzip":    {Output: "out", Format: FormatJSONL, Compression: "gzip", FileRows: 1000, Rejects: "none"},
		"zstd":    {Output: "out", Format: FormatText, Compression: "zstd", FileRows: 2500, Rejects: "none"},
		"single":  {Output: "out.parquet", RowGroupRows: 1000, Rejects: "none"},
	} {
		t.Run(name, func(t *testing.T) {
			var first map[string]string
			for _, size := range []int{7, 1, 1000, 333, 7000} {
				disk := newDisk()
				writeAll(t, disk, o, refs, size)
				files := tree(t, disk, ".")
				if first == nil {
					first = files
					if len(first) < 4 && name != "single" {
						t.Fatalf("only %v: the files don't roll", names(first))
					}
				}
				if !maps.Equal(files, first) {
					t.Errorf("batches of %d give other bytes: %v, %v", size, names(files), names(first))
				}
			}
		})
	}
}

func TestFilesEndBetweenRecords(t *testing.T) {
	var refs []ref
	for i, n := range []int{5, 40, 1, 1, 30, 2, 9} {
		for k := range n {
			refs = append(refs, ref{canon: fmt.Sprintf("http://h/%d/%d", i, k), record: int64(i + 1), index: uint32(k)})
		}
	}
	for _, size := range []int{1, 7, 88} {
		disk := newDisk()
		writeAll(t, disk, Options{Output: "out", Format: FormatJSONL, Columns: "source_record", FileRows: 10, Rejects: "none"}, refs, size)
		got := ""
		for _, name := range names(tree(t, disk, "out")) {
			if strings.Contains(name, "part") {
				got += fmt.Sprint(strings.Count(string(read(t, disk, name)), "\n"), " ")
			}
		}
		// Records of 5+40, 1+1+30, 2+9: each file ends with the record that fills it.
		if got != "45 32 11 " {
			t.Errorf("batches of %d: rows %s", size, got)
		}
	}
}

func TestAnEmptyRunLeavesAReadableDataset(t *testing.T) {
	disk := newDisk()
	writeAll(t, disk, Options{Output: "out"}, nil, 1)
	for _, dir := range []string{"out", "out.rejects"} {
		rows, file, err := rowsOf(read(t, disk, dir+"/part-000000.parquet"))
		if err != nil || len(rows) != 0 || len(file.Schema().Columns()) < 10 {
			t.Errorf("%s: %d rows, %v", dir, len(rows), err)
		}
		if read(t, disk, dir+"/_SUCCESS"); t.Failed() {
			break
		}
	}
}

func TestExistingOutputIsRefusedAndNothingIsCreated(t *testing.T) {
	disk := newDisk()
	writeAll(t, disk, lines("out"), some(10), 10)
	writeAll(t, disk, lines("o.jsonl"), some(10), 10)
	before := tree(t, disk, ".")
	for _, o := range []Options{lines("out"), lines("o.jsonl"), {Output: "fresh", Rejects: "out"}, {Output: "fresh", Duplicates: "out"}} {
		_, err := Open(disk, o, info)
		if _, ok := errors.AsType[*ExistsError](err); !ok {
			t.Errorf("%s: got %v, want an ExistsError", o.Output, err)
		} else if !strings.Contains(err.Error(), "overwrite") {
			t.Errorf("%s: %q names no way out", o.Output, err)
		}
	}
	if after := tree(t, disk, "."); !maps.Equal(before, after) {
		t.Errorf("before %v, after %v", names(before), names(after))
	}
}

func TestOverwriteRemovesNothingThatIsNotADataset(t *testing.T) {
	disk := newDisk()
	writeAll(t, disk, lines("out"), some(10), 10)
	f, _ := disk.OpenFile("out/thesis.txt", os.O_CREATE|os.O_WRONLY, 0o644)
	f.Close()
	o := lines("out")
	o.Overwrite = true
	_, err := Open(disk, o, info)
	var there *ExistsError
	if !errors.As(err, &there) || !there.Foreign || there.Found != "thesis.txt" {
		t.Errorf("got %v, want it to name thesis.txt", err)
	}
}

func TestOverwriteReplacesAtTheEndOnly(t *testing.T) {
	for _, output := range []string{"out", "out.jsonl"} {
		disk := newDisk()
		writeAll(t, disk, lines(output), some(2000), 100)
		old := tree(t, disk, ".")
		o := lines(output)
		o.Overwrite = true
		out, err := Open(disk, o, info)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(out.Main().Write(t.Context(), view(batch(some(30)))), out.Main().Flush(t.Context())); err != nil {
			t.Fatal(err)
		}
		for name, text := range old {
			if string(read(t, disk, name)) != text {
				t.Errorf("%s changed before the end", name)
			}
		}
		if err := out.Finish(t.Context(), Totals{}, true); err != nil {
			t.Fatal(err)
		}
		for name := range tree(t, disk, ".") {
			if old[name] == "" && !strings.Contains(name, successName) {
				t.Errorf("%s is left over", name)
			}
		}
		if got := out.Written()[0]; got.Rows != 30 || got.Path != output || got.Files != 1 {
			t.Errorf("written %+v", got)
		}
	}
}

func TestIncompleteInputReplacesNothing(t *testing.T) {
	for output, kept := range map[string]string{"out": "out.incomplete/part-000000.jsonl", "out.jsonl": "out.incomplete.jsonl"} {
		disk := newDisk()
		writeAll(t, disk, lines(output), some(20), 100)
		old := tree(t, disk, ".")
		o := lines(output)
		o.Overwrite = true
		for range 2 { // the second time, what was kept is replaced
			out, err := Open(disk, o, info)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(out.Main().Write(t.Context(), view(batch(some(3)))), out.Finish(t.Context(), Totals{}, false)); err != nil {
				t.Fatal(err)
			}
			if got := strings.Count(string(read(t, disk, kept)), "\n"); got != 3 {
				t.Errorf("%s has %d rows, want 3", kept, got)
			}
			if path := out.Written()[0].Path; !strings.HasPrefix(kept, path) {
				t.Errorf("written to %s, want %s", path, kept)
			}
		}
		files := tree(t, disk, ".")
		for name, text := range old {
			if files[name] != text {
				t.Errorf("%s changed", name)
			}
		}
		if _, ok := files["out.incomplete/_SUCCESS"]; ok {
			t.Error("incomplete, with _SUCCESS")
		}
	}
}

func TestIncompleteInputHasNoSuccess(t *testing.T) {
	disk := newDisk()
	out, err := Open(disk, lines("out"), info)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(out.Main().Write(t.Context(), view(batch(some(3)))), out.Finish(t.Context(), Totals{}, false)); err != nil {
		t.Fatal(err)
	}
	files := tree(t, disk, ".")
	if _, ok := files["out/_SUCCESS"]; ok || !strings.Contains(files["out/_manifest.json"], `"complete": false`) {
		t.Errorf("got %v, %s", names(files), files["out/_manifest.json"])
	}
}

func TestAppendAddsARunOfItsOwnPrefix(t *testing.T) {
	disk := newDisk()
	o := lines("out")
	o.Append = true
	for range 3 {
		writeAll(t, disk, o, some(2000), 100)
	}
	want := "[out/_SUCCESS out/_manifest.json out/_run-0001-manifest.json out/_run-0002-manifest.json out/part-000000.jsonl out/part-000001.jsonl out/part-000002.jsonl" +
		" out/run-0001-part-000000.jsonl out/run-0001-part-000001.jsonl out/run-0001-part-000002.jsonl" +
		" out/run-0002-part-000000.jsonl out/run-0002-part-000001.jsonl out/run-0002-part-000002.jsonl]"
	if got := fmt.Sprint(names(tree(t, disk, "."))); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAppendRefusesWhatDoesNotFit(t *testing.T) {
	disk := newDisk()
	writeAll(t, disk, lines("out"), some(10), 10)
	o := lines("out")
	o.Append = true
	other := info
	other.SettingsID = "rfc3986-9.u17+00000000"
	if _, err := Open(disk, o, other); err == nil || !strings.Contains(err.Error(), other.SettingsID) || !strings.Contains(err.Error(), info.SettingsID) {
		t.Errorf("other settings: got %v, want both named", err)
	}
	o.Columns = "url"
	if _, err := Open(disk, o, info); err == nil || !strings.Contains(err.Error(), "columns") {
		t.Errorf("other columns: got %v", err)
	}
	o = lines("out")
	o.Append = true
	disk.Remove("out/_manifest.json")
	if _, err := Open(disk, o, info); err == nil || !strings.Contains(err.Error(), "did not end") {
		t.Errorf("after a run that did not end: got %v", err)
	}
}

func TestAnOutputInUseIsBusy(t *testing.T) {
	for _, output := range []string{"out", "out.jsonl"} {
		disk := newDisk()
		first, err := Open(disk, lines(output), info)
		if err != nil {
			t.Fatal(err)
		}
		var busy *BusyError
		if _, err := Open(disk, lines(output), info); !errors.As(err, &busy) {
			t.Errorf("%s: got %v, want a BusyError", output, err)
		}
		first.Abort()
		if left := tree(t, disk, "."); len(left) > 0 {
			t.Errorf("%s: an abort leaves %v", output, names(left))
		}
		writeAll(t, disk, lines(output), some(3), 3)
	}
}

func TestAFullDiskIsAnErrorThatLeavesNoShortFile(t *testing.T) {
	for _, output := range []string{"out", "out.jsonl"} {
		disk := newDisk()
		disk.SetCapacity(150 << 10)
		err := tryWriteAll(t.Context(), disk, lines(output), some(10_000), 100)
		if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), output) {
			t.Errorf("%s: got %v, want ENOSPC with the path", output, err)
		}
		for name, text := range tree(t, disk, ".") {
			if !strings.Contains(name, "part-") || !strings.HasSuffix(text, "}\n") || len(text) < MinFileBytes {
				t.Errorf("%s is left with %d bytes", name, len(text))
			}
		}
	}
}

func TestAReadOnlyDiskIsAnError(t *testing.T) {
	disk := newDisk()
	disk.SetReadOnly(true)
	if _, err := Open(disk, lines("out"), info); !errors.Is(err, syscall.EROFS) || !strings.Contains(err.Error(), "out") {
		t.Errorf("got %v", err)
	}
}
