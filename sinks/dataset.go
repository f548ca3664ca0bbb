package sinks

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/urisieve/urisieve/internal/fsys"
)

// dirTarget is a dataset: a directory of part files. It is written in one of three ways.
//
// Fresh, where there was nothing: parts are published as they fill; the manifest, then _SUCCESS, come last. Where it is
// to be resumable, it is written like an appended run instead, and then marked with _SUCCESS.
//
// Overwriting: the new dataset is written whole into a directory beside (".out.urisieve-new"), with
// manifest and _SUCCESS. Then the old one is renamed out of the way (".out.urisieve-old"), the new one into
// its place, and the old one removed. A crash between the two renames leaves both; the next
// Open puts the new one in place.
//
// Appending: the parts of the new run lie in the directory under names that readers skip
// (".run-0001-part-000000.parquet.staged"). With its manifest staged, too, the run counts: then each file gets
// its name. A crash among those leaves a part of them; the next Open names the rest.
type dirTarget struct {
	disk      fsys.FS
	path      string
	ext       string
	overwrite bool
	append    bool
	hidden    bool      // parts of a fresh dataset bear their names at the end only, so that it can be resumed
	plan      *manifest // what this run will write: for append, it must fit what is there

	run     int       // number of the run, 0 for a dataset's first
	work    string    // where parts are written: path, or beside it
	created bool      // the directory is ours
	lock    io.Closer // of the dataset
	swap    io.Closer // of the directory beside
}

func (t *dirTarget) beside(what string) string {
	return filepath.Join(filepath.Dir(t.path), "."+filepath.Base(t.path)+".urisieve-"+what)
}

func (t *dirTarget) rolls() bool { return true }

// list gives what is in the directory; nothing when it isn't there.
func (t *dirTarget) list(dir string) (names []fileName, raw []string, err error) {
	entries, err := t.disk.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		n := parseName(e.Name())
		if e.IsDir() {
			n = fileName{}
		}
		names, raw = append(names, n), append(raw, e.Name())
	}
	return names, raw, nil
}

func (t *dirTarget) inspect() error {
	if err := t.recoverSwap(); err != nil {
		return err
	}
	if info, err := t.disk.Stat(t.path); err == nil && !info.IsDir() {
		return fmt.Errorf("output %s is not a directory; a file must end in .parquet, .jsonl or .txt", t.path)
	}
	names, raw, err := t.list(t.path)
	if err != nil {
		return fmt.Errorf("output: %w", err)
	}
	if _, err = t.judge(names, raw); err != nil || !t.append {
		return err
	}
	return t.fits(names, raw)
}

// judge says whether the directory counts as empty, and refuses what the mode can't take.
func (t *dirTarget) judge(names []fileName, raw []string) (empty bool, err error) {
	empty = true
	found, part := "", false // what to name: a part says best what lies there
	for i, n := range names {
		switch {
		case n.kind == nameForeign && t.overwrite:
			return false, &ExistsError{Path: t.path, Found: raw[i], Foreign: true}
		case n.kind.visible() || n.kind == nameStaged:
			if empty || n.kind == namePart && !part {
				found, part = raw[i], n.kind == namePart
			}
			empty = false
		}
	}
	if !empty && !t.overwrite && !t.append {
		return false, &ExistsError{Path: t.path, Found: found}
	}
	return empty, nil
}

// fits refuses to append to a dataset of other settings, format or columns.
func (t *dirTarget) fits(names []fileName, raw []string) error {
	closed := map[int]bool{}
	for _, n := range names {
		if n.kind == nameManifest || n.kind == nameStaged && n.base == manifestOf(n.run) {
			closed[n.run] = true
		}
	}
	for i, n := range names {
		if n.kind == namePart && !closed[n.run] {
			return fmt.Errorf("output %s holds a run that did not end (%s, but no %s): overwrite it, or choose another output", t.path, raw[i], manifestOf(n.run))
		}
		if n.kind != nameManifest {
			continue
		}
		text, err := readAll(t.disk, filepath.Join(t.path, raw[i]))
		if err != nil {
			return fmt.Errorf("output: %w", err)
		}
		older, err := parseManifest(text)
		if err != nil {
			return fmt.Errorf("output %s: %s: %w", t.path, raw[i], err)
		}
		if err := t.plan.fits(older); err != nil {
			return fmt.Errorf("output %s can't be appended to: %w", t.path, err)
		}
	}
	return nil
}

func (t *dirTarget) prepare() error {
	err := t.prepareLocked()
	if err != nil {
		err = errors.Join(err, t.unlock())
	}
	return err
}

