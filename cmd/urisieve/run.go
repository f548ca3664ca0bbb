package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/urisieve/urisieve/config"
	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/pipeline"
	"github.com/urisieve/urisieve/pipeline/dedup"
	"github.com/urisieve/urisieve/sinks"
	"github.com/urisieve/urisieve/sources"
)

func (p *program) runCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run [-c FILE] [flags] --output PATH INPUT...",
		Short: "Write the unique canonical URIs of files and standard input",
		Long: `Run reads references from files, directories, globs and standard input ("-"), resolves them
against their bases, normalizes them, and writes each canonical URI once: the first occurrence, in
the order of the input or sorted (--sort), the same bytes for any number of workers.

The output is a dataset of Parquet files in a directory, one file, or standard output ("-"). What
has no canonical URI goes to OUTPUT.rejects, with the reason, the place and the bytes as they came.
Nothing is overwritten unless --overwrite says so, and a file bears its name only once it is whole.

There is no default output: name one, or see what would come out by --dry-run.`,
		Example: `  # a list of URLs into a Parquet dataset
  urisieve run urls.txt.gz --output urls

  # links with the documents they stand in, one a row: ref, base
  urisieve run links.csv --input-format csv --ref-field ref --base-field base --output links

  # documents with many links each; only http and https are wanted
  urisieve run documents.jsonl.gz --input-format jsonl --ref-field 'links[].href' --scope web --output frontier

  # access logs with virtual hosts; every request is wanted
  urisieve run access.vcombined.log.gz --input-format vcombined --dedup none --columns log,x_* --output requests

  # every day: only what is new since the last time, into one dataset; killed, it goes on where it was
  urisieve run urls.txt.gz --output links --append --state seen --resume

  # in one order over all files, all of a domain together, as indexes of web archives have it
  urisieve run urls.txt.gz --sort global --columns cc --output sorted

  # as a filter: the unique ones to standard output, rejects only counted
  urisieve run --output - --rejects none - < urls.txt`,
		Args: cobra.ArbitraryArgs,
	}
	c := addConfiguration(cmd, inputFlags, normalizeFlags, keyFlags, scopeFlags, dedupFlags, stateFlags, outputFlags, runFlags, pipelineFlags, logFlags)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		l, err := c.load(args)
		if err != nil {
			return usage(err)
		}
		faults := p.checkRun(l)
		if len(l.Input.Paths) == 0 {
			faults = append(faults, l.Fault("input.paths", "no input", `files, directories or globs as arguments, or "-" for standard input`))
		}
		faults = append(faults, machineFaults(l)...)
		faults = append(faults, tempDirFaults(l)...)
		faults = append(faults, stateFaults(l)...)
		faults = append(faults, p.sortFaults(l)...)
		faults = append(faults, reportFaults(l)...)
		if len(faults) > 0 {
			return usage(faults)
		}
		return p.run(l)
	}
	return cmd
}

// job is one run of the pipeline and what it needs.
type job struct {
	*program
	l      *config.Loaded
	log    *slog.Logger
	norm   *normalize.Normalizer
	source *sources.Files
	output *sinks.Output // nil in a dry run
	set    dedup.Set
	meter  pipeline.Meter

	bloom      *dedup.Bloom // set, where it is one
	memory     *memory      // what holds set, where that is a state
	earlier    *earlier     // nil: nothing was seen earlier
	spillStats func() dedup.SpillStats
	spilled    dedup.SpillStats
	signals    *interrupts
}

