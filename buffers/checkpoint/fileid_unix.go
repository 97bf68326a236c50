//go:build unix

package checkpoint

import (
	"fmt"
	"io/fs"
	"syscall"
)

// fileID tells two files apart that have had the same name.
func fileID(info fs.FileInfo) string {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprint("#", st.Ino)
	}
	return ""
}
