package sources

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/urisieve/urisieve/pipeline"
)

// Files reads files and standard input, one after the other, as one lane. It implements
// pipeline.Source.
type Files struct {
	opts     Options // with the defaults filled in
	inputs   []*input
	open     func(*input) (stored, error)
	columns  []pipeline.Column
	elements []string

	// Of the Fill goroutine.
	dec     decoder
	win     window
	current int // index into inputs
	counts  counts
	plain   int64 // bytes of the current input, decompressed
	source  int   // the batch's index of the current input, -1 before its first row there
	sources int   // inputs that the batch has rows of
	err     error // what Fill gives from now on
	every   snapshotEvery
	target  *Mark // the record to catch up with, of a source that was resumed

	mu        sync.Mutex // for what follows
	feed      *feed
	closed    bool
	stats     pipeline.SourceStats
	snapshots []snapshot // ordered; the first one is at or before every Mark to come
}

// ErrClosed is what Fill gives after Close.
var ErrClosed = fmt.Errorf("sources: %w", fs.ErrClosed)

// Damage says why the rest of an input could not be read. See pipeline.InputStats.
type Damage struct {
	Input  string
	Record int64 // records that were read before it
	Byte   int64 // bytes that were read before it, decompressed
	Err    error
}

func (d *Damage) Error() string {
	return fmt.Sprintf("%s: after record %d, decompressed byte %d: %v", d.Input, d.Record, d.Byte, d.Err)
}

func (d *Damage) Unwrap() error { return d.Err }

