// Urisieve normalizes URIs for crawlers: references in, unique canonical URIs out.
//
// It is the only package that knows every concrete source, sink and set, each chosen by one
// explicit switch; everything else of the program takes plain option structs and interfaces.
package main

import (
	"io"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"
)

// version is set by the build: -ldflags "-X main.version=...".
var version = "devel"

func main() {
	// A closed pipe is an error of the write that meets it, not the end of the process: what was
	// written elsewhere is still to be finished.
	signal.Ignore(syscall.SIGPIPE)
	p := program{
		stdin:            os.Stdin,
		stdout:           os.Stdout,
		stderr:           &console{w: os.Stderr},
		stdoutIsTerminal: term.IsTerminal(int(os.Stdout.Fd())),
		stderrIsTerminal: term.IsTerminal(int(os.Stderr.Fd())),
	}
	os.Exit(p.main(os.Args[1:]))
}

// program is what a command needs of the process it runs in.
type program struct {
	stdin            io.Reader
	stdout           io.Writer
	stderr           *console
	stdoutIsTerminal bool
	stderrIsTerminal bool
}
