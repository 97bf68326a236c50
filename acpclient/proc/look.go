package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// NotFoundError says that there is no program of a name. It is an
// [exec.ErrNotFound].
type NotFoundError struct {
	Command string
	Path    string // the PATH that was searched; "" if Command is a path itself
	Err     error  // what is wrong with the file, if there is one
}

// Error says what to do.
func (e *NotFoundError) Error() string {
	why := ""
	if e.Err != nil && !errors.Is(e.Err, fs.ErrNotExist) {
		why = " (" + e.Err.Error() + ")"
	}
	if e.Path == "" {
		return fmt.Sprintf("command %q not found%s: install it, or correct its path in the settings", e.Command, why)
	}
	return fmt.Sprintf("command %q not found in the PATH%s: install it, or give its full path in the settings", e.Command, why)
}

// Unwrap returns [exec.ErrNotFound].
func (e *NotFoundError) Unwrap() error { return exec.ErrNotFound }

// Find returns the absolute path of the program c names: a path is taken
// relative to Dir, a name is looked up in the PATH of the command's own
// environment. Entries of PATH that are not absolute are passed over. The error
// is a [*NotFoundError].
func (c *Command) Find() (string, error) {
	return c.find(c.environment())
}

func (c *Command) find(env []string) (string, error) {
	if c.Path == "" {
		return "", &NotFoundError{Command: c.Path, Err: errors.New("the command is empty")}
	}
	if hasSeparator(c.Path) {
		path := c.Path
		if !filepath.IsAbs(path) {
			path = filepath.Join(c.Dir, path)
		}
		path, err := filepath.Abs(path)
		if err == nil {
			path, err = executable(path, env)
		}
		if err != nil {
			return "", &NotFoundError{Command: c.Path, Err: err}
		}
		return path, nil
	}
	search := lookupEnv(env, "PATH")
	var found error // the best reason why there is none
	for _, dir := range filepath.SplitList(search) {
		if !filepath.IsAbs(dir) {
			continue
		}
		path, err := executable(filepath.Join(dir, c.Path), env)
		if err == nil {
			return path, nil
		}
		if found == nil && !errors.Is(err, fs.ErrNotExist) {
			found = err
		}
	}
	return "", &NotFoundError{Command: c.Path, Path: search, Err: found}
}

func hasSeparator(path string) bool {
	return strings.ContainsRune(path, '/') || strings.ContainsRune(path, filepath.Separator)
}

// checkDir makes the error of a missing working directory tell itself from that
// of a missing program.
func checkDir(dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("working directory: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("working directory %s: not a directory", dir)
	}
	return nil
}
