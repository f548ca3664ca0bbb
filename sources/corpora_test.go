package sources

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/pipeline"
)

// corpus is the path of a file of the test corpora, which stand beside the repository.
func corpus(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join("..", "..", "shared", "corpora", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no test corpora beside the repository: %v", err)
	}
	return path
}

// tally counts what a source gives.
type tally struct {
	rows, refs int
	reasons    map[normalize.Reason]int
	elements   map[string]int
	bases      int
}

func count(t *testing.T, f *Files) tally {
	t.Helper()
	n := tally{reasons: map[normalize.Reason]int{}, elements: map[string]int{}}
	columns, elements := f.Columns()
	b := pipeline.NewBatch(len(columns))
	for {
		b.Reset()
		err := f.Fill(context.Background(), b)
		n.rows += len(b.Rows())
		for i := range b.Records() {
			r := &b.Records()[i]
			if r.Outcome == pipeline.Rejected {
				n.reasons[r.Result.Reason]++
				continue
			}
			n.refs++
			n.elements[elements[r.Element]]++
			if b.RowOf(r).Base != pipeline.NoBase {
				n.bases++
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, in := range f.Stats().Inputs {
		if in.Damage != nil {
			t.Error(in.Damage)
		}
	}
	return n
}

func TestCorpusHrefs(t *testing.T) {
	name := corpus(t, "web/hrefs.jsonl.gz")
	n := count(t, open(t, Options{Inputs: []string{name}, Format: "jsonl", RefFields: []string{"raw"}, EmbeddedBaseField: "base_href", BaseField: "doc", Pass: []string{"tag", "attr"}}))
	if n.refs != 250708 || n.rows != 250708 || n.bases != 250708 || len(n.reasons) > 0 {
		t.Errorf("got %+v", n)
	}
}

// The references are those that the standard library's decoder finds.
func TestCorpusHrefsAgreeWithEncodingJSON(t *testing.T) {
	name := corpus(t, "web/hrefs.jsonl.gz")
	f := open(t, Options{Inputs: []string{name}, Format: "jsonl", RefFields: []string{"raw"}, BaseField: "doc"})
	plain := open(t, Options{Inputs: []string{name}, MaxURIBytes: 1 << 20})
	fields, lines := pipeline.NewBatch(0), pipeline.NewBatch(0)
	fields.SetLimits(1000, 1<<30)
	lines.SetLimits(1000, 1<<30)
	for range 20 {
		fields.Reset()
		lines.Reset()
		if err1, err2 := f.Fill(context.Background(), fields), plain.Fill(context.Background(), lines); err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		for i := range lines.Records() {
			var want struct{ Raw, Doc string }
			if err := json.Unmarshal(lines.Raw(&lines.Records()[i]), &want); err != nil {
				t.Fatal(err)
			}
			r := &fields.Records()[i]
			_, _, doc := fields.Layers(fields.RowOf(r))
			if got := string(fields.Raw(r)); got != want.Raw || string(doc) != want.Doc {
				t.Fatalf("got %q of %q, want %q of %q", got, doc, want.Raw, want.Doc)
			}
		}
	}
}

func TestCorpusCombinedLog(t *testing.T) {
	name := corpus(t, "logs/elastic-apache-combined.log.gz")
	n := count(t, open(t, Options{Inputs: []string{name}, Format: "combined"}))
	if n.rows != 6000 || n.elements["request"] != 6000-n.reasons[normalize.NoTarget]-n.reasons[normalize.BadRequest] ||
		n.reasons[normalize.BadRecord] > 1 || n.elements["referer"] < 3000 {
		t.Errorf("got %+v", n)
	}
	t.Logf("%+v", n)
}

func TestCorpusNASA(t *testing.T) {
	name := corpus(t, "logs/nasa-199507.tsv.gz")
	n := count(t, open(t, Options{Inputs: []string{name}, Format: "tsv", RefFields: []string{"url"}, Pass: []string{"host", "response"}}))
	if n.refs+n.reasons[normalize.BadRecord]+n.reasons[normalize.MissingField] != 9999 || n.refs < 9990 {
		t.Errorf("got %+v", n)
	}
	t.Logf("%+v", n)
}

func TestCorpusURLLists(t *testing.T) {
	for name, lines := range map[string]int{"urls/eot2024-seeds.txt.gz": 230177, "urls/brave-sitelist.txt.gz": 12041, "urls/eot2024-sitemaps.txt.zst": 3419270} {
		if testing.Short() && strings.Contains(name, "sitemaps") {
			continue
		}
		if n := count(t, open(t, Options{Inputs: []string{corpus(t, name)}})); n.refs != lines || len(n.reasons) > 0 {
			t.Errorf("%s: got %+v, want %d lines", name, n, lines)
		}
	}
}
