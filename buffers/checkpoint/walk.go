package checkpoint

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"

	"acp-ls/buffers"
)

// walk is a folder without git: every file in it is a candidate.
type walk struct {
	root string
	opt  Options
}

// newWalk says why a folder is not walked: it is too much like everything.
func newWalk(root string, opt Options) (w *walk, why string) {
	w = &walk{root: root, opt: opt}
	if Everything(root) {
		return nil, root + " is no project: changes in it are seen in open files only"
	}
	return w, ""
}

// Everything reports whether a folder, links resolved, is no project, but holds whatever
// the user and all of their programs write: their home folder, one of its parents, or the
// root of a file system.
func Everything(folder string) bool {
	if filepath.Dir(folder) == folder {
		return true
	}
	home, err := os.UserHomeDir()
	return err == nil && home != "" && (within(home, folder) || within(resolved(home), folder))
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
			if p != w.root && skipped[d.Name()] || w.opt.skips(p) {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular() && d.Type()&fs.ModeSymlink == 0, buffers.IsTemp(p):
			return nil
		case len(paths) >= w.opt.MaxFiles:
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
