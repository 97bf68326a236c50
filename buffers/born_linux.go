package buffers

import (
	"io/fs"
	"time"

	"golang.org/x/sys/unix"
)

// born is when a file or folder was made; false: unknown.
func born(name string, _ fs.FileInfo) (time.Time, bool) {
	var st unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, name, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_BTIME, &st)
	if err != nil || st.Mask&unix.STATX_BTIME == 0 {
		return time.Time{}, false
	}
	return time.Unix(st.Btime.Sec, int64(st.Btime.Nsec)), true
}
