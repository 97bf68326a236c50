package checkpoint

import "io/fs"

// fileID would tell two files apart that have had the same name; here their times
// and sizes must do.
func fileID(fs.FileInfo) string { return "" }
