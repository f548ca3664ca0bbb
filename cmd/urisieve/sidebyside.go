package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/urisieve/urisieve/normalize"
)

// profileResultJSON is what a reference is under one profile. What is absent is null.
type profileResultJSON struct {
	Profile  string `json:"profile"`
	Settings string `json:"settings"`
	sideJSON
	KeyRules []string `json:"key_rules"`
	BaseUsed *string  `json:"base_used"`
	Flags    []string `json:"flags"`
	Differs  []string `json:"differs"` // from the first profile: url, fragment, key, reason
}

func profileResult(v *view, a, first *answer) profileResultJSON {
	out := profileResultJSON{
		Profile: v.profile, Settings: v.norm.SettingsID(), sideJSON: side(a), KeyRules: append([]string{}, a.fired.Names()...),
		BaseUsed: textIf(a.result.BaseUsed != normalize.BaseNone, a.result.BaseUsed.String()),
		Flags:    a.result.Flags.Names(), Differs: []string{},
	}
	if a.ok() != first.ok() {
		out.Differs = append(out.Differs, "url", "fragment", "key", "reason")
		return out
	}
	if !a.ok() {
		if a.result.Reason != first.result.Reason {
			out.Differs = append(out.Differs, "reason")
		}
		return out
	}
	for _, part := range []struct {
		name     string
		own, its []byte
	}{{"url", a.url(), first.url()}, {"fragment", a.fragment(), first.fragment()}, {"key", a.key, first.key}} {
		if !bytes.Equal(part.own, part.its) || (part.own == nil) != (part.its == nil) {
			out.Differs = append(out.Differs, part.name)
		}
	}
	return out
}

// sideBySide shows what ref is under each view; what differs from the first one is marked.
func (p *program) sideBySide(views []*view, bases baseLayers, ref []byte, asJSON bool) error {
	answers := make([]answer, len(views))
	var results []profileResultJSON
	agree := true
	for i, v := range views {
		v.document(bases)
		answers[i] = v.answer(ref)
		r := profileResult(v, &answers[i], &answers[0])
		agree = agree && len(r.Differs) == 0
		results = append(results, r)
	}
	if asJSON {
		return p.writeJSON(struct {
			Reference string              `json:"reference"`
			Agree     bool                `json:"agree"`
			Profiles  []profileResultJSON `json:"profiles"`
		}{oneLine(ref), agree, results})
	}
	var b strings.Builder
	fmt.Fprintf(&b, "reference   %s\n", orDash(redactURI(string(ref)), true))
	for i := range results {
		writeProfileResult(&b, &results[i])
	}
	if agree {
		b.WriteString("\nall profiles agree\n")
	} else {
		fmt.Fprintf(&b, "\n* differs from %s\n", results[0].Profile)
	}
	_, err := io.WriteString(p.stdout, b.String())
	return asFailed(err)
}

// writeProfileResult is a block that fits a narrow terminal.
func writeProfileResult(b *strings.Builder, r *profileResultJSON) {
	fmt.Fprintf(b, "\n%s\n", r.Profile)
	line := func(name string, text *string) {
		mark := " "
		for _, d := range r.Differs {
			if d == name {
				mark = "*"
			}
		}
		value := "-"
		if text != nil {
			value = orDash(*text, true)
		}
		fmt.Fprintf(b, "%s %-9s %s\n", mark, name, value)
	}
	if r.Reason != nil {
		line("reason", r.Reason)
		return
	}
	line("url", r.URL)
	line("fragment", r.Fragment)
	line("key", r.Key)
	if len(r.Flags) > 0 {
		fmt.Fprintf(b, "  flags     %s\n", strings.Join(r.Flags, ", "))
	}
}
