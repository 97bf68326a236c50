package buffers

import (
	"io/fs"
	"syscall"
	"time"
)

// born is when a file or folder was made; false: unknown.
func born(_ string, info fs.FileInfo) (time.Time, bool) {
	data, ok := info.Sys().(*syscall.Win32FileAttributeData)
	if !ok {
		return time.Time{}, false
	}
	return time.Unix(0, data.CreationTime.Nanoseconds()), true
}
