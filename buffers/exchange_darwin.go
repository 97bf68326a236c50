package buffers

import "golang.org/x/sys/unix"

// exchange swaps two files in one step.
func exchange(a, b string) error { return unix.RenamexNp(a, b, unix.RENAME_SWAP) }

// renameNew renames a file in one step, unless there is one of the new name.
func renameNew(from, to string) error { return unix.RenamexNp(from, to, unix.RENAME_EXCL) }
