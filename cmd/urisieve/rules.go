package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/urisieve/urisieve/config"
	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/normalize/keyrule"
)

func (p *program) rulesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rules [flags]",
		Short: "List the rules of a profile, its default ports, reserved characters, flags and reasons",
		Long: `Rules lists what the program itself goes by: the profiles; the rules of one of them in the order in
which they act, each with an example and the section that licenses it; the key rules, with their
dangers; the default ports that are dropped; the reserved characters with their escaped forms, which
are never taken for each other; the flags; and the reasons for which a reference has no canonical
URI, with what to do.`,
		Example: `  urisieve rules
  urisieve rules --profile rfc3986 --json`,
		Args: cobra.NoArgs,
	}
	c := addConfiguration(cmd, profileFlag)
	asJSON := cmd.Flags().Bool("json", false, "as JSON")
	asMarkdown := cmd.Flags().Bool("markdown", false, "as the Markdown page docs/rules.md: every profile, whatever --profile says")
	cmd.RunE = func(*cobra.Command, []string) error {
		l, err := c.load(nil)
		if err != nil {
			return usage(err)
		}
		if *asMarkdown {
			page, err := rulesPage()
			if err == nil {
				_, err = io.WriteString(p.stdout, page)
			}
			return asFailed(err)
		}
		r, err := rulesOf(l)
		if err != nil {
			return err
		}
		if *asJSON {
			return p.writeJSON(r)
		}
		return p.printTable(r.text())
	}
	return cmd
}

// profileFlag is the one option that decides what is listed.
var profileFlag = flagGroup{normalizeFlags.title, normalizeFlags.flags[:1]}

// ruleBook is all that rules lists, as its JSON.
type ruleBook struct {
	Profile    string          `json:"profile"`
	Settings   string          `json:"settings"`
	Profiles   []profileJSON   `json:"profiles"`
	Rules      []ruleJSON      `json:"rules"`
	KeyRules   []keyRuleJSON   `json:"key_rules"`
	KeyPresets []keyPresetJSON `json:"key_presets"`
	ParamSets  []paramSetJSON  `json:"param_sets"`
	Ports      []portJSON      `json:"default_ports"`
	Reserved   []reservedJSON  `json:"reserved_characters"`
	Flags      []flagJSON      `json:"flags"`
	Reasons    []reasonJSON    `json:"reasons"`
	Components []componentInfo `json:"components"`
}

type (
	profileJSON struct {
		Name    string `json:"name"`
		Family  string `json:"family"`
		Newest  bool   `json:"newest"`
		Unicode string `json:"unicode"`
		Doc     string `json:"doc"`
	}
	ruleJSON struct {
		Name    string `json:"name"`
		Bit     int    `json:"bit"`
		Class   string `json:"class"`
		Section string `json:"section"`
		Changes bool   `json:"changes"`
		Before  string `json:"before"`
		After   string `json:"after"`
		Doc     string `json:"doc"`
	}
	keyRuleJSON struct {
		Name   string `json:"name"`
		Bit    int    `json:"bit"`
		Before string `json:"before"`
		After  string `json:"after"`
		Doc    string `json:"doc"`
		Danger string `json:"danger"`
	}
	keyPresetJSON struct {
		Name  string   `json:"name"`
		Rules []string `json:"rules"`
		Doc   string   `json:"doc"`
	}
	paramSetJSON struct {
		Name  string   `json:"name"`
		Names []string `json:"names"`
		Doc   string   `json:"doc,omitempty"`
	}
	portJSON struct {
		Scheme string `json:"scheme"`
		Port   uint16 `json:"port"`
	}
	reservedJSON struct {
		Char    string `json:"char"`
		Escaped string `json:"escaped"`
		Kind    string `json:"kind"`
		Purpose string `json:"purpose"`
	}
	flagJSON struct {
		Name    string `json:"name"`
		Bit     int    `json:"bit"`
		About   string `json:"about"`
		Doc     string `json:"doc"`
		Example string `json:"example"`
	}
	reasonJSON struct {
		Name string `json:"name"`
		Doc  string `json:"doc"`
		Help string `json:"help"`
	}
	componentInfo struct {
		Name    string `json:"name"`
		Section string `json:"section"`
		Doc     string `json:"doc"`
	}
)

// rulesOf collects everything about the configured profile.
func rulesOf(l *config.Loaded) (*ruleBook, error) {
	b, err := bookOf(l.Normalize.Profile)
	if err != nil {
		return nil, usage(faultsOf(l, err, "normalize", normalizeNames))
	}
	return b, nil
}

