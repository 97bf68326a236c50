package session

import (
	"context"
	"path/filepath"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// What agents write behind the editor's back is found by comparing, at the
// points of a turn where something can have been written: when a tool call has
// ended and when the turn has. Looked at are the open documents in the
// session's folder and the files its tool calls have named.

// touched notes what a tool call names, and looks at the files when it has
// ended; mu is held.
func (s *session) touched(p ToolPatch) {
	it := s.log.tools[p.ID]
	if it == nil || p.Status == nil || !toolEnded(*p.Status) {
		return
	}
	s.core.spawn(func() { s.core.turnPoint(s) })
}

// turnPoint compares the open documents in a session's folder with the disk. A
// clean one that the disk has left behind is brought up to date, and what
// differs is the agent's.
func (c *Core) turnPoint(s *session) {
	if !c.settings().Review.OutOfBand {
		return
	}
	for _, f := range c.allFiles() {
		if !inRoots(s.roots(), string(f.path)) {
			continue
		}
		if err := f.catchUp(c.ctx); err != nil && c.ctx.Err() == nil {
			c.log.Warn("bring document up to date", "path", f.path, "err", err)
		}
	}
}

// catchUp brings a clean document up to a disk that has moved: by asking the
// editor to reload it, else by an edit.
func (f *file) catchUp(ctx context.Context) error {
	f.mu.Lock()
	live, d, open := f.live()
	f.mu.Unlock()
	if !open || d.State() == buffers.Dirty {
		return nil
	}
	disk, err := live.at.store.Look(f.path)
	if err != nil || !disk.Exists {
		return err
	}
	if d, open = live.at.Document(live.uri); !open || d.State() != buffers.Behind {
		return nil
	}
	if err := f.lockOps(ctx); err != nil {
		return err
	}
	reloaded, err := false, ErrUnsupported
	if live.at.editor.Can("reload") {
		reloaded, err = live.at.editor.Reload(ctx, live.uri)
	}
	f.unlockOps()
	if err == nil && reloaded {
		return nil // the reload arrives as what it is and is classified then
	}
	want := text.New(buffers.KeepStyle(d.Text.String(), disk.Content))
	o := f.core.attribute(f.path)
	o.Change = f.core.changeID()
	_, err = f.change(ctx, operation{
		label: "changed on disk",
		apply: func(doc *review.Doc) error {
			if !doc.Text().Equal(d.Text) {
				return nil // the user has gone on: the document is dirty now
			}
			if o.Author == review.AuthorAgent || o.Author == review.AuthorDisk {
				doc.AgentEdit(want, o)
			} else {
				doc.Reload(want, o)
			}
			return nil
		},
	})
	return err
}

// sameFile compares a path an agent named with a file's.
func sameFile(named string, p buffers.Path) bool {
	if named == string(p) {
		return true
	}
	if !filepath.IsAbs(named) {
		return false
	}
	r, err := buffers.Resolve(named)
	return err == nil && r == p
}
