package sinks

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urisieve/urisieve/internal/fsys"
)

// Formats of an output.
const (
	FormatParquet = "parquet"
	FormatJSONL   = "jsonl"
	FormatText    = "text"
)

// What becomes of duplicates, apart from a path of their own.
const (
	DuplicatesDrop = "drop"
	DuplicatesMark = "mark"
)

// What Options.Sort may be.
const (
	SortNone   = "none"
	SortFile   = "file"
	SortGlobal = "global"
)

// Defaults and bounds of Options.
const (
	DefaultRowGroupRows = 100_000
	MinRowGroupRows     = 1_000
	MaxRowGroupRows     = 10_000_000
	DefaultFileRows     = 10_000_000
	DefaultFileBytes    = 512 << 20
	MinFileBytes        = 64 << 10
)

// Options say where output goes and in what shape. The zero value with an Output is usable.
type Options struct {
	// Output is a directory (a dataset of part files), a file by its extension (.parquet, .jsonl,
	// .ndjson, .txt; the latter three also with .gz or .zst), or "-" for standard output.
	Output string
	// Format is "parquet", "jsonl" or "text". Default "": by the extension of Output; "parquet"
	// for a directory, "text" for "-". It must agree with an extension.
	Format string
	// Compression of JSON lines and text: "none", "gzip" or "zstd". Default "": by the extension
	// of Output, else "none". Parquet compresses its pages with zstd, whatever is said here.
	Compression string
	// Columns is a comma-separated list of presets ("min", "cc", "crawl", "log"), column names,
	// "x_*" (all pass-through columns) and "-name" (leave that one out again). Default "crawl".
	// Text has one column, url, and takes no list.
	Columns string
	// Compat is "" or "wide": Parquet for old readers, with data pages v1 and plain encoding.
	Compat string
	// RowGroupRows is the number of rows in a Parquet row group. Default 100,000; 1,000 to
	// 10,000,000. A row group is compressed in memory before it is written.
	RowGroupRows int
	// FileRows ends a part file at the first source record after so many rows. Default
	// 10,000,000; at least 1.
	FileRows int64
	// FileBytes ends a part file at the first source record after so many bytes. Default 512 MiB;
	// at least 64 KiB. Parquet counts what was written at the end of each row group, so a file can be
	// a row group longer; JSON lines and text count before compression.
	FileBytes int64
	// Overwrite replaces an output that exists, once the new one is whole. Default false: an
	// output that exists and isn't empty is refused.
	Overwrite bool
	// Append adds a run of its own ("run-0001-part-000000.parquet") to a dataset that exists.
	// Default false. Directories only.
	Append bool
	// Rejects is where refused references go: a path as Output takes it, or "none" to only count
	// them. Default "": beside the output ("out.rejects", "out.rejects.jsonl"); with Output "-" it
	// must be given. Its format is that of its extension, else Format; JSON lines where that is text.
	Rejects string
	// Duplicates is "drop", "mark" (they stay in the main output, dedup_state says "duplicate") or
	// a path as Output takes it, for a dataset with the same columns. Default "drop".
	Duplicates string
	// QueueKey says what the column queue_key holds: "host", "authority" or "registered_domain".
	// Default "host".
	QueueKey string
	// PublicSuffixList is a file in the format of publicsuffix.org's list. Default "": the list
	// that the program was built with. Its version is written to the files and is no part of the settings id.
	PublicSuffixList string
	// Resumable lets a job that ended before its time go on: see Output.Progress and Resume. Default false. Then
	// each flush ends a part file, a gzip member, a zstd frame, or a row group of Parquet, all files of a dataset
	// get their names at its end, and Abort keeps what was flushed. Not for standard output.
	Resumable bool
	// Sort puts the rows of the main output and of duplicates with a path of their own in ascending order of
	// url_surtkey, equal ones in the order in which they come. "global": over all files. "file": in each file. Default
	// "none", which is what "" is, too: as they come. With "global", and with "file" where the output is one file or
	// standard output, the sinks take one Flush, at the end.
	//
	// With "file", what comes is sorted in stretches: each ends at the first source record after FileRows rows. It is
	// written as a file; as several, in order, where FileBytes ends one before.
	Sort string
	// SortMemory is what sorting may use, in bytes; where duplicates have a path of their own, each output has half. Default
	// 0: pipeline.DefaultSortMemory.
	SortMemory int64
	// Scratch makes the temporary files of sorting. Default: on the disk of the output, in the system's directory.
	Scratch fsys.Scratch
	// Stdout is what Output "-" writes to. Default os.Stdout.
	Stdout io.Writer
	// StdoutIsTerminal refuses Parquet on standard output.
	StdoutIsTerminal bool
}

