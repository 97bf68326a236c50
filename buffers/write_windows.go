package buffers

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

var errNotDir error = syscall.ENOTDIR

// openShared opens a file for reading so that others may go on to write, rename and remove it.
func openShared(name string) (*os.File, error) {
	p, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	h, err := windows.CreateFile(p, windows.GENERIC_READ, windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE,
		nil, windows.OPEN_EXISTING, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(h), name), nil
}

// manyLinks reports whether the file has another name, which a replacement would leave with the old content.
func manyLinks(f *os.File) bool {
	var info windows.ByHandleFileInformation
	err := windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &info)
	return err == nil && info.NumberOfLinks > 1
}

// copyAttributes does nothing: ReplaceFile gives the replacement the attributes and the access list of the file.
func copyAttributes(f, like *os.File) error { return nil }

var replaceFileW = windows.NewLazySystemDLL("kernel32.dll").NewProc("ReplaceFileW")

// replace puts temp in the place of name and returns what the old file holds after that.
func replace(temp, name string, old *os.File) (was string, err error) {
	old.Close() // a handle of our own is in the way as any other
	backup := filepath.Join(filepath.Dir(name), TempName(".old"))
	var args [3]*uint16
	for i, s := range []string{name, temp, backup} {
		if args[i], err = windows.UTF16PtrFromString(s); err != nil {
			return "", err
		}
	}
	ok, _, err := replaceFileW.Call(uintptr(unsafe.Pointer(args[0])), uintptr(unsafe.Pointer(args[1])),
		uintptr(unsafe.Pointer(args[2])), 0, 0, 0)
	if ok == 0 {
		// It may fail with the old file already moved to the backup and nothing in its place.
		if _, statErr := os.Lstat(name); errors.Is(statErr, fs.ErrNotExist) {
			if back := os.Rename(backup, name); back != nil && !errors.Is(back, fs.ErrNotExist) {
				return "", fmt.Errorf("%w; and the old file is now %s: %v", err, backup, back)
			}
		}
		return "", err
	}
	content, err := os.ReadFile(backup)
	if err != nil {
		return "", fmt.Errorf("written, but not known whether another program wrote at the same moment: %w", bare(err))
	}
	os.Remove(backup) // or it stays behind: the file itself is in place
	return string(content), nil
}

// needsInPlace reports whether a replacement failed for a reason that does not forbid to write the file itself: the
// folder is not writable, or another program has the file open.
func needsInPlace(err error) bool {
	return errors.Is(err, errInPlace) || errors.Is(err, fs.ErrPermission) || errors.Is(err, windows.ERROR_SHARING_VIOLATION) ||
		errors.Is(err, windows.ERROR_UNABLE_TO_REMOVE_REPLACED)
}

// moveNew renames temp to name unless a file of that name exists.
func moveNew(temp, name string) error {
	from, err := windows.UTF16PtrFromString(temp)
	if err != nil {
		return err
	}
	to, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return err
	}
	return windows.MoveFileEx(from, to, windows.MOVEFILE_WRITE_THROUGH)
}

// syncDir does nothing: this system has no such thing, and writes renames through.
func syncDir(string) error { return nil }

// Writable tells why a file may not be written; nil: it may, as far as can be told without opening it.
func Writable(p Path) error {
	info, err := os.Stat(string(p))
	if err == nil && info.Mode()&0o200 == 0 {
		err = fs.ErrPermission
	}
	return err
}
