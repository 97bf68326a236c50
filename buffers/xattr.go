//go:build linux || darwin || freebsd || netbsd

package buffers

import (
	"bytes"
	"os"

	"golang.org/x/sys/unix"
)

// copyXattrs copies the extended attributes of from, among them access lists and security labels, as far as the file
// system has them and allows it.
func copyXattrs(to, from *os.File) {
	size, err := unix.Flistxattr(int(from.Fd()), nil)
	if err != nil || size <= 0 {
		return
	}
	names := make([]byte, size)
	if size, err = unix.Flistxattr(int(from.Fd()), names); err != nil {
		return
	}
	for name := range bytes.SplitSeq(names[:max(size, 0)], []byte{0}) {
		if len(name) == 0 {
			continue
		}
		size, err := unix.Fgetxattr(int(from.Fd()), string(name), nil)
		if err != nil || size < 0 {
			continue
		}
		value := make([]byte, size)
		if size, err = unix.Fgetxattr(int(from.Fd()), string(name), value); err == nil {
			_ = unix.Fsetxattr(int(to.Fd()), string(name), value[:size], 0)
		}
	}
}
