package pipeline

import "sync"

// lane is the engine's side of one LaneID.
type lane struct {
	id    LaneID
	group *group

	// Of the reader.
	assigned uint64 // seq of the next batch

	// Under group.mu. ring holds the batches that workers are done with, by seq, from next on;
	// its length is a power of two.
	ring []*Batch
	next uint64 // seq of the next batch to settle

	// Of the settle goroutine.
	position Position // of the last source record that is settled as a whole
	moved    bool     // position is past the last checkpoint
	gone     bool     // lost: what comes is given up
	inRow    int64    // references rejected in a row

	// Under pool.mu.
	used int64
	out  int
}

// put takes a batch into the ring and appends to ready what is now in order.
func (l *lane) put(b *Batch, ready []*Batch) []*Batch {
	for b.seq-l.next >= uint64(len(l.ring)) {
		l.grow()
	}
	mask := uint64(len(l.ring) - 1)
	l.ring[b.seq&mask] = b
	for l.ring[l.next&mask] != nil {
		ready = append(ready, l.ring[l.next&mask])
		l.ring[l.next&mask] = nil
		l.next++
	}
	return ready
}

func (l *lane) grow() {
	old := l.ring
	l.ring = make([]*Batch, max(16, 2*len(old)))
	for _, b := range old {
		if b != nil {
			l.ring[b.seq&uint64(len(l.ring)-1)] = b
		}
	}
}

// group is the lanes that share a *Lane, and the state of their settle goroutine.
type group struct {
	outlet  *Lane
	started bool // of the reader: the settle goroutine runs

	mu       sync.Mutex
	lanes    []*lane
	ready    []*Batch // in order within each lane; the settle goroutine's to take
	assigned int64    // batches that the reader gave a seq
	settled  int64    // batches that settle is done with
	ended    bool     // the reader has nothing more
	closed   bool     // the settle goroutine is about to close the outlet

	copied []*lane // of the settle goroutine: see allLanes

	wake chan struct{} // a token: ready or ended changed
}

func newGroup(outlet *Lane) *group {
	return &group{outlet: outlet, wake: make(chan struct{}, 1)}
}

func (g *group) signal() {
	select {
	case g.wake <- struct{}{}:
	default:
	}
}

// add makes a lane of the group; nil when the group is closed.
func (g *group) add(id LaneID) *lane {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return nil
	}
	l := &lane{id: id, group: g}
	g.lanes = append(g.lanes, l)
	return l
}

// assign gives b the next seq of l. Only the reader calls it.
func (g *group) assign(b *Batch, l *lane) {
	b.seq = l.assigned
	l.assigned++
	g.mu.Lock()
	g.assigned++
	g.mu.Unlock()
}

// deliver takes a batch from a worker. It never blocks, so that a stuck sink holds up no worker.
func (g *group) deliver(b *Batch) {
	g.mu.Lock()
	before := len(g.ready)
	g.ready = b.lane.put(b, g.ready)
	more := len(g.ready) > before
	g.mu.Unlock()
	if more {
		g.signal()
	}
}

// take swaps the ready batches for an empty slice.
func (g *group) take(empty []*Batch) []*Batch {
	g.mu.Lock()
	defer g.mu.Unlock()
	ready := g.ready
	g.ready = empty
	return ready
}

// end says that the reader has nothing more.
func (g *group) end() {
	g.mu.Lock()
	g.ended = true
	g.mu.Unlock()
	g.signal()
}

// finished reports whether everything that will ever come is settled, and closes the group to new
// lanes if so.
func (g *group) finished() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.settled == g.assigned && (g.ended || len(g.lanes) == 0) {
		g.closed = true
	}
	return g.closed
}

// caughtUp reports whether nothing is on its way.
func (g *group) caughtUp() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.settled == g.assigned
}

func (g *group) done(batches int64) {
	g.mu.Lock()
	g.settled += batches
	g.mu.Unlock()
}

// allLanes are the lanes of the group just now. The result is good until the next call.
func (g *group) allLanes() []*lane {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.copied = append(g.copied[:0], g.lanes...)
	return g.copied
}

// isClosed reports whether the settle goroutine has ended or is about to.
func (g *group) isClosed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closed
}

// remove takes a lane that ended out of the group.
func (g *group) remove(l *lane) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, x := range g.lanes {
		if x == l {
			g.lanes = append(g.lanes[:i], g.lanes[i+1:]...)
			return
		}
	}
}
