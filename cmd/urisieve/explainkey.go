package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/urisieve/urisieve/normalize/keyrule"
)

// keyStep is a key rule at work.
type keyStep struct {
	Rule   string `json:"rule"`
	Before string `json:"before"`
	After  string `json:"after"`
	Danger string `json:"danger"`
}

// keySteps tells how the key of ref is made, rule after rule; nil without key rules or a URL.
func (v *view) keySteps(bases baseLayers, ref []byte, showSecrets bool) []keyStep {
	steps := []keyStep{}
	v.document(bases)
	a := v.answer(ref)
	if !a.ok() {
		return steps
	}
	text := func(b []byte) string {
		if showSecrets {
			return shown(string(b))
		}
		return redactURI(shown(string(b)))
	}
	before := a.url()
	for _, info := range keyrule.Infos() {
		if a.fired&info.Bit == 0 {
			continue
		}
		// What the rules up to this one give.
		w := view{norm: v.norm.Without(0, ^(info.Bit | (info.Bit - 1))), base: v.base}
		partial := w.answer(ref)
		steps = append(steps, keyStep{info.Name, text(before), text(partial.key), info.Danger})
		before = partial.key
	}
	return steps
}

// explainKeySteps appends the steps of the key to an explanation.
func explainKeySteps(b *strings.Builder, steps []keyStep) {
	if len(steps) == 0 {
		return
	}
	b.WriteString("\nkey rule by key rule\n")
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, s := range steps {
		fmt.Fprintf(w, "  %s\t%s\t-> %s\n", s.Rule, s.Before, s.After)
	}
	w.Flush()
}
