package sources

import (
	"bytes"

	"github.com/zeebo/xxh3"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/pipeline"
)

// A decoder knows one format. The Fill goroutine alone calls it. For each record of an input it
// calls end until it gives a size, with a window that begins at the record and grows at its end,
// and then decode. What decode adds to the batch is copied there.
type decoder interface {
	// begin starts an input.
	begin()
	// end gives the bytes of the record that the window begins with, its line end included, or 0
	// when the window doesn't hold its end; last says that the window will not grow. A fault is
	// the offset of what makes the record unreadable, -1 if nothing does. end remembers what it
	// saw, so that a record that arrives in pieces is scanned once.
	end(window []byte, last bool) (size, fault int)
	// decode adds a record without its line end, which isn't empty. An error ends the run.
	decode(b *pipeline.Batch, row pipeline.Row, rec []byte) (kind, error)
	// unseen names the fields that no record had so far.
	unseen() []string
}

// kind says what a record turned out to be.
type kind uint8

const (
	aRecord     kind = iota
	aBareRecord      // a record that rightly holds no reference
	anEmptyLine      // nothing but white space
	aHeader          // field names
)

// lineEnds finds the ends of lines; decoders of line formats embed it.
type lineEnds struct{ scanned int }

func (l *lineEnds) begin() { l.scanned = 0 }

func (l *lineEnds) end(window []byte, last bool) (size, fault int) {
	if i := bytes.IndexByte(window[l.scanned:], '\n'); i >= 0 {
		size = l.scanned + i + 1
		l.scanned = 0
		return size, -1
	}
	if last {
		l.scanned = 0
		return len(window), -1
	}
	l.scanned = len(window)
	return 0, -1
}

// withoutLineEnd cuts off one LF, CRLF, or a CR at the input's end.
func withoutLineEnd(rec []byte) []byte {
	if n := len(rec); n > 0 && rec[n-1] == '\n' {
		rec = rec[:n-1]
	}
	if n := len(rec); n > 0 && rec[n-1] == '\r' {
		rec = rec[:n-1]
	}
	return rec
}

// reject adds a record that is refused as a whole; of a long one KeptBytes are kept.
func reject(b *pipeline.Batch, row pipeline.Row, rec []byte, reason normalize.Reason, c normalize.Component, at int) {
	b.AddRow(row)
	rejectRef(b, 0, rec, reason, c, at)
}

// rejectRef adds a refused reference to the current row.
func rejectRef(b *pipeline.Batch, element uint8, text []byte, reason normalize.Reason, c normalize.Component, at int) {
	if len(text) <= KeptBytes {
		b.AddReject(element, text, reason, c, uint32(at))
		return
	}
	whole := pipeline.Cut{Bytes: int64(len(text)), Hash: xxh3.Hash128(text).Bytes()}
	b.AddCutReject(element, text[:KeptBytes], whole, reason, c, uint32(at))
}

// textDecoder takes each line as a reference.
type textDecoder struct{ lineEnds }

func (*textDecoder) decode(b *pipeline.Batch, row pipeline.Row, rec []byte) (kind, error) {
	b.AddRow(row)
	b.AddRef(0, rec)
	return aRecord, nil
}

func (*textDecoder) unseen() []string { return nil }

// fieldNames are the fields of a record that a decoder takes.
type fieldNames struct {
	refs   []string
	layers [3][]string // embedded, entity, retrieval: the first one that is there counts
	pass   []string
	// refGiven and layerGiven: by the options, so that they have to be there; else defaults.
	refGiven   bool
	layerGiven [3]bool
}

func namesOf(o *Options) fieldNames {
	n := fieldNames{refs: o.RefFields, pass: o.Pass, refGiven: len(o.RefFields) > 0}
	if !n.refGiven {
		n.refs = []string{"ref", "url"}
	}
	given := [3]string{o.EmbeddedBaseField, o.EntityBaseField, o.BaseField}
	n.layers = [3][]string{{"embedded_base"}, {"entity_base"}, {"base", "document"}}
	for i, name := range given {
		if name != "" {
			n.layers[i], n.layerGiven[i] = []string{name}, true
		}
	}
	return n
}

// given are the fields that the options name, with their configuration keys.
func (n *fieldNames) given(yield func(key, name string)) {
	if n.refGiven {
		for _, name := range n.refs {
			yield("ref_field", name)
		}
	}
	for i, key := range [3]string{"embedded_base_field", "entity_base_field", "base_field"} {
		if n.layerGiven[i] {
			yield(key, n.layers[i][0])
		}
	}
	for _, name := range n.pass {
		yield("pass", name)
	}
}

// columnName is the output name of a field that passes through: "a.b" -> "x_a_b".
func columnName(field string) string {
	name := []byte("x_")
	for i := range len(field) {
		switch c := field[i]; {
		case c|0x20 >= 'a' && c|0x20 <= 'z', c >= '0' && c <= '9', c == '_':
			name = append(name, c)
		case len(name) > 2 && name[len(name)-1] != '_':
			name = append(name, '_')
		}
	}
	for len(name) > 2 && name[len(name)-1] == '_' {
		name = name[:len(name)-1]
	}
	return string(name)
}
