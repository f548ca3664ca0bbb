package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/urisieve/urisieve/pipeline"
)

// progress reports, on standard error, how far a run is. Its goroutine ends at finish.
type progress struct {
	w     *console
	meter *pipeline.Meter
	bloom func() *bloomCounts
	start time.Time
	mode  string // "bar", "json", "none"
	quit  chan struct{}
	ended sync.WaitGroup

	// The rate shown is that of the last seconds.
	lastTime time.Time
	lastRefs int64
	rate     float64
}

const barInterval = 200 * time.Millisecond

// startProgress begins to report. In the mode auto it does so on a terminal only, and not on one that
// the results go to.
func (j *job) startProgress(toStdout bool) *progress {
	now, c := time.Now(), &j.l.Progress
	g := &progress{w: j.stderr, meter: &j.meter, bloom: j.bloomCounts, start: now, lastTime: now, mode: c.Mode, quit: make(chan struct{})}
	if g.mode == "auto" {
		g.mode = "none"
		if j.stderrIsTerminal && !(toStdout && j.stdoutIsTerminal) {
			g.mode = "bar"
		}
	}
	switch g.mode {
	case "bar":
		g.ended.Go(func() { g.every(barInterval, g.bar) })
	case "json":
		g.ended.Go(func() { g.every(c.Interval, func() { g.line(g.meter.Stats(), false) }) })
	}
	return g
}

func (g *progress) every(interval time.Duration, report func()) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			report()
		case <-g.quit:
			return
		}
	}
}

// finish ends the reports: a bar is wiped away, JSON gets its last line.
func (g *progress) finish(s pipeline.Stats) {
	close(g.quit)
	g.ended.Wait()
	switch g.mode {
	case "bar":
		g.w.wipe()
	case "json":
		g.line(s, true)
	}
}

// update works out the rate of the last second or more.
func (g *progress) update(s pipeline.Stats) {
	now := time.Now()
	if d := now.Sub(g.lastTime); d >= time.Second {
		g.rate = float64(s.References-g.lastRefs) / d.Seconds()
		g.lastTime, g.lastRefs = now, s.References
	} else if g.lastTime.Equal(g.start) && d > 0 {
		g.rate = float64(s.References) / d.Seconds()
	}
}

// remaining estimates the time to the end by the share of bytes that were read; 0 when unknown.
func (g *progress) remaining(s pipeline.Stats) time.Duration {
	read, total := s.Source.BytesIn, s.Source.BytesTotal
	if read <= 0 || total <= read {
		return 0
	}
	return time.Duration(float64(time.Since(g.start)) / float64(read) * float64(total-read))
}

func (g *progress) bar() {
	s := g.meter.Stats()
	g.update(s)
	parts := []string{
		short(float64(s.References)) + " refs",
		short(g.rate) + "/s",
		short(float64(s.Unique)) + " unique",
		short(float64(s.Duplicate)) + " dup",
	}
	if s.Filtered > 0 {
		parts = append(parts, short(float64(s.Filtered))+" filtered")
	}
	parts = append(parts, short(float64(s.Rejected))+" rejected")
	if s.Waiting > 0 {
		parts = append(parts, short(float64(s.Waiting))+" waiting")
	}
	if total := s.Source.BytesTotal; total > 0 {
		parts = append(parts, fmt.Sprintf("%s of %s (%s)", byteText(s.Source.BytesIn), byteText(total), percent(s.Source.BytesIn, total)))
	} else {
		parts = append(parts, byteText(s.Source.BytesIn))
	}
	if d := g.remaining(s); d > 0 {
		parts = append(parts, elapsed(d)+" left")
	}
	g.w.draw(strings.Join(parts, "  "))
}

// progressLine is a line of --progress json. Units are in the names.
type progressLine struct {
	Time             string  `json:"time"`
	Done             bool    `json:"done"`
	Seconds          float64 `json:"seconds"`
	References       int64   `json:"references"`
	Unique           int64   `json:"unique"`
	Duplicates       int64   `json:"duplicates"`
	Filtered         int64   `json:"filtered"`
	Rejected         int64   `json:"rejected"`
	Waiting          int64   `json:"waiting"` // for the verdict of one that memory had no room for
	Records          int64   `json:"records"`
	BytesIn          int64   `json:"bytes_in"`
	BytesTotal       *int64  `json:"bytes_total"` // null when unknown
	RefsPerSecond    float64 `json:"references_per_second"`
	RemainingSeconds *int64  `json:"remaining_seconds"` // null when unknown

	Bloom *bloomCounts `json:"bloom,omitempty"` // with --dedup bloom
}

func (g *progress) line(s pipeline.Stats, done bool) {
	g.update(s)
	seconds := time.Since(g.start).Seconds()
	l := progressLine{
		Time: time.Now().UTC().Format(time.RFC3339), Done: done, Seconds: roundTo(seconds, 1000),
		References: s.References, Unique: s.Unique, Duplicates: s.Duplicate, Filtered: s.Filtered, Rejected: s.Rejected, Waiting: s.Waiting,
		Records: s.Source.Records, BytesIn: s.Source.BytesIn, RefsPerSecond: roundTo(g.rate, 10), Bloom: g.bloom(),
	}
	if done && seconds > 0 {
		l.RefsPerSecond = roundTo(float64(s.References)/seconds, 10)
	}
	if total := s.Source.BytesTotal; total > 0 {
		l.BytesTotal = &total
	}
	if d := g.remaining(s); d > 0 && !done {
		r := int64(d.Seconds())
		l.RemainingSeconds = &r
	}
	text, err := json.Marshal(l)
	if err != nil {
		return // no field can fail
	}
	_, _ = g.w.Write(append(text, '\n')) // nobody is left to tell when it fails
}

func roundTo(f, parts float64) float64 { return float64(int64(f*parts+0.5)) / parts }
