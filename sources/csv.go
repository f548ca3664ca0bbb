package sources

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/pipeline"
)

// csvDecoder reads rows of delimited fields: RFC 4180 with any delimiter, LF beside CRLF, and
// quotes as data inside an unquoted field. Empty lines are skipped, so that an empty field of a
// one-column file has to be written as "".
type csvDecoder struct {
	rowEnds
	header string // "yes", "no", "auto"
	ragged bool
	names  fieldNames

	atStart bool // the next row is the input's first
	at      places
	fields  []field
	unquote []byte // unquoted fields that had doubled quotes
}

// places are the indices of the fields in a row, -1 for a field that isn't there.
type places struct {
	refs   []int
	layers [3]int
	pass   []int
	need   int // a row has to have as many fields for its references and bases
	width  int // fields of the header, 0 without one
}

// field is a field of the row: a span of the record, or of unquote.
type field struct {
	text  []byte
	start int // offset in the record
}

func newCSV(o *Options, delimiter byte) *csvDecoder {
	d := &csvDecoder{
		rowEnds: rowEnds{delimiter: delimiter, quotes: o.Quotes != "no"},
		header:  o.Header, ragged: o.Ragged, names: namesOf(o),
	}
	if d.header == "" || d.header == "auto" {
		d.header = "auto"
		numbers, names := 0, 0
		d.names.given(func(_, name string) {
			if _, ok := fieldNumber(name); ok {
				numbers++
			} else {
				names++
			}
		})
		switch {
		case names > 0:
			d.header = "yes"
		case numbers > 0:
			d.header = "no"
		}
	}
	return d
}

// fieldNumber reads a 1-based field number.
func fieldNumber(name string) (int, bool) {
	n, err := strconv.Atoi(name)
	return n, err == nil && n >= 1 && n <= 1<<20
}

func (d *csvDecoder) begin() {
	d.rowEnds.begin()
	d.atStart = true
}

// unseen is always empty: a header that lacks a field is an error at the start.
func (d *csvDecoder) unseen() []string { return nil }

func (d *csvDecoder) decode(b *pipeline.Batch, row pipeline.Row, rec []byte) (kind, error) {
	d.split(rec)
	if d.atStart {
		d.atStart = false
		header := d.header == "yes" || d.header == "auto" && d.looksLikeHeader()
		if err := d.locate(header); err != nil {
			return aHeader, err
		}
		if header {
			return aHeader, nil
		}
	}
	if len(d.fields) < d.at.need {
		reject(b, row, rec, normalize.MissingField, normalize.ComponentRecord, len(rec))
		return aRecord, nil
	}
	if d.at.width > 0 && len(d.fields) != d.at.width && !d.ragged && !d.emptyTail() {
		at := len(rec)
		if len(d.fields) > d.at.width {
			at = d.fields[d.at.width].start
		}
		reject(b, row, rec, normalize.BadRecord, normalize.ComponentRecord, at)
		return aRecord, nil
	}
	d.add(b, row)
	return aRecord, nil
}

// emptyTail: all that the row has beyond the header is delimiters. Many writers end a row with
// one. Where the header's last field is a reference or a base, it may belong to that.
func (d *csvDecoder) emptyTail() bool {
	if len(d.fields) < d.at.width || d.at.need == d.at.width {
		return false
	}
	for _, f := range d.fields[d.at.width:] {
		if len(f.text) > 0 {
			return false
		}
	}
	return true
}

// add adds the row that was split.
func (d *csvDecoder) add(b *pipeline.Batch, row pipeline.Row) {
	var layers [3][]byte
	for i, at := range d.at.layers {
		if at >= 0 && len(d.fields[at].text) > 0 {
			layers[i] = d.fields[at].text
		}
	}
	row.Base = b.AddBase(layers[0], layers[1], layers[2])
	b.AddRow(row)
	for column, at := range d.at.pass {
		if at < len(d.fields) {
			b.SetText(column, d.fields[at].text)
		}
	}
	for element, at := range d.at.refs {
		b.AddRef(uint8(element), d.fields[at].text)
	}
}

// looksLikeHeader: no field is configured, so a header is one that names a default.
func (d *csvDecoder) looksLikeHeader() bool {
	for _, f := range d.fields {
		if string(f.text) == "ref" || string(f.text) == "url" {
			return true
		}
	}
	return false
}

