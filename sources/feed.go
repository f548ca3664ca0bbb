package sources

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"
)

const (
	chunkBytes  = 256 << 10
	chunksAhead = 4
)

// chunk is a piece of an input, decompressed.
type chunk struct {
	in     *input
	data   []byte
	end    bool  // nothing more of in comes
	damage error // with end: why not
}

// feed reads the inputs ahead of Fill, so that reading and decompressing overlap with decoding.
// Its one goroutine sends chunks and closes the channel behind the last; it belongs to whoever
// calls stop, which waits for it.
type feed struct {
	inputs []*input
	open   func(*input) (stored, error)
	limits *Options

	chunks chan chunk
	free   chan []byte
	quit   chan struct{}
	done   chan struct{}

	mu      sync.Mutex
	stopped bool
	current stored
}

// stored is an input that is open, as it is stored.
type stored struct {
	io.Reader
	// interrupt ends a Read that blocks, and all later ones. It may run beside Read. nil: a Read
	// ends when it ends.
	interrupt func()
	close     func()
}

func startFeed(inputs []*input, open func(*input) (stored, error), limits *Options) *feed {
	f := &feed{
		inputs: inputs, open: open, limits: limits,
		chunks: make(chan chunk, chunksAhead),
		free:   make(chan []byte, chunksAhead+2),
		quit:   make(chan struct{}),
		done:   make(chan struct{}),
	}
	go f.run()
	return f
}

// stop ends the goroutine and waits for it, unless it is in a Read of a plain io.Reader that
// can't be interrupted: then the goroutine ends when that Read does.
func (f *feed) stop() {
	f.mu.Lock()
	if !f.stopped {
		f.stopped = true
		close(f.quit)
	}
	stuck := f.current.Reader != nil && f.current.interrupt == nil
	if f.current.interrupt != nil {
		f.current.interrupt()
	}
	f.mu.Unlock()
	if !stuck {
		<-f.done
	}
}

// enter makes s the input that stop interrupts; false if it has stopped already.
func (f *feed) enter(s stored) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.current = s
	return !f.stopped
}

func (f *feed) run() {
	defer close(f.done)
	defer close(f.chunks)
	for _, in := range f.inputs {
		damage, ok := f.read(in)
		if !ok || !f.send(chunk{in: in, end: true, damage: damage}) {
			return
		}
	}
}

// read sends one input's bytes; false after stop.
func (f *feed) read(in *input) (damage error, ok bool) {
	s, err := f.open(in)
	if err != nil {
		return reasonOf(err), true
	}
	defer s.close()
	if !f.enter(s) {
		return nil, false
	}
	defer f.enter(stored{})
	p, err := newPlainReader(s.Reader, in, f.limits)
	if err != nil {
		return err, !f.isStopped()
	}
	defer p.close()
	if err := p.skip(in.skip, f.isStopped); err != nil {
		return reasonOf(err), !f.isStopped()
	}
	for !in.dropped.Load() {
		buf := f.buffer()
		n, err := readSome(p, buf, in.live)
		if n > 0 && !f.send(chunk{in: in, data: buf[:n]}) {
			return nil, false
		}
		if errors.Is(err, io.EOF) {
			return nil, !f.isStopped()
		}
		if err != nil {
			return reasonOf(err), !f.isStopped()
		}
	}
	return nil, true
}

// readSome reads once from a live input, and until buf is full from a file.
func readSome(r io.Reader, buf []byte, live bool) (n int, err error) {
	for empty := 0; n < len(buf) && err == nil; {
		var k int
		k, err = r.Read(buf[n:])
		n += k
		if k > 0 {
			empty = 0
		} else if empty++; empty == 100 && err == nil {
			err = io.ErrNoProgress
		}
		if live && n > 0 {
			break
		}
	}
	return n, err
}

func (f *feed) isStopped() bool {
	select {
	case <-f.quit:
		return true
	default:
		return false
	}
}

func (f *feed) send(c chunk) bool {
	select {
	case f.chunks <- c:
		return true
	case <-f.quit:
		return false
	}
}

func (f *feed) buffer() []byte {
	select {
	case buf := <-f.free:
		return buf[:cap(buf)]
	default:
		return make([]byte, chunkBytes)
	}
}

// giveBack takes a chunk's buffer for the next chunk.
func (f *feed) giveBack(data []byte) {
	select {
	case f.free <- data:
	default:
	}
}

// openFile opens a file, or a pipe that has a name.
func openFile(in *input) (stored, error) {
	info, err := os.Stat(in.name)
	if err != nil {
		return stored{}, err
	}
	if info.Mode()&fs.ModeNamedPipe != 0 {
		return openFIFO(in.name)
	}
	f, err := os.Open(in.name)
	if err != nil {
		return stored{}, err
	}
	if in.live {
		return waitable(f, func() { f.Close() })
	}
	// A Read of a file returns soon: there is nothing to interrupt.
	return stored{f, func() {}, func() { f.Close() }}, nil
}

// openReader makes a reader from elsewhere an input: a file, a pipe, anything.
func openReader(r io.Reader, owned bool) (stored, error) {
	if f, ok := r.(*os.File); ok {
		return waitable(f, func() {
			if owned {
				f.Close()
			}
		})
	}
	if c, ok := r.(io.Closer); ok && owned {
		return stored{r, func() { c.Close() }, func() { c.Close() }}, nil
	}
	return stored{r, nil, func() {}}, nil
}
