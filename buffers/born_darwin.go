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
