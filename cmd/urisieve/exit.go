package main

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// Exit codes; docs/cli.md lists them.
const (
	exitDone       = 0
	exitFailed     = 1 // a fault of input or output, a limit that was passed
	exitUsage      = 2 // the command line or the configuration
	exitIncomplete = 3 // done, but input was damaged, or references were rejected and that was to fail
	exitSignal     = 128
)

// exitHelp is the part of --help about exit codes.
const exitHelp = `Exit codes:
  0    done
  1    failed: input or output, or a limit was passed
  2    usage or configuration
  3    done, but some input was damaged or unreadable (unless --allow-damaged), or
       references were rejected and --fail-on-reject was given
  130  ended by SIGINT, 143 by SIGTERM; the first signal still writes all that was read,
       a second one stops at once
`

// exit is an error with the exit code that it ends the process with. err may be nil: then
// everything was said already.
type exit struct {
	code int
	err  error
}

func (e *exit) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exit) Unwrap() error { return e.err }

// failed makes an error end the process with code 1, usage with code 2.
func failed(err error) error { return &exit{exitFailed, err} }
func usage(err error) error  { return &exit{exitUsage, err} }

// signalCode is the exit code of a process that a signal ended.
func signalCode(s os.Signal) int {
	if n, ok := s.(syscall.Signal); ok {
		return exitSignal + int(n)
	}
	return exitFailed
}

// closedPipe tells that the reader of our standard output went away.
func closedPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
