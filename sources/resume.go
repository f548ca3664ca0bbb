package sources

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"

	"github.com/urisieve/urisieve/pipeline"
)

// Mark is where a job goes on that ended before its time: behind one source record. It holds what was
// counted up to there and what a decoder remembers, so that everything comes out as if the job had gone on. It is
// encoded as JSON and holds for the same inputs (see Identity) and the same Options.
type Mark struct {
	Input  int      `json:"input"`  // index of the input in the order of reading
	Record int64    `json:"record"` // number of the record in it; 0: before the first one
	From   snapshot `json:"from"`   // a state at or before that record, to catch up from
	// NeverSeen are the fields that no record had. The reading may have been ahead of the record; what it saw
	// there, it will see again.
	NeverSeen []string       `json:"never_seen,omitempty"`
	Damaged   []damagedInput `json:"damaged,omitempty"` // of the inputs before From's
}

// damagedInput is an input that could not be read to its end.
type damagedInput struct {
	Input   int    `json:"input"`
	Records int64  `json:"records"`
	BytesIn int64  `json:"bytes_in"`
	Byte    int64  `json:"byte"`
	Reason  string `json:"reason"`
}

// snapshot is the state of the reading between two records. It is kept every so many records and not for each:
// from one of them to any later record it is a short way of reading and dropping.
type snapshot struct {
	Input  int   `json:"input"`
	Record int64 `json:"record"` // records taken of that input
	Offset int64 `json:"offset"` // of what comes next, decompressed

	// Of all inputs up to there.
	Records    int64 `json:"records"`
	EmptyLines int64 `json:"empty_lines"`
	NoRefs     int64 `json:"no_refs"`
	BytesPlain int64 `json:"bytes_plain"`

	// Of csv and tsv.
	InRows   bool  `json:"in_rows,omitempty"` // the first row, which may be the header, is behind
	Consumed int64 `json:"consumed,omitempty"`
	Wasted   int64 `json:"wasted,omitempty"`
}

// snapshotEvery says when the next snapshot is due.
type snapshotEvery struct {
	records, bytes int64 // between two of them; 0: none are taken

	nextRecords, nextBytes int64
}

// Between two snapshots lie so many records or decompressed bytes, whatever is less: both take well under
// a second to read again.
const (
	snapshotRecords = 16 << 10
	snapshotBytes   = 32 << 20
)

// mayTakeSnapshot takes a snapshot where one is due. The window begins at a record's end.
func (f *Files) mayTakeSnapshot() {
	e := &f.every
	if e.records == 0 || f.counts.records < e.nextRecords && f.counts.plain < e.nextBytes || f.win.skip.on || f.win.records == 0 {
		return
	}
	f.takeSnapshot()
}

func (f *Files) takeSnapshot() {
	s := snapshot{
		Input: f.current, Record: f.win.records, Offset: f.win.offset,
		Records: f.counts.records, EmptyLines: f.counts.emptyLines, NoRefs: f.counts.noRefs,
		BytesPlain: f.counts.plain - int64(len(f.win.rest())),
	}
	if d, ok := f.dec.(*csvDecoder); ok {
		s.InRows, s.Consumed, s.Wasted = !d.atStart, d.consumed, d.wasted
	}
	f.every.nextRecords, f.every.nextBytes = s.Records+f.every.records, f.counts.plain+f.every.bytes
	f.mu.Lock()
	f.snapshots = append(f.snapshots, s)
	f.mu.Unlock()
}

// before orders snapshots and records by their place in the inputs.
func (s *snapshot) before(input int, record int64) bool {
	return s.Input < input || s.Input == input && s.Record < record
}

var errNoMark = errors.New("the source keeps no marks: open it with Resumable")

// Mark gives the mark of a source record that was read; the zero Position is the start. Any goroutine may
// call it, also while Fill runs, and for positions that don't go back: what only earlier ones need is
// forgotten.
func (f *Files) Mark(at pipeline.Position) (Mark, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.snapshots) == 0 {
		return Mark{}, errNoMark
	}
	var m Mark
	if at.Number > 0 {
		m.Input = slices.IndexFunc(f.inputs, func(in *input) bool { return in.name == at.Source })
		m.Record = at.Number
	}
	// The first snapshot that lies behind the record.
	i := sort.Search(len(f.snapshots), func(i int) bool {
		s := &f.snapshots[i]
		return !s.before(m.Input, m.Record) && (s.Input != m.Input || s.Record != m.Record)
	})
	if i == 0 {
		return Mark{}, fmt.Errorf("record %d of %q is no input's, or lies before a mark that was given already", at.Number, at.Source)
	}
	f.snapshots = slices.Delete(f.snapshots, 0, i-1)
	m.From = f.snapshots[0]
	m.NeverSeen = f.stats.NeverSeen
	for k := range m.From.Input {
		s := &f.stats.Inputs[k]
		if d, ok := errors.AsType[*Damage](s.Damage); ok {
			m.Damaged = append(m.Damaged, damagedInput{k, s.Records, f.inputs[k].bytesIn.Load(), d.Byte, d.Err.Error()})
		}
	}
	return m, nil
}

