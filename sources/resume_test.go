package sources

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/urisieve/urisieve/pipeline"
)

// resumable is an input format with texts that have all its corners.
type resumable struct {
	name  string
	o     Options
	texts []string
}

var (
	longLine  = strings.Repeat("long", 50)
	logLine1  = `h:443 - - joe [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" 200 1 "http://r/" "agent"` + "\n"
	resumings = []resumable{
		{"text", Options{MaxRecordBytes: 100}, []string{
			"\xef\xbb\xbfa\n\n\nb\r\n" + longLine + "\nc\n\n", "", "\n\n", "\xff\xfe", "d\ne", longLine, "\nf\n\n",
		}},
		{"csv by name", Options{Format: "csv", RefFields: []string{"url", "via"}, BaseField: "from", Pass: []string{"n"}, MaxRecordBytes: 100}, []string{
			"\xef\xbb\xbf\nfrom,url,via,n\nb,r,v,1\n\n\"b\n2\",\"r\"\"2\",\"v\n\n2\",2\n\"b\"x,r,v,3\nb,r\n\"" + longLine + "\",r,v,4\nb,\"r,v,5\nb,r6,v6,6\n\n",
			"", "url,n,via,from,more\nr,1,v,b,x\nr,2,v,b\nr,3,v,b,x,,\n\n", "n,from,via,url\n7,b,v,r",
		}},
		{"csv auto", Options{Format: "csv", MaxRecordBytes: 100}, []string{
			longLine + "\n\"a\"x\nid,url,base\n1,\"r\n1\",b\n\n2,r,b\n3,r\n", "plain,first\nsecond,b\n", "ref\n\"\"\nr\n",
		}},
		{"tsv by number", Options{Format: "tsv", RefFields: []string{"2"}, Quotes: "no"}, []string{"\"a\tr\nb\tr2\tx\n\nc\n", "d\tr3"}},
		{"jsonl", Options{Format: "jsonl", RefFields: []string{"links[].href"}, BaseField: "base", Pass: []string{"id", "never", "late"}, MaxRecordBytes: 4000}, []string{
			`{"base":"http://b/","id":1,"links":[{"href":"a"},{"href":"b"},{"href":3},{"href":"c"}]}` + "\n\n" + `{"links":[]}` + "\n  \n" + `{"links":` + "\nnot json\n" + `{"base":7}` + "\n",
			"", `{"id":2,"links":[` + strings.Repeat(`{"href":"many"},`, 200) + `{"href":"last"}]}` + "\n" + `{"late":1,"links":[]}`,
		}},
		{"vcombined", Options{Format: "vcombined", Pass: []string{"agent", "vhost"}}, []string{"v.example " + logLine1 + "\nw.example broken\n", "v.example " + logLine1 + strings.TrimSuffix("v2.example "+logLine1, "\n")}},
	}
)

// storages are ways to store a text.
var storages = map[string]func(testing.TB, string) []byte{
	"plain": func(_ testing.TB, text string) []byte { return []byte(text) },
	"gzip":  func(t testing.TB, text string) []byte { return gz(t, text) },
	"gzip in members": func(t testing.TB, text string) []byte {
		return inPieces(text, func(piece string) []byte { return gz(t, piece) })
	},
	"zstd in frames": func(t testing.TB, text string) []byte {
		return inPieces(text, func(piece string) []byte { return zst(t, piece, zstd.WithEncoderCRC(true)) })
	},
	"xz in streams": func(t testing.TB, text string) []byte {
		return inPieces(text, func(piece string) []byte { return xzed(t, piece) })
	},
	"gzip, cut off": func(t testing.TB, text string) []byte {
		stored := packed(t, text, func(w io.Writer) (*gzip.Writer, error) { return gzip.NewWriterLevel(w, gzip.NoCompression) })
		return stored[:max(len(stored)-10, 1)]
	},
}

// inPieces stores a text in pieces that end anywhere.
func inPieces(text string, store func(string) []byte) []byte {
	stored := store(text[:len(text)/3])
	stored = append(stored, store(text[len(text)/3:len(text)/2])...)
	return append(stored, store(text[len(text)/2:])...)
}

// readRecord is one record of a source: where it is, and all that came out of it.
type readRecord struct {
	at    pipeline.Position
	lines string
}