// run does the work of urisieve run.
func (p *program) run(l *config.Loaded) error {
	j := &job{program: p, l: l, log: newLogger(p.stderr, l.Log)}
	j.logConfiguration()
	limitMemory(setMemory(&l.Config) + sortMemory(&l.Config))
	ctx, signals := watchSignals(context.Background())
	defer signals.stop()
	j.signals = signals
	var sinkOptions *sinks.Options
	if !l.Run.DryRun {
		o := p.sinkOptions(&l.Config)
		sinkOptions = &o
	}
	if err := j.open(ctx, sinkOptions); err != nil {
		return err
	}
	defer j.close()
	if err := j.newSet(); err != nil {
		return failed(err)
	}
	if err := j.openEarlier(); err != nil {
		return errors.Join(err, j.closeState())
	}

	start := time.Now()
	shown := j.startProgress(l.Output.Path == "-")
	stats, err := j.work(ctx)
	finishErr := j.finish(ctx, &stats, err)
	shown.finish(stats)
	if err = errors.Join(err, finishErr); errors.Is(err, sinks.ErrClosedPipe) || closedPipe(err) {
		return nil // the reader had enough
	}
	err = errors.Join(err, j.writeReport(&stats))
	if l.Progress.Summary && (err == nil || stats.References > 0) {
		j.summarize(&stats, time.Since(start))
	}
	return j.verdict(&stats, err, signals.signal())
}

// logConfiguration tells what was left out of account, and at debug every value with its origin.
func (j *job) logConfiguration() {
	for _, n := range j.l.Notices {
		j.log.Warn("environment", "notice", n)
	}
	for _, leaf := range config.Leaves() {
		if origin := j.l.Origin(leaf.Key); origin != "default" {
			j.log.Debug("option", "key", leaf.Key, "value", leaf.Text(&j.l.Config), "origin", origin)
		}
	}
}

// open makes the parts; without options of sinks there is no output.
func (j *job) open(ctx context.Context, output *sinks.Options) error {
	var err error
	if j.norm, err = normalize.New(normalizeOptions(&j.l.Config)); err != nil {
		return usage(faultsOf(j.l, err, "normalize", normalizeNames))
	}
	if j.l.State.Dir != "" {
		if err := j.openState(); err != nil {
			return err
		}
	}
	if err = j.openSource(ctx); err != nil {
		return errors.Join(openFault(j.l, err, "input", sourceNames), j.closeState())
	}
	if output == nil {
		return nil
	}
	if err = j.openOutput(output); err != nil {
		j.output = nil
		_ = j.source.Close() // the fault of the output is what counts
		return errors.Join(openFault(j.l, err, "output", sinkNames), j.closeState())
	}
	return nil
}

// openFault tells a fault of the configuration (exit code 2) from one of the world outside (1).
func openFault(l *config.Loaded, err error, section string, names map[string]string) error {
	var so *sources.OptionError
	var si *sinks.OptionError
	if errors.As(err, &so) || errors.As(err, &si) {
		return usage(faultsOf(l, err, section, names))
	}
	if errors.Is(err, sources.ErrNoField) {
		return usage(err)
	}
	return failed(err)
}

// info is what the sinks need to know.
func (j *job) info() sinks.Info {
	columns, elements := j.source.Columns()
	return sinks.Info{
		SettingsID: j.norm.SettingsID(),
		Tool:       "urisieve " + version,
		Columns:    columns,
		Elements:   elements,
		KeyRules:   j.norm.HasKeyRules(),
		Dedup:      j.l.Dedup.Mode != dedupNone,
	}
}

// work does all but closing the outputs. Of a job that is resumed, it does the rest.
func (j *job) work(ctx context.Context) (pipeline.Stats, error) {
	if m := j.memory; m != nil && j.output != nil {
		if m.resumed && len(m.job.Meter) > 0 {
			if err := json.Unmarshal(m.job.Meter, &j.meter); err != nil {
				return pipeline.Stats{}, fmt.Errorf("the counts of the job: %w", err)
			}
		}
		if m.onlyPublishes() {
			return j.meter.Stats(), nil
		}
		if err := m.begin(j); err != nil {
			return pipeline.Stats{}, err
		}
	}
	return j.runPipeline(ctx)
}

