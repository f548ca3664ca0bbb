package pipeline

import "context"

// handOverParts hands b over in several batches, each of which asks for an ordinary amount of
// canonical bytes. A source hands over whole source records, and one of a few MiB can hold a million references to
// be resolved against a base of 64 KiB: as one batch it would need 64 GiB.
//
// A source record that spans several batches is settled with the last of them.
func (r *run) handOverParts(ctx context.Context, b *Batch, l *lane) error {
	end, open, short := b.End, b.open, b.short
	from := 0
	for row := range b.rows {
		last := row == len(b.rows)-1
		for {
			to, whole := b.part(row, from)
			part, err := r.emptyFor(ctx, l)
			if err != nil {
				b.Release()
				return err
			}
			part.Lane = b.Lane
			part.copyRow(b, row, from, to)
			part.open = !whole || last && open
			if whole && last {
				part.End, part.short = end, short
			}
			r.dispatch(part, l)
			from = to
			if whole {
				break
			}
		}
	}
	b.Release()
	return nil
}

// emptyFor gives a batch for more of l, while the reader holds another.
func (r *run) emptyFor(ctx context.Context, l *lane) (*Batch, error) {
	if _, ok := r.opts.Source.(LaneSource); !ok {
		return r.pool.get(ctx, 1)
	}
	for !r.pool.admits(l) {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-r.pool.changed:
		}
	}
	return r.pool.takeForLane(), nil
}

// part finds the end of an ordinary amount of references of a row, from a record on; whole says that these
// are the rest of the row.
func (b *Batch) part(row, from int) (to int, whole bool) {
	base := int64(0)
	if id := b.rows[row].Base; id != NoBase {
		d := &b.docs[id]
		base = int64(max(d.embedded.len, d.entity.len, d.retrieval.len))
	}
	expected := int64(0)
	for to = from; to < len(b.recs) && int(b.recs[to].Row) == row; to++ {
		expected += base + int64(b.recs[to].RawLen)
		if expected > b.maxExpected() && to > from {
			return to, false
		}
	}
	return to, true
}

// copyRow adds a row of another batch with its references of [from, to).
func (b *Batch) copyRow(o *Batch, row, from, to int) {
	r := o.rows[row]
	source, values := o.sources[r.Source], r.Values
	r.Source = b.Source(source)
	r.Base = b.AddBase(o.Layers(&o.rows[row]))
	b.AddRow(r)
	for i := range b.columns {
		v := o.values[int(values)+i]
		if text := o.ValueText(v); !v.Null && v.Len > 0 {
			b.SetText(i, text)
		} else {
			b.values[int(b.rows[len(b.rows)-1].Values)+i] = v
		}
	}
	for i := from; i < to; i++ {
		old := &o.recs[i]
		c := b.AddRef(old.Element, o.Raw(old))
		c.Index, c.Outcome, c.Result = old.Index, old.Outcome, old.Result
		if cut, ok := o.CutOf(old); ok {
			b.cuts = append(b.cuts, cut)
			c.Cut = uint32(len(b.cuts))
		}
	}
}
