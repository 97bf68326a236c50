//go:build !linux && !darwin && !windows

package buffers

import (
	"io/fs"
	"time"
)

// born is when a file or folder was made; false: unknown.
func born(string, fs.FileInfo) (time.Time, bool) { return time.Time{}, false }

// ChangedAt is when a file, its name, mode or content, was changed last. Unlike the time
// that a listing shows it cannot be set, where the system knows it.
func ChangedAt(info fs.FileInfo) time.Time { return info.ModTime() }
