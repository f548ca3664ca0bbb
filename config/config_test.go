package config

import (
	"bytes"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestExampleIsCurrentAndEqualsTheDefaults(t *testing.T) {
	source, err := os.ReadFile("config.go")
	if err != nil {
		t.Fatal(err)
	}
	want, err := Example(source)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("example.yaml is not what the comments say: run go generate ./config")
	}
	l, err := Load("example.yaml", nil)
	if err != nil {
		t.Fatal(err)
	}
	defaults := Default()
	for _, leaf := range Leaves() {
		if got, want := leaf.Text(&l.Config), leaf.Text(&defaults); got != want {
			t.Errorf("%s is %q in example.yaml, %q by default", leaf.Key, got, want)
		}
	}
}

func TestEveryOptionHasACommentWithItsDefault(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "config.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	docs := comments(file)
	for _, leaf := range Leaves() {
		if !strings.Contains(docs[leaf.Key], "Default") {
			t.Errorf("%s: its comment does not say the default: %q", leaf.Key, docs[leaf.Key])
		}
	}
}

// write makes a configuration file named run.yaml.
func write(t *testing.T, text string) string {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.WriteFile("run.yaml", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return "run.yaml"
}

func TestFlagsWinOverEnvironmentOverFileOverDefaults(t *testing.T) {
	file := write(t, "run: {workers: 1, limit: 11}\nlog:\n  level: info\ninput:\n  ref_fields: [a, b]\n")
	t.Setenv("URISIEVE_RUN_WORKERS", "2")
	t.Setenv("URISIEVE_LOG_LEVEL", "error")
	l, err := Load(file, []Override{{"run.workers", "--workers", []string{"3"}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ key, value, origin string }{
		{"run.workers", "3", "--workers"},
		{"log.level", "error", "URISIEVE_LOG_LEVEL"},
		{"run.limit", "11", "run.yaml:1"},
		{"input.ref_fields", "a,b", "run.yaml:5"},
		{"dedup.mode", "exact", "default"},
	} {
		leaf := Leaves()[slices.IndexFunc(Leaves(), func(l Leaf) bool { return l.Key == c.key })]
		if got := leaf.Text(&l.Config); got != c.value {
			t.Errorf("%s = %q, want %q", c.key, got, c.value)
		}
		if got := l.Origin(c.key); got != c.origin {
			t.Errorf("%s comes from %q, want %q", c.key, got, c.origin)
		}
	}
}

func TestEveryOptionHasAKind(t *testing.T) {
	for section := range reflect.TypeFor[Config]().Fields() {
		for f := range section.Type.Fields() {
			if _, ok := kinds[f.Type]; !ok {
				t.Errorf("%s.%s has a type without a kind", section.Name, f.Name)
			}
		}
	}
}

// TestEveryOptionIsReadFromTheEnvironment holds viper to its word: a variable counts even where
// neither file nor flag names the key.
func TestEveryOptionIsReadFromTheEnvironment(t *testing.T) {
	values := map[Kind]string{
		KindString: "some", KindBool: "true", KindInt: "1000", KindSize: "3MiB", KindDuration: "7m",
		KindRejectLimit: "5%", KindErrorRate: "0.5%", KindSecret: "s3cret", KindStrings: "a, b", KindPorts: "x=1,y=2",
	}
	for _, leaf := range Leaves() {
		t.Run(leaf.Env, func(t *testing.T) {
			value := values[leaf.Kind]
			if names := strings.Fields(leaf.tag.Get("oneof")); len(names) > 0 {
				value = names[len(names)-1]
			}
			t.Setenv(leaf.Env, value)
			l, err := Load("", nil)
			if err != nil {
				t.Fatal(err)
			}
			want, _ := leaf.parse(value)
			if got := leaf.value(&l.Config).Interface(); !reflect.DeepEqual(got, want) {
				t.Errorf("%s is %v, want %v", leaf.Key, got, want)
			}
			if got := l.Origin(leaf.Key); got != leaf.Env {
				t.Errorf("origin %q", got)
			}
		})
	}
}

func TestFaultsOfTheFile(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"unknown key", "input:\n  formt: csv\n", "run.yaml:2: input.formt: unknown key; did you mean input.format?"},
		{"key in the wrong section", "input:\n  workers: 2\n", "run.yaml:2: input.workers: unknown key; did you mean run.workers?"},
		{"key without its section", "workers: 2\n", "run.yaml:1: workers: unknown key; did you mean run.workers?"},
		{"unknown section", "inputs:\n  format: csv\n", "run.yaml:1: inputs: unknown key; did you mean input?"},
		{"key twice", "run:\n  workers: 1\n  workers: 2\n", "run.yaml:3: run.workers: given twice: also in line 2"},
		{"keys that differ in case only", "run:\n  workers: 1\n  Workers: 2\n", "run.yaml:3: run.Workers: given twice: also in line 2"},
		{"key in the wrong case", "run:\n  Workers: 1\n", "run.yaml:2: run.Workers: unknown key; did you mean run.workers?"},
		{"second document", "run:\n  workers: 1\n---\nrun:\n  workers: 2\n", "run.yaml:3: a second YAML document begins here (want one document)"},
		{"duration without unit", "progress:\n  interval: 250\n", "run.yaml:2: progress.interval: 250 has no unit"},
		{"duration out of range", "progress:\n  interval: 1ms\n", `run.yaml:2: progress.interval: "1ms" is not accepted (want a duration with its unit, such as 500ms, 30s, 5m, 24h from 100ms to 24h)`},
		{"size without unit", "normalize:\n  max_uri_bytes: 65536\n", "run.yaml:2: normalize.max_uri_bytes: 65536 has no unit"},
		{"size with an unknown unit", "normalize:\n  max_uri_bytes: 64K\n", `normalize.max_uri_bytes: "64K" is not accepted`},
		{"auto where there is none", "normalize:\n  max_uri_bytes: auto\n", `normalize.max_uri_bytes: "auto" is not accepted`},
		{"fraction for a count", "run:\n  workers: 4.7\n", `run.yaml:2: run.workers: "4.7" is not a whole number (want a whole number from 0 to 1024)`},
		{"count out of range", "run:\n  workers: 1025\n", `run.yaml:2: run.workers: "1025" is not accepted`},
		{"error rate out of range", "dedup:\n  error_rate: 0.2\n", `run.yaml:2: dedup.error_rate: "0.2" is not accepted (want a share from 0.000001 to 0.1, or in percent ("0.1%"))`},
		{"error rate that is no number", "dedup:\n  error_rate: [0.1]\n", "run.yaml:2: dedup.error_rate: holds a list"},
		{"negative capacity", "dedup:\n  capacity: -1\n", `run.yaml:2: dedup.capacity: "-1" is not accepted (want a whole number from 0 to 1000000000000)`},
		{"unknown way to deduplicate", "dedup:\n  mode: blom\n", `run.yaml:2: dedup.mode: "blom" is not accepted (want exact, bloom, none)`},
		{"text for a boolean", "run:\n  dry_run: yes\n", `run.yaml:2: run.dry_run: "yes" is not a boolean (want true or false)`},
		{"boolean for a text", "output:\n  path: true\n", "run.yaml:2: output.path: true is not a text here: put it in quotes"},
		{"no value", "output:\n  path:\n", "run.yaml:2: output.path: has no value"},
		{"text for a list", "input:\n  pass: agent\n", `run.yaml:2: input.pass: holds the value "agent" (want a list)`},
		{"list for a text", "output:\n  path: [a, b]\n", "run.yaml:2: output.path: holds a list"},
		{"port without scheme", "normalize:\n  default_ports:\n    - {port: 1}\n", "run.yaml:3: normalize.default_ports: line 3 is not a scheme and its port"},
		{"secret in the file", "dedup:\n  key: 00\n", "run.yaml:2: dedup.key: a secret does not belong in a configuration file: set URISIEVE_DEDUP_KEY, or name a file by dedup.key_file"},
		{"no YAML", "run: [\n", "run.yaml:"},
		{"a list of things", "- a\n", "run.yaml:1: the file holds a list"},
		{"value of a section", "run: 3\n", `run.yaml:1: run: holds the value "3" (want options, such as workers:)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Load(write(t, c.text), nil)
			if _, ok := errors.AsType[Faults](err); !ok {
				t.Fatalf("no faults but %v", err)
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("got\n%v\nwant\n%s", err, c.want)
			}
		})
	}
}

func TestAllFaultsComeAtOnce(t *testing.T) {
	file := write(t, "run:\n  wokers: 1\n  dry_run: maybe\nlog:\n  level: loud\n")
	t.Setenv("URISIEVE_INPUT_FORMATT", "csv")
	t.Setenv("URISIEVE_RUN_LIMIT", "ten")
	_, err := Load(file, []Override{{"progress.mode", "--progress", []string{"bars"}}})
	want := `run.yaml:2: run.wokers: unknown key; did you mean run.workers?
run.yaml:3: run.dry_run: "maybe" is not a boolean (want true or false)
run.yaml:5: log.level: "loud" is not accepted (want debug, info, warn, error)
URISIEVE_INPUT_FORMATT: unknown variable; did you mean URISIEVE_INPUT_FORMAT?
URISIEVE_RUN_LIMIT: run.limit: "ten" is not accepted (want a whole number, 0 or more)
--progress: progress.mode: "bars" is not accepted (want auto, none, json, bar); did you mean bar?`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestKubernetesVariablesAreIgnoredWithANotice(t *testing.T) {
	t.Setenv("URISIEVE_SERVICE_HOST", "10.0.0.1")
	t.Setenv("URISIEVE_PORT", "tcp://10.0.0.1:80")
	t.Setenv("URISIEVE_PORT_80_TCP_ADDR", "10.0.0.1")
	l, err := Load("", nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Notices) != 3 || !strings.Contains(strings.Join(l.Notices, "\n"), "URISIEVE_PORT is left out of account") {
		t.Errorf("notices %q", l.Notices)
	}
	t.Setenv("URISIEVE_PORTS", "1")
	if _, err = Load("", nil); err == nil {
		t.Error("URISIEVE_PORTS is none of Kubernetes' names, yet passed")
	}
}

func TestAnEmptyVariableCountsAsNotSet(t *testing.T) {
	t.Setenv("URISIEVE_RUN_WORKERS", "")
	l, err := Load("", nil)
	if err != nil || l.Origin("run.workers") != "default" {
		t.Errorf("%v, origin %q", err, l.Origin("run.workers"))
	}
}

func TestAMissingFileIsNamed(t *testing.T) {
	_, err := Load(filepath.Join(t.TempDir(), "none.yaml"), nil)
	if err == nil || !strings.Contains(err.Error(), "none.yaml") || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestFileNamesWithCommasStayWhole(t *testing.T) {
	l, err := Load("", []Override{{"input.paths", "arguments", []string{"a,b.txt", "c"}}})
	if err != nil || !slices.Equal(l.Input.Paths, []string{"a,b.txt", "c"}) {
		t.Errorf("%v, %q", err, l.Input.Paths)
	}
}

func TestWhatIsPrintedIsReadBackAsTheSame(t *testing.T) {
	file := write(t, `input: {ref_fields: ["1", "links[].href"], delimiter: "\t", pass: ["yes", "a, b"]}
normalize: {default_ports: [{scheme: coap, port: 5683}], base: "http://h/ü"}
rejects: {max: 5%}
dedup: {mode: bloom, memory: 1536MiB, capacity: 1000000, error_rate: 0.25%}
progress: {interval: 90s}
`)
	first, err := Load(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err = first.WriteYAML(&b); err != nil {
		t.Fatal(err)
	}
	second, err := Load(write(t, b.String()), nil)
	if err != nil {
		t.Fatalf("%v\nin\n%s", err, b.String())
	}
	if fmt.Sprintf("%+v", first.Config) != fmt.Sprintf("%+v", second.Config) {
		t.Errorf("got\n%+v\nwant\n%+v", second.Config, first.Config)
	}
	if !strings.Contains(b.String(), "# run.yaml:4") || !strings.Contains(b.String(), "# default") {
		t.Errorf("no origins in\n%s", b.String())
	}
}

func TestG60_SecretsAndPasswordsAreNotPrinted(t *testing.T) {
	t.Setenv("URISIEVE_DEDUP_KEY", "0123456789abcdef0123456789abcdef")
	t.Setenv("URISIEVE_NORMALIZE_BASE", "http://user:s3cret@h/")
	l, err := Load("", nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err = l.WriteYAML(&b); err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"0123456789abcdef", "s3cret"} {
		if strings.Contains(b.String(), secret) {
			t.Errorf("%s in\n%s", secret, b.String())
		}
	}
	if !strings.Contains(b.String(), "# key: ***") || !strings.Contains(b.String(), "http://user:***@h/") {
		t.Errorf("not masked:\n%s", b.String())
	}
	if l.Dedup.Key.Reveal() == "" || l.Normalize.Base != "http://user:s3cret@h/" {
		t.Error("the values themselves are lost")
	}
}

func TestSizes(t *testing.T) {
	for _, c := range []struct {
		text string
		want Size
		back string
	}{
		{"0", 0, "0"},
		{"0B", 0, "0"},
		{"1B", 1, "1B"},
		{"64KiB", 65536, "64KiB"},
		{"1.5GiB", 3 << 29, "1536MiB"},
		{"1 GiB", 1 << 30, "1GiB"},
		{"1kB", 1000, "1000B"},
		{"auto", Auto, "auto"},
		{"8388607TiB", 8388607 << 40, "8388607TiB"},
	} {
		got, err := ParseSize(c.text)
		if err != nil || got != c.want || got.String() != c.back {
			t.Errorf("%q: %d %v as %q", c.text, got, err, got)
		}
	}
	for _, text := range []string{"", "1", "-1B", "1.5B", "KiB", "9223372036854775807KiB", "8388608TiB", "1e3 kBB", "NaNKiB", "InfTiB", "1KB "} {
		if got, err := ParseSize(text); err == nil {
			t.Errorf("%q is read as %d", text, got)
		}
	}
}

func TestErrorRates(t *testing.T) {
	for text, want := range map[string]string{
		"0.001": "0.001", "0.1%": "0.001", "1e-6": "0.000001", "0.0001%": "0.000001", "10%": "0.1", "0.1": "0.1", "0.025": "0.025",
		"0": "", "0.11": "", "11%": "", "0.0000009": "", "-0.01": "", "NaN": "", "%": "", "": "", "1 %": "", "often": "",
	} {
		r, err := ParseErrorRate(text)
		if (err == nil) != (want != "") || err == nil && r.String() != want {
			t.Errorf("%q: %v, %v, want %q", text, r, err, want)
		}
	}
}

func TestDurationsMayBeInDays(t *testing.T) {
	for text, want := range map[string]time.Duration{"30d": 720 * time.Hour, "0d": 0, "36500d": 876000 * time.Hour} {
		l, err := Load("", []Override{{"state.ttl", "--ttl", []string{text}}})
		if err != nil || l.State.TTL != want {
			t.Errorf("%s: %v, %v", text, l, err)
		}
	}
	for _, text := range []string{"-1d", "1.5d", "36501d", "d", "70000d", "1dd", "30"} {
		if _, err := Load("", []Override{{"state.ttl", "--ttl", []string{text}}}); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}

func TestDurationsArePrintedShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		5 * time.Minute: "5m", time.Hour: "1h", 90 * time.Second: "1m30s", 0: "0s", 10 * time.Second: "10s", 20 * time.Minute: "20m",
	} {
		if got := durationText(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"exact", "none", "approximate"}
	for given, want := range map[string]string{"exat": "exact", "xeact": "exact", "nome": "none", "zzz": "", "EXACT": "exact"} {
		if got := Nearest(given, names); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
}
