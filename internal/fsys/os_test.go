package fsys

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestPublishNeverReplaces(t *testing.T) {
	ways := map[string]func(a, b string) error{
		"chosen by the system": OS{}.Publish,
		"by link":              publishByLink,
		"by looking":           publishByLooking,
	}
	for name, publish := range ways {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
			write(t, a, "new")
			write(t, b, "old")
			if err := publish(a, b); !errors.Is(err, fs.ErrExist) {
				t.Errorf("over a file: got %v, want fs.ErrExist", err)
			}
			if text, _ := os.ReadFile(b); string(text) != "old" {
				t.Errorf("the old file was replaced by %q", text)
			}
			if err := publish(a, filepath.Join(dir, "c")); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(a); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the first name is still there: %v", err)
			}
			if text, _ := os.ReadFile(filepath.Join(dir, "c")); string(text) != "new" {
				t.Errorf("published %q, want new", text)
			}
			if err := publish(a, filepath.Join(dir, "d")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("of no file: got %v, want fs.ErrNotExist", err)
			}
		})
	}
}

func TestLockIsExclusiveUntilClosedAndLeavesNoFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	first, err := OS{}.Lock(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (OS{}).Lock(name); !errors.Is(err, ErrLocked) {
		t.Errorf("second holder: got %v, want ErrLocked", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the lock file stays: %v", err)
	}
	again, err := OS{}.Lock(name)
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}

func TestLockClosedAfterItsDirectoryMovedLeavesTheNewHolderAlone(t *testing.T) {
	dir := t.TempDir()
	old, moved := filepath.Join(dir, "d"), filepath.Join(dir, "moved")
	os.Mkdir(old, 0o755)
	first, err := OS{}.Lock(filepath.Join(old, "lock"))
	if err != nil {
		t.Fatal(err)
	}
	os.Rename(old, moved)
	os.Mkdir(old, 0o755)
	second, err := OS{}.Lock(filepath.Join(old, "lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	first.Close()
	if _, err := os.Stat(filepath.Join(old, "lock")); err != nil {
		t.Errorf("the second holder's file is gone: %v", err)
	}
}

func TestOpenFileOfNothingGivesANilFile(t *testing.T) {
	f, err := OS{}.OpenFile(filepath.Join(t.TempDir(), "no"), os.O_RDONLY, 0)
	if f != nil || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, %v", f, err)
	}
}

func TestSyncDirTakesADirectory(t *testing.T) {
	if err := (OS{}).SyncDir(t.TempDir()); err != nil {
		t.Error(err)
	}
}
