package checkpoint

import (
	"context"
	"path/filepath"
	"strings"

	"acp-ls/buffers"
)

// Covers reports whether the checkpoint knows of every file at p, so that one which Before
// does not have was not there: not in a folder that is left out or cut short, and not
// where git ignores it.
func (c *Checkpoint) Covers(ctx context.Context, p buffers.Path) (bool, error) {
	if c.copied(string(p)) != nil {
		return true, nil
	}
	if c.unknown(string(p)) {
		return false, nil
	}
	rel, err := filepath.Rel(c.root, string(p))
	if err != nil || c.src == nil || c.cut || !filepath.IsLocal(rel) || c.opt.skips(string(p)) {
		return false, nil
	}
	folders := strings.Split(filepath.ToSlash(filepath.Dir(rel)), "/")
	_, walked := c.src.(*walk)
	for _, name := range folders {
		if name == ".git" || walked && skipped[name] {
			return false, nil
		}
	}
	ignored, err := Ignored(ctx, p)
	return err == nil && !ignored, err
}