// runPipeline takes the references from the source to the outputs.
func (j *job) runPipeline(ctx context.Context) (pipeline.Stats, error) {
	scope, err := pipeline.NewScope(scopeOptions(&j.l.Config))
	if err != nil {
		return pipeline.Stats{}, err
	}
	lane := &pipeline.Lane{Set: j.set}
	if j.output != nil {
		lane.Sink, lane.Rejects, lane.Duplicates = j.output.Main(), j.output.Rejects(), j.output.Duplicates()
	}
	return j.pipe(ctx, j.signals, lane, scope, duplicatePolicy(&j.l.Config))
}

// pipe runs the pipeline with one lane. The outputs stay open after it: finish closes them.
func (j *job) pipe(ctx context.Context, signals *interrupts, lane *pipeline.Lane, scope *pipeline.Scope, d pipeline.DuplicatePolicy) (pipeline.Stats, error) {
	c := &j.l.Config
	secret, err := j.secret()
	if err != nil {
		return pipeline.Stats{}, err
	}
	var others []pipeline.OtherKey
	if j.earlier != nil {
		others = j.earlier.keys
	}
	lane.Close = func(error) error {
		if j.spillStats != nil {
			j.spilled = j.spillStats()
		}
		if j.memory != nil {
			return nil // finish has something to say to it yet
		}
		return lane.Set.Close()
	}
	o := pipeline.Options{
		Source:         j.source,
		Normalizer:     j.norm,
		Hasher:         dedup.NewHasher(secret),
		Open:           func(context.Context, pipeline.LaneID) (*pipeline.Lane, error) { return lane, nil },
		Others:         others,
		Scope:          scope,
		Duplicates:     d,
		Order:          order(c),
		Workers:        int(c.Run.Workers),
		PoolBytes:      int64(orZero(c.Run.PoolBytes)),
		Scratch:        j.scratch(),
		Limit:          c.Run.Limit,
		MaxRejects:     rejectLimit(c.Rejects.Max),
		OnRejectsInRow: j.hint,
		DryRun:         c.Run.DryRun,
		Drain:          signals.Drain,
		Meter:          &j.meter,
	}
	if m := j.memory; m != nil {
		o.TimeColumn, o.Now, o.Hosts = "fetch_time", seconds(m.job.Started), m.Stats().Hosts > 0
	}
	if m := j.memory; m != nil && m.keeps {
		o.OnCheckpoint = func(upto []pipeline.Position) error { return m.checkpoint(j, upto) }
	}
	if m := j.memory; m.canGoOn() {
		if !j.sinkOptions(c).OneFlush() {
			o.CheckpointRecords = c.State.CheckpointRecords
		}
		// A checkpoint at any other place would end files where an undisturbed job does not.
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
		stop := signals.onDrain(cancel)
		defer stop()
		o.Drain = nil
	}
	return pipeline.Run(ctx, o)
}

// hint warns of a likely mistake while the run goes on.
func (j *job) hint(inRow int64, samples []pipeline.RejectSample) {
	first := ""
	if len(samples) > 0 {
		first = samples[0].String()
	}
	j.log.Warn("many references in a row were rejected: look at input.format, input.ref_fields and normalize.base",
		"in_row", inRow, "sample", first)
}

// damaged are the inputs that could not be read to their end.
func damaged(s *pipeline.Stats) []pipeline.InputStats {
	var inputs []pipeline.InputStats
	for _, in := range s.Source.Inputs {
		if in.Damage != nil {
			inputs = append(inputs, in)
		}
	}
	return inputs
}

// finish closes the output: whole, as far as it came, or not at all.
func (j *job) finish(ctx context.Context, s *pipeline.Stats, runErr error) error {
	if j.memory != nil {
		return j.finishState(ctx, s, runErr)
	}
	if j.output == nil {
		return nil
	}
	if runErr != nil && !errors.Is(runErr, dedup.ErrFull) {
		return j.output.Abort()
	}
	return j.output.Finish(ctx, totals(s), runErr == nil && !s.Drained && j.undamaged(s))
}

