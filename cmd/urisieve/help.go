package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// help is the text of --help, its flags under the headings of their groups.
func help(cmd *cobra.Command) string {
	var b strings.Builder
	text := cmd.Long
	if text == "" {
		text = cmd.Short
	}
	fmt.Fprintf(&b, "%s\n\nUsage:\n", strings.TrimSpace(text))
	if cmd.Runnable() {
		fmt.Fprintf(&b, "  %s\n", cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "  %s COMMAND\n\nCommands:\n", cmd.CommandPath())
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() || sub.Name() == "help" {
				fmt.Fprintf(&b, "  %-11s %s\n", sub.Name(), sub.Short)
			}
		}
	}
	if cmd.Example != "" {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", strings.TrimRight(cmd.Example, "\n"))
	}
	for _, g := range groupsOf(cmd.LocalFlags()) {
		fmt.Fprintf(&b, "\n%s:\n%s", g.title, g.flags.FlagUsages())
	}
	b.WriteString("\n" + exitHelp)
	if cmd.Flags().Lookup("config") != nil {
		b.WriteString("\nOptions can also be set by a file and by the environment: urisieve config --help.\n")
	}
	return b.String()
}

type helpGroup struct {
	title string
	flags *pflag.FlagSet
}

// groupsOf puts flags into their groups, in the order in which they were added; those of the
// command's own come first.
func groupsOf(flags *pflag.FlagSet) []helpGroup {
	groups := []helpGroup{{"Flags", pflag.NewFlagSet("", pflag.ContinueOnError)}}
	groups[0].flags.SortFlags = false
	flags.VisitAll(func(f *pflag.Flag) {
		title := groups[0].title
		if a := f.Annotations[groupAnnotation]; len(a) > 0 {
			title = a[0]
		}
		for _, g := range groups {
			if g.title == title {
				g.flags.AddFlag(f)
				return
			}
		}
		set := pflag.NewFlagSet("", pflag.ContinueOnError)
		set.SortFlags = false
		set.AddFlag(f)
		groups = append(groups, helpGroup{title, set})
	})
	if !groups[0].flags.HasFlags() {
		return groups[1:]
	}
	return groups
}
