package sinks

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/urisieve/urisieve/pipeline"
)

func TestParquetGivesBackEveryValue(t *testing.T) {
	for _, compat := range []string{"", "wide"} {
		t.Run("compat "+compat, func(t *testing.T) {
			disk := newDisk()
			refs := some(5000)
			refs[6].base, refs[6].pass = "http://b/\xff", ""
			refs[7] = ref{raw: "HTTP://H?#", canon: "http://h/?#", record: 3, index: 1, outcome: pipeline.Duplicate}
			refs[8] = ref{raw: "mailto:a\xff", canon: "mailto:a%FF", record: 3, index: 2, outcome: pipeline.Unique}
			writeAll(t, disk, Options{Output: "out", Compat: compat, RowGroupRows: 1000, Columns: "crawl,url_host_tld,url_query,url_port,url_original,url_protocol,seen_count"}, refs, 700)
			rows, file, err := rowsOf(read(t, disk, "out/part-000000.parquet"))
			if err != nil {
				t.Fatal(err)
			}
			if len(rows) != len(refs) || len(file.RowGroups()) != 5 {
				t.Fatalf("got %d rows in %d row groups, want %d in 5", len(rows), len(file.RowGroups()), len(refs))
			}
			for i, row := range rows {
				url, fragment, cut := strings.Cut(refs[i].canon, "#")
				if got := row["url"].String(); got != url {
					t.Fatalf("row %d: url %q, want %q", i, got, url)
				}
				if got := row["url_fragment"]; got.IsNull() == cut || cut && got.String() != fragment {
					t.Errorf("row %d: fragment %v, want %q", i, got, fragment)
				}
				if got := hex.EncodeToString(row["url_fp"].ByteArray()); got != hexHash(url) {
					t.Errorf("row %d: fingerprint %s, want %s", i, got, hexHash(url))
				}
				if got := row["source_index"].Int32(); got != int32(i%3) {
					t.Errorf("row %d: index %d, want %d", i, got, i%3)
				}
				if got := row["source_record"].Int64(); got != refs[i].record {
					t.Errorf("row %d: record %d, want %d", i, got, refs[i].record)
				}
			}
			special := rows[7]
			wants := map[string]string{
				"url_query": "", "dedup_state": "duplicate", "url_original": "HTTP://H?#", "queue_key": "h", "url_host_name": "h",
				"source": "links.txt", "url_protocol": "http", "discovered_from": `http://b/\xff`, "canon_profile": info.SettingsID,
				"source_offset": "300", "url_host_tld": "h",
			}
			for name, want := range wants {
				if got := special[name]; got.IsNull() || got.String() != want {
					t.Errorf("%s: got %v, want %q", name, got, want)
				}
			}
			for _, name := range []string{"url_port", "seen_count", "depth", "base_used", "url_host_registered_domain", "x_note"} {
				if !special[name].IsNull() {
					t.Errorf("%s: got %v, want null", name, special[name])
				}
			}
			if opaque := rows[8]; !opaque["url_host_name"].IsNull() || !opaque["queue_key"].IsNull() || opaque["url_original"].String() != "mailto:a\xff" {
				t.Errorf("opaque URI: %v", opaque)
			}
		})
	}
}

func TestParquetMetadata(t *testing.T) {
	disk := newDisk()
	writeAll(t, disk, Options{Output: "out", RowGroupRows: 1000}, some(2500), 100)
	_, file, err := rowsOf(read(t, disk, "out/part-000000.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"urisieve.schema":      "canon_uri/1",
		"urisieve.settings_id": info.SettingsID,
		"urisieve.tool":        "urisieve 0.1.0",
		"urisieve.hash":        "xxh3-128, seed 0, big-endian",
		"urisieve.rows":        "2500",
		"urisieve.first":       `{"source":"links.txt","record":1,"offset":100}`,
		"urisieve.last":        `{"source":"links.txt","record":834,"offset":83400}`,
	} {
		if got, ok := file.Lookup(key); !ok || got != want {
			t.Errorf("%s = %q, want %q", key, got, want)
		}
	}
	for key, part := range map[string]string{"urisieve.bits.canon_flags": "0=trimmed,", "urisieve.bits.canon_changed": "=lower_host", "urisieve.public_suffix_list": "2026"} {
		if got, _ := file.Lookup(key); !strings.Contains(got, part) {
			t.Errorf("%s = %q, which has no %q", key, got, part)
		}
	}
	if got := file.Metadata().CreatedBy; got != "urisieve version 0.1.0 (build 0)" {
		t.Errorf("created by %q", got)
	}
}

func TestParquetHasStatisticsIndexesAndBloomFilters(t *testing.T) {
	disk := newDisk()
	refs := some(30_000)
	writeAll(t, disk, Options{Output: "out"}, refs, 1000)
	_, file, err := rowsOf(read(t, disk, "out/part-000000.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, path := range file.Schema().Columns() {
		at[path[0]] = i
	}
	group := file.RowGroups()[0]
	chunk := group.ColumnChunks()[at["url"]]
	index, err := chunk.ColumnIndex()
	if err != nil || index.NumPages() < 2 {
		t.Errorf("column index: %v, want several pages", err)
	}
	if stats := file.Metadata().RowGroups[0].Columns[at["url"]].MetaData.Statistics; len(stats.MinValue) == 0 || len(stats.MaxValue) == 0 {
		t.Errorf("url has no statistics: %+v", stats)
	}
	bloom := group.ColumnChunks()[at["url_fp"]].BloomFilter()
	if bloom == nil {
		t.Fatal("url_fp has no bloom filter")
	}
	for _, r := range refs[:100] {
		key, _ := hex.DecodeString(hexHash(r.canon))
		if ok, err := bloom.Check(parquet.ValueOf([16]byte(key))); !ok || err != nil {
			t.Fatalf("the filter doesn't know %s: %v", r.canon, err)
		}
	}
	false1 := 0
	for i := range 1000 {
		key, _ := hex.DecodeString(hexHash(fmt.Sprint("http://absent/", i)))
		if ok, _ := bloom.Check(parquet.ValueOf([16]byte(key))); ok {
			false1++
		}
	}
	if false1 > 50 {
		t.Errorf("%d of 1000 absent keys pass the filter, want about 10", false1)
	}
}

func TestParquetFieldsKeepOrderAndIDs(t *testing.T) {
	disk := newDisk()
	writeAll(t, disk, Options{Output: "out", Columns: "url_fp,x_*,url,depth"}, some(10), 10)
	_, file, err := rowsOf(read(t, disk, "out/part-000000.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, f := range file.Root().Columns() {
		got += fmt.Sprintf("%s %d, ", f.Name(), f.ID())
	}
	if want := "url_fp 3, x_note 1001, url 2, depth 29, "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
