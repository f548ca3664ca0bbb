package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/normalize/uri"
	"github.com/urisieve/urisieve/pipeline"
)

// differences is the sink of urisieve diff: it asks every profile about each reference that comes,
// rejected ones too, and writes those that they disagree about. A batch comes in two parts, the
// rejected references and the others; the first of them to come answers for the whole batch.
type differences struct {
	w       io.Writer
	json    bool
	views   []*view
	kinds   map[diffKind]int64
	order   []diffKind // of kinds, by first occurrence
	asked   int64
	differ  int64
	cut     int64 // references longer than a record may be: there is not enough left to ask about
	bad     int64 // records that hold no reference
	buf     bytes.Buffer
	done    batchID
	answers []answer
}

// diffKind is a kind of disagreement. There are only as many as profiles, components and names of
// reasons and rules make, so the summary is small whatever the input.
type diffKind struct {
	Profiles  string `json:"profiles"`  // those that agree are joined by "=", the groups by " / "
	Component string `json:"component"` // the first one that differs; "reference" where one refuses
	Reason    string `json:"reason"`    // of a refusal, else the first rule that only one of them applied
}

func (d *differences) Check(*pipeline.Batch, *pipeline.Record) normalize.Reason { return normalize.OK }

func (d *differences) Write(_ context.Context, v pipeline.View) error { return d.batch(v.Batch) }

func (d *differences) Flush(context.Context) error { return d.flush() }

// Idle hands over what a reader may be waiting for.
func (d *differences) Idle(context.Context) error { return d.flush() }

func (d *differences) Close() error { return nil }

func (d *differences) flush() error {
	_, err := d.buf.WriteTo(d.w)
	return err
}

func (d *differences) batch(b *pipeline.Batch) error {
	first := &b.Records()[0]
	row := b.RowOf(first)
	if id := (batchID{b, b.SourceName(row), row.Number, first.Index}); id == d.done {
		return nil
	} else {
		d.done = id
	}
	document := pipeline.BaseID(-2) // none that a row has
	for i := range b.Records() {
		r := &b.Records()[i]
		if _, cut := b.CutOf(r); cut {
			d.cut++
			continue
		}
		if bySource(r) {
			d.bad++
			continue
		}
		row := b.RowOf(r)
		if row.Base != document {
			document = row.Base
			var l baseLayers
			if document != pipeline.NoBase {
				l.embedded, l.entity, l.retrieval = b.Layers(row)
			}
			for _, v := range d.views {
				v.document(l)
			}
		}
		if err := d.reference(b.SourceName(row), row.Number, b.Raw(r)); err != nil {
			return err
		}
	}
	return nil
}

// bySource tells that the source found no reference in its record.
func bySource(r *pipeline.Record) bool {
	return r.Outcome == pipeline.Rejected && r.Result.Component == normalize.ComponentRecord
}

// reference asks every profile about one reference.
func (d *differences) reference(source string, number int64, ref []byte) error {
	d.asked++
	d.answers = d.answers[:0]
	for _, v := range d.views {
		d.answers = append(d.answers, v.answer(ref))
	}
	kind, differ := d.kind()
	if !differ {
		return nil
	}
	d.differ++
	if d.kinds[kind]++; d.kinds[kind] == 1 {
		d.order = append(d.order, kind)
	}
	if d.json {
		d.object(source, number, ref, kind)
	} else {
		d.line(source, number, ref, kind)
	}
	if d.buf.Len() >= answersBuffer {
		return d.flush()
	}
	return nil
}

// agree tells that two answers are the same: both refuse, or url, fragment and key are equal.
func agree(a, b *answer) bool {
	if !a.ok() || !b.ok() {
		return a.ok() == b.ok()
	}
	return bytes.Equal(a.text, b.text) && bytes.Equal(a.key, b.key)
}

