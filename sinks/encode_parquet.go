package sinks

import (
	"io"
	"math"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// Sizes that parquet-go is used with.
const (
	// pageBytes and pageRows end a data page. 256 KiB pages compress as well as larger ones, and are
	// read in part with a page index.
	pageBytes = 256 << 10
	pageRows  = 20_000
	// pageBuffer is where parquet-go would end a page by itself. It does so after a call and
	// not after a row, so this must never be reached before ours: page bounds would depend on batches.
	// A page of ours is below pageBytes before its last row, plus at most 16 bytes a row for offsets and levels.
	pageBuffer = 1 << 20
	// groupBytes ends a row group before its rows do, so that rows of many KiB don't fill the memory.
	groupBytes = 256 << 20
	// dictionaryBytes is where a dictionary gives up: past it, a column isn't one of few values.
	dictionaryBytes = 1 << 20
	// bloomBits per value give about 1 % of false answers.
	bloomBits = 10
	// runRows is how many values are handed to a column at a time.
	runRows = 4096
)

// parquetEncoder writes Parquet by columns. Pages, row groups and so the bytes of the file depend
// on the rows alone, not on how they come in.
type parquetEncoder struct {
	columns  []column
	config   *parquet.WriterConfig
	rowGroup int

	out    io.Writer
	w      *parquet.GenericWriter[any] // of the piece at hand; nil before its first row
	pages  []pageSize                  // of each column: what the page at hand holds
	rows   int                         // in the row group at hand
	bytes  int64                       // in the row group at hand, by rowBytes
	values []parquet.Value
}

type pageSize struct{ rows, bytes int }

func newParquetEncoder(o Options, tool, schema string, columns []column) *parquetEncoder {
	e := &parquetEncoder{columns: columns, rowGroup: o.RowGroupRows, values: make([]parquet.Value, 0, runRows)}
	if e.rowGroup == 0 {
		e.rowGroup = DefaultRowGroupRows
	}
	wide := o.Compat == "wide"
	e.config = parquet.DefaultWriterConfig()
	e.config.CreatedBy = createdBy(tool)
	e.config.Schema = parquet.NewSchema(strings.ReplaceAll(schema, "/", "_v"), parquetSchema(columns, wide))
	e.config.PageBufferSize = pageBuffer
	e.config.WriteBufferSize = 256 << 10
	e.config.DataPageVersion = 2
	e.config.DataPageStatistics = true
	e.config.DictionaryMaxBytes = dictionaryBytes
	e.config.MaxRowsPerRowGroup = math.MaxInt64
	e.config.Compression = fastZstd()
	if wide {
		e.config.DataPageVersion = 1
		e.config.DeprecatedDataPageStatistics = true
		e.config.Compression = &parquet.Snappy
	}
	for i := range columns {
		if columns[i].bloom {
			e.config.BloomFilters = append(e.config.BloomFilters, parquet.SplitBlockFilter(bloomBits, columns[i].Name))
		}
		if columns[i].noBounds {
			e.config.SkipPageBounds = append(e.config.SkipPageBounds, []string{columns[i].Name})
		}
		if columns[i].Name == surtColumn && o.sorts() { // declares the order: rows are taken as they come
			e.config.Sorting.SortingColumns = []parquet.SortingColumn{parquet.Ascending(surtColumn)}
		}
	}
	return e
}

// createdBy has the form "application version x.y.z (build n)" that readers parse.
func createdBy(tool string) string {
	name, version, _ := strings.Cut(tool, " ")
	if name == "" {
		name = "urisieve"
	}
	if version == "" {
		version = "0.0.0"
	}
	return name + " version " + version + " (build 0)"
}

func (e *parquetEncoder) begin(w io.Writer) error {
	e.out, e.w = w, nil
	return nil
}

// open begins a piece, unless one is open.
func (e *parquetEncoder) open() {
	if e.w != nil {
		return
	}
	e.w = parquet.NewGenericWriter[any](e.out, e.config)
	e.pages = make([]pageSize, len(e.columns))
	e.rows, e.bytes = 0, 0
}

// rowBytes is what a row counts for in a row group: the texts that most columns are cut from.
func rowBytes(v *refs, i int) int64 {
	return int64(v.recs[i].RawLen) + int64(v.recs[i].CanonLen)
}

func (e *parquetEncoder) encode(v *refs, from, to int, limit int64) (n int, full bool, err error) {
	e.open()
	for from < to {
		end := from
		for end < to && end-from < runRows && e.rows < e.rowGroup && e.bytes < groupBytes {
			e.bytes += rowBytes(v, end)
			e.rows++
			end++
		}
		for c := range e.columns {
			if err := e.encodeColumn(c, v, from, end); err != nil {
				return from, false, err
			}
		}
		from = end
		if e.rows >= e.rowGroup || e.bytes >= groupBytes {
			if err := e.endRowGroup(); err != nil {
				return from, false, err
			}
			if e.w.Size() >= limit {
				return from, true, nil
			}
		}
	}
	return from, false, nil
}

func (e *parquetEncoder) endRowGroup() error {
	clear(e.pages)
	e.rows, e.bytes = 0, 0
	return e.w.Flush()
}

// encodeColumn writes one column of a run, ending its pages where they are full.
func (e *parquetEncoder) encodeColumn(at int, v *refs, from, to int) error {
	c, w, page := &e.columns[at], e.w.ColumnWriters()[at], &e.pages[at]
	e.values, v.arena = e.values[:0], v.arena[:0]
	for i := from; i < to; i++ {
		value := c.value(v, i)
		e.values = append(e.values, c.parquetValue(at, value))
		page.rows++
		page.bytes += len(value.text) + 8
		if page.rows < pageRows && page.bytes < pageBytes {
			continue
		}
		if _, err := w.WriteRowValues(e.values); err != nil {
			return err
		}
		if err := w.Flush(); err != nil {
			return err
		}
		e.values, v.arena, *page = e.values[:0], v.arena[:0], pageSize{}
	}
	if len(e.values) == 0 {
		return nil
	}
	_, err := w.WriteRowValues(e.values)
	return err
}

// parquetValue gives a value with its levels. It shares the bytes of the cell.
func (c *column) parquetValue(index int, value cell) parquet.Value {
	var p parquet.Value
	definition := 0
	if c.Nullable {
		if value.null {
			return p.Level(0, 0, index)
		}
		definition = 1
	}
	switch c.Kind {
	case KindText, KindBytes:
		p = parquet.ByteArrayValue(value.text)
	case KindHash:
		p = parquet.FixedLenByteArrayValue(value.text)
	case KindBool:
		p = parquet.BooleanValue(value.num != 0)
	case KindInt32:
		p = parquet.Int32Value(int32(value.num))
	case KindFloat:
		p = parquet.FloatValue(math.Float32frombits(uint32(value.num)))
	default:
		p = parquet.Int64Value(value.num)
	}
	return p.Level(0, definition, index)
}

// push does nothing: a row group that isn't full can't be read before the footer anyway.
func (e *parquetEncoder) push() error { return nil }

func (e *parquetEncoder) seal() error {
	if e.w == nil {
		return nil
	}
	err := e.w.Close()
	e.w = nil
	return err
}

func (e *parquetEncoder) end(footer []keyValue, pieces []int64) error {
	if len(pieces) > 0 {
		return endParquetPieces(e.out, pieces, footer)
	}
	e.open() // a file without rows has columns, too
	for _, kv := range footer {
		e.w.SetKeyValueMetadata(kv.key, kv.value)
	}
	return e.seal()
}
