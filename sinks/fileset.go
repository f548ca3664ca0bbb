package sinks

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
)

// fileSet writes references to the files of one output, and begins a new file where one is full.
// It belongs to one goroutine at a time.
type fileSet struct {
	target   target
	encoder  encoder
	maxRows  int64
	maxBytes int64
	footer   []keyValue // what every file says
	// resumable: a flush leaves an output that is one file so that it can be gone on with from there.
	resumable bool
	sorted    bool // rows come in the order of surtColumn

	part  *part     // nil between two files
	rows  int64     // in the file at hand
	full  bool      // the file ends where the next source record begins
	first Place     // of the file at hand
	last  Place     // the source record written last; meaningless while rows is 0
	keys  [2][]byte // of the first and the last row of the file at hand, where they are sorted
	done  []fileEntry

	pieces  []int64       // of an output that is one file: where the parts of it end that flushes made durable
	flushed filesProgress // as of the last flush
	placed  bool          // all is in its place since before the job was resumed
}

var errPlaced = errors.New("the job that is resumed had put it in its place as whole, and now there is more input: begin anew")

// noLimit is the limit of an output that is one file.
const noLimit = math.MaxInt64

// write takes all of v. A source record is never cut by the end of a file, so a full file takes what
// else there is of its last one. Sorted rows are cut anywhere: what is next to each other is of different records.
func (s *fileSet) write(v *refs) error {
	if s.placed {
		return errPlaced
	}
	for from := 0; from < len(v.recs); {
		to, limit := len(v.recs), s.maxBytes
		if s.full {
			if to, limit = s.recordEnd(v, from), noLimit; to == from {
				if err := s.endPart(); err != nil {
					return err
				}
				continue
			}
		} else if room := s.maxRows - s.rows; int64(to-from) > room {
			to = from + int(room)
		}
		n, err := s.encode(v, from, to, limit)
		if err != nil {
			return err
		}
		from = n
	}
	return nil
}

// recordEnd is where the source record ends that was written last.
func (s *fileSet) recordEnd(v *refs, from int) int {
	for !s.sorted && from < len(v.recs) && s.last.sameRecord(v.b, v.row(from)) {
		from++
	}
	return from
}

func (s *fileSet) encode(v *refs, from, to int, limit int64) (int, error) {
	if err := s.beginPart(); err != nil {
		return from, err
	}
	n, full, err := s.encoder.encode(v, from, to, limit)
	if err != nil {
		return n, err
	}
	if n > from {
		s.bounds(v, from, n-1)
		s.rows += int64(n - from)
	}
	s.full = s.full || full || s.rows >= s.maxRows
	return n, nil
}

// bounds notes the first and the last row of the file at hand.
func (s *fileSet) bounds(v *refs, first, last int) {
	if s.sorted {
		if s.rows == 0 {
			s.keys[0] = appendSURT(s.keys[0][:0], v, first)
		}
		s.keys[1] = appendSURT(s.keys[1][:0], v, last)
		return
	}
	if s.rows == 0 {
		s.first = placeOf(v, first)
	}
	s.last = placeOf(v, last)
}

func (s *fileSet) beginPart() (err error) {
	if s.part != nil {
		return nil
	}
	if s.part, err = s.target.create(len(s.done)); err != nil {
		return err
	}
	s.rows, s.full = 0, false
	return s.encoder.begin(s.part)
}

// endPart completes the file at hand and publishes it.
func (s *fileSet) endPart() error {
	if s.part == nil {
		return nil
	}
	if s.sealing() {
		if err := s.seal(); err != nil {
			return err
		}
	}
	entry := s.entry()
	if err := s.encoder.end(append(slices.Clip(s.footer), positions(entry)...), s.pieces); err != nil {
		return err
	}
	if err := s.part.publish(); err != nil {
		return err
	}
	entry.Bytes = s.part.bytes
	s.done = append(s.done, entry)
	s.part, s.rows, s.full, s.pieces = nil, 0, false, nil
	return nil
}

