package sinks

import (
	"compress/gzip"
	"io"

	"github.com/klauspost/compress/zstd"
)

// lineEncoder writes a line a reference: JSON lines or text.
type lineEncoder struct {
	compression string
	line        func(dst []byte, v *refs, i int) []byte

	file  io.Writer
	out   io.Writer   // file, or codec
	codec flushCloser // of the member or frame at hand; nil before its first byte, and without compression
	buf   []byte
	bytes int64 // of the file so far, before compression
}

// flushCloser is what both compressors are.
type flushCloser interface {
	io.WriteCloser
	Flush() error
}

// lineBlock is how much is handed on at a time. Always whole blocks: what a compressor makes of a text may
// depend on how it was cut, and the bytes of a file must not depend on batches.
const lineBlock = 128 << 10

func (e *lineEncoder) begin(w io.Writer) error {
	e.file, e.out, e.codec, e.buf, e.bytes = w, w, nil, e.buf[:0], 0
	return nil
}

// open begins a member or frame, unless one is open. Always with a compressor of its own, since what a used one
// writes could depend on what it wrote before.
func (e *lineEncoder) open() (err error) {
	if e.codec != nil {
		return nil
	}
	switch e.compression {
	case "gzip":
		e.codec = gzip.NewWriter(e.file)
	case "zstd":
		// One goroutine, so that blocks are cut by content alone.
		e.codec, err = zstd.NewWriter(e.file, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedDefault))
	default:
		return nil
	}
	e.out = e.codec
	return err
}

func (e *lineEncoder) encode(v *refs, from, to int, limit int64) (n int, full bool, err error) {
	for i := from; i < to; i++ {
		before := len(e.buf)
		v.arena = v.arena[:0]
		e.buf = e.line(e.buf, v, i)
		e.bytes += int64(len(e.buf) - before)
		if len(e.buf) >= lineBlock {
			if err := e.blocks(); err != nil {
				return i, false, err
			}
		}
		if e.bytes >= limit {
			return i + 1, true, nil
		}
	}
	return to, false, nil
}

// blocks hands on what there is of whole blocks.
func (e *lineEncoder) blocks() error {
	if err := e.open(); err != nil {
		return err
	}
	done := 0
	for ; len(e.buf)-done >= lineBlock; done += lineBlock {
		if _, err := e.out.Write(e.buf[done : done+lineBlock]); err != nil {
			return err
		}
	}
	e.buf = e.buf[:copy(e.buf, e.buf[done:])]
	if cap(e.buf) > 64*lineBlock { // one huge line shouldn't be paid for until the end
		e.buf = append(make([]byte, 0, 2*lineBlock), e.buf...)
	}
	return nil
}

func (e *lineEncoder) rest() error {
	if len(e.buf) == 0 {
		return nil
	}
	if err := e.open(); err != nil {
		return err
	}
	_, err := e.out.Write(e.buf)
	e.buf = e.buf[:0]
	return err
}

func (e *lineEncoder) push() error {
	if err := e.rest(); err != nil || e.codec == nil {
		return err
	}
	return e.codec.Flush()
}

func (e *lineEncoder) seal() error {
	if err := e.rest(); err != nil || e.codec == nil {
		return err
	}
	err := e.codec.Close()
	e.out, e.codec = e.file, nil
	return err
}

func (e *lineEncoder) end(_ []keyValue, pieces []int64) error {
	if len(pieces) == 0 { // an empty file is a member without anything in it
		if err := e.open(); err != nil {
			return err
		}
	}
	return e.seal()
}

// jsonLine makes a line of JSON: an object with every column, null where it is null.
func jsonLine(columns []column) func(dst []byte, v *refs, i int) []byte {
	keys := make([][]byte, len(columns))
	for c := range columns {
		keys[c] = columns[c].key()
	}
	return func(dst []byte, v *refs, i int) []byte {
		for c := range columns {
			separator := byte(',')
			if c == 0 {
				separator = '{'
			}
			dst = append(dst, separator)
			dst = columns[c].appendMember(dst, keys[c], columns[c].value(v, i))
		}
		return append(dst, '}', '\n')
	}
}

// textLine makes a line of one column's text. url has no line breaks: they are escaped.
func textLine(c column) func(dst []byte, v *refs, i int) []byte {
	return func(dst []byte, v *refs, i int) []byte {
		return append(append(dst, c.value(v, i).text...), '\n')
	}
}
