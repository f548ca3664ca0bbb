package fsys

import (
	"os"

	"golang.org/x/sys/unix"
)

// Nameless makes an empty file that never has a name, in a directory; an error where the file system can't.
func (OS) Nameless(dir string) (File, error) {
	f, err := os.OpenFile(dir, os.O_RDWR|os.O_EXCL|unix.O_TMPFILE, 0o600)
	if err != nil {
		return nil, err
	}
	return f, nil
}