// undamaged reports whether all input could be read, or need not be.
func (j *job) undamaged(s *pipeline.Stats) bool { return j.l.Run.AllowDamaged || len(damaged(s)) == 0 }

func totals(s *pipeline.Stats) sinks.Totals {
	return sinks.Totals{
		References: s.References, Unique: s.Unique, Duplicates: s.Duplicate, Filtered: s.Filtered, Rejected: s.Rejected,
	}
}

func (j *job) written() []sinks.Written {
	if j.output == nil {
		return nil
	}
	return j.output.Written()
}

// close gives everything back; after a finish there is nothing left to abort.
func (j *job) close() {
	if j.output != nil {
		if err := j.output.Abort(); err != nil {
			j.log.Warn("clean up of the output", "error", err)
		}
	}
	if err := j.earlier.close(); err != nil {
		j.log.Warn("close of the states that were seen earlier", "error", err)
	}
	if err := j.source.Close(); err != nil {
		j.log.Warn("close of the input", "error", err)
	}
}

// closeState closes the state of a job that does not begin.
func (j *job) closeState() error {
	if j.memory == nil {
		return nil
	}
	return j.memory.Close()
}

// verdict says how it went, as an exit code.
func (j *job) verdict(s *pipeline.Stats, err error, signal os.Signal) error {
	bad := damaged(s)
	for _, in := range bad {
		j.complain(fmt.Sprintf("%s is damaged, %s records were read before: %v", in.Name, grouped(in.Records), in.Damage))
	}
	if signal != nil {
		if err != nil && !errors.Is(err, context.Canceled) {
			j.complain(err.Error())
		}
		return &exit{signalCode(signal), fmt.Errorf("ended by signal (%v): %s", signal, j.rest(s, err))}
	}
	if errors.Is(err, dedup.ErrFull) {
		return failed(fmt.Errorf("%w; what came before is written: %s", err, j.moreRoom(s)))
	}
	if errors.Is(err, syscall.ENOSPC) {
		err = fmt.Errorf("%w: make room there, or choose another place (--output, --temp-dir)", err)
	}
	if err != nil && j.memory.canGoOn() {
		return failed(fmt.Errorf("%w; all up to the last checkpoint is kept: mend that, and go on with --resume", err))
	}
	if err != nil {
		return failed(err)
	}
	if len(bad) > 0 && !j.l.Run.AllowDamaged {
		why := "input was damaged"
		if j.output != nil {
			why = "without _SUCCESS, since " + why
		}
		return &exit{exitIncomplete, fmt.Errorf("done, but %s: repair it and run again, or take it as it is by --allow-damaged", why)}
	}
	if s.Rejected > 0 && j.l.Run.FailOnReject {
		return &exit{exitIncomplete, fmt.Errorf("%s of %s references were rejected (%s), and --fail-on-reject is on",
			grouped(s.Rejected), grouped(s.References), top(reasons(s), 4))}
	}
	return nil
}

// rest says what became of the output when a signal ended the run.
func (j *job) rest(s *pipeline.Stats, err error) string {
	switch {
	case j.memory.canGoOn() && err != nil:
		return "all up to the last checkpoint is kept, nothing was published: go on with --resume"
	case err != nil:
		return "stopped at once, nothing was published"
	case j.output == nil:
		return fmt.Sprintf("%s references were read", grouped(s.References))
	}
	return fmt.Sprintf("all %s references that were read are written, without _SUCCESS", grouped(s.References))
}

// limitMemory makes the collector work harder before the process passes 9/10 of what it may use. The
// set of seen URLs and what is sorted may take that many bytes, and they aren't the collector's: they lie outside
// its heap. GOMEMLIMIT, when set, holds.
func limitMemory(others int64) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	if m := dedup.DefaultMemory(); m > 0 && m < math.MaxInt64/2 {
		tenth := m * 2 / 10
		debug.SetMemoryLimit(max(9*tenth-others, tenth))
	}
}
