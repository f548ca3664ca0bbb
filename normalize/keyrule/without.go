package keyrule

// Without is a Clone with rules switched off, to find out which rules make two URIs one.
func (r *Rules) Without(rules Set) *Rules {
	c := r.Clone()
	c.set &^= rules
	return c
}
