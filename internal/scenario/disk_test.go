package scenario

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

func (w *world) read(name string) ([]byte, error) { return os.ReadFile(w.path(name)) }

func (w *world) moveFile(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(w.path(to)), 0o755); err != nil {
		return err
	}
	return os.Rename(w.path(from), w.path(to))
}

func init() {
	register(map[string]func(*world, *args) ([]string, error){
		// disk says what a file has.
		"disk": func(w *world, a *args) ([]string, error) {
			data, err := w.read(a.take("a path"))
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return []string{"(no file)"}, nil
			case err != nil:
				return nil, err
			}
			return rows(string(data)), nil
		},
		// write is somebody who writes a file: the agent behind our back, or anybody.
		"write": func(w *world, a *args) ([]string, error) {
			path := w.path(a.take("a path"))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return nil, err
			}
			if err := os.WriteFile(path, []byte(a.text()), 0o644); err != nil {
				return nil, err
			}
			// However coarse the clock of the file system is, this is another time.
			later := time.Now().Add(time.Duration(w.writes.Add(1)) * time.Second)
			return nil, os.Chtimes(path, later, later)
		},
		"remove": func(w *world, a *args) ([]string, error) { return nil, os.Remove(w.path(a.take("a path"))) },
		"mkdir":  func(w *world, a *args) ([]string, error) { return nil, os.MkdirAll(w.path(a.take("a path")), 0o755) },
		"chmod": func(w *world, a *args) ([]string, error) {
			path := w.path(a.take("a path"))
			mode, err := strconv.ParseUint(a.take("a mode"), 8, 32)
			return nil, errors.Join(err, os.Chmod(path, fs.FileMode(mode)))
		},
		"link": func(w *world, a *args) ([]string, error) {
			name, to := a.take("a path"), a.take("what it points at")
			return nil, os.Symlink(strings.ReplaceAll(filepath.FromSlash(to), "$ROOT", w.root), w.path(name))
		},
		// stat says what kind of file something is.
		"stat": func(w *world, a *args) ([]string, error) {
			path := w.path(a.take("a path"))
			st, err := os.Lstat(path)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return []string{"(no file)"}, nil
			case err != nil:
				return nil, err
			case st.Mode()&fs.ModeSymlink != 0:
				to, err := os.Readlink(path)
				return []string{"link to " + w.shorten(to)}, err
			case st.IsDir():
				entries, err := os.ReadDir(path)
				var names []string
				for _, e := range entries {
					names = append(names, e.Name())
				}
				return []string{"folder of " + strings.Join(names, " ")}, err
			}
			return []string{fmt.Sprintf("file %#o", st.Mode().Perm())}, nil
		},
	})
}
