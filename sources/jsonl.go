package sources

import (
	"math"

	"github.com/urisieve/urisieve/internal/jsonscan"
	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/pipeline"
)

// jsonDecoder takes fields out of JSON values, one a line. Where a name comes twice in an object,
// the last one counts, as in most readers. null is as good as absent. A record that isn't JSON in
// full, to its last bracket, is refused, wherever its fault is.
type jsonDecoder struct {
	lineEnds
	scan    jsonscan.Scan
	root    *pathNode
	targets []target
	names   []string // of the targets, for unseen; "" for a default

	matches []match
	text    []byte // strings that had escapes
	key     []byte // the name of a member that had escapes
	objects int    // counts the objects that were walked into, over all records
	empty   bool   // a list of references is empty
	seen    []bool // targets that some record had
}

// target is what a path is for.
type target struct {
	role  role
	index int // refs: element; bases: layer; pass: column
	rank  int // the lowest that a record has counts, of those with the same role and index
}

type role uint8

const (
	roleRef role = iota
	roleBase
	rolePass
)

// match is a value that a path led to.
type match struct {
	from, to int // span in the record: between the quotes of a string, else the whole value
	target   int
	kind     byte // its first byte: '"', '{', '[', ...
	escaped  bool
	dead     bool // the same name came again
}

func newJSON(o *Options) *jsonDecoder {
	n := namesOf(o)
	d := &jsonDecoder{root: &pathNode{}}
	add := func(path string, given bool, t target) {
		steps, err := parsePath(path)
		if err != nil {
			return // Validate refused it
		}
		if !given {
			path = ""
		}
		d.root.add(steps, len(d.targets), t.role == roleRef)
		d.targets, d.names = append(d.targets, t), append(d.names, path)
	}
	for i, path := range n.refs {
		if n.refGiven {
			add(path, true, target{roleRef, i, 0})
		} else {
			add(path, false, target{roleRef, 0, i})
		}
	}
	for layer, paths := range n.layers {
		for rank, path := range paths {
			add(path, n.layerGiven[layer], target{roleBase, layer, rank})
		}
	}
	for column, path := range n.pass {
		add(path, true, target{rolePass, column, 0})
	}
	d.seen = make([]bool, len(d.targets))
	return d
}

func (d *jsonDecoder) unseen() []string {
	var names []string
	for i, seen := range d.seen {
		if !seen && d.names[i] != "" {
			names = append(names, d.names[i])
		}
	}
	return names
}

func (d *jsonDecoder) decode(b *pipeline.Batch, row pipeline.Row, rec []byte) (kind, error) {
	s := &d.scan
	s.Data, s.Pos = rec, 0
	if s.Space() == 0 && s.Pos == len(rec) {
		return anEmptyLine, nil
	}
	d.matches, d.text, d.empty = d.matches[:0], d.text[:0], false
	if !d.value(d.root) || s.Space() != 0 || s.Pos < len(rec) {
		reject(b, row, rec, normalize.BadRecord, normalize.ComponentRecord, s.Pos)
		return aRecord, nil
	}
	return d.add(b, row, rec), nil
}

// value reads a value, and notes what the paths want of it.
func (d *jsonDecoder) value(n *pathNode) bool {
	s := &d.scan
	c := s.Space()
	var ok, escaped bool
	from := s.Pos
	switch {
	case c == '"':
		from, escaped, ok = s.Text()
	case c == '{' && len(n.keys) > 0:
		ok = d.object(n)
	case c == '[' && (n.each != nil || len(n.indices) > 0):
		ok = d.array(n)
	default:
		ok = s.Skip()
	}
	if !ok || len(n.targets) == 0 {
		return ok
	}
	to := s.Pos
	if c == '"' {
		to--
	}
	for _, t := range n.targets {
		d.seen[t] = true
		if c != 'n' {
			d.matches = append(d.matches, match{from: from, to: to, target: t, kind: c, escaped: escaped})
		}
	}
	return true
}

