package pipeline

import (
	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/normalize/keyrule"
	"github.com/urisieve/urisieve/pipeline/dedup"
)

// LaneID names a lane: records of one lane keep their order. Files and stdin are lane 0, a Kafka
// partition is a lane of its own. A LaneID is never used again for another assignment.
type LaneID uint32

// Position is the place of a source record in its lane.
type Position struct {
	Lane   LaneID
	Source string // file name as given, "-" for stdin, topic
	Number int64  // record number in the source, from 1; Kafka: the offset
	Offset int64  // byte offset of the record in the decompressed source; Kafka: the offset
}

// Outcome is what became of a reference. The four add up to the references that came in.
type Outcome uint8

// Outcomes.
const (
	Undecided Outcome = iota
	Unique            // leaves by the main sink
	Duplicate         // its key was seen before
	Filtered          // valid, but out of the configured scope
	Rejected          // no canonical URI: see Result.Reason
)

var outcomeNames = [...]string{"undecided", "unique", "duplicate", "filtered", "rejected"}

func (o Outcome) String() string { return outcomeNames[o] }

// ColumnKind is the type of a pass-through column's values.
type ColumnKind uint8

// Kinds. A timestamp is an int64 of microseconds since 1970 in UTC.
const (
	ColumnText ColumnKind = iota
	ColumnInt64
	ColumnTimestamp
)

// Column is a value that a source passes through beside its references.
type Column struct {
	Name string // the name in the output: "x_status", "fetch_time"
	Kind ColumnKind
}

// Value is one pass-through value of a row: a text in the raw arena or a number.
type Value struct {
	Int      int64
	Off, Len uint32
	Null     bool
}

// BaseID is the index of a document's base layers in the batch, NoBase for none.
type BaseID int32

// NoBase is the BaseID of a row without any base layer of its own.
const NoBase BaseID = -1

// Row is one source record: a line, a CSV row, a message. It may hold many references.
type Row struct {
	Number    int64  // see Position
	Offset    int64  // see Position
	Values    uint32 // index of its first pass-through value; it has one for each column
	Partition int32  // Kafka partition, -1 for none
	Base      BaseID
	Source    uint16 // index into the batch's source names
}

// Record is one reference and what became of it. It holds offsets, no pointers. Its identity is
// the position of its row, and Index.
type Record struct {
	Key                dedup.Key // what is compared; zero when refused
	Result             normalize.Result
	RawOff, RawLen     uint32      // the reference as it came in, in the raw arena
	CanonOff, CanonLen uint32      // url [# fragment], in the canon arena
	KeyOff, KeyLen     uint32      // key text, in the canon arena, where key rules are on
	Row                uint32      // index of its row in the batch
	Index              uint32      // number of the reference in its row, from 0
	Cut                uint32      // 0: Raw is the whole; else see Batch.CutOf
	KeyRules           keyrule.Set // the key rules that changed the key
	Element            uint8       // index into the source's element names
	Outcome            Outcome
	FilterRule         ScopeRule // Filtered: the scope rule that did it
}
