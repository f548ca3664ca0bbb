package sinks

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Fault texts that more than one option shares.
const wantPath = "a directory, or a file ending in .parquet, .jsonl or .txt"

func (o Options) mainPlace() place {
	return o.placeOf(o.Output, o.Format)
}

// placeOf reads a path; format is what it holds unless its extension says otherwise.
func (o Options) placeOf(path, format string) place {
	if path == "-" {
		if format == "" {
			format = FormatText
		}
		return place{single: true, format: format, compression: o.codec(format, "")}
	}
	ext, packed := byExtension(path)
	if ext != "" && !strings.HasSuffix(path, "/") {
		return place{path: filepath.Clean(path), single: true, format: ext, compression: o.codec(ext, packed)}
	}
	if format == "" {
		format = FormatParquet
	}
	return place{path: filepath.Clean(path), format: format, compression: o.codec(format, "")}
}

// codec is the compression of a file: what its extension says, else the option.
func (o Options) codec(format, byName string) string {
	if format == FormatParquet || byName != "" || o.Compression == "none" {
		return byName
	}
	return o.Compression
}

// rejectsPlace is where refused references go; false for nowhere.
func (o Options) rejectsPlace() (place, bool) {
	main := o.mainPlace()
	format := main.format
	if format == FormatText {
		format = FormatJSONL
	}
	switch {
	case o.Rejects == "none" || o.Rejects == "" && main.stdout():
		return place{}, false
	case o.Rejects != "":
		return o.placeOf(o.Rejects, format), true
	case main.single:
		stem, _ := splitExtension(main.path)
		return place{path: stem + ".rejects" + extension(format, main.compression), single: true, format: format, compression: main.compression}, true
	}
	return place{path: main.path + ".rejects", format: format, compression: main.compression}, true
}

// duplicatesPlace is where duplicates go when they go by themselves; false otherwise.
func (o Options) duplicatesPlace() (place, bool) {
	switch o.Duplicates {
	case "", DuplicatesDrop, DuplicatesMark:
		return place{}, false
	}
	return o.placeOf(o.Duplicates, o.mainPlace().format), true
}

// extension is the end of a file's name.
func extension(format, compression string) string {
	ext := map[string]string{FormatParquet: ".parquet", FormatJSONL: ".jsonl", FormatText: ".txt"}[format]
	return ext + map[string]string{"gzip": ".gz", "zstd": ".zst"}[compression]
}

// validatePlaces checks the three paths against each other and against the options.
func (o Options) validatePlaces() (faults []error) {
	fault := func(key, value, accepted string) { faults = append(faults, &OptionError{key, value, accepted}) }
	if o.Output == "" {
		return nil
	}
	main := o.mainPlace()
	if ext, packed := byExtension(o.Output); main.single && !main.stdout() {
		if o.Format != "" && o.Format != ext {
			fault("format", o.Format, fmt.Sprintf("%s, as the extension of %s says", ext, o.Output))
		}
		if o.Compression != "" && ext != FormatParquet && o.Compression != packed && (packed != "" || o.Compression != "none") {
			fault("compression", o.Compression, fmt.Sprintf("what the extension of %s says", o.Output))
		}
	}
	if main.single && o.Append {
		fault("append", "true", "a directory as output: one file can't take a second run")
	}
	if main.stdout() && main.format == FormatParquet && o.StdoutIsTerminal {
		fault("output", "-", "a file, a directory or a pipe: Parquet is not for a terminal")
	}
	if main.format == FormatText && o.Columns != "" && o.Columns != "url" {
		fault("columns", o.Columns, "none: text has the one column url; choose jsonl or parquet for more")
	}
	if main.stdout() && o.Resumable {
		fault("output", "-", "a file or a directory: what was written to standard output can't be gone on with")
	}
	if main.stdout() && o.Rejects == "" {
		fault("rejects", "", `a path, or "none", when the output is "-"`)
	}
	return append(faults, o.validateOthers(main)...)
}

// validateOthers checks the places of rejects and duplicates.
func (o Options) validateOthers(main place) (faults []error) {
	used := map[string]string{main.path: "output"}
	check := func(key, value string, p place, ok bool) {
		if !ok {
			return
		}
		if p.stdout() {
			faults = append(faults, &OptionError{key, value, wantPath})
			return
		}
		if other, taken := used[p.path]; taken {
			faults = append(faults, &OptionError{key, value, "another path than that of " + other})
		}
		used[p.path] = key
	}
	p, ok := o.rejectsPlace()
	if ok && p.format == FormatText {
		faults = append(faults, &OptionError{"rejects", o.Rejects, "parquet or jsonl: a line of text can't hold what a reject needs"})
	}
	if ok && p.single && o.Append {
		faults = append(faults, &OptionError{"rejects", o.Rejects, "a directory when append is on"})
	}
	check("rejects", o.Rejects, p, ok)
	p, ok = o.duplicatesPlace()
	check("duplicates", o.Duplicates, p, ok)
	if ok && p.single && o.Append {
		faults = append(faults, &OptionError{"duplicates", o.Duplicates, "a directory when append is on"})
	}
	return faults
}