// bookOf collects everything about a profile.
func bookOf(profile string) (*ruleBook, error) {
	n, err := normalize.New(normalize.Options{Profile: profile})
	if err != nil {
		return nil, err
	}
	b := &ruleBook{Settings: n.SettingsID()}
	for _, p := range normalize.Profiles() {
		b.Profiles = append(b.Profiles, profileJSON{p.Name, p.Family, p.Newest, p.Unicode, p.Doc})
		if p.Name == profile || p.Family == profile && p.Newest {
			b.Profile = p.Name
		}
	}
	for _, r := range normalize.RulesOf(b.Profile) {
		b.Rules = append(b.Rules, ruleJSON{r.Name, bitNumber(uint64(r.Bit)), r.Class, r.Section, r.Changes, shown(r.Before), shown(r.After), r.Doc})
	}
	for _, r := range keyrule.Infos() {
		b.KeyRules = append(b.KeyRules, keyRuleJSON{r.Name, bitNumber(uint64(r.Bit)), r.Before, r.After, r.Doc, r.Danger})
	}
	for _, k := range keyrule.Presets() {
		b.KeyPresets = append(b.KeyPresets, keyPresetJSON{k.Name, k.Rules.Names(), k.Doc})
	}
	for _, name := range keyrule.ParamSets() {
		b.ParamSets = append(b.ParamSets, paramSetJSON{name, keyrule.ParamSetNames(name), keyrule.ParamSetDoc(name)})
	}
	for _, d := range normalize.DefaultPorts(b.Profile) {
		b.Ports = append(b.Ports, portJSON{d.Scheme, d.Port})
	}
	for _, c := range normalize.ReservedCharacters(b.Profile) {
		b.Reserved = append(b.Reserved, reservedJSON{string(rune(c.Char)), c.Escaped, c.Kind, c.Purpose})
	}
	for _, f := range normalize.FlagInfos() {
		if f.Family != "" && !strings.HasPrefix(b.Profile, f.Family) {
			continue
		}
		b.Flags = append(b.Flags, flagJSON{f.Name, bitNumber(uint64(f.Bit)), f.About, f.Doc, shown(f.Example)})
	}
	for _, r := range normalize.ReasonInfos() {
		if r.Reason != normalize.OK {
			b.Reasons = append(b.Reasons, reasonJSON{r.Name, r.Doc, r.Help})
		}
	}
	for _, c := range normalize.ComponentInfos() {
		b.Components = append(b.Components, componentInfo{c.Name, c.Section, c.Doc})
	}
	return b, nil
}

// bitNumber is the number of the lowest bit that is set.
func bitNumber(set uint64) int {
	n := 0
	for ; set > 1; set >>= 1 {
		n++
	}
	return n
}

func (r *ruleBook) text() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	table := func(title string, rows func()) {
		fmt.Fprintf(&b, "%s\n", title)
		rows()
		w.Flush()
		b.WriteByte('\n')
	}
	table("Profiles", func() {
		for _, p := range r.Profiles {
			fmt.Fprintf(w, "  %s\t%s\n", p.Name, p.Doc)
		}
	})
	table("Rules of "+r.Profile+", in the order in which they act", func() {
		for _, x := range r.Rules {
			if x.Changes {
				fmt.Fprintf(w, "  %s\t%s -> %s\t%s\t%s\n", x.Name, x.Before, x.After, x.Section, x.Doc)
			}
		}
	})
	table("Rules that refuse (with the reason) or tell (with the flag)", func() {
		for _, x := range r.Rules {
			if !x.Changes {
				fmt.Fprintf(w, "  %s\t%s: %s\t%s\t%s\n", x.Name, x.Before, x.After, x.Section, x.Doc)
			}
		}
	})
	table("Key rules, which are off unless asked for (--key-rule NAME) and change the key alone, never url", func() {
		for _, x := range r.KeyRules {
			fmt.Fprintf(w, "  %s\t%s -> %s\t%s\tDanger: %s\n", x.Name, x.Before, x.After, x.Doc, x.Danger)
		}
	})
	table("Presets of key rules (--key-preset NAME)", func() {
		for _, x := range r.KeyPresets {
			fmt.Fprintf(w, "  %s\t%s\t%s\n", x.Name, x.Doc, strings.Join(x.Rules, " "))
		}
	})
	table("Sets of parameters (--drop-param-set NAME)", func() {
		for _, x := range r.ParamSets {
			fmt.Fprintf(w, "  %s\t%s\n", x.Name, strings.Join(x.Names, " "))
			if x.Doc != "" {
				fmt.Fprintf(w, "  \tand %s\n", x.Doc)
			}
		}
	})
	table("Default ports, which are dropped", func() {
		for _, x := range r.Ports {
			fmt.Fprintf(w, "  %s\t%d\n", x.Scheme, x.Port)
		}
	})
	table("Reserved characters: each differs from its escaped form, so neither becomes the other", func() {
		for _, x := range r.Reserved {
			fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", x.Char, x.Escaped, x.Kind, x.Purpose)
		}
	})
	table("Flags", func() {
		for _, x := range r.Flags {
			fmt.Fprintf(w, "  %s\t%s\t%s\n", x.Name, x.Example, x.Doc)
		}
	})
	table("Reasons for which there is no canonical URI", func() {
		for _, x := range r.Reasons {
			fmt.Fprintf(w, "  %s\t%s\n", x.Name, strings.TrimSpace(x.Doc+" "+x.Help))
		}
	})
	return strings.TrimRight(b.String(), "\n") + "\n"
}
