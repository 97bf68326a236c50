package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// A file that an agent renames arrives as one that is gone and one that is new, with
// the same content, or nearly, in whatever order and at whatever points of one turn. It is one change of the file as a whole, and the rows
// that differ are hunks as in any other file. What was undecided before goes along.

// takeMoves tracks the renames among the changes of a turn, and returns what is
// left of them.
func (s *session) takeMoves(ctx context.Context, changes []checkpoint.Change) []checkpoint.Change {
	s.endRenames(ctx) // one may have been given its old name since
	c, turn := s.core, s.turnID()
	var gone, made []checkpoint.Change
	for _, ch := range changes {
		f := c.file(ch.Path)
		switch {
		case ch.Before.Exists && !ch.After.Exists && f.isNewlyGone(turn):
			gone = append(gone, f.lastOf(ch)...)
		case !ch.Before.Exists && ch.After.Exists && f.isNewlyMade(turn):
			made = append(made, ch)
		}
	}
	if len(made) > 0 {
		gone = append(gone, s.vanished(changes, turn)...)
	}
	taken := map[buffers.Path]bool{}
	for _, m := range pairMoves(gone, made) {
		if taken[m.from.Path] || taken[m.to.Path] {
			continue // it is a rename of this turn too
		}
		moved, err := c.takeMove(ctx, m)
		if err != nil && ctx.Err() == nil {
			c.log.Warn("track a rename", "from", m.from.Path, "to", m.to.Path, "err", err)
		}
		if !moved {
			continue
		}
		taken[m.from.Path], taken[m.to.Path] = true, true
		c.file(m.to.Path).keep(false) // before the other one's story ends
		c.file(m.from.Path).keep(false)
		if _, unsaved := c.openState(m.from.Path); unsaved {
			s.notice(s.turnID(), EntryNotice, fmt.Sprintf("%s, which has unsaved changes in the editor, was renamed to %s", m.from.Path, m.to.Path))
		}
	}
	return slices.DeleteFunc(changes, func(ch checkpoint.Change) bool { return taken[ch.Path] })
}

// vanished are files that the turn has made, by rename or otherwise, and that are
// gone again: when it began they were not there either.
func (s *session) vanished(changes []checkpoint.Change, turn string) []checkpoint.Change {
	var out []checkpoint.Change
	for _, f := range s.core.filesOf(s) {
		f.mu.Lock()
		known := len(f.open) == 0 && f.doc != nil && f.opaque == "" && (f.created || f.entire.from != "")
		st := checkpoint.State{Exists: true, Exec: f.entire.exec != nil && *f.entire.exec}
		if known {
			st.Content = f.doc.Text().String()
		} else if known = len(f.open) == 0 && f.madeAndGone(turn); known {
			st.Content = f.entire.made.Text().String()
		}
		f.mu.Unlock()
		if known && !isThere(f.path) && !slices.ContainsFunc(changes, func(ch checkpoint.Change) bool { return ch.Path == f.path }) {
			out = append(out, checkpoint.Change{Path: f.path, Before: st})
		}
	}
	return out
}

// isNewlyGone: the file has been taken away in this turn, and at most that is known.
func (f *file) isNewlyGone(turn string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.deleted || f.entire.gone || f.opaque != "" && f.opaqueOp == "delete" {
		return f.entire.by.Turn == turn
	}
	return (!f.missing || f.madeAndGone(turn)) && f.opaqueSeen == nil
}

// madeAndGone reports whether the file was made and undecided, and a turn has been seen to take
// it away: it may turn up under another name yet; mu is held.
func (f *file) madeAndGone(turn string) bool {
	w := &f.entire
	return f.missing && !f.created && !f.deleted && w.made != nil && turn != "" && w.madeIn == turn
}