// kind groups the profiles by their answers.
func (d *differences) kind() (k diffKind, differ bool) {
	other := 0 // the first profile that disagrees with the first one
	var groups []string
	var leaders []int
next:
	for i := range d.answers {
		for g, leader := range leaders {
			if agree(&d.answers[i], &d.answers[leader]) {
				groups[g] += "=" + d.views[i].profile
				continue next
			}
		}
		if len(leaders) == 1 {
			other = i
		}
		leaders, groups = append(leaders, i), append(groups, d.views[i].profile)
	}
	if other == 0 {
		return k, false
	}
	k.Profiles = strings.Join(groups, " / ")
	k.Component, k.Reason = firstDifference(&d.answers[0], &d.answers[other])
	return k, true
}

// firstDifference names the first component that two answers differ in, and why.
func firstDifference(a, b *answer) (component, reason string) {
	switch {
	case !a.ok():
		return normalize.ComponentReference.String(), a.result.Reason.String()
	case !b.ok():
		return normalize.ComponentReference.String(), b.result.Reason.String()
	}
	component = "key"
	for _, c := range []struct {
		of   func(uri.Parts, []byte) []byte
		name normalize.Component
	}{
		{uri.Parts.Scheme, normalize.ComponentScheme},
		{uri.Parts.Authority, normalize.ComponentAuthority},
		{uri.Parts.Path, normalize.ComponentPath},
		{uri.Parts.Query, normalize.ComponentQuery},
		{uri.Parts.Fragment, normalize.ComponentFragment},
	} {
		x, y := c.of(a.result.Parts, a.text), c.of(b.result.Parts, b.text)
		if !bytes.Equal(x, y) || (x == nil) != (y == nil) {
			component = c.name.String()
			break
		}
	}
	if only := a.result.Changed &^ b.result.Changed; only != 0 {
		return component, only.Names()[0]
	}
	if only := b.result.Changed &^ a.result.Changed; only != 0 {
		return component, only.Names()[0]
	}
	return component, "serialization"
}

// line is a disagreement as text: place, component, reason, reference, and what each profile says.
func (d *differences) line(source string, number int64, ref []byte, k diffKind) {
	fmt.Fprintf(&d.buf, "%s:%d\t%s\t%s\t%s", shown(source), number, k.Component, k.Reason, oneLine(ref))
	for i := range d.answers {
		a := &d.answers[i]
		what := "refused: " + a.reason()
		if a.ok() {
			what = oneLine(a.text)
			if d.views[i].norm.HasKeyRules() {
				what += " key " + oneLine(a.key)
			}
		}
		fmt.Fprintf(&d.buf, "\t%s: %s", d.views[i].profile, what)
	}
	d.buf.WriteByte('\n')
}

// object is a disagreement as one JSON object.
func (d *differences) object(source string, number int64, ref []byte, k diffKind) {
	var b []byte
	field := func(name, text string) {
		b = append(appendJSON(append(b, ','), []byte(name)), ':')
		b = appendJSON(b, []byte(text))
	}
	b = append(b, `{"source":`...)
	b = appendJSON(b, []byte(source))
	b = fmt.Appendf(b, `,"record":%d`, number)
	field("reference", oneLine(ref))
	field("profiles", k.Profiles)
	field("component", k.Component)
	field("reason", k.Reason)
	b = append(b, `,"results":{`...)
	for i := range d.answers {
		if i > 0 {
			b = append(b, ',')
		}
		s := side(&d.answers[i])
		b = append(appendJSON(b, []byte(d.views[i].profile)), ':', '{')
		for j, f := range []struct {
			name string
			text *string
		}{{"url", s.URL}, {"fragment", s.Fragment}, {"key", s.Key}, {"reason", s.Reason}} {
			if j > 0 {
				b = append(b, ',')
			}
			b = append(appendJSON(b, []byte(f.name)), ':')
			if f.text == nil {
				b = append(b, "null"...)
			} else {
				b = appendJSON(b, []byte(*f.text))
			}
		}
		b = append(b, '}')
	}
	d.buf.Write(append(b, "}}\n"...))
}
