package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// interrupts turns signals into an orderly end: the first one drains, the second one cancels. What
// hangs in the system by then, such as a write to a pipe that nobody reads, is left behind by ending
// the process, which is safe at any time: nothing unfinished has its name yet.
type interrupts struct {
	// Drain is closed at the first signal.
	Drain chan struct{}

	cancel context.CancelFunc
	notify chan os.Signal
	quit   chan struct{}
	ended  sync.WaitGroup

	mu    sync.Mutex
	first os.Signal
}

// watchSignals begins; the context ends at the second signal, or at stop, which the caller owes.
func watchSignals(parent context.Context) (context.Context, *interrupts) {
	ctx, cancel := context.WithCancel(parent)
	i := &interrupts{
		Drain: make(chan struct{}), cancel: cancel,
		notify: make(chan os.Signal, 2), quit: make(chan struct{}),
	}
	signal.Notify(i.notify, os.Interrupt, syscall.SIGTERM)
	i.ended.Go(i.watch)
	return ctx, i
}

func (i *interrupts) watch() {
	select {
	case s := <-i.notify:
		i.mu.Lock()
		i.first = s
		i.mu.Unlock()
		close(i.Drain)
	case <-i.quit:
		return
	}
	select {
	case <-i.notify:
		i.cancel()
	case <-i.quit:
		return
	}
	select {
	case <-i.notify:
	case <-time.After(hangTime):
	case <-i.quit:
		return
	}
	os.Exit(signalCode(i.signal()))
}

// hangTime is what the second signal leaves for an orderly end; a third one ends it.
const hangTime = 2 * time.Second

// onDrain calls f at the first signal, until stop is called, which the caller owes.
func (i *interrupts) onDrain(f func()) (stop func()) {
	done := make(chan struct{})
	var waiting sync.WaitGroup
	waiting.Go(func() {
		select {
		case <-i.Drain:
			f()
		case <-done:
		}
	})
	return func() {
		close(done)
		waiting.Wait()
	}
}

// stop ends the watch. It may be called twice.
func (i *interrupts) stop() {
	signal.Stop(i.notify)
	i.mu.Lock()
	select {
	case <-i.quit:
	default:
		close(i.quit)
	}
	i.mu.Unlock()
	i.ended.Wait()
	i.cancel()
}

// signal is the first one that came, nil for none.
func (i *interrupts) signal() os.Signal {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.first
}
