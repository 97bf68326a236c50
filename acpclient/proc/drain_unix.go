//go:build unix

package proc

import (
	"errors"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// flushing are those who wait for the pipe to be empty.
type flushing struct {
	mu      sync.Mutex
	waiting []chan struct{}
}

// flush returns when all that was in the pipe when it was called has been given
// to the sink. It wakes the reader by a deadline that is over: that is the only
// way to make a Read return without closing the pipe.
func (d *drain) flush() {
	flushed := make(chan struct{})
	d.mu.Lock()
	d.waiting = append(d.waiting, flushed)
	d.mu.Unlock()
	_ = d.pipe.SetReadDeadline(time.Unix(1, 0))
	select {
	case <-flushed:
	case <-d.done:
	}
}

// interrupted handles the error of a Read and reports whether to go on. The
// pipe is non-blocking, so it can be read until it is empty.
func (d *drain) interrupted(err error, buf []byte) bool {
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return false
	}
	_ = d.pipe.SetReadDeadline(time.Time{})
	// Those who come from now on set the deadline anew.
	d.mu.Lock()
	flushers := d.waiting
	d.waiting = nil
	d.mu.Unlock()
	conn, err := d.pipe.SyscallConn()
	if err != nil {
		return false
	}
	open := true
	err = conn.Control(func(fd uintptr) {
		for {
			n, err := unix.Read(int(fd), buf)
			if err == unix.EINTR {
				continue
			}
			if n <= 0 {
				open = err != nil // 0 is the end of the pipe; EAGAIN means empty
				return
			}
			d.sink(buf[:n])
		}
	})
	for _, f := range flushers {
		close(f)
	}
	return err == nil && open
}
