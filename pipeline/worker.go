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

	base normalize.Base // of the document at hand
}

func newWorker(o *Options) *worker {
	n := o.Normalizer.Clone()
	return &worker{normalizer: n, hasher: o.Hasher, scope: o.Scope, keyRules: n.HasKeyRules()}
}

// work decides every reference of b but for what settle alone knows: afterwards the undecided ones
// are valid, in scope, and have their key.
func (w *worker) work(b *Batch) {
	b.tally = tally{}
	document := NoBase
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
				w.normalizer.SetBase(&w.base, b.bytes(d.embedded), b.bytes(d.entity), b.bytes(d.retrieval))
				document = id
			}
			base = &w.base
		}
		w.reference(b, r, base)
		b.tally.add(&r.Result)
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
