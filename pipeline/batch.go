package pipeline

import (
	"iter"
	"sync/atomic"
	"unsafe"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/pipeline/dedup"
)

// Batch is a struct of arrays over arenas. It has one owner at a time: the source, a worker,
// settle, the sinks that retained it, the free list. raw is written by the source only, canon by
// the worker only.
type Batch struct {
	Lane LaneID

	// End, set by the source in Fill, says that this is the last batch of its lane. It may be empty.
	End LaneEnd

	seq     uint64
	rows    []Row
	recs    []Record
	others  []dedup.Key // of each record, one for each of Options.Others
	values  []Value
	raw     []byte
	canon   []byte
	docs    []docLayers
	sources []string
	cuts    []Cut
	columns int

	maxRecords, maxBytes int // see SetLimits

	// expected is a guess at the bytes of canon: each reference, and the base that it may be resolved
	// against. A small record can ask for a lot: a long base and very many short references.
	expected int64
	rowBase  int64 // bytes of the last row's longest base layer

	open  bool // the last row goes on in the next batch, or was cut by Options.Limit: not settled by this one
	short bool // handed over before it was full: the source had no more just then
	tally tally

	unique, duplicate, rejected []uint32 // what the views select; kept with the batch, since sinks may retain it

	lane  *lane
	pool  *pool
	cost  int64 // bytes that the pool charges for it
	holds atomic.Int32
}

// Cut is what is known of a reference of which only the start is kept.
type Cut struct {
	Bytes int64    // length of the whole
	Hash  [16]byte // XXH3-128 of the whole, big-endian, seed 0
}

// docLayers are the base layers of one document as spans of the raw arena.
type docLayers struct{ embedded, entity, retrieval span }

type span struct {
	off, len uint32
	present  bool
}

// NewBatch makes an empty batch for a source with the given number of pass-through columns.
func NewBatch(columns int) *Batch {
	b := &Batch{columns: columns, maxRecords: defaultBatchRecords, maxBytes: defaultBatchBytes}
	b.holds.Store(1)
	return b
}

// SetLimits sets after how many references and bytes of input the batch is full.
func (b *Batch) SetLimits(records, bytes int) { b.maxRecords, b.maxBytes = records, bytes }

// nominalBatchBytes is the memory that a batch needs that is filled to its limits: raw and
// canonical bytes, and a record and a row for each reference.
func nominalBatchBytes(records, bytes int) int64 {
	return 2*int64(bytes) + int64(records)*int64(unsafe.Sizeof(Record{})+unsafe.Sizeof(Row{}))
}

// Reset empties the batch for the next Fill; its memory is kept.
func (b *Batch) Reset() {
	b.Lane, b.End, b.seq = 0, LaneGoesOn, 0
	b.rows, b.recs, b.values = b.rows[:0], b.recs[:0], b.values[:0]
	b.raw, b.canon, b.docs, b.sources = b.raw[:0], b.canon[:0], b.docs[:0], b.sources[:0]
	b.cuts, b.others = b.cuts[:0], b.others[:0]
	b.unique, b.duplicate, b.rejected = b.unique[:0], b.duplicate[:0], b.rejected[:0]
	b.expected, b.rowBase, b.open, b.short, b.lane = 0, 0, false, false, nil
}

// Full reports whether the source should hand the batch over. A source may go over by the one
// row that it is adding.
func (b *Batch) Full() bool {
	return len(b.recs) >= b.maxRecords || len(b.rows) >= b.maxRecords || len(b.raw) >= b.maxBytes || b.expected >= b.maxExpected()
}

// maxExpected is the guess at canon's bytes from which the batch is full. Ordinary references,
// even with bases many times their length, fill the batch by their number first.
func (b *Batch) maxExpected() int64 { return 8 * int64(b.maxBytes) }

// Source gives the index for rows of the named source.
func (b *Batch) Source(name string) uint16 {
	for i, s := range b.sources {
		if s == name {
			return uint16(i)
		}
	}
	b.sources = append(b.sources, name)
	return uint16(len(b.sources) - 1)
}

