//go:build unix

package proc

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

var errNotRunnable = errors.New("not an executable file")

// executable returns path if it can be run.
func executable(path string, _ []string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", err
	case info.IsDir() || info.Mode()&0o111 == 0:
		return "", errNotRunnable
	case unix.Access(path, unix.X_OK) != nil:
		return "", errNotRunnable
	}
	return path, nil
}
