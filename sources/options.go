package sources

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// formats are the accepted values of Options.Format.
var formats = [...]string{"text", "csv", "tsv", "jsonl", "clf", "combined", "vclf", "vcombined"}

// Formats lists the names of the input formats.
func Formats() []string { return append([]string(nil), formats[:]...) }

// Bounds of the options, in bytes.
const (
	DefaultMaxURIBytes    = 64 << 10
	DefaultMaxRecordBytes = 16 << 20
	DefaultMaxExpansion   = 1000
	DefaultMaxWindowBytes = 128 << 20

	maxRecordBytes = 256 << 20 // a batch's offsets have 32 bits, and a field may serve several times
	maxWindowBytes = 2 << 30
)

// KeptBytes is how much is kept of a record that is refused as a whole; its length and hash are
// those of the whole record (see pipeline.Batch.CutOf).
const KeptBytes = 64 << 10

// Options say what to read and how. The zero value reads nothing; with Inputs alone, each line is
// a reference.
type Options struct {
	// Inputs are paths, globs, directories and "-" for standard input, read in this order. In a
	// glob "*", "?" and "[a-z]" match within one name and "**" matches any number of directories;
	// matches come sorted. A directory is walked, sorted by name. Names that begin with "." or "_"
	// are skipped in globs and directories, unless the glob spells that character out.
	Inputs []string
	// Format is one of Formats. Default "text".
	Format string

	// Delimiter separates fields of csv and tsv: one byte, or "tab", "comma", "semicolon", "pipe",
	// "space". Default: "," for csv, tab for tsv. A quote, CR or LF can't be one.
	Delimiter string
	// Header says whether each csv or tsv input begins with a row of field names: "yes", "no" or
	// "auto" (default): yes if any field is given by name, no if all that are given are numbers;
	// if none is given, yes where the first row has a field "ref" or "url".
	Header string
	// Quotes says whether a csv or tsv field that begins with '"' is quoted (RFC 4180 section 2):
	// "yes" (default) or "no", which takes quotes as data and ends each row at its line's end.
	Quotes string
	// Ragged accepts csv and tsv rows with more or fewer fields than the header, as long as the
	// fields of references and bases are there. Default false: such a row is refused as bad_record,
	// since an unquoted delimiter in a URI would cut it in two. Delimiters alone behind a whole row
	// are ignored anyway, unless its last field is a reference or a base.
	Ragged bool

	// RefFields are the fields that hold references, at most 255: header names or 1-based numbers in csv and
	// tsv, JSON paths in jsonl ("url", "a.b", "links[].href", "a[0]", `a["b.c"]`, "." for the whole
	// value). With several of them, each is an element of its own, by its name. A record that has
	// none of them is refused as missing_field. Default: "ref", else "url"; without a header field 1.
	// Not for text and logs.
	RefFields []string
	// EmbeddedBaseField is the field of the base URI embedded in the document's content. Default:
	// "embedded_base" where there is one.
	EmbeddedBaseField string
	// EntityBaseField is the field of the enclosing entity's base URI. Default: "entity_base"
	// where there is one.
	EntityBaseField string
	// BaseField is the field of the retrieval URI. Default: "base", else "document", where there
	// is one.
	BaseField string
	// Pass are further fields that become columns, named by "x_" and the field with everything but
	// letters, digits and "_" turned into "_". For logs: "agent", "client", "protocol", "user",
	// "vhost". Default none.
	Pass []string

	// VhostScheme is the scheme of a log's virtual hosts: "http", "https" or another scheme, or
	// "auto" (default): https where the virtual host ends in ":443", else http.
	VhostScheme string

	// MaxURIBytes is the normalizer's bound on a reference, in bytes; see MaxRecordBytes. Default
	// 64 KiB.
	MaxURIBytes int
	// MaxRecordBytes bounds a record, in bytes, line end excluded; a longer one is refused as
	// too_long. Default: MaxURIBytes for text, 16 MiB for the other formats. At most 256 MiB.
	MaxRecordBytes int
	// MaxExpansion bounds what comes out of a compressed input: 64 MiB and this many times what
	// went in. More is damage. Default 1000 (gzip can't go far beyond that), at least 1.
	MaxExpansion int
	// MaxPlainBytes bounds what comes out of one compressed input, in bytes. More is damage.
	// Default 0: no bound but MaxExpansion's.
	MaxPlainBytes int64
	// MaxWindowBytes bounds the window of a zstd frame and the dictionary of an xz block, and so
	// the memory that it takes to read them. More is damage. Default 128 MiB ("zstd --long=27"),
	// 1 KiB to 2 GiB ("zstd --long=31").
	MaxWindowBytes int64

	// Resumable keeps what Files.Mark needs. Every input must then be a file, and named once. Default
	// false.
	Resumable bool

	// Stdin is what "-" reads. Default os.Stdin.
	Stdin io.Reader
}

