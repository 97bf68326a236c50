//go:build !darwin && !windows

package buffers

import "io/fs"

// spelling returns part: file systems here tell names apart by their bytes.
func spelling(_, part string, _ fs.FileInfo) string { return part }

func canonicalVolume(volume string) string { return volume }
