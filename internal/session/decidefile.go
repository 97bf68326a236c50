package session

import (
	"context"
	"slices"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// What a decision does to one file: to its rows, to the file as a whole, and to what is on disk.

// decide makes a decision about hunks of the file, and about the file as a whole if that is meant.
func (f *file) decide(ctx context.Context, ids []string, whole bool, how decision, out *Decision) error {
	defer f.keep(true)
	var done []string
	var refused []review.Refusal
	f.mu.Lock()
	change, withRows, made, deleted, ran := f.fileChange(), f.withRows(how.rejects), f.created, f.deleted, f.entire.ran
	refusing, undoing := f.emptyRejected(made, deleted, nil, nil)
	mark, late, closed := f.entire.wasMark, false, len(f.open) == 0
	if len(ids) > 0 && (closed || f.savesDecided()) {
		late = whole && how.rejects && mark != nil // its rows are decided, and saved, as they are, with the mark
	}
	f.mu.Unlock()
	if whole && change != nil && !late {
		f.decideWhole(ctx, change, how.rejects, out)
	}
	f.mu.Lock()
	var shown []review.Hunk
	if f.doc != nil {
		shown = f.doc.Hunks(review.StatePending)
	}
	f.mu.Unlock()
	if len(ids)+len(how.contested) == 0 && !(whole && withRows) {
		if whole && change != nil {
			f.moveBackRejected(ctx, change, how.rejects, out)
		}
		return nil
	}
	if !how.rejects && !how.restores {
		f.keepAccepted()
	}
	// What an agent has written since is not what the user has seen, and is not to be taken back with that.
	behind := (how.rejects && !how.undoes || how.restores) && f.lookFirst(ctx)
	res, err := f.change(ctx, operation{
		label: how.label, rejects: how.rejects, restores: how.restores, git: how.git,
		apply: func(d *review.Doc) error {
			if done, refused = how.do(d, ids); how.number != 0 {
				for _, id := range done {
					f.core.rejections.note(id, how.number)
				}
			}
			return nil
		},
	})
	if err != nil {
		return err
	}
	if late && closed {
		f.decideWhole(ctx, change, how.rejects, out)
	} else if !late && whole && how.rejects && mark != nil && res.onDisk { // with the first row it had gone once more
		if err := f.restoreMark(ctx, *mark); err != nil {
			return err
		}
	}
	out.Decided = append(out.Decided, done...)
	if how.rejects {
		is := make(map[string]bool, len(done))
		for _, id := range done {
			is[id] = true
		}
		gone := slices.DeleteFunc(shown, func(h review.Hunk) bool { return !is[h.ID] })
		for _, h := range gone {
			if slices.ContainsFunc(h.Origins, isElsewhere) {
				out.elsewhere = append(out.elsewhere, string(f.path))
			}
		}
		f.core.noteRejected(f.path, gone)
	} else {
		f.core.noteRestored(f.path, done)
	}
	for _, r := range refused {
		out.Refused = append(out.Refused, Refusal{ID: r.ID, Reason: r.Reason})
	}
	f.mu.Lock()
	pending := len(f.hunks())
	created := f.created
	var now text.Text
	if f.doc != nil {
		now = f.doc.Text()
	}
	if f.deleted && !how.rejects && (whole || pending == 0) {
		if !whole {
			f.recordWhole(0)
		}
		f.deleted = false
		f.shownRev = notShown
		f.publish()
	}
	if created && (whole || pending == 0) {
		// Accepted as a whole, or rejected down to what the user wrote in it
		// (rule 7); tryOnDisk has removed it if nothing was left.
		f.created = false
		f.shownRev = notShown
		f.publish()
	}
	putBack := deleted && !f.deleted && how.rejects
	f.entire.goneBack = f.entire.goneBack && f.deleted || putBack
	if whole && withRows && len(done) == 0 && (deleted || made) {
		out.Decided = append(out.Decided, change.ID) // of an empty file
		switch {
		case !how.rejects:
		case refusing != nil:
			f.entire.refused, f.kept.rested = refusing, time.Time{}
		case undoing != nil:
			f.undone, f.kept.rested = undoing, time.Time{}
		}
	}
	f.mu.Unlock()
	if putBack && ran {
		f.core.elsewhere.makesExec(f.path, true)
		if err := checkpoint.SetExec(f.path, true); err != nil {
			return err
		}
	}
	absent := ran && how.restores && !isThere(f.path)
	switch {
	case how.rejects && created && pending == 0 && blank(now) && !res.onDisk && (res.changed || whole && withRows):
		return f.removeUnderDocument(ctx, res)
	case res.onDisk || !res.changed:
	default:
		f.saveDecided(ctx, res, behind)
	}
	if late && !closed {
		f.decideWhole(ctx, change, how.rejects, out)
	}
	if absent && isThere(f.path) { // the file that was made is there again
		f.core.elsewhere.makesExec(f.path, true)
		if err := checkpoint.SetExec(f.path, true); err != nil {
			return err
		}
	}
	if whole && change != nil {
		f.moveBackRejected(ctx, change, how.rejects, out)
	}
	return nil
}

// emptyRejected is what can be brought back when it is rejected that an agent has made an empty
// file, or deleted it; refused and u, if it has done neither. mu is held.
func (f *file) emptyRejected(made, deleted bool, refused *review.Origin, u *undone) (*review.Origin, *undone) {
	switch change := f.fileChange(); {
	case change == nil:
	case made && !deleted:
		by := f.entire.by
		return &by, u
	case deleted && !made:
		return refused, &undone{change: *change, entire: entire{by: f.entire.by, ran: f.entire.ran}, emptied: true}
	}
	return refused, u
}

// decideWhole decides on the file as a whole, as far as its rows do not say it.
func (f *file) decideWhole(ctx context.Context, change *FileChange, rejects bool, out *Decision) {
	done, reason := false, ""
	f.mu.Lock()
	by, from := f.entire.by, f.entire.from
	f.mu.Unlock()
	if rejects {
		done, reason = f.rejectWhole(ctx)
	} else if done = f.acceptWhole(); done && from != "" {
		f.keepAccepted()
	}
	if done {
		out.Decided = append(out.Decided, change.ID)
		if rejects && isElsewhere(by) {
			out.elsewhere = append(out.elsewhere, string(f.path))
		}
	}
	if reason != "" {
		out.Refused = append(out.Refused, Refusal{ID: change.ID, Reason: reason})
	}
}

// moveBackRejected gives a file its old name, if that is what was decided.
func (f *file) moveBackRejected(ctx context.Context, change *FileChange, rejects bool, out *Decision) {
	if !rejects || change.Op != "rename" {
		return
	}
	if err := f.moveBack(ctx); err != nil {
		out.Refused = append(out.Refused, Refusal{ID: change.ID, Reason: err.Error()})
		return
	}
	out.Decided = append(out.Decided, change.ID)
}

// removeUnderDocument removes a file an agent had made and whose document the
// rejection has left blank, unless somebody has written it since: what nobody has looked at
// was not rejected, and comes with the next turn point.
func (f *file) removeUnderDocument(ctx context.Context, out outcome) error {
	disk, err := buffers.ReadDisk(f.path)
	if err != nil || !disk.Exists {
		return err
	}
	f.mu.Lock()
	known := f.before
	if known == nil && f.unlooked {
		known = f.hadBefore // it was opened a moment ago
	}
	seen := f.encoded != nil && f.encoded.sum == disk.AsEncoded().Sum
	if known != nil && !f.missing && !seen && buffers.NormHashText(known.Text) != buffers.NormHash(disk.Content) {
		f.mu.Unlock()
		return nil
	}
	f.mu.Unlock()
	// What is unsaved in the document would be a file again when the user saves all of them.
	if out.changed && f.saveDecided(ctx, out, false) {
		if disk, err = buffers.ReadDisk(f.path); err != nil || !disk.Exists || !blank(text.New(disk.Content)) {
			return err // the user has typed, and the file has that
		}
	}
	f.mu.Lock()
	f.noteRan()
	by := f.entire.by
	had, missing := f.before, f.missing
	f.keepBefore(text.Text{})
	f.missing = true // by the user's will: no agent has taken it away
	f.mu.Unlock()
	f.core.elsewhere.makes(f.path, checkpoint.State{})
	if err = buffers.RemoveFile(f.path, disk.Seen()); err != nil {
		f.mu.Lock()
		f.before, f.missing = had, missing
		f.mu.Unlock()
		return err
	}
	f.core.made.remove(f.path, by)
	return nil
}
