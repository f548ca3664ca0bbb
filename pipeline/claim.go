package pipeline

import (
	"slices"

	"github.com/urisieve/urisieve/pipeline/dedup"
)

// asker is a set that takes the time of each claim.
type asker interface {
	Ask(asks []dedup.Ask, verdicts []dedup.Verdict) error
}

// dater is an Earlier that may stand over an asker.
type dater interface {
	Dates() bool
}

// timeColumn is the index of the column that dates the claims, -1 where none does.
func (r *run) timeColumn(set dedup.Set) int {
	_, asks := set.(asker)
	if e, ok := set.(dater); ok {
		asks = e.Dates()
	}
	if !asks || r.opts.TimeColumn == "" {
		return -1
	}
	return slices.IndexFunc(r.columns, func(c Column) bool { return c.Name == r.opts.TimeColumn && c.Kind == ColumnTimestamp })
}

// claim asks the set for s.keys, which are of the records s.asked of b.
func (s *settler) claim(b *Batch, verdicts []dedup.Verdict) error {
	earlier, _ := s.outlet.Set.(*dedup.Earlier)
	if earlier != nil {
		s.others = s.others[:0]
		n := len(s.run.opts.Others)
		for _, i := range s.asked {
			s.others = append(s.others, b.others[int(i)*n:int(i+1)*n]...)
		}
	}
	if s.dated < 0 {
		if earlier != nil {
			return earlier.ClaimOthers(s.keys, s.others, verdicts)
		}
		return s.outlet.Set.Claim(s.keys, verdicts)
	}
	s.asks = s.asks[:0]
	for i, k := range s.keys {
		s.asks = append(s.asks, dedup.Ask{Key: k, Time: s.time(b, s.asked[i])})
	}
	if earlier != nil {
		return earlier.AskOthers(s.asks, s.others, verdicts)
	}
	return s.outlet.Set.(asker).Ask(s.asks, verdicts)
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
