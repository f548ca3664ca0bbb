package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/urisieve/urisieve/config"
	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/sources"
)

// pick makes a group of some flags of others.
func pick(title string, groups []flagGroup, names ...string) flagGroup {
	picked := flagGroup{title: title}
	for _, g := range groups {
		for _, f := range g.flags {
			if slices.Contains(names, f.name) {
				picked.flags = append(picked.flags, f)
			}
		}
	}
	return picked
}

// seenFlags are those of run that a set of seen URLs needs.
var seenFlags = pick("State", []flagGroup{stateFlags, dedupFlags, inputFlags}, "state", "ttl", "dedup-memory", "dedup-key-file", "max-record-bytes")

func (p *program) seenCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "seen --state DIR [flags]",
		Short: "Answer, line by line, whether a URL was seen before, and remember it",
		Long: `Seen is the memory of a crawler's frontier. It reads JSON lines from standard input and answers
each by one line, in the order of the input, from the set of seen URLs in --state DIR, which is made
if it isn't there. It is the set of urisieve run --state: what a run wrote is seen, and what is new
here is seen by later runs.

A line is a reference, of which only ref is needed:
  {"ref":"../x", "base":"http://h/a/b", "verb":"claim", "time":"2026-12-31T23:59:59Z", "id":7}
A line that is a string is a ref alone. base, embedded_base and entity_base are as in urisieve
normalize. id may be anything, and stands in the answer. verb is one of
  claim   new, and seen from now on; or seen (the default)
  note    mark it seen, without a question: seen
  force   whether it is seen or not: new, and seen from now on
  forget  make it as if it had never been seen: forgotten
time, in RFC 3339 or in seconds since 1970, dates it. The default is now; a time in the future is
taken for now, too. One that is earlier than what is known of the URL changes nothing. The answer is
  {"verdict":"new", "url":..., "key":..., "id":...}     with key where key rules are on
  {"verdict":"rejected", "reason":..., "component":..., "offset":...}     as urisieve normalize says

A line may also be one of
  {"forget_host":"example.com"}  what of this host was seen up to now (or "time") is new again
  {"forget_before":TIME}         what was seen before is new again
  {"sync":true}                  all before it survives a crash: {"synced":true} once that is so
The answer to the first two is {"forgotten":true}. What can't be understood is answered by
{"error":...}, with the offset of the byte if it isn't JSON, and changes nothing.

Answers come at once when the input pauses. A client that doesn't wait for each answer is served
much faster, but must read while it writes. After a crash, what was claimed since the last sync may
be new again. All is synced at the end of the input and at a signal; and by --sync-every, which
makes claims durable whose answers may never have been read. When the reader of the answers goes
away, nothing more is synced.`,
		Example: `  urisieve seen --state frontier < asks.jsonl > answers.jsonl
  echo '"http://example.com/a/../b"' | urisieve seen --state frontier -q
  echo '{"ref":"/c","base":"http://example.com/","id":7}' | urisieve seen --state frontier -q
  echo '{"forget_host":"example.com"}' | urisieve seen --state frontier -q
  urisieve seen --state crawl --key-preset crawl --ttl 30d --sync-every 10s < asks.jsonl`,
		Args: cobra.NoArgs,
	}
	var every string
	c := addConfiguration(cmd, normalizeFlags, keyFlags, seenFlags, logFlags)
	cmd.Flags().StringVar(&every, "sync-every", "", "sync of itself after this `TIME|N`: a duration (10s), or so many lines; none: by sync lines alone (default none)")
	cmd.RunE = func(*cobra.Command, []string) error {
		l, err := c.load(nil)
		if err != nil {
			return usage(err)
		}
		faults := append(p.checkCommon(l), neededState(l)...)
		if len(l.State.Seen) > 0 {
			faults = append(faults, l.Fault("state.seen", "urisieve seen asks its own state alone", "none; urisieve state merge adds what another one has"))
		}
		interval, fault := parseSyncInterval(every)
		if faults = append(faults, fault...); len(faults) > 0 {
			return usage(faults)
		}
		return p.seen(l, interval)
	}
	return cmd
}

// neededState are the faults of state options of a command that needs a state.
func neededState(l *config.Loaded) config.Faults {
	if l.State.Dir == "" {
		return config.Faults{l.Fault("state.dir", "not given", "--state DIR: a state, or a directory for one")}
	}
	return stateFaults(l)
}

// syncInterval is a number of lines or a time; zeros: none.
type syncInterval struct {
	lines int64
	time  time.Duration
}

func parseSyncInterval(text string) (syncInterval, config.Faults) {
	if text == "" || text == "none" {
		return syncInterval{}, nil
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 0 {
		return syncInterval{lines: n}, nil
	}
	if d, err := time.ParseDuration(text); err == nil && d >= time.Millisecond {
		return syncInterval{time: d}, nil
	}
	return syncInterval{}, config.Faults{{
		Origin: "--sync-every", Problem: fmt.Sprintf("%q is not accepted", text),
		Accepted: "a number of lines from 1, a duration from 1ms (10s), or none",
	}}
}

// seen does the work of urisieve seen.
func (p *program) seen(l *config.Loaded, every syncInterval) error {
	norm, err := normalize.New(normalizeOptions(&l.Config))
	if err != nil {
		return usage(faultsOf(l, err, "normalize", normalizeNames))
	}
	for _, n := range l.Notices {
		newLogger(p.stderr, l.Log).Warn("environment", "notice", n)
	}
	limitMemory(setMemory(&l.Config))
	ctx, signals := watchSignals(context.Background())
	defer signals.stop()
	state, err := openIdleState(l, norm.SettingsID())
	if err != nil {
		return err
	}
	s := newSeenSession(state, norm, p.stdout, every)
	in := startLineFeed(p.stdin, maxLineBytes(&l.Config))
	err = s.serve(ctx, in, signals.Drain)
	if err == nil {
		err = s.sync()
	}
	err = errors.Join(err, state.Close())
	if l.Progress.Summary && !closedPipe(err) {
		p.say(s.counts.summary(l.State.Dir))
	}
	switch signal := signals.signal(); {
	case err != nil && closedPipe(err):
		return err
	case signal != nil && errors.Is(err, context.Canceled):
		return &exit{signalCode(signal), fmt.Errorf("ended by signal (%v): stopped at once, what was claimed since the last sync may be new again", signal)}
	case err != nil:
		return failed(fmt.Errorf("%w; what was claimed since the last sync may be new again", err))
	case signal != nil:
		return &exit{signalCode(signal), fmt.Errorf("ended by signal (%v): all %s lines that were read are answered and synced", signal, grouped(s.counts.lines))}
	}
	return nil
}

// maxLineBytes bounds a line of urisieve seen.
func maxLineBytes(c *config.Config) int {
	if n := int(orZero(c.Input.MaxRecordBytes)); n > 0 {
		return n
	}
	return sources.DefaultMaxRecordBytes
}
