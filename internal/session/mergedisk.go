package session

import (
	"context"
	"errors"
	"slices"

	"acp-ls/buffers"
	"acp-ls/buffers/merge"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// mergeDisk merges what has changed on disk since the before-copy into a
// document with unsaved text. Where the user has changed the same lines, or lines that touch, theirs
// stay and the disk's are kept as a conflict. errSaved: the user has saved meanwhile, or it is to be
// found out first whether the editor has read the disk by itself.
func (f *file) mergeDisk(ctx context.Context, whose func(now text.Text, before *taken) review.Origin, over func() bool) error {
	if err := f.lockOps(ctx); err != nil {
		return err
	}
	defer f.unlockOps()
	f.mu.Lock()
	saves := f.saves
	f.mu.Unlock()
	disk, err := f.whole(ctx, f.read)
	if err != nil || !disk.Exists || over() {
		return err
	}
	now := text.New(disk.Content)
	f.mu.Lock()
	if f.unsure() || f.saves != saves {
		f.mu.Unlock()
		return errSaved
	}
	if f.wroteTyped(disk) {
		f.mu.Unlock()
		return nil
	}
	lately, earlier := slices.Clone(f.lately), slices.Clone(f.earlier)
	before, mirrored := f.before, f.sent != nil && f.sent.Equal(now)
	ends := buffers.EndsOf(now)
	live, d, open := f.live()
	moved := f.endsMoved(ends)
	exact := open && moved && f.keepsRowEnds(live, d) && !f.ends.Turned(ends)
	f.mu.Unlock()
	if before != nil && before.emptied == nil && (before.Equal(now) || before.HashRows() == now.HashRows()) && !moved {
		return nil // line ends that are others may be the editor's
	}
	o := whose(now, before)
	if moved && before != nil && buffers.NormHashText(before.Text) == buffers.NormHashText(now) {
		o = f.core.attribute(f.path)
	}
	if over() { // or it may have been over when that was asked for
		return nil
	}
	o.Change = f.core.changeID()
	if open {
		f.tellEnds(live, d, ends, now, o, moved && f.endsWhole(ctx, now))
	}
	if before == nil || mirrored { // what has changed is unknown, or came through us already
		f.mu.Lock()
		if f.keepBefore(now); mirrored {
			f.keepBeforeIn(disk, o)
		}
		f.before.there = true
		f.mu.Unlock()
		if before == nil {
			return nil
		}
		return f.takeSame(ctx, disk, saves)
	}
	f.core.unasked(f.path, o)
	hand := f.gitsHand(ctx, disk, f.tracked())
	bring := f.bring(before, o, hand)
	var disputes []dispute // of the last time it was applied
	var had *review.Doc    // beside it: the document before that
	take := operation{
		label: "changed on disk", by: &o,
		apply: func(doc *review.Doc) error {
			had, disputes = doc.Clone(), nil
			if f.mergePart(doc, before, now, bring) {
				return nil
			}
			in, users := before.in(doc), before.usersIn(doc)
			base := baseOnDisk(in, lately, earlier, disk.Content).String()
			if base != in.String() {
				users = text.New(base) // what others had made was made of something else
			}
			m := merge.TextsWith(base, doc.Text().String(), disk.Content, merge.Options{WhitespaceYields: true})
			disputes = disputesOf(m, f.core.untouched.addConflicts(doc, before.disputedBy(doc, o), m, base, disk.Content), text.New(base), users)
			before.withdraw(doc, disputes)
			if exact {
				m.Text = withRowEnds(text.New(base), now, m.Text)
			}
			hand.edit(doc, text.New(m.Text), o)
			return nil
		},
		takes: func() *taken {
			return before.under(had, &taken{Text: now, by: &o, info: disk.Info, disputes: disputes, there: true}, &o)
		},
		// What the editor has read by itself is in the text already, and is to be found out whose it is: to take
		// it in with this would make it the user's.
		stale: func() bool { return f.saves != saves || f.unsure() },
	}
	return f.adoptOrChangeHeld(ctx, disk, take)
}

// adoptSame has the editor take the disk's state for the base of a document that has the disk's
// text already, or saving it would be a conflict.
func (f *file) adoptSame(ctx context.Context, disk buffers.Disk, saves int) error {
	if err := f.lockOps(ctx); err != nil {
		return err
	}
	defer f.unlockOps()
	return f.takeSame(ctx, disk, saves)
}

// takeSame is adoptSame where ops is held. The user may have typed on since the document had the
// disk's text.
func (f *file) takeSame(ctx context.Context, disk buffers.Disk, saves int) error {
	adopted, err := f.adoptSameHeld(ctx, disk, saves)
	if err == nil && !adopted {
		f.giveBase(ctx, disk, nil)
	}
	return err
}

// adoptSameHeld has the editor take the disk's state for the base of a document that has in it what
// the disk has. It reports whether the editor knows that now; ops is held.
func (f *file) adoptSameHeld(ctx context.Context, disk buffers.Disk, saves int) (bool, error) {
	adopted, err := f.adopt(ctx, disk, operation{
		label: "written on disk too",
		apply: func(*review.Doc) error { return nil },
		stale: func() bool { return f.saves != saves || f.unsure() },
	})
	if errors.Is(err, errSaved) {
		return true, nil // it knows what it has written
	}
	return adopted, err
}

// adopt has the editor take the merged text and the disk's state together, so
// that saving is no conflict later. It reports whether that was done; ops is held.
func (f *file) adopt(ctx context.Context, disk buffers.Disk, take operation) (bool, error) {
	if err := f.awaitSettled(ctx); err != nil {
		return false, err
	}
	live, d, ok := f.lockFollowed()
	if !ok || !live.at.editor.Can("adopt") || f.clash() != nil {
		f.mu.Unlock()
		return false, nil
	}
	if take.stale != nil && take.stale() {
		f.mu.Unlock()
		return false, errSaved
	}
	next := f.doc.Clone()
	if err := take.apply(next); err != nil {
		f.mu.Unlock()
		return false, err
	}
	fl := &flight{before: f.doc.Clone(), want: next.Text(), next: next, op: take}
	f.flight = fl
	announce := f.announce(next, false, take.under)
	f.mu.Unlock()
	announce()
	adopted, err := live.at.editor.Adopt(ctx, live.uri, d.Version, next.Text().String(), disk.Content)
	if err != nil || !adopted {
		f.mu.Lock()
		f.flight = nil
		f.mu.Unlock()
		return false, ctx.Err()
	}
	f.mu.Lock()
	if now := f.doc.Text(); now.Equal(fl.before.Text()) { // it was the text already, and the editor may tell nothing
		f.land(now)
	}
	f.mu.Unlock()
	live.at.store.Adopted(d, text.New(disk.Content)) // what was saved before is unsaved from now on
	var again errAgain
	if err := f.await(ctx, fl, take, nil); errors.As(err, &again) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	f.mu.Lock()
	if !fl.users {
		f.record(take.by, take.begins(fl.before), fl.want, false)
	}
	f.mu.Unlock()
	return true, nil
}
