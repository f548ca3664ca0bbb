package normalize_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/normalize/uri"
)

// corporaDir is where test data that nobody in this project wrote may lie, seen from this folder:
// beside the repository. It is not part of it.
const corporaDir = "../../shared/corpora"

// corpus is the conformance cases of a foreign test suite, in the uniform form of cases/*.jsonl.
type corpusCase struct {
	ID       string  `json:"id"`
	Base     *string `json:"base"`
	Input    string  `json:"input"`
	InputB64 string  `json:"input_b64"`
	Expected *string `json:"expected"`
	Op       string  `json:"op"`
	Note     string  `json:"note"`
}

func (c corpusCase) String() string {
	s := fmt.Sprintf("%s %s %q", c.ID, c.Op, c.Input)
	if c.Base != nil {
		s += fmt.Sprintf(" on %q", *c.Base)
	}
	return s
}

// Every case of these corpora passes, or stands in testdata/known-differences with the reason; a
// listed case that passes, or that is gone, is a failure too.
func TestCorpora(t *testing.T) {
	for _, name := range []string{
		"rfc3986-5.4", "rfc3986-6.2", "py-rfc3986", "uriparser-foursuite", "network-uri", "iri-string", "cpython-urljoin", "go-net-url",
	} {
		t.Run(name, func(t *testing.T) {
			cases := readCorpus(t, name)
			known := readKnownDifferences(t, name)
			for _, c := range cases {
				got, want := corpusOutcome(t, c)
				reason, listed := known[c.ID]
				delete(known, c.ID)
				switch {
				case got != want && !listed:
					t.Errorf("%v: got %s, want %s (%s)", c, got, want, c.Note)
				case got == want && listed:
					t.Errorf("%v passes: take it off the list of known differences (%s)", c, reason)
				}
			}
			for id := range known {
				t.Errorf("%s is on the list of known differences, but not in the corpus", id)
			}
		})
	}
}

func readCorpus(t *testing.T, name string) []corpusCase {
	t.Helper()
	f, err := os.Open(filepath.Join(corporaDir, "cases", name+".jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("no corpora: %v (these cases are tested only where the folder lies beside the repository)", err)
	} else if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var cases []corpusCase
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var c corpusCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if c.InputB64 != "" {
			raw, err := base64.StdEncoding.DecodeString(c.InputB64)
			if err != nil {
				t.Fatalf("%s: %v", c.ID, err)
			}
			c.Input = string(raw)
		}
		cases = append(cases, c)
	}
	if len(cases) == 0 {
		t.Fatalf("%s has no cases", name)
	}
	return cases
}

// readKnownDifferences reads lines "id reason"; "#" starts a comment.
func readKnownDifferences(t *testing.T, name string) map[string]string {
	t.Helper()
	known := map[string]string{}
	text, err := os.ReadFile(filepath.Join("testdata", "known-differences", name+".txt"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		line := strings.TrimSpace(string(line))
		if line == "" || line[0] == '#' {
			continue
		}
		id, reason, _ := strings.Cut(line, " ")
		if reason == "" {
			t.Errorf("%s is listed without a reason", id)
		}
		if _, twice := known[id]; twice {
			t.Errorf("%s is listed twice", id)
		}
		known[id] = reason
	}
	return known
}

const refused = "(refused)"

// corpusOutcome runs a case on the layer that its op names. Components alone get a URI around
// them, on both sides.
func corpusOutcome(t *testing.T, c corpusCase) (got, want string) {
	t.Helper()
	want = refused
	if c.Expected != nil {
		want = *c.Expected
	}
	around := func(before, after string) (string, string) {
		return normalized(t, normalize.Options{}, c.Base, before+c.Input+after), before + want + after
	}
	switch c.Op {
	case "resolve":
		if c.Base == nil {
			t.Fatalf("%v: no base", c)
		}
		return resolved(*c.Base, c.Input), want
	case "remove_dot_segments":
		return string(uri.AppendRemoveDots(nil, []byte(c.Input))), want
	case "validate":
		base := "foo://base/" // scheme without rules of its own; RFC 3986 section 4.1 takes relative references too
		got := normalized(t, normalize.Options{Strict: true}, &base, c.Input)
		if got != refused {
			got = c.Input
		}
		return got, want
	case "uppercase-escapes", "encode-component":
		return around("http://h/", "")
	case "normalize-authority", "normalize-host":
		return around("http://", "/")
	case "normalize-syntax":
		if c.Base == nil && !uriExpr.MatchString(c.Input) && inGrammar(c.Input) {
			return around("scheme:", "") // a relative reference that the tool normalizes as it is
		}
		return normalized(t, normalize.Options{}, c.Base, c.Input), want
	case "normalize-scheme", "resolve+normalize-syntax", "normalize-iri", "iri-to-uri",
		"normalizeCase", "normalizeEscape", "normalizePathSegments":
		return normalized(t, normalize.Options{}, c.Base, c.Input), want
	}
	t.Fatalf("%v: unknown op", c)
	return "", ""
}

// normalized is url, "#" and fragment of a reference, or refused.
func normalized(t *testing.T, o normalize.Options, base *string, ref string) string {
	t.Helper()
	var l layers
	if base != nil {
		l = retrieval(*base)
	}
	got, r := outcome(newNormalizer(t, o), l, ref)
	if r.Reason != normalize.OK {
		return refused
	}
	return got
}
