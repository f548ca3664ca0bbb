package normalize

import "github.com/urisieve/urisieve/normalize/keyrule"

// Without is a Clone with rules and key rules switched off, to find out which of them make two
// references one. It answers questions only: what it writes is not canonical, and its settings id is
// that of n.
func (n *Normalizer) Without(rules RuleSet, keys keyrule.Set) *Normalizer {
	c := n.Clone()
	c.on &^= rules
	c.fast = c.fast && rules == 0 // the fast path proves what all rules together give
	switch {
	case c.key.rules == nil:
	case keys&c.key.rules.Set() == c.key.rules.Set():
		c.key = keyer{}
	default:
		c.key.rules = c.key.rules.Without(keys)
	}
	return c
}
