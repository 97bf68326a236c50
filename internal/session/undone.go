package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// What an agent did to a file as a whole, and was rejected, can be brought back like a
// hunk (rule 10), as far as the file is still what the rejection made of it. What was in
// a file that is no text is kept for that, within limits; who rejects is told if it is not.

// undone is what was rejected of a file as a whole.
type undone struct {
	change   FileChange
	entire   entire
	opaque   checkpoint.Opaque
	opaqueOp string

	agents  checkpoint.Copy  // of a file that is no text: what the agent had made of it
	rested  checkpoint.State // what the rejection has made of the file
	renamed *move            // that was taken back
	emptied bool             // an empty file was deleted, and is there again
}

// maxUndone bounds what is kept of rejected contents that are no text, in bytes.
const maxUndone = 64 << 20

// keepUndone makes u what can be brought back of the file; mu is not held.
func (f *file) keepUndone(u *undone) {
	if n := len(u.agents.Content); n > 0 {
		for _, o := range f.core.allFiles() {
			o.mu.Lock()
			if o != f && o.undone != nil {
				n += len(o.undone.agents.Content)
			}
			o.mu.Unlock()
		}
		if n > maxUndone {
			u.agents = u.agents.WithoutContent()
		}
	}
	if !u.agents.Kept() {
		f.core.tellOf(LevelWarning, "The agent's text of %s is gone for good: acp-ls has no room for a copy. The file is what it was", string(f.path))
		u = nil
	}
	f.mu.Lock()
	f.undone, f.kept.rested = u, time.Time{}
	f.mu.Unlock()
}

// rejectedChange is what can be brought back of the file as a whole, but for what its
// rows, or refusedChange, say; mu is held.
func (f *file) rejectedChange() *FileChange {
	if f.undone == nil || f.fileChange() != nil {
		return nil
	}
	c := f.undone.change
	c.State = string(review.StateRejected)
	return f.core.rejections.ofFile(c)
}

// restoreWholes brings back what is meant of files as a whole.
func (c *Core) restoreWholes(ctx context.Context, d Decide, only buffers.Path, out *Decision) {
	for _, f := range c.allFiles() {
		f.mu.Lock()
		change := f.rejectedChange()
		meant := change != nil && slices.Contains(d.Hunks, change.ID)
		if change != nil && len(d.Hunks) == 0 {
			by := f.undone.entire.by
			meant = (only == "" || f.path == only) && (d.Session == "" || by.Session == d.Session) && (d.Turn == "" || by.Turn == d.Turn)
		}
		f.mu.Unlock()
		if !meant {
			continue
		}
		if err := f.restoreWhole(ctx); err != nil {
			out.Refused = append(out.Refused, Refusal{ID: change.ID, Reason: err.Error()})
		} else {
			out.Decided = append(out.Decided, change.ID)
		}
		f.keep(true)
		f.mu.Lock()
		out.Files = append(out.Files, f.answer(f.hunks()))
		f.mu.Unlock()
	}
}

// tells reports whether a name is among those decided or refused.
func (d *Decision) tells(id string) bool {
	return slices.Contains(d.Decided, id) || slices.ContainsFunc(d.Refused, func(r Refusal) bool { return r.ID == id })
}

var errNotSo = errors.New("the file is not what the rejection has made of it any more")

func (f *file) restoreWhole(ctx context.Context) error {
	f.mu.Lock()
	u := f.undone
	pending := f.fileChange() != nil
	f.mu.Unlock()
	if u == nil || pending {
		return errNotSo
	}
	if u.renamed != nil {
		defer f.core.file(u.renamed.from.Path).keep(true)
		return f.renameAgain(ctx, u)
	}
	follow := false
	defer func() { // as in rejectWhole
		if follow {
			f.followWhole()
		}
	}()
	if err := f.lockOps(ctx); err != nil {
		return err
	}
	defer f.unlockOps()
	f.wakeOnDisk()
	if u.opaque != "" && (u.entire.copy == nil || !u.entire.copy.Kept()) { // what it is again
		was := checkpoint.CopyOf(f.path)
		u.entire.copy = &was
	}
	if !u.entire.gone {
		v, w, before := f.restoring(u)
		defer f.ahead(v, w, before)()
	}
	err := f.bringBack(ctx, u)
	if errors.Is(err, checkpoint.ErrMoved) {
		return errNotSo
	} else if err != nil {
		return err
	}
	disk, err := buffers.ReadDisk(f.path)
	isText := err == nil && disk.Exists && u.opaque == ""
	f.mu.Lock()
	defer f.mu.Unlock()
	if isText && f.before == nil && len(f.open) == 0 { // an earlier run has rejected it
		f.keepBefore(text.New(disk.Content))
	}
	f.undone = nil
	f.opaque, f.opaqueOp = u.opaque, u.opaqueOp
	f.entire.by, f.entire.wasExec, f.entire.exec = u.entire.by, u.entire.wasExec, u.entire.exec
	f.entire.wasMark = u.entire.wasMark
	f.entire.gone, f.entire.ran, f.entire.held = u.entire.gone, u.entire.ran, u.entire.held
	f.entire.was, f.entire.now, f.entire.copy = u.entire.was, u.entire.now, u.entire.copy
	f.entire.through = u.entire.through
	f.missing = u.entire.gone || u.emptied
	f.placeholder()
	if u.emptied {
		f.deleted, f.entire.full = true, nil
		f.keepBeforeOf(text.Text{}, f.entire.by)
	}
	if len(f.open) == 0 {
		f.closedGone()
	} else {
		follow = f.opaque != ""
	}
	f.shownRev = notShown
	f.publish()
	return nil
}

