package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/normalize/keyrule"
)

type equalFlags struct {
	json, allProfiles bool
	presets           bool // no key rule was asked for: answer under each preset
	embedded, entity  string
}

func (p *program) equalCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "equal [flags] A B",
		Short: "Tell whether two references are one, and which rules make them so",
		Long: `Equal normalizes two references against the same base and compares them: under the selected
profile, and under the key rules of each preset beside it (spec has none), or under the key rules
that the flags ask for. --all-profiles does so under every profile.

Where the two are one it names the rules that make them so: the smallest set that is enough, found
by switching off every rule that isn't needed. Where they are not, it shows both keys.

Exit codes of equal: 0 they are one in the selected profile, under the key rules that the flags ask
for (without any: they have the same canonical URI); 1 they are not, or one of them has no canonical
URI; 2 usage.`,
		Example: `  urisieve equal 'HTTP://ex.com:80/%7Ea' http://ex.com/~a
  urisieve equal --all-profiles 'http://h/%7e' 'http://h/~'
  urisieve equal --key-preset crawl 'http://h/?b=1&a=2&utm_source=x' 'http://h/?a=2&b=1'
  urisieve equal --base http://h/a/ ../b /b && echo one`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return fmt.Errorf("equal takes two references, not %d: put each in quotes", len(args))
			}
			return nil
		},
	}
	var f equalFlags
	c := addConfiguration(cmd, normalizeFlags, keyFlags)
	flags := cmd.Flags()
	flags.BoolVar(&f.allProfiles, "all-profiles", false, "answer under every profile")
	flags.BoolVar(&f.json, "json", false, "as JSON")
	flags.StringVar(&f.embedded, "embedded-base", "", "the base `URI` within the content (<base href>)")
	flags.StringVar(&f.entity, "entity-base", "", "the base `URI` of the enclosing entity")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		l, err := c.load(nil)
		if err != nil {
			return usage(err)
		}
		o := normalizeOptions(&l.Config)
		views, err := allViews(o)
		if err != nil {
			return usage(faultsOf(l, err, "normalize", normalizeNames))
		}
		f.presets = views[0].norm.KeyRules() == 0 && o.Key.Preset == ""
		if f.presets {
			if views, err = withPresets(o); err != nil {
				return failed(err)
			}
		}
		if !f.allProfiles {
			views = slices.DeleteFunc(views, func(v *view) bool { return v.profile != views[0].profile })
		}
		var bases baseLayers
		if flags.Changed("embedded-base") {
			bases.embedded = []byte(f.embedded)
		}
		if flags.Changed("entity-base") {
			bases.entity = []byte(f.entity)
		}
		return p.equal(views, &f, bases, []byte(args[0]), []byte(args[1]))
	}
	return cmd
}

// verdictJSON is the answer under one profile and one set of key rules.
type verdictJSON struct {
	Profile  string   `json:"profile"`
	Settings string   `json:"settings"`
	Keys     string   `json:"key_rules"`
	Equal    bool     `json:"equal"`
	Rules    []string `json:"because_of"`
	KeyRules []string `json:"because_of_key_rules"`
	A        sideJSON `json:"a"`
	B        sideJSON `json:"b"`
}

// sideJSON is what one of the two is. What is absent is null.
type sideJSON struct {
	URL      *string `json:"url"`
	Fragment *string `json:"fragment"`
	Key      *string `json:"key"`
	Reason   *string `json:"reason"`
}

func side(a *answer) sideJSON {
	if !a.ok() {
		reason := a.reason()
		return sideJSON{Reason: &reason}
	}
	s := sideJSON{}
	text := func(b []byte) *string { t := redactURI(shown(string(b))); return &t }
	s.URL, s.Key = text(a.url()), text(a.key)
	if f := a.fragment(); f != nil {
		s.Fragment = textIf(true, string(f))
	}
	return s
}

// equal answers under each view and set of key rules; the first answer decides the exit code.
func (p *program) equal(views []*view, f *equalFlags, bases baseLayers, a, b []byte) error {
	var verdicts []verdictJSON
	for _, v := range views {
		v.document(bases)
		verdicts = append(verdicts, v.verdict(a, b))
	}
	one := verdicts[0].Equal
	var err error
	if f.json {
		err = p.writeJSON(struct {
			A        string        `json:"a"`
			B        string        `json:"b"`
			Equal    bool          `json:"equal"`
			Verdicts []verdictJSON `json:"verdicts"`
		}{oneLine(a), oneLine(b), one, verdicts})
	} else {
		_, err = io.WriteString(p.stdout, verdictText(verdicts))
		err = asFailed(err)
	}
	if err == nil && !one {
		err = &exit{code: exitFailed}
	}
	return err
}