// isNewlyMade: the file has been made in this turn, and at most that is known; the
// user has written nothing in it.
func (f *file) isNewlyMade(turn string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.deleted || f.entire.from != "" || f.usersMade:
		return false
	case f.opaque != "":
		return f.opaqueOp == "create" && f.entire.by.Turn == turn
	case f.opaqueSeen != nil:
		return false
	case f.created:
		return f.entire.by.Turn == turn && f.doc != nil && f.doc.OnlyAgent()
	case len(f.open) > 0:
		return f.doc != nil && !f.doc.Tracking()
	}
	return f.doc == nil && (f.before == nil || f.missing)
}

// holdBoth takes the slots of two files, always in one order.
func holdBoth(ctx context.Context, a, b *file) (release func(), err error) {
	if err := a.core.durable.wait(ctx); err != nil {
		return nil, err
	}
	return holdBothNow(ctx, a, b)
}

// holdBothNow is holdBoth also while what earlier runs have left is taken up.
func holdBothNow(ctx context.Context, a, b *file) (release func(), err error) {
	if a.path > b.path {
		a, b = b, a
	}
	if err := a.lockOpsNow(ctx); err != nil {
		return nil, err
	}
	if err := b.lockOpsNow(ctx); err != nil {
		a.unlockOps()
		return nil, err
	}
	return func() {
		b.unlockOps()
		a.unlockOps()
	}, nil
}

// lockBoth locks the mutexes of two files, always in one order.
func lockBoth(a, b *file) (unlock func()) {
	if a.path > b.path {
		a, b = b, a
	}
	a.mu.Lock()
	b.mu.Lock()
	return func() {
		b.mu.Unlock()
		a.mu.Unlock()
	}
}

// takeMove makes what was tracked of a file that of its new name.
func (c *Core) takeMove(ctx context.Context, m move) (bool, error) {
	release, err := holdBoth(ctx, c.file(m.from.Path), c.file(m.to.Path))
	if err != nil {
		return false, err
	}
	defer release()
	return c.takeMoveHeld(ctx, m, c.attribute(m.to.Path))
}

