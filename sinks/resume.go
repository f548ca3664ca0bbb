package sinks

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/urisieve/urisieve/internal/fsys"
)

// Progress is how far the outputs of a resumable job are, at a moment when all of it is durable. It is encoded
// as JSON, and Resume takes it.
type Progress struct {
	Outlets []outletProgress `json:"outlets"`
}

// outletProgress is the progress of one output.
type outletProgress struct {
	Role     string            `json:"role"`
	Path     string            `json:"path"`
	Settings map[string]string `json:"settings"` // what its bytes depend on, beside the references
	Way      way               `json:"way"`
	Run      int               `json:"run,omitempty"` // number of the run in a dataset
	filesProgress
}

// filesProgress are the files of an output.
type filesProgress struct {
	Files []fileEntry `json:"files,omitempty"` // those that are complete
	Open  *openFile   `json:"open,omitempty"`  // the one that will be gone on with
}

// openFile is a file that isn't complete.
type openFile struct {
	fileEntry         // as far as it is written
	Pieces    []int64 `json:"pieces"` // where each of its pieces ends
}

// none: nothing was written.
func (p *filesProgress) none() bool { return len(p.Files) == 0 && p.Open == nil }

// has reports whether a file is among those that are complete.
func (p *filesProgress) has(name string) bool {
	return slices.ContainsFunc(p.Files, func(f fileEntry) bool { return f.Name == name })
}

// way is how an output gets to its place.
type way string

const (
	wayFile   way = "file"   // one file: renamed at the end
	wayFresh  way = "fresh"  // a dataset where there was none: its files are named at the end
	wayBeside way = "beside" // a dataset that replaces another: written beside it, swapped at the end
	wayRun    way = "run"    // a run that is added to a dataset: its files are named at the end
)

// resumable is a target whose files can be found again.
type resumable interface {
	target
	// way tells how the output gets to its place, once it is prepared.
	way() (w way, run int)
	// reopen is inspect and prepare for an output that lies as p says. It changes nothing but what a crash left
	// half done. The result isn't nil if the output was put in its place already.
	reopen(p *outletProgress) (*placed, error)
	// goOn, where reopen gave nil, takes away what isn't in p, and gives the file that is to be gone on with, nil where there is none.
	goOn(p *outletProgress) (*part, error)
	// keep takes away what isn't in p, from an output that is given up for now.
	keep(p *filesProgress) error
}

// placed is an output in its place.
type placed struct {
	path     string
	files    []fileEntry
	complete func() error // does what a crash left undone of that
}

// progress is that of the files, after a flush.
func (s *fileSet) progress() filesProgress {
	p := filesProgress{Files: slices.Clip(s.done)}
	if s.part != nil && s.resumable {
		entry := s.entry()
		entry.Bytes = s.part.bytes
		p.Open = &openFile{entry, slices.Clip(s.pieces)}
	}
	return p
}

// resume makes the files as they were.
func (s *fileSet) resume(p *filesProgress, open *part) error {
	s.done, s.flushed = slices.Clip(p.Files), *p
	if open == nil {
		return nil
	}
	s.part, s.rows, s.pieces = open, p.Open.Rows, slices.Clip(p.Open.Pieces)
	if p.Open.First != nil {
		s.first, s.last = *p.Open.First, *p.Open.Last
	}
	if p.Open.FirstKey != nil {
		s.keys = [2][]byte{[]byte(*p.Open.FirstKey), []byte(*p.Open.LastKey)}
	}
	return s.encoder.begin(open)
}

// Progress tells how far the outputs are. It is called on the goroutine that writes to the sinks, after all
// of them were flushed and before the next Write; the first time best right after Open, so that a job that ends before
// its first flush can be resumed, too. The Options must be Resumable.
func (out *Output) Progress() (Progress, error) {
	var p Progress
	for _, each := range out.outlets {
		if each.was != nil { // it was in its place already when the job was resumed
			p.Outlets = append(p.Outlets, *each.was)
			continue
		}
		target, ok := each.target.(resumable)
		if !ok || !each.sink.files.resumable {
			return Progress{}, errors.New("the outputs are not resumable: open them with Resumable")
		}
		if err := each.sink.failure(); err != nil {
			return Progress{}, err
		}
		if each.sink.isDirty() || each.sorter != nil && each.sorter.Pending() > 0 {
			return Progress{}, fmt.Errorf("%s %s: it wasn't flushed since the last write", each.role, each.sink.path)
		}
		o := outletProgress{Role: each.role, Path: shownPath(each.sink.path), Settings: each.settings, filesProgress: each.sink.files.flushed}
		o.Way, o.Run = target.way()
		p.Outlets = append(p.Outlets, o)
	}
	return p, nil
}

// shownPath is a path that JSON keeps apart from all others.
func shownPath(path string) string {
	if strings.ToValidUTF8(path, "") == path {
		return path
	}
	return strconv.QuoteToASCII(path)
}

