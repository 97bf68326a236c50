package checkpoint

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
)

// walk is a folder without git: every file in it is a candidate.
type walk struct {
	root string
	max  int
}

// newWalk says why a folder is not walked: it is too much like everything.
func newWalk(root string, limit int) (w *walk, why string) {
	w = &walk{root: root, max: limit}
	if isHome(root) || filepath.Dir(root) == root {
		return nil, root + " is no project: changes in it are seen in open files only"
	}
	return w, ""
}

func isHome(folder string) bool {
	home, err := os.UserHomeDir()
	return err == nil && (folder == home || folder == resolved(home))
}

// skipped folders hold what programs made, and other programs' records.
var skipped = map[string]bool{".git": true, ".hg": true, ".svn": true, "node_modules": true, ".venv": true, "__pycache__": true}

func (w *walk) candidates(ctx context.Context) ([]string, error) {
	paths, _, err := w.list(ctx)
	return paths, err
}

// list names the first files of the folder; cut says that there are more.
func (w *walk) list(ctx context.Context) (paths []string, cut bool, err error) {
	err = filepath.WalkDir(w.root, func(p string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			if p != w.root && skipped[d.Name()] {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular() && d.Type()&fs.ModeSymlink == 0:
			return nil
		case len(paths) >= w.max:
			cut = true
			return fs.SkipAll
		}
		paths = append(paths, p)
		return nil
	})
	return paths, cut, err
}

// before: what is not among the copies was not there.
func (w *walk) before(context.Context, []string) (map[string]State, error) { return nil, nil }
