package pipeline

import (
	"bytes"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/normalize/keyrule"
	"github.com/urisieve/urisieve/pipeline/dedup"
)

// worker normalizes batches. It shares nothing with others: a batch is in the hands of one worker.
type worker struct {
	normalizer *normalize.Normalizer
	hasher     dedup.Hasher
	scope      *Scope
	keyRules   bool

	base   normalize.Base // of the document at hand
	others []otherWorker
	text   []byte // of others
}

func newWorker(o *Options) *worker {
	n := o.Normalizer.Clone()
	w := &worker{normalizer: n, hasher: o.Hasher, scope: o.Scope, keyRules: n.HasKeyRules()}
	for _, other := range o.Others {
		n := other.Normalizer.Clone()
		w.others = append(w.others, otherWorker{normalizer: n, hasher: other.Hasher, keyRules: n.HasKeyRules()})
	}
	return w
}

// otherWorker makes the keys of an OtherKey.
type otherWorker struct {
	normalizer *normalize.Normalizer
	hasher     dedup.Hasher
	keyRules   bool
	base       normalize.Base // of the document at hand
}

// key is the key of a reference, zero where it has none; text is room to work in.
func (o *otherWorker) key(text []byte, base *normalize.Base, ref []byte) (dedup.Key, []byte) {
	text, result := o.normalizer.Append(text[:0], base, ref)
	if result.Reason != normalize.OK {
		return dedup.Key{}, text
	}
	end := len(text)
	if !o.keyRules {
		return o.hasher.Sum(text[:result.Parts.URLEnd(end)]), text
	}
	text, _ = o.normalizer.AppendKey(text, text[:end], result)
	return o.hasher.Sum(text[end:]), text
}

// work decides every reference of b but for what settle alone knows: afterwards the undecided ones
// are valid, in scope, and have their key.
func (w *worker) work(b *Batch) {
	b.tally = tally{}
	document := NoBase
	if n := len(w.others) * len(b.recs); n > 0 {
		b.others = resize(b.others, n)
		clear(b.others)
	}
	for i := range b.recs {
		r := &b.recs[i]
		b.tally.bytesRef += int64(r.RawLen)
		if r.Outcome == Rejected { // by the source
			continue
		}
		var base *normalize.Base
		if id := b.rows[r.Row].Base; id != NoBase {
			if id != document {
				d := &b.docs[id]
				embedded, entity, retrieval := b.bytes(d.embedded), b.bytes(d.entity), b.bytes(d.retrieval)
				w.normalizer.SetBase(&w.base, embedded, entity, retrieval)
				for j := range w.others {
					w.others[j].normalizer.SetBase(&w.others[j].base, embedded, entity, retrieval)
				}
				document = id
			}
			base = &w.base
		}
		w.reference(b, r, base)
		if r.Outcome == Undecided {
			w.otherKeys(b, i, base != nil)
		}
		b.tally.add(&r.Result)
	}
}

// otherKeys makes the other keys of record i.
func (w *worker) otherKeys(b *Batch, i int, based bool) {
	for j := range w.others {
		o := &w.others[j]
		var base *normalize.Base
		if based {
			base = &o.base
		}
		b.others[i*len(w.others)+j], w.text = o.key(w.text, base, b.Raw(&b.recs[i]))
	}
}

func (w *worker) reference(b *Batch, r *Record, base *normalize.Base) {
	start := len(b.canon)
	b.canon, r.Result = w.normalizer.Append(b.canon, base, b.Raw(r))
	if r.Result.Reason != normalize.OK {
		r.Outcome = Rejected
		return
	}
	r.CanonOff, r.CanonLen = uint32(start), uint32(len(b.canon)-start)
	url := b.URL(r)
	if w.scope != nil {
		if rule := w.scope.Filter(url, r.Result.Parts); rule != InScope {
			r.Outcome, r.FilterRule = Filtered, rule
			return
		}
	}
	key := url
	if w.keyRules {
		keyStart := len(b.canon)
		var fired keyrule.Set
		b.canon, fired = w.normalizer.AppendKey(b.canon, b.Canon(r), r.Result)
		b.tally.addKey(fired)
		r.KeyRules = fired
		key = b.canon[keyStart:]
		if bytes.Equal(key, url) {
			b.canon = b.canon[:keyStart]
		} else {
			r.KeyOff, r.KeyLen = uint32(keyStart), uint32(len(key))
		}
	}
	r.Key = w.hasher.Sum(key)
}
