package journal

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// tryLock locks f until it is let go of with unlock, or the process ends. It reports whether nobody else has.
func tryLock(f *os.File) (bool, error) {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return false, nil
	}
	return false, err
}

// unlock unlocks what tryLock has locked, and closes it.
func unlock(f *os.File) error {
	err := windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, new(windows.Overlapped))
	return errors.Join(err, f.Close())
}

// syncDir does nothing: this system has no such thing.
func syncDir(string) error { return nil }
