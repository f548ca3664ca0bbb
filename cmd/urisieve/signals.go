package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// interrupts turns signals into an orderly end: the first one drains, the second one cancels, a
// third one finds the system's default again and ends the process.
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
		signal.Stop(i.notify)
		i.cancel()
	case <-i.quit:
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
