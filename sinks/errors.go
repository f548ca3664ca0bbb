package sinks

import (
	"errors"
	"fmt"
)

// ErrClosedPipe says that the reader of standard output went away: not a failure of the run,
// which has nobody left to write for.
var ErrClosedPipe = errors.New("the reader of standard output is gone")

// ExistsError says that an output is there already, and isn't empty.
type ExistsError struct {
	Path  string
	Found string // one of the names in it, "" for a file
	// Foreign says that Found isn't of the kind that this program writes, so that Overwrite won't remove it.
	Foreign bool
}

func (e *ExistsError) Error() string {
	switch {
	case e.Foreign:
		return fmt.Sprintf("output %s holds %q, which is not part of a dataset and will not be removed: choose another output, or empty the directory yourself", e.Path, e.Found)
	case e.Found == "":
		return fmt.Sprintf("output %s exists: choose another output, or replace it with --overwrite (once the new one is whole)", e.Path)
	}
	return fmt.Sprintf("output %s is not empty (it holds %s): choose another output, replace it with --overwrite (once the new one is whole), or add a run to it with --append", e.Path, e.Found)
}

// BusyError says that another process writes to the output.
type BusyError struct{ Path string }

func (e *BusyError) Error() string {
	return fmt.Sprintf("output %s is in use by another process: wait for it to end, or choose another output", e.Path)
}