// Resume opens the outputs of a job that ended before its time, as they were at its progress: what was written
// later is removed or cut off, what was put in its place already stays there. Options and Info must be those of
// the job. All faults come at once, joined, and then nothing was changed: settings that differ, an output
// that another process writes to (*BusyError), that something else was put in the place of (*ExistsError), or that
// isn't as the progress says any more.
func Resume(disk fsys.FS, o Options, info Info, p Progress) (*Output, error) {
	o.Resumable = true
	out, err := newOutput(disk, o, info)
	if err != nil {
		return nil, err
	}
	was, err := out.match(p)
	if err != nil {
		return nil, err
	}
	var faults []error
	placed := make([]*placed, len(out.outlets))
	for i, each := range out.outlets {
		if placed[i], err = each.target.(resumable).reopen(was[i]); err != nil {
			faults = append(faults, err)
		}
	}
	for i, each := range out.outlets {
		if len(faults) == 0 {
			if err := each.resume(was[i], placed[i]); err != nil {
				faults = append(faults, fmt.Errorf("%s %s: %w", each.role, each.sink.path, err))
			}
		}
	}
	if len(faults) > 0 {
		for _, each := range out.outlets {
			faults = append(faults, each.sink.files.leave())
		}
		return nil, errors.Join(append(faults, out.unlock())...)
	}
	for _, each := range out.outlets {
		each.sink.start()
	}
	return out, nil
}

// match finds the progress of each outlet, and reports all that differs from it.
func (out *Output) match(p Progress) ([]*outletProgress, error) {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	was := make([]*outletProgress, len(out.outlets))
	for i, each := range out.outlets {
		at := slices.IndexFunc(p.Outlets, func(o outletProgress) bool { return o.Role == each.role })
		if at < 0 {
			fault("%s: the job had none: leave it out, or begin anew", each.role)
			continue
		}
		was[i] = &p.Outlets[at]
		if path := shownPath(each.sink.path); path != was[i].Path {
			fault("%s: was %s when the job began, and is %s: give the old one, or begin anew", each.role, was[i].Path, path)
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(each.settings)) {
			if old, now := was[i].Settings[key], each.settings[key]; old != now {
				fault("%s %s: %s was %q when the job began, and is %q: give the old value, or begin anew", each.role, each.sink.path, key, old, now)
			}
		}
	}
	for _, o := range p.Outlets {
		if !slices.ContainsFunc(out.outlets, func(each *outlet) bool { return each.role == o.Role }) {
			fault("%s: was %s when the job began, and is nowhere now: give the old one, or begin anew", o.Role, o.Path)
		}
	}
	return was, errors.Join(faults...)
}

func (each *outlet) resume(was *outletProgress, placed *placed) error {
	files := each.sink.files
	if placed != nil {
		each.path, each.was = placed.path, was
		files.done, files.placed = placed.files, true
		return placed.complete()
	}
	part, err := each.target.(resumable).goOn(was)
	if err != nil {
		return err
	}
	return files.resume(&was.filesProgress, part)
}

// settingsOf are what the bytes of an output depend on, beside the references.
func settingsOf(o Options, env columnEnv, p place, plan *manifest, files *fileSet, columns []column) map[string]string {
	var list []string
	for i := range columns {
		list = append(list, fmt.Sprintf("%s:%d", columns[i].Name, columns[i].ID))
	}
	return map[string]string{
		"schema":             plan.Schema,
		"settings_id":        plan.SettingsID,
		"tool":               plan.Tool,
		"format":             plan.Format,
		"columns":            strings.ToValidUTF8(strings.Join(list, ","), "\uFFFD"),
		"public_suffix_list": plan.SuffixList,
		"elements":           strings.ToValidUTF8(strings.Join(env.Elements, ","), "\uFFFD"),
		"dedup":              strconv.FormatBool(env.Dedup),
		"compression":        p.compression,
		"compat":             o.Compat,
		"sort":               cmp.Or(o.Sort, SortNone),
		"queue_key":          cmp.Or(o.QueueKey, "host"),
		"row_group_rows":     strconv.Itoa(cmp.Or(o.RowGroupRows, DefaultRowGroupRows)),
		"file_rows":          strconv.FormatInt(files.maxRows, 10),
		"file_bytes":         strconv.FormatInt(files.maxBytes, 10),
		"overwrite":          strconv.FormatBool(o.Overwrite),
		"append":             strconv.FormatBool(o.Append),
	}
}

// giveUp leaves an output that isn't finished: without a trace, or, if it is resumable and something was flushed,
// as it was then.
func (each *outlet) giveUp() error {
	files := each.sink.files
	target, ok := each.target.(resumable)
	if !ok || !files.resumable || files.flushed.none() && !each.closing {
		return errors.Join(files.drop(), each.target.abort())
	}
	return errors.Join(files.leave(), target.keep(&files.flushed))
}
