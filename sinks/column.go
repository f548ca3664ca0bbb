package sinks

import (
	"unicode/utf8"

	"github.com/urisieve/urisieve/pipeline"
)

// Kind is the type of a column's values.
type Kind uint8

// Kinds, with their Parquet types.
const (
	KindText      Kind = iota // BYTE_ARRAY, String; a byte that isn't UTF-8 is written as \xHH
	KindBytes                 // BYTE_ARRAY
	KindHash                  // FIXED_LEN_BYTE_ARRAY(16)
	KindBool                  // BOOLEAN
	KindInt32                 // INT32
	KindInt64                 // INT64
	KindBits                  // INT64, a bit a name; an array of names in JSON
	KindFloat                 // FLOAT
	KindTimestamp             // INT64, Timestamp(microseconds, UTC)
)

var kindNames = [...]string{"text", "bytes", "hash", "bool", "int32", "int64", "bits", "float", "timestamp"}

func (k Kind) String() string { return kindNames[k] }

var parquetNames = [...]string{
	"BYTE_ARRAY, String", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY(16)", "BOOLEAN", "INT32", "INT64", "INT64", "FLOAT",
	"INT64, Timestamp(us, UTC)",
}

// Parquet names the physical and logical type.
func (k Kind) Parquet() string { return parquetNames[k] }

// ColumnInfo describes a column of the catalogue.
type ColumnInfo struct {
	ID       int32 // Parquet field id; never used again for another column
	Name     string
	Kind     Kind
	Nullable bool
	Doc      string   // what it holds
	Null     string   // when it is null, "" if never
	Example  string   // as JSON
	Presets  []string // the presets that have it
}

// cell is one value. text is for text, bytes and hashes, num for all others; a float as its bits.
type cell struct {
	text []byte
	num  int64
	null bool
}

var null = cell{null: true}

func textOrNull(text []byte) cell { return cell{text: text, null: text == nil} }

func number[N ~int32 | ~int64 | ~uint32 | ~uint64](n N) cell { return cell{num: int64(n)} }

// encodingHint says how Parquet should store a column.
type encodingHint uint8

const (
	storePlain encodingHint = iota // values that hardly repeat; no dictionary
	storeDict                      // few distinct values: a dictionary, up to its cap
	storeDelta                     // numbers that grow
	storeRaw                       // hashes: no encoding helps, nor does compression
)

// column is a column that can give its values. value must not keep or change what it reads; a text
// that it makes goes into v's arena, by v.made.
type column struct {
	ColumnInfo
	store     encodingHint
	bloom     bool // Parquet: a bloom filter for point look-ups
	noBounds  bool // Parquet: long free text, whose least and greatest values help nobody
	needsHost bool // v.hosts must be there
	value     func(v *refs, i int) cell
	bits      []string // KindBits: the name of each bit
}

// refs is a run of references that the encoders read column by column. It is used again for the
// next one.
type refs struct {
	b     *pipeline.Batch
	recs  []*pipeline.Record
	hosts []*host // of each reference, only where a column needs it
	arena []byte  // texts that columns made for this run
	cache *hostCache
}

// load points v at the selected references of a batch.
func (v *refs) load(b *pipeline.Batch, selected []uint32, hosts bool) {
	v.b, v.recs, v.hosts, v.arena = b, v.recs[:0], v.hosts[:0], v.arena[:0]
	all := b.Records()
	for _, i := range selected {
		v.recs = append(v.recs, &all[i])
	}
	if !hosts {
		return
	}
	for _, r := range v.recs {
		v.hosts = append(v.hosts, v.cache.of(r.Result.Parts.Host(b.Canon(r))))
	}
}

func (v *refs) row(i int) *pipeline.Row { return v.b.RowOf(v.recs[i]) }

// made returns what was appended to the arena since its length was start. The bytes stay valid
// when the arena moves: it is only cut when the next run is loaded.
func (v *refs) made(start int) []byte { return v.arena[start:len(v.arena):len(v.arena)] }

const hexDigits = "0123456789abcdef"

// utf8Text gives text itself when it is UTF-8, else a copy with every other byte as \xHH, as web
// servers write such bytes to their logs.
func (v *refs) utf8Text(text []byte) []byte {
	if utf8.Valid(text) {
		return text
	}
	start := len(v.arena)
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if r == utf8.RuneError && n == 1 {
			v.arena = append(v.arena, '\\', 'x', hexDigits[text[0]>>4], hexDigits[text[0]&15])
		} else {
			v.arena = append(v.arena, text[:n]...)
		}
		text = text[n:]
	}
	return v.made(start)
}
