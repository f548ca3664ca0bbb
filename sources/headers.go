package sources

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/urisieve/urisieve/pipeline"
)

// checkHeaders reads the header of each file, if the fields are given by name, and reports those
// that lack one. What can't be read of them is damage, and comes out when it is their turn.
func (f *Files) checkHeaders(ctx context.Context) error {
	d, ok := f.dec.(*csvDecoder)
	if !ok || d.header != "yes" {
		return nil
	}
	var errs []error
	for _, in := range f.inputs {
		if in.size < 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := f.firstRow(in.name); err != nil {
			errs = append(errs, &InputError{in.name, err, hintHeader})
		}
	}
	return errors.Join(errs...)
}

// firstRow reads a file up to its first row, and gives the decoder that has seen it; nil, or one still at its
// start, where there is none or it can't be read. The error is the header's.
func (f *Files) firstRow(name string) (*csvDecoder, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, nil // comes out when it is the turn of the file
	}
	defer file.Close()
	p, err := newPlainReader(file, &input{name: name}, &f.opts)
	if err != nil {
		return nil, nil
	}
	defer p.close()
	o := f.opts
	o.Resumable = false
	probe := newFiles(o, []*input{{name: name}})
	d := probe.dec.(*csvDecoder)
	b := pipeline.NewBatch(len(f.columns))
	buf := make([]byte, 16<<10)
	for {
		n, err := p.Read(buf)
		probe.win.add(buf[:n])
		probe.win.ended = err == io.EOF
		for {
			more, err := probe.step(b)
			if err != nil {
				return d, err
			}
			if more {
				break
			}
			if !d.atStart || probe.win.damage != nil {
				return d, nil
			}
		}
		if err != nil {
			return d, nil
		}
	}
}
