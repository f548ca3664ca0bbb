package main

import (
	"bytes"
	"errors"
	"io"
	"sync"
)

const (
	feedBytes = 256 << 10 // of a piece
	feedAhead = 4
)

// lineFeed reads a stream ahead of whoever takes its lines, so that it can be told whether there is more already.
// Its one goroutine sends pieces and closes the channel behind the last. It ends after stop, or, if it is in a Read by
// then, when that Read does.
type lineFeed struct {
	pieces chan []byte
	free   chan []byte
	quit   chan struct{}
	once   sync.Once
	err    error // of the stream, set before pieces is closed

	most int    // bytes of a line
	part []byte // the beginning of a line whose end isn't there yet
	long bool   // it is too long: the rest of it is left out
}

func startLineFeed(r io.Reader, most int) *lineFeed {
	f := &lineFeed{
		pieces: make(chan []byte, feedAhead), free: make(chan []byte, feedAhead+2), quit: make(chan struct{}), most: most,
	}
	go f.run(r)
	return f
}

func (f *lineFeed) run(r io.Reader) {
	defer close(f.pieces)
	for empty := 0; empty < 100; {
		select {
		case <-f.quit: // sending alone would find it at random
			return
		default:
		}
		buf := f.buffer()
		n, err := r.Read(buf)
		if n > 0 {
			empty = 0
			select {
			case f.pieces <- buf[:n]:
			case <-f.quit:
				return
			}
		} else if err == nil {
			empty++
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				f.err = err
			}
			return
		}
	}
	f.err = io.ErrNoProgress
}

func (f *lineFeed) buffer() []byte {
	select {
	case b := <-f.free:
		return b[:feedBytes]
	default:
		return make([]byte, feedBytes)
	}
}

// stop ends the reading. What was sent before can still be received. It may be called twice.
func (f *lineFeed) stop() { f.once.Do(func() { close(f.quit) }) }

// lines gives each line that ends in a piece to f, without its end; nil is one that is too long.
func (f *lineFeed) lines(piece []byte, line func([]byte) error) error {
	for len(piece) > 0 {
		end := bytes.IndexByte(piece, '\n')
		if end < 0 {
			f.keep(piece)
			return nil
		}
		text := piece[:end]
		piece = piece[end+1:]
		if len(f.part) > 0 || f.long || len(text) > f.most {
			f.keep(text)
			text = f.part
			if f.long {
				text = nil
			}
		}
		err := line(text)
		f.part, f.long = f.part[:0], false
		if err != nil {
			return err
		}
	}
	return nil
}

// keep adds to the line whose end isn't there yet.
func (f *lineFeed) keep(text []byte) {
	if f.long = f.long || len(f.part)+len(text) > f.most; f.long {
		f.part = nil
		return
	}
	f.part = append(f.part, text...)
}

// rest gives what stands behind the last line end, as lines does, once the stream has ended.
func (f *lineFeed) rest(line func([]byte) error) error {
	if len(f.part) == 0 && !f.long {
		return nil
	}
	return f.lines([]byte{'\n'}, line)
}

// giveBack takes a piece for the next reads.
func (f *lineFeed) giveBack(piece []byte) {
	select {
	case f.free <- piece[:cap(piece)]:
	default:
	}
}
