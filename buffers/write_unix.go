//go:build unix

package buffers

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

var errNotDir error = syscall.ENOTDIR

func openShared(name string) (*os.File, error) { return os.Open(name) }

// manyLinks reports whether the file has another name, which a replacement would leave with the old content.
func manyLinks(f *os.File) bool {
	info, err := f.Stat()
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink > 1
}

// copyAttributes gives the owner, the extended attributes (access lists are among them) and the mode of like to f.
func copyAttributes(f, like *os.File) error {
	info, err := like.Stat()
	if err != nil {
		return err
	}
	own, err := f.Stat()
	if err != nil {
		return err
	}
	want, have := info.Sys().(*syscall.Stat_t), own.Sys().(*syscall.Stat_t)
	if want.Uid != have.Uid || want.Gid != have.Gid {
		if f.Chown(int(want.Uid), int(want.Gid)) != nil {
			return errInPlace
		}
	}
	copyXattrs(f, like)
	// Last, because a new owner and a new access list change the mode.
	return f.Chmod(info.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky))
}

// replace renames temp to name and returns what old, the file of that name until now, holds after that.
func replace(temp, name string, old *os.File) (was string, err error) {
	if err := os.Rename(temp, name); err != nil {
		return "", err
	}
	content, err := io.ReadAll(io.NewSectionReader(old, 0, MaxFileSize))
	if err != nil {
		return "", fmt.Errorf("written, but not known whether another program wrote at the same moment: %w", bare(err))
	}
	return string(content), nil
}

// needsInPlace reports whether a replacement failed for a reason that does not forbid to write the file itself: the
// folder is not writable or belongs to others, or the file is a mount point.
func needsInPlace(err error) bool {
	return errors.Is(err, errInPlace) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EBUSY) || errors.Is(err, syscall.EXDEV)
}

// moveNew renames temp to name unless a file of that name exists.
func moveNew(temp, name string) error {
	err := os.Link(temp, name)
	if err == nil {
		os.Remove(temp) // or it stays behind: the file itself is in place
		return nil
	}
	if errors.Is(err, fs.ErrExist) {
		return err
	}
	// No hard links on this file system: reserve the name, then replace what was reserved.
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	f.Close()
	return os.Rename(temp, name)
}

// syncDir makes a rename in dir durable.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return nil // not allowed to read the folder: the rename stands, only when it reaches the disk is open
	}
	defer f.Close()
	if err := f.Sync(); err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOTSUP) {
		return err
	}
	return nil
}
