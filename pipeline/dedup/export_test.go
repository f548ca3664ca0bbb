package dedup

// OpenTinyState opens a state with less memory than OpenState takes, and journals that are written anew from a
// length of slack bytes on, so that a test sees many cycles.
func OpenTinyState(o StateOptions, memory, slack int64) (*State, error) {
	s, err := openState(o, memory, slack)
	if err == nil {
		s.lately.make(1<<40, true) // it is only made where there is much memory
	}
	return s, err
}
