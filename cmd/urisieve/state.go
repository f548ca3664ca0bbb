package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/urisieve/urisieve/config"
	"github.com/urisieve/urisieve/internal/fsys"
	"github.com/urisieve/urisieve/pipeline"
	"github.com/urisieve/urisieve/pipeline/dedup"
	"github.com/urisieve/urisieve/sinks"
	"github.com/urisieve/urisieve/sources"
)

// savedJob is the progress that a job keeps with the claims of each checkpoint: all that is needed to go on from
// there.
type savedJob struct {
	Format  int               `json:"format"`
	Tool    string            `json:"tool"`
	Started time.Time         `json:"started"` // by which the URLs of the job are dated
	Options map[string]string `json:"options"` // those that the output depends on, by key

	// Where the job goes on. Without inputs it can't read on: what it wrote is only put in its place.
	Inputs sources.Identity `json:"inputs,omitempty"`
	Mark   sources.Mark     `json:"mark"`
	Whole  bool             `json:"whole"` // without inputs, or done: all of it was read
	Done   bool             `json:"done"`  // the outputs are in their place: there is nothing left to do

	Outputs sinks.Progress  `json:"outputs"`
	Meter   json.RawMessage `json:"meter,omitempty"`
}

const savedFormat = 1

// memory is the state of a job, and what it is about to save in it.
type memory struct {
	*dedup.State
	job     savedJob
	resumed bool      // the job was begun by another process
	last    *savedJob // the last job, if it is done and this may be the same once more
	keeps   bool      // the outputs are files, so that they can be gone on with
	stats   dedup.StateStats

	wasAtEnd bool // the job that is resumed was done
}

// stateFaults are the faults of options that don't go with each other.
func stateFaults(l *config.Loaded) config.Faults {
	var faults config.Faults
	if l.State.Dir == "" {
		if l.State.Resume {
			faults = append(faults, l.Fault("state.resume", "there is no state to go on from", "state.dir (--state DIR) with it"))
		}
		if l.State.TTL != 0 {
			faults = append(faults, l.Fault("state.ttl", "without a state nothing is remembered for so long", "state.dir (--state DIR) with it"))
		}
		return faults
	}
	if l.Dedup.Mode != dedupExact {
		faults = append(faults, l.Fault("dedup.mode", fmt.Sprintf("a state remembers exactly, %s does not", l.Dedup.Mode), "exact, or no state.dir"))
	}
	return faults
}

// openState opens the state that the configuration names, and finds out whether it was left with a job.
func (j *job) openState() error {
	s, err := openState(j.l, j.norm.SettingsID())
	if err != nil {
		return err
	}
	j.memory = &memory{State: s}
	j.set, j.spillStats = s, func() dedup.SpillStats { return s.Stats().SpillStats }
	if err := j.memory.load(j.l); err != nil {
		return errors.Join(err, failed(s.Close()))
	}
	j.memory.SetTime(seconds(j.memory.job.Started))
	return nil
}

// openState opens the state that the configuration names, or makes it.
func openState(l *config.Loaded, settingsID string) (*dedup.State, error) {
	o := dedup.StateOptions{Dir: l.State.Dir, SettingsID: settingsID, Memory: int64(orZero(l.Dedup.Memory)), Filter: int64(l.Dedup.Filter), TTL: l.State.TTL}
	if l.Dedup.Key != "" || l.Dedup.KeyFile != "" {
		secret, err := newSecret(l)
		if err != nil {
			return nil, usage(err)
		}
		o.Secret = &secret
	}
	s, err := dedup.OpenState(o)
	if err != nil {
		return nil, failed(err)
	}
	return s, nil
}

