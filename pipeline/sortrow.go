package pipeline

import (
	"encoding/binary"
	"math"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/normalize/keyrule"
)

// rowCodec writes settled references, each with its row, as bytes that are taken apart into another batch: numbers as
// varints, texts behind their lengths. It names sources by numbers of its own.
type rowCodec struct {
	columns []Column
	names   []string
	numbers map[string]uint32
	here    []uint32 // of the batch that is read: the number of each of its sources

	there []int32 // of the batch that is written: 1 + the index of each source
	known []uint32
}

func newRowCodec(columns []Column) rowCodec {
	return rowCodec{columns: columns, numbers: map[string]uint32{}}
}

// enter says that references of b come.
func (c *rowCodec) enter(b *Batch) {
	c.here = c.here[:0]
	for _, name := range b.sources {
		n, ok := c.numbers[name]
		if !ok {
			n = uint32(len(c.names))
			c.numbers[name] = n
			c.names = append(c.names, name)
			c.there = append(c.there, 0)
		}
		c.here = append(c.here, n)
	}
}

// source is the number of a row's source.
func (c *rowCodec) source(row *Row) uint32 { return c.here[row.Source] }

// leave says that references go to another batch.
func (c *rowCodec) leave() {
	for _, n := range c.known {
		c.there[n] = 0
	}
	c.known = c.known[:0]
}

// sourceIn is the index of a source in b. Batch.Source would look at all of them, and sorted references come from
// anywhere.
func (c *rowCodec) sourceIn(b *Batch, n uint32) uint16 {
	if c.there[n] == 0 {
		b.sources = append(b.sources, c.names[n])
		c.there[n] = int32(len(b.sources))
		c.known = append(c.known, n)
	}
	return uint16(c.there[n] - 1)
}

// What a reference has beside the usual.
const (
	rowRawDiffers = 1 << iota // raw isn't canon
	rowHasKey
	rowHasBase
	rowHasCut
	rowHasPartition
	rowRefused // At, Component, Reason or FilterRule
)

// append appends r with its row.
func (c *rowCodec) append(dst []byte, b *Batch, r *Record) []byte {
	row := b.RowOf(r)
	canon, raw := b.Canon(r), b.Raw(r)
	has := c.has(r, row, string(raw) != string(canon))
	dst = append(dst, has, byte(r.Outcome), r.Element, byte(r.Result.BaseUsed))
	dst = binary.AppendUvarint(dst, uint64(c.source(row)))
	dst = binary.AppendVarint(dst, row.Number)
	dst = binary.AppendVarint(dst, row.Offset)
	dst = binary.AppendUvarint(dst, uint64(r.Index))
	dst = binary.AppendUvarint(dst, uint64(r.KeyRules))
	dst = binary.AppendUvarint(dst, uint64(r.Result.Changed))
	dst = binary.AppendUvarint(dst, uint64(r.Result.Flags))
	p := &r.Result.Parts
	for _, at := range [...]uint32{p.SchemeEnd, p.AuthStart, p.HostStart, p.HostEnd, p.PathStart, p.QueryStart, p.FragStart} {
		dst = binary.AppendUvarint(dst, uint64(at+1)) // Absent is 0
	}
	dst = appendText(dst, canon)
	if has&rowRawDiffers != 0 {
		dst = appendText(dst, raw)
	}
	if has&rowHasKey != 0 {
		dst = appendText(dst, b.KeyText(r))
	}
	if has&rowHasBase != 0 {
		embedded, entity, retrieval := b.Layers(row)
		dst = appendNullable(appendNullable(appendNullable(dst, embedded), entity), retrieval)
	}
	if cut, ok := b.CutOf(r); ok {
		dst = append(binary.AppendVarint(dst, cut.Bytes), cut.Hash[:]...)
	}
	if has&rowHasPartition != 0 {
		dst = binary.AppendVarint(dst, int64(row.Partition))
	}
	if has&rowRefused != 0 {
		dst = binary.AppendUvarint(dst, uint64(r.Result.At))
		dst = append(dst, byte(r.Result.Component), byte(r.Result.Reason), byte(r.FilterRule))
	}
	return c.appendValues(dst, b, row)
}

func (c *rowCodec) has(r *Record, row *Row, rawDiffers bool) (has byte) {
	for _, x := range [...]struct {
		is  bool
		bit byte
	}{
		{rawDiffers, rowRawDiffers},
		{r.KeyLen > 0, rowHasKey},
		{row.Base != NoBase, rowHasBase},
		{r.Cut > 0, rowHasCut},
		{row.Partition != -1, rowHasPartition},
		{r.Result.At|uint32(r.Result.Component)|uint32(r.Result.Reason)|uint32(r.FilterRule) != 0, rowRefused},
	} {
		if x.is {
			has |= x.bit
		}
	}
	return has
}

