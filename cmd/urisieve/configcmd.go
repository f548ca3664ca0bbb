package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func (p *program) configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Print or check the configuration",
		Long: `Every option can be set in a YAML file (-c FILE), by an environment variable, and most by a
flag; a later one of these wins over an earlier one. The variable of input.format is
URISIEVE_INPUT_FORMAT; lists are joined by commas there; one that is set to nothing counts as not
set. Sizes and durations carry their unit: 64KiB, 1GiB, 5m.

Unknown keys and unknown URISIEVE_ variables are errors, but for URISIEVE_SERVICE_* and
URISIEVE_PORT*, which Kubernetes sets for a service of that name. Secrets come by the environment,
or by a file that an option ending in _file names; they are never printed.

urisieve config print without a file shows every option with its default.`,
		Example: `  urisieve config print > all.yaml
  urisieve config validate -c run.yaml`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unknown command %q for %q", args[0], cmd.CommandPath())
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(p.configPrintCommand(), p.configValidateCommand())
	return cmd
}

// allOptions are the flags of run: everything that can be configured.
func allOptions() []flagGroup {
	return []flagGroup{inputFlags, normalizeFlags, keyFlags, scopeFlags, dedupFlags, outputFlags, runFlags, pipelineFlags, logFlags}
}

func (p *program) configPrintCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "print [-c FILE] [flags of run]",
		Short: "Print the configuration as it holds, with where each value comes from",
		Example: `  urisieve config print
  urisieve config print -c run.yaml --workers 4 > effective.yaml`,
		Args: cobra.ArbitraryArgs,
	}
	c := addConfiguration(cmd, allOptions()...)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		l, err := c.load(args)
		if err != nil {
			return usage(err)
		}
		return asFailed(l.WriteYAML(p.stdout))
	}
	return cmd
}

func (p *program) configValidateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "validate [-c FILE] [flags of run]",
		Short: "Check the configuration and report all its faults",
		Long: `Validate reports all faults at once: each with its key, where it was set, what would be
accepted, and the nearest right name. It reads no input and looks at no output. Exit code 2 if there
is a fault.`,
		Example: `  urisieve config validate -c run.yaml`,
		Args:    cobra.ArbitraryArgs,
	}
	c := addConfiguration(cmd, allOptions()...)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		l, err := c.load(args)
		if err != nil {
			return usage(err)
		}
		if l.Output.Path == "" {
			// A file for many runs leaves input and output to the command line.
			l.Run.DryRun = true
		}
		if faults := p.checkRun(l); len(faults) > 0 {
			return usage(faults)
		}
		for _, n := range l.Notices {
			p.complain(n)
		}
		_, err = fmt.Fprintln(p.stdout, "the configuration is valid")
		return asFailed(err)
	}
	return cmd
}
