package main

import (
	"fmt"
	"slices"
	"strings"
)

const pageHead = `# Conformance

Made by ` + "`make generate`" + ` where the cases are at hand, printed by ` + "`make conformance`" + `; do not edit.

%d cases of %d files, which nobody in this project wrote: the test suites of the standards, and those of
other parsers, normalizers and crawlers. Each case is held against the profile and the key rules that are
nearest to what was tested there. It passes, or it stands on a list with a reason and the source that says
why. The run fails where a case does neither, where a listed case passes, and where an answer differs in
another way than its reason says. ` + "`go run ./internal/conformance -differences`" + ` prints every listed case with both
answers.

A suite of a standard decides about a profile. A suite of a tool is a fact about that tool: several of them
ask for what a standard forbids.

## Matrix

| column | the case, and what this program answers |
| --- | --- |
| same | the same bytes, or refused like there |
| further | normalized further: it makes the same of the input and of the answer that the other gives, so both sides call them equal and spell them in two ways |
| refused | refused here, taken there |
| accepted | taken here, refused there |
| apart | another URI: what the other makes one is kept apart, or the other way round |
| form | another form of what is no URI (sort keys, numbers, labels) |
| failed | neither the same nor on a list |

`

// page is docs/conformance.md.
func (res result) page() string {
	var b strings.Builder
	files := map[string]bool{}
	for _, r := range res.rows {
		files[r.suite.file] = true
	}
	fmt.Fprintf(&b, pageHead, res.total().cases, len(files))
	fmt.Fprintf(&b, "| file | of it | %s | read by |\n| --- | --- |%s --- |\n",
		strings.Join(headings(), " | "), strings.Repeat(" ---: |", len(headings())))
	for _, r := range res.rows {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.suite.file, code(r.suite.what()), strings.Join(r.columns(), " | "), r.suite.how)
	}
	fmt.Fprintf(&b, "| all | | %s | |\n", strings.Join(res.total().columns(), " | "))
	res.appendReasons(&b)
	res.appendFiles(&b)
	return b.String()
}

// appendReasons appends a table of reasons for each kind.
func (res result) appendReasons(b *strings.Builder) {
	b.WriteString("\n## Reasons\n")
	for k := further; k <= form; k++ {
		fmt.Fprintf(b, "\n### %s\n\n| reason | cases | first | source | why |\n| --- | ---: | --- | --- | --- |\n", k)
		for _, r := range res.reasons {
			if r.kind != k {
				continue
			}
			n, first := 0, ""
			for _, d := range res.differences {
				if d.code != r.code {
					continue
				}
				if n++; n == 1 {
					first = d.c.ID
				}
			}
			fmt.Fprintf(b, "| %s | %d | %s | %s | %s |\n", code(r.code), n, first, r.section, escaped(r.text))
		}
	}
}

// appendFiles appends the reasons by file.
func (res result) appendFiles(b *strings.Builder) {
	b.WriteString("\n## Reasons by file\n\n| file | reasons, with their cases |\n| --- | --- |\n")
	var files []string
	counts := map[string]map[string]int{}
	for _, d := range res.differences {
		if counts[d.file] == nil {
			counts[d.file] = map[string]int{}
			files = append(files, d.file)
		}
		counts[d.file][d.code]++
	}
	slices.Sort(files)
	for _, file := range files {
		var list []string
		for _, r := range res.reasons {
			if n := counts[file][r.code]; n > 0 {
				list = append(list, fmt.Sprintf("%s %d", code(r.code), n))
			}
		}
		fmt.Fprintf(b, "| %s | %s |\n", file, strings.Join(list, ", "))
	}
}

// code is a text as code, nothing for none.
func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}

// escaped is a sentence in a table.
func escaped(s string) string { return strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(s) }
