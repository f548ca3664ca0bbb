package sinks

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/pipeline"
)

func TestJSONLines(t *testing.T) {
	refs := []ref{
		{raw: "HTTP://Example.com/a?b=1#top", canon: "http://example.com/a?b=1#top", record: 1, outcome: pipeline.Unique, pass: "say \"hi\"\n\xff"},
		{raw: "http://h/\xe9", canon: "http://h/%E9", record: 2, outcome: pipeline.Duplicate, base: "http://b/"},
	}
	for _, test := range []struct{ name, columns, want string }{
		{
			"every kind", "url,url_fp,url_fragment,url_port,canon_flags,dedup_state,discovered_from,x_note",
			`{"url":"http://example.com/a?b=1","url_fp":"` + exampleFingerprint + `","url_fragment":"top","url_port":null,"canon_flags":[],"dedup_state":"new","discovered_from":null,"x_note":"say \"hi\"\n\\xff"}
{"url":"http://h/%E9","url_fp":"` + hexHash("http://h/%E9") + `","url_fragment":null,"url_port":null,"canon_flags":[],"dedup_state":"duplicate","discovered_from":"http://b/","x_note":null}
`,
		},
		{
			"bytes that are not UTF-8", "url_original", `{"url_original":"HTTP://Example.com/a?b=1#top"}
{"url_original":null,"url_original_b64":"aHR0cDovL2gv6Q=="}
`,
		},
		{"hosts", "url_host_name,url_host_registered_domain,queue_key", `{"url_host_name":"example.com","url_host_registered_domain":"example.com","queue_key":"example.com"}
{"url_host_name":"h","url_host_registered_domain":null,"queue_key":"h"}
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			disk := newDisk()
			writeAll(t, disk, Options{Output: "out.jsonl", Columns: test.columns}, refs, 10)
			if got := string(read(t, disk, "out.jsonl")); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestTextIsOneURLALine(t *testing.T) {
	disk := newDisk()
	writeAll(t, disk, Options{Output: "out.txt"}, []ref{{canon: "http://a/#f"}, {canon: "http://b/"}}, 1)
	if got := string(read(t, disk, "out.txt")); got != "http://a/\nhttp://b/\n" {
		t.Errorf("got %q", got)
	}
}

func TestCompressedLinesUnpackToThePlainOnes(t *testing.T) {
	refs := some(20_000)
	disk := newDisk()
	writeAll(t, disk, Options{Output: "plain.jsonl"}, refs, 1000)
	plain := read(t, disk, "plain.jsonl")
	unpack := map[string]func(io.Reader) (io.Reader, error){
		"out.jsonl.gz":  func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		"out.jsonl.zst": func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r) },
	}
	for name, open := range unpack {
		writeAll(t, disk, Options{Output: name}, refs, 1000)
		packed := read(t, disk, name)
		r, err := open(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(got, plain) {
			t.Errorf("%s: unpacked %d bytes, %v; want %d", name, len(got), err, len(plain))
		}
		if len(packed) > len(plain)/3 {
			t.Errorf("%s: %d bytes of %d", name, len(packed), len(plain))
		}
	}
}

func TestRejectsKeepTheBytes(t *testing.T) {
	long := "http://h/" + strings.Repeat("x", 70_000)
	disk := newDisk()
	out, err := Open(disk, Options{Output: "out", Format: FormatJSONL}, info)
	if err != nil {
		t.Fatal(err)
	}
	b := batch([]ref{
		{raw: "http://exa mple.com/", record: 1, outcome: pipeline.Rejected, reason: normalize.BadHost, component: normalize.ComponentHost},
		{raw: long, record: 2, outcome: pipeline.Rejected, reason: normalize.TooLong},
		{raw: "\xff", record: 3, outcome: pipeline.Rejected, reason: normalize.NoBase, base: "\xfe"},
	})
	whole := pipeline.Cut{Bytes: 1 << 30}
	whole.Hash[15] = 7
	b.AddRow(pipeline.Row{Number: 4, Offset: 400, Partition: -1, Base: pipeline.NoBase})
	b.AddCutReject(0, []byte("start"), whole, normalize.TooLong, normalize.ComponentReference, 3)
	if err := out.Rejects().Write(t.Context(), view(b)); err != nil {
		t.Fatal(err)
	}
	if err := out.Finish(t.Context(), Totals{Rejected: 4}, true); err != nil {
		t.Fatal(err)
	}
	var got []map[string]any
	for line := range bytes.Lines(read(t, disk, "out.rejects/part-000000.jsonl")) {
		m := map[string]any{}
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		got = append(got, m)
	}
	check := func(row int, column string, want any) {
		t.Helper()
		if got[row][column] != want {
			t.Errorf("row %d, %s: got %.80v, want %.80v", row, column, got[row][column], want)
		}
	}
	check(0, "raw", "http://exa mple.com/")
	check(0, "raw_hash", "a377beda9ff4a63e33869bff84b1c871")
	check(0, "reason", "bad_host")
	check(0, "component", "host")
	check(0, "byte_offset", 10.0)
	check(0, "raw_cut", false)
	check(0, "base", nil)
	check(1, "raw", long[:64<<10])
	check(1, "raw_length", float64(len(long)))
	check(1, "raw_hash", hexHash(long))
	check(1, "raw_cut", true)
	check(1, "component", nil)
	check(2, "raw", nil)
	check(2, "raw_b64", "/w==")
	check(2, "base_b64", "/g==")
	check(2, "source_record", 3.0)
	check(3, "raw_length", float64(1<<30))
	check(3, "raw_hash", "00000000000000000000000000000007")
	check(3, "raw_cut", true)
}

func TestRowsDoNotAllocate(t *testing.T) {
	for _, format := range []string{FormatJSONL, FormatText, FormatParquet} {
		o := Options{Output: "-", Format: format, Columns: "", Rejects: "none"}
		columns, err := o.columns(columnEnv{Info: info})
		if err != nil {
			t.Fatal(err)
		}
		e := newEncoder(o.mainPlace(), o, "", SchemaMain, columns)
		if err := e.begin(io.Discard); err != nil {
			t.Fatal(err)
		}
		v := &refs{cache: newHostCache(builtinSuffixes())}
		b := batch(some(1000))
		selected := view(b).Selected
		encode := func() {
			v.load(b, selected, true)
			if _, _, err := e.encode(v, 0, len(v.recs), noLimit); err != nil {
				t.Fatal(err)
			}
		}
		for range 20 { // buffers grow to their size
			encode()
		}
		// Pages and row groups have their own, some dozens each; a row has none.
		if got := testing.AllocsPerRun(20, encode) / 1000; got > 0.1 {
			t.Errorf("%s: %.2f allocations a row", format, got)
		}
	}
}

func FuzzJSONString(f *testing.F) {
	for _, s := range []string{"", "a\"b\\c", "\x00\x1f\x7f\u2028é\U0001F600", "\xff\xc0\xaf\xed\xa0\x80", "tail\xc3"} {
		f.Add([]byte(s))
	}
	c := column{ColumnInfo: ColumnInfo{Name: "raw", Kind: KindBytes}}
	text := column{ColumnInfo: ColumnInfo{Name: "raw", Kind: KindText}}
	f.Fuzz(func(t *testing.T, in []byte) {
		line := append(c.appendMember([]byte{'{'}, c.key(), cell{text: in}), '}')
		var m map[string]*string
		if err := json.Unmarshal(line, &m); err != nil || !utf8.Valid(line) {
			t.Fatalf("%v in %s", err, line)
		}
		var got []byte
		if m["raw"] != nil {
			got = []byte(*m["raw"])
		} else {
			got, _ = base64.StdEncoding.DecodeString(*m["raw_b64"])
		}
		if !bytes.Equal(got, in) {
			t.Fatalf("%q came back as %q", in, got)
		}
		v := &refs{}
		shown := v.utf8Text(in)
		line = append(text.appendMember([]byte{'{'}, text.key(), cell{text: shown}), '}')
		if err := json.Unmarshal(line, &m); err != nil || *m["raw"] != string(shown) {
			t.Fatalf("%v in %s", err, line)
		}
		if utf8.Valid(in) && !bytes.Equal(shown, in) {
			t.Fatalf("%q shown as %q", in, shown)
		}
	})
}
