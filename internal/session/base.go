package session

import (
	"context"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
)

// What the disk has can come into a document by an edit alone, where the editor was not given the
// disk's state with it: its user typed just then, each time. Saving the document would be a conflict
// with what is in it. It is tried on until the user pauses, also after the turn.

// giveBase has the editor make the disk's state the base of a document into which what the disk has
// has come by an edit, unless that failed. If the editor does not, that is noted.
func (f *file) giveBase(ctx context.Context, disk buffers.Disk, err error) {
	if err != nil {
		return
	}
	now, based := text.New(disk.Content), f.base(ctx, disk)
	f.mu.Lock()
	defer f.mu.Unlock()
	if based {
		if f.unadopted != nil && f.unadopted.Equal(now) {
			f.unadopted = nil
		}
		return
	}
	f.unadopted = &now
	if live, _, open := f.live(); open && !f.basing && takesBase(live) {
		f.basing = true
		f.core.spawn(func() { f.giveBaseOn(f.core.ctx) })
	}
}

// takesBase tells that an editor can be given the disk's state with a document, or for one.
func takesBase(live openDoc) bool {
	return live.at.editor.Can("adopt") || live.at.editor.Can("base")
}

// baseTries is how often an editor is given the disk's state that does not take it: a minute.
const baseTries = 18

// giveBaseOn tries until the editor knows the disk's state, or need not know it.
func (f *file) giveBaseOn(ctx context.Context) {
	for try := 1; ; try++ {
		ended := try > baseTries || pause(ctx, min(quietFor<<try, longestBehind)) != nil
		f.mu.Lock()
		tried := f.unadopted
		f.mu.Unlock()
		if !ended {
			done, err := f.giveBaseAgain(ctx)
			if ended = err != nil; !done && !ended {
				continue
			}
		}
		f.mu.Lock()
		if ended || f.unadopted == nil || f.unadopted == tried {
			f.basing = false
			f.mu.Unlock()
			return
		}
		f.mu.Unlock()
		try = 0 // another state has come into the document meanwhile
	}
}

// giveBaseAgain is giveBase for what an editor has not taken. done: there is no more to do.
func (f *file) giveBaseAgain(ctx context.Context) (done bool, err error) {
	if err := f.lockOps(ctx); err != nil {
		return false, err
	}
	defer f.unlockOps()
	f.mu.Lock()
	live, d, open := f.live()
	now, saves := f.unadopted, f.saves
	f.mu.Unlock()
	if now == nil || !open || clean(d) || !takesBase(live) {
		return true, nil
	}
	disk, err := live.at.store.Look(f.path)
	if err != nil || !disk.Exists || !now.Equal(text.New(disk.Content)) {
		return true, nil // another state is taken in by itself
	}
	known, err := f.adoptSameHeld(ctx, disk, saves)
	if err == nil && !known {
		known = f.base(ctx, disk)
	}
	if known {
		f.mu.Lock()
		f.unadopted = nil
		f.mu.Unlock()
	}
	return known, err
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
