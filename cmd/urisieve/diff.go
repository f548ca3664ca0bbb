package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/urisieve/urisieve/config"
	"github.com/urisieve/urisieve/pipeline"
	"github.com/urisieve/urisieve/pipeline/dedup"
)

func (p *program) diffCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "diff [flags] [FILE...]",
		Short: "Report the references that the profiles disagree about",
		Long: `Diff asks every profile about each reference and writes the ones that they disagree about, a line
each, in the order of the input. Without FILE it reads standard input. It keeps nothing but counts.

Fields of a line, with tabs between them: the place (source:record); the first component that
differs (reference where a profile refuses it, key where key rules alone differ); the reason (that
of a refusal, else the first rule that only one of the two applied); the reference; and for each
profile its name and what it says. The selected profile comes first.

With --json a line is an object: source, record, reference, profiles (= between those that agree),
component, reason, and results by profile, each with url, fragment, key, reason.

Standard error tells at the end how many there were of each kind: profiles, component, reason.
Passwords are shown as ***. The exit code is 0 whether or not they disagree.`,
		Example: `  urisieve diff urls.txt.gz | less -S
  urisieve diff --json --limit 100000 urls.txt.gz | jq .component | sort | uniq -c`,
		Args: cobra.ArbitraryArgs,
	}
	c := addConfiguration(cmd, inputFlags, normalizeFlags, keyFlags, runFlags, logFlags)
	asJSON := cmd.Flags().Bool("json", false, "a JSON object a line")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		l, err := c.load(args)
		if err != nil {
			return usage(err)
		}
		if len(args) == 0 {
			l.Input.Paths = []string{"-"}
		}
		if faults := p.checkCommon(l); len(faults) > 0 {
			return usage(faults)
		}
		return p.diff(l, *asJSON)
	}
	return cmd
}

// diff does the work of urisieve diff.
func (p *program) diff(l *config.Loaded, asJSON bool) error {
	views, err := allViews(normalizeOptions(&l.Config))
	if err != nil {
		return usage(faultsOf(l, err, "normalize", normalizeNames))
	}
	if len(views) < 2 {
		p.complain("there is no other profile to compare with: nothing can differ")
	}
	j := &job{program: p, l: l, log: newLogger(p.stderr, l.Log)}
	j.logConfiguration()
	limitMemory(0)
	ctx, signals := watchSignals(context.Background())
	defer signals.stop()
	l.Dedup.Mode = dedupNone
	if err := j.open(ctx, nil); err != nil {
		return err
	}
	defer j.close()

	d := &differences{w: p.stdout, json: asJSON, views: views, kinds: map[diffKind]int64{}}
	lane := &pipeline.Lane{Sink: d, Rejects: d, Set: dedup.NewNone()}
	progress := j.startProgress(true)
	stats, err := j.pipe(ctx, signals, lane, nil, pipeline.DropDuplicates)
	finishErr := j.finish(ctx, &stats, err)
	progress.finish(stats)
	if closedPipe(err) {
		return nil // the reader had enough
	}
	if l.Progress.Summary {
		p.say(d.summary())
	}
	return j.verdict(&stats, errors.Join(err, finishErr), signals.signal())
}

// summary counts the disagreements by kind, the most frequent first.
func (d *differences) summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %s references differ\n", grouped(d.differ), grouped(d.asked))
	if d.cut > 0 {
		fmt.Fprintf(&b, "not asked about: %s, too long\n", counted(d.cut, "reference"))
	}
	if d.bad > 0 {
		fmt.Fprintf(&b, "not asked about: %s without a reference\n", counted(d.bad, "record"))
	}
	kinds := slices.Clone(d.order)
	slices.SortStableFunc(kinds, func(x, y diffKind) int {
		switch a, b := d.kinds[x], d.kinds[y]; {
		case a > b:
			return -1
		case a < b:
			return 1
		}
		return 0
	})
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, k := range kinds {
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", grouped(d.kinds[k]), k.Component, k.Reason, k.Profiles)
	}
	w.Flush()
	return b.String()
}
