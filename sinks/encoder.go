package sinks

import (
	"io"
)

// encoder turns references into the bytes of files, one file after the other. It belongs to one
// goroutine.
type encoder interface {
	// begin starts a file.
	begin(w io.Writer) error
	// encode takes v's references from from to to. It stops after the one with which the file
	// reached limit bytes, by the format's own measure, and says where, and that it is full.
	encode(v *refs, from, to int, limit int64) (n int, full bool, err error)
	// push hands over what is buffered, as far as the format can without ending the file.
	push() error
	// seal ends a piece of the file, unless nothing was written since the last one: a gzip member, a zstd frame,
	// Parquet up to a footer. The file can be cut off there and gone on with by another encoder, which begins it
	// like a new one.
	seal() error
	// end completes the file. pieces are where the sealed ones end, all of it if there are any; w must then be
	// an io.ReaderAt.
	end(footer []keyValue, pieces []int64) error
}

// keyValue is an entry of a file's metadata.
type keyValue struct{ key, value string }

// newEncoder makes the encoder of a place.
func newEncoder(p place, o Options, tool, schema string, columns []column) encoder {
	switch p.format {
	case FormatParquet:
		return newParquetEncoder(o, tool, schema, columns)
	case FormatJSONL:
		return &lineEncoder{compression: p.compression, line: jsonLine(columns)}
	}
	return &lineEncoder{compression: p.compression, line: textLine(columns[0])}
}
