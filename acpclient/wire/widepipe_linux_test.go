package wire

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// widePipe returns a pipe as large as an agent's stdout.
func widePipe(t testing.TB) (r, w *os.File) {
	r, w = pipe(t)
	conn, err := w.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	conn.Control(func(fd uintptr) { unix.FcntlInt(fd, unix.F_SETPIPE_SZ, 1<<20) })
	return r, w
}