// locate finds the configured fields: in the header that was split, or by number.
func (d *csvDecoder) locate(header bool) error {
	d.at = places{refs: d.at.refs[:0], pass: d.at.pass[:0], layers: [3]int{-1, -1, -1}}
	var missing []string
	find := func(name string) int {
		if n, ok := fieldNumber(name); ok {
			if header && n > len(d.fields) {
				missing = append(missing, name)
			}
			return n - 1
		}
		at, times := d.named(name)
		if times != 1 {
			missing = append(missing, name)
		}
		return at
	}
	if d.names.refGiven {
		for _, name := range d.names.refs {
			d.at.refs = append(d.at.refs, find(name))
		}
	} else {
		d.at.refs = append(d.at.refs, d.defaultRef(header, &missing))
	}
	for i, names := range d.names.layers {
		switch {
		case d.names.layerGiven[i]:
			d.at.layers[i] = find(names[0])
		case header:
			for _, name := range names {
				if at, _ := d.named(name); at >= 0 && d.at.layers[i] < 0 {
					d.at.layers[i] = at
				}
			}
		}
	}
	for _, name := range d.names.pass {
		d.at.pass = append(d.at.pass, find(name))
	}
	if len(missing) > 0 {
		return d.headerError(missing)
	}
	for _, at := range append(d.at.layers[:], d.at.refs...) {
		d.at.need = max(d.at.need, at+1)
	}
	if header {
		d.at.width = len(d.fields)
	}
	return nil
}

// defaultRef is the field of the reference where the options name none.
func (d *csvDecoder) defaultRef(header bool, missing *[]string) int {
	if !header || len(d.fields) == 1 {
		return 0
	}
	for _, name := range d.names.refs {
		if at, _ := d.named(name); at >= 0 {
			return at
		}
	}
	*missing = append(*missing, d.names.refs[0])
	return 0
}

// named finds a field of the header: the first one, and how many bear the name.
func (d *csvDecoder) named(name string) (at, times int) {
	at = -1
	for i, f := range d.fields {
		if string(f.text) == name {
			if times++; at < 0 {
				at = i
			}
		}
	}
	return at, times
}

// ErrNoField is wrapped by the error of Open for an input whose header lacks a field that Options
// name: a fault of the options rather than of the input.
var ErrNoField = errors.New("the header has no field")

func (d *csvDecoder) headerError(missing []string) error {
	known := make([]string, 0, len(d.fields))
	for _, f := range d.fields[:min(len(d.fields), 100)] {
		known = append(known, strconv.Quote(string(f.text[:min(len(f.text), 100)])))
	}
	for i, name := range missing {
		missing[i] = strconv.Quote(name)
	}
	return fmt.Errorf("%w %s, or has it twice; its fields are %s",
		ErrNoField, strings.Join(missing, ", "), strings.Join(known, ", "))
}

// split cuts a row into fields. Its quoting was checked by rowEnds.
func (d *csvDecoder) split(rec []byte) {
	d.fields, d.unquote = d.fields[:0], d.unquote[:0]
	for pos := 0; ; {
		var text []byte
		start := pos
		if d.quotes && pos < len(rec) && rec[pos] == '"' {
			text, pos = d.unquoted(rec, pos+1)
		} else if i := bytes.IndexByte(rec[pos:], d.delimiter); i >= 0 {
			text, pos = rec[pos:pos+i], pos+i
		} else {
			text, pos = rec[pos:], len(rec)
		}
		d.fields = append(d.fields, field{text, start})
		if pos >= len(rec) {
			return
		}
		pos++ // the delimiter
	}
}

// unquoted reads a quoted field behind its first quote, and gives the offset behind its last.
func (d *csvDecoder) unquoted(rec []byte, pos int) ([]byte, int) {
	from, start := len(d.unquote), pos
	for {
		i := bytes.IndexByte(rec[pos:], '"')
		if i < 0 { // not closed: only at the end of a window that can't grow
			return rec[start:], len(rec)
		}
		pos += i
		if pos+1 == len(rec) || rec[pos+1] != '"' {
			break
		}
		d.unquote = append(d.unquote, rec[start:pos+1]...)
		start, pos = pos+2, pos+2
	}
	if len(d.unquote) == from {
		return rec[start:pos], pos + 1
	}
	d.unquote = append(d.unquote, rec[start:pos]...)
	return d.unquote[from:], pos + 1
}
