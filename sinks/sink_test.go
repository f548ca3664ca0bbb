package sinks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/urisieve/urisieve/pipeline"
	"github.com/urisieve/urisieve/pipeline/pipetest"
)

func TestEveryFormatIsASink(t *testing.T) {
	for _, format := range []string{FormatParquet, FormatJSONL, FormatText} {
		t.Run(format, func(t *testing.T) {
			defer goleak.VerifyNone(t)
			var disk *pipetest.CrashFS
			pipetest.TestSink(t, pipetest.SinkCase{
				Open: func(t *testing.T) pipeline.Sink {
					disk = newDisk()
					out, err := Open(disk, Options{Output: "out", Format: format, FileBytes: MinFileBytes, Rejects: "none"}, Info{})
					if err != nil {
						t.Fatal(err)
					}
					return out.Main()
				},
				Durable: func(t *testing.T) (urls []string) {
					left := disk.AfterCrash()
					for _, name := range names(tree(t, left, "out")) {
						urls = append(urls, urlsOf(t, name, read(t, left, name))...)
					}
					return urls
				},
			})
		})
	}
}

// urlsOf reads the urls of a part file of any format.
func urlsOf(t *testing.T, name string, content []byte) (urls []string) {
	switch parseName(name[strings.LastIndexByte(name, '/')+1:]).kind {
	case namePart:
	case nameLock:
		return nil
	default:
		t.Fatalf("%s is durable", name)
	}
	format, _ := byExtension(name)
	if format == FormatParquet {
		rows, _, err := rowsOf(content)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			urls = append(urls, row["url"].String())
		}
		return urls
	}
	for line := range bytes.Lines(content) {
		var row struct{ URL string }
		if format == FormatText {
			row.URL = strings.TrimSpace(string(line))
		} else if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		urls = append(urls, row.URL)
	}
	return urls
}

// pipe is a standard output that can be looked at, and break.
type pipe struct {
	mu     sync.Mutex
	text   bytes.Buffer
	broken error
}

func (p *pipe) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.broken != nil {
		return 0, p.broken
	}
	return p.text.Write(b)
}

func (p *pipe) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

func openPipe(t *testing.T, p *pipe, o Options) *Output {
	t.Helper()
	o.Output, o.Rejects, o.Stdout = "-", "none", p
	out, err := Open(newDisk(), o, info)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestIdleHandsOverWhatIsBuffered(t *testing.T) {
	for _, codec := range []string{"", "gzip", "zstd"} {
		p := &pipe{}
		out := openPipe(t, p, Options{Compression: codec})
		if err := out.Main().Write(t.Context(), view(batch(some(1)))); err != nil {
			t.Fatal(err)
		}
		if err := out.Main().(pipeline.IdleSink).Idle(t.Context()); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(5 * time.Second); p.String() == ""; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("nothing came within 5 seconds")
			}
		}
		if err := out.Finish(t.Context(), Totals{}, true); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAClosedPipeIsAnErrorOfItsOwn(t *testing.T) {
	for _, cause := range []error{syscall.EPIPE, io.ErrClosedPipe, &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}} {
		p := &pipe{broken: cause}
		out := openPipe(t, p, Options{})
		err := errors.Join(out.Main().Write(t.Context(), view(batch(some(10)))), out.Main().Flush(t.Context()))
		if !errors.Is(err, ErrClosedPipe) {
			t.Errorf("%v: got %v, want ErrClosedPipe", cause, err)
		}
		if err := out.Finish(t.Context(), Totals{}, true); !errors.Is(err, ErrClosedPipe) {
			t.Errorf("%v: Finish: got %v, want ErrClosedPipe", cause, err)
		}
	}
}

func TestAnErrorComesBackAndNothingIsWrittenAfterIt(t *testing.T) {
	p := &pipe{broken: errors.New("boom")}
	out := openPipe(t, p, Options{})
	defer out.Abort()
	if err := out.Main().Write(t.Context(), view(batch(some(1)))); err != nil {
		t.Fatal(err)
	}
	if err := out.Main().Flush(t.Context()); err == nil || !strings.Contains(err.Error(), "boom") {
		t.Fatalf("flush: got %v, want boom", err)
	}
	p.mu.Lock()
	p.broken = nil
	p.mu.Unlock()
	if err := out.Main().Write(t.Context(), view(batch(some(1)))); err == nil || !strings.Contains(err.Error(), "boom") {
		t.Errorf("write: got %v, want boom", err)
	}
	if p.String() != "" {
		t.Errorf("written after the error: %q", p.String())
	}
}

func TestWhatWasNotFlushedIsNotPublishedAsWhole(t *testing.T) {
	disk := newDisk()
	out, err := Open(disk, lines("out"), info)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(out.Main().Write(t.Context(), view(batch(some(10)))), out.Main().Close()); err != nil {
		t.Fatal(err)
	}
	if err := out.Finish(t.Context(), Totals{}, true); err == nil || !strings.Contains(err.Error(), "flushed") {
		t.Errorf("got %v", err)
	}
	if left := tree(t, disk, "."); len(left) > 0 {
		t.Errorf("left: %v", names(left))
	}
}

func TestWriteGivesUpWithItsContextWhileTheQueueIsFull(t *testing.T) {
	r, w := io.Pipe() // nobody reads: the writing goroutine waits for ever
	out, err := Open(newDisk(), Options{Output: "-", Rejects: "none", Stdout: w}, info)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	for err == nil {
		err = out.Main().Write(ctx, view(batch(some(5000))))
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	r.Close()
	out.Abort()
}

func TestDuplicatesGoWhereTheyAreSent(t *testing.T) {
	disk := newDisk()
	o := lines("out")
	o.Duplicates = "dups.jsonl"
	out, err := Open(disk, o, info)
	if err != nil {
		t.Fatal(err)
	}
	refs := some(3)
	refs[1].outcome = pipeline.Duplicate
	b := batch(refs)
	err = errors.Join(
		out.Main().Write(t.Context(), pipeline.View{Batch: b, Selected: []uint32{0, 2}}),
		out.Duplicates().Write(t.Context(), pipeline.View{Batch: b, Selected: []uint32{1}}),
		out.Finish(t.Context(), Totals{}, true),
	)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(read(t, disk, "dups.jsonl")); got != `{"url":"`+refs[1].canon+`","source_record":1}`+"\n" {
		t.Errorf("got %s", got)
	}
	if out.Rejects() != nil {
		t.Error("rejects: none, and there is a sink for them")
	}
}

func TestTheMachinesOwnDisk(t *testing.T) {
	dir := t.TempDir()
	for _, o := range []Options{{Output: dir + "/out"}, {Output: dir + "/out", Overwrite: true}, {Output: dir + "/out", Append: true}, {Output: dir + "/one.jsonl.gz"}} {
		if err := tryWriteAll(t.Context(), osDisk, o, some(100), 30); err != nil {
			t.Fatal(err)
		}
	}
	entries, _ := os.ReadDir(dir)
	got := ""
	for _, e := range entries {
		got += e.Name() + " "
	}
	if got != "one.jsonl.gz one.rejects.jsonl.gz out out.rejects " {
		t.Errorf("left: %s", got)
	}
}
