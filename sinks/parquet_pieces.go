package sinks

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A Parquet file that is to be resumable is written in pieces: each is a whole Parquet file of its own, with
// offsets from its own start, so that it is readable as soon as it is synced. Behind the last one comes a page
// index and a footer over all of them, with offsets from the file's start. What lies between the row groups then, the
// indexes and footers of the pieces, no reader looks at: it finds everything by the last footer.

const parquetMagic = "PAR1"

var errPiece = errors.New("a part of the Parquet file that was written before is damaged: begin anew")

// parquetPieces joins pieces.
type parquetPieces struct {
	file   io.ReaderAt
	out    *bufio.Writer
	at     int64 // bytes of the file so far
	meta   format.FileMetaData
	starts []int64 // of the piece that each row group of meta is in
}

// endParquetPieces completes a file of pieces, given where they end.
func endParquetPieces(w io.Writer, pieces []int64, footer []keyValue) error {
	file, ok := w.(io.ReaderAt)
	if !ok {
		return errors.New("pieces of Parquet need a file that can be read")
	}
	p := parquetPieces{file: file, out: bufio.NewWriterSize(w, 256<<10), at: pieces[len(pieces)-1]}
	start := int64(0)
	for _, end := range pieces {
		if err := p.addFooter(start, end); err != nil {
			return err
		}
		start = end
	}
	for _, kv := range footer {
		p.meta.KeyValueMetadata = append(p.meta.KeyValueMetadata, format.KeyValue{Key: kv.key, Value: kv.value})
	}
	for _, write := range []func() error{p.writeColumnIndexes, p.writeOffsetIndexes, p.writeFooter, p.out.Flush} {
		if err := write(); err != nil {
			return err
		}
	}
	return nil
}

func (p *parquetPieces) read(at int64, n int) ([]byte, error) {
	b := make([]byte, n)
	_, err := io.ReadFull(io.NewSectionReader(p.file, at, int64(n)), b)
	return b, err
}

func (p *parquetPieces) write(b []byte) error {
	n, err := p.out.Write(b)
	p.at += int64(n)
	return err
}

// addFooter takes the row groups of the piece from start to end.
func (p *parquetPieces) addFooter(start, end int64) error {
	const tailBytes = 4 + len(parquetMagic)
	if end-start < int64(tailBytes) {
		return errPiece
	}
	tail, err := p.read(end-int64(tailBytes), tailBytes)
	if err != nil {
		return err
	}
	size := int64(binary.LittleEndian.Uint32(tail))
	if string(tail[4:]) != parquetMagic || size > end-start-int64(tailBytes) {
		return errPiece
	}
	text, err := p.read(end-int64(tailBytes)-size, int(size))
	if err != nil {
		return err
	}
	var meta format.FileMetaData
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), text, &meta); err != nil {
		return fmt.Errorf("%w (%w)", errPiece, err)
	}
	if start == 0 {
		p.meta = meta
		p.meta.RowGroups, p.meta.NumRows, p.meta.KeyValueMetadata = nil, 0, nil
	}
	for i := range meta.RowGroups {
		group := &meta.RowGroups[i]
		group.Ordinal = int16(len(p.meta.RowGroups))
		move(&group.FileOffset, start)
		for k := range group.Columns {
			moveColumn(&group.Columns[k], start)
		}
		p.meta.RowGroups, p.starts = append(p.meta.RowGroups, *group), append(p.starts, start)
	}
	p.meta.NumRows += meta.NumRows
	return nil
}

// move makes an offset of a piece one of the file. An offset that isn't there is 0.
func move(offset *int64, start int64) {
	if *offset > 0 {
		*offset += start
	}
}

func moveColumn(c *format.ColumnChunk, start int64) {
	for _, offset := range []*int64{
		&c.FileOffset, &c.OffsetIndexOffset, &c.ColumnIndexOffset,
		&c.MetaData.DataPageOffset, &c.MetaData.IndexPageOffset, &c.MetaData.DictionaryPageOffset, &c.MetaData.BloomFilterOffset,
	} {
		move(offset, start)
	}
}

// columns yields every column of every row group, with the start of its piece.
func (p *parquetPieces) columns(yield func(c *format.ColumnChunk, start int64) error) error {
	for i := range p.meta.RowGroups {
		for k := range p.meta.RowGroups[i].Columns {
			if err := yield(&p.meta.RowGroups[i].Columns[k], p.starts[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeColumnIndexes copies them. They hold no offsets, but readers take all of a file in one read, and so they
// must lie together.
func (p *parquetPieces) writeColumnIndexes() error {
	return p.columns(func(c *format.ColumnChunk, _ int64) error {
		text, err := p.read(c.ColumnIndexOffset, int(c.ColumnIndexLength))
		if err != nil {
			return err
		}
		c.ColumnIndexOffset = p.at
		return p.write(text)
	})
}

func (p *parquetPieces) writeOffsetIndexes() error {
	return p.columns(func(c *format.ColumnChunk, start int64) error {
		text, err := p.read(c.OffsetIndexOffset, int(c.OffsetIndexLength))
		if err != nil {
			return err
		}
		var index format.OffsetIndex
		if err := thrift.Unmarshal(new(thrift.CompactProtocol), text, &index); err != nil {
			return fmt.Errorf("%w (%w)", errPiece, err)
		}
		for i := range index.PageLocations {
			index.PageLocations[i].Offset += start
		}
		if text, err = thrift.Marshal(new(thrift.CompactProtocol), &index); err != nil {
			return err
		}
		c.OffsetIndexOffset, c.OffsetIndexLength = p.at, int32(len(text))
		return p.write(text)
	})
}

func (p *parquetPieces) writeFooter() error {
	text, err := thrift.Marshal(new(thrift.CompactProtocol), &p.meta)
	if err != nil {
		return err
	}
	text = binary.LittleEndian.AppendUint32(text, uint32(len(text)))
	return p.write(append(text, parquetMagic...))
}
