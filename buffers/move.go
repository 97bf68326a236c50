package buffers

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// MoveFile gives a file another name, with whatever belongs to it, and makes missing folders. It fails with an error that
// wraps fs.ErrExist if there is a file of that name.
func MoveFile(from, to Path) error {
	if err := moveFile(string(from), string(to)); err != nil {
		return fmt.Errorf("move %s to %s: %w", from, to, err)
	}
	return nil
}

func moveFile(from, to string) error {
	if _, err := statRegular(from); err != nil {
		return err
	}
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(fs.ErrExist, err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return bare(err)
	}
	if err := moveNew(from, to); err != nil {
		return bare(err)
	}
	return errors.Join(syncDir(filepath.Dir(to)), syncDir(filepath.Dir(from)))
}
