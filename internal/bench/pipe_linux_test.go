package bench

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// widePipe is a pipe as large as that of an agent's output.
func widePipe(b *testing.B) (r, w *os.File) {
	b.Helper()
	r, w = pipe(b)
	conn, err := w.SyscallConn()
	if err != nil {
		b.Fatal(err)
	}
	_ = conn.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, 1<<20) })
	return r, w
}
