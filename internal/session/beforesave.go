package session

import (
	"context"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
)

// An editor that writes over a file which has changed on disk asks its user first, or refuses.
// What an agent has written there is about to come into the document then, by acp/adopt, which
// takes a moment: an editor that sees the disk to have moved can have it come before it writes.

// BeforeSave brings a document up to date with the disk before its editor writes over that. It
// reports whether all that the disk has now is in the document, or in conflict with it, though
// the editor was not given the two together: it may take the disk for known then, and keep the
// document as it is. Without a running turn the disk is between the editor and its user.
func (a *Attachment) BeforeSave(ctx context.Context, uri string) (bool, error) {
	c := a.core
	d, open := a.Document(uri)
	if !open || d.Path() == "" || !c.settings().Review.OutOfBand || !c.running(d.Path()) {
		return false, nil
	}
	f, turns := c.file(d.Path()), c.turnsAt(d.Path())
	if err := unlessBehind(f.catchUpUnless(ctx, f.whose, func() bool { return c.turnsAt(f.path) != turns })); err != nil {
		return false, err
	}
	disk, err := a.store.Look(f.path)
	if err != nil || !disk.Exists {
		return false, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.unadopted != nil && f.unadopted.Equal(text.New(disk.Content)), nil
}

// adoptTries is how often a document is given what the disk has, if somebody types just then.
const adoptTries = 3

// adoptOrChangeHeld brings what the disk has into a document, if that can be together with the
// disk's state: somebody may type just then. ops is held.
func (f *file) adoptOrChangeHeld(ctx context.Context, disk buffers.Disk, take operation) error {
	for range adoptTries {
		f.mu.Lock()
		live, d, open := f.live()
		f.mu.Unlock()
		if adopted, err := f.adopt(ctx, disk, take); err != nil || adopted {
			return err
		}
		if !open || !live.at.editor.Can("adopt") {
			break
		}
		if now, open := live.at.Document(live.uri); !open || now == d {
			break // nobody has typed: it is refused for another reason
		}
	}
	_, err := f.changeHeld(ctx, take)
	f.giveBase(ctx, disk, err)
	return err
}

// giveBase has the editor make the disk's state the base of a document into which what the disk has
// has come by an edit, unless that failed. If the editor does not, that is noted.
func (f *file) giveBase(ctx context.Context, disk buffers.Disk, err error) {
	if err != nil || f.base(ctx, disk) {
		return
	}
	now := text.New(disk.Content)
	f.mu.Lock()
	f.unadopted = &now
	f.mu.Unlock()
}

// base tells the editor that a document contains all that the disk has, and reports whether saving
// the document is no conflict therefore.
func (f *file) base(ctx context.Context, disk buffers.Disk) bool {
	live, d, open := f.lockFollowed()
	f.mu.Unlock()
	if !open || !live.at.editor.Can("base") {
		return false
	}
	based, err := live.at.editor.Base(ctx, live.uri, d.Version, disk.Content)
	if err != nil || !based {
		return false
	}
	live.at.store.Adopted(d, text.New(disk.Content))
	return true
}
