package session

import (
	"errors"
	"unicode/utf8"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/merge"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// tryOnDisk makes an operation real in a file that no editor has open. The
// tracked text is the file's content as it is, byte order mark included.
func (f *file) tryOnDisk(op operation) (outcome, error) {
	out := outcome{onDisk: true}
	had, err := f.read(f.path)
	if errors.Is(err, buffers.ErrNotUTF8) {
		return out, Errorf(KindInvalid, "%w, and only an editor can write it: open it and decide there", err)
	}
	if err != nil {
		return out, Errorf(KindInvalid, "%w", err)
	}
	was := text.New(had.Content)
	f.mu.Lock()
	if len(f.open) > 0 {
		f.mu.Unlock()
		return out, errAgain{errors.New("it was opened meanwhile")}
	}
	if had.Exists {
		f.throwAway(was)
	}
	held := f.held()
	vanished := !had.Exists && !f.missing && !f.deleted && (f.before != nil || f.doc != nil && f.doc.Text().Len() > 0)
	if f.doc == nil {
		base := was
		if f.before != nil {
			base = f.before.Text // it may have been written since, behind our back
		}
		f.doc = review.New(base, f.core.now)
	}
	appeared := f.missing && had.Exists // also where it is empty
	if now := f.doc.Text(); appeared || vanished || !now.Equal(was) {
		before := f.before
		if appeared {
			before = nil
		}
		o := f.whose(was, before)
		o.Change = f.core.changeID()
		made, full := appeared && o.Author == review.AuthorAgent, f.doc.Clone()
		takeOver(f.doc, was, o)
		f.record(&o, now, was, made)
		if made && !f.created && !f.deleted {
			f.created, f.entire.by = true, o
		}
		if vanished && o.Author != review.AuthorUser {
			f.entire.by = o
			f.vanishes(full, o, f.entire.exec != nil && *f.entire.exec, false)
		}
		f.keepBefore(was)
		f.missing = !had.Exists
	}
	next := f.doc.Clone()
	if err := op.apply(next); err != nil {
		var kept keptError
		if errors.As(err, &kept) {
			f.doc = next
			err = kept.error
		}
		f.publish()
		f.dropIfIdle()
		f.mu.Unlock()
		return out, err
	}
	want, created, deleted := next.Text(), f.created, f.deleted
	removes := false
	write := func() error { return nil }
	switch {
	case op.rejects && created && blank(want):
		created = false
		if had.Exists {
			out.changed = true
			removes = true
		}
	case op.restores && had.Exists && want.Len() == 0 && f.entire.goneBack: // a deletion
		out.changed, deleted, removes = true, true, true
	case want.Equal(was) && (had.Exists || op.marks || op.rejects && !deleted || op.by == nil && !op.rejects):
	default:
		out.changed = true
		created = created || !had.Exists && !deleted && !op.rejects // which brings back what was there
		deleted = false
		if runs := f.entire.ran && (op.restores || op.rejects && f.deleted); runs && !had.Exists {
			write = func() error { return buffers.MakeFile(f.path, want.String(), true) }
		} else {
			write = func() error { return buffers.WriteFileAtomic(f.path, want.String(), had.Seen()) }
		}
	}
	if removes {
		if op.rejects {
			f.noteRan()
		}
		by := f.entire.by
		write = func() error {
			err := buffers.RemoveFile(f.path, had.Seen())
			if err == nil && op.rejects {
				f.core.made.remove(f.path, by)
			}
			return err
		}
	}
	announce := func() {}
	if !op.marks {
		announce = f.announce(next, !had.Exists, func(after *version) {
			after.created, after.deleted = created, deleted
			if created && !f.created && op.by != nil {
				after.by = *op.by
			}
			after.away = !deleted && (removes || !had.Exists && !out.changed)
			after.goneBack = after.goneBack && deleted || f.deleted && !deleted && op.rejects
			if op.rejects && was.Len()+want.Len() == 0 && out.changed { // no row says so
				after.refused, after.undone = f.emptyRejected(f.created, f.deleted, after.refused, after.undone)
			}
		})
	}
	f.kept.aloud = true
	f.mu.Unlock()

	announce()
	if removes {
		f.core.elsewhere.makes(f.path, checkpoint.State{})
	} else {
		f.core.elsewhere.wrote(f.path, want)
	}
	err = write()
	var moved *buffers.MovedError
	var overwrote *buffers.OverwroteError
	f.mu.Lock()
	defer f.mu.Unlock()
	f.kept.aloud = false
	defer f.later()
	switch {
	case errors.As(err, &moved):
		f.dropIfIdle()
		return out, errAgain{errors.New("it was changed on disk meanwhile")}
	case errors.As(err, &overwrote):
		// Ours stands; the other program's text is merged into it.
		f.core.spawn(func() { f.mergeOverwritten(was.String(), overwrote.Content) })
	case err != nil:
		f.dropIfIdle()
		return out, Errorf(KindInvalid, "%w", err)
	}
	if len(f.open) > 0 && !f.doc.Text().Equal(want) {
		// Opened between the look and the write, with the text from before:
		// the document is asked for the same change.
		return out, errAgain{errors.New("it was opened meanwhile")}
	}
	if created && !f.created && op.by != nil {
		f.entire.by = *op.by
	}
	if f.created != created || f.deleted != deleted {
		f.shownRev = notShown // also where no row has changed
	}
	if deleted && !f.deleted {
		f.entire.full = nil // its rows say what it was
	}
	f.doc, f.created, f.deleted = next, created, deleted
	if out.changed {
		// What stands there unchanged may be another program's, not looked at yet.
		f.record(op.by, was, want, !had.Exists)
		f.keepBefore(want)
		if f.missing = removes; !removes {
			f.parked = nil // it is here, and not under another name
		}
		if op.by != nil && !removes {
			f.holdOn(held, checkpoint.State{Exists: had.Exists, Content: had.Content}, checkpoint.State{Exists: true, Content: want.String()}, *op.by)
		}
	} else {
		f.tookIn(op)
	}
	f.publish()
	f.dropIfIdle()
	return out, nil
}

// mergeOverwritten brings back what another program wrote in the very moment in
// which we replaced the file. It was that program's user who wanted it, unless an agent
// is at work that may have.
func (f *file) mergeOverwritten(base, theirs string) {
	if !utf8.ValidString(theirs) {
		f.core.log.Error("a program wrote a file at the same moment as an agent, and its text is not UTF-8", "path", f.path)
		return
	}
	o := f.core.attributeText(f.path, &base, &theirs)
	users := o.Author == review.AuthorUser
	if users {
		o = review.Origin{Author: review.AuthorDisk, Title: "written by another program"}
	}
	o.Change = f.core.changeID()
	by := o
	if users {
		by = review.Origin{Change: o.Change, Author: review.AuthorUser}
	}
	op := operation{label: "merge", apply: func(d *review.Doc) error {
		live := d.Text().String()
		m := merge.Texts(base, live, theirs)
		f.core.untouched.addConflicts(d, always(o), m, base, theirs)
		d.Reload(text.New(m.Text), by)
		return nil
	}}
	if !users {
		op.by = &by
	}
	if _, err := f.change(f.core.ctx, op); err != nil {
		f.core.log.Error("merge what another program wrote", "path", f.path, "err", err)
	}
}

func blank(t text.Text) bool {
	for i := range t.LineCount() {
		for _, r := range t.Line(i) {
			if r != ' ' && r != '\t' {
				return false
			}
		}
	}
	return true
}
