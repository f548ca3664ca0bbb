package sources

import (
	"context"
	"io"

	"github.com/urisieve/urisieve/pipeline"
)

// Files reads files and standard input, one after the other, as one lane. It implements
// pipeline.Source.
type Files struct{}

// Open finds the inputs and checks the options. Every input that is missing, empty of matches or
// not readable is reported, all at once, before anything is read from any. Where fields are given
// by name, the headers of all files are checked, too.
func Open(ctx context.Context, o Options) (*Files, error) { return nil, nil }

// NewReader reads one input, r, under a name; o.Inputs must be empty. Close closes r if it is an
// io.Closer, to end a Read that blocks.
func NewReader(r io.Reader, name string, o Options) (*Files, error) { return nil, nil }

// Columns implements pipeline.Source.
func (f *Files) Columns() (columns []pipeline.Column, elements []string) { return nil, nil }

// Fill implements pipeline.Source.
func (f *Files) Fill(ctx context.Context, b *pipeline.Batch) error { return io.EOF }

// Commit implements pipeline.Source. Files keep no position: it does nothing.
func (f *Files) Commit(ctx context.Context, upto []pipeline.Position) error { return nil }

// Stats implements pipeline.Source.
func (f *Files) Stats() pipeline.SourceStats { return pipeline.SourceStats{} }

// Close ends the reading and waits for it.
func (f *Files) Close() error { return nil }

func (f *faults) check(o Options) {}
