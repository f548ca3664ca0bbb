package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/urisieve/urisieve/config"
	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/pipeline"
	"github.com/urisieve/urisieve/pipeline/dedup"
	"github.com/urisieve/urisieve/sinks"
)

// filterFlags are the flags of urisieve normalize that are no options of the configuration.
type filterFlags struct {
	format    string // text, jsonl
	onReject  string // "" is drop; jsonl answers for every reference
	rejects   string // a path, "" or "none" for none
	overwrite bool
}

var (
	filterFormats  = []string{"text", "jsonl"}
	filterOnReject = []string{"drop", "blank", "original", "fail"}
)

func (p *program) normalizeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "normalize [flags] [FILE...]",
		Short: "Normalize references as a filter, from standard input to standard output",
		Long: `Normalize writes the canonical URI of each reference, one a line, in the order of the input and
without dropping repeated ones. Each answer leaves at once, also while standard input stays open,
so that it works as a coprocess and as a step of other tools' pipes. Without FILE it reads standard
input.

References without a canonical URI are left out, or --on-reject gives them a blank line or the line
they came in (blank where that does not fit a line or was not kept whole). How many and why is told
on standard error at the end.

With --output-format jsonl each reference, canonical or not, is answered by one object:
  url, fragment, key   what it became; null where there is none
  flags, changed       arrays of names: urisieve rules lists them
  base_used            embedded, entity, retrieval, default, or null
  reason, component, offset
                       why there is no url, and where in the reference; else null
With --input-format jsonl a line is an object with ref and, where it has them, base (the URI that
the document was retrieved from), embedded_base and entity_base.`,
		Example: `  urisieve normalize < urls.txt
  urisieve normalize --base http://example.com/a/b < refs.txt
  zcat urls.txt.gz | urisieve normalize --on-reject blank | paste - other-column.txt
  echo '{"ref":"../x","base":"http://example.com/a/b"}' | urisieve normalize --input-format jsonl --output-format jsonl
  urisieve normalize --input-format vcombined --rejects bad.jsonl access.vcombined.log.gz | head`,
		Args: cobra.ArbitraryArgs,
	}
	var f filterFlags
	c := addConfiguration(cmd, inputFlags, normalizeFlags, keyFlags, runFlags, logFlags)
	flags := cmd.Flags()
	flags.StringVar(&f.format, "output-format", "text", "`FORMAT` of the answers: text or jsonl")
	flags.StringVar(&f.onReject, "on-reject", "", "`WHAT` becomes of a rejected reference in text: drop, blank (an empty line), original, fail (end with exit code 1) (default drop)")
	flags.StringVar(&f.rejects, "rejects", "", "keep rejected references, with reason and place, in this `PATH` (.jsonl, .parquet, or a directory)")
	flags.BoolVar(&f.overwrite, "overwrite", false, "replace --rejects PATH if it is there")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		l, err := c.load(args)
		if err != nil {
			return usage(err)
		}
		if len(args) == 0 {
			l.Input.Paths = []string{"-"} // a filter, whatever a configuration made for run says
		}
		if faults := append(f.faults(), p.checkCommon(l)...); len(faults) > 0 {
			return usage(faults)
		}
		return p.filter(l, f)
	}
	return cmd
}

func (f *filterFlags) faults() config.Faults {
	var faults config.Faults
	bad := func(flag, value string, accepted []string) {
		faults = append(faults, config.Fault{
			Origin: flag, Problem: fmt.Sprintf("%q is not accepted", value),
			Accepted: strings.Join(accepted, ", "), Nearest: config.Nearest(value, accepted),
		})
	}
	if !slices.Contains(filterFormats, f.format) {
		bad("--output-format", f.format, filterFormats)
	}
	switch {
	case f.onReject != "" && !slices.Contains(filterOnReject, f.onReject):
		bad("--on-reject", f.onReject, filterOnReject)
	case f.format == "jsonl" && f.onReject != "" && f.onReject != "fail":
		faults = append(faults, config.Fault{
			Origin: "--on-reject", Problem: f.onReject + " is for text: jsonl answers for every reference",
			Accepted: "fail, or leave it out",
		})
	}
	return faults
}

// filter does the work of urisieve normalize.
func (p *program) filter(l *config.Loaded, f filterFlags) error {
	j := &job{program: p, l: l, log: newLogger(p.stderr, l.Log)}
	j.logConfiguration()
	limitMemory(0)
	ctx, signals := watchSignals(context.Background())
	defer signals.stop()
	l.Dedup.Mode = dedupNone
	var rejects *sinks.Options
	if f.rejects != "" && f.rejects != "none" {
		rejects = &sinks.Options{Output: "-", Format: sinks.FormatText, Stdout: io.Discard, Rejects: f.rejects, Overwrite: f.overwrite}
		if err := rejects.Validate(); err != nil {
			return usage(faultsOf(l, err, "output", sinkNames))
		}
	}
	if err := j.open(ctx, rejects); err != nil {
		return err
	}
	defer j.close()

	answers := newAnswers(p.stdout, f, j)
	lane := &pipeline.Lane{Sink: answers, Rejects: answers.rejectsSink(), Set: dedup.NewNone()}
	shown := j.startProgress(true)
	stats, err := j.pipe(ctx, signals, lane, nil, pipeline.DropDuplicates)
	finishErr := j.finish(ctx, &stats, err)
	shown.finish(stats)
	var refused *refusedError
	switch {
	case errors.As(err, &refused):
		return failed(refused)
	case closedPipe(err):
		return nil // the reader had enough
	}
	if stats.Rejected > 0 && l.Progress.Summary && !l.Run.FailOnReject {
		p.complain(fmt.Sprintf("%s of %s references have no canonical URI: %s",
			grouped(stats.Rejected), grouped(stats.References), top(reasons(&stats), 10)))
	}
	return j.verdict(&stats, errors.Join(err, finishErr), signals.signal())
}

// refusedError ends a filter with --on-reject fail. Its text has no byte of the reference.
type refusedError struct {
	source    string
	record    int64
	reason    string
	component string
	at        uint32
}

func (e *refusedError) Error() string {
	place := ""
	switch e.component {
	case "", normalize.ComponentReference.String():
	case normalize.ComponentRecord.String():
		place = fmt.Sprintf(" (byte %d of the record)", e.at)
	default:
		place = fmt.Sprintf(" (%s, byte %d of the reference)", e.component, e.at)
	}
	return fmt.Sprintf("%s: record %d: no canonical URI: %s%s", e.source, e.record, e.reason, place)
}