// recordsOf reads up to n records, one at a time; all of them if n is negative.
func recordsOf(t testing.TB, f *Files, n int) []readRecord {
	t.Helper()
	columns, elements := f.Columns()
	b := pipeline.NewBatch(len(columns))
	b.SetLimits(1, 1)
	var records []readRecord
	for n < 0 || len(records) < n {
		b.Reset()
		err := f.Fill(context.Background(), b)
		for i := range b.Rows() {
			row := &b.Rows()[i]
			at := pipeline.Position{Source: b.SourceName(row), Number: row.Number, Offset: row.Offset}
			records = append(records, readRecord{at, strings.Join(describe(b, columns, elements), "\n")})
		}
		if len(b.Rows()) > 1 {
			t.Fatalf("%d records in a batch of one", len(b.Rows()))
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return records
}

// comparableStats makes stats of two readings comparable: of inputs that were left behind whole, less is known.
func comparableStats(s pipeline.SourceStats) string {
	for i := range s.Inputs {
		if in := &s.Inputs[i]; in.Damage == nil {
			in.Records, in.BytesPlain = 0, 0
		}
	}
	return fmt.Sprintf("%+v", s)
}

// storeAll writes the texts into a directory and gives their names.
func storeAll(t testing.TB, dir string, texts []string, store func(testing.TB, string) []byte) []string {
	t.Helper()
	var names []string
	for i, text := range texts {
		name := filepath.Join(dir, fmt.Sprintf("%d.in", i))
		write(t, name, string(store(t, text)))
		names = append(names, name)
	}
	return names
}

// through takes a value through JSON.
func through[T any](t testing.TB, v T) (out T) {
	t.Helper()
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// snapshotsEvery makes a source that has read nothing yet take a snapshot every n records.
func snapshotsEvery(f *Files, n int64) { f.every.records, f.every.nextRecords = n, n }

// resumed opens the inputs anew, behind a mark. What lies before the mark is gone by then.
func resumed(t testing.TB, o Options, m Mark, every int64) *Files {
	t.Helper()
	f := open(t, o)
	snapshotsEvery(f, every)
	if err := f.Resume(m); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestResumedAtAnyRecordItReadsTheRest(t *testing.T) {
	for _, c := range resumings {
		for _, storage := range slices.Sorted(maps.Keys(storages)) {
			t.Run(c.name+", "+storage, func(t *testing.T) {
				o := c.o
				o.Resumable = true
				o.Inputs = storeAll(t, t.TempDir(), c.texts, storages[storage])
				whole := open(t, o)
				want := recordsOf(t, whole, -1)
				stats := whole.Stats()
				wantStats := comparableStats(stats)
				if storage == "gzip, cut off" {
					if stats.Inputs[0].Damage == nil {
						t.Fatal("no damage")
					}
				} else if len(want) < 4 {
					t.Fatalf("only %d records", len(want))
				}
				testResumes(t, o, 3, want, wantStats)
				if storage == "plain" {
					testResumes(t, o, 1, want, wantStats)
					testResumes(t, o, 1000, want, wantStats)
				}
			})
		}
	}
}

// testResumes stops behind each record, having read no more than that or everything, and goes on with another
// source.
func testResumes(t *testing.T, o Options, every int64, want []readRecord, wantStats string) {
	t.Helper()
	ahead := open(t, o) // has read everything
	snapshotsEvery(ahead, every)
	recordsOf(t, ahead, -1)
	for k := 0; k <= len(want); k++ {
		var at pipeline.Position
		if k > 0 {
			at = want[k-1].at
		}
		exact := open(t, o)
		snapshotsEvery(exact, every)
		recordsOf(t, exact, k)
		for name, first := range map[string]*Files{"exact": exact, "ahead": ahead} {
			m, err := first.Mark(at)
			if err != nil {
				t.Fatalf("%s, mark of record %d: %v", name, k, err)
			}
			second := resumed(t, o, through(t, m), every)
			got := recordsOf(t, second, -1)
			if len(got)+k != len(want) || k < len(want) && !reflect.DeepEqual(got, want[k:]) {
				t.Fatalf("%s, every %d, behind record %d: got %+v, want %+v", name, every, k, got, want[k:])
			}
			if gotStats := comparableStats(second.Stats()); gotStats != wantStats {
				t.Fatalf("%s, every %d, behind record %d: stats\n%s, want\n%s", name, every, k, gotStats, wantStats)
			}
			second.Close()
		}
		exact.Close()
	}
}

func TestResumedBzip2(t *testing.T) {
	b := bz(t, "")
	o := Options{Resumable: true, Inputs: storeAll(t, t.TempDir(), []string{"1", "3"}, func(_ testing.TB, streams string) []byte {
		return bytes.Repeat(b, int(streams[0]-'0'))
	})}
	whole := open(t, o)
	want := recordsOf(t, whole, -1)
	if len(want) != 8 {
		t.Fatalf("%d records, want 8", len(want))
	}
	testResumes(t, o, 3, want, comparableStats(whole.Stats()))
}

// A job may be killed and resumed again and again.
func TestResumedAfterEachRecord(t *testing.T) {
	for _, c := range resumings {
		o := c.o
		o.Resumable = true
		o.Inputs = storeAll(t, t.TempDir(), c.texts, storages["plain"])
		whole := open(t, o)
		want := recordsOf(t, whole, -1)
		f := open(t, o)
		var got []readRecord
		for {
			record := recordsOf(t, f, 1)
			if len(record) == 0 {
				break
			}
			got = append(got, record...)
			m, err := f.Mark(record[0].at)
			if err != nil {
				t.Fatal(err)
			}
			f.Close()
			f = resumed(t, o, through(t, m), 2)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", c.name, got, want)
		}
		if got, want := comparableStats(f.Stats()), comparableStats(whole.Stats()); got != want {
			t.Errorf("%s: stats\n%s, want\n%s", c.name, got, want)
		}
	}
}

// What lies before the mark isn't read: neither earlier inputs nor, where it isn't compressed, the start of
// its own.
func TestResumeReadsNothingAgain(t *testing.T) {
	dir := t.TempDir()
	o := Options{Resumable: true, Inputs: storeAll(t, dir, []string{"a\n", strings.Repeat("x\n", 1000) + "b\nc\n"}, storages["plain"])}
	first := open(t, o)
	snapshotsEvery(first, 10)
	at := recordsOf(t, first, 1002)[1001].at
	m, err := first.Mark(at)
	if err != nil {
		t.Fatal(err)
	}
	second := resumed(t, o, m, 10)
	os.Remove(o.Inputs[0])
	write(t, o.Inputs[1], strings.Repeat("\n\n", 980)+strings.Repeat("x\n", 20)+"b\nc\n")
	if got := recordsOf(t, second, -1); len(got) != 1 || got[0].lines != "1002@2002 |c" {
		t.Errorf("got %+v", got)
	}
}

// How much of the allowance for broken quotes is used up decides about later rows.
func TestResumedCSVRemembersItsWaste(t *testing.T) {
	o := Options{Resumable: true, Format: "csv", Header: "no", Inputs: storeAll(t, t.TempDir(), []string{"a\n\"b\nc\"\nd\n"}, storages["plain"])}
	first := open(t, o)
	snapshotsEvery(first, 1)
	first.dec.(*csvDecoder).wasted = 1 << 40
	rows := recordsOf(t, first, -1)
	if len(rows) != 4 {
		t.Fatalf("a row of two lines was read, though the allowance is used up: %+v", rows)
	}
	m, err := first.Mark(rows[0].at)
	if err != nil {
		t.Fatal(err)
	}
	if got := recordsOf(t, resumed(t, o, through(t, m), 1), -1); !reflect.DeepEqual(got, rows[1:]) {
		t.Errorf("got %+v, want %+v", got, rows[1:])
	}
}

func TestSnapshotsThatNoMarkNeedsAreForgotten(t *testing.T) {
	o := Options{Resumable: true, Inputs: storeAll(t, t.TempDir(), []string{strings.Repeat("a\n", 1000)}, storages["plain"])}
	f := open(t, o)
	snapshotsEvery(f, 10)
	rows := recordsOf(t, f, -1)
	if len(f.snapshots) != 101 {
		t.Errorf("%d snapshots of 1000 records, want the start and each tenth", len(f.snapshots))
	}
	if _, err := f.Mark(rows[499].at); err != nil {
		t.Fatal(err)
	}
	if len(f.snapshots) != 51 {
		t.Errorf("%d snapshots are left, want 51", len(f.snapshots))
	}
	if _, err := f.Mark(rows[10].at); err == nil {
		t.Error("a mark that goes back is no error")
	}
}

func TestResumeOfInputsThatChanged(t *testing.T) {
	for name, c := range map[string]struct {
		format, text, later string
		store               string
	}{
		"shorter":          {"text", strings.Repeat("x\n", 100), "x\n", "plain"},
		"shorter, packed":  {"text", strings.Repeat("x\n", 100), "x\n", "gzip"},
		"other lines":      {"text", strings.Repeat("x\n", 100), strings.Repeat("x ", 99) + "\n", "plain"},
		"header is gone":   {"csv", "url,n\n" + strings.Repeat("x,1\n", 100), strings.Repeat("\n", 500), "plain"},
		"header is broken": {"csv", "url,n\n" + strings.Repeat("x,1\n", 100), "\"url\"x\n" + strings.Repeat("x,1\n", 100), "plain"},
	} {
		dir := t.TempDir()
		o := Options{Resumable: true, Format: c.format, Inputs: storeAll(t, dir, []string{c.text}, storages[c.store])}
		if c.format == "csv" {
			o.RefFields = []string{"url"}
		}
		first := open(t, o)
		snapshotsEvery(first, 60)
		rows := recordsOf(t, first, -1)
		m, err := first.Mark(rows[89].at)
		if err != nil {
			t.Fatal(err)
		}
		second := open(t, o)
		storeAll(t, dir, []string{c.later}, storages[c.store])
		err = second.Resume(m)
		if err == nil {
			err = fillErr(second)
		}
		damage := second.Stats().Inputs[0].Damage
		if damage == nil && (errors.Is(err, io.EOF) || !strings.Contains(err.Error(), o.Inputs[0])) {
			t.Errorf("%s: got %v, damage %v", name, err, damage)
		}
	}
}

func TestResumeRefusesMarksOfOthers(t *testing.T) {
	o := Options{Resumable: true, Inputs: storeAll(t, t.TempDir(), []string{"a\n"}, storages["plain"])}
	for _, m := range []Mark{{Input: 1}, {Input: -1}, {Record: 1, From: snapshot{Record: 2}}, {From: snapshot{Input: 1}}} {
		if err := open(t, o).Resume(m); err == nil {
			t.Errorf("%+v: no error", m)
		}
	}
	o.Resumable = false
	f := open(t, o)
	if _, err := f.Mark(pipeline.Position{}); !errors.Is(err, errNoMark) {
		t.Errorf("a mark of a source that keeps none: %v", err)
	}
	if err := f.Resume(Mark{}); !errors.Is(err, errNoMark) {
		t.Errorf("resume without marks: %v", err)
	}
}

func TestIdentityNamesEveryDifference(t *testing.T) {
	dir := t.TempDir()
	texts := []string{"a\n", strings.Repeat("b", headBytes) + "b\n", strings.Repeat("c", headBytes+9), "d\n", "e\n", ""}
	o := Options{Inputs: storeAll(t, dir, texts, storages["plain"])}
	identity := func(names ...string) Identity {
		t.Helper()
		o.Inputs = names
		id, err := open(t, o).Identity(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return through(t, id)
	}
	names := slices.Clone(o.Inputs)
	before := identity(names...)
	if err := before.Check(identity(names...)); err != nil {
		t.Errorf("the same inputs: %v", err)
	}
	added := filepath.Join(dir, "new.in")
	write(t, added, "n\n")
	write(t, names[0], "x\n")
	write(t, names[1], strings.Repeat("b", headBytes)+"b\nb\n")
	write(t, names[2], strings.Repeat("c", headBytes)+strings.Repeat("x", 9)) // behind the head, of the same size: not seen
	err := before.Check(identity(names[2], names[1], added, names[0], names[5], names[3]))
	if err == nil {
		t.Fatal("no difference")
	}
	want := []string{
		`4.in": was an input of the job, and isn't one any more: put back what was there, or begin anew`,
		`1.in": has 65540 bytes, and had 65538 when the job began`,
		`new.in": was no input of the job: leave it out`,
		`0.in": begins with other bytes`,
		`2.in": was number 3 of the inputs and is number 1: give the inputs in their old order`,
		`0.in": was number 1 of the inputs and is number 4`,
		`3.in": was number 4 of the inputs and is number 6`,
		`5.in": was number 6 of the inputs and is number 5`,
	}
	lines := strings.Split(err.Error(), "\n")
	for _, w := range want {
		if !slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, w) }) {
			t.Errorf("lacks %s", w)
		}
	}
	if len(lines) != len(want) {
		t.Errorf("%d differences, want %d:\n%v", len(lines), len(want), err)
	}
	if _, ok := errors.AsType[*InputError](err); !ok {
		t.Error("not an *InputError")
	}
}

func TestIdentityTellsNamesApartThatAreNotUTF8(t *testing.T) {
	dir := t.TempDir()
	var o Options
	for _, name := range []string{"a\xe9", "a\xff"} {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte("x\n"), 0o644); err != nil {
			t.Skipf("this file system has UTF-8 names alone: %v", err)
		}
		o.Inputs = append(o.Inputs, name)
	}
	before, err := open(t, o).Identity(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(o.Inputs)
	after, err := open(t, o).Identity(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := through(t, before).Check(through(t, after)); err == nil {
		t.Error("their order isn't seen")
	}
}

func TestWhatCannotBeReadAgainIsNotResumable(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	write(t, name, "a\n")
	o := Options{Resumable: true, Inputs: []string{"-", name, name}, Stdin: strings.NewReader("")}
	_, err := Open(t.Context(), o)
	for _, want := range []string{`input "-": is no file, and what was read of it once can't be read again: write it to a file first`, "is named twice"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("open: got %v, want %s", err, want)
		}
	}
	o.Resumable = false
	f := open(t, o)
	if _, err := f.Identity(t.Context()); err == nil || !strings.Contains(err.Error(), `input "-"`) || !strings.Contains(err.Error(), "twice") {
		t.Errorf("identity: %v", err)
	}
	if _, err := NewReader(strings.NewReader(""), "in", Options{Resumable: true}); !errors.Is(err, errNotResumable) {
		t.Errorf("reader: %v", err)
	}
}