// takeMoveHeld is takeMove for a rename that is known to be of o, for a caller that holds both files.
func (c *Core) takeMoveHeld(ctx context.Context, m move, o review.Origin) (bool, error) {
	from, to := c.file(m.from.Path), c.file(m.to.Path)
	o.Change = c.changeID()
	from.mu.Lock()
	_, known := from.lastText()
	from.mu.Unlock()
	opaque := m.from.Before.Opaque != "" && !(known && m.from.Before.Opaque == checkpoint.Large) || m.to.After.Opaque != "" && m.to.After.Opaque != checkpoint.Large
	now := m.to.After.Content
	var hand gitsHand
	if !opaque {
		disk, err := to.wholeAfter(ctx, buffers.ReadDisk, readIn(m.to.After))
		if err != nil || !disk.Exists {
			return false, err
		}
		now = disk.Content
		to.seenGit(from.gitSeen(), false)
		hand = to.gitsHand(ctx, disk, from.tracked())
	}
	back := isThere(from.path)
	defer lockBoth(from, to)()
	if back || len(to.open) > 0 && to.doc == nil || o.Author == review.AuthorUser {
		return false, nil
	}
	was, is := text.New(m.from.Before.Content), text.New(now)
	if opaque {
		was, is = text.Text{}, text.Text{}
	} else if last, known := from.lastText(); known {
		was = last // what is undecided by now is what comes along
	}
	doc := review.New(was, c.now)
	if from.doc != nil || from.madeAndGone(o.Turn) {
		old := doc
		if from.doc != nil {
			old = from.doc.Clone()
		}
		if from.deleted && from.entire.full != nil {
			old = from.entire.full.Clone()
		} else if from.madeAndGone(o.Turn) {
			old = from.entire.made.Clone()
		} else if from.openedAway() {
			old.ThrowAway(*from.before.emptied)
		} else if len(from.open) > 0 && from.before != nil && !old.Text().Equal(was) {
			from.before.bringTo(old, c.changeID) // without what is not saved, which stays
		}
		if old.Text().Equal(was) {
			doc = old
			if len(from.open) > 0 && sameChanges(old, from.doc) { // the document stays, and what is undecided goes
				from.doc = review.New(from.doc.Text(), c.now)
			} // but for what only the document has
		}
	}
	w := entire{by: o, from: from.path, exec: &m.to.After.Exec, moved: &movedWith{doc.Baseline(), doc.Text()}}
	if from.entire.from != "" {
		w.from, w.by, w.moved = from.entire.from, from.entire.by, from.entire.moved
	}
	wasExec := from.entire.execBefore(m.from.Before.Exec)
	if from.deleted {
		wasExec = from.entire.ran
	}
	if wasExec != m.to.After.Exec {
		w.wasExec = &wasExec
	}
	created := from.created || from.madeAndGone(o.Turn)
	if w.from == to.path || created { // back to the name it had; or it is a new one all the same
		w.from, w.moved = "", nil
	}
	to.opaque, to.opaqueSeen = "", nil // it may have been there first, as one that was made
	if opaque {
		to.opaque, w.now = m.to.After.Opaque, m.to.After.Forget()
		to.opaqueSeen = &w.now
	}
	if to.openedAway() {
		from.recordMove(to, o, was, was)
		to.comesBack(doc)
	} else {
		opened := len(to.open) > 0
		if opened && to.before != nil { // the rest it is yet to take in
			is = to.before.Text
		} else if opened {
			is = to.doc.Text()
		}
		hand.edit(doc, is, o)
		from.recordMove(to, o, was, is)
		if opened && !doc.Text().Equal(to.doc.Text()) { // what is unsaved is the user's
			doc.Reload(to.doc.Text(), review.Origin{Change: c.changeID(), Author: review.AuthorUser})
		}
		if to.doc = doc; !opened || to.before == nil {
			to.keepBefore(is)
		}
	}
	to.entire, to.created, to.deleted = w, created, false
	to.missing = false
	to.acceptApprovedMove(o.Session)
	from.entire, from.created, from.deleted = entire{}, false, false
	from.isGone()
	from.usersMade = false
	from.opaque, from.opaqueSeen = "", nil
	if opaque {
		from.opaqueSeen = &checkpoint.State{} // that it is gone
	}
	if len(from.open) == 0 {
		from.doc = nil
		from.keepBefore(text.Text{})
	}
	if w.from == from.path {
		from.wentTo = to.path
	}
	for _, f := range []*file{from, to} {
		f.shownRev = notShown
		f.publish()
		f.dropIfIdle()
	}
	return true, nil
}

// sameChanges reports whether what is undecided in two documents has the same texts.
func sameChanges(a, b *review.Doc) bool {
	undecided := []review.State{review.StatePending, review.StateConflict}
	return slices.EqualFunc(a.Hunks(undecided...), b.Hunks(undecided...), func(x, y review.Hunk) bool {
		return x.State == y.State && x.BaseText == y.BaseText && x.Text == y.Text
	})
}

// takeLost tracks that a file which was renamed is gone, and with it the one it was:
// that one is deleted. It reports whether that is so.
func (c *Core) takeLost(ctx context.Context, f *file) (bool, error) {
	f.mu.Lock()
	w, lost := f.entire, f.entire.from != "" && len(f.open) == 0 && f.opaque == "" && f.doc != nil
	f.mu.Unlock()
	if !lost || isThere(f.path) || isThere(w.from) {
		return false, nil
	}
	old := c.file(w.from)
	release, err := holdBoth(ctx, f, old)
	if err != nil {
		return false, err
	}
	defer release()
	o := c.attribute(f.path)
	o.Change = c.changeID()
	defer lockBoth(f, old)()
	if f.entire.from != w.from || f.doc == nil || old.fileChange() != nil {
		return false, nil
	}
	had := f.doc.Text()
	old.entire = entire{by: o, ran: w.exec != nil && *w.exec}
	if len(old.open) > 0 { // the document stays
		old.entire.gone, old.entire.held, old.missing = true, f.doc.Baseline().String(), false
	} else {
		old.doc, old.deleted, old.missing = f.doc, true, true
		old.doc.AgentEdit(text.Text{}, o)
		old.keepBefore(text.Text{})
	}
	f.doc, f.entire, f.missing, f.lastNamed = nil, entire{}, true, &had
	f.keepBefore(text.Text{})
	for _, x := range []*file{f, old} {
		x.shownRev = notShown
		x.publish()
	}
	return true, nil
}

