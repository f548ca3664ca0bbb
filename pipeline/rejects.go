package pipeline

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/urisieve/urisieve/normalize"
)

// RejectLimit says how many rejects end a run that is evidently misconfigured.
type RejectLimit struct {
	// Count ends the run when more than that many references were rejected. Not used where
	// Percent is given.
	Count int64
	// Percent, above 0 and below 100, ends the run when more than that share of all references was
	// rejected, once there were After references.
	Percent float64
	// After is the number of references before Percent is looked at. Default 1,000.
	After int64
}

// ParseRejectLimit reads "N" or "P%", as in "100" or "2.5%".
func ParseRejectLimit(s string) (*RejectLimit, error) {
	if share, ok := strings.CutSuffix(s, "%"); ok {
		p, err := strconv.ParseFloat(share, 64)
		if err != nil || !(p > 0 && p < 100) {
			return nil, fmt.Errorf("max_rejects: %q: want a share above 0%% and below 100%%, such as 5%%", s)
		}
		return &RejectLimit{Percent: p}, nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		return nil, fmt.Errorf("max_rejects: %q: want a count such as 100, or a share such as 5%%", s)
	}
	return &RejectLimit{Count: n}, nil
}

// Validate reports the first fault.
func (l *RejectLimit) Validate() error {
	switch {
	case l.Count < 0:
		return fmt.Errorf("max_rejects: count %d: want 0 or more", l.Count)
	case !(l.Percent >= 0 && l.Percent < 100):
		return fmt.Errorf("max_rejects: %v%%: want a share above 0%% and below 100%%", l.Percent)
	case l.After < 0:
		return fmt.Errorf("max_rejects: after %d: want 0 or more", l.After)
	}
	return nil
}

func (l *RejectLimit) String() string {
	if l.Percent > 0 {
		return strconv.FormatFloat(l.Percent, 'f', -1, 64) + "%"
	}
	return strconv.FormatInt(l.Count, 10)
}

// exceeded reports whether so many rejects among so many references are too many.
func (l *RejectLimit) exceeded(rejected, references int64) bool {
	if l.Percent == 0 {
		return rejected > l.Count
	}
	after := l.After
	if after == 0 {
		after = 1000
	}
	return references >= after && float64(rejected)*100 > l.Percent*float64(references)
}

// RejectSample is a rejected reference to show to a person. It is safe to log: what could be a
// userinfo is masked.
type RejectSample struct {
	Position  Position
	Index     uint32 // number of the reference in its record, from 0
	Reason    normalize.Reason
	Component normalize.Component
	At        uint32 // byte offset into the reference as it came in
	Text      string // the start of the reference, at most 200 bytes, masked
}

func (s RejectSample) String() string {
	text := fmt.Sprintf("%s: record %d: %s", s.Position.Source, s.Position.Number, s.Reason)
	if s.Component != normalize.ComponentNone {
		text += fmt.Sprintf(" in the %s, byte %d", s.Component, s.At)
	}
	return text + fmt.Sprintf(": %q", s.Text)
}

// TooManyRejectsError ends a run that passed Options.MaxRejects.
type TooManyRejectsError struct {
	Limit                RejectLimit
	Rejected, References int64 // settled when the run ended
	Samples              []RejectSample
}

func (e *TooManyRejectsError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d references were rejected, more than max_rejects allows (%s)", e.Rejected, e.References, e.Limit.String())
	for i, s := range e.Samples {
		if i == 3 {
			break
		}
		b.WriteString("\n  ")
		b.WriteString(s.String())
	}
	b.WriteString("\nlook whether the input format, the reference field and the base are the right ones, or raise max_rejects")
	return b.String()
}

const (
	maxSamples          = 10
	maxSamplesPerReason = 3
	maxSampleBytes      = 200
	rejectsInRow        = 1000
)

// sampleText is the start of a reference with everything masked that might be a userinfo: from where
// an authority may begin to the last "@". An "@" that stands in the path or query, with no ":" before
// it, has no password before it.
func sampleText(raw []byte) string {
	at := bytes.LastIndexByte(raw, '@')
	if at < 0 {
		return string(raw[:min(len(raw), maxSampleBytes)])
	}
	start := authorityStart(raw[:at])
	if hidden := raw[start:at]; bytes.IndexByte(hidden, '@') < 0 && bytes.IndexByte(hidden, ':') < 0 && bytes.ContainsAny(hidden, `/\?#`) {
		return string(raw[:min(len(raw), maxSampleBytes)])
	}
	text := append([]byte(nil), raw[:min(start, maxSampleBytes)]...)
	text = append(text, "***"...)
	return string(append(text, raw[at:min(len(raw), at+maxSampleBytes)]...))
}

// authorityStart is where an authority may begin at the earliest, for whoever reads: behind a scheme,
// and behind any number of slashes of either kind, none too, with tabs and line ends between them
// (URL standard section 4.4).
func authorityStart(raw []byte) int {
	start := 0
	for start < len(raw) && raw[start] <= ' ' {
		start++
	}
	if i := start; i < len(raw) && alpha(raw[i]) {
		for i < len(raw) && (alpha(raw[i]) || '0' <= raw[i] && raw[i] <= '9' || raw[i] == '+' || raw[i] == '-' || raw[i] == '.') {
			i++
		}
		if i < len(raw) && raw[i] == ':' {
			start = i + 1
		}
	}
	for start < len(raw) && (raw[start] == '/' || raw[start] == '\\' || raw[start] <= ' ') {
		start++
	}
	return start
}

func alpha(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
