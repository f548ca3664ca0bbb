package pipeline

import (
	"slices"

	"github.com/urisieve/urisieve/pipeline/dedup"
)

// asker is a set that takes the time and the host of each claim.
type asker interface {
	Ask(asks []dedup.Ask, verdicts []dedup.Verdict) error
}

// dater is an Earlier that may stand over an asker.
type dater interface {
	Dates() bool
}

// takesAsks says whether a set is an asker, or stands over one.
func takesAsks(set dedup.Set) bool {
	if e, ok := set.(dater); ok {
		return e.Dates()
	}
	_, ok := set.(asker)
	return ok
}

// timeColumn is the index of the column that dates the claims, -1 where none does.
func (r *run) timeColumn(set dedup.Set) int {
	if !takesAsks(set) || r.opts.TimeColumn == "" {
		return -1
	}
	return slices.IndexFunc(r.columns, func(c Column) bool { return c.Name == r.opts.TimeColumn && c.Kind == ColumnTimestamp })
}

// claim asks the set for s.keys, which are of the records s.asked of b.
func (s *settler) claim(b *Batch, verdicts []dedup.Verdict) error {
	set := s.outlet.Set
	earlier, _ := set.(*dedup.Earlier)
	if earlier != nil {
		s.others = s.others[:0]
		n := len(s.run.opts.Others)
		for _, i := range s.asked {
			s.others = append(s.others, b.others[int(i)*n:int(i+1)*n]...)
		}
	}
	asks := s.dated >= 0 || s.run.opts.Hosts && takesAsks(set)
	if asks {
		s.makeAsks(b)
	}
	switch {
	case asks && earlier != nil:
		return earlier.AskOthers(s.asks, s.others, verdicts)
	case asks:
		return set.(asker).Ask(s.asks, verdicts)
	case earlier != nil:
		return earlier.ClaimOthers(s.keys, s.others, verdicts)
	}
	return set.Claim(s.keys, verdicts)
}

// makeAsks makes s.asks of s.keys.
func (s *settler) makeAsks(b *Batch) {
	s.asks = s.asks[:0]
	for i, k := range s.keys {
		a := dedup.Ask{Key: k, Time: s.run.opts.Now}
		if s.dated >= 0 {
			a.Time = s.time(b, s.asked[i])
		}
		if s.run.opts.Hosts {
			a.Host = s.host(b, s.asked[i])
		}
		s.asks = append(s.asks, a)
	}
}

// host is the key of a record's host, zero if it has none.
func (s *settler) host(b *Batch, i uint32) dedup.Key {
	r := &b.recs[i]
	host := r.Result.Parts.Host(b.URL(r))
	if len(host) == 0 {
		return dedup.Key{}
	}
	return s.run.opts.Hasher.Host(host)
}

// time dates a record, in seconds since 1970.
func (s *settler) time(b *Batch, i uint32) uint32 {
	now := s.run.opts.Now
	v := b.Value(b.RowOf(&b.recs[i]), s.dated)
	switch seconds := v.Int / 1_000_000; {
	case v.Null:
		return now
	case seconds > int64(now):
		s.counts.future++
		return now
	case seconds < 1:
		return 1
	default:
		return uint32(seconds)
	}
}
