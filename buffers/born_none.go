//go:build !linux && !darwin && !windows

package buffers

import (
	"io/fs"
	"time"
)

// born is when a file or folder was made; false: unknown.
func born(string, fs.FileInfo) (time.Time, bool) { return time.Time{}, false }
