package session

import (
	"context"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
)

// An editor that writes over a file which has changed on disk asks its user first, or refuses.
// What an agent has written there is about to come into the document then, by acp/adopt, which
// takes a moment: an editor that sees the disk to have moved can have it come before it writes.

// toWrite is how long an editor that is about to write a document waits at most.
const toWrite = 2 * time.Second

// BeforeSave brings a document up to date with the disk before its editor writes over that. It
// reports whether all that the disk has now is in the document, or in conflict with it, though
// the editor was not given the two together: it may take the disk for known then, and keep the
// document as it is. What comes to the disk without a running turn is between the editor and its
// user.
func (a *Attachment) BeforeSave(ctx context.Context, uri string) (bool, error) {
	c := a.core
	d, open := a.Document(uri)
	if !open || d.Path() == "" || !c.settings().Review.OutOfBand {
		return false, nil
	}
	f := c.file(d.Path())
	// The agent may write on meanwhile; what its turn has left behind is brought in after that.
	for began := time.Now(); c.running(f.path) || f.unbrought.Load() != nil; {
		turns := c.turnsAt(f.path)
		over := func() bool { return c.turnsAt(f.path) != turns }
		if err := unlessBehind(f.catchUpUnless(ctx, f.whose, over)); err != nil {
			return false, err
		}
		if took, _, err := f.tookDisk(a.store); err != nil || took || time.Since(began) >= toWrite {
			break
		}
		if err := pause(ctx, quietFor); err != nil { // or its turn has just ended, which takes in what is left
			return false, err
		}
	}
	_, alone, err := f.tookDisk(a.store)
	return alone, err
}

// tookDisk reports whether all that the disk has now is in the document, or in conflict with it,
// and whether it came there by an edit alone.
func (f *file) tookDisk(store *buffers.Store) (took, alone bool, err error) {
	disk, err := store.Look(f.path)
	if err != nil || !disk.Exists {
		return true, false, err
	}
	now := text.New(disk.Content)
	f.mu.Lock()
	defer f.mu.Unlock()
	alone = f.unadopted != nil && f.unadopted.Equal(now)
	return alone || f.before != nil && f.before.Equal(now), alone, nil
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
	take.alone = true
	_, err := f.changeHeld(ctx, take)
	f.giveBase(ctx, disk, err)
	return err
}
