package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/urisieve/urisieve/config"
	"github.com/urisieve/urisieve/normalize"
)

type explainFlags struct {
	json, showSecrets    bool
	allProfiles          bool
	embedded, entity     string
	hasEmbedded, hasBase bool
	hasEntity            bool
}

func (p *program) explainCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain [flags] REF",
		Short: "Show what is done to one reference, step by step, and why",
		Long: `Explain shows the components of a reference with their place in it (byte offsets, the end
excluded), what became of each, every rule at work with the section that licenses it, the base that
was used, the flags, and the reason when there is no canonical URI. Where key rules are asked for it
shows the key, too, and the rules that made it.

--all-profiles sets the results of all profiles side by side instead, each with url, fragment, key
or reason; what differs from the selected profile is marked with a *.

Passwords are shown as *** unless --show-secrets is given. The exit code is 0 whether or not there
is a canonical URI: --json has the answer.`,
		Example: `  urisieve explain 'HTTP://User@ex.com:80/a/./b/../%7Ec?q=%c3%a9#top'
  urisieve explain --base http://a/b/c/d ../g
  urisieve explain --json --strict 'http://h/a b'
  urisieve explain --all-profiles 'http://h/a|b'
  urisieve explain --key-preset crawl 'http://h/?b=1&a=2&utm_source=x'`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("explain takes one reference, not %d: put it in quotes", len(args))
			}
			return nil
		},
	}
	var f explainFlags
	c := addConfiguration(cmd, normalizeFlags, keyFlags)
	flags := cmd.Flags()
	flags.BoolVar(&f.json, "json", false, "as JSON")
	flags.BoolVar(&f.showSecrets, "show-secrets", false, "show passwords")
	flags.BoolVar(&f.allProfiles, "all-profiles", false, "the results of all profiles side by side")
	flags.StringVar(&f.embedded, "embedded-base", "", "the base `URI` within the content (<base href>)")
	flags.StringVar(&f.entity, "entity-base", "", "the base `URI` of the enclosing entity")
	flags.Lookup("base").Usage = "the URI that the document was retrieved from"
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		l, err := c.load(nil)
		if err != nil {
			return usage(err)
		}
		f.hasEmbedded, f.hasEntity = flags.Changed("embedded-base"), flags.Changed("entity-base")
		f.hasBase = flags.Changed("base")
		return p.explain(l, f, args[0])
	}
	return cmd
}

func (p *program) explain(l *config.Loaded, f explainFlags, ref string) error {
	o := normalizeOptions(&l.Config)
	// Given for one reference, the base is the document's own, not the application's default.
	var embedded, entity, base []byte
	if f.hasBase {
		base, o.DefaultBase = []byte(o.DefaultBase), ""
	}
	if f.hasEmbedded {
		embedded = []byte(f.embedded)
	}
	if f.hasEntity {
		entity = []byte(f.entity)
	}
	views, err := allViews(o)
	if err != nil {
		return usage(faultsOf(l, err, "normalize", normalizeNames))
	}
	bases := baseLayers{embedded, entity, base}
	if f.allProfiles {
		return p.sideBySide(views, bases, []byte(ref), f.json)
	}
	n := views[0].norm
	steps := views[0].keySteps(bases, []byte(ref), f.showSecrets)
	e := n.Explain(embedded, entity, base, []byte(ref), normalize.ExplainOptions{ShowSecrets: f.showSecrets})
	if f.json {
		return p.explainJSON(n, &e, steps)
	}
	return p.explainText(n, &e, steps)
}

