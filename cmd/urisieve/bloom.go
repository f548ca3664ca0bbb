package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/urisieve/urisieve/config"
	"github.com/urisieve/urisieve/pipeline"
	"github.com/urisieve/urisieve/pipeline/dedup"
)

func bloomOptions(c *config.Config) dedup.BloomOptions {
	return dedup.BloomOptions{
		Capacity: c.Dedup.Capacity, ErrorRate: float64(c.Dedup.ErrorRate), Memory: int64(orZero(c.Dedup.Memory)),
	}
}

// machineFaults holds a Bloom filter against the memory of this machine, where dedup.memory leaves it to
// that: run alone asks, since a configuration may be checked elsewhere.
func machineFaults(l *config.Loaded) config.Faults {
	o := bloomOptions(&l.Config)
	if l.Dedup.Mode != dedupBloom || o.Memory > 0 {
		return nil
	}
	o.Memory = dedup.DefaultMemory()
	other := func(f config.Fault) bool { return f.Key != "dedup.memory" } // checkRun has told
	return slices.DeleteFunc(faultsOf(l, o.Validate(), "dedup", nil), other)
}

// bloomCounts is what --report and --progress json tell of a Bloom filter. Shares have four digits.
type bloomCounts struct {
	Capacity     int64   `json:"capacity"`
	MaxErrorRate float64 `json:"max_error_rate"`
	Keys         int64   `json:"keys"`
	Bits         int64   `json:"bits"`
	BitsSet      int64   `json:"bits_set"`
	Fill         float64 `json:"fill"`
	ErrorRate    float64 `json:"error_rate"`     // of the next new URL
	Lost         float64 `json:"estimated_lost"` // new URLs that were taken for seen
	Bytes        int64   `json:"bytes"`
}

// bloomCounts gives the counts as of now, nil where there is no Bloom filter.
func (j *job) bloomCounts() *bloomCounts {
	if j.bloom == nil {
		return nil
	}
	s := j.bloom.Stats()
	return &bloomCounts{
		Capacity: s.Capacity, MaxErrorRate: s.ErrorRate, Keys: s.Keys, Bits: s.Bits, BitsSet: s.BitsSet,
		Fill: fourDigits(s.Fill()), ErrorRate: fourDigits(s.Rate), Lost: roundTo(s.Lost, 10), Bytes: s.Bytes,
	}
}

// fourDigits rounds to four significant digits.
func fourDigits(f float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(f, 'g', 4, 64), 64)
	if err != nil {
		return f
	}
	return rounded
}

// shareText writes a share in percent with three digits.
func shareText(f float64) string {
	switch {
	case f == 0:
		return "0%"
	case f < 1e-8:
		return "below 0.000001%"
	}
	digits := max(2-int(math.Floor(math.Log10(100*f))), 0)
	text := strconv.FormatFloat(100*f, 'f', digits, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text + "%"
}

// summary is the lines about the filter in the table at the end of a run.
func (c *bloomCounts) summary() string {
	return fmt.Sprintf("bloom filter: %s of %s keys, %s of %s bits set (%s), %s\n"+
		"bloom error rate: %s now, %s at most; an estimated %s taken for seen\n",
		grouped(c.Keys), grouped(c.Capacity), grouped(c.BitsSet), grouped(c.Bits), shareText(c.Fill), byteText(c.Bytes),
		shareText(c.ErrorRate), shareText(c.MaxErrorRate), counted(int64(math.Round(c.Lost)), "new URL"))
}

// moreRoom says what to do about a full set.
func (j *job) moreRoom(s *pipeline.Stats) string {
	if j.bloom != nil {
		next := nextCapacity(j.bloom.Stats(), s)
		return fmt.Sprintf("give --dedup-capacity %d or more (dedup.capacity), run in parts, or use --dedup exact", next)
	}
	return "raise dedup.memory (--dedup-memory)"
}

// nextCapacity is what to give in the place of a capacity that was too small: twice that, with the keys
// that were refused, or what there is if the rest of the input has as many new URLs as what was read, and a
// tenth more. It has two digits.
func nextCapacity(c dedup.BloomStats, s *pipeline.Stats) int64 {
	need := 2 * float64(max(c.Capacity, c.Keys+c.Refused))
	if in := s.Source; s.References > 0 && in.BytesIn > 0 && in.BytesTotal > in.BytesIn {
		ahead := float64(s.Read) / float64(s.References)
		need = max(need, 1.1*float64(c.Keys)*ahead*float64(in.BytesTotal)/float64(in.BytesIn))
	}
	unit := math.Pow(10, max(math.Floor(math.Log10(need))-1, 0))
	return int64(min(math.Ceil(need/unit)*unit, dedup.MaxCapacity))
}
