package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

const pipeSize = 1 << 20

// widen enlarges a pipe, so that a message of megabytes takes fewer turns.
// Failing that (there is a limit for each user) it stays as it is.
func widen(pipe *os.File) {
	conn, err := pipe.SyscallConn()
	if err != nil {
		return
	}
	_ = conn.Control(func(fd uintptr) {
		_, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize)
	})
}
