package normalize_test

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urisieve/urisieve/normalize"
)

// requirementsFile is where the requirements lie, where they do: beside the repository.
const requirementsFile = "../../shared/spec/REQUIREMENTS.md"

// readRequirementIDs gives the profiles that each requirement holds in, by id.
func readRequirementIDs(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("testdata/requirement-ids.txt")
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	for line := range bytes.Lines(text) {
		if id, profiles, ok := strings.Cut(strings.TrimSpace(string(line)), " "); ok && id != "#" {
			ids[id] = profiles
		}
	}
	return ids
}

// The ids are those of the requirements.
func TestCoverage_IDsAreThoseOfTheRequirements(t *testing.T) {
	text, err := os.ReadFile(requirementsFile)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("no requirements: %v", err)
	} else if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, row := range regexp.MustCompile(`(?m)^\| ([A-Z][0-9]{2}) \| ([^|]*?) \|`).FindAllStringSubmatch(string(text), -1) {
		want[row[1]] = row[2]
	}
	if got := readRequirementIDs(t); !maps.Equal(got, want) {
		t.Errorf("testdata/requirement-ids.txt holds %v, the requirements %v", got, want)
	}
}

// testNames are the names of the test and fuzz functions under a folder, and of the script tests
// there, with their comments: a script has no functions to name.
func testNames(t *testing.T, root string) []string {
	t.Helper()
	comment := regexp.MustCompile(`(?m)^#.*$`)
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Example)\w+)\(`)
	var names []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		switch {
		case strings.HasSuffix(path, "_test.go"):
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, m := range function.FindAllStringSubmatch(string(text), -1) {
				names = append(names, m[1])
			}
		case strings.HasSuffix(path, ".txtar"):
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			names = append(names, strings.TrimSuffix(filepath.Base(path), ".txtar"))
			names = append(names, comment.FindAllString(string(text), -1)...)
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return names
}

// bears reports whether a test's name holds an id as a word: "TestG22_...", "g60-log.txtar".
func bears(name, id string) bool {
	return regexp.MustCompile(`(?i)(?:^|[^a-z0-9]|test|fuzz)` + id + `(?:[^a-z0-9]|$)`).MatchString(name)
}

// Every requirement that holds in rfc3986 has a test that bears its id; what a command shows or
// hides has one beside the command too.
func TestCoverage_EveryRequirementHasATest(t *testing.T) {
	library, command := testNames(t, "."), testNames(t, "../cmd")
	if len(command) == 0 {
		t.Skip("there is no command yet")
	}
	needsCommand := []string{"U60", "U61", "G60"}
	for id, profiles := range readRequirementIDs(t) {
		if !strings.Contains(profiles, "3") {
			continue
		}
		has := func(names []string) bool {
			return slices.ContainsFunc(names, func(name string) bool { return bears(name, id) })
		}
		if !has(library) {
			t.Errorf("%s has no test in normalize", id)
		}
		if slices.Contains(needsCommand, id) && !has(command) {
			t.Errorf("%s has no test in cmd", id)
		}
	}
}

// ruleRequirements are the requirements whose tests must fail when a rule is switched off.
var ruleRequirements = map[string][]string{
	"trim":                 {"G13"},
	"strip_same_scheme":    {"G44"},
	"lower_scheme":         {"G11", "G20"},
	"escape_earlier_at":    {"G07"},
	"escape_stray_percent": {"G12"},
	"decode_unreserved":    {"G22", "G27"},
	"upper_hex":            {"G23"},
	"escape_illegal":       {"G25"},
	"escape_backslash":     {"G13"},
	"escape_non_ascii":     {"G03"},
	"strip_password":       {"G60"},
	"strip_userinfo":       {"G60"},
	"decode_host":          {"G14"},
	"idna":                 {"G03", "G14"},
	"lower_host":           {"G20"},
	"ipv6_text":            {"G08"},
	"drop_empty_port":      {"G21"},
	"drop_port_zeros":      {"G21"},
	"drop_default_port":    {"G21"},
	"drop_localhost":       {"U01"},
	"file_authority":       {"U01"},
	"resolve":              {"G40", "G41", "G42", "U40"},
	"remove_dot_segments":  {"G27", "G40"},
	"root_path":            {"G28"},
	"guard_path":           {"G27"},
	"check_scheme":         {"G11"},
	"check_authority":      {"G13"},
	"check_grammar":        {"U02", "G12", "G25"},
	"check_host":           {"G08", "G14"},
	"check_port":           {"G07"},
	"need_host":            {"G07"},
	"refuse_userinfo":      {"G60"},
	"refuse_bad_port":      {"G61"},
	"need_base":            {"G43"},
	"opaque_base":          {"G10"},
	"reject_same_scheme":   {"G44"},
	"flag_userinfo":        {"G60"},
	"flag_port":            {"G61"},
	"flag_control":         {"G62"},
	"flag_host":            {"G14"},
}

// withoutRule are the requirements of rfc3986 that no rule carries, and why nothing can be
// switched off there.
var withoutRule = map[string]string{
	"G01": "the split at \"#\" is package uri's, whose tests hold it against appendix B",
	"G02": "forbids a rule",
	"G04": "the split is package uri's, whose tests hold it against appendix B",
	"G05": "the split is package uri's, whose tests hold it against appendix B",
	"G06": "the split is package uri's, whose tests hold it against appendix B",
	"G09": "forbids a rule",
	"G24": "forbids a rule",
	"G26": "forbids a rule",
	"G29": "forbids a rule",
	"U60": "Explain's own tests",
	"U61": "the tables' own tests",
}

// rulesOf3986 are the rules of the profile rfc3986.
func rulesOf3986() []normalize.RuleInfo {
	return slices.DeleteFunc(normalize.Rules(), func(r normalize.RuleInfo) bool {
		return !slices.ContainsFunc(r.Profiles, func(p string) bool { return strings.HasPrefix(p, "rfc3986") })
	})
}

// Every rule is carried by requirements, and every requirement by rules, or it says why not.
func TestCoverage_RulesAndRequirementsMeet(t *testing.T) {
	carried := map[string]bool{}
	for _, rule := range rulesOf3986() {
		if len(ruleRequirements[rule.Name]) == 0 {
			t.Errorf("rule %s belongs to no requirement", rule.Name)
		}
		for _, id := range ruleRequirements[rule.Name] {
			carried[id] = true
		}
	}
	for id, profiles := range readRequirementIDs(t) {
		if _, excused := withoutRule[id]; strings.Contains(profiles, "3") && carried[id] == excused {
			t.Errorf("%s: carried by a rule %v, excused %v", id, carried[id], excused)
		}
	}
}

// checkCaught wants lines of each requirement to fail without the rule.
func checkCaught(t *testing.T, rule normalize.RuleInfo, profile string, ids []string, cases map[string][]reqCase) {
	t.Helper()
	without := func(o normalize.Options) *normalize.Normalizer {
		o.Profile = profile
		n := newNormalizer(t, o)
		n.Disable(rule.Bit)
		return n
	}
	for _, id := range ids {
		if !slices.ContainsFunc(cases[id], func(c reqCase) bool { return len(c.failures(without)) > 0 }) {
			t.Errorf("with %s off, every line of %s still passes", rule.Name, id)
		}
	}
}

// Switching a rule off makes the test of each of its requirements fail.
func TestMutation_EveryRuleIsCaughtByItsRequirements(t *testing.T) {
	cases := requirementCases()
	for _, rule := range rulesOf3986() {
		checkCaught(t, rule, "rfc3986", ruleRequirements[rule.Name], cases)
	}
}