// OptionError is one fault of Options.
type OptionError struct {
	Key      string // the option as configuration spells it: "file_bytes"
	Value    string // what was given
	Accepted string // what would be taken, for a person to read
}

func (e *OptionError) Error() string {
	return fmt.Sprintf("%s: %q is not accepted: want %s", e.Key, e.Value, e.Accepted)
}

// Validate reports all faults that show without looking at the disk, joined; each is an
// *OptionError. Columns is checked by Open, which knows the source's own ones.
func (o Options) Validate() error {
	var faults []error
	fault := func(key string, value any, accepted string) {
		faults = append(faults, &OptionError{key, fmt.Sprint(value), accepted})
	}
	oneOf := func(key, value string, accepted ...string) {
		if slices.Contains(accepted, value) {
			return
		}
		fault(key, value, strings.Join(accepted[1:], ", "))
	}
	oneOf("format", o.Format, "", FormatParquet, FormatJSONL, FormatText)
	oneOf("compression", o.Compression, "", "none", "gzip", "zstd")
	oneOf("compat", o.Compat, "", "wide")
	oneOf("sort", o.Sort, "", SortNone, SortFile, SortGlobal)
	oneOf("queue_key", o.QueueKey, "", "host", "authority", "registered_domain")
	if o.Output == "" {
		fault("output", "", `a directory, a file ending in .parquet, .jsonl or .txt, or "-"`)
	}
	if n := o.RowGroupRows; n != 0 && (n < MinRowGroupRows || n > MaxRowGroupRows) {
		fault("row_group_rows", n, fmt.Sprintf("%d to %d", MinRowGroupRows, MaxRowGroupRows))
	}
	if o.FileRows < 0 {
		fault("file_rows", o.FileRows, "at least 1")
	}
	if n := o.FileBytes; n != 0 && n < MinFileBytes {
		fault("file_bytes", n, fmt.Sprintf("at least %d bytes", MinFileBytes))
	}
	if o.SortMemory < 0 {
		fault("sort_memory", o.SortMemory, "1 byte or more, or 0 for the default")
	}
	if o.Overwrite && o.Append {
		fault("append", "true", "either overwrite or append, not both")
	}
	faults = append(faults, o.validatePlaces()...)
	return errors.Join(faults...)
}

// sorts reports whether rows are sorted.
func (o Options) sorts() bool { return o.Sort == SortFile || o.Sort == SortGlobal }

// OneFlush reports whether an output takes one Flush alone, at the end, since all that is written to it is one order.
func (o Options) OneFlush() bool {
	if o.Sort != SortFile {
		return o.Sort == SortGlobal
	}
	one := func(p place) bool { return p.single || p.stdout() }
	duplicates, ok := o.duplicatesPlace()
	return one(o.mainPlace()) || ok && one(duplicates)
}

// place is one output by its parts.
type place struct {
	path        string // "" for standard output
	single      bool   // one file rather than a directory
	format      string
	compression string // "", "gzip", "zstd"
}

func (p place) stdout() bool { return p.path == "" }

// byExtension tells what a path says about its own content: nothing for a directory.
func byExtension(path string) (format, compression string) {
	name := strings.ToLower(filepath.Base(path))
	switch filepath.Ext(name) {
	case ".gz":
		compression = "gzip"
	case ".zst":
		compression = "zstd"
	}
	if compression != "" {
		name = strings.TrimSuffix(name, filepath.Ext(name))
	}
	switch filepath.Ext(name) {
	case ".parquet":
		format = FormatParquet
	case ".jsonl", ".ndjson":
		format = FormatJSONL
	case ".txt":
		format = FormatText
	}
	if format == "" || format == FormatParquet && compression != "" {
		return "", ""
	}
	return format, compression
}
