package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/urisieve/urisieve/config"
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
		// What cobra itself finds: an unknown flag or command.
		p.complain(err.Error() + "\n(urisieve --help says what there is)")
		return exitUsage
	}
	if e.err != nil {
		p.complain(e.err.Error())
	}
	return e.code
}

// complain writes an error to standard error, each line of it behind the program's name, and no
// password in any.
func (p *program) complain(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		p.say("urisieve: " + redact(line) + "\n")
	}
}

// say writes to standard error. Where that fails there is nobody left to tell.
func (p *program) say(text string) { _, _ = io.WriteString(p.stderr, text) }

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
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { _, _ = io.WriteString(p.stdout, help(cmd)) })
	root.SetFlagErrorFunc(flagFault)
	root.AddCommand(p.runCommand(), p.normalizeCommand(), p.seenCommand(), p.explainCommand(),
		p.equalCommand(), p.diffCommand(), p.rulesCommand(),
		p.configCommand(), p.versionCommand())
	return root
}

// flagFault adds the nearest right name to the error of an unknown flag.
func flagFault(cmd *cobra.Command, err error) error {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := config.Nearest(unknown.GetSpecifiedName(), names); near != "" {
		return fmt.Errorf("%w; did you mean --%s?", err, near)
	}
	return err
}
