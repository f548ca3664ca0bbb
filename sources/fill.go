package sources

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/pipeline"
)

var errUTF16 = errors.New(`it begins as UTF-16 or UTF-32 text, which this isn't read as: convert it first, as with "iconv -f UTF-16 -t UTF-8"`)

const hintHeader = "name one of these, give its number, or check the delimiter and whether there is a header"

// counts are what was read, before Fill publishes it.
type counts struct {
	records, emptyLines, noRefs, plain int64
}

// Fill implements pipeline.Source. A batch ends early where the next bytes of a pipe aren't there
// yet, so that what came is answered; at a file it is filled.
func (f *Files) Fill(ctx context.Context, b *pipeline.Batch) error {
	if f.err != nil {
		return f.err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	feed, err := f.started()
	if err != nil {
		return err
	}
	if err = f.catchUp(ctx, feed); err == nil {
		f.source, f.sources = -1, 0
		err = f.fill(ctx, feed, b)
	}
	f.publish()
	if err != nil && ctx.Err() == nil && !errors.Is(err, ErrClosed) {
		f.err = err
	}
	return err
}

func (f *Files) fill(ctx context.Context, feed *feed, b *pipeline.Batch) error {
	for f.current < len(f.inputs) {
		for {
			if b.Full() || f.sources == math.MaxUint16 {
				return nil
			}
			more, err := f.step(b)
			if err != nil {
				return &InputError{f.inputs[f.current].name, err, hintHeader}
			}
			if more {
				break
			}
			f.mayTakeSnapshot()
		}
		if f.win.ended {
			f.endInput(b)
			continue
		}
		began := len(b.Rows()) > 0
		c, ok, err := f.receive(ctx, feed, !began || !f.inputs[f.current].live)
		switch {
		case err != nil && began && ctx.Err() != nil:
			return nil //nolint:nilerr // what is there is handed out; the next call gives the error
		case err != nil:
			return err
		case !ok:
			return nil
		}
		f.take(feed, c)
	}
	return io.EOF
}

// receive gives the next chunk: false if there is none just now.
func (f *Files) receive(ctx context.Context, feed *feed, wait bool) (c chunk, ok bool, err error) {
	if !wait {
		select {
		case c, ok = <-feed.chunks:
			if !ok {
				return c, false, ErrClosed
			}
			return c, true, nil
		default:
			return c, false, nil
		}
	}
	select {
	case c, ok = <-feed.chunks:
		if !ok {
			return c, false, ErrClosed
		}
		return c, true, nil
	case <-feed.quit:
		return c, false, ErrClosed
	case <-ctx.Done():
		return c, false, ctx.Err()
	}
}

// take adds a chunk to the window, unless it is of an input that was given up.
func (f *Files) take(feed *feed, c chunk) {
	if c.in == f.inputs[f.current] {
		f.counts.plain += int64(len(c.data))
		f.plain += int64(len(c.data))
		f.win.add(c.data)
		f.win.ended, f.win.damage = c.end, c.damage
	}
	if c.data != nil {
		feed.giveBack(c.data)
	}
}

// step takes one record, or one line that is none, from the window; more says that the window has
// no whole one.
func (f *Files) step(b *pipeline.Batch) (more bool, err error) {
	w := &f.win
	if w.fresh {
		more, utf16 := w.byteOrderMark()
		if utf16 {
			f.giveUp(errUTF16)
			return true, nil
		}
		if more {
			return true, nil
		}
	}
	if w.skip.on {
		return f.skipOn(b), nil
	}
	rest := w.rest()
	if len(rest) == 0 {
		return true, nil
	}
	// No more than the limit is looked at, so that what comes out doesn't depend on how much of the
	// input happens to be here.
	limit := f.opts.MaxRecordBytes + len("\r\n")
	look := rest[:min(len(rest), limit)]
	size, fault := f.dec.end(look, w.whole() && len(look) == len(rest))
	if size == 0 {
		if len(look) < limit {
			return true, nil
		}
		// Too long, but for a quote that is left open: then the first line is what is bad.
		if size, fault = f.dec.end(look, true); fault < 0 || look[size-1] != '\n' {
			w.skip.begin(w.offset)
			w.skip.add(look)
			w.advance(len(look))
			return false, nil
		}
	}
	rec := withoutLineEnd(rest[:size])
	err = f.record(b, rec, fault)
	w.advance(size)
	return false, err
}

// record adds a record to the batch, or counts what isn't one.
func (f *Files) record(b *pipeline.Batch, rec []byte, fault int) error {
	switch {
	case fault >= 0:
		if d, ok := f.dec.(*csvDecoder); ok && d.atStart && d.header == "yes" {
			return fmt.Errorf("the header's quotes are broken at its byte %d", fault)
		}
		reject(b, f.row(b, f.win.offset), rec, normalize.BadRecord, normalize.ComponentRecord, fault)
	case len(rec) == 0:
		f.counts.emptyLines++
	case len(rec) > f.opts.MaxRecordBytes:
		reject(b, f.row(b, f.win.offset), rec, normalize.TooLong, f.wholeComponent(), f.opts.MaxRecordBytes)
	default:
		k, err := f.dec.decode(b, f.nextRow(b), rec)
		switch k {
		case aRecord:
			f.count()
		case aBareRecord:
			f.count()
			f.counts.noRefs++
		case anEmptyLine:
			f.counts.emptyLines++
		case aHeader:
		}
		return err
	}
	return nil
}

// nextRow is the row of the record at the window's start, if it is one.
func (f *Files) nextRow(b *pipeline.Batch) pipeline.Row {
	if f.source < 0 {
		f.source = int(b.Source(f.inputs[f.current].name))
		f.sources++
	}
	return pipeline.Row{
		Number: f.win.records + 1, Offset: f.win.offset,
		Partition: -1, Base: pipeline.NoBase, Source: uint16(f.source),
	}
}

func (f *Files) count() {
	f.win.records++
	f.counts.records++
}

// row is the row of a record that is one, whatever it holds.
func (f *Files) row(b *pipeline.Batch, offset int64) pipeline.Row {
	row := f.nextRow(b)
	row.Offset = offset
	f.count()
	return row
}

// wholeComponent is what a refusal of a whole record points at: a line of text is its reference.
func (f *Files) wholeComponent() normalize.Component {
	if f.opts.Format == "text" {
		return normalize.ComponentReference
	}
	return normalize.ComponentRecord
}

// skipOn reads past a record that is too long, up to the next line end.
func (f *Files) skipOn(b *pipeline.Batch) (more bool) {
	w := &f.win
	rest := w.rest()
	i := bytes.IndexByte(rest, '\n')
	if i < 0 {
		w.skip.add(rest)
		w.advance(len(rest))
		if !w.whole() {
			return true
		}
	} else {
		w.skip.add(rest[:i])
		w.advance(i + 1)
	}
	w.skip.reject(b, f.row(b, w.skip.offset), normalize.TooLong, f.wholeComponent(), int64(f.opts.MaxRecordBytes))
	return false
}

// giveUp ends the current input here; what else comes of it is dropped.
func (f *Files) giveUp(damage error) {
	f.inputs[f.current].dropped.Store(true)
	w := &f.win
	w.advance(len(w.rest()))
	w.ended, w.damage = true, damage
}

// endInput closes the books of the current input. A record that its damage cut in two is refused,
// at the offset where it breaks off.
func (f *Files) endInput(b *pipeline.Batch) {
	w := &f.win
	damage := w.damage
	if rest := w.rest(); damage != nil && (len(rest) > 0 || w.skip.on) {
		if w.skip.on {
			w.skip.add(rest)
			w.skip.reject(b, f.row(b, w.skip.offset), normalize.Truncated, normalize.ComponentRecord, w.skip.total)
		} else {
			reject(b, f.row(b, w.offset), rest, normalize.Truncated, normalize.ComponentRecord, len(rest))
		}
		w.advance(len(rest))
	}
	f.publish()
	f.mu.Lock()
	s := &f.stats.Inputs[f.current]
	s.Done = true
	if damage != nil {
		s.Damage = &Damage{s.Name, s.Records, s.BytesPlain, damage}
	}
	f.mu.Unlock()
	f.current++
	f.source = -1
	f.beginInput()
}

func (f *Files) beginInput() {
	f.win = window{buf: f.win.buf[:0], fresh: true, skip: skipped{head: f.win.skip.head[:0]}}
	f.plain = 0
	f.dec.begin()
}

// publish makes what was counted visible to Stats.
func (f *Files) publish() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stats.Records, f.stats.EmptyLines = f.counts.records, f.counts.emptyLines
	f.stats.NoRefs, f.stats.BytesPlain = f.counts.noRefs, f.counts.plain
	f.stats.NeverSeen = f.dec.unseen()
	if f.current < len(f.inputs) {
		s := &f.stats.Inputs[f.current]
		s.Records, s.BytesPlain = f.win.records, f.plain
	}
}