// shown makes a text printable: controls and what isn't UTF-8 as \xHH.
func shown(text string) string {
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == '\uFFFD' && !strings.HasPrefix(text[i:], "\uFFFD"), r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// orDash stands for what is absent, and tells it from what is empty.
func orDash(text string, present bool) string {
	switch {
	case !present:
		return "-"
	case text == "":
		return `""`
	}
	return shown(text)
}

func (p *program) explainText(n *normalize.Normalizer, e *normalize.Explanation, steps []keyStep) error {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "reference\t%s\n", orDash(e.Reference, true))
	if e.Reason == normalize.OK {
		fmt.Fprintf(w, "url\t%s\n", shown(e.URL))
		if e.Fragment != nil {
			fmt.Fprintf(w, "fragment\t%s\n", orDash(*e.Fragment, true))
		}
		if n.HasKeyRules() {
			fmt.Fprintf(w, "key\t%s\n", shown(e.Key))
			if e.KeyChanged != 0 {
				fmt.Fprintf(w, "key rules\t%s\n", strings.Join(e.KeyChanged.Names(), ", "))
			}
		}
	} else {
		fmt.Fprintf(w, "refused\t%s\n", refusal(e.Reason, e.Component, e.At))
	}
	fmt.Fprintf(w, "settings\t%s\n", n.SettingsID())
	w.Flush()
	explainLayers(&b, e)
	explainComponents(&b, e)
	explainSteps(&b, e)
	explainKeySteps(&b, steps)
	if names := e.Flags.Names(); len(names) > 0 {
		b.WriteString("\nflags\n")
		for _, info := range normalize.FlagInfos() {
			if e.Flags&info.Bit != 0 {
				fmt.Fprintf(w, "  %s\t%s\n", info.Name, info.Doc)
			}
		}
		w.Flush()
	}
	return p.printTable(b.String())
}

// printTable prints lines without the blanks that pad their last columns.
func (p *program) printTable(text string) error {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	_, err := io.WriteString(p.stdout, b.String())
	return asFailed(err)
}

// refusal says why there is no URL, where, and what to do.
func refusal(r normalize.Reason, c normalize.Component, at int) string {
	text := r.String()
	if c != normalize.ComponentNone {
		text += fmt.Sprintf(", in the %s, byte %d", c, at)
	}
	for _, info := range normalize.ReasonInfos() {
		if info.Reason == r {
			return text + ": " + strings.TrimSpace(info.Doc+" "+info.Help)
		}
	}
	return text
}

