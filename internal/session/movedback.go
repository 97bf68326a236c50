package session

import (
	"context"
	"fmt"
	"slices"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/linediff"
	"acp-ls/buffers/merge"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
	"acp-ls/internal/review/journal"
)

// When the old name of a file that was renamed, undecided, is there again, the rename is over: what was undecided is
// that of the old name, compared with what this has now. The file with the new name, if it is still there, is one
// that the agent has made.

// movedWith is what a file had when it was renamed: its baseline, and its text.
type movedWith struct{ baseline, text text.Text }

// endRenames ends the renames that are over in the session's folder.
func (s *session) endRenames(ctx context.Context) {
	for _, f := range s.core.filesOf(s) {
		s.core.endRename(ctx, f)
	}
}

// endMove ends the rename of the document's file, if that is over.
func (f *file) endMove(ctx context.Context) (ended bool) {
	f.mu.Lock()
	to := f.wentTo
	f.mu.Unlock()
	return to != "" && f.core.durable.wait(ctx) == nil && f.core.endRename(ctx, f.core.file(to))
}

// endRename ends the rename of a file, if that is over.
func (c *Core) endRename(ctx context.Context, f *file) (ended bool) {
	return c.endRenameBy(ctx, f, c.attribute)
}

// endRenameBy is endRename where who says who has given a file its old name again.
func (c *Core) endRenameBy(ctx context.Context, f *file, who func(buffers.Path) review.Origin) (ended bool) {
	f.mu.Lock()
	old := f.entire.from
	f.mu.Unlock()
	if old == "" || old == f.path || !isThere(old) {
		return false
	}
	to := c.file(old)
	if c.durable.isReady() && (f.awaitArrival(ctx) != nil || to.awaitArrival(ctx) != nil) {
		return false
	}
	ended, err := c.endRenameTo(ctx, f, to, who)
	if err != nil && ctx.Err() == nil {
		c.log.Warn("track that a file has its old name again", "from", f.path, "to", old, "err", err)
	}
	if !ended {
		return false
	}
	to.keep(false)
	f.keep(false)
	if _, unsaved := c.openState(f.path); unsaved && !isThere(f.path) {
		c.noticeOf(who(f.path), fmt.Sprintf("%s, which has unsaved changes in the editor, was renamed to %s", f.path, to.path))
	}
	return true
}

func byUser(buffers.Path) review.Origin { return users }

func (c *Core) endRenameTo(ctx context.Context, f, to *file, who func(buffers.Path) review.Origin) (bool, error) {
	release, err := holdBothNow(ctx, f, to)
	if err != nil {
		return false, err
	}
	defer release()
	now := checkpoint.CopyOf(to.path).State
	if !now.Exists || now.Opaque != "" && now.Opaque != checkpoint.Large {
		return false, nil
	}
	disk, err := to.wholeAfter(ctx, buffers.ReadDisk, readIn(now))
	if err != nil || !disk.Exists {
		return false, err
	}
	to.seenGit(f.gitSeen(), false)
	hand := to.gitsHand(ctx, disk, f.tracked())
	gone := !isThere(f.path)
	o := who(to.path)
	older, steps, ok := c.takeEnd(f, to, disk, now.Exec, gone, hand, o)
	if !ok {
		return false, nil
	}
	f.stepsComeBack(to)
	unlock := lockBoth(f, to)
	steps()
	unlock()
	if older != nil && !c.durable.isReady() {
		to.holdOlder(older, disk, o)
	}
	return true, nil
}

