package session

import (
	"path/filepath"
	"slices"
	"strings"

	"acp-ls/buffers"
	"acp-ls/buffers/watch"
)

// While a turn runs, the folders of open documents and of the files its tool
// calls name are watched, so that a document follows the disk before the tool
// call has ended. What is missed is found at the turn's points.

// watchFolder watches the folder of a file, if folders can be watched here.
func (c *Core) watchFolder(path string) {
	if w := c.folders(); w != nil {
		w.Add(filepath.Dir(path))
	}
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

// foldersChanged brings open documents in folders up to date while a turn runs
// in them. Without one, the editor sees to it.
func (c *Core) foldersChanged(folders []string) {
	c.gitStirred(folders)
	for _, f := range c.allFiles() {
		if !slices.Contains(folders, filepath.Dir(string(f.path))) {
			continue
		}
		if !c.running(f.path) {
			continue
		}
		c.spawn(func() {
			if err := f.catchUp(c.ctx); err != nil && c.ctx.Err() == nil {
				c.log.Warn("bring document up to date", "path", f.path, "err", err)
			}
		})
	}
}
