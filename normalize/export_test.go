package normalize

// Disable switches rules off, whatever the options ask for, so that a test can show that it would
// fail without them. Clones made later have them off too. The fast path is off with them: it
// proves what all rules together give.
func (n *Normalizer) Disable(rules RuleSet) {
	n.on &^= rules
	n.fast = n.fast && rules == 0
}

// DisableFastPath makes every reference take the long way.
func (n *Normalizer) DisableFastPath() { n.fast = false }

// Work is the number of bytes that the rules looked at since it was asked last.
func (n *Normalizer) Work() uint64 {
	work := n.work
	n.work = 0
	return work
}
