package sinks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urisieve/urisieve/pipeline"
)

// firstPassID is the Parquet field id of the source's first column that isn't in the catalogue.
const firstPassID = 1001

// allPassed is the name in a list of columns that stands for all pass-through columns.
const allPassed = "x_*"

// passColumns are the source's columns that the catalogue doesn't have, under their own names.
func passColumns(env columnEnv, catalogue []column) []column {
	kinds := [...]Kind{pipeline.ColumnText: KindText, pipeline.ColumnInt64: KindInt64, pipeline.ColumnTimestamp: KindTimestamp}
	var columns []column
	for at, from := range env.Columns {
		if indexOf(catalogue, from.Name) >= 0 {
			continue
		}
		name := strings.ToValidUTF8(from.Name, "\uFFFD")
		c := column{ColumnInfo: ColumnInfo{ID: firstPassID + int32(at), Name: name, Kind: kinds[from.Kind], Nullable: true, Doc: "Passed through from the source."}}
		c.noBounds = c.Kind == KindText
		c.store = storeDict
		if from.Kind == pipeline.ColumnTimestamp {
			c.store = storeDelta
		}
		c.value = func(v *refs, i int) cell {
			value := v.b.Value(v.row(i), at)
			switch {
			case value.Null:
				return null
			case from.Kind == pipeline.ColumnText:
				return cell{text: v.utf8Text(v.b.ValueText(value))}
			}
			return number(value.Int)
		}
		columns = append(columns, c)
	}
	return columns
}

func indexOf(columns []column, name string) int {
	return slices.IndexFunc(columns, func(c column) bool { return c.Name == name })
}

// selectColumns reads a list of columns. What a preset has comes in the catalogue's order, and with
// every preset but "min" all pass-through columns; a name alone comes where it stands. A column comes once.
func selectColumns(list string, env columnEnv) ([]column, error) {
	all := mainColumns(env)
	catalogue := len(all)
	all = append(all, passColumns(env, all)...)
	if fault := takenName(env, all[:catalogue]); fault != nil {
		return nil, fault
	}
	if strings.TrimSpace(list) == "" {
		list = presetCrawl
	}
	s := selection{all: all, catalogue: catalogue, keyRules: env.KeyRules}
	for item := range strings.SplitSeq(list, ",") {
		if err := s.item(strings.TrimSpace(item)); err != nil {
			return nil, err
		}
	}
	if len(s.chosen) == 0 {
		return nil, &OptionError{"columns", list, "at least one column"}
	}
	columns := make([]column, len(s.chosen))
	for i, at := range s.chosen {
		columns[i] = all[at]
	}
	return columns, nil
}

// takenName finds a source's column that would hide one of the catalogue which means something else.
func takenName(env columnEnv, catalogue []column) error {
	passed := []string{"depth", "priority", "fetch_time", "fetch_status"}
	for i, from := range env.Columns {
		if indexOf(catalogue, from.Name) >= 0 && !slices.Contains(passed, from.Name) {
			return &OptionError{"columns", from.Name, "a pass-through column of another name: this one is the output's own"}
		}
		for _, other := range env.Columns[:i] {
			if other.Name == from.Name {
				return &OptionError{"columns", from.Name, "each pass-through column once"}
			}
		}
	}
	return nil
}

// selection is a list of columns in the making.
type selection struct {
	all       []column
	catalogue int // all[:catalogue] are the catalogue's, the rest the source's
	keyRules  bool
	chosen    []int // indexes into all
}

func (s *selection) item(item string) error {
	if name, ok := strings.CutPrefix(item, "-"); ok {
		at := indexOf(s.all, name)
		if at < 0 {
			return s.unknown(name)
		}
		s.chosen = slices.DeleteFunc(s.chosen, func(c int) bool { return c == at })
		return nil
	}
	if isPreset(item) {
		for at := range s.all[:s.catalogue] {
			if slices.Contains(s.all[at].Presets, item) && (s.keyRules || !isKeyColumn(s.all[at].Name)) {
				s.add(at)
			}
		}
		if item != presetMin {
			s.addPassed()
		}
		return nil
	}
	if item == allPassed {
		s.addPassed()
		return nil
	}
	at := indexOf(s.all, item)
	switch {
	case at < 0:
		return s.unknown(item)
	case isKeyColumn(item) && !s.keyRules:
		return &OptionError{"columns", item, "another column: no key rule is on, so what is compared is url itself"}
	}
	s.add(at)
	return nil
}

func isPreset(name string) bool {
	return slices.ContainsFunc(Presets(), func(p [2]string) bool { return p[0] == name })
}

func isKeyColumn(name string) bool { return name == "url_key" || name == "url_key_fp" }

func (s *selection) add(at int) {
	if !slices.Contains(s.chosen, at) {
		s.chosen = append(s.chosen, at)
	}
}

func (s *selection) addPassed() {
	for at := s.catalogue; at < len(s.all); at++ {
		s.add(at)
	}
}

// unknown names the nearest column, and all of them.
func (s *selection) unknown(name string) error {
	var names []string
	for _, p := range Presets() {
		names = append(names, p[0])
	}
	names = append(names, allPassed)
	for i := range s.all {
		names = append(names, s.all[i].Name)
	}
	nearest, least := "", len(name)/2+2
	for _, n := range names {
		if d := distance(name, n); d < least {
			nearest, least = n, d
		}
	}
	hint := ""
	if nearest != "" {
		hint = fmt.Sprintf("did you mean %s? ", nearest)
	}
	return &OptionError{"columns", name, hint + "one of " + strings.Join(names, ", ")}
}

// distance is the number of single letters to put in, take out or change (Levenshtein) between two
// names.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
