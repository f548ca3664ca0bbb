package sources

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/urisieve/urisieve/pipeline"
)

// readAll drains a source with batches of n references and writes down all that came: a line a
// reference, "number@offset[.index] element|ref" with columns and bases, "!reason:component@at" for a refusal.
func readAll(t testing.TB, f *Files, n int) []string {
	t.Helper()
	var out []string
	columns, elements := f.Columns()
	b := pipeline.NewBatch(len(columns))
	for {
		b.Reset()
		if n > 0 {
			b.SetLimits(n, 1<<20)
		}
		err := f.Fill(context.Background(), b)
		out = append(out, describe(b, columns, elements)...)
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatalf("Fill: %v", err)
		}
		if len(b.Rows()) == 0 {
			t.Fatal("Fill gave nothing and no error")
		}
	}
}

func describe(b *pipeline.Batch, columns []pipeline.Column, elements []string) []string {
	var out []string
	recs := b.Records()
	for i := range b.Rows() {
		row := &b.Rows()[i]
		where := fmt.Sprintf("%d@%d", row.Number, row.Offset)
		any := false
		for len(recs) > 0 && int(recs[0].Row) == i {
			r := &recs[0]
			recs, any = recs[1:], true
			s := where
			if r.Index > 0 {
				s += "." + strconv.Itoa(int(r.Index))
			}
			s += " " + elements[r.Element] + "|" + string(b.Raw(r))
			if r.Outcome == pipeline.Rejected {
				s += fmt.Sprintf(" !%v:%v@%d", r.Result.Reason, r.Result.Component, r.Result.At)
				if c, ok := b.CutOf(r); ok {
					s += fmt.Sprintf(" of %d %x", c.Bytes, c.Hash[:4])
				}
			}
			out = append(out, s+describeRow(b, row, columns))
		}
		if !any {
			out = append(out, where+" none"+describeRow(b, row, columns))
		}
	}
	return out
}

func describeRow(b *pipeline.Batch, row *pipeline.Row, columns []pipeline.Column) string {
	s := ""
	for i, layer := range func() [][]byte { a, b, c := b.Layers(row); return [][]byte{a, b, c} }() {
		if layer != nil {
			s += " " + [...]string{"embedded", "entity", "base"}[i] + "=" + string(layer)
		}
	}
	for i, c := range columns {
		if v := b.Value(row, i); v.Null {
			continue
		} else if c.Kind == pipeline.ColumnText {
			s += " " + c.Name + "=" + string(b.ValueText(v))
		} else {
			s += " " + c.Name + "=" + strconv.FormatInt(v.Int, 10)
		}
	}
	return s
}

// decoded reads a text whole, and checks that reading it in other pieces gives the same.
func decoded(t *testing.T, o Options, text string) []string {
	t.Helper()
	whole := readAll(t, reader(t, o, strings.NewReader(text)), 0)
	for name, r := range map[string]io.Reader{
		"one byte": iotest.OneByteReader(strings.NewReader(text)),
		"half":     iotest.HalfReader(strings.NewReader(text)),
		"data+err": iotest.DataErrReader(strings.NewReader(text)),
	} {
		if got := readAll(t, reader(t, o, r), 3); strings.Join(got, "\n") != strings.Join(whole, "\n") {
			t.Errorf("%s: other records than whole:\n%q\n%q", name, got, whole)
		}
	}
	return whole
}

func reader(t testing.TB, o Options, r io.Reader) *Files {
	t.Helper()
	f, err := NewReader(r, "in", o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

type golden struct {
	name, in string
	want     []string
}

func runGolden(t *testing.T, o Options, cases []golden) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := decoded(t, o, c.in)
			if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("%q\n got %q\nwant %q", c.in, got, c.want)
			}
		})
	}
}

var errDisk = errors.New("disk on fire")

// fillErr fills batches until there is an error.
func fillErr(f *Files) error {
	columns, _ := f.Columns()
	for {
		if err := f.Fill(context.Background(), pipeline.NewBatch(len(columns))); err != nil {
			return err
		}
	}
}

func open(t testing.TB, o Options) *Files {
	t.Helper()
	f, err := Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
