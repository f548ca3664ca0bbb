package sinks

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
)

func (t *dirTarget) way() (way, int) {
	switch {
	case t.work != t.path:
		return wayBeside, 0
	case t.run > 0:
		return wayRun, t.run
	}
	return wayFresh, 0
}

func (t *dirTarget) reopen(p *outletProgress) (*placed, error) {
	if p.Way == wayBeside {
		if err := t.recoverSwap(); err != nil {
			return nil, err
		}
	}
	if err := t.takeLock(); err != nil {
		return nil, err
	}
	t.work, t.run = t.path, p.Run
	if p.Way == wayBeside {
		return t.reopenBeside(p)
	}
	return t.reopenStaged(p)
}

// reopenStaged looks at a run whose files lie in their directory under names that readers skip.
func (t *dirTarget) reopenStaged(p *outletProgress) (*placed, error) {
	names, raw, err := t.list(t.path)
	if err != nil {
		return nil, fmt.Errorf("output: %w", err)
	}
	for _, name := range []string{manifestOf(t.run), stagedOf(manifestOf(t.run))} {
		if slices.Contains(raw, name) {
			return t.reopenClosed(t.path, name, p)
		}
	}
	if p.Way == wayRun {
		if err := t.fits(names, raw); err != nil {
			return nil, err
		}
	} else {
		for i, n := range names {
			if n.kind.visible() {
				return nil, &ExistsError{Path: t.path, Found: raw[i], Foreign: n.kind == nameForeign}
			}
		}
	}
	return nil, t.checkSizes(p)
}

// reopenClosed looks at a run whose manifest is written: it counts, and may only lack names yet.
func (t *dirTarget) reopenClosed(dir, name string, p *outletProgress) (*placed, error) {
	m, err := t.readManifest(dir, name)
	if err != nil {
		return nil, err
	}
	if !m.closes(p) {
		return nil, missing(dir, "holds another run (%s)", name)
	}
	return &placed{dir, m.Files, t.complete}, nil
}

func (t *dirTarget) readManifest(dir, name string) (*manifest, error) {
	text, err := readAll(t.disk, filepath.Join(dir, name))
	if err != nil {
		return nil, fmt.Errorf("output: %w", err)
	}
	m, err := parseManifest(text)
	if err != nil {
		return nil, fmt.Errorf("output %s: %s: %w", dir, name, err)
	}
	return m, nil
}

// closes reports whether m is the manifest of the files in p. A run without rows got its one file at the end.
func (m *manifest) closes(p *outletProgress) bool {
	if len(p.Files) == 0 {
		return len(m.Files) == 1 && m.Files[0].Rows == 0
	}
	return reflect.DeepEqual(m.Files, p.Files)
}

// reopenBeside looks at a dataset that is written beside the one that it is to replace.
func (t *dirTarget) reopenBeside(p *outletProgress) (_ *placed, err error) {
	if t.swap, err = takeLock(t.disk, t.path, t.beside("lock")); err != nil {
		return nil, err
	}
	fresh := t.beside("new")
	there, err := exists(t.disk, fresh)
	if err != nil {
		return nil, fmt.Errorf("output: %w", err)
	}
	if !there && len(p.Files) > 0 {
		return t.reopenSwapped(p)
	}
	t.work = fresh
	names, raw, err := t.list(fresh)
	if err != nil {
		return nil, fmt.Errorf("output: %w", err)
	}
	for i, n := range names {
		if n.kind == nameForeign {
			return nil, &ExistsError{Path: fresh, Found: raw[i], Foreign: true}
		}
	}
	return nil, t.checkSizes(p)
}

// reopenSwapped looks for a dataset where it lies once it is finished.
func (t *dirTarget) reopenSwapped(p *outletProgress) (*placed, error) {
	for _, dir := range []string{t.path, t.kept()} {
		there, err := exists(t.disk, filepath.Join(dir, manifestOf(0)))
		if err != nil {
			return nil, fmt.Errorf("output: %w", err)
		}
		if !there {
			continue
		}
		m, err := t.readManifest(dir, manifestOf(0))
		if err != nil {
			return nil, err
		}
		if m.closes(p) {
			return &placed{dir, m.Files, func() error { return t.disk.SyncDir(filepath.Dir(t.path)) }}, nil
		}
	}
	return nil, missing(t.beside("new"), "is not there")
}

// checkSizes reports every file of p that is missing or has another size.
func (t *dirTarget) checkSizes(p *outletProgress) error {
	var faults []error
	for _, f := range p.Files {
		name := f.Name
		if t.stages() {
			name = stagedOf(name)
		}
		name = filepath.Join(t.work, name)
		there, err := exists(t.disk, name)
		if err != nil {
			faults = append(faults, fmt.Errorf("output: %w", err))
			continue
		}
		if !there {
			faults = append(faults, missing(name, "is not there"))
			continue
		}
		info, err := t.disk.Stat(name)
		if err != nil {
			faults = append(faults, fmt.Errorf("output: %w", err))
		} else if info.Size() != f.Bytes {
			faults = append(faults, missing(name, "has %d bytes, and had %d", info.Size(), f.Bytes))
		}
	}
	return errors.Join(faults...)
}

// goOn makes the directory hold what is in p and nothing else of the run. There is no open file: each flush ends
// a part.
func (t *dirTarget) goOn(p *outletProgress) (*part, error) {
	if t.work != t.path {
		if err := t.makeBeside(); err != nil {
			return nil, err
		}
		// It may have been whole, but not in its place yet: it will be closed again.
		for _, name := range []string{successName, manifestOf(0)} {
			if err := removeIfThere(t.disk, filepath.Join(t.work, name)); err != nil {
				return nil, err
			}
		}
	}
	return nil, t.keep(&p.filesProgress)
}

func (t *dirTarget) keep(p *filesProgress) error {
	names, raw, err := t.list(t.work)
	if err != nil {
		return err
	}
	kind := namePart
	if t.stages() {
		kind = nameStaged
		if slices.Contains(raw, stagedOf(manifestOf(t.run))) || slices.Contains(raw, manifestOf(t.run)) {
			return nil // it counts
		}
	}
	for i, n := range names {
		if n.kind == nameTemp || n.kind == kind && n.run == t.run && !p.has(n.base) {
			if err := removeIfThere(t.disk, filepath.Join(t.work, raw[i])); err != nil {
				return err
			}
		}
	}
	return t.disk.SyncDir(t.work)
}

// complete gives a run that counts the names that it lacks.
func (t *dirTarget) complete() error {
	names, raw, err := t.list(t.path)
	if err != nil {
		return err
	}
	if err := t.clean(t.path, names, raw); err != nil {
		return err
	}
	name := manifestOf(t.run)
	staged := slices.Contains(raw, stagedOf(name))
	if staged {
		name = stagedOf(name)
	}
	m, err := t.readManifest(t.path, name)
	switch {
	case err != nil:
		return err
	case staged:
		return t.nameRun(t.run, m.Complete, names, raw)
	case t.run == 0 && m.Complete:
		return t.markSuccess(t.path)
	}
	return nil
}
