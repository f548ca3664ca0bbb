package dedup

// NewNone makes a Set that says New to every key.
func NewNone() Set { return none{} }

type none struct{}

func (none) Claim(keys []Key, verdicts []Verdict) error {
	clear(verdicts[:len(keys)]) // New
	return nil
}
func (none) Sync() error  { return nil }
func (none) Close() error { return nil }