// withPresets are the views under each preset of key rules, those of a profile together.
func withPresets(o normalize.Options) ([]*view, error) {
	var views []*view
	for _, preset := range keyrule.Presets() {
		o.Key.Preset = preset.Name
		more, err := allViews(o)
		if err != nil {
			return nil, err
		}
		for _, v := range more {
			v.preset = preset.Name
		}
		views = append(views, more...)
	}
	order := map[string]int{}
	for i, v := range views {
		if _, ok := order[v.profile]; !ok {
			order[v.profile] = i
		}
	}
	slices.SortStableFunc(views, func(a, b *view) int { return order[a.profile] - order[b.profile] })
	return views, nil
}

// label names the key rules: the preset, or each.
func (v *view) label() string {
	if v.preset != "" {
		return v.preset
	}
	return cmp.Or(strings.Join(v.norm.KeyRules().Names(), "+"), "spec")
}

// verdict compares two references under v.
func (v *view) verdict(a, b []byte) verdictJSON {
	x, y := v.answer(a), v.answer(b)
	out := verdictJSON{
		Profile: v.profile, Settings: v.norm.SettingsID(), Keys: v.label(), Equal: same(&x, &y),
		A: side(&x), B: side(&y), Rules: []string{}, KeyRules: []string{},
	}
	if out.Equal && !bytes.Equal(a, b) {
		rules, keys := v.needed(a, b, x.result.Changed|y.result.Changed, x.fired|y.fired)
		out.Rules = append(out.Rules, rules.Names()...)
		out.KeyRules = append(out.KeyRules, keys.Names()...)
	}
	return out
}

func same(x, y *answer) bool { return x.ok() && y.ok() && bytes.Equal(x.key, y.key) }

// needed minimises the rules that changed either of two references which are one: each is switched
// off, and stays off if the two are one without it. What is left is enough, and none of it can go.
func (v *view) needed(a, b []byte, rules normalize.RuleSet, keys keyrule.Set) (normalize.RuleSet, keyrule.Set) {
	if v.norm.KeyRules() == keyrule.GSB {
		return 0, keyrule.GSB // it is made of the references as they came in: no other rule has a part in it
	}
	var off normalize.RuleSet
	var keysOff keyrule.Set
	fixed := rules & normalize.RuleURLStandard // one rule, all of the profile whatwg: nothing is left without it
	if strings.HasPrefix(v.profile, "whatwg") {
		fixed |= rules & normalize.RuleResolve // a part of it there
	}
	one := func(off normalize.RuleSet, keysOff keyrule.Set) bool {
		w := &view{norm: v.norm.Without(off, keysOff), base: v.base}
		x, y := w.answer(a), w.answer(b)
		return same(&x, &y)
	}
	// Key rules first: where the standard alone is enough, no key rule is to blame.
	for rest := keys; rest != 0; rest &= rest - 1 {
		if bit := rest & -rest; one(off, keysOff|bit) {
			keysOff |= bit
		}
	}
	for rest := rules &^ fixed; rest != 0; rest &= rest - 1 {
		if bit := rest & -rest; one(off|bit, keysOff) {
			off |= bit
		}
	}
	return rules &^ off, keys &^ keysOff
}

// verdictText shows verdicts in blocks that fit a narrow terminal.
func verdictText(verdicts []verdictJSON) string {
	var b strings.Builder
	profile := ""
	for i := range verdicts {
		v := &verdicts[i]
		if v.Profile != profile {
			profile = v.Profile
			fmt.Fprintf(&b, "%s\n", profile)
		}
		if !v.Equal {
			fmt.Fprintf(&b, "  %-8s not one\n    A  %s\n    B  %s\n", v.Keys, sideText(&v.A), sideText(&v.B))
			continue
		}
		why := "nothing has to change"
		if names := append(append([]string{}, v.Rules...), v.KeyRules...); len(names) > 0 {
			why = "by " + strings.Join(names, ", ")
		}
		fmt.Fprintf(&b, "  %-8s one, %s\n    %s\n", v.Keys, why, sideText(&v.A))
	}
	return b.String()
}

func sideText(s *sideJSON) string {
	if s.Key == nil {
		return "refused: " + *s.Reason
	}
	return *s.Key
}
