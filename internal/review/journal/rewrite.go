package journal

import (
	"errors"
	"io"
	"os"
)

// rewrite puts in the place of a file one that create makes, as tmp, and that has only these
// frames of it, behind what create has written. It is synced, its folder is not. The old file is closed.
// It returns the new one, where each frame is now, and the size. With an error the file is the
// old one, open and as it was, or nil if it cannot be opened any more.
func rewrite(old *os.File, name, tmp string, create func(string) (*os.File, error), frames []place) (f *os.File, to map[place]place, size int64, err error) {
	os.Remove(tmp) // of a process that had our number
	if to, size, err = copyFrames(old, tmp, create, frames); err != nil {
		return old, nil, 0, err
	}
	old.Close() // an open file is not replaced everywhere
	if err = os.Rename(tmp, name); err != nil {
		os.Remove(tmp)
	}
	f, again := os.OpenFile(name, os.O_RDWR, 0o600)
	if again != nil {
		return nil, nil, 0, errors.Join(err, again)
	}
	return f, to, size, err
}

// copyFrames is the first half of rewrite. Nothing is left of a file that it cannot make.
func copyFrames(from io.ReaderAt, name string, create func(string) (*os.File, error), frames []place) (to map[place]place, size int64, err error) {
	f, err := create(name)
	if err != nil {
		return nil, 0, err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil { // an open file is not renamed everywhere
			os.Remove(name)
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	size, to = info.Size(), map[place]place{}
	for _, p := range frames {
		b := make([]byte, p.n)
		if _, err := from.ReadAt(b, p.at); err != nil {
			return nil, 0, err
		}
		if _, err := f.WriteAt(b, size); err != nil {
			return nil, 0, err
		}
		to[p] = place{size, p.n}
		size += p.n
	}
	return to, size, f.Sync()
}
