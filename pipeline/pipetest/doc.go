// Package pipetest has what tests of the pipeline and of its sources and sinks share: sources that
// follow a script, sinks and sets that keep a journal, the suites that every Source and every Sink must
// pass, and a file system that forgets in a crash what was not synced.
package pipetest
