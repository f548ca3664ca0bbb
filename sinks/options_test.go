package sinks

import (
	"errors"
	"strings"
	"testing"
)

func TestValidateNamesEveryFaultAtOnce(t *testing.T) {
	o := Options{Format: "xml", Compression: "lz4", Compat: "old", QueueKey: "ip", RowGroupRows: 1, FileRows: -1, FileBytes: 5, Overwrite: true, Append: true}
	err := o.Validate()
	for _, key := range []string{"output:", "format:", "compression:", "compat:", "queue_key:", "row_group_rows:", "file_rows:", "file_bytes:", "append:"} {
		if err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%s is missing in %v", key, err)
		}
	}
}

func TestValidateRefuses(t *testing.T) {
	for _, test := range []struct {
		o   Options
		key string
	}{
		{Options{Output: "a.jsonl", Format: FormatParquet}, "format"},
		{Options{Output: "a.jsonl.gz", Compression: "zstd"}, "compression"},
		{Options{Output: "a.jsonl", Append: true}, "append"},
		{Options{Output: "-", Format: FormatParquet, Rejects: "none", StdoutIsTerminal: true}, "output"},
		{Options{Output: "-"}, "rejects"},
		{Options{Output: "a.txt", Columns: "url,url_fp"}, "columns"},
		{Options{Output: "a", Rejects: "a"}, "rejects"},
		{Options{Output: "a", Rejects: "a/"}, "rejects"},
		{Options{Output: "a", Rejects: "-"}, "rejects"},
		{Options{Output: "a", Rejects: "r.txt"}, "rejects"},
		{Options{Output: "a", Duplicates: "a.rejects"}, "duplicates"},
		{Options{Output: "a", Duplicates: "d.jsonl", Append: true}, "duplicates"},
		{Options{Output: "a", Rejects: "r.jsonl", Append: true}, "rejects"},
	} {
		err := test.o.Validate()
		var fault *OptionError
		if !errors.As(err, &fault) || fault.Key != test.key {
			t.Errorf("%+v: got %v, want a fault of %s", test.o, err, test.key)
		}
	}
}

func TestValidateTakes(t *testing.T) {
	for _, o := range []Options{
		{Output: "a"},
		{Output: "a/"},
		{Output: "a.b"},
		{Output: "a.jsonl"},
		{Output: "a.ndjson.zst", Compression: "zstd"},
		{Output: "-", Rejects: "none"},
		{Output: "-", Rejects: "r", Format: FormatParquet},
		{Output: "a.txt", Columns: "url"},
		{Output: "a", Duplicates: DuplicatesMark, Append: true},
		{Output: "a.parquet", Compression: "none"},
		{Output: "a", RowGroupRows: MinRowGroupRows, FileBytes: MinFileBytes, FileRows: 1},
	} {
		if err := o.Validate(); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestRejectsLieBesideTheOutput(t *testing.T) {
	for output, want := range map[string]string{
		"out": "out.rejects", "a/out/": "a/out.rejects", "o.parquet": "o.rejects.parquet", "o.jsonl.gz": "o.rejects.jsonl.gz",
		"o.txt": "o.rejects.jsonl", "o.v1.txt.zst": "o.v1.rejects.jsonl.zst", "-": "nowhere",
	} {
		p, ok := Options{Output: output}.rejectsPlace()
		if !ok {
			p.path = "nowhere"
		}
		if p.path != want {
			t.Errorf("%s: got %s, want %s", output, p.path, want)
		}
	}
}

func TestNamesAreOursOnlyWhenTheyAre(t *testing.T) {
	for name, want := range map[string]nameKind{
		"part-000000.parquet": namePart, "part-1000000.jsonl.zst": namePart, "run-0001-part-000000.txt.gz": namePart,
		"_manifest.json": nameManifest, "_run-0012-manifest.json": nameManifest, "_SUCCESS": nameSuccess, ".urisieve.lock": nameLock,
		".part-000000.parquet.tmp": nameTemp, "._manifest.json.tmp": nameTemp, "._SUCCESS.tmp": nameTemp, ".run-0001-part-000000.jsonl.staged": nameStaged,
		"._run-0001-manifest.json.staged": nameStaged,
		"part-00000.parquet":              nameForeign, "part-000000": nameForeign, "part-000000.csv": nameForeign, "part-000000.parquet.gz": nameForeign,
		"xpart-000000.parquet": nameForeign, "run-0000-part-000000.parquet": nameForeign, "run-1-part-000000.parquet": nameForeign,
		".part-000000.parquet": nameForeign, "part-000000.parquet.tmp": nameForeign, ".tmp": nameForeign, ".x.tmp": nameForeign,
		"part--00001.parquet": nameForeign, "part-+00001.parquet": nameForeign, "": nameForeign, "manifest.json": nameForeign, "_part-000000.parquet": nameForeign, "_run-0001-part-000000.parquet": nameForeign, "run-0001-_SUCCESS": nameForeign,
	} {
		if got := parseName(name).kind; got != want {
			t.Errorf("%q: got %d, want %d", name, got, want)
		}
	}
}

func TestNamesComeBackAsTheyWereMade(t *testing.T) {
	for _, n := range []struct{ run, part int }{{0, 0}, {1, 7}, {12345, 1234567}} {
		got := parseName(tempOf(partName(n.run, n.part, ".jsonl.gz")))
		if got.kind != nameTemp || got.run != n.run || got.part != n.part {
			t.Errorf("run %d part %d: %+v", n.run, n.part, got)
		}
	}
}

func TestTimestamps(t *testing.T) {
	for text, want := range map[string]string{
		"2000-10-10T13:55:36-07:00": `"2000-10-10T20:55:36Z"`, "2000-10-10T20:55:36.000001Z": `"2000-10-10T20:55:36.000001Z"`,
		"20001010205536": `"2000-10-10T20:55:36Z"`, "1969-12-31T23:59:59.5Z": `"1969-12-31T23:59:59.5Z"`,
	} {
		if got := string(appendTimestamp(nil, parseTimestamp([]byte(text)).num)); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
	for _, bad := range []string{"", "yesterday", "2000-13-01T00:00:00Z"} {
		if !parseTimestamp([]byte(bad)).null {
			t.Errorf("%q is taken", bad)
		}
	}
	if got := string(appendTimestamp(nil, 1<<62)); got != `"9999-12-31T23:59:59.999999Z"` {
		t.Errorf("beyond the calendar: %s", got)
	}
}
