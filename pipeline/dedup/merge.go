package dedup

// merge goes through the keys of a shard in ascending order, each once: those of runs, and those of a table
// that aren't in them.
type merge struct {
	heads []*sectionReader // of the runs that have keys left, the older ones first
	table *table
	slot  int // of table: what comes next
	timed bool

	key   Key // the one that next found
	entry entry
}

// next finds the next key; false at the end.
func (m *merge) next() (bool, error) {
	least := -1 // of the heads; there are few. Of equal ones, the oldest
	for i, h := range m.heads {
		if least < 0 || less(h.key(), m.heads[least].key()) {
			least = i
		}
	}
	inTable := m.nextOfTable()
	switch {
	case least < 0 && !inTable:
		return false, nil
	case least < 0 || inTable && less(&m.table.slots[m.slot], m.heads[least].key()):
		m.key, m.entry = m.table.slots[m.slot], m.table.entryAt(m.slot)
		m.slot++
		return true, nil
	}
	return true, m.take(least, inTable)
}

// nextOfTable goes on to the next key of the table; false if there is none.
func (m *merge) nextOfTable() bool {
	if m.table == nil {
		return false
	}
	t := m.table
	for ; m.slot < len(t.slots); m.slot++ {
		if t.slots[m.slot] != (Key{}) && (!t.tagged || t.tags[m.slot] != tagStored) {
			return true
		}
	}
	return false
}

// take takes the key of the head with that index, and what all that have it say of it. Without times,
// no two have the same key.
func (m *merge) take(least int, inTable bool) error {
	m.key, m.entry = *m.heads[least].key(), entry{}
	for i := least; i < len(m.heads); {
		h := m.heads[i]
		if *h.key() != m.key {
			i++
			continue
		}
		m.entry = m.entry.then(h.entryAt(h.next))
		left, err := h.advance()
		if err != nil {
			return err
		}
		if left {
			i++
		} else {
			m.heads = append(m.heads[:i], m.heads[i+1:]...)
		}
		if !m.timed {
			return nil
		}
	}
	if inTable && m.table.slots[m.slot] == m.key {
		m.entry = m.entry.then(m.table.entryAt(m.slot))
		m.slot++
	}
	return nil
}

// entryAt is what a table whose keys have times says of the key in a slot that isn't in doubt.
func (t *table) entryAt(slot int) entry {
	if t.times == nil {
		return entry{time: 1}
	}
	e := entry{time: t.times[slot]}
	switch t.tags[slot] {
	case tagForgotten:
		e.kind = forgotten
	case tagOver:
		e.kind = over
	}
	return e
}
