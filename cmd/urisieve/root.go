package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// main runs the command line and gives the exit code.
func (p *program) main(args []string) int {
	root := p.root()
	root.SetArgs(args)
	err := root.Execute()
	if err == nil {
		return exitDone
	}
	// The reader of standard output had enough: nobody is left to tell.
	if closedPipe(err) {
		return exitDone
	}
	var e *exit
	if !errors.As(err, &e) {
		e = &exit{exitUsage, err} // what cobra itself finds: an unknown flag or command
		p.complain(err.Error() + "\n(urisieve --help says what there is)")
		return e.code
	}
	if e.err != nil {
		p.complain(e.err.Error())
	}
	return e.code
}

// complain writes an error to standard error, each line of it behind the program's name, and no
// password in any.
func (p *program) complain(text string) {
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		fmt.Fprintf(p.stderr, "urisieve: %s\n", redact(line))
	}
}

func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "urisieve",
		Short: "Normalize URIs and drop the ones that were there before",
		Long: `Urisieve turns URI references into canonical URIs and drops the repeated ones. It reads
lists, tables, JSON lines and access logs, and writes Parquet, JSON lines or text. Every reference
is accounted for: unique, duplicate, filtered, or rejected with a reason.`,
		Example: `  # a dataset of unique canonical URLs
  urisieve run urls.txt.gz --output urls

  # a filter for pipes
  urisieve normalize < urls.txt | sort -u

  # what is done to one URI, and why
  urisieve explain 'HTTP://ex.com:80/a/../%7Eb'`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetIn(p.stdin)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { p.stdout.Write([]byte(help(cmd))) })
	root.AddCommand(p.runCommand(), p.normalizeCommand(), p.explainCommand(), p.rulesCommand(),
		p.configCommand(), p.versionCommand())
	return root
}