// Resume makes the source go on behind a mark; the inputs before it aren't read. It is called once, before
// the first Fill, and after the identity of the inputs was checked.
func (f *Files) Resume(m Mark) error {
	s := &m.From
	if len(f.snapshots) == 0 {
		return errNoMark
	}
	if m.Input < 0 || m.Input >= len(f.inputs) || s.Input < 0 || s.Input > m.Input || s.Input == m.Input && s.Record > m.Record || s.Offset < 0 {
		return fmt.Errorf("the mark is none of these inputs: record %d of input %d of %d", m.Record, m.Input+1, len(f.inputs))
	}
	f.current = s.Input
	f.beginInput()
	f.counts = counts{s.Records, s.EmptyLines, s.NoRefs, s.BytesPlain}
	if s.Record > 0 {
		f.win.records, f.win.offset, f.win.fresh = s.Record, s.Offset, false
		f.plain = s.Offset
		f.inputs[f.current].skip = s.Offset
	}
	if err := f.resumeDecoder(&m); err != nil {
		return err
	}
	f.mu.Lock()
	for k, in := range f.inputs[:f.current] {
		f.stats.Inputs[k].Done = true
		in.bytesIn.Store(in.size)
	}
	for _, d := range m.Damaged {
		if d.Input < 0 || d.Input >= f.current {
			continue
		}
		in := &f.stats.Inputs[d.Input]
		in.Records, in.BytesPlain = d.Records, d.Byte
		in.Damage = &Damage{in.Name, d.Records, d.Byte, errors.New(d.Reason)}
		f.inputs[d.Input].bytesIn.Store(d.BytesIn)
	}
	f.snapshots = f.snapshots[:0]
	f.mu.Unlock()
	f.takeSnapshot()
	f.publish()
	f.target = &m
	return nil
}

// resumeDecoder gives the decoder back what it knew.
func (f *Files) resumeDecoder(m *Mark) error {
	switch d := f.dec.(type) {
	case *jsonDecoder:
		for i, name := range d.names {
			d.seen[i] = name != "" && !slices.Contains(m.NeverSeen, name)
		}
	case *csvDecoder:
		d.consumed, d.wasted = m.From.Consumed, m.From.Wasted
		if !m.From.InRows {
			return nil
		}
		name := f.inputs[f.current].name
		first, err := f.firstRow(name)
		if err != nil {
			return &InputError{name, err, hintHeader}
		}
		if first == nil || first.atStart {
			return &InputError{name, errOther, hintOther}
		}
		d.at, d.atStart = first.at, false
	}
	return nil
}

// catchUp reads and drops what lies between the snapshot of a mark and its record.
func (f *Files) catchUp(ctx context.Context, feed *feed) error {
	if f.target == nil {
		return nil
	}
	dropped := pipeline.NewBatch(len(f.columns))
	dropped.SetLimits(1, 1) // one record at a time
	for !f.caughtUp() {
		dropped.Reset()
		f.source, f.sources = -1, 0
		err := f.fill(ctx, feed, dropped)
		if err != nil && err != io.EOF {
			return err
		}
		if passed := f.current > f.target.Input || f.win.records > f.target.Record && f.current == f.target.Input; passed && !f.caughtUp() {
			return &InputError{f.inputs[f.target.Input].name, errOther, hintOther}
		}
	}
	f.target = nil
	return nil
}

// caughtUp reports whether the record of the mark was the last one. Where damage cut that in two, its input
// ended with it.
func (f *Files) caughtUp() bool {
	m := f.target
	if f.current == m.Input {
		return f.win.records == m.Record
	}
	return f.current == m.Input+1 && f.win.records == 0 && f.stats.Inputs[m.Input].Records == m.Record
}
