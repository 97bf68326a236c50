package buffers

import (
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
)

// spelling returns the name of an existing entry as it is on disk: case is ignored here, and a short name (PROGRA~1) may
// stand for a long one.
func spelling(dir, part string, _ fs.FileInfo) string {
	name, err := syscall.UTF16PtrFromString(filepath.Join(dir, part))
	if err != nil {
		return part
	}
	var data syscall.Win32finddata
	found, err := syscall.FindFirstFile(name, &data)
	if err != nil {
		return part
	}
	syscall.FindClose(found)
	return syscall.UTF16ToString(data.FileName[:])
}

// canonicalVolume makes one spelling of a drive or a share.
func canonicalVolume(volume string) string {
	volume = strings.ToUpper(strings.ReplaceAll(volume, "/", `\`))
	if share, ok := strings.CutPrefix(volume, `\\?\UNC\`); ok {
		return `\\` + share
	}
	if drive, ok := strings.CutPrefix(volume, `\\?\`); ok && len(drive) == 2 && drive[1] == ':' {
		return drive
	}
	return volume
}
