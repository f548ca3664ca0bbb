package fsys

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// renameNoReplace renames in one step unless the new name is taken; errors.ErrUnsupported where
// the kernel or the file system can't.
func renameNoReplace(oldName, newName string) error {
	err := unix.Renameat2(unix.AT_FDCWD, oldName, unix.AT_FDCWD, newName, unix.RENAME_NOREPLACE)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM):
		return errors.ErrUnsupported
	}
	return &os.LinkError{Op: "renameat2", Old: oldName, New: newName, Err: err}
}
