package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urisieve/urisieve/config"
	"github.com/urisieve/urisieve/internal/fsys"
	"github.com/urisieve/urisieve/pipeline/dedup"
)

// scratch makes the temporary files of a run.
func (j *job) scratch() fsys.Scratch { return scratch(&j.l.Config) }

func scratch(c *config.Config) fsys.Scratch { return fsys.Scratch{FS: fsys.OS{}, Dir: tempDir(c)} }

// tempDir is run.temp_dir, with its default worked out; "" is the system's directory.
func tempDir(c *config.Config) string {
	switch {
	case c.Run.TempDir != "":
		return c.Run.TempDir
	case os.Getenv("TMPDIR") != "" || c.Output.Path == "-" || c.Run.DryRun:
		return ""
	}
	return filepath.Dir(strings.TrimRight(c.Output.Path, "/"))
}

// tempDirFaults looks at run.temp_dir before the work begins: it may be used only hours later.
func tempDirFaults(l *config.Loaded) config.Faults {
	dir := l.Run.TempDir
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s: is not a directory", dir)
	}
	if err == nil {
		return nil
	}
	return config.Faults{l.Fault("run.temp_dir", err.Error(), "a directory that is there")}
}

// spilled is the line about an exact set that memory had no room for, in the table at the end of a run; "" where
// there was room.
func spilled(s dedup.SpillStats) string {
	if s.Shards == 0 {
		return ""
	}
	return fmt.Sprintf("seen URLs spilled to disk: %s in %s, %s written and %s read on the way\n",
		counted(s.Keys, "key"), byteText(s.Bytes), byteText(s.BytesWritten), byteText(s.BytesRead))
}