// moveBack gives a file whose rows are rejected its old name, with what the user
// wrote in it.
func (f *file) moveBack(ctx context.Context) error {
	f.mu.Lock()
	w, isText := f.entire, f.opaque == ""
	f.mu.Unlock()
	from := f.core.file(w.from)
	if err := f.moveBackHeld(ctx, from, w, isText); err != nil {
		return err
	}
	from.keep(true)
	return unlessBehind(from.catchUpAs(ctx, usersOwn))
}

func (f *file) moveBackHeld(ctx context.Context, from *file, w entire, isText bool) error {
	release, err := holdBoth(ctx, from, f)
	if err != nil {
		return err
	}
	defer release()
	var disk buffers.Disk
	if isText {
		if disk, err = buffers.ReadDisk(f.path); err != nil {
			return err
		}
		f.mu.Lock()
		_, d, open := f.live()
		same := f.doc != nil && f.doc.Text().Equal(text.New(disk.Content))
		f.mu.Unlock()
		switch {
		case !disk.Exists && open: // only the document has it
			disk.Content = d.Text.String()
			f.core.elsewhere.wrote(f.path, d.Text)
			if err := buffers.WriteFileAtomic(f.path, disk.Content, buffers.Seen{}); err != nil {
				return err
			}
		case !disk.Exists:
			return fmt.Errorf("%s is gone", f.path)
		case open: // with what is not saved
			seen := disk.Seen()
			if disk.Content = buffers.KeepStyle(disk.Content, d.Text.String()); disk.Seen() != seen {
				if err := buffers.WriteFileAtomic(f.path, disk.Content, seen); err != nil {
					return err
				}
			}
		case !same:
			return errors.New("it was changed meanwhile: look at it again")
		}
	}
	f.mu.Lock()
	var u *undone
	if change := f.fileChange(); change != nil {
		u = f.wasRenamed(w, *change)
	}
	f.mu.Unlock()
	defer f.movingBack(from, u, isText)()
	f.core.elsewhere.moves(f.path, from.path)
	if err := buffers.MoveFile(f.path, from.path); errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("there is a file %s again: move one of the two away, and reject then", from.path)
	} else if err != nil {
		return err
	}
	f.core.made.remove(f.path, w.by)
	if w.wasExec != nil {
		f.core.elsewhere.makesExec(from.path, *w.wasExec)
		if err := checkpoint.SetExec(from.path, *w.wasExec); err != nil {
			f.core.log.Warn("restore mode", "path", from.path, "err", err)
		}
	}
	f.stepsComeBack(from)
	defer lockBoth(from, f)()
	if isText && len(from.open) == 0 {
		from.doc = f.doc // with what was rejected, which can be brought back
		from.keepBefore(text.New(disk.Content))
	} else if isText && from.doc != nil && !from.doc.Tracking() { // so too, in what its document has
		doc := f.doc
		if is := from.doc.Text(); !doc.Text().Equal(is) {
			doc.Reload(is, review.Origin{Change: f.core.changeID(), Author: review.AuthorUser})
		}
		from.doc = doc
	}
	f.doc = nil
	f.follow()
	if u != nil {
		f.undone, f.kept.rested = u, time.Time{}
	}
	f.entire, f.opaque, f.opaqueSeen = entire{}, "", nil
	f.keepBefore(text.Text{})
	from.missing, f.missing = false, true
	from.wentTo = ""
	for _, x := range []*file{from, f} {
		x.shownRev = notShown
		x.publish()
		x.dropIfIdle()
	}
	return nil
}
