package main

import (
	"bytes"
	"context"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/pipeline"
)

// answers is the sink of urisieve normalize: one answer for each reference, in the order of the
// input, unique and rejected ones alike. The pipeline writes a batch in two parts, the rejected
// references and the others; the first of them to come answers for the whole batch.
type answers struct {
	w       io.Writer
	jsonl   bool
	reject  string // of --on-reject
	columns []pipeline.Column
	norm    *normalize.Normalizer
	kept    pipeline.Sink // of the rejected references, nil for none
	buf     []byte
	names   []byte  // scratch
	done    batchID // the batch that was answered last
}

// batchID tells batches apart, whose memory is used again and again.
type batchID struct {
	batch  *pipeline.Batch
	source string
	number int64
	index  uint32
}

const answersBuffer = 64 << 10

func newAnswers(w io.Writer, f filterFlags, j *job) *answers {
	a := &answers{w: w, jsonl: f.format == "jsonl", reject: f.onReject, norm: j.norm, buf: make([]byte, 0, 2*answersBuffer)}
	a.columns, _ = j.source.Columns()
	if j.output != nil {
		a.kept = j.output.Rejects()
	}
	return a
}

func (a *answers) Check(*pipeline.Batch, *pipeline.Record) normalize.Reason { return normalize.OK }

func (a *answers) Write(_ context.Context, v pipeline.View) error { return a.batch(v.Batch) }

func (a *answers) Flush(ctx context.Context) error { return a.flush() }

// Idle hands over what a reader may be waiting for.
func (a *answers) Idle(context.Context) error { return a.flush() }

func (a *answers) Close() error { return nil }

func (a *answers) flush() error {
	if len(a.buf) == 0 {
		return nil
	}
	_, err := a.w.Write(a.buf)
	a.buf = a.buf[:0]
	return err
}

