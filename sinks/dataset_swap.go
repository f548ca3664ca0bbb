package sinks

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
)

// swapIn puts the new dataset in the place of the old one.
func (t *dirTarget) swapIn() error {
	parent, old := filepath.Dir(t.path), t.beside("old")
	// The new one's own name must be durable before the old one's goes.
	if err := t.disk.SyncDir(parent); err != nil {
		return err
	}
	if err := t.disk.Rename(t.path, old); err != nil {
		return fmt.Errorf("%w (a mount point can't be replaced: write to a directory in it)", err)
	}
	if err := t.disk.Rename(t.work, t.path); err != nil {
		return errors.Join(err, t.disk.Rename(old, t.path))
	}
	t.work = t.path
	if err := t.disk.SyncDir(parent); err != nil {
		return err
	}
	if err := t.disk.RemoveAll(old); err != nil {
		return err
	}
	return t.disk.SyncDir(parent)
}

// kept is where a dataset of incomplete input lies that replaces nothing.
func (t *dirTarget) kept() string { return t.path + ".incomplete" }

// keepBeside keeps a dataset of incomplete input under a name of its own, and leaves the old one.
func (t *dirTarget) keepBeside() (string, error) {
	kept := t.kept()
	if err := t.removeOurs(kept); err != nil {
		return "", err
	}
	if err := t.disk.Rename(t.work, kept); err != nil {
		return "", err
	}
	t.work = ""
	return kept, t.disk.SyncDir(filepath.Dir(t.path))
}

// recoverSwap settles what a crash while overwriting left. The old dataset under its other name says that
// the new one was whole.
func (t *dirTarget) recoverSwap() error {
	old, fresh := t.beside("old"), t.beside("new")
	left, err := exists(t.disk, old)
	if err != nil || !left {
		return err
	}
	lock, err := takeLock(t.disk, t.path, t.beside("lock"))
	if err != nil {
		return err
	}
	return errors.Join(t.recoverSwapLocked(old, fresh), lock.Close())
}

func (t *dirTarget) recoverSwapLocked(old, fresh string) error {
	parent := filepath.Dir(t.path)
	there, err := exists(t.disk, t.path)
	if err != nil {
		return err
	}
	whole, err := exists(t.disk, filepath.Join(fresh, successName))
	if err != nil {
		return err
	}
	switch {
	case there && whole:
		return fmt.Errorf("output %s: a run that was to replace it ended in between, and since then it was written anew: keep one of it, %s (old) and %s (new), and remove the others", t.path, old, fresh)
	case whole:
		err = t.disk.Rename(fresh, t.path)
	case !there:
		err = t.disk.Rename(old, t.path)
	}
	if err != nil {
		return err
	}
	if err := t.disk.SyncDir(parent); err != nil {
		return err
	}
	if err := t.disk.RemoveAll(old); err != nil {
		return err
	}
	return t.disk.SyncDir(parent)
}

// finishRun makes a staged run visible. From the moment that its manifest is staged it counts.
func (t *dirTarget) finishRun(m *manifest) error {
	if err := t.writeManifest(m, stagedOf(manifestOf(t.run))); err != nil {
		return err
	}
	names, raw, err := t.list(t.path)
	if err != nil {
		return err
	}
	return t.nameRun(t.run, m.Complete, names, raw)
}

// nameRun gives the files of a staged run their names, the manifest last.
func (t *dirTarget) nameRun(run int, complete bool, names []fileName, raw []string) error {
	if !complete {
		if err := removeIfThere(t.disk, filepath.Join(t.path, successName)); err != nil {
			return err
		}
	}
	manifest := manifestOf(run)
	for i, n := range names {
		if n.kind != nameStaged || n.run != run || n.base == manifest {
			continue
		}
		if err := t.name(raw[i], n.base); err != nil {
			return err
		}
	}
	if err := t.disk.SyncDir(t.path); err != nil {
		return err
	}
	if err := t.name(stagedOf(manifest), manifest); err != nil {
		return err
	}
	if err := t.disk.SyncDir(t.path); err != nil || run > 0 || !complete {
		return err
	}
	return t.markSuccess(t.path)
}

// name publishes a staged file. Where publishing takes two steps, a crash can have left both names; nobody
// else makes the second one while the lock is held, so it is the same file.
func (t *dirTarget) name(staged, final string) error {
	staged = filepath.Join(t.path, staged)
	err := t.disk.Publish(staged, filepath.Join(t.path, final))
	if errors.Is(err, fs.ErrExist) {
		return removeIfThere(t.disk, staged)
	}
	return err
}

// recoverRuns settles appended runs that a crash left: one whose manifest is staged is named, any
// other is removed.
func (t *dirTarget) recoverRuns(names []fileName, raw []string) error {
	if err := t.clean(t.path, names, raw); err != nil {
		return err
	}
	var runs []int
	for _, n := range names {
		if n.kind == nameStaged && !slices.Contains(runs, n.run) {
			runs = append(runs, n.run)
		}
	}
	for _, run := range runs {
		staged := stagedOf(manifestOf(run))
		if !slices.Contains(raw, staged) {
			if err := t.dropRun(run, names, raw); err != nil {
				return err
			}
			continue
		}
		text, err := readAll(t.disk, filepath.Join(t.path, staged))
		if err != nil {
			return fmt.Errorf("output: %w", err)
		}
		m, err := parseManifest(text)
		if err != nil {
			return fmt.Errorf("output %s: %s: %w", t.path, staged, err)
		}
		if err := t.nameRun(run, m.Complete, names, raw); err != nil {
			return fmt.Errorf("output: %w", err)
		}
	}
	return nil
}

// dropRun removes the staged files of a run that doesn't count.
func (t *dirTarget) dropRun(run int, names []fileName, raw []string) error {
	for i, n := range names {
		if n.kind == nameStaged && n.run == run {
			if err := removeIfThere(t.disk, filepath.Join(t.path, raw[i])); err != nil {
				return err
			}
		}
	}
	return nil
}
