package extsort

import "bytes"

// cursor walks over rows in order: those of a run, or those of a sorted block.
type cursor struct {
	row, key []byte // at hand; row is nil at the end
	rest     []byte // rows of the frame at hand that follow

	run   runReader
	block *block // nil: the run
	at    int    // entries of block that were given
}

// next moves on to the next row.
func (c *cursor) next() (err error) {
	if c.block != nil {
		if c.at == c.block.rows {
			c.row = nil
			return nil
		}
		c.row, c.key = splitRow(c.block.mem[c.block.entries()[c.at].at:c.block.used])
		c.at++
		return nil
	}
	if len(c.rest) == 0 {
		if c.rest, err = c.run.next(); err != nil || len(c.rest) == 0 {
			c.row = nil
			return err
		}
	}
	c.row, c.key = splitRow(c.rest)
	c.rest = c.rest[len(c.row):]
	return nil
}

// tournament merges cursors: a tree of losers. Inner node i, from 1 on, holds the loser of the match between the
// winners of its children 2i and 2i+1; leaf len(cursors)+i is cursor i. Of equal keys, that of the earlier cursor wins.
type tournament struct {
	cursors []cursor
	losers  []int
	winner  int
}

func newTournament(cursors []cursor) (*tournament, error) {
	for i := range cursors {
		if err := cursors[i].next(); err != nil {
			return nil, err
		}
	}
	n := len(cursors)
	t := &tournament{cursors: cursors, losers: make([]int, n)}
	winners := make([]int, 2*n)
	for i := range n {
		winners[n+i] = i
	}
	for i := n - 1; i > 0; i-- {
		a, b := winners[2*i], winners[2*i+1]
		if t.before(b, a) {
			a, b = b, a
		}
		winners[i], t.losers[i] = a, b
	}
	t.winner = winners[min(1, len(winners)-1)]
	return t, nil
}

// before reports whether the row of cursor a comes before that of b.
func (t *tournament) before(a, b int) bool {
	x, y := &t.cursors[a], &t.cursors[b]
	switch {
	case x.row == nil:
		return false
	case y.row == nil:
		return true
	}
	c := bytes.Compare(x.key, y.key)
	return c < 0 || c == 0 && a < b
}

// pop moves the winner on, and finds the next one.
func (t *tournament) pop() error {
	w := t.winner
	if err := t.cursors[w].next(); err != nil {
		return err
	}
	for i := (len(t.cursors) + w) / 2; i > 0; i /= 2 {
		if t.before(t.losers[i], w) {
			t.losers[i], w = w, t.losers[i]
		}
	}
	t.winner = w
	return nil
}

// haltRows is after how many rows a merge asks whether it is still wanted.
const haltRows = 1024

// merge gives the rows of all cursors in order, until halt or emit says otherwise.
func merge(cursors []cursor, halt func() error, emit func(row, key []byte) error) error {
	if len(cursors) == 0 {
		return nil
	}
	t, err := newTournament(cursors)
	if err != nil {
		return err
	}
	for n := 0; ; n++ {
		if n%haltRows == 0 {
			if err := halt(); err != nil {
				return err
			}
		}
		c := &t.cursors[t.winner]
		if c.row == nil {
			return nil
		}
		if err := emit(c.row, c.key); err != nil {
			return err
		}
		if err := t.pop(); err != nil {
			return err
		}
	}
}

// carve cuts buffers off a region of memory. What it has no room for is made on the heap.
type carve []byte

func (c *carve) take(n int) []byte {
	if n > len(*c) {
		return make([]byte, n)
	}
	b := (*c)[:n:n]
	*c = (*c)[n:]
	return b
}

// cursorsOf opens runs, with their buffers from memory.
func cursorsOf(runs []*run, memory carve) []cursor {
	cursors := make([]cursor, len(runs), len(runs)+1)
	for i, r := range runs {
		cursors[i].run = newRunReader(r, memory.take(r.buffers()))
	}
	return cursors
}

// buffersOf is the memory that it takes to read runs side by side.
func buffersOf(runs []*run) (bytes int) {
	for _, r := range runs {
		bytes += r.buffers()
	}
	return bytes
}

// lightest finds the adjacent runs, n of them or all, that have the fewest bytes together: these cost the least to be
// written again.
func lightest(runs []*run, n int) (from, to int) {
	n = min(n, len(runs))
	sum := int64(0)
	for _, r := range runs[:n] {
		sum += r.bytes
	}
	best := sum
	for i := 1; i+n <= len(runs); i++ {
		if sum += runs[i+n-1].bytes - runs[i-1].bytes; sum < best {
			best, from = sum, i
		}
	}
	return from, from + n
}
