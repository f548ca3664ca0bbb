//go:build unix

package sources

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// waiter reads a descriptor that may block for long: standard input, a terminal, a FIFO. Before
// each read it waits for it and for a pipe of its own at once, so that interrupt can end the wait
// without closing a descriptor that others use, and without changing its mode under them.
type waiter struct {
	f      *os.File
	fd     int
	wake   *os.File // read end
	wakeFd int
	bell   *os.File // write end; closing it ends the wait
	once   sync.Once
}

// waitable makes f an input whose Read can be interrupted.
func waitable(f *os.File, closeFile func()) (stored, error) {
	wake, bell, err := os.Pipe()
	if err != nil {
		closeFile()
		return stored{}, err
	}
	w := &waiter{f: f, fd: descriptor(f), wake: wake, bell: bell}
	w.wakeFd = descriptor(wake)
	return stored{w, w.interrupt, func() {
		w.interrupt()
		wake.Close()
		closeFile()
	}}, nil
}

// descriptor is f's descriptor, -1 if it has none. Unlike f.Fd it leaves f's mode alone.
func descriptor(f *os.File) int {
	fd := -1
	if c, err := f.SyscallConn(); err == nil {
		_ = c.Control(func(d uintptr) { fd = int(d) })
	}
	return fd
}

func (w *waiter) interrupt() { w.once.Do(func() { w.bell.Close() }) }

func (w *waiter) Read(p []byte) (int, error) {
	fds := []unix.PollFd{
		{Fd: int32(w.fd), Events: unix.POLLIN},
		{Fd: int32(w.wakeFd), Events: unix.POLLIN},
	}
	for {
		_, err := unix.Poll(fds, -1)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return 0, os.NewSyscallError("poll", err)
		}
		if fds[1].Revents != 0 {
			return 0, fs.ErrClosed
		}
		n, err := unix.Read(w.fd, p)
		switch {
		case errors.Is(err, unix.EINTR), errors.Is(err, unix.EAGAIN):
			continue
		case err != nil:
			return 0, os.NewSyscallError("read", err)
		case n == 0 && len(p) > 0:
			return 0, io.EOF
		}
		return n, nil
	}
}

// openFIFO opens a FIFO without waiting for a writer; the first Read does that.
func openFIFO(name string) (stored, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return stored{}, err
	}
	return waitable(f, func() { f.Close() })
}
