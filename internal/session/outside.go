package session

import (
	"context"
	"path/filepath"
	"slices"

	"acp-ls/buffers"
	"acp-ls/buffers/merge"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// What agents write behind the editor's back is found by comparing the disk with
// the before-copies of the open documents in the session's folder: at the start
// of a turn, which is where the copies come from, and at the points of it where
// something can have been written, when a tool call has ended and when the turn
// has. Neither the words of the agent nor the watching of folders is relied on.

// touched notes what a tool call names, and looks at the files when it has
// ended; mu is held.
func (s *session) touched(p ToolPatch) {
	it := s.log.tools[p.ID]
	if it == nil || p.Status == nil || !toolEnded(*p.Status) {
		return
	}
	s.core.spawn(func() { s.core.turnPoint(s) })
}

// turnStart takes the before-copies. What has changed on disk since the last
// turn is not the agent's, and documents it has left behind follow it meanwhile.
func (c *Core) turnStart(s *session) {
	if !c.settings().Review.OutOfBand {
		return
	}
	for _, f := range c.filesOf(s) {
		if err := f.takeBefore(); err != nil {
			c.log.Warn("look at file before a turn", "path", f.path, "err", err)
		}
	}
	c.spawn(func() { c.turnPoint(s) })
}

// turnPoint takes what the disk has and the open documents in a session's
// folder have not into the documents.
func (c *Core) turnPoint(s *session) {
	if !c.settings().Review.OutOfBand {
		return
	}
	for _, f := range c.filesOf(s) {
		if err := f.catchUp(c.ctx); err != nil && c.ctx.Err() == nil {
			c.log.Warn("bring document up to date", "path", f.path, "err", err)
		}
	}
}

func (c *Core) filesOf(s *session) []*file {
	roots := s.roots()
	return slices.DeleteFunc(c.allFiles(), func(f *file) bool { return !inRoots(roots, string(f.path)) })
}

// takeBefore makes the before-copy that of the disk as it is now.
func (f *file) takeBefore() error {
	f.mu.Lock()
	live, _, open := f.live()
	f.mu.Unlock()
	if !open {
		return nil
	}
	disk, err := live.at.store.Look(f.path)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.before = nil
	if err == nil && disk.Exists {
		f.keepBefore(text.New(disk.Content))
	}
	return err
}

// keepBefore takes t as what the disk has and the document has taken in; mu is
// held.
func (f *file) keepBefore(t text.Text) { f.before = &t }

// catchUp takes a disk that has moved into the document: a clean one is reloaded
// by its editor or edited, into a dirty one the change is merged.
func (f *file) catchUp(ctx context.Context) error {
	f.mu.Lock()
	live, _, open := f.live()
	f.mu.Unlock()
	if !open {
		return nil
	}
	disk, err := live.at.store.Look(f.path)
	if err != nil || !disk.Exists {
		return err
	}
	d, open := live.at.Document(live.uri)
	switch {
	case !open:
		return nil
	case d.State() == buffers.Dirty:
		return f.mergeDisk(ctx)
	case d.State() != buffers.Behind:
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
	f.mu.Lock()
	before := f.before
	f.mu.Unlock()
	o := f.whose(want, before)
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
	if err == nil {
		f.mu.Lock()
		f.keepBefore(text.New(disk.Content))
		f.mu.Unlock()
	}
	return err
}

// mergeDisk merges what has changed on disk since the before-copy into a
// document with unsaved text. Where the user has changed the same lines, theirs
// stay and the disk's are kept as a conflict.
func (f *file) mergeDisk(ctx context.Context) error {
	if err := f.lockOps(ctx); err != nil {
		return err
	}
	defer f.unlockOps()
	disk, err := buffers.ReadDisk(f.path)
	if err != nil || !disk.Exists {
		return err
	}
	now := text.New(disk.Content)
	f.mu.Lock()
	before, mirrored := f.before, f.sent != nil && f.sent.Equal(now)
	if before == nil || mirrored {
		f.keepBefore(now) // what has changed is unknown, or came through us already
	}
	f.mu.Unlock()
	if before == nil || mirrored || before.Equal(now) {
		return nil
	}
	base := before.String()
	o := f.core.attribute(f.path)
	o.Change = f.core.changeID()
	_, err = f.changeHeld(ctx, operation{
		label: "changed on disk",
		apply: func(doc *review.Doc) error {
			m := merge.TextsWith(base, doc.Text().String(), disk.Content, merge.Options{WhitespaceYields: true})
			addConflicts(doc, o, m, base, disk.Content)
			doc.AgentEdit(text.New(m.Text), o)
			return nil
		},
	})
	if err == nil {
		f.mu.Lock()
		f.keepBefore(now)
		f.mu.Unlock()
	}
	return err
}

// whose says who has put a text on the disk, where before was: what had been
// there when the turn began is not the agent's.
func (f *file) whose(now text.Text, before *text.Text) review.Origin {
	if before != nil && buffers.NormHashText(*before) == buffers.NormHashText(now) {
		return review.Origin{Author: review.AuthorUser, Sure: true}
	}
	return f.core.attribute(f.path)
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