func (d *jsonDecoder) object(n *pathNode) bool {
	s := &d.scan
	d.objects++
	this := d.objects
	s.Pos++
	if s.Space() == '}' {
		s.Pos++
		return true
	}
	for {
		if s.Space() != '"' {
			return false
		}
		from, escaped, ok := s.Text()
		if !ok {
			return false
		}
		name := s.Data[from : s.Pos-1]
		if !s.Take(':') {
			return false
		}
		if escaped {
			d.key = jsonscan.AppendUnescaped(d.key[:0], name)
			name = d.key
		}
		if child := n.key(name); child != nil {
			ok = d.member(child, this)
		} else {
			ok = s.Skip()
		}
		if !ok {
			return false
		}
		switch s.Space() {
		case ',':
			s.Pos++
		case '}':
			s.Pos++
			return true
		default:
			return false
		}
	}
}

// member reads the value of a wanted member; one of the same name before it doesn't count.
func (d *jsonDecoder) member(n *pathNode, object int) bool {
	if n.object == object {
		for i := n.from; i < n.to; i++ {
			d.matches[i].dead = true
		}
	}
	from := len(d.matches)
	ok := d.value(n)
	n.object, n.from, n.to = object, from, len(d.matches)
	return ok
}

func (d *jsonDecoder) array(n *pathNode) bool {
	s := &d.scan
	s.Pos++
	if s.Space() == ']' {
		s.Pos++
		d.empty = d.empty || n.each != nil && n.each.ref
		return true
	}
	for i := 0; ; i++ {
		if !d.element(n, i) {
			return false
		}
		switch s.Space() {
		case ',':
			s.Pos++
		case ']':
			s.Pos++
			return true
		default:
			return false
		}
	}
}

// element reads an element: for the paths with its index, and for those that want each.
func (d *jsonDecoder) element(n *pathNode, i int) bool {
	start, read := d.scan.Pos, false
	for _, x := range n.indices {
		if x.n != i {
			continue
		}
		if !d.value(x.node) {
			return false
		}
		read = true
		break
	}
	if n.each != nil {
		if read { // once more; the tree has but a few such places
			d.scan.Pos = start
		}
		return d.value(n.each)
	}
	return read || d.scan.Skip()
}

// add adds the record that was scanned.
func (d *jsonDecoder) add(b *pipeline.Batch, row pipeline.Row, rec []byte) kind {
	var layers [3][]byte
	ranks := [3]int{math.MaxInt, math.MaxInt, math.MaxInt}
	refRank, total := math.MaxInt, 0
	for i := range d.matches {
		m := &d.matches[i]
		if m.dead {
			continue
		}
		total += m.to - m.from
		switch t := d.targets[m.target]; {
		case t.role == roleRef:
			refRank = min(refRank, t.rank)
		case t.role == roleBase && t.rank < ranks[t.index]:
			if m.kind != '"' {
				reject(b, row, rec, normalize.BadRecord, normalize.ComponentRecord, m.from)
				return aRecord
			}
			ranks[t.index], layers[t.index] = t.rank, d.valueText(m, rec)
		}
	}
	switch {
	case total > math.MaxInt32: // paths into each other, over a huge record: the arena would overflow
		reject(b, row, rec, normalize.TooLong, normalize.ComponentRecord, 0)
		return aRecord
	case refRank == math.MaxInt && !d.empty:
		reject(b, row, rec, normalize.MissingField, normalize.ComponentRecord, 0)
		return aRecord
	}
	row.Base = b.AddBase(layers[0], layers[1], layers[2])
	b.AddRow(row)
	for i := range d.matches {
		m := &d.matches[i]
		if m.dead {
			continue
		}
		switch t := d.targets[m.target]; {
		case t.role == rolePass:
			b.SetText(t.index, d.valueText(m, rec))
		case t.role == roleRef && t.rank == refRank && m.kind == '"':
			b.AddRef(uint8(t.index), d.valueText(m, rec))
		case t.role == roleRef && t.rank == refRank:
			rejectRef(b, uint8(t.index), rec[m.from:m.to], normalize.BadRecord, normalize.ComponentRecord, 0)
		}
	}
	if refRank == math.MaxInt {
		return aBareRecord
	}
	return aRecord
}

// valueText is what a string holds, or the text of another value. Not nil.
func (d *jsonDecoder) valueText(m *match, rec []byte) []byte {
	if !m.escaped {
		return rec[m.from:m.to]
	}
	from := len(d.text)
	d.text = jsonscan.AppendUnescaped(d.text, rec[m.from:m.to])
	return d.text[from:]
}
