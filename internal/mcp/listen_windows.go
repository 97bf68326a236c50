package mcp

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

const (
	pipePrefix = `\\.\pipe\acp-ls-`
	pipeBuffer = 64 << 10

	// busyWait is how long a child waits for an instance of the pipe: there is
	// always one more than there are children, but for a moment.
	busyWait  = 5 * time.Second
	busyAgain = 20 * time.Millisecond
)

// pipeListener accepts at a named pipe. Each child has an instance of its own;
// the one that waits for the next child is made before it comes.
type pipeListener struct {
	name     string
	security *windows.SecurityAttributes
	closing  windows.Handle // an event

	accepting sync.Mutex     // held by Accept
	next      windows.Handle // owned by who holds accepting; 0 if it could not be made
	closed    bool           // the same

	once sync.Once
}

// listen makes a pipe. Windows has one place for all of them, so dir only makes
// tests alike.
func listen(string) (listener, error) {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, fmt.Errorf("user of this process: %w", err)
	}
	// All rights for this user, none for anybody else, nothing inherited.
	sd, err := windows.SecurityDescriptorFromString("D:P(A;;GA;;;" + user.User.Sid.String() + ")")
	if err != nil {
		return nil, fmt.Errorf("security descriptor: %w", err)
	}
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	l := &pipeListener{name: pipePrefix + hex.EncodeToString(b[:]), security: &windows.SecurityAttributes{SecurityDescriptor: sd}}
	l.security.Length = uint32(unsafe.Sizeof(*l.security))
	if l.closing, err = windows.CreateEvent(nil, 1, 0, nil); err != nil {
		return nil, fmt.Errorf("event: %w", err)
	}
	if l.next, err = l.instance(windows.FILE_FLAG_FIRST_PIPE_INSTANCE); err != nil {
		windows.CloseHandle(l.closing)
		return nil, err
	}
	return l, nil
}

func (l *pipeListener) instance(more uint32) (windows.Handle, error) {
	name, err := windows.UTF16PtrFromString(l.name)
	if err != nil {
		return 0, err
	}
	h, err := windows.CreateNamedPipe(name, windows.PIPE_ACCESS_DUPLEX|windows.FILE_FLAG_OVERLAPPED|more,
		windows.PIPE_TYPE_BYTE|windows.PIPE_READMODE_BYTE|windows.PIPE_WAIT|windows.PIPE_REJECT_REMOTE_CLIENTS,
		windows.PIPE_UNLIMITED_INSTANCES, pipeBuffer, pipeBuffer, 0, l.security)
	if err != nil {
		return 0, fmt.Errorf("pipe: %w", err)
	}
	return h, nil
}

// Address implements listener.
func (l *pipeListener) Address() string { return l.name }

// Accept implements listener.
func (l *pipeListener) Accept() (stream, error) {
	l.accepting.Lock()
	defer l.accepting.Unlock()
	if l.closed {
		return nil, net.ErrClosed
	}
	for {
		if l.next == 0 {
			h, err := l.instance(0)
			if err != nil {
				return nil, err
			}
			l.next = h
		}
		h := l.next
		err := l.connect(h)
		if errors.Is(err, net.ErrClosed) {
			return nil, err // Close closes the instance
		}
		l.next = 0
		if next, failed := l.instance(0); failed == nil {
			l.next = next
		}
		if err == nil {
			return os.NewFile(uintptr(h), l.name), nil
		}
		windows.CloseHandle(h)
		if !errors.Is(err, windows.ERROR_NO_DATA) { // a child that has left again
			return nil, fmt.Errorf("pipe: connect: %w", err)
		}
	}
}

// connect waits for a child at an instance.
func (l *pipeListener) connect(h windows.Handle) error {
	event, err := windows.CreateEvent(nil, 1, 0, nil)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(event)
	o := &windows.Overlapped{HEvent: event}
	err = windows.ConnectNamedPipe(h, o)
	switch {
	case err == nil, errors.Is(err, windows.ERROR_PIPE_CONNECTED):
		return nil
	case !errors.Is(err, windows.ERROR_IO_PENDING):
		return err
	}
	which, err := windows.WaitForMultipleObjects([]windows.Handle{l.closing, event}, false, windows.INFINITE)
	if err == nil && which == windows.WAIT_OBJECT_0 {
		err = net.ErrClosed
	}
	if err != nil {
		_ = windows.CancelIoEx(h, o)
	}
	// The kernel writes to o until this has returned.
	var n uint32
	if failed := windows.GetOverlappedResult(h, o, &n, true); err == nil {
		err = failed
	}
	return err
}

// Close implements listener. Accept returns.
func (l *pipeListener) Close() error {
	l.once.Do(func() {
		_ = windows.SetEvent(l.closing)
		l.accepting.Lock()
		defer l.accepting.Unlock()
		if l.next != 0 {
			windows.CloseHandle(l.next)
			l.next = 0
		}
		l.closed = true
		windows.CloseHandle(l.closing)
	})
	return nil
}

func dial(ctx context.Context, address string) (stream, error) {
	name, err := windows.UTF16PtrFromString(address)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, busyWait)
	defer cancel()
	for {
		// Who has made the pipe may learn who we are, and not act as if it were us.
		h, err := windows.CreateFile(name, windows.GENERIC_READ|windows.GENERIC_WRITE, 0, nil, windows.OPEN_EXISTING,
			windows.FILE_FLAG_OVERLAPPED|windows.SECURITY_SQOS_PRESENT|windows.SECURITY_IDENTIFICATION, 0)
		if err == nil {
			return os.NewFile(uintptr(h), address), nil
		}
		if !errors.Is(err, windows.ERROR_PIPE_BUSY) {
			return nil, err
		}
		select {
		case <-time.After(busyAgain):
		case <-ctx.Done():
			return nil, err
		}
	}
}

// isGone says that the other side has ended.
func isGone(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA) || errors.Is(err, io.EOF)
}
