package sinks

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/urisieve/urisieve/pipeline"
)

//go:generate go test . -run TestSchemaPageIsCurrent -update

var update = flag.Bool("update", false, "write docs/schema.md anew")

const schemaPage = "../docs/schema.md"

func TestSchemaPageIsCurrent(t *testing.T) {
	page := renderSchemaPage()
	if *update {
		if err := os.WriteFile(schemaPage, page, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(schemaPage)
	if err != nil || !bytes.Equal(got, page) {
		t.Errorf("docs/schema.md isn't what the catalogue says (%v): run go generate ./sinks", err)
	}
}

func renderSchemaPage() []byte {
	var b bytes.Buffer
	b.WriteString("<!-- Written by go generate ./sinks from the column catalogue. Change it there. -->\n# Columns\n\n" +
		"What the columns mean, in every format. [formats.md](formats.md) has the files around them.\n\n## Presets\n\n" +
		"`--columns` takes presets, column names, `x_*` (all pass-through columns) and `-name` (leave it out), in a comma-separated list.\n" +
		"Every preset but `min` ends with all pass-through columns. `url_key` and `url_key_fp` are there only where key rules are on.\n\n")
	for _, p := range Presets() {
		var names []string
		for _, c := range Columns() {
			if slices.Contains(c.Presets, p[0]) {
				names = append(names, "`"+c.Name+"`")
			}
		}
		fmt.Fprintf(&b, "- **%s**: %s. %s\n", p[0], p[1], strings.Join(names, ", "))
	}
	renderColumns(&b, SchemaMain, "Unique references, and duplicates where they are kept.", Columns())
	renderColumns(&b, SchemaRejects, "References without a canonical URI. They hold the bytes as they came in, passwords too: keep them as safe as the input.", RejectColumns())
	return b.Bytes()
}

func renderColumns(b *bytes.Buffer, schema, about string, columns []ColumnInfo) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n| id | column | Parquet | null | what it holds | example |\n| --- | --- | --- | --- | --- | --- |\n", schema, about)
	for _, c := range columns {
		absent := "never"
		if c.Nullable {
			absent = c.Null
		}
		fmt.Fprintf(b, "| %d | `%s` | %s | %s | %s | `%s` |\n", c.ID, c.Name, c.Kind.Parquet(), absent, c.Doc, c.Example)
	}
}

func TestCatalogueIsComplete(t *testing.T) {
	for schema, columns := range map[string][]ColumnInfo{SchemaMain: Columns(), SchemaRejects: RejectColumns()} {
		ids, seen := map[int32]bool{}, map[string]bool{}
		for _, c := range columns {
			if ids[c.ID] || seen[c.Name] {
				t.Errorf("%s: %s or its id %d is there twice", schema, c.Name, c.ID)
			}
			ids[c.ID], seen[c.Name] = true, true
			if c.Doc == "" || !json.Valid([]byte(c.Example)) || c.Nullable != (c.Null != "") {
				t.Errorf("%s: %s lacks a description, an example in JSON, or when it is null", schema, c.Name)
			}
			for _, p := range c.Presets {
				if !isPreset(p) {
					t.Errorf("%s: %s is in the preset %q, which isn't one", schema, c.Name, p)
				}
			}
		}
	}
}

// TestSchemaNeverChanges pins what other people's queries and tables stand on: a line here may be
// added, not changed.
func TestSchemaNeverChanges(t *testing.T) {
	const want = "1 url_surtkey text! 2 url text! 3 url_fp hash! 4 url_key text! 5 url_key_fp hash! " +
		"6 url_host_name text 7 url_host_tld text 8 url_host_registry_suffix text 9 url_host_registered_domain text " +
		"10 url_host_private_suffix text 11 url_host_private_domain text 12 url_host_name_reversed text " +
		"13 url_protocol text! 14 url_port int32 15 url_path text! 16 url_query text 17 url_fragment text " +
		"18 canon_profile text! 19 canon_flags bits! 20 canon_changed bits! 21 url_original bytes! 22 base_used text " +
		"23 dedup_state text 24 first_seen timestamp 25 last_seen timestamp 26 seen_count int64 27 queue_key text " +
		"28 discovered_from text 29 depth int32 30 priority float 31 fetch_time timestamp 32 fetch_status int32 " +
		"33 element text 34 source text! 35 source_partition int32 36 source_offset int64! 37 source_record int64! 38 source_index int32! "
	if got := signature(Columns()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	const rejects = "1 raw bytes! 2 raw_length int64! 3 raw_hash hash! 4 raw_cut bool! 5 reason text! 6 component text 7 byte_offset int64! " +
		"8 embedded_base bytes 9 entity_base bytes 10 base bytes 11 canon_profile text! " +
		"12 element text 13 source text! 14 source_partition int32 15 source_offset int64! 16 source_record int64! 17 source_index int32! 18 canon_flags bits! "
	if got := signature(RejectColumns()); got != rejects {
		t.Errorf("got  %s\nwant %s", got, rejects)
	}
}

func signature(columns []ColumnInfo) (s string) {
	for _, c := range columns {
		s += fmt.Sprint(c.ID, " ", c.Name, " ", c.Kind)
		if !c.Nullable {
			s += "!"
		}
		s += " "
	}
	return s
}

func TestFingerprintsInTheCatalogueAreRight(t *testing.T) {
	for text, want := range map[string]string{"http://example.com/a?b=1": exampleFingerprint, "http://example.com/a": exampleKeyFingerprint} {
		if got := hexHash(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestSelectColumns(t *testing.T) {
	keys := columnEnv{Info: Info{KeyRules: true, Columns: info.Columns}}
	plain := columnEnv{Info: info}
	for _, test := range []struct {
		list string
		env  columnEnv
		want string
	}{
		{"min", plain, "url url_fp"},
		{"min,x_*", plain, "url url_fp x_note"},
		{"url, url_fp ,url", plain, "url url_fp"},
		{"url_fp,min", plain, "url_fp url"},
		{"min,-url_fp,depth", plain, "url depth"},
		{"x_note", plain, "x_note"},
		{"url_key,url", keys, "url_key url"},
		{"log", keys, "url url_fp url_key url_key_fp url_host_name url_host_registered_domain url_path url_query canon_profile canon_flags url_original dedup_state fetch_time fetch_status element source source_offset source_record source_index x_note"},
		{"", plain, "url_surtkey url url_fp url_host_name url_host_registered_domain url_fragment canon_profile canon_flags canon_changed base_used dedup_state queue_key discovered_from depth priority fetch_time fetch_status element source source_offset source_record source_index x_note"},
	} {
		columns, err := selectColumns(test.list, test.env)
		if err != nil {
			t.Errorf("%q: %v", test.list, err)
			continue
		}
		var got []string
		for _, c := range columns {
			got = append(got, c.Name)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%q: got %v, want %s", test.list, got, test.want)
		}
	}
}

func TestSelectColumnsRefuses(t *testing.T) {
	for list, want := range map[string]string{
		"url_hostname":  "did you mean url_host_name?",
		"urll":          "did you mean url?",
		"crwal":         "did you mean crawl?",
		"zzzzzzzzzzzzz": "one of min, cc,",
		"url,-ulr":      "did you mean url?",
		"min,,":         "one of",
		"url,-url":      "at least one column",
		"url_key":       "no key rule is on",
	} {
		_, err := selectColumns(list, columnEnv{Info: info})
		var fault *OptionError
		if !errors.As(err, &fault) || fault.Key != "columns" || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q in it", list, err, want)
		}
	}
	taken := Info{Columns: []pipeline.Column{{Name: "url"}}}
	if _, err := selectColumns("min", columnEnv{Info: taken}); err == nil {
		t.Error("a pass-through column called url is taken")
	}
}

func TestPassThroughFillsTheCataloguesColumns(t *testing.T) {
	env := columnEnv{Info: Info{Columns: []pipeline.Column{
		{Name: "depth"}, {Name: "priority"}, {Name: "fetch_time", Kind: pipeline.ColumnTimestamp}, {Name: "fetch_status", Kind: pipeline.ColumnInt64}, {Name: "x_raw"},
	}}}
	b := pipeline.NewBatch(5)
	b.Source("s")
	for range 2 {
		b.AddRow(pipeline.Row{Partition: -1, Base: pipeline.NoBase})
		b.AddRef(0, nil)
	}
	b.AddRow(pipeline.Row{Partition: 7, Base: pipeline.NoBase})
	for i, text := range []string{"3", "0.25"} {
		b.SetText(i, []byte(text))
	}
	b.SetInt(2, 971211336_000_000)
	b.SetInt(3, 404)
	b.SetText(4, []byte("a\xffb"))
	b.AddRef(0, nil)
	b.AddRow(pipeline.Row{Partition: -1, Base: pipeline.NoBase})
	b.SetText(0, []byte("deep"))
	b.SetText(1, []byte("NaN"))
	b.SetInt(3, 1<<40)
	b.AddRef(0, nil)
	columns, err := selectColumns("depth,priority,fetch_time,fetch_status,x_raw,source_partition", env)
	if err != nil {
		t.Fatal(err)
	}
	v := &refs{}
	v.load(b, []uint32{2, 3}, false)
	line := jsonLine(columns)
	got := string(line(line(nil, v, 0), v, 1))
	want := `{"depth":3,"priority":0.25,"fetch_time":"2000-10-10T20:55:36Z","fetch_status":404,"x_raw":"a\\xffb","source_partition":7}
{"depth":null,"priority":null,"fetch_time":null,"fetch_status":null,"x_raw":null,"source_partition":null}
`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestFormatsPageHasTheFingerprintsAndNames(t *testing.T) {
	page, err := os.ReadFile("../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		exampleFingerprint, exampleKeyFingerprint, SchemaMain, SchemaRejects, manifestOf(0), manifestOf(1), successName, lockName,
		tempOf(partName(0, 0, ".parquet")), stagedOf(partName(1, 0, ".parquet")),
	} {
		if !strings.Contains(string(page), part) {
			t.Errorf("docs/formats.md doesn't name %s", part)
		}
	}
}
