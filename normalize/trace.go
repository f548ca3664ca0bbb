package normalize

import (
	"math/bits"

	"github.com/urisieve/urisieve/normalize/uri"
)

// trace collects the steps of a run.
type trace struct {
	steps []Step
	old   bool // of the profile rfc2396
}

// add notes a step. The bytes are copied.
func (t *trace) add(rule RuleSet, c Component, before, after []byte) {
	if before == nil && after == nil {
		return
	}
	if len(before)+len(after) == 0 { // empty is not absent: show the delimiter
		delimiter := delimiterOf(c)
		if delimiter == nil {
			return // an empty path is an empty path
		}
		if before != nil {
			before = delimiter
		} else {
			after = delimiter
		}
	}
	info := &ruleInfos[bits.TrailingZeros64(uint64(rule))]
	section := info.Section
	if older, ok := sections2396[rule]; ok && t.old {
		section = older
	}
	t.steps = append(t.steps, Step{
		Rule: rule, Name: info.Name, Section: section, Component: c,
		Before: string(before), After: string(after),
	})
}

// delimiterOf is what tells an empty component from an absent one.
func delimiterOf(c Component) []byte {
	switch c {
	case ComponentAuthority:
		return []byte("//")
	case ComponentUserinfo:
		return []byte("@")
	case ComponentPort:
		return []byte(":")
	case ComponentQuery:
		return []byte("?")
	default:
		return nil
	}
}

// traceText notes the steps of appendText: it applies its rules one after the other, in the order
// of their bits but the strays first, each over what the last one left.
func (r *run) traceText(text []byte, set uri.Class, c Component) {
	for _, rule := range [...]RuleSet{
		RuleEscapeEarlierAt, RuleEscapeStrayPercent, RuleEscapeIllegal, RuleEscapeBackslash,
		RuleEscapeNonASCII, RuleDecodeUnreserved, RuleUpperHex,
	} {
		if r.on&rule == 0 {
			continue
		}
		one := run{n: r.n, on: rule}
		one.appendText(text, set, c)
		if one.result.Changed != 0 {
			r.trace.add(rule, c, text, one.out)
			text = one.out
		}
	}
}