// openIdleState opens the state for a command that isn't a job. One that was left with a job is refused: only that job may go
// on with what it claimed.
func openIdleState(l *config.Loaded, settingsID string) (*dedup.State, error) {
	s, err := openState(l, settingsID)
	if err != nil {
		return nil, err
	}
	left, err := leftJob(l.State.Dir, s.Progress())
	switch {
	case err != nil:
	case left == nil:
		err = noteSettings(l, s)
	case !left.Done:
		err = unfinished(l, left, "urisieve run with its options and --resume, to go on with it, or another state")
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// noteSettings has a state that no job was done with say what its settings are, for --seen.
func noteSettings(l *config.Loaded, s *dedup.State) error {
	job := newJob(l)
	job.Whole, job.Done = true, true
	text, err := json.Marshal(&job)
	if err != nil {
		return failed(err)
	}
	return s.SetProgress(text)
}

// leftJob reads the job that a state was left with, nil for none.
func leftJob(dir string, text []byte) (*savedJob, error) {
	if len(text) == 0 {
		return nil, nil
	}
	left := new(savedJob)
	if err := json.Unmarshal(text, left); err != nil {
		return nil, failed(fmt.Errorf("state %s: the job that it was left with can't be read: %w", dir, err))
	}
	if left.Format != savedFormat {
		return nil, failed(fmt.Errorf("state %s: the job that it was left with has format %d, this program reads %d: resume it with %s", dir, left.Format, savedFormat, left.Tool))
	}
	return left, nil
}

// unfinished is the fault of a state that was left with a job.
func unfinished(l *config.Loaded, left *savedJob, accepted string) error {
	return usage(l.Fault("state.dir", fmt.Sprintf("%s was left with a job that began at %s and did not come to its end",
		l.State.Dir, left.Started.Format(time.RFC3339)), accepted))
}

// seconds since 1970.
func seconds(t time.Time) uint32 { return uint32(min(max(t.Unix(), 1), 1<<32-1)) }

// load reads the job that the state was left with, or begins one.
func (m *memory) load(l *config.Loaded) error {
	m.job = newJob(l)
	if l.Run.DryRun {
		return nil
	}
	left, err := leftJob(l.State.Dir, m.Progress())
	switch {
	case err != nil || left == nil:
		return err
	case left.Done:
		if l.State.Resume {
			m.last = left
		}
		return nil
	case !l.State.Resume:
		return unfinished(l, left, "--resume, to go on with it, or another state")
	}
	if faults := optionFaults(l, left.Options, m.job.Options); len(faults) > 0 {
		return usage(faults)
	}
	m.job, m.resumed = *left, true
	return nil
}

func newJob(l *config.Loaded) savedJob {
	return savedJob{Format: savedFormat, Tool: "urisieve " + version, Started: time.Now().UTC().Truncate(time.Second), Options: outputOptions(l)}
}

// outputOptions are the options that the bytes of the output depend on, but for those that the settings id
// stands for and those that the sinks look after.
func outputOptions(l *config.Loaded) map[string]string {
	options := map[string]string{}
	for _, leaf := range config.Leaves() {
		section, _, _ := strings.Cut(leaf.Key, ".")
		switch leaf.Key {
		case "input.paths", "state.dir", "state.resume":
			continue
		case "dedup.duplicates", "run.limit", "output.order":
		default:
			if !slices.Contains([]string{"input", "normalize", "key", "scope", "state"}, section) {
				continue
			}
		}
		options[leaf.Key] = leaf.Text(&l.Config)
	}
	return options
}

// optionFaults tells which options aren't those that the job began with.
func optionFaults(l *config.Loaded, was, is map[string]string) config.Faults {
	var faults config.Faults
	for _, key := range slices.Sorted(maps.Keys(is)) {
		if old := was[key]; old != is[key] {
			faults = append(faults, l.Fault(key, fmt.Sprintf("is %q, and was %q when the job began that is to be gone on with", redactWord(is[key]), redactWord(old)), fmt.Sprintf("%q", redactWord(old))))
		}
	}
	return faults
}

// openSource opens the input, so that the job can be resumed where that is possible, and at its mark where it
// is resumed.
func (j *job) openSource(ctx context.Context) error {
	o := j.sourceOptions(&j.l.Config)
	m := j.memory
	if m == nil {
		var err error
		j.source, err = sources.Open(ctx, o)
		return err
	}
	var err error
	o.Resumable = !j.l.Run.DryRun && !m.onlyPublishes()
	j.source, err = sources.Open(ctx, o)
	if o.Resumable && !m.resumed && errors.Is(err, sources.ErrNotResumable) {
		j.log.Info("the job can't be resumed where it stops, but from its end", "reason", err)
		o.Resumable = false
		j.source, err = sources.Open(ctx, o)
	}
	if err != nil || !o.Resumable {
		return err
	}
	return j.openAtMark(ctx)
}

// openAtMark holds the inputs against those of the job, and goes to its mark.
func (j *job) openAtMark(ctx context.Context) error {
	m := j.memory
	today, err := j.source.Identity(ctx)
	switch {
	case err != nil:
	case !m.resumed && m.wasDone(today):
		m.job, m.resumed = *m.last, true
	case !m.resumed:
		m.job.Inputs = today
		m.job.Mark, err = j.source.Mark(pipeline.Position{})
	default:
		if err = m.job.Inputs.Check(today); err == nil {
			err = j.source.Resume(m.job.Mark)
		}
	}
	if err != nil {
		_ = j.source.Close() // the fault of the input is what counts
	}
	return err
}

// openOutput opens the outputs, as they were where a job is resumed.
func (j *job) openOutput(o *sinks.Options) (err error) {
	m := j.memory
	if m != nil {
		m.keeps = o.Output != "-" && o.Rejects != "-" && o.Duplicates != "-"
		o.Resumable = m.keeps
		if m.resumed && !m.keeps {
			return errors.New("standard output can't be gone on with: give the output that the job began with")
		}
		if m.resumed {
			j.output, err = sinks.Resume(fsys.OS{}, *o, j.info(), m.job.Outputs)
			if err == nil || !m.job.Done {
				return err
			}
			if err := m.beginAnew(j); err != nil { // the outputs are others, or gone
				return err
			}
		}
	}
	j.output, err = sinks.Open(fsys.OS{}, *o, j.info())
	return err
}

// wasDone reports whether this job, of today's inputs, is the last one again, which is done: a process that ended between
// the end of its job and its own is begun again in good faith.
func (m *memory) wasDone(today sources.Identity) bool {
	return m.last != nil && len(m.last.Inputs) > 0 && m.last.Inputs.Check(today) == nil && maps.Equal(m.last.Options, m.job.Options)
}

// beginAnew makes the job another one than the last.
func (m *memory) beginAnew(j *job) (err error) {
	inputs := m.job.Inputs
	m.job, m.resumed = newJob(j.l), false
	m.job.Inputs = inputs
	m.job.Mark, err = j.source.Mark(pipeline.Position{})
	return err
}

// onlyPublishes reports whether nothing is left of the job but to put its outputs in their place.
func (m *memory) onlyPublishes() bool { return m.resumed && (m.job.Done || len(m.job.Inputs) == 0) }

// canGoOn reports whether the job can be resumed where it stopped.
func (m *memory) canGoOn() bool { return m != nil && m.keeps && len(m.job.Inputs) > 0 }

// begin saves the start of the job, from where it can be resumed from now on.
func (m *memory) begin(j *job) error {
	if !m.keeps || m.resumed {
		return nil
	}
	if err := m.save(j, m.job.Mark); err != nil {
		return err
	}
	return m.Sync()
}

// checkpoint is pipeline.Options.OnCheckpoint.
func (m *memory) checkpoint(j *job, upto []pipeline.Position) error {
	mark := m.job.Mark
	if len(m.job.Inputs) > 0 && len(upto) > 0 {
		var err error
		if mark, err = j.source.Mark(upto[0]); err != nil {
			return err
		}
	}
	m.job.Whole = j.signals.signal() == nil
	return m.save(j, mark)
}

// save gives the state what belongs to its next commit.
func (m *memory) save(j *job, mark sources.Mark) (err error) {
	m.job.Mark = mark
	if m.job.Outputs, err = j.output.Progress(); err != nil {
		return err
	}
	if m.job.Meter, err = json.Marshal(&j.meter); err != nil {
		return err
	}
	text, err := json.Marshal(&m.job)
	if err != nil {
		return err
	}
	return m.SetProgress(text)
}

// end says that the job came to its end: all that it wrote is in its place.
func (m *memory) end(whole bool) error {
	if !m.keeps {
		m.job.Inputs = nil // what was handed over can't be found again
	}
	m.job.Done, m.job.Whole = true, whole
	text, err := json.Marshal(&m.job)
	if err != nil {
		return err
	}
	if err := m.SetProgress(text); err != nil {
		return err
	}
	return m.Sync()
}

// finishState closes the output and the state: as what the job came to, or so that it can be gone on with.
func (j *job) finishState(ctx context.Context, s *pipeline.Stats, runErr error) error {
	m := j.memory
	m.stats, m.wasAtEnd = m.Stats(), m.job.Done
	var err error
	switch {
	case j.output == nil:
	case runErr != nil:
		err = j.output.Abort()
	default:
		whole := !s.Drained && j.undamaged(s)
		if m.onlyPublishes() {
			whole = m.job.Whole
		}
		if err = j.output.Finish(ctx, totals(s), whole); err == nil {
			err = m.end(whole)
		}
	}
	return errors.Join(err, m.Close())
}

// summary is the line about the state in the table at the end of a run.
func (m *memory) summary(dir string) string {
	text := fmt.Sprintf("state %s: %s that were new since it was made, %s on disk", dir, counted(m.stats.Emitted, "URL"), byteText(m.stats.Bytes+m.stats.JournalBytes))
	switch {
	case m.resumed && m.wasAtEnd:
		text += "; the job was done already"
	case m.resumed:
		text += "; gone on with the job of " + m.job.Started.Format(time.RFC3339)
	}
	return text + "\n"
}