// takeEnd makes what is undecided of f, which was renamed, that of its old name, which o has given to a file again, with
// what is read of that. It returns what is tracked for a document that has what the file had when it was renamed, nil if no
// editor can have one, and what notes that for undoing it; not ok: the rename is not over.
func (c *Core) takeEnd(f, to *file, disk buffers.Disk, exec, gone bool, hand gitsHand, o review.Origin) (older *review.Doc, steps func(), ok bool) {
	defer lockBoth(f, to)()
	w := f.entire
	users := o.Author == review.AuthorUser
	if w.from == to.path && f.doc != nil && !c.durable.isReady() && to.isTakenBack() {
		f.isMadeOrGone(gone) // which was not written down any more
		return nil, func() {}, true
	}
	switch {
	case w.from != to.path || f.doc == nil || f.opaque != "" || len(to.open) > 0 && to.doc == nil:
		return nil, nil, false
	case !gone && (users || !to.isThereAgain()):
		return nil, nil, false // there are two files, and one is the user's
	case to.opaque != "":
		return nil, nil, false
	}
	o.Change = c.changeID()
	doc := f.onDisk()
	if !users && !to.isThereAgain() && !to.openedAway() {
		to.bringUsers(doc) // which the agent has written over, or whose other name it has taken away
	}
	had, is := doc.Text(), text.New(disk.Content)
	if to.openedAway() {
		is = had
		to.comesBack(doc)
	} else {
		opened := len(to.open) > 0
		if !opened && w.moved != nil {
			older = doc.Clone()
			hand.takeOver(older, w.moved.text, o)
		}
		switch {
		case opened && w.moved != nil && (to.before == nil || isEmpty(to.before.Text)):
			is = w.moved.text // which it was opened with, though there was no file
			to.keepBefore(is)
		case opened && to.before != nil:
			is = to.before.Text // the rest it is yet to take in
		case opened:
			is = to.doc.Text()
		}
		hand.takeOver(doc, is, o)
		by := o
		if users {
			by = w.by
		}
		to.bringOwn(doc, by)
		if to.doc = doc; !opened {
			hand.takeOver(doc, is, o)
			to.keepBeforeOf(is, o)
		} else if to.before == nil {
			to.keepBefore(is)
		}
	}
	to.entire, to.created, to.deleted, to.opaque, to.opaqueSeen = entire{by: w.by, exec: &exec}, false, false, "", nil
	if was := w.execBefore(exec); was != exec {
		to.entire.wasExec = &was
	}
	to.missing, to.wentTo, to.parked, to.asleep, f.asleep = false, "", nil, nil, nil
	f.isMadeOrGone(gone)
	for _, x := range []*file{f, to} {
		x.shownRev = notShown
		x.publish()
		x.dropIfIdle()
	}
	return older, func() {
		to.recordBack(o, had, is)
		if !gone && f.doc != nil {
			f.record(&w.by, text.Text{}, f.doc.Text(), true)
		}
	}, true
}

// holdOlder holds on to what disk has in the place of older's text, by o, for the editor of an earlier run, which may have a
// document with that.
func (f *file) holdOlder(older *review.Doc, disk buffers.Disk, o review.Origin) {
	v := version{}
	v.setDoc(older)
	r := f.draftOf(v, entire{})()
	was := older.Text()
	f.takeLeft(&leftover{
		Change: checkpoint.Change{Path: f.path, Before: checkpoint.State{Exists: true, Content: was.String()}, After: checkpoint.State{Exists: true, Content: disk.Content}},
		was:    was, by: o, entry: &journal.Entry{Last: r},
	})
}

// isThereAgain reports whether the file was away when it was last known, or an agent has made it since; mu is held.
func (f *file) isThereAgain() bool {
	return !f.usersMade && f.opaque == "" && (f.missing || f.before == nil || f.created)
}

// knowMoved notes that an earlier run has left the file renamed to another one.
func (f *file) knowMoved(to buffers.Path) {
	away := !isThere(f.path)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wentTo = to
	if away && f.before == nil && len(f.open) == 0 {
		f.keepBefore(text.Text{})
		f.missing = true
	}
}

// isTakenBack reports whether an earlier run has written down what is undecided of the file by this name, as it was there
// again; mu is held.
func (f *file) isTakenBack() bool {
	return f.doc != nil && f.doc.Tracking() && !f.created && !f.deleted && f.opaque == ""
}

// onDisk is what is tracked of the file without what is not saved of it; mu is held.
func (f *file) onDisk() *review.Doc {
	doc := f.doc.Clone()
	switch {
	case f.openedAway():
		doc.ThrowAway(*f.before.emptied)
	case len(f.open) > 0 && f.before != nil:
		f.before.bringTo(doc, f.core.changeID)
	}
	return doc
}

// bringUsers brings into doc, which is to be that of the file, what the user has made the file of; mu is held.
func (f *file) bringUsers(doc *review.Doc) {
	var is text.Text
	switch {
	case f.doc != nil:
		is = f.onDisk().Baseline()
	case f.before != nil:
		is = f.before.Text
	default:
		return
	}
	if !doc.Text().Equal(is) {
		doc.Reload(is, review.Origin{Change: f.core.changeID(), Author: review.AuthorUser})
	}
}

