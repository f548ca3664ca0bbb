//go:build !linux

package fsys

import "errors"

func renameNoReplace(_, _ string) error { return errors.ErrUnsupported }
