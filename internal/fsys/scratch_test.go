package fsys

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// recording is OS without Nameless. It notes what is made and taken away.
type recording struct {
	FS
	events []string
}

func (r *recording) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	r.events = append(r.events, "open "+filepath.Dir(name))
	return r.FS.OpenFile(name, flag, perm)
}

func (r *recording) Remove(name string) error {
	r.events = append(r.events, "remove "+filepath.Dir(name))
	return r.FS.Remove(name)
}

func TestScratchFilesAreNotSeen(t *testing.T) {
	for _, disk := range []FS{OS{}, &recording{FS: OS{}}} {
		dir := t.TempDir()
		f, err := Scratch{FS: disk, Dir: dir}.Create("test")
		if err != nil {
			t.Fatal(err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%T: in sight: %v, %v", disk, left, err)
		}
		if _, err := f.Write([]byte("text")); err != nil {
			t.Fatal(err)
		}
		var text [4]byte
		if n, err := f.ReadAt(text[:], 0); n != 4 || err != nil && err != io.EOF || string(text[:]) != "text" {
			t.Errorf("%T: read %q, %v", disk, text[:n], err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if r, ok := disk.(*recording); ok && len(r.events) != 2 {
			t.Errorf("it did %q", r.events)
		}
	}
}

func TestScratchWithoutItsDirectory(t *testing.T) {
	_, err := Scratch{FS: OS{}, Dir: filepath.Join(t.TempDir(), "gone")}.Create("test")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
