package session

import (
	"path/filepath"
	"slices"
	"strings"

	"acp-ls/buffers"
	"acp-ls/buffers/watch"
	"acp-ls/internal/review"
)

// While a turn runs, the folders of open documents and of the files its tool
// calls name are watched, so that a document follows the disk before the tool
// call has ended. What is missed is found at the turn's points. Between turns the
// folders of files with something undecided are watched, which nobody has open.

// watchFolder watches the folder of a file, or what there is of it, if folders can be
// watched here.
func (c *Core) watchFolder(path string) {
	if w := c.folders(); w != nil {
		w.Add(existing(filepath.Dir(path)))
	}
}

// existing is a folder or, if that is not there, the innermost one around it that is.
func existing(folder string) string {
	for !isThere(buffers.Path(folder)) && filepath.Dir(folder) != folder {
		folder = filepath.Dir(folder)
	}
	return folder
}

func (c *Core) folders() *watch.Watcher {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.watcher == nil && !c.closed && !c.unwatched {
		w, err := watch.New(watch.Options{
			Changed: c.foldersChanged,
			Ignore:  func(name string) bool { return strings.HasPrefix(name, buffers.TempPrefix) },
			Error:   func(err error) { c.log.Debug("watch folders", "err", err) },
		})
		if err != nil {
			c.log.Info("folders cannot be watched; changes are found when a tool call ends", "err", err)
			c.unwatched = true
			return nil
		}
		c.watcher = w
	}
	return c.watcher
}

// FoldersChanged takes an editor's word that files in folders (absolute paths) may have
// changed on disk: what would be looked at later is looked at now. It does not wait.
func (a *Attachment) FoldersChanged(folders []string) {
	c := a.core
	c.spawn(func() {
		for i, folder := range folders {
			if p, err := buffers.Resolve(folder); err == nil {
				folders[i] = string(p)
			}
		}
		c.foldersChanged(folders)
	})
}

// foldersChanged brings open documents in folders up to date while a turn runs
// in them; without one, their editor sees to it. Files that nobody has open follow
// what the user does to them between turns.
func (c *Core) foldersChanged(folders []string) {
	c.gitStirred(folders)
	for _, f := range c.allFiles() {
		dir := filepath.Dir(string(f.path))
		if !slices.ContainsFunc(folders, func(folder string) bool { return inRoots([]string{folder}, dir) }) {
			continue
		}
		// What comes to the disk when other turns run, or none any more, is somebody else's:
		// the agent's, or the user's, who may have saved.
		turns := c.turnsAt(f.path)
		over := func() bool { return c.turnsAt(f.path) != turns }
		running := c.running(f.path)
		if !running && f.followsDisk() {
			c.spawn(func() {
				c.watchFolder(string(f.path))   // it may have come with its folder
				c.endRenameBy(c.ctx, f, byUser) // the user may have given it its old name again
				f.followUnopened(review.AuthorUser, over)
				if !over() {
					c.followMoved(c.ctx, f, folders)
				}
			})
		}
		if !running || !slices.Contains(folders, dir) {
			continue
		}
		c.spawn(func() {
			if err := f.catchUpUnless(c.ctx, f.whose, over); err != nil && c.ctx.Err() == nil {
				c.log.Warn("bring document up to date", "path", f.path, "err", err)
			}
		})
	}
}

// followsDisk tells that the file has something to decide on, or that may come back,
// and that no editor has it open.
func (f *file) followsDisk() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.open) == 0 && f.doc != nil && (f.doc.Tracking() || f.fileChange() != nil)
}
