//go:build unix && !linux && !darwin

package buffers

import "golang.org/x/sys/unix"

// exchange says that this system cannot swap two files in one step.
func exchange(a, b string) error { return unix.ENOSYS }

// renameNew says that this system cannot do that in one step.
func renameNew(from, to string) error { return unix.ENOSYS }
