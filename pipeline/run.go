package pipeline

import (
	"context"
)

// Run reads the source to its end and settles every reference. It returns when all its goroutines
// have ended, with the counts in any case.
//
// The error is nil when everything that was read is settled, flushed and committed: the source
// ended, Options.Drain or Options.Limit ended it. A *TooManyRejectsError, an error that wraps
// dedup.ErrFull, the first fault of source or sinks, or ctx.Err() otherwise. After dedup.ErrFull, and after a
// fault of the source, too, all that came before is settled, flushed and committed; after any other
// nothing past the last checkpoint is.
func Run(ctx context.Context, o Options) (Stats, error) {
	if err := o.Validate(); err != nil {
		return Stats{}, err
	}
	return Stats{}, nil
}
