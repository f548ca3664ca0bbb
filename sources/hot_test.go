package sources

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/urisieve/urisieve/pipeline"
)

// endless gives a text again and again, whole.
type endless struct {
	text []byte
	pos  int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.pos == len(e.text) {
		e.pos = 0
	}
	n := copy(p, e.text[e.pos:])
	e.pos += n
	return n, nil
}

// hotInputs are ordinary records of each format, about 100 bytes each.
func hotInputs() map[string]struct {
	o    Options
	text string
} {
	var text, csv, quoted, jsonl, log strings.Builder
	for i := range 2000 {
		u := fmt.Sprintf("http://www.example.com/path/to/page-%d.html?id=%d", i, i*7919)
		fmt.Fprintf(&text, "%s\n", u)
		fmt.Fprintf(&csv, "http://example.com/,%s,%d\n", u, i)
		fmt.Fprintf(&quoted, "http://example.com/,\"%s\",\"a \"\"b\"\" %d\"\n", u, i)
		fmt.Fprintf(&jsonl, "{\"ref\": \"%s\", \"base\": \"http:\\/\\/example.com\\/\", \"other\": [1, {\"x\": null}], \"n\": %d}\n", u, i)
		fmt.Fprintf(&log, "example.com:443 1.2.3.4 - - %s \"GET /p\\x20%d HTTP/1.1\" 200 %d \"%s\" \"agent \\\"x\\\"\"\n", at, i, i, u)
	}
	fields := Options{Format: "csv", RefFields: []string{"2"}, BaseField: "1", Pass: []string{"3"}}
	return map[string]struct {
		o    Options
		text string
	}{
		"text":       {Options{}, text.String()},
		"csv":        {fields, csv.String()},
		"csv quoted": {fields, quoted.String()},
		"jsonl":      {Options{Format: "jsonl", Pass: []string{"n"}}, jsonl.String()},
		"vcombined":  {Options{Format: "vcombined", Pass: []string{"agent"}}, log.String()},
	}
}

func TestNoAllocationsPerRecord(t *testing.T) {
	for name, in := range hotInputs() {
		t.Run(name, func(t *testing.T) {
			f := reader(t, in.o, &endless{text: []byte(in.text)})
			columns, _ := f.Columns()
			b := pipeline.NewBatch(len(columns))
			records := 0
			fill := func() {
				b.Reset()
				if err := f.Fill(context.Background(), b); err != nil {
					t.Fatal(err)
				}
				records += len(b.Rows())
			}
			for range 50 {
				fill()
			}
			records = 0
			allocs := testing.AllocsPerRun(50, fill)
			// Two a batch at most, for bookkeeping; a batch has hundreds of records.
			if allocs > 2 {
				t.Errorf("%v allocations a batch of %d records", allocs, records/51)
			}
		})
	}
}

func BenchmarkFill(b *testing.B) {
	for name, in := range hotInputs() {
		b.Run(name, func(b *testing.B) {
			text := []byte(in.text)
			lines := int64(bytes.Count(text, []byte("\n")))
			r := io.LimitReader(&endless{text: text}, int64(len(text))*((int64(b.N)+lines-1)/lines))
			f := reader(b, in.o, r)
			f.inputs[0].live = false
			columns, _ := f.Columns()
			batch := pipeline.NewBatch(len(columns))
			b.SetBytes(int64(len(text)) / lines)
			b.ReportAllocs()
			for {
				batch.Reset()
				if err := f.Fill(context.Background(), batch); err == io.EOF {
					return
				} else if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