func (c *rowCodec) appendValues(dst []byte, b *Batch, row *Row) []byte {
	for i := range c.columns {
		v := b.Value(row, i)
		switch {
		case c.columns[i].Kind == ColumnText:
			dst = appendNullable(dst, b.ValueText(v))
		case v.Null:
			dst = append(dst, 0)
		default:
			dst = binary.AppendVarint(append(dst, 1), v.Int)
		}
	}
	return dst
}

func appendText(dst, text []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(text))), text...)
}

// appendNullable is appendText for a text that may be nil.
func appendNullable(dst, text []byte) []byte {
	if text == nil {
		return append(dst, 0)
	}
	return append(binary.AppendUvarint(dst, uint64(len(text))+1), text...)
}

// take adds the reference of data to b, in a row of its own; false if these are no bytes of append.
func (c *rowCodec) take(b *Batch, data []byte) bool {
	d := rowDecoder{rest: data, ok: true}
	has, outcome, element, base := d.byte(), Outcome(d.byte()), d.byte(), normalize.BaseUsed(d.byte())
	source := d.uvarint()
	if !d.ok || source >= uint64(len(c.names)) {
		return false
	}
	row := Row{Source: c.sourceIn(b, uint32(source)), Number: d.varint(), Offset: d.varint(), Partition: -1, Base: NoBase}
	r := Record{Outcome: outcome, Element: element, Index: uint32(d.uvarint()), KeyRules: keyrule.Set(d.uvarint())}
	r.Result = normalize.Result{Changed: normalize.RuleSet(d.uvarint()), Flags: normalize.Flags(d.uvarint()), BaseUsed: base}
	p := &r.Result.Parts
	for _, at := range [...]*uint32{&p.SchemeEnd, &p.AuthStart, &p.HostStart, &p.HostEnd, &p.PathStart, &p.QueryStart, &p.FragStart} {
		*at = uint32(d.uvarint()) - 1
	}
	canon := d.text()
	raw := canon
	if has&rowRawDiffers != 0 {
		raw = d.text()
	}
	r.CanonOff, r.CanonLen = uint32(len(b.canon)), uint32(len(canon))
	b.canon = append(b.canon, canon...)
	if has&rowHasKey != 0 {
		key := d.text()
		r.KeyOff, r.KeyLen = uint32(len(b.canon)), uint32(len(key))
		b.canon = append(b.canon, key...)
	}
	if has&rowHasBase != 0 {
		embedded, entity, retrieval := d.nullable(), d.nullable(), d.nullable()
		row.Base = b.AddBase(embedded, entity, retrieval)
	}
	if has&rowHasCut != 0 {
		cut := Cut{Bytes: d.varint()}
		copy(cut.Hash[:], d.bytes(uint64(len(cut.Hash))))
		b.cuts = append(b.cuts, cut)
		r.Cut = uint32(len(b.cuts))
	}
	if has&rowHasPartition != 0 {
		row.Partition = int32(d.varint())
	}
	if has&rowRefused != 0 {
		r.Result.At = uint32(d.uvarint())
		r.Result.Component, r.Result.Reason, r.FilterRule = normalize.Component(d.byte()), normalize.Reason(d.byte()), ScopeRule(d.byte())
	}
	b.AddRow(row)
	added := b.AddRef(element, raw)
	r.RawOff, r.RawLen, r.Row = added.RawOff, added.RawLen, added.Row
	*added = r
	c.takeValues(b, &d)
	return d.ok && len(d.rest) == 0
}

func (c *rowCodec) takeValues(b *Batch, d *rowDecoder) {
	for i := range c.columns {
		if c.columns[i].Kind == ColumnText {
			if text := d.nullable(); text != nil {
				b.SetText(i, text)
			}
		} else if d.byte() != 0 {
			b.SetInt(i, d.varint())
		}
	}
}

// rowDecoder takes bytes apart. ok is false from the first that aren't there.
type rowDecoder struct {
	rest []byte
	ok   bool
}

func (d *rowDecoder) bytes(n uint64) []byte {
	if n > uint64(len(d.rest)) || n > math.MaxUint32 {
		d.rest, d.ok = nil, false
		return nil
	}
	b := d.rest[:n:n]
	d.rest = d.rest[n:]
	return b
}

func (d *rowDecoder) byte() byte {
	if b := d.bytes(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

func (d *rowDecoder) uvarint() uint64 {
	x, n := binary.Uvarint(d.rest)
	if n <= 0 {
		d.rest, d.ok = nil, false
		return 0
	}
	d.rest = d.rest[n:]
	return x
}

func (d *rowDecoder) varint() int64 {
	x := d.uvarint()
	return int64(x>>1) ^ -int64(x&1)
}

func (d *rowDecoder) text() []byte { return d.bytes(d.uvarint()) }

// nullable is text for what appendNullable wrote.
func (d *rowDecoder) nullable() []byte {
	n := d.uvarint()
	if n == 0 {
		return nil
	}
	if b := d.bytes(n - 1); b != nil {
		return b
	}
	return []byte{}
}