func (t *dirTarget) prepareLocked() error {
	if err := t.takeLock(); err != nil {
		return err
	}
	names, raw, err := t.list(t.path) // again, now that nobody else is at it
	if err != nil {
		return fmt.Errorf("output: %w", err)
	}
	empty, err := t.judge(names, raw)
	if err != nil {
		return err
	}
	t.work = t.path
	switch {
	case empty:
		return t.clean(t.path, names, raw)
	case t.overwrite:
		return t.prepareBeside()
	}
	if err := t.recoverRuns(names, raw); err != nil {
		return err
	}
	if names, _, err = t.list(t.path); err != nil { // without the runs that didn't count
		return fmt.Errorf("output: %w", err)
	}
	for _, n := range names {
		if n.kind.visible() {
			t.run = max(t.run, n.run+1)
		}
	}
	return nil
}

func (t *dirTarget) takeLock() error {
	there, err := exists(t.disk, t.path)
	if err != nil {
		return fmt.Errorf("output: %w", err)
	}
	if !there {
		t.created = true
		if err := mkdirDurable(t.disk, t.path); err != nil {
			return fmt.Errorf("output: %w", err)
		}
	}
	t.lock, err = takeLock(t.disk, t.path, filepath.Join(t.path, lockName))
	return err
}

// clean removes temporary files of a run that ended without a word. The lock is held: nobody is
// at them.
func (t *dirTarget) clean(dir string, names []fileName, raw []string) error {
	for i, n := range names {
		if n.kind == nameTemp {
			if err := removeIfThere(t.disk, filepath.Join(dir, raw[i])); err != nil {
				return fmt.Errorf("output: left over: %w", err)
			}
		}
	}
	return nil
}

// prepareBeside makes the directory for the new dataset.
func (t *dirTarget) prepareBeside() (err error) {
	t.swap, err = takeLock(t.disk, t.path, t.beside("lock"))
	if err != nil {
		return err
	}
	t.work = t.beside("new")
	if err := t.removeOurs(t.work); err != nil {
		return err
	}
	return t.makeBeside()
}

// makeBeside makes the directory, and its name durable where a job may be resumed in it.
func (t *dirTarget) makeBeside() error {
	err := t.disk.MkdirAll(t.work, 0o755)
	if err == nil && t.hidden {
		err = t.disk.SyncDir(filepath.Dir(t.work))
	}
	if err != nil {
		return fmt.Errorf("output: %w", err)
	}
	return nil
}

// removeOurs removes a dataset, but nothing that isn't one.
func (t *dirTarget) removeOurs(dir string) error {
	names, raw, err := t.list(dir)
	if err != nil {
		return fmt.Errorf("output: %w", err)
	}
	for i, n := range names {
		if n.kind == nameForeign {
			return &ExistsError{Path: dir, Found: raw[i], Foreign: true}
		}
	}
	if err := t.disk.RemoveAll(dir); err != nil {
		return fmt.Errorf("output: %w", err)
	}
	return nil
}

func (t *dirTarget) create(n int) (*part, error) {
	base := partName(t.run, n, t.ext)
	final := base
	if t.stages() {
		final = stagedOf(base)
	}
	return openPart(t.disk, t.work, tempOf(base), final, base)
}

// stages reports whether parts have names that readers skip until all of them are there.
func (t *dirTarget) stages() bool { return t.run > 0 || t.hidden && t.work == t.path }

func (t *dirTarget) finish(m *manifest, whole bool) (string, error) {
	if t.stages() {
		return t.path, t.finishRun(m)
	}
	if err := t.writeManifest(m, manifestOf(0)); err != nil {
		return "", err
	}
	if whole {
		if err := t.markSuccess(t.work); err != nil {
			return "", err
		}
	}
	if t.work == t.path {
		return t.path, nil
	}
	if !whole {
		return t.keepBeside()
	}
	return t.path, t.swapIn()
}

// writeManifest writes the manifest under a name and makes it durable.
func (t *dirTarget) writeManifest(m *manifest, final string) error {
	text, err := m.marshal()
	if err != nil {
		return err
	}
	if err := writeSmall(t.disk, t.work, manifestOf(t.run), final, text); err != nil {
		return err
	}
	return t.disk.SyncDir(t.work)
}

func (t *dirTarget) markSuccess(dir string) error {
	if there, err := exists(t.disk, filepath.Join(dir, successName)); there || err != nil {
		return err
	}
	if err := writeSmall(t.disk, dir, successName, successName, nil); err != nil {
		return err
	}
	return t.disk.SyncDir(dir)
}

func (t *dirTarget) abort() error {
	switch {
	case t.work == "":
		return nil
	case t.work != t.path:
		return t.disk.RemoveAll(t.work)
	}
	names, raw, err := t.list(t.path)
	if err != nil {
		return err
	}
	if err := t.clean(t.path, names, raw); err != nil {
		return err
	}
	if t.stages() {
		return t.dropRun(t.run, names, raw)
	}
	return nil
}

func (t *dirTarget) unlock() error {
	err := errors.Join(closeLock(&t.lock), closeLock(&t.swap))
	if t.created && t.work == t.path {
		// Only where nothing was published; else it isn't empty, and stays.
		_ = t.disk.Remove(t.path)
	}
	return err
}
