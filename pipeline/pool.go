package pipeline

import (
	"context"
	"sync"
	"unsafe"

	"github.com/urisieve/urisieve/pipeline/dedup"
)

// pool is the free list of batches. It bounds their memory, those in use and those on the list
// together: a batch that comes to use more than it was charged for is charged for it, and holds up those
// to come.
//
// Invariants, under mu:
//
//	used  = sum of cost over the batches that are out
//	idle  = sum of footprint over free
//	get waits while used + idle > budget, unless no batch is out
type pool struct {
	budget  int64
	nominal int64 // bytes of an ordinary batch: the least that one that is out is charged
	columns int
	records int // see Batch.SetLimits
	bytes   int

	mu    sync.Mutex
	free  []*Batch
	used  int64
	idle  int64
	out   int
	lanes int // lanes that are open

	// changed gets a token when a batch came back or a lane was closed. Only the reader waits for it,
	// in get or, by Quota, in FillLanes.
	changed chan struct{}
}

func newPool(o *Options, columns int) *pool {
	return &pool{
		budget: o.PoolBytes, nominal: nominalBatchBytes(o.BatchRecords, o.BatchBytes),
		columns: columns, records: o.BatchRecords, bytes: o.BatchBytes,
		changed: make(chan struct{}, 1),
	}
}

// get waits until there is memory for one more batch beside the held ones that the caller has
// out, or ctx ends.
func (p *pool) get(ctx context.Context, held int) (*Batch, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if b := p.take(held); b != nil {
			return b, nil
		}
		select {
		case <-ctx.Done():
		case <-p.changed:
		}
	}
}

// take is get without waiting: nil when there is no memory.
func (p *pool) take(held int) *Batch {
	p.mu.Lock()
	defer p.mu.Unlock()
	need := int64(0)
	if len(p.free) == 0 {
		need = p.nominal
	}
	for p.used+p.idle+need > p.budget && len(p.free) > 1 {
		last := len(p.free) - 1
		p.idle -= p.free[last].footprint()
		p.free[last] = nil
		p.free = p.free[:last]
	}
	if p.used+p.idle+need > p.budget && p.out > held {
		return nil
	}
	return p.grab()
}

// grab takes a free batch, or a new one, whatever the budget says.
func (p *pool) grab() *Batch {
	var b *Batch
	if last := len(p.free) - 1; last >= 0 {
		b = p.free[last]
		p.free[last] = nil
		p.free = p.free[:last]
		p.idle -= b.footprint()
	} else {
		b = NewBatch(p.columns)
		b.SetLimits(p.records, p.bytes)
		b.pool = p
	}
	b.holds.Store(1)
	b.cost = max(b.footprint(), p.nominal)
	p.used += b.cost
	p.out++
	return b
}

// takeForLane is take where a Quota bounds the memory.
func (p *pool) takeForLane() *Batch {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.grab()
}

// charge brings b's cost up to date, and has l, its lane, pay for it. l is nil while no lane has it.
func (p *pool) charge(b *Batch, l *lane) {
	cost := max(b.footprint(), p.nominal)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.used += cost - b.cost
	if b.lane != nil {
		b.lane.used += cost - b.cost
	} else if l != nil {
		b.lane = l
		l.used += cost
		l.out++
	}
	b.cost = cost
}

// put takes b back.
func (p *pool) put(b *Batch) {
	p.mu.Lock()
	p.used -= b.cost
	p.out--
	if b.lane != nil {
		b.lane.used -= b.cost
		b.lane.out--
	}
	b.Reset()
	b.shrink()
	p.free = append(p.free, b)
	p.idle += b.footprint()
	p.mu.Unlock()
	p.signal()
}

func (p *pool) signal() {
	select {
	case p.changed <- struct{}{}:
	default:
	}
}

func (p *pool) addLanes(n int) {
	p.mu.Lock()
	p.lanes += n
	p.mu.Unlock()
	p.signal()
}

// admits reports whether l's share of the budget has room for one more batch.
func (p *pool) admits(l *lane) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return l.out == 0 || l.used+p.nominal <= p.budget/int64(max(p.lanes, 1))
}

func (p *pool) inUse() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used
}

// footprint is the memory of the batch in bytes, to within its small parts.
func (b *Batch) footprint() int64 {
	return int64(cap(b.raw)) + int64(cap(b.canon)) +
		int64(cap(b.recs))*int64(unsafe.Sizeof(Record{})) +
		int64(cap(b.others))*int64(unsafe.Sizeof(dedup.Key{})) +
		int64(cap(b.rows))*int64(unsafe.Sizeof(Row{})) +
		int64(cap(b.values))*int64(unsafe.Sizeof(Value{})) +
		int64(cap(b.docs))*int64(unsafe.Sizeof(docLayers{})) +
		int64(cap(b.cuts))*int64(unsafe.Sizeof(Cut{})) +
		4*int64(cap(b.unique)+cap(b.duplicate)+cap(b.rejected))
}

// shrink gives up what a batch of unusual records made large: a single one of them would otherwise
// take its memory from the pool for the rest of the run.
func (b *Batch) shrink() {
	shrinkTo(&b.raw, 2*b.maxBytes)
	shrinkTo(&b.canon, 4*b.maxBytes)
	shrinkTo(&b.recs, 4*b.maxRecords)
	shrinkTo(&b.others, 8*b.maxRecords)
	shrinkTo(&b.rows, 4*b.maxRecords)
	shrinkTo(&b.values, 4*b.maxRecords*max(b.columns, 1))
	shrinkTo(&b.docs, 4*b.maxRecords)
	shrinkTo(&b.cuts, 4*b.maxRecords)
	shrinkTo(&b.unique, 4*b.maxRecords)
	shrinkTo(&b.duplicate, 4*b.maxRecords)
	shrinkTo(&b.rejected, 4*b.maxRecords)
	if cap(b.sources) > 64 {
		b.sources = nil // names of files that are long done
	}
}

// shrinkTo drops a slice of more than n elements; append makes it anew at the size that it needs.
func shrinkTo[T any](s *[]T, n int) {
	if cap(*s) > max(n, 1024) {
		*s = nil
	}
}
