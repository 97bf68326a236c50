package proc

import (
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

var peekNamedPipe = windows.NewLazySystemDLL("kernel32.dll").NewProc("PeekNamedPipe")

// drainTick is how often an emptying pipe is looked at: Windows has no way to
// wake a Read on an anonymous pipe.
const drainTick = 5 * time.Millisecond

// flushing has nothing to remember here.
type flushing struct{}

// flush returns when the pipe has been seen empty.
func (d *drain) flush() {
	tick := time.NewTicker(drainTick)
	defer tick.Stop()
	for empty := 0; empty < 2; { // twice: the last bytes may be on their way to the sink
		if d.buffered() == 0 {
			empty++
		} else {
			empty = 0
		}
		select {
		case <-d.done:
			return
		case <-tick.C:
		}
	}
}

func (d *drain) buffered() uint32 {
	conn, err := d.pipe.SyscallConn()
	if err != nil {
		return 0
	}
	var n uint32
	_ = conn.Control(func(fd uintptr) {
		r, _, _ := peekNamedPipe.Call(fd, 0, 0, 0, uintptr(unsafe.Pointer(&n)), 0)
		if r == 0 {
			n = 0
		}
	})
	return n
}

// interrupted reports whether to read on after an error of Read.
func (d *drain) interrupted(error, []byte) bool { return false }