// bringOwn brings into doc, which is to be that of the file, what the user and the agent have made of its text
// while that was under another name; mu is held.
func (f *file) bringOwn(doc *review.Doc, o review.Origin) {
	if f.doc == nil || doc.Text().Equal(f.doc.Text()) {
		return
	}
	user := func(t text.Text) {
		if !doc.Text().Equal(t) {
			doc.Reload(t, review.Origin{Change: f.core.changeID(), Author: review.AuthorUser})
		}
	}
	switch {
	case f.created && len(f.open) == 0 && isEmpty(f.doc.Baseline()):
		return // it is the agent's, and on disk
	case f.created:
		doc.AgentEdit(withoutKept(f.doc), o)
	case f.doc.Tracking():
		user(f.doc.Baseline())
		doc.AgentEdit(f.doc.Text(), o)
		return
	case len(f.open) == 0:
		return
	}
	user(f.doc.Text())
}

// withoutKept is the text of a document without the rows that are in its baseline.
func withoutKept(doc *review.Doc) text.Text {
	rows := rowsWithEnds(doc.Text())
	var out string
	for _, e := range linediff.Diff(linesOf(doc.Baseline()), withoutEnds(slices.Clone(rows))) {
		for _, row := range rows[e.B0:min(e.B1, len(rows))] {
			out += row
		}
	}
	return text.New(out)
}

// isMadeOrGone takes in that the file is not the one any more that was renamed: an agent has made it, or it is gone.
// mu is held.
func (f *file) isMadeOrGone(gone bool) {
	w := f.entire
	if gone {
		f.entire, f.created, f.deleted = entire{}, false, false
		f.isGone()
		live := f.doc.Text()
		if f.lastNamed = &live; len(f.open) > 0 {
			f.doc = review.New(live, f.core.now)
		} else {
			f.doc = nil
			f.keepBefore(text.Text{})
		}
		return
	}
	f.entire, f.created = entire{by: w.by, exec: w.exec}, true
	if made, ok := w.withoutUsers(f.doc); ok {
		live := f.doc.Text()
		f.doc = review.New(text.Text{}, f.core.now)
		f.doc.AgentEdit(made, w.by)
		if !live.Equal(made) {
			f.doc.Reload(live, review.Origin{Change: f.core.changeID(), Author: review.AuthorUser})
		}
	}
}

// withoutUsers is the text of doc, of a file that was renamed, without what the user has written since; not ok: that is
// not known.
func (w *entire) withoutUsers(doc *review.Doc) (text.Text, bool) {
	if w.moved == nil {
		return text.Text{}, false
	}
	if doc.Baseline().Equal(w.moved.baseline) {
		return doc.Text(), true
	}
	m := merge.Texts(doc.Baseline().String(), doc.Text().String(), w.moved.baseline.String())
	return text.New(m.Text), len(m.Conflicts) == 0
}

// recordBack notes that the file, which had that text under another name, has its name again, with the text is. What was
// noted of it as of one that the agent has made is that; mu is held.
func (f *file) recordBack(o review.Origin, had, is text.Text) {
	for i, s := range slices.Backward(f.history) {
		if s.goes() {
			break
		}
		if s.created && s.before.Len() == 0 && s.of(o.Session, o.Turn) {
			f.history = slices.Clone(f.history)
			f.history[i].created, f.history[i].before = false, sharing(s.after, had)
			f.undos.changes++
			return
		}
	}
	f.record(&o, had, is, false)
}

// isRenamedBack reports whether a record is of a file that was renamed and has its old name again, as far as is to be
// seen on the disk.
func isRenamedBack(r journal.Record) bool {
	return r.From != "" && r.Opaque == "" && r.State != nil && !isThere(buffers.Path(r.Path)) && isThere(buffers.Path(r.From))
}

// resumeRenamedBack takes up what was undecided of such a file as it had that text; ops is held.
func (f *file) resumeRenamedBack(r journal.Record, sum *resumed) error {
	doc, err := review.UnmarshalState(r.State, f.core.now)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.takeUp(doc, nil, r, doc.Text(), false, sum)
	return nil
}

// endRenames ends the renames of an earlier run that are over. What of their old names nobody had looked at, as left says,
// is whose it is said to be there; else it is the user's.
func (d *durable) endRenames(ctx context.Context, left []leftover) {
	for _, f := range d.core.allFiles() {
		d.core.endRenameBy(ctx, f, func(p buffers.Path) review.Origin {
			if i := slices.IndexFunc(left, func(l leftover) bool { return l.Path == p }); i >= 0 {
				return left[i].by
			}
			return users
		})
	}
}