// batch answers for all references of b, unless it has done so.
func (a *answers) batch(b *pipeline.Batch) error {
	first := &b.Records()[0]
	row := b.RowOf(first)
	id := batchID{b, b.SourceName(row), row.Number, first.Index}
	if id == a.done {
		return nil
	}
	a.done = id
	for i := range b.Records() {
		r := &b.Records()[i]
		if r.Outcome == pipeline.Rejected && a.reject == "fail" {
			if err := a.flush(); err != nil {
				return err
			}
			row := b.RowOf(r)
			return &refusedError{b.SourceName(row), row.Number, r.Result.Reason.String(), r.Result.Component.String(), r.Result.At}
		}
		if a.jsonl {
			a.object(b, r)
		} else {
			a.line(b, r)
		}
		if len(a.buf) >= answersBuffer {
			if err := a.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// line is an answer as text.
func (a *answers) line(b *pipeline.Batch, r *pipeline.Record) {
	switch {
	case r.Outcome != pipeline.Rejected:
		a.buf = append(a.buf, b.URL(r)...)
	case a.reject == "blank":
	case a.reject == "original":
		if _, cut := b.CutOf(r); !cut && bytes.IndexByte(b.Raw(r), '\n') < 0 {
			a.buf = append(a.buf, b.Raw(r)...)
		}
	default: // "", "drop"
		return
	}
	a.buf = append(a.buf, '\n')
}

// object is an answer as JSON. What is absent is null.
func (a *answers) object(b *pipeline.Batch, r *pipeline.Record) {
	buf := append(a.buf, `{"url":`...)
	res := &r.Result
	refused := r.Outcome == pipeline.Rejected
	if refused {
		buf = append(buf, `null,"fragment":null,"key":null,"flags":`...)
	} else {
		url, fragment := b.URL(r), b.Fragment(r)
		buf = appendJSON(buf, url)
		buf = append(buf, `,"fragment":`...)
		buf = appendJSON(buf, fragment)
		buf = append(buf, `,"key":`...)
		key := b.KeyText(r)
		if key == nil {
			key = url
		}
		buf = appendJSON(buf, key)
		buf = append(buf, `,"flags":`...)
	}
	a.names = res.Flags.AppendNames(a.names[:0], ',')
	buf = appendNames(buf, a.names)
	buf = append(buf, `,"changed":`...)
	a.names = res.Changed.AppendNames(a.names[:0], ',')
	buf = appendNames(buf, a.names)
	buf = append(buf, `,"base_used":`...)
	buf = appendNameOrNull(buf, res.BaseUsed.String())
	if refused {
		buf = append(buf, `,"reason":`...)
		buf = appendNameOrNull(buf, res.Reason.String())
		buf = append(buf, `,"component":`...)
		buf = appendNameOrNull(buf, res.Component.String())
		buf = append(buf, `,"offset":`...)
		buf = strconv.AppendUint(buf, uint64(res.At), 10)
	} else {
		buf = append(buf, `,"reason":null,"component":null,"offset":null`...)
	}
	a.buf = append(a.appendValues(buf, b, b.RowOf(r)), "}\n"...)
}

// appendValues appends the pass-through columns.
func (a *answers) appendValues(buf []byte, b *pipeline.Batch, row *pipeline.Row) []byte {
	for i, c := range a.columns {
		buf = append(buf, ',')
		buf = appendJSON(buf, []byte(c.Name))
		buf = append(buf, ':')
		v := b.Value(row, i)
		switch {
		case v.Null:
			buf = append(buf, "null"...)
		case c.Kind == pipeline.ColumnText:
			buf = appendJSON(buf, b.ValueText(v))
		default: // a timestamp is microseconds since 1970, UTC
			buf = strconv.AppendInt(buf, v.Int, 10)
		}
	}
	return buf
}

// appendNames appends an array of the names in a list joined by commas. No name needs an escape.
func appendNames(buf, list []byte) []byte {
	buf = append(buf, '[')
	for first := true; len(list) > 0; first = false {
		if !first {
			buf = append(buf, ',')
		}
		name, rest, _ := bytes.Cut(list, []byte{','})
		buf = append(append(append(buf, '"'), name...), '"')
		list = rest
	}
	return append(buf, ']')
}

func appendNameOrNull(buf []byte, name string) []byte {
	if name == "" {
		return append(buf, "null"...)
	}
	return append(append(append(buf, '"'), name...), '"')
}

const hexDigits = "0123456789abcdef"

// appendJSON appends a text as a JSON string, nil as null. Bytes that aren't UTF-8 are written as
// \xHH, as everywhere in our outputs.
func appendJSON(buf, text []byte) []byte {
	if text == nil {
		return append(buf, "null"...)
	}
	buf = append(buf, '"')
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			buf = append(buf, '\\', c)
		case c < 0x20 || c == 0x7f:
			buf = append(buf, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		case c < utf8.RuneSelf:
			buf = append(buf, c)
		default:
			if r, size := utf8.DecodeRune(text[i:]); r != utf8.RuneError || size > 1 {
				buf = append(buf, text[i:i+size]...)
				i += size
				continue
			}
			buf = append(buf, '\\', '\\', 'x', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
	}
	return append(buf, '"')
}

// rejectsSink is the lane's sink of rejected references.
func (a *answers) rejectsSink() pipeline.Sink { return &rejectAnswers{a} }

type rejectAnswers struct{ *answers }

// Write answers for the batch, and keeps the rejected references where that was asked for.
func (r *rejectAnswers) Write(ctx context.Context, v pipeline.View) error {
	if r.kept != nil {
		if err := r.kept.Write(ctx, v); err != nil {
			return err
		}
	}
	return r.batch(v.Batch)
}

// Flush makes the kept ones durable.
func (r *rejectAnswers) Flush(ctx context.Context) error {
	if r.kept == nil {
		return r.flush()
	}
	if err := r.kept.Flush(ctx); err != nil {
		return err
	}
	return r.flush()
}
