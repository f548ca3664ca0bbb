package sources

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/zeebo/xxh3"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/pipeline"
)

// A line of 40 MiB: refused with its start, its length and its hash, in little memory, and what stands around it
// is there.
func TestLineOfManyMiB(t *testing.T) {
	long := bytes.Repeat([]byte("0123456789abcde\r"), 40<<16)
	for _, format := range []string{"text", "jsonl", "csv", "combined"} {
		o := Options{Format: format, MaxRecordBytes: 64 << 10}
		before, after := "a\n", "\r\nb\n"
		if format == "jsonl" {
			before, after = "{\"ref\":\"a\"}\n", "\r\n{\"ref\":\"b\"}\n"
		}
		f := reader(t, o, io.MultiReader(strings.NewReader(before), bytes.NewReader(long), strings.NewReader(after)))
		columns, _ := f.Columns()
		b := pipeline.NewBatch(len(columns))
		var refs []string
		for {
			err := f.Fill(context.Background(), b)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		for i := range b.Records() {
			r := &b.Records()[i]
			if cut, ok := b.CutOf(r); ok {
				if cut.Bytes != int64(len(long)) || cut.Hash != xxh3.Hash128(long).Bytes() || r.Result.Reason != normalize.TooLong ||
					r.Result.At != 64<<10 || !bytes.Equal(b.Raw(r), long[:KeptBytes]) {
					t.Errorf("%s: %d bytes, %v at %d, %d kept", format, cut.Bytes, r.Result.Reason, r.Result.At, len(b.Raw(r)))
				}
				refs = append(refs, "cut")
				continue
			}
			refs = append(refs, string(b.Raw(r)))
		}
		if got := strings.Join(refs, " "); got != "a cut b" {
			t.Errorf("%s: got %s", format, got)
		}
		if c := cap(f.win.buf); c > 2<<20 {
			t.Errorf("%s: the window has %d bytes", format, c)
		}
		if n := b.RowOf(&b.Records()[2]).Offset; n != int64(len(before)+len(long)+2) {
			t.Errorf("%s: the record behind it is at %d", format, n)
		}
	}
}
