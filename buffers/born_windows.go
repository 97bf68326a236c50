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

// ChangedAt is when a file, its name, mode or content, was changed last. Unlike the time
// that a listing shows it cannot be set, where the system knows it.
func ChangedAt(info fs.FileInfo) time.Time { return info.ModTime() }
