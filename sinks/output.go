package sinks

import (
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"

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

// Output is all that a run writes. Life: Open; the pipeline writes to the sinks, flushes and may close
// them; then Finish or Abort, once. After Finish an Abort does nothing, so it can be deferred.
type Output struct {
	outlets []*outlet // duplicates, rejects, main: in the order in which they are finished
	done    bool
}

// outlet is one output of a run.
type outlet struct {
	role     string
	sink     *sink
	sorter   *pipeline.Sorter // in front of sink; nil: rows are written as they come
	target   target
	plan     manifest
	path     string            // where it lies, once finished
	settings map[string]string // see outletProgress
	was      *outletProgress   // of a job that was resumed, if it was finished before
	closing  bool              // it is being put in its place
}

// Open checks the options, looks at what is there and prepares the outputs. All faults come at once,
// joined; then nothing was created. An output that exists and isn't empty gives an *ExistsError, one that
// another process writes to a *BusyError.
func Open(disk fsys.FS, o Options, info Info) (*Output, error) {
	out, err := newOutput(disk, o, info)
	if err != nil {
		return nil, err
	}
	var faults []error
	for _, each := range slices.Backward(out.outlets) {
		faults = append(faults, each.target.inspect())
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return out, out.prepare()
}

// newOutput makes the outlets, and looks at nothing yet.
func newOutput(disk fsys.FS, o Options, info Info) (*Output, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	env := columnEnv{info, o.QueueKey}
	columns, columnFault := o.columns(env)
	suffixes, err := openSuffixes(o.PublicSuffixList, needHosts(columns))
	if err := errors.Join(columnFault, err); err != nil {
		return nil, err
	}
	out := &Output{}
	if p, ok := o.duplicatesPlace(); ok {
		out.add(disk, o, env, p, "duplicates", SchemaMain, columns, suffixes)
	}
	if p, ok := o.rejectsPlace(); ok {
		out.add(disk, o, env, p, "rejects", SchemaRejects, rejectColumns(env), suffixes)
	}
	out.add(disk, o, env, o.mainPlace(), "output", SchemaMain, columns, suffixes)
	return out, nil
}

// columns are those of the main output.
func (o Options) columns(env columnEnv) ([]column, error) {
	list := o.Columns
	if o.mainPlace().format == FormatText {
		list = "url"
	}
	return selectColumns(list, env)
}

func (out *Output) add(disk fsys.FS, o Options, env columnEnv, p place, role, schema string, columns []column, suffixes *SuffixList) {
	if schema != SchemaMain {
		o.Sort = SortNone
	}
	plan := manifest{Schema: schema, SettingsID: env.SettingsID, Tool: env.Tool, Format: p.format, SuffixList: suffixes.Version()}
	for i := range columns {
		plan.Columns = append(plan.Columns, columns[i].Name)
	}
	if o.sorts() {
		plan.Sort, plan.SortedBy = o.Sort, surtColumn
	}
	each := &outlet{role: role, plan: plan}
	each.target = newTarget(disk, o, p, &each.plan)
	files := &fileSet{
		target: each.target, encoder: newEncoder(p, o, env.Tool, schema, columns), maxRows: noLimit, maxBytes: noLimit,
		footer: footer(&plan, columns), resumable: o.Resumable,
	}
	if t, ok := each.target.(*fileTarget); ok {
		t.empty = files.empty
	}
	if each.target.rolls() {
		files.maxRows, files.maxBytes = o.FileRows, o.FileBytes
		if files.maxRows == 0 {
			files.maxRows = DefaultFileRows
		}
		if files.maxBytes == 0 {
			files.maxBytes = DefaultFileBytes
		}
	}
	each.settings = settingsOf(o, env, p, &plan, files, columns)
	each.sink = &sink{role: role, path: p.shown(), files: files, hosts: needHosts(columns), refs: &refs{cache: newHostCache(suffixes)}}
	if o.sorts() {
		each.sort(disk, o, env.Info)
	}
	out.outlets = append(out.outlets, each)
}

// sort puts a Sorter in front of the sink.
func (each *outlet) sort(disk fsys.FS, o Options, info Info) {
	s := pipeline.SorterOptions{Memory: o.SortMemory, Scratch: o.Scratch, Columns: info.Columns}
	if s.Memory == 0 {
		s.Memory = pipeline.DefaultSortMemory()
	}
	if _, two := o.duplicatesPlace(); two {
		s.Memory = max(s.Memory/2, 1)
	}
	if s.Scratch.FS == nil {
		s.Scratch.FS = disk
	}
	each.sink.files.sorted = true
	if o.Sort == SortFile && each.target.rolls() {
		// A stretch ends its file.
		s.StretchRows, each.sink.files.maxRows = each.sink.files.maxRows, noLimit
	}
	each.sorter = pipeline.NewSorter(each.sink, s)
}

// front is what takes the references.
func (each *outlet) front() pipeline.Sink {
	if each.sorter != nil {
		return each.sorter
	}
	return each.sink
}

func needHosts(columns []column) bool {
	return slices.ContainsFunc(columns, func(c column) bool { return c.needsHost })
}

// shown is a place's path for messages.
func (p place) shown() string {
	if p.stdout() {
		return "-"
	}
	return p.path
}

func newTarget(disk fsys.FS, o Options, p place, plan *manifest) target {
	switch {
	case p.stdout() && o.Stdout == nil:
		return &pipeTarget{os.Stdout}
	case p.stdout():
		return &pipeTarget{o.Stdout}
	case p.single:
		return &fileTarget{disk: disk, path: p.path, overwrite: o.Overwrite}
	}
	return &dirTarget{
		disk: disk, path: p.path, ext: extension(p.format, p.compression), overwrite: o.Overwrite, append: o.Append,
		hidden: o.Resumable, plan: plan,
	}
}

// footer is what every file of an output says about itself.
func footer(m *manifest, columns []column) []keyValue {
	kv := []keyValue{
		{"urisieve.schema", m.Schema},
		{"urisieve.settings_id", m.SettingsID},
		{"urisieve.tool", m.Tool},
		{"urisieve.hash", "xxh3-128, seed 0, big-endian"},
		{"urisieve.public_suffix_list", m.SuffixList},
	}
	if m.Sort != "" {
		kv = append(kv, keyValue{"urisieve.sort", m.Sort}, keyValue{"urisieve.sorted_by", m.SortedBy})
	}
	for i := range columns {
		if columns[i].Kind != KindBits {
			continue
		}
		var names []string
		for bit, name := range columns[i].bits {
			if name != "" {
				names = append(names, strconv.Itoa(bit)+"="+name)
			}
		}
		kv = append(kv, keyValue{"urisieve.bits." + columns[i].Name, strings.Join(names, ",")})
	}
	return kv
}

// prepare makes every output ready; when one can't be, those before it are given up again.
func (out *Output) prepare() error {
	for i, each := range out.outlets {
		if err := each.target.prepare(); err != nil {
			for _, made := range out.outlets[:i] {
				err = errors.Join(err, made.target.abort(), made.target.unlock())
			}
			return err
		}
	}
	for _, each := range out.outlets {
		each.sink.start()
	}
	return nil
}

func (out *Output) of(role string) pipeline.Sink {
	for _, each := range out.outlets {
		if each.role == role {
			return each.front()
		}
	}
	return nil
}

// Main is the sink of unique references, and of duplicates when they are marked. It is a
// pipeline.IdleSink, or, where rows are sorted, a pipeline.Sorter.
func (out *Output) Main() pipeline.Sink { return out.of("output") }

// Rejects is the sink of refused references, nil when they are only counted.
func (out *Output) Rejects() pipeline.Sink { return out.of("rejects") }

// Duplicates is the sink of duplicates with a path of their own, nil otherwise.
func (out *Output) Duplicates() pipeline.Sink { return out.of("duplicates") }

// Finish makes all that was written durable, closes the datasets with their manifests, and puts
// everything in its place, the main output last. whole says that all input was read: only then a dataset gets
// its _SUCCESS, and only then something older is replaced; else what there is of it is kept as
// "out.incomplete" beside. Written says where. After an error the outputs are as Abort leaves them.
func (out *Output) Finish(ctx context.Context, totals Totals, whole bool) error {
	if out.done {
		return nil
	}
	if err := out.flushAll(ctx); err != nil {
		return errors.Join(err, out.Abort())
	}
	for _, each := range out.outlets {
		if each.path != "" {
			continue // since before the job was resumed
		}
		if err := each.finish(totals, whole); err != nil {
			each.sink.fail(err)
			return errors.Join(each.sink.failure(), out.Abort())
		}
	}
	out.done = true
	return out.unlock()
}

// flushAll ends all sinks with everything in its files, before any output is put in its place.
func (out *Output) flushAll(ctx context.Context) error {
	for _, each := range out.outlets {
		if !each.sink.closed {
			if err := each.front().Flush(ctx); err != nil {
				return err
			}
		}
		if err := errors.Join(each.close(), each.sink.failure()); err != nil {
			return err
		}
	}
	return nil
}

// close ends the sink. Rows that were not put in order are given up, and so is the output.
func (each *outlet) close() error {
	err := each.front().Close()
	if each.sorter != nil && each.sorter.Pending() > 0 {
		each.sink.fail(errUnflushed)
	}
	return err
}

func (each *outlet) finish(totals Totals, whole bool) (err error) {
	files := each.sink.files
	if err := files.finish(); err != nil {
		return err
	}
	m := &each.plan
	m.Complete, m.Counts, m.Files = whole, totals, files.done
	m.Rows, m.Bytes = files.sums()
	each.closing = true
	each.path, err = each.target.finish(m, whole)
	return err
}

// Abort gives up: unfinished files are removed, an older dataset stays as it was. Files that
// were already published stay. Of resumable outputs all that was flushed stays, for Resume.
func (out *Output) Abort() error {
	if out.done {
		return nil
	}
	out.done = true
	var faults []error
	for _, each := range out.outlets {
		faults = append(faults, each.close())
		if each.path == "" { // else it was finished before the fault of another one
			faults = append(faults, each.giveUp())
		}
	}
	return errors.Join(append(faults, out.unlock())...)
}

func (out *Output) unlock() error {
	var faults []error
	for _, each := range out.outlets {
		faults = append(faults, each.target.unlock())
	}
	return errors.Join(faults...)
}

// Written is what one output holds.
type Written struct {
	Role  string // "output", "rejects" or "duplicates"
	Path  string // where it lies; "-" for standard output
	Files int
	Rows  int64
	Bytes int64 // as written, after compression
	Sort  pipeline.SortStats
}

// Written tells what each output holds, after Finish: the main one first.
func (out *Output) Written() []Written {
	var list []Written
	for _, each := range slices.Backward(out.outlets) {
		rows, bytes := each.sink.files.sums()
		w := Written{Role: each.role, Path: each.path, Files: len(each.sink.files.done), Rows: rows, Bytes: bytes}
		if each.sorter != nil {
			w.Sort = each.sorter.Stats()
		}
		list = append(list, w)
	}
	return list
}
