package buffers

import "io/fs"

// spelling returns the name of an existing entry as it is on disk: file systems here usually ignore case.
func spelling(dir, part string, info fs.FileInfo) string { return entrySpelling(dir, part, info) }

func canonicalVolume(volume string) string { return volume }
