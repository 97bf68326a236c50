package checkpoint

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"acp-ls/buffers"
)

// ErrNoCopy is the error for a file of whose content of before there is no copy.
var ErrNoCopy = errors.New("there is no copy of it")

// ErrMoved is the error for a file that is not what it was when it was looked at.
var ErrMoved = errors.New("it has changed since it was looked at")

// ErrFull is the error for a file in whose place a folder is that is not empty.
var ErrFull = errors.New("it is a folder now, with something in it: take that away first")

// ErrElsewhere is the error for a file whose folder is behind a link now.
var ErrElsewhere = errors.New("its folder has become a link, or is in one: take that away first; it points at")

// restore makes a file that is now what it was.
func restore(path string, content []byte, was, now State) error {
	if dir, err := buffers.Resolve(filepath.Dir(path)); err != nil {
		return err
	} else if string(dir) != filepath.Dir(path) {
		return fmt.Errorf("%w: %s", ErrElsewhere, dir)
	}
	found := lookNow(path)
	if now.Opaque == Filtered && found.Exists && !found.IsNoFile() { // as Changes has it
		found = State{Exists: true, Opaque: Filtered, Exec: found.Exec, hash: found.Sum()}
	}
	if !found.Same(now) && (found.Exists || now.Opaque != Folder) { // a folder may have gone with what was in it
		return ErrMoved
	}
	if !was.Exists {
		return os.Remove(path)
	}
	if found.Opaque == Folder {
		if os.Remove(path) != nil {
			return ErrFull
		}
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	temp := filepath.Join(dir, buffers.TempName(".tmp"))
	if was.IsNoFile() {
		return restoreNoFile(path, temp, was, found)
	}
	mode := os.FileMode(0o666)
	if was.Exec {
		mode = 0o777
	}
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if info, statErr := os.Lstat(path); err == nil && statErr == nil && info.Mode().IsRegular() {
		err = f.Chmod(execMode(info.Mode().Perm(), was.Exec && !was.anyMode || was.anyMode && now.Exec))
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		_ = os.Remove(temp)
	}
	return err
}

// restoreNoFile puts a link, or an empty folder, in the place of a file, which temp is
// a free name beside.
func restoreNoFile(path, temp string, was, found State) error {
	switch {
	case was.Opaque == Link:
		if err := os.Symlink(was.Target, temp); err != nil {
			return err
		}
		err := os.Rename(temp, path)
		if err != nil {
			_ = os.Remove(temp)
		}
		return err
	case found.Exists && found.Opaque != Folder:
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return os.MkdirAll(path, 0o777)
}

// SetExec makes a file one that may be run, by those who may read it, or not.
func SetExec(p buffers.Path, exec bool) error {
	info, err := os.Lstat(string(p))
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: %w", p, buffers.ErrNotRegular)
	}
	return os.Chmod(string(p), execMode(info.Mode().Perm(), exec))
}

func execMode(perm os.FileMode, exec bool) os.FileMode {
	if exec {
		return perm | perm&0o444>>2
	}
	return perm &^ 0o111
}
