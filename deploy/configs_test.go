package deploy

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/urisieve/urisieve/config"
)

func TestEverySampleConfigurationLoads(t *testing.T) {
	files, err := filepath.Glob("configs/*.yaml")
	if err != nil || len(files) < 2 {
		t.Fatalf("want a configuration for each user: %v %v", files, err)
	}
	for _, file := range files {
		if _, err := config.Load(file, nil); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func TestFrontierWantsEachWebURLOnce(t *testing.T) {
	c := load(t, "configs/frontier.yaml")
	if c.Dedup.Mode != "exact" || c.Scope.Preset != "web" || strings.Join(c.Input.RefFields, " ") != "links[].href" {
		t.Errorf("dedup %q, scope %q, references in %q", c.Dedup.Mode, c.Scope.Preset, c.Input.RefFields)
	}
}

func TestLogsKeepDuplicates(t *testing.T) {
	c := load(t, "configs/logs.yaml")
	if c.Dedup.Mode != "none" || !strings.HasPrefix(c.Output.Columns, "log") {
		t.Errorf("dedup %q, columns %q", c.Dedup.Mode, c.Output.Columns)
	}
}

func load(t *testing.T, file string) config.Config {
	t.Helper()
	loaded, err := config.Load(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	return loaded.Config
}
