package main

import (
	"fmt"
	"strings"

	"github.com/urisieve/urisieve/normalize"
)

// rulesPage is docs/rules.md: what rules lists, of every profile.
func rulesPage() (string, error) {
	var b strings.Builder
	b.WriteString(`# Rules

Made by ` + "`urisieve rules --markdown`" + `; do not edit. In the tables, bytes that cannot be shown are
written as ` + "`\\xHH`" + `.

## Profiles

| profile | short name | Unicode | standard |
| --- | --- | --- | --- |
`)
	var books []*ruleBook
	for _, p := range normalize.Profiles() {
		short := ""
		if p.Newest {
			short = code1(p.Family)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", code1(p.Name), short, p.Unicode, cell(p.Doc))
		book, err := bookOf(p.Name)
		if err != nil {
			return "", err
		}
		books = append(books, book)
	}
	for _, book := range books {
		book.pageOfProfile(&b)
	}
	books[0].pageOfKeys(&b)
	books[0].pageOfSigns(&b)
	return b.String(), nil
}

// pageOfProfile is what one profile has for itself.
func (r *ruleBook) pageOfProfile(b *strings.Builder) {
	fmt.Fprintf(b, "\n## Rules of %s\n\nIn the order in which they act.\n\n| rule | before | after | by | what it does |\n| --- | --- | --- | --- | --- |\n", r.Profile)
	for _, x := range r.Rules {
		if x.Changes {
			fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", code1(x.Name), code1(x.Before), code1(x.After), x.Section, cell(x.Doc))
		}
	}
	b.WriteString("\nThese refuse, with a reason, or tell, with a flag:\n\n| rule | reference | reason or flag | by | what it does |\n| --- | --- | --- | --- | --- |\n")
	for _, x := range r.Rules {
		if !x.Changes {
			fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", code1(x.Name), code1(x.Before), code1(x.After), x.Section, cell(x.Doc))
		}
	}
	b.WriteString("\nDefault ports, which are dropped: ")
	for i, x := range r.Ports {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(b, "%s %d", x.Scheme, x.Port)
	}
	b.WriteString(".\n\nReserved characters; each differs from its escaped form, so neither becomes the other:\n\n| character | escaped | kind | purpose |\n| --- | --- | --- | --- |\n")
	for _, x := range r.Reserved {
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", code1(x.Char), code1(x.Escaped), x.Kind, cell(x.Purpose))
	}
}

// pageOfKeys is what all profiles share about keys.
func (r *ruleBook) pageOfKeys(b *strings.Builder) {
	b.WriteString(`
## Key rules

Off unless asked for (` + "`--key-rule NAME`" + `). They change the key alone, never url, and act in this order.

| rule | URI | its key | what it does | danger |
| --- | --- | --- | --- | --- |
`)
	for _, x := range r.KeyRules {
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", code1(x.Name), code1(x.Before), code1(x.After), cell(x.Doc), cell(x.Danger))
	}
	b.WriteString("\n## Presets of key rules\n\n| preset | rules | what for |\n| --- | --- | --- |\n")
	for _, x := range r.KeyPresets {
		fmt.Fprintf(b, "| %s | %s | %s |\n", code1(x.Name), codes(x.Rules), cell(x.Doc))
	}
	b.WriteString("\n## Sets of parameters\n\n| set | parameters | and |\n| --- | --- | --- |\n")
	for _, x := range r.ParamSets {
		fmt.Fprintf(b, "| %s | %s | %s |\n", code1(x.Name), codes(x.Names), cell(x.Doc))
	}
}

// pageOfSigns is what answers tell: flags and reasons.
func (r *ruleBook) pageOfSigns(b *strings.Builder) {
	b.WriteString("\n## Flags\n\n| flag | of the | example | what it says |\n| --- | --- | --- | --- |\n")
	for _, x := range r.Flags {
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", code1(x.Name), x.About, code1(x.Example), cell(x.Doc))
	}
	b.WriteString("\n## Reasons\n\nFor which a reference has no canonical URI.\n\n| reason | what it means | what to do |\n| --- | --- | --- |\n")
	for _, x := range r.Reasons {
		fmt.Fprintf(b, "| %s | %s | %s |\n", code1(x.Name), cell(x.Doc), cell(x.Help))
	}
}

// code1 is a text as code within a cell; a blank at an end stays visible.
func code1(text string) string {
	if text == "" {
		return ""
	}
	fence, pad := "`", ""
	if strings.Contains(text, "`") {
		fence, pad = "``", " "
	}
	if strings.HasPrefix(text, " ") && strings.HasSuffix(text, " ") {
		pad = " " // Markdown takes one blank off both ends
	}
	return fence + pad + cell(text) + pad + fence
}

// codes joins names, each as code.
func codes(names []string) string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = code1(name)
	}
	return strings.Join(out, " ")
}

// cell escapes what would end a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
