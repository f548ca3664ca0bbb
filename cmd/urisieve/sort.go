package main

import (
	"fmt"

	"github.com/urisieve/urisieve/config"
	"github.com/urisieve/urisieve/pipeline"
	"github.com/urisieve/urisieve/sinks"
)

// sortMemory is what sorting may use, in bytes.
func sortMemory(c *config.Config) int64 {
	switch {
	case c.Output.Sort != sinks.SortFile && c.Output.Sort != sinks.SortGlobal, c.Run.DryRun:
		return 0
	case c.Output.SortMemory > 0:
		return int64(c.Output.SortMemory)
	}
	return pipeline.DefaultSortMemory()
}

// sortFaults refuses checkpoints that were asked for, where the output is one order: what comes before one can't be written
// before what comes after it.
func (p *program) sortFaults(l *config.Loaded) config.Faults {
	const key = "state.checkpoint_records"
	if l.State.Dir == "" || l.Run.DryRun || l.Origin(key) == "default" || !p.sinkOptions(&l.Config).OneFlush() {
		return nil
	}
	return config.Faults{l.Fault(key, "an output that is sorted as one has one checkpoint, at the end", "output.sort file and directories, or leave it out")}
}

// sorted is the line about an output that was sorted, in the table at the end of a run; "" where it wasn't.
func sorted(w sinks.Written) string {
	if w.Sort.Rows == 0 {
		return ""
	}
	what, where := "", "in memory"
	if w.Role != "output" {
		what = w.Role + " "
	}
	if w.Sort.Bytes > 0 {
		where = byteText(w.Sort.Bytes) + " spilled to disk"
	}
	return fmt.Sprintf("%ssorted by url_surtkey: %s, %s\n", what, counted(w.Sort.Rows, "row"), where)
}
