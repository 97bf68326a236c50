package session

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
)

// A file that nobody has open, with something undecided, may get another name in a shell while no turn
// runs. It is looked for beside its old name, and in the folders that have changed with it.

// longestMark is how many bytes more than its text a file can have: those of a byte order mark.
const longestMark = 3

// followMoved has what was tracked of a file that is gone go along to its new name, if that is found;
// folders (absolute paths) have changed on disk with it.
func (c *Core) followMoved(ctx context.Context, f *file, folders []string) {
	f.mu.Lock()
	var had text.Text
	if doc := f.parked; doc != nil && doc.Tracking() && len(f.open) == 0 {
		had = doc.Text()
	}
	f.mu.Unlock()
	if had.Len() == 0 || isThere(f.path) {
		return
	}
	var found []buffers.Path
	for _, folder := range uniqueFolders(append([]string{filepath.Dir(string(f.path))}, folders...)) {
		found = append(found, c.filesWith(folder, had)...)
	}
	if len(found) != 1 { // of several nobody knows which it is
		return
	}
	if err := c.renamedByUser(ctx, f, c.file(found[0])); err != nil && ctx.Err() == nil {
		c.log.Warn("follow a file that was renamed", "path", f.path, "err", err)
	}
}

func uniqueFolders(folders []string) []string {
	slices.Sort(folders)
	return slices.Compact(folders)
}

// filesWith are the files of a folder that have a text, and of which nothing is tracked.
func (c *Core) filesWith(folder string, t text.Text) []buffers.Path {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	var with []buffers.Path
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || buffers.IsTemp(e.Name()) {
			continue
		}
		if more := info.Size() - int64(t.Len()); more < 0 || more > longestMark {
			continue
		}
		p := buffers.Path(filepath.Join(folder, e.Name()))
		disk, err := buffers.ReadDisk(p)
		if err == nil && disk.Exists && text.New(disk.Content).Equal(t) && !c.file(p).isTracked() {
			with = append(with, p)
		}
	}
	return with
}

// isTracked tells that something is undecided in the file.
func (f *file) isTracked() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.doc != nil && f.doc.Tracking() || f.fileChange() != nil
}
