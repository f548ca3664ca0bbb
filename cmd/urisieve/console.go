package main

import (
	"io"
	"os"
	"sync"

	"golang.org/x/term"
)

// console is standard error. Messages, log lines and the progress bar come from several goroutines:
// each is written whole, and the bar, which is redrawn in place, makes way for what is to stay.
type console struct {
	w io.Writer

	mu  sync.Mutex
	bar bool // the cursor stands behind a bar
}

const eraseLine = "\r\x1b[K"

// Write writes what is to stay.
func (c *console) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.erase()
	return c.w.Write(p)
}

// draw puts a bar in the place of the last one, cut to the width of the terminal.
func (c *console) draw(line string) {
	if f, ok := c.w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 1 && len(line) > width-1 {
			line = line[:width-1]
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = io.WriteString(c.w, eraseLine+line) // nobody is left to tell when it fails
	c.bar = true
}

// wipe takes the bar away.
func (c *console) wipe() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.erase()
}

func (c *console) erase() {
	if c.bar {
		_, _ = io.WriteString(c.w, eraseLine)
		c.bar = false
	}
}
