package pipeline

import "github.com/urisieve/urisieve/normalize"

// Stats are the counts of a run. At any moment
//
//	References = Unique + Duplicate + Filtered + Rejected
//	Read       = References + InFlight + GivenUp
//
// and InFlight is 0 when Run returns without an error.
type Stats struct {
	Read       int64 // references handed over by the source
	References int64 // references settled
	InFlight   int64 // references read and not yet settled
	Waiting    int64 // those of them that wait because it isn't known yet whether they, or one before them, are duplicates
	GivenUp    int64 // references of lanes that were lost: whoever has the lane now reads them again

	Unique    int64
	Duplicate int64
	Filtered  int64
	Rejected  int64

	Records   int64 // source records settled
	BytesRef  int64 // bytes of the settled references as they came in
	BytesURL  int64 // bytes of the canonical URIs of the unique ones
	Committed int64 // references covered by a checkpoint

	Future int64 // references that were dated of a time to come, and were taken for ones of the run's time

	Checkpoints int64
	Batches     int64
	PoolBytes   int64 // memory of the batches in use, just now
	Drained     bool  // ended by Options.Drain, before the source did
	Limited     bool  // ended by Options.Limit

	Rules    [64]int64 // references that a rule changed, by bit of normalize.RuleSet
	KeyRules [32]int64 // references whose key a key rule changed, by bit of keyrule.Set
	Flags    [64]int64 // references with a flag, by bit of normalize.Flags
	// DuplicateSame are the duplicates that no rule changed: they came in as they were before.
	// DuplicateRules are those whose text a rule changed, by bit of normalize.RuleSet, and behind these
	// 64 those whose key a key rule changed, by bit of keyrule.Set; see Meter.Merges.
	DuplicateSame  int64
	DuplicateRules [mergeSlots]int64

	Bases    [normalize.BaseDefault + 1]int64 // references resolved against a layer, by normalize.BaseUsed
	Reasons  [256]int64                       // rejected references, by normalize.Reason
	Filters  [scopeRules]int64                // filtered references, by ScopeRule
	Elements []ElementCount                   // in the order of Source.Columns

	Source SourceStats
}

// ElementCount counts the references of an element of the source.
type ElementCount struct {
	Element                               string
	Unique, Duplicate, Filtered, Rejected int64
}