// entry describes the file at hand, but for its bytes.
func (s *fileSet) entry() fileEntry {
	entry := fileEntry{Name: s.part.name, Rows: s.rows}
	switch first, last := s.first, s.last; {
	case s.rows == 0:
	case s.sorted:
		firstKey, lastKey := string(s.keys[0]), string(s.keys[1])
		entry.FirstKey, entry.LastKey = &firstKey, &lastKey
	default:
		entry.First, entry.Last = &first, &last
	}
	return entry
}

// sealing reports whether the file at hand is made of pieces.
func (s *fileSet) sealing() bool { return s.resumable && !s.target.rolls() }

// seal ends a piece of the file at hand.
func (s *fileSet) seal() error {
	if err := s.encoder.seal(); err != nil {
		return err
	}
	if end := s.part.bytes; end > 0 && (len(s.pieces) == 0 || s.pieces[len(s.pieces)-1] < end) {
		s.pieces = append(s.pieces, end)
	}
	return nil
}

// positions are a file's metadata about the input that it holds.
func positions(e fileEntry) []keyValue {
	kv := []keyValue{{"urisieve.rows", strconv.FormatInt(e.Rows, 10)}}
	if e.First == nil {
		return kv
	}
	first, _ := json.Marshal(e.First) // a struct of a text and numbers: can't fail
	last, _ := json.Marshal(e.Last)
	return append(kv, keyValue{"urisieve.first", string(first)}, keyValue{"urisieve.last", string(last)})
}

// flush makes what was written durable. Where the output is one file, this is as far as its format can
// before its end, or all of it where the output is resumable; it gets its name with finish.
func (s *fileSet) flush() error {
	if err := s.flushPart(); err != nil {
		return err
	}
	s.flushed = s.progress()
	return nil
}

func (s *fileSet) flushPart() error {
	switch {
	case s.part == nil:
		return nil
	case s.target.rolls():
		return s.endPart()
	case s.sealing():
		if err := s.seal(); err != nil {
			return err
		}
		return s.part.syncWithName()
	}
	return errors.Join(s.encoder.push(), s.part.sync())
}

// endStretch ends the file at hand, since what comes is in an order of its own; an output that is one file has one order.
func (s *fileSet) endStretch() error {
	if !s.target.rolls() {
		return nil
	}
	return s.endPart()
}

// idle hands over what is buffered where someone may be waiting for it.
func (s *fileSet) idle() error {
	if s.part == nil {
		return nil
	}
	return s.encoder.push()
}

// finish completes the last file; an output without any row has one, too, so that readers find the columns.
func (s *fileSet) finish() error {
	if len(s.done) == 0 {
		if err := s.beginPart(); err != nil {
			return err
		}
	}
	return s.endPart()
}

// drop takes away the file at hand.
func (s *fileSet) drop() error {
	if s.part == nil {
		return nil
	}
	p := s.part
	s.part = nil
	return p.drop()
}

// leave lets go of the file at hand. One that is to be gone on with stays, under its temporary name.
func (s *fileSet) leave() error {
	if s.part == nil || !s.sealing() || s.flushed.Open == nil {
		return s.drop()
	}
	p := s.part
	s.part = nil
	return p.close()
}

// empty gives the bytes of a file without rows.
func (s *fileSet) empty() ([]byte, error) {
	var b bytes.Buffer
	if err := s.encoder.begin(&b); err != nil {
		return nil, err
	}
	err := s.encoder.end(append(slices.Clip(s.footer), positions(fileEntry{})...), nil)
	return b.Bytes(), err
}

// sums are the rows and bytes of the files that are complete.
func (s *fileSet) sums() (rows, bytes int64) {
	for _, f := range s.done {
		rows, bytes = rows+f.Rows, bytes+f.Bytes
	}
	return rows, bytes
}
