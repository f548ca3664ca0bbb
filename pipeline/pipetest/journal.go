package pipetest

import (
	"fmt"
	"slices"
	"sync"
)

// Journal keeps, in order, what several parts of a run did. It is safe for concurrent use; a nil one
// keeps nothing.
type Journal struct {
	mu     sync.Mutex
	events []string
}

// Add adds an event.
func (j *Journal) Add(format string, args ...any) {
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.events = append(j.events, fmt.Sprintf(format, args...))
}

// Events are the events so far.
func (j *Journal) Events() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.events)
}
