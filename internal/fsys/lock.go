package fsys

import "errors"

// ErrLocked says that another holder has the lock.
var ErrLocked = errors.New("locked by another process")