func explainLayers(b *strings.Builder, e *normalize.Explanation) {
	if len(e.Layers) == 0 {
		return
	}
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	b.WriteString("\nbases, the outermost first\n")
	for _, l := range e.Layers {
		what := "gives " + shown(l.URL)
		if l.Reason != normalize.OK {
			what = "skipped: " + l.Reason.String()
		} else if l.Used {
			what += ", the base"
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\n", l.Layer, orDash(l.Text, true), what)
	}
	w.Flush()
}

func explainComponents(b *strings.Builder, e *normalize.Explanation) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\ncomponent\treference\tbytes\tcanonical\tchanged by\n")
	for _, c := range e.Components {
		span, by := "", strings.Join(c.Changed.Names(), ", ")
		if c.Present {
			span = strconv.Itoa(c.Start) + "-" + strconv.Itoa(c.End)
		}
		if c.Inherited {
			by = strings.TrimPrefix(by+", from the base", ", ")
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", c.Component, orDash(c.Before, c.Present), span, orDash(c.After, c.Kept), by)
	}
	w.Flush()
}

func explainSteps(b *strings.Builder, e *normalize.Explanation) {
	if len(e.Steps) == 0 {
		b.WriteString("\nno rule had anything to do\n")
		return
	}
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\nstep\trule\tcomponent\tbefore\tafter\tby\n")
	for i, s := range e.Steps {
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\n", i+1, s.Name, s.Component, orDash(s.Before, true), orDash(s.After, true), s.Section)
	}
	w.Flush()
}

// The JSON of an explanation. Texts are as shown prints them; what is absent is null.
type (
	explanationJSON struct {
		Reference  string          `json:"reference"`
		URL        *string         `json:"url"`
		Fragment   *string         `json:"fragment"`
		Key        *string         `json:"key"`
		KeyRules   []string        `json:"key_rules"`
		Settings   string          `json:"settings"`
		Base       *string         `json:"base"`
		BaseUsed   *string         `json:"base_used"`
		Layers     []layerJSON     `json:"layers"`
		Components []componentJSON `json:"components"`
		Steps      []stepJSON      `json:"steps"`
		Changed    []string        `json:"changed"`
		Flags      []string        `json:"flags"`
		KeySteps   []keyStep       `json:"key_steps"`
		Reason     *string         `json:"reason"`
		Component  *string         `json:"component"`
		Offset     *int            `json:"offset"`
	}
	layerJSON struct {
		Layer  string  `json:"layer"`
		Text   string  `json:"text"`
		URL    *string `json:"url"`
		Used   bool    `json:"used"`
		Reason *string `json:"reason"`
	}
	componentJSON struct {
		Component string   `json:"component"`
		Before    *string  `json:"before"`
		Start     *int     `json:"start"`
		End       *int     `json:"end"`
		After     *string  `json:"after"`
		Inherited bool     `json:"inherited"`
		Changed   []string `json:"changed"`
	}
	stepJSON struct {
		Rule      string `json:"rule"`
		Section   string `json:"section"`
		Component string `json:"component"`
		Before    string `json:"before"`
		After     string `json:"after"`
	}
)

// textIf is the text as shown, nil when absent.
func textIf(present bool, text string) *string {
	if !present {
		return nil
	}
	text = shown(text)
	return &text
}

func (p *program) explainJSON(n *normalize.Normalizer, e *normalize.Explanation, steps []keyStep) error {
	refused := e.Reason != normalize.OK
	out := explanationJSON{
		Reference: shown(e.Reference), URL: textIf(!refused, e.URL), Settings: n.SettingsID(),
		Base: textIf(e.Base != "", e.Base), BaseUsed: textIf(e.BaseUsed != normalize.BaseNone, e.BaseUsed.String()),
		Layers: []layerJSON{}, Components: []componentJSON{}, Steps: []stepJSON{},
		Key: textIf(!refused, e.Key), KeyRules: e.KeyChanged.Names(),
		Changed: e.Changed.Names(), Flags: e.Flags.Names(), KeySteps: steps,
		Reason:    textIf(refused, e.Reason.String()),
		Component: textIf(refused && e.Component != normalize.ComponentNone, e.Component.String()),
	}
	if e.Fragment != nil {
		out.Fragment = textIf(true, *e.Fragment)
	}
	if refused {
		out.Offset = &e.At
	}
	for _, l := range e.Layers {
		skipped := l.Reason != normalize.OK
		out.Layers = append(out.Layers, layerJSON{
			Layer: l.Layer.String(), Text: shown(l.Text), URL: textIf(!skipped, l.URL), Used: l.Used, Reason: textIf(skipped, l.Reason.String()),
		})
	}
	for _, c := range e.Components {
		j := componentJSON{
			Component: c.Component.String(), Before: textIf(c.Present, c.Before), After: textIf(c.Kept, c.After),
			Inherited: c.Inherited, Changed: c.Changed.Names(),
		}
		if c.Present {
			start, end := c.Start, c.End
			j.Start, j.End = &start, &end
		}
		out.Components = append(out.Components, j)
	}
	for _, s := range e.Steps {
		out.Steps = append(out.Steps, stepJSON{s.Name, s.Section, s.Component.String(), shown(s.Before), shown(s.After)})
	}
	return p.writeJSON(out)
}

// writeJSON prints a value, indented.
func (p *program) writeJSON(v any) error {
	enc := json.NewEncoder(p.stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return asFailed(enc.Encode(v))
}

// asFailed is failed for what may be nil.
func asFailed(err error) error {
	if err == nil {
		return nil
	}
	return failed(err)
}