// bringBack makes on disk what was rejected.
func (f *file) bringBack(ctx context.Context, u *undone) error {
	switch {
	case u.opaque != "":
		f.core.elsewhere.makes(f.path, u.agents.State)
		return u.agents.Restore(ctx, f.path, u.rested)
	case u.entire.gone, u.emptied:
		f.core.elsewhere.makes(f.path, checkpoint.State{})
		err := buffers.RemoveFile(f.path, buffers.Disk{Exists: true, Content: u.entire.held}.Seen())
		var moved *buffers.MovedError
		if errors.As(err, &moved) {
			return errNotSo
		}
		if err == nil {
			f.lookAgain()
		}
		return err
	}
	if !checkpoint.CopyOf(f.path).Exists {
		return errNotSo
	}
	if u.entire.wasMark != nil {
		if err := f.restoreMarkHeld(ctx, !*u.entire.wasMark); err != nil || u.entire.wasExec == nil {
			return err
		}
	}
	f.core.elsewhere.makesExec(f.path, !*u.entire.wasExec)
	return checkpoint.SetExec(f.path, !*u.entire.wasExec)
}

// renameAgain gives a file the name again that was rejected.
func (f *file) renameAgain(ctx context.Context, u *undone) error {
	from := f.core.file(u.renamed.from.Path)
	release, err := holdBoth(ctx, from, f) // or who looks at the old name finds that the user has removed it
	if err != nil {
		return err
	}
	defer release()
	was := checkpoint.CopyOf(from.path)
	if !was.Exists {
		return errNotSo
	}
	if _, unsaved := f.core.openState(from.path); unsaved {
		return fmt.Errorf("%s has unsaved changes in the editor: save it, and bring the change back then", from.path)
	}
	defer f.movingAgain(from, u, was.State)()
	f.core.elsewhere.moves(from.path, f.path)
	if err := buffers.MoveFile(from.path, f.path); err != nil {
		return err
	}
	if u.entire.wasExec != nil {
		f.core.elsewhere.makesExec(f.path, !*u.entire.wasExec)
		if err := checkpoint.SetExec(f.path, !*u.entire.wasExec); err != nil {
			f.core.log.Warn("bring mode back", "path", f.path, "err", err)
		}
	}
	is := checkpoint.CopyOf(f.path)
	m := *u.renamed
	m.from = checkpoint.Change{Path: from.path, Before: was.State}
	m.to = checkpoint.Change{Path: f.path, After: is.State}
	moved, err := f.core.takeMoveHeld(ctx, m, u.entire.by)
	switch {
	case err != nil:
		return err
	case !moved:
		return errNotSo
	}
	f.mu.Lock()
	f.undone = nil
	if f.opaque != "" {
		f.entire.was, f.entire.copy = was.State.Forget(), &was
	}
	f.mu.Unlock()
	return nil
}

// wasRenamed is what can be brought back of a rename that is taken back now; mu is held.
func (f *file) wasRenamed(w entire, change FileChange) *undone {
	return &undone{
		change: change, entire: w, opaque: f.opaque, opaqueOp: f.opaqueOp,
		renamed: renameBack(w.from, f.path),
	}
}

func renameBack(from, to buffers.Path) *move {
	return &move{from: checkpoint.Change{Path: from}, to: checkpoint.Change{Path: to}}
}

// noteRan keeps, of a file that is taken away and can be brought back by its rows,
// whether it could be run; mu is held.
func (f *file) noteRan() {
	f.entire.ran = checkpoint.CopyOf(f.path).Exec
}