// AddBase copies the base layers of a document; nil is an absent layer, empty is not. Layers equal
// to those added last give the same BaseID again, so that a document's base is worked out once.
func (b *Batch) AddBase(embedded, entity, retrieval []byte) BaseID {
	if embedded == nil && entity == nil && retrieval == nil {
		return NoBase
	}
	if n := len(b.docs); n > 0 {
		last := b.docs[n-1]
		if b.same(last.embedded, embedded) && b.same(last.entity, entity) && b.same(last.retrieval, retrieval) {
			return BaseID(n - 1)
		}
	}
	b.docs = append(b.docs, docLayers{b.keep(embedded), b.keep(entity), b.keep(retrieval)})
	return BaseID(len(b.docs) - 1)
}

func (b *Batch) same(s span, text []byte) bool {
	return s.present == (text != nil) && string(b.bytes(s)) == string(text)
}

func (b *Batch) bytes(s span) []byte {
	switch {
	case !s.present:
		return nil
	case s.len == 0: // a slice of a nil arena would be nil, which is absent
		return []byte{}
	}
	return b.raw[s.off : s.off+s.len : s.off+s.len]
}

func (b *Batch) keep(text []byte) span {
	if text == nil {
		return span{}
	}
	off := uint32(len(b.raw))
	b.raw = append(b.raw, text...)
	return span{off, uint32(len(text)), true}
}

// AddRow begins a source record; all its pass-through values are null. r.Values is set here.
func (b *Batch) AddRow(r Row) {
	r.Values = uint32(len(b.values))
	for range b.columns {
		b.values = append(b.values, Value{Null: true})
	}
	b.rows = append(b.rows, r)
	b.rowBase = 0
	if r.Base != NoBase {
		d := &b.docs[r.Base]
		b.rowBase = int64(max(d.embedded.len, d.entity.len, d.retrieval.len))
	}
}

// SetText copies a text as the current row's value of a column.
func (b *Batch) SetText(column int, text []byte) {
	off := uint32(len(b.raw))
	b.raw = append(b.raw, text...)
	b.values[int(b.rows[len(b.rows)-1].Values)+column] = Value{Off: off, Len: uint32(len(text))}
}

// SetInt sets the current row's value of a ColumnInt64 or ColumnTimestamp column.
func (b *Batch) SetInt(column int, v int64) {
	b.values[int(b.rows[len(b.rows)-1].Values)+column] = Value{Int: v}
}

// AddRef copies a reference of the current row.
func (b *Batch) AddRef(element uint8, ref []byte) *Record {
	row := uint32(len(b.rows) - 1)
	index := uint32(0)
	if n := len(b.recs); n > 0 && b.recs[n-1].Row == row {
		index = b.recs[n-1].Index + 1
	}
	off := uint32(len(b.raw))
	b.raw = append(b.raw, ref...)
	b.expected += int64(len(ref)) + b.rowBase
	b.recs = append(b.recs, Record{RawOff: off, RawLen: uint32(len(ref)), Row: row, Index: index, Element: element})
	return &b.recs[len(b.recs)-1]
}

// AddReject adds what the source itself refuses: a record that can't be decoded, a reference
// over the size limit. raw is what there is of it; at is an offset into raw.
func (b *Batch) AddReject(element uint8, raw []byte, reason normalize.Reason, c normalize.Component, at uint32) {
	r := b.AddRef(element, raw)
	r.Outcome = Rejected
	r.Result.Reason, r.Result.Component, r.Result.At = reason, c, at
}

// AddCutReject is AddReject for a text of which only the start is kept.
func (b *Batch) AddCutReject(element uint8, start []byte, whole Cut, reason normalize.Reason, c normalize.Component, at uint32) {
	b.AddReject(element, start, reason, c, at)
	b.cuts = append(b.cuts, whole)
	b.recs[len(b.recs)-1].Cut = uint32(len(b.cuts))
}

// CutOf says what is known of the whole reference; false when Raw is the whole.
func (b *Batch) CutOf(r *Record) (Cut, bool) {
	if r.Cut == 0 {
		return Cut{}, false
	}
	return b.cuts[r.Cut-1], true
}

// Rows are the source records.
func (b *Batch) Rows() []Row { return b.rows }

// Records are the references, in input order.
func (b *Batch) Records() []Record { return b.recs }

// Raw is the reference as it came in.
func (b *Batch) Raw(r *Record) []byte { return b.raw[r.RawOff : r.RawOff+r.RawLen : r.RawOff+r.RawLen] }

