package buffers

import (
	"io/fs"
	"syscall"
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

// ChangedAt is when a file, its name, mode or content, was changed last. Unlike the time
// that a listing shows it cannot be set, where the system knows it.
func ChangedAt(info fs.FileInfo) time.Time {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(st.Ctim.Unix())
	}
	return info.ModTime()
}
