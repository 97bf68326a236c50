package buffers

import (
	"io/fs"
	"syscall"
	"time"
)

// born is when a file or folder was made; false: unknown.
func born(_ string, info fs.FileInfo) (time.Time, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return time.Time{}, false
	}
	return time.Unix(st.Birthtimespec.Unix()), true
}

// ChangedAt is when a file, its name, mode or content, was changed last. Unlike the time
// that a listing shows it cannot be set, where the system knows it.
func ChangedAt(info fs.FileInfo) time.Time {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(st.Ctimespec.Unix())
	}
	return info.ModTime()
}
