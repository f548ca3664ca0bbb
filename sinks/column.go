package sinks

// Kind is the type of a column's values.
type Kind uint8

// Kinds, with their Parquet types.
const (
	KindText      Kind = iota // BYTE_ARRAY, String; bytes that aren't UTF-8 are written as \xHH
	KindBytes                 // BYTE_ARRAY
	KindHash                  // FIXED_LEN_BYTE_ARRAY(16)
	KindBool                  // BOOLEAN
	KindInt32                 // INT32
	KindInt64                 // INT64
	KindBits                  // INT64, a bit a name; an array of names in JSON
	KindFloat                 // FLOAT
	KindTimestamp             // INT64, Timestamp(microseconds, UTC)
)

// ColumnInfo describes a column of the catalogue.
type ColumnInfo struct {
	ID       int32 // Parquet field id; never used again for another column
	Name     string
	Kind     Kind
	Nullable bool
	Doc      string   // what it holds, one sentence
	Null     string   // when it is null, "" if never
	Example  string   // as JSON
	Presets  []string // the presets that have it
}

// Columns is the catalogue of the main output, schema canon_uri version 1, in order.
func Columns() []ColumnInfo { return nil }

// RejectColumns is the catalogue of the rejects, schema canon_uri_rejects version 1, in order.
func RejectColumns() []ColumnInfo { return nil }

// Presets are the names of the column presets, with what each is for.
func Presets() [][2]string { return nil }