// An OptionError is one fault of Options.
type OptionError struct {
	Key      string // the field as configuration spells it: "max_record_bytes"
	Value    string // what was given
	Problem  string // what is wrong with it
	Accepted string // what would be taken, for a person to read
}

func (e *OptionError) Error() string {
	return fmt.Sprintf("%s: %q %s: want %s", e.Key, e.Value, e.Problem, e.Accepted)
}

// Validate reports all faults at once, joined; each is an *OptionError. It touches no file.
func (o Options) Validate() error {
	var f faults
	f.oneOf("input_format", o.Format, formats[:]...)
	f.oneOf("header", o.Header, "auto", "yes", "no")
	f.oneOf("quotes", o.Quotes, "yes", "no")
	f.bound("max_uri_bytes", int64(o.MaxURIBytes), 0, 64<<20)
	f.bound("max_record_bytes", int64(o.MaxRecordBytes), 0, maxRecordBytes)
	f.bound("max_expansion", int64(o.MaxExpansion), 0, 1<<30)
	f.bound("max_plain_bytes", o.MaxPlainBytes, 0, 1<<62)
	if o.MaxWindowBytes != 0 {
		f.bound("max_window_bytes", o.MaxWindowBytes, 1<<10, maxWindowBytes)
	}
	if _, ok := delimiterByte(o.Delimiter); !ok && o.Delimiter != "" {
		f.add("delimiter", o.Delimiter, "is no delimiter", `one byte (no quote, CR or LF) or "tab", "comma", "semicolon", "pipe", "space"`)
	}
	if o.VhostScheme != "" && !isScheme(o.VhostScheme) {
		f.add("vhost_scheme", o.VhostScheme, "is no scheme", `"http", "https" or "auto"`)
	}
	if len(o.RefFields) > 255 {
		f.add("ref_field", strconv.Itoa(len(o.RefFields))+" fields", "are too many", "at most 255")
	}
	f.check(o)
	return errors.Join(f...)
}

// faults collects what Validate finds.
type faults []error

func (f *faults) add(key, value, problem, accepted string) {
	*f = append(*f, &OptionError{key, value, problem, accepted})
}

func (f *faults) oneOf(key, value string, accepted ...string) {
	if value == "" {
		return
	}
	if slices.Contains(accepted, value) {
		return
	}
	f.add(key, value, "is not known", strings.Join(accepted, ", "))
}

func (f *faults) bound(key string, value, low, high int64) {
	if value < low || value > high {
		f.add(key, strconv.FormatInt(value, 10), "is out of range", fmt.Sprintf("%d to %d", low, high))
	}
}

// delimiterByte is the byte that a Delimiter stands for.
func delimiterByte(s string) (byte, bool) {
	switch s {
	case "tab", `\t`:
		return '\t', true
	case "comma":
		return ',', true
	case "semicolon":
		return ';', true
	case "pipe":
		return '|', true
	case "space":
		return ' ', true
	}
	if len(s) != 1 || s == "\"" || s == "\r" || s == "\n" {
		return 0, false
	}
	return s[0], true
}

// isScheme checks the grammar of RFC 3986 section 3.1.
func isScheme(s string) bool {
	for i := range len(s) {
		c := s[i]
		switch {
		case c|0x20 >= 'a' && c|0x20 <= 'z':
		case i > 0 && (c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return false
		}
	}
	return s != ""
}
