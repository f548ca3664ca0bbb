package sinks

import (
	"fmt"
	"strconv"
	"strings"
)

// Names in a dataset. Readers of datasets skip what begins with "_" or ".": the first are promises to
// people and programs, the second nobody's business.
const (
	successName  = "_SUCCESS"
	manifestName = "manifest.json" // after "_" and, in an appended run, its prefix
	lockName     = ".urisieve.lock"
	tempSuffix   = ".tmp"    // being written
	stagedSuffix = ".staged" // whole, but its run isn't
)

// nameKind is what a name in a directory stands for.
type nameKind uint8

const (
	nameForeign  nameKind = iota // none of ours
	namePart                     // part-000000.parquet, run-0001-part-000000.jsonl.gz
	nameManifest                 // _manifest.json, _run-0001-manifest.json
	nameSuccess
	nameLock
	nameTemp   // .part-000000.parquet.tmp
	nameStaged // .run-0001-part-000000.parquet.staged
)

// visible reports whether it is there to be seen, and not a matter of our own.
func (k nameKind) visible() bool { return k <= nameSuccess }

// fileName is a name taken apart.
type fileName struct {
	kind nameKind
	run  int    // 0 for a dataset's first run, whose names have no prefix
	part int    // of a part
	base string // without dot and suffix
}

// parseName takes a name apart. Only names that this program makes count as its own: what is to be
// removed must be provably ours.
func parseName(name string) fileName {
	switch name {
	case successName:
		return fileName{kind: nameSuccess, base: name}
	case lockName:
		return fileName{kind: nameLock, base: name}
	}
	hidden := nameForeign
	base := name
	if rest, ok := strings.CutPrefix(name, "."); ok {
		if base, ok = strings.CutSuffix(rest, tempSuffix); ok {
			hidden = nameTemp
		} else if base, ok = strings.CutSuffix(rest, stagedSuffix); ok {
			hidden = nameStaged
		} else {
			return fileName{}
		}
	}
	n := parseBase(base)
	if n.kind != nameForeign && hidden != nameForeign {
		n.kind = hidden
	}
	return n
}

func parseBase(base string) fileName {
	n := fileName{base: base}
	rest, special := strings.CutPrefix(base, "_")
	if after, ok := strings.CutPrefix(rest, "run-"); ok {
		digits, tail, _ := strings.Cut(after, "-")
		if n.run = leastDigits(digits, 4); n.run < 1 {
			return fileName{}
		}
		rest = tail
	}
	if special {
		if rest == manifestName || base == successName {
			n.kind = nameManifest
			return n
		}
		return fileName{}
	}
	digits, ext, _ := strings.Cut(strings.TrimPrefix(rest, "part-"), ".")
	if n.part = leastDigits(digits, 6); n.part < 0 || !strings.HasPrefix(rest, "part-") {
		return fileName{}
	}
	if format, _ := byExtension("x." + ext); format == "" {
		return fileName{}
	}
	n.kind = namePart
	return n
}

// leastDigits reads a number of at least so many digits, -1 if it is none.
func leastDigits(digits string, least int) int {
	n, err := strconv.ParseUint(digits, 10, 31)
	if err != nil || len(digits) < least {
		return -1
	}
	return int(n)
}

// runPrefix begins the names of a run that was appended.
func runPrefix(run int) string {
	if run == 0 {
		return ""
	}
	return fmt.Sprintf("run-%04d-", run)
}

func manifestOf(run int) string { return "_" + runPrefix(run) + manifestName }

func partName(run, part int, ext string) string {
	return fmt.Sprintf("%spart-%06d%s", runPrefix(run), part, ext)
}

func tempOf(base string) string { return "." + base + tempSuffix }

func stagedOf(base string) string { return "." + base + stagedSuffix }