// Open finds the inputs and checks the options. Every input that is missing, empty of matches or
// not readable is reported, all at once, before anything is read from any. Where fields are given
// by name, the headers of all files are checked, too.
func Open(ctx context.Context, o Options) (*Files, error) {
	errs := []error{o.Validate()}
	if len(o.Inputs) == 0 {
		errs = append(errs, &InputError{"", errNoInputs, `name files, globs or directories, or "-" for standard input`})
	}
	inputs, err := findInputs(o.Inputs)
	if errs = append(errs, err); o.Resumable {
		errs = append(errs, checkResumable(inputs))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	f := newFiles(o, inputs)
	f.open = f.openInput
	for _, in := range inputs {
		if in.name == stdinName {
			in.live = isLive(f.opts.Stdin)
		}
	}
	if err := f.checkHeaders(ctx); err != nil {
		return nil, err
	}
	return f, nil
}

// NewReader reads one input, r, under a name; o.Inputs must be empty. Close closes r if it is an
// io.Closer, to end a Read that blocks.
func NewReader(r io.Reader, name string, o Options) (*Files, error) {
	err := o.Validate()
	if len(o.Inputs) > 0 {
		err = errors.Join(err, &InputError{o.Inputs[0], errors.New("is one too many"), "NewReader has its reader"})
	}
	if o.Resumable {
		err = errors.Join(err, &InputError{name, errNotResumable, hintResumable})
	}
	if err != nil {
		return nil, err
	}
	f := newFiles(o, []*input{{name: name, size: -1, live: isLive(r)}})
	f.open = func(*input) (stored, error) { return openReader(r, true) }
	return f, nil
}

// isLive: a reader whose next bytes may be long in coming. A file that was redirected isn't.
func isLive(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok {
		return true
	}
	info, err := f.Stat()
	return err != nil || !info.Mode().IsRegular()
}

func newFiles(o Options, inputs []*input) *Files {
	f := &Files{opts: withDefaults(o), inputs: inputs}
	f.dec = newDecoder(&f.opts)
	f.columns, f.elements = columnsOf(&f.opts)
	f.stats.Inputs = make([]pipeline.InputStats, len(inputs))
	for i, in := range inputs {
		f.stats.Inputs[i].Name = in.name
		if f.stats.BytesTotal >= 0 && in.size >= 0 {
			f.stats.BytesTotal += in.size
		} else {
			f.stats.BytesTotal = -1
		}
	}
	f.stats.BytesTotal = max(f.stats.BytesTotal, 0)
	f.stats.NeverSeen = f.dec.unseen()
	f.beginInput()
	if o.Resumable {
		f.every = snapshotEvery{records: snapshotRecords, bytes: snapshotBytes}
		f.takeSnapshot()
	}
	return f
}

func withDefaults(o Options) Options {
	set := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	if o.Format == "" {
		o.Format = "text"
	}
	set(&o.MaxURIBytes, DefaultMaxURIBytes)
	if o.Format == "text" {
		set(&o.MaxRecordBytes, o.MaxURIBytes)
	}
	set(&o.MaxRecordBytes, DefaultMaxRecordBytes)
	set(&o.MaxExpansion, DefaultMaxExpansion)
	if o.MaxWindowBytes == 0 {
		o.MaxWindowBytes = DefaultMaxWindowBytes
	}
	if o.Stdin == nil {
		o.Stdin = os.Stdin
	}
	return o
}

func newDecoder(o *Options) decoder {
	switch o.Format {
	case "csv", "tsv":
		delimiter, ok := delimiterByte(o.Delimiter)
		if !ok {
			delimiter = map[string]byte{"csv": ',', "tsv": '\t'}[o.Format]
		}
		return newCSV(o, delimiter)
	case "jsonl":
		return newJSON(o)
	case "text":
		return &textDecoder{}
	}
	return newLog(o)
}

func columnsOf(o *Options) (columns []pipeline.Column, elements []string) {
	elements = []string{""}
	switch o.Format {
	case "clf", "combined", "vclf", "vcombined":
		elements = []string{"request", "referer"}
		columns = []pipeline.Column{
			{Name: "fetch_time", Kind: pipeline.ColumnTimestamp},
			{Name: "fetch_status", Kind: pipeline.ColumnInt64},
			{Name: "x_method"},
			{Name: "x_bytes", Kind: pipeline.ColumnInt64},
		}
	default:
		if len(o.RefFields) > 1 {
			elements = o.RefFields
		}
	}
	for _, field := range o.Pass {
		columns = append(columns, pipeline.Column{Name: columnName(field)})
	}
	return columns, elements
}

func (f *Files) openInput(in *input) (stored, error) {
	if in.name == stdinName {
		return openReader(f.opts.Stdin, false)
	}
	return openFile(in)
}

// Columns implements pipeline.Source.
func (f *Files) Columns() (columns []pipeline.Column, elements []string) {
	return f.columns, f.elements
}

// Commit implements pipeline.Source. It does nothing: a job that is to be resumed keeps a Mark.
func (f *Files) Commit(ctx context.Context, upto []pipeline.Position) error { return nil }

// Stats implements pipeline.Source. After Resume they are those of the whole job: what was counted up to
// the Mark and what was read since, nothing twice. Of an input that was read to its end before the Mark and
// wasn't damaged, Inputs has the size as BytesIn, and zero Records and BytesPlain.
func (f *Files) Stats() pipeline.SourceStats {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.stats
	s.Inputs = append([]pipeline.InputStats(nil), s.Inputs...)
	for i, in := range f.inputs {
		s.Inputs[i].BytesIn = in.bytesIn.Load()
		s.BytesIn += s.Inputs[i].BytesIn
	}
	return s
}

// Close ends the reading and waits for it. A Fill that blocks returns ErrClosed. Reading from
// standard input, a terminal or a FIFO is interrupted, on Unix without closing it; of a reader that was given to
// NewReader or as Options.Stdin and is neither file nor io.Closer, a Read that blocks is left to end by itself.
func (f *Files) Close() error {
	f.mu.Lock()
	f.closed = true
	feed := f.feed
	f.mu.Unlock()
	if feed != nil {
		feed.stop()
	}
	return nil
}

// started gives the feed, which begins to read at the first Fill.
func (f *Files) started() (*feed, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, ErrClosed
	}
	if f.feed == nil {
		f.feed = startFeed(f.inputs[f.current:], f.open, &f.opts)
	}
	return f.feed, nil
}
