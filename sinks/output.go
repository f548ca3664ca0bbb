package sinks

import (
	"context"

	"github.com/urisieve/urisieve/internal/fsys"
	"github.com/urisieve/urisieve/pipeline"
)

// Info is what the sinks need to know about the run.
type Info struct {
	SettingsID string            // of the normalizer
	Tool       string            // name and version of the program: "urisieve 0.1.0"
	Columns    []pipeline.Column // the source's pass-through columns
	Elements   []string          // the source's element names
	KeyRules   bool              // key rules are on: url_key and url_key_fp are there
	Dedup      bool              // deduplication is on: dedup_state is not null
}

// Totals are the run's counts, for the manifest.
type Totals struct {
	References int64 `json:"references"`
	Unique     int64 `json:"unique"`
	Duplicates int64 `json:"duplicates"`
	Filtered   int64 `json:"filtered"`
	Rejected   int64 `json:"rejected"`
}

// Output is all that a run writes. Life: Open; the pipeline writes to the sinks and flushes them;
// then Finish or Abort, once. After Finish an Abort does nothing, so it can be deferred.
type Output struct{ main, rejects, duplicates pipeline.Sink }

// Open checks the options, looks at what is there and prepares the outputs. All faults come at once,
// joined; then nothing was created. An output that exists and isn't empty gives an *ExistsError, one that
// another process writes to a *BusyError.
func Open(fs fsys.FS, o Options, info Info) (*Output, error) { return &Output{}, o.Validate() }

// Main is the sink of unique references, and of duplicates when they are marked. On standard
// output it is a pipeline.IdleSink.
func (o *Output) Main() pipeline.Sink { return o.main }

// Rejects is the sink of refused references, nil when they are only counted.
func (o *Output) Rejects() pipeline.Sink { return o.rejects }

// Duplicates is the sink of duplicates with a path of their own, nil otherwise.
func (o *Output) Duplicates() pipeline.Sink { return o.duplicates }

// Finish makes all that was written durable, closes the datasets with their manifests, and puts
// them in their place. whole says that all input was read: only then a dataset gets its _SUCCESS and
// replaces or extends an older one; else what there is of it is kept, and Written says where.
func (o *Output) Finish(ctx context.Context, totals Totals, whole bool) error { return nil }

// Abort gives up: unfinished files are removed, an older dataset stays as it was. Files that
// were already published stay.
func (o *Output) Abort() error { return nil }

// Written tells what each output holds, after Finish: main, rejects, duplicates, those that are there.
func (o *Output) Written() []Written { return nil }

// Written is what one output holds.
type Written struct {
	Role  string // "main", "rejects" or "duplicates"
	Path  string // where it lies; "-" for standard output
	Files int
	Rows  int64
	Bytes int64 // as written, after compression
}
