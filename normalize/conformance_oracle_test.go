package normalize_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/urisieve/urisieve/normalize"
)

// oracle is the profile written a second time, in another language (see test/oracle).
const oracle = "../test/oracle/rfc3986.py"

type oracleAnswer struct {
	URL, Fragment *string
	Reason        string
	IDN           bool
}

// text is the answer in the form of outcome, without the place.
func (a oracleAnswer) text() string {
	if a.URL == nil {
		return "!" + a.Reason
	}
	if a.Fragment == nil {
		return *a.URL
	}
	return *a.URL + "#" + *a.Fragment
}

// oracleQuestion is a reference and the base layers of its document.
type oracleQuestion struct {
	ref  string
	base layers
}

// The independent reading of the standards gives the same answers, and the same reasons, to
// random references on random bases.
func TestOracle_AgreesOnRandomReferences(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	var questions []oracleQuestion
	for range 20_000 {
		questions = append(questions, oracleQuestion{randomReference(r), retrieval(randomBases[r.IntN(len(randomBases))])})
	}
	for range 5_000 {
		var base layers
		for i := range base {
			if r.IntN(2) == 0 {
				base[i] = []byte(randomReference(r))
			}
		}
		questions = append(questions, oracleQuestion{randomReference(r), base}, oracleQuestion{randomBytes(r), base})
	}
	compareWithOracle(t, questions, false)
	compareWithOracle(t, questions, true)
}

// And to references of the real web, with the bases of their documents.
func TestOracle_AgreesOnRealReferences(t *testing.T) {
	var questions []oracleQuestion
	for i, line := range corpusLines(t, "web/hrefs.jsonl.gz") {
		if i%40 != 0 {
			continue
		}
		var link struct {
			Doc, Raw string
			BaseHref *string `json:"base_href"`
		}
		if err := json.Unmarshal(line, &link); err != nil {
			t.Fatal(err)
		}
		q := oracleQuestion{link.Raw, retrieval(link.Doc)}
		if link.BaseHref != nil {
			q.base[0] = append([]byte{}, *link.BaseHref...)
		}
		questions = append(questions, q)
	}
	for name, stride := range map[string]int{
		"urls/robots-disallowed-paths.txt.gz": 60, "urls/brave-sitelist.txt.gz": 12, "urls/curated-links.txt.gz": 11, "urls/web-languages.txt.gz": 9,
		"urls/ada-node-files.txt.gz": 60, "urls/eot2024-seeds.txt.gz": 200,
	} {
		for i, line := range corpusLines(t, name) {
			if i%stride == 0 {
				questions = append(questions, oracleQuestion{string(line), retrieval("http://base.example/a/b?c")})
			}
		}
	}
	compareWithOracle(t, questions, false)
	compareWithOracle(t, questions, true)
}

// And to what other projects thought worth a test, whatever they expect of it.
func TestOracle_AgreesOnInputsOfOtherSuites(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(corporaDir, "cases", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	} else if len(files) == 0 {
		t.Skipf("no corpora in %s", corporaDir)
	}
	var questions []oracleQuestion
	for _, file := range files {
		for _, c := range readCorpus(t, strings.TrimSuffix(filepath.Base(file), ".jsonl")) {
			q := oracleQuestion{ref: c.Input}
			if c.Base != nil {
				q.base = retrieval(*c.Base)
			}
			questions = append(questions, q)
		}
	}
	compareWithOracle(t, questions, false)
	compareWithOracle(t, questions, true)
}

// corpusLines are the lines of a gzip file of the corpora.
func corpusLines(t *testing.T, name string) [][]byte {
	t.Helper()
	f, err := os.Open(filepath.Join(corporaDir, name))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("no corpora: %v", err)
	} else if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
}

// The tables and the reading say the same: two judges, written apart, vouch for each other.
func TestOracle_AgreesWithTheTables(t *testing.T) {
	for _, strict := range []bool{false, true} {
		var questions []oracleQuestion
		var wants []string
		add := func(c reqCase) {
			want := c.want
			if strict && c.strict != "=" {
				want = c.strict
			}
			o := c.opts
			if want != "" && o.SameScheme == "" && o.Userinfo == "" && !o.RefuseBadPorts && o.DefaultPorts == nil {
				want, _, _ = strings.Cut(want, " ")
				questions, wants = append(questions, oracleQuestion{c.ref, retrieval(c.base)}), append(wants, want)
			}
		}
		for _, cases := range requirementCases() {
			for _, c := range cases {
				add(c)
			}
		}
		for _, c := range slices.Concat(disagreements, mistakes) {
			add(c.reqCase)
		}
		for i, answer := range askOracle(t, questions, strict) {
			if got := answer.text(); got != wants[i] && answer.Reason != "skipped-idn" {
				t.Errorf("strict %v: %q on %q: the oracle says %s, the table %s", strict, questions[i].ref, questions[i].base, got, wants[i])
			}
		}
	}
}

func compareWithOracle(t *testing.T, questions []oracleQuestion, strict bool) {
	t.Helper()
	n := newNormalizer(t, normalize.Options{Strict: strict})
	differ, skipped := 0, 0
	for i, want := range askOracle(t, questions, strict) {
		q := questions[i]
		got, _ := outcome(n, q.base, q.ref)
		if want.Reason == "skipped-idn" {
			skipped++
		} else if !agrees(got, want.text()) {
			if differ++; differ <= 20 {
				t.Errorf("strict %v: %q on %q: got %s, the oracle says %s", strict, q.ref, q.base, got, want.text())
			}
		}
	}
	if differ > 20 {
		t.Errorf("strict %v: %d differences in all, of %d references", strict, differ, len(questions))
	}
	if skipped > 0 {
		t.Logf("%d international names skipped: the Python package idna is not installed", skipped)
	}
}

func askOracle(t *testing.T, questions []oracleQuestion, strict bool) []oracleAnswer {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 here: the independent reading of the standards can't be asked")
	}
	var in, out, problems bytes.Buffer
	for _, q := range questions {
		record := map[string][]byte{"ref_b64": []byte(q.ref)} // a []byte is base64 in JSON
		for i, name := range []string{"embedded_base_b64", "entity_base_b64", "base_b64"} {
			if q.base[i] != nil {
				record[name] = q.base[i]
			}
		}
		if err := json.NewEncoder(&in).Encode(record); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(python, oracle)
	if strict {
		cmd.Args = append(cmd.Args, "--strict")
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &in, &out, &problems
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, problems.Bytes())
	}
	var answers []oracleAnswer
	for decoder := json.NewDecoder(&out); ; {
		var a oracleAnswer
		if err := decoder.Decode(&a); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, a)
	}
	if len(answers) != len(questions) {
		t.Fatalf("%d answers to %d references", len(answers), len(questions))
	}
	return answers
}