// Canon is url, then "#" and fragment where there is one; r.Result.Parts splits it.
func (b *Batch) Canon(r *Record) []byte {
	return b.canon[r.CanonOff : r.CanonOff+r.CanonLen : r.CanonOff+r.CanonLen]
}

// URL is the canonical URI, nil where there is none.
func (b *Batch) URL(r *Record) []byte {
	if r.CanonLen == 0 {
		return nil
	}
	c := b.Canon(r)
	end := r.Result.Parts.URLEnd(len(c))
	return c[:end:end]
}

// Fragment is the canonical fragment, nil when absent, not nil when empty.
func (b *Batch) Fragment(r *Record) []byte {
	if r.CanonLen == 0 {
		return nil
	}
	return r.Result.Parts.Fragment(b.Canon(r))
}

// KeyText is the text that was compared, nil where that is URL.
func (b *Batch) KeyText(r *Record) []byte {
	if r.KeyLen == 0 {
		return nil
	}
	return b.canon[r.KeyOff : r.KeyOff+r.KeyLen : r.KeyOff+r.KeyLen]
}

// SetCanon gives a reference its canonical form (url, then "#" and fragment), and its key text where
// that differs, as a worker does. It is for tests of sinks.
func (b *Batch) SetCanon(r *Record, canon, key []byte, result normalize.Result) {
	r.Result = result
	r.CanonOff, r.CanonLen = uint32(len(b.canon)), uint32(len(canon))
	b.canon = append(b.canon, canon...)
	if key != nil {
		r.KeyOff, r.KeyLen = uint32(len(b.canon)), uint32(len(key))
		b.canon = append(b.canon, key...)
	}
}

// RowOf is the source record of a reference.
func (b *Batch) RowOf(r *Record) *Row { return &b.rows[r.Row] }

// SourceName is the name of the source that a row came from.
func (b *Batch) SourceName(row *Row) string { return b.sources[row.Source] }

// position is where a row came from.
func (b *Batch) position(row *Row) Position {
	return Position{Lane: b.Lane, Source: b.sources[row.Source], Number: row.Number, Offset: row.Offset}
}

// Value is a pass-through value of a row; ValueText gives the bytes of a ColumnText one.
func (b *Batch) Value(row *Row, column int) Value { return b.values[int(row.Values)+column] }

// ValueText is the text of a value, nil when null.
func (b *Batch) ValueText(v Value) []byte {
	switch {
	case v.Null:
		return nil
	case v.Len == 0: // see bytes
		return []byte{}
	}
	return b.raw[v.Off : v.Off+v.Len : v.Off+v.Len]
}

// Layers are the base layers of a row as they came in, nil where absent.
func (b *Batch) Layers(row *Row) (embedded, entity, retrieval []byte) {
	if row.Base == NoBase {
		return nil, nil, nil
	}
	d := b.docs[row.Base]
	return b.bytes(d.embedded), b.bytes(d.entity), b.bytes(d.retrieval)
}

// Retain keeps the batch for one more holder, who reads it only; Release gives it back. At the last
// Release it goes to the free list and is overwritten. Settle holds it while Write runs, so a sink calls Retain
// within Write, and Release on any goroutine. What a sink holds counts against Options.PoolBytes:
// it must let go of it without waiting for another Write.
func (b *Batch) Retain() { b.holds.Add(1) }

// Release gives up one hold. See Retain.
func (b *Batch) Release() {
	n := b.holds.Add(-1)
	if n < 0 {
		// It may be in the source's hands already: going on would mix up records.
		panic("pipeline: a batch was released more often than it was retained") //nolint:forbidigo // a fault of the program
	}
	if n == 0 && b.pool != nil {
		b.pool.put(b)
	}
}

// View is a selection of a batch's references, in input order. It is read-only. A sink that needs
// it after Write returned retains the batch.
type View struct {
	Batch    *Batch
	Selected []uint32
}

// Len is the number of references selected.
func (v View) Len() int { return len(v.Selected) }

// All yields the selected references in order.
func (v View) All() iter.Seq[*Record] {
	return func(yield func(*Record) bool) {
		for _, i := range v.Selected {
			if !yield(&v.Batch.recs[i]) {
				return
			}
		}
	}
}
