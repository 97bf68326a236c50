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

// replace puts temp in the place of name and returns what the file that stood there holds after that. That is the file
// old unless another program has replaced it meanwhile.
func replace(temp, name string, old *os.File) (was string, err error) {
	// With an exchange there is no doubt about which file was replaced: it is temp now.
	switch err := exchange(temp, name); {
	case err == nil:
		defer os.Remove(temp)
		info, err := os.Lstat(temp)
		if err == nil && !info.Mode().IsRegular() {
			err = fmt.Errorf("%w: mode %v", ErrNotRegular, info.Mode())
			if back := exchange(temp, name); back != nil {
				err = fmt.Errorf("%w; and it could not be put back: %v", err, back)
			}
			return "", err
		}
		if err != nil {
			return "", notVerified(err)
		}
		content, err := os.ReadFile(temp)
		if err != nil {
			return "", notVerified(err)
		}
		return string(content), nil
	case !noExchange(err):
		return "", err
	}
	now, err := os.Lstat(name)
	if err != nil {
		return "", err
	}
	if info, err := old.Stat(); err != nil || !os.SameFile(info, now) {
		return "", errReplaced
	}
	if err := os.Rename(temp, name); err != nil {
		return "", err
	}
	content, err := io.ReadAll(io.NewSectionReader(old, 0, MaxFileSize))
	if err != nil {
		return "", notVerified(err)
	}
	return string(content), nil
}

// noExchange reports whether err says that the file system does not know how to exchange two files, or how to rename one
// only to a name that is free.
func noExchange(err error) bool {
	return errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EOPNOTSUPP)
}

func notVerified(err error) error {
	return fmt.Errorf("written, but not known whether another program wrote at the same moment: %w", bare(err))
}

// needsInPlace reports whether a replacement failed for a reason that does not forbid to write the file itself: the
// folder is not writable or belongs to others, or the file is a mount point.
func needsInPlace(err error) bool {
	return errors.Is(err, errInPlace) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EBUSY) || errors.Is(err, syscall.EXDEV)
}

// moveNew renames temp to name unless a file of that name exists.
func moveNew(temp, name string) error {
	err := renameNew(temp, name)
	if err == nil || !noExchange(err) {
		return err
	}
	err = os.Link(temp, name)
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

// Writable tells why a file may not be written; nil: it may. The file is not opened, which others might hear of.
func Writable(p Path) error { return unix.Access(string(p), unix.W_OK) }
