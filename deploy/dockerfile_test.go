// Package deploy holds what is needed to run the program elsewhere, and tests that it fits.
package deploy

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// instruction is one instruction of a Dockerfile, its continuation lines joined.
type instruction struct{ name, args string }

func dockerfile(t *testing.T) []instruction {
	t.Helper()
	text, err := os.ReadFile("Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	var all []instruction
	for line := range strings.Lines(strings.ReplaceAll(string(text), "\\\n", " ")) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, args, ok := strings.Cut(line, " ")
		if !ok || !slices.Contains([]string{"ARG", "FROM", "WORKDIR", "COPY", "RUN", "USER", "ENTRYPOINT", "CMD"}, name) {
			t.Errorf("not an instruction: %s", line)
		}
		all = append(all, instruction{name, strings.TrimSpace(args)})
	}
	return all
}

func TestImageStagesFit(t *testing.T) {
	stages := map[string]bool{}
	var last string
	for _, in := range dockerfile(t) {
		switch in.name {
		case "FROM":
			image, stage, _ := strings.Cut(in.args, " AS ")
			stages[stage], last = true, image
		case "COPY":
			if m := regexp.MustCompile(`--from=(\S+)`).FindStringSubmatch(in.args); len(m) == 2 && !stages[m[1]] {
				t.Errorf("COPY %s: no stage of that name before it", in.args)
			}
		}
	}
	if last != "scratch" {
		t.Errorf("the image is built on %q, want scratch", last)
	}
}

func TestImageRunsAsNoRoot(t *testing.T) {
	user := ""
	for _, in := range dockerfile(t) {
		if in.name == "USER" {
			user = in.args
		}
	}
	if !regexp.MustCompile(`^[1-9][0-9]*:[1-9][0-9]*$`).MatchString(user) {
		t.Errorf("USER %q: want numbers other than 0, which Kubernetes can check", user)
	}
}

func TestImageHoldsAStaticBinary(t *testing.T) {
	built, entry := false, ""
	for _, in := range dockerfile(t) {
		switch in.name {
		case "RUN":
			built = built || strings.Contains(in.args, "CGO_ENABLED=0 go build") && strings.Contains(in.args, "-o /image/usr/bin/urisieve ")
		case "ENTRYPOINT", "CMD":
			var argv []string
			if err := json.Unmarshal([]byte(in.args), &argv); err != nil {
				t.Errorf("%s %s: scratch has no shell, it takes a JSON list: %v", in.name, in.args, err)
			} else if in.name == "ENTRYPOINT" {
				entry = argv[0]
			}
		}
	}
	if !built || entry != "/usr/bin/urisieve" {
		t.Errorf("static binary built: %v; entry point %q", built, entry)
	}
}

func TestImageIsBuiltByTheGoOfTheModule(t *testing.T) {
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(mod)
	for _, in := range dockerfile(t) {
		if v, ok := strings.CutPrefix(in.args, "GO_VERSION="); ok {
			if v != string(want[1]) {
				t.Errorf("GO_VERSION is %s, go.mod says %s", v, want[1])
			}
			return
		}
	}
	t.Error("no ARG GO_VERSION")
}

// Every folder with Go code that the program is made of gets into the build.
func TestImageContextHoldsAllCode(t *testing.T) {
	ignore, err := os.ReadFile("Dockerfile.dockerignore")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"cmd", "config", "internal", "normalize", "pipeline", "sinks", "sources", "deploy/configs", "go.mod", "go.sum"} {
		if !strings.Contains(string(ignore), "\n!"+dir+"\n") {
			t.Errorf("Dockerfile.dockerignore leaves %s out", dir)
		}
	}
}
