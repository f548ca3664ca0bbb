package sources

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/urisieve/urisieve/pipeline"
)

// fillRefs fills one batch and gives its references.
func fillRefs(t *testing.T, f *Files) string {
	t.Helper()
	columns, _ := f.Columns()
	b := pipeline.NewBatch(len(columns))
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := f.Fill(ctx, b); err != nil {
		t.Fatalf("Fill: %v", err)
	}
	var refs []string
	for i := range b.Records() {
		refs = append(refs, string(b.Raw(&b.Records()[i])))
	}
	return strings.Join(refs, " ")
}

// A line in, its record out, while the pipe stays open and has half of the next one.
func TestPipeIsAnsweredAtOnce(t *testing.T) {
	defer goleak.VerifyNone(t)
	for _, c := range []struct{ format, first, half, rest, want1, want2 string }{
		{"text", "a\nb\n", "c", "d\n", "a b", "cd"},
		{"text", "\n\na\n", "", "\nb\n", "a", "b"},
		{"csv", "a\n\"b\n\"\n", "\"c\n", "\"\n", "a b\n", "c\n"},
		{"jsonl", "{\"ref\":\"a\"}\n", "{\"ref\":", "\"b\"}\n", "a", "b"},
		{"clf", "h - - " + at + " \"GET /a HTTP/1.0\" 200 1\n", "h - - ", at + " \"GET /b HTTP/1.0\" 200 1\n", "/a", "/b"},
	} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		f := open(t, Options{Inputs: []string{"-"}, Format: c.format, Stdin: r})
		_, _ = io.WriteString(w, c.first+c.half)
		if got := fillRefs(t, f); got != c.want1 {
			t.Errorf("%s: got %q, want %q", c.format, got, c.want1)
		}
		_, _ = io.WriteString(w, c.rest)
		if got := fillRefs(t, f); got != c.want2 {
			t.Errorf("%s: got %q, want %q", c.format, got, c.want2)
		}
		w.Close()
		if err := fillErr(f); !errors.Is(err, io.EOF) {
			t.Errorf("%s: at the end: %v", c.format, err)
		}
		f.Close()
		r.Close()
	}
}

// Compressed records leave as soon as the compressor lets them go.
func TestCompressedPipeIsAnsweredAtOnce(t *testing.T) {
	for name, stored := range map[string]func(testing.TB, string) []byte{
		"gzip": gz, "zstd": func(t testing.TB, s string) []byte { return zst(t, s) }, "xz": xzed, "bzip2": bz,
	} {
		r, w := io.Pipe()
		f := reader(t, Options{}, r)
		go func() {
			_, _ = w.Write(stored(t, "a\nb\n"))
		}()
		if got := fillRefs(t, f); got != "a b" && got != "a" {
			t.Errorf("%s: got %q", name, got)
		}
		f.Close()
	}
}

func TestCloseEndsAFillThatBlocks(t *testing.T) {
	defer goleak.VerifyNone(t)
	pr, _, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer pr.Close()
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := exec.Command("mkfifo", fifo).Run(); err != nil {
		t.Skip("no mkfifo here: ", err)
	}
	closer, _ := io.Pipe()
	for name, open := range map[string]func() (*Files, error){
		"stdin":  func() (*Files, error) { return Open(context.Background(), Options{Inputs: []string{"-"}, Stdin: pr}) },
		"fifo":   func() (*Files, error) { return Open(context.Background(), Options{Inputs: []string{fifo}}) },
		"closer": func() (*Files, error) { return NewReader(closer, "in", Options{}) },
	} {
		f, err := open()
		if err != nil {
			t.Fatal(err)
		}
		got := make(chan error)
		go func() { got <- f.Fill(context.Background(), pipeline.NewBatch(0)) }()
		time.Sleep(20 * time.Millisecond)
		f.Close()
		if err := <-got; !errors.Is(err, ErrClosed) {
			t.Errorf("%s: got %v", name, err)
		}
		if err := f.Fill(context.Background(), pipeline.NewBatch(0)); !errors.Is(err, ErrClosed) {
			t.Errorf("%s: after Close: %v", name, err)
		}
		f.Close()
	}
}

// The descriptor of standard input is left as it was: others use it, too.
func TestCloseLeavesStdinOpen(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	f := open(t, Options{Inputs: []string{"-"}, Stdin: r})
	_, _ = io.WriteString(w, "a\n")
	fillRefs(t, f)
	f.Close()
	_, _ = io.WriteString(w, "b\n")
	w.Close()
	if rest, err := io.ReadAll(r); string(rest) != "b\n" || err != nil {
		t.Errorf("left %q, %v", rest, err)
	}
}

func TestFIFOIsRead(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := exec.Command("mkfifo", fifo).Run(); err != nil {
		t.Skip("no mkfifo here: ", err)
	}
	f := open(t, Options{Inputs: []string{fifo}})
	go func() {
		w, err := os.OpenFile(fifo, os.O_WRONLY, 0)
		if err != nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
		_, _ = io.WriteString(w, "a\nb\n")
		w.Close()
	}()
	if got := readAll(t, f, 0); strings.Join(got, " ") != "1@0 |a 2@2 |b" {
		t.Errorf("got %q", got)
	}
}

func TestContextEndsAFillThatBlocks(t *testing.T) {
	defer goleak.VerifyNone(t)
	r, w := io.Pipe()
	f := reader(t, Options{}, r)
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	if err := f.Fill(ctx, pipeline.NewBatch(0)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	go func() { _, _ = io.WriteString(w, "a\n") }()
	if got := fillRefs(t, f); got != "a" {
		t.Errorf("after it: %q", got)
	}
	f.Close()
}

func TestCloseBeforeAndInTheMiddle(t *testing.T) {
	defer goleak.VerifyNone(t)
	name := filepath.Join(t.TempDir(), "big")
	write(t, name, strings.Repeat("http://example.com/\n", 1<<20))
	f := open(t, Options{Inputs: []string{name, name}})
	f.Close()
	f = open(t, Options{Inputs: []string{name, name}})
	fillRefs(t, f)
	f.Close()
}

// An input of records without references fills batches, too.
func TestRecordsWithoutReferencesFillABatch(t *testing.T) {
	f := reader(t, Options{Format: "jsonl", RefFields: []string{"l[]"}}, strings.NewReader(strings.Repeat("{\"l\":[]}\n", 100)))
	b := pipeline.NewBatch(0)
	b.SetLimits(10, 1<<20)
	if err := f.Fill(context.Background(), b); err != nil || len(b.Rows()) != 10 {
		t.Errorf("%d rows, %v", len(b.Rows()), err)
	}
	readAll(t, f, 0)
	if s := f.Stats(); s.NoRefs != 100 || s.Records != 100 {
		t.Errorf("got %+v", s)
	}
}
