package fsys

import (
	"errors"
	"syscall"
	"testing"
)

// TestNamelessFilesNeverHaveAName: a process that is killed at any moment leaves nothing.
func TestNamelessFilesNeverHaveAName(t *testing.T) {
	dir := t.TempDir()
	f, err := OS{}.Nameless(dir)
	if errors.Is(err, syscall.EOPNOTSUPP) {
		t.Skipf("SKIPPED: the file system of %s has no O_TMPFILE", dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Sys().(*syscall.Stat_t).Nlink != 0 {
		t.Errorf("%v, %v", info, err)
	}
}
