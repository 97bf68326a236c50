package session

import (
	"context"
	"errors"
	"path/filepath"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// peek reads a file that is followed, and tells whether it is another one than was known.
func (f *file) peek() (disk *buffers.Disk, differs bool) {
	f.mu.Lock()
	known, follow := f.before, len(f.open) > 0 || f.doc != nil || f.before != nil
	f.mu.Unlock()
	if !follow {
		return nil, false
	}
	read, err := buffers.ReadDisk(f.path)
	if err != nil {
		return nil, false
	}
	return &read, known != nil && read.Exists && !known.Equal(text.New(read.Content))
}

// takeBefore makes the before-copy that of the disk as it is now; last is what the file
// was a while ago, if it was read then.
func (f *file) takeBefore(ctx context.Context, last *buffers.Disk) error {
	f.mu.Lock()
	f.sent, f.entire.text, f.entire.unseen = nil, nil, false // what is written from now on is no second half of that
	live, _, open := f.live()
	known, noText, saves := f.doc != nil || f.before != nil, f.entire.copy != nil, f.saves
	if !open && noText {
		f.before, f.missing, f.opaqueSeen, f.entire.exec = nil, false, nil, nil
		f.mu.Unlock()
		f.takeBack(checkpoint.CopyOf(f.path).State)
		return nil
	}
	f.mu.Unlock()
	if !open && !known {
		return nil
	}
	look := f.read
	if open {
		look = live.at.store.Look
	}
	disk, err := f.wholeAfter(ctx, look, last)
	f.mu.Lock()
	for tries := 0; f.saves != saves && tries < maxTries; tries++ { // what was read may be what was there before
		saves = f.saves
		f.mu.Unlock()
		disk, err = f.whole(ctx, look)
		f.mu.Lock()
	}
	defer f.mu.Unlock()
	had := f.before
	f.before, f.missing, f.opaqueSeen, f.entire.exec = nil, false, nil, nil
	f.keepCoded(disk, err)
	if sum, ok := buffers.SumOf(err); ok {
		f.beginEncoded(sum, had)
		return nil
	}
	f.encoded = nil
	f.keepEnds(disk, err)
	if err != nil {
		return err
	}
	f.missing = !disk.Exists
	if open && !disk.Exists && had != nil && had.Len() > 0 {
		f.before = had // which its document is of still: if the file is there again, that is what it has had
		f.isGone()
		return nil
	}
	now := text.New(disk.Content)
	if f.keepBefore(now); had != nil && had.Equal(now) {
		f.before = had // whose it is may still matter
	} else if had != nil && f.unbrought.Load().is(now) {
		f.before = had // it is to come into the document yet
	} else if had != nil && had.emptied != nil {
		f.before = f.before.emptiedFrom(had.emptied)
	}
	if !open {
		f.takeUsers(disk, review.AuthorUser)
	} else if disk.Exists {
		f.isBack()
		f.publish()
	}
	return nil
}

// keepBefore takes t as what the disk has and the document has taken in; mu is
// held.
func (f *file) keepBefore(t text.Text) {
	f.moveDisk(&taken{Text: t})
	if f.doc != nil && f.doc.Text().Equal(t) {
		f.lately, f.earlier = nil, nil // nothing is unsaved, and what there was before is not written any more
	} else {
		f.forgetTyped(t.Equal)
	}
	f.attachUnder()
	f.later()
	f.noteKnown()
}

// keepBeforeOf is keepBefore for a text that is the change of o; mu is held.
func (f *file) keepBeforeOf(t text.Text, o review.Origin) {
	f.keepBefore(t)
	f.before.by = &o
	f.tellFound()
}

// tellFound tells other acp-ls of what was taken into a document; mu is held.
func (f *file) tellFound() {
	if f.core.elsewhere != nil && len(f.open) > 0 && f.before.by != nil && f.before.by.Sure {
		f.core.elsewhere.found(f.path, checkpoint.State{Exists: true, Content: f.before.String()}, *f.before.by)
	}
}

// keepBeforeIn is keepBeforeOf for what was read of the disk; mu is held.
func (f *file) keepBeforeIn(disk buffers.Disk, o review.Origin) {
	f.keepBeforeOf(text.New(disk.Content), o)
	f.before.info, f.before.there = disk.Info, disk.Exists
}

// catchUp takes a disk that has moved into the document: a clean one is reloaded
// by its editor or edited, into a dirty one the change is merged.
func (f *file) catchUp(ctx context.Context) error { return f.catchUpAs(ctx, f.whose) }

// catchUpAs is catchUp for a text of which whose says whose it is.
func (f *file) catchUpAs(ctx context.Context, whose func(now text.Text, before *taken) review.Origin) error {
	return f.catchUpUnless(ctx, whose, func() bool { return false })
}

// catchUpUnless is catchUpAs, unless it is over when the disk has been read. errBehind: each time
// something else has come between.
func (f *file) catchUpUnless(ctx context.Context, whose func(now text.Text, before *taken) review.Origin, over func() bool) error {
	f.codedAgain()
	f.mu.Lock()
	if f.underDocument() {
		whose = func(text.Text, *taken) review.Origin { return usersOwn(text.Text{}, nil) }
	}
	f.mu.Unlock()
	for try := range maxTries {
		if try > 1 { // it may be that somebody is just at it
			if err := pause(ctx, quietFor); err != nil {
				return err
			}
		}
		if again, err := f.catchUpOnce(ctx, whose, over); err != nil || !again {
			return err
		}
	}
	return errBehind
}

// cameTo takes in that a document has what the disk has, though nobody brought it there: the
// user has made what was made on disk, and what both have made is no change of either.
func (f *file) cameTo(now text.Text, before *taken) {
	if before == nil || buffers.NormHashText(before.Text) == buffers.NormHashText(now) {
		return
	}
	o := f.whose(now, before)
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, d, open := f.live(); f.before == before && open && clean(d) && !f.unsure() && f.doc != nil && buffers.NormHashText(f.doc.Text()) == buffers.NormHashText(now) {
		f.keepBeforeOf(now, o)
		f.before.there = true
		before.settle(f.doc)
		f.shownRev = notShown
		f.publish()
	}
}

// errGoneOn is the error for a document in which the user has typed before it could be
// brought up to date.
var errGoneOn = errors.New("the user has typed meanwhile")

// catchUpOnce is catchUpAs for what the disk has at one time. again: the editor has
// read something else, or the user has gone on.
func (f *file) catchUpOnce(ctx context.Context, whose func(now text.Text, before *taken) review.Origin, over func() bool) (again bool, err error) {
	if err := f.awaitArrival(ctx); err != nil {
		return false, err
	}
	f.mu.Lock()
	live, d, open := f.live()
	before, gone, fine, seen := f.before, f.entire.gone, f.fine, f.ends
	f.mu.Unlock()
	if !open || !gone && f.upToDate(live, d, before, fine, seen) || isLink(f.path) {
		return false, nil // what a link in its place points at is another file
	}
	if err := f.findOut(ctx); err != nil {
		return false, err
	}
	f.mu.Lock()
	saves := f.saves
	f.mu.Unlock()
	disk, err := f.whole(ctx, live.at.store.Look)
	if _, encoded := buffers.SumOf(err); encoded {
		return false, f.reread(ctx, over)
	}
	if err != nil || !disk.Exists || over() {
		return false, err
	}
	if f.endMove(ctx) {
		return true, nil
	}
	hand := f.gitsHand(ctx, disk, f.tracked())
	f.mu.Lock()
	f.isText(disk)
	f.isBack()
	f.publish()
	f.mu.Unlock()
	d, open, settled := f.seen(live, disk, saves)
	switch {
	case !open:
		return false, nil
	case !settled:
		return true, nil
	case d.State() == buffers.Dirty && f.missedHere():
		return true, pause(ctx, quietFor)
	case d.State() == buffers.Dirty:
		if err := f.mergeDisk(ctx, whose, over); !errors.Is(err, errSaved) {
			return false, err
		}
		return true, nil
	}
	now := text.New(disk.Content)
	ends := buffers.EndsOf(now)
	f.mu.Lock()
	if f.saves != saves {
		f.mu.Unlock()
		return true, nil
	}
	before = f.before
	moved := f.endsMoved(ends)
	if d.State() == buffers.Clean && before != nil && buffers.NormHashText(before.Text) != buffers.NormHashText(now) {
		moved = false // the document has come to that by itself, or its editor has written it
		if !f.wroteTyped(disk) {
			f.keepEnds(disk, nil)
		}
	}
	want := f.withEnds(text.New(buffers.KeepStyle(d.Text.String(), disk.Content)), ends, live.at.editor.Can("reload"))
	if f.showsRowEnds(live, d) {
		want = endedAs(disk.Content, want)
	}
	f.mu.Unlock()
	whole := f.endsWhole(ctx, now)
	if d.State() != buffers.Behind && !moved {
		news := before != nil && buffers.NormHashText(before.Text) != buffers.NormHashText(now)
		f.cameTo(now, before)
		if !news {
			return false, nil
		}
		// An agent has written what it had written through us: the editor has an older base.
		return false, f.adoptSame(ctx, disk, saves)
	}
	o := whose(want, before)
	if d.State() != buffers.Behind {
		o = f.core.attribute(f.path)
	}
	if over() { // or it may have been over when that was asked for
		return false, nil
	}
	o.Change = f.core.changeID()
	f.core.unasked(f.path, o)
	f.tellEnds(live, d, ends, now, o, whole)
	if whole { // what the editor reads of that is no change of its own
		o = usersOwn(now, nil)
	}
	if want.Equal(d.Text) {
		if d.State() == buffers.Clean {
			f.cameTo(now, before)
		}
		return false, f.takeMark(ctx, live, now, o)
	}
	if done, again, err := f.reload(ctx, live, d, saves, want, disk, o, before, hand); done || err != nil {
		return again, err
	}
	if f.isUnread() {
		return false, nil
	}
	bring := f.bring(before, o, hand)
	take := operation{
		label: "changed on disk", by: &o, from: f.begunWith(before),
		apply: func(doc *review.Doc) error {
			if !doc.Text().Equal(d.Text) {
				return errGoneOn
			}
			bring(doc, want)
			return nil
		},
		takes: func() *taken { return &taken{Text: text.New(disk.Content), by: &o, info: disk.Info, there: true} },
		stale: func() bool { return f.saves != saves },
	}
	if err = f.adoptOrChange(ctx, disk, take); errors.Is(err, errGoneOn) || errors.Is(err, errSaved) {
		return true, nil // nothing of the disk has come in, and the document is dirty now
	}
	return err == nil, err // who has looked meanwhile has found the document as it was
}

// adoptOrChange brings in a disk that the editor has not reloaded. What is unsaved in the
// document may be no text, as the kind of its line ends: as with unsaved text, the disk's state
// belongs to what is brought in, or to save it would be a conflict.
func (f *file) adoptOrChange(ctx context.Context, disk buffers.Disk, take operation) error {
	if err := f.lockOps(ctx); err != nil {
		return err
	}
	adopted, err := f.adopt(ctx, disk, take)
	f.unlockOps()
	if err == nil && !adopted {
		take.alone = true
		_, err = f.change(ctx, take)
		f.giveBase(ctx, disk, err)
	}
	return err
}

// reload has the editor reload a document whose file has moved. The text that
// then arrives, by whatever messages, is the change of o. It reports whether that is
// done with, and whether the disk is to be looked at again, as another text has come.
func (f *file) reload(ctx context.Context, live openDoc, d *buffers.Document, saves int, want text.Text, disk buffers.Disk, o review.Origin, before *taken, hand gitsHand) (done, again bool, err error) {
	if !live.at.editor.Can("reload") {
		return false, false, nil
	}
	if err := f.lockOps(ctx); err != nil {
		return false, false, err
	}
	defer f.unlockOps()
	f.mu.Lock()
	if f.doc == nil || !f.doc.Text().Equal(d.Text) || f.saves != saves {
		f.mu.Unlock()
		return true, true, nil // as with errGoneOn
	}
	bring := f.bring(before, o, hand)
	load := operation{label: "changed on disk", stale: func() bool { return f.saves != saves }, apply: func(doc *review.Doc) error {
		bring(doc, want)
		return nil
	}}
	next := f.doc.Clone()
	_ = load.apply(next)
	was := f.doc.Text()
	if had := before.notIn(f.doc); had != nil {
		was = *had
	}
	fl := &flight{before: f.doc.Clone(), want: want, next: next, reload: bring}
	load.takes = func() *taken {
		had := taken{Text: want, by: &o, info: disk.Info, there: true}
		if fl.readBy != nil {
			had.by, had.info = fl.readBy, nil
		}
		if fl.read != nil {
			had.Text = *fl.read
		}
		return &had
	}
	fl.op = load
	f.flight = fl
	announce := f.announce(next, false, nil)
	f.mu.Unlock()
	announce()
	reloaded, err := live.at.editor.Reload(ctx, live.uri)
	if err != nil || !reloaded {
		f.mu.Lock()
		f.flight = nil
		f.mu.Unlock()
		return false, false, ctx.Err()
	}
	f.mu.Lock()
	if now := f.doc.Text(); live.at.editor.Can("adopt") && now.Equal(fl.before.Text()) {
		f.land(now) // it reads as before, as line ends may, and the editor has nothing to tell
	}
	f.mu.Unlock()
	var tryAgain errAgain
	if err := f.await(ctx, fl, load, nil); errors.As(err, &tryAgain) {
		return false, false, nil
	} else if err != nil {
		return false, false, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if fl.users {
		return true, false, nil
	}
	is, by := want, o
	if fl.readBy != nil { // it was written on meanwhile, or emptied for that
		f.record(&o, was, want, false)
		was, by, again = want, *fl.readBy, true
	}
	if fl.read != nil {
		is = *fl.read
	}
	f.record(&by, was, is, false)
	return true, again || fl.past, nil
}

// asksFor is isAskedFor for a caller that does not hold mu.
func (f *file) asksFor(t text.Text) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.isAskedFor(t)
}

// isAskedFor reports whether an editor was asked to read the file anew and t is what that had, so that
// the text is what was read and nothing that is unsaved; mu is held.
func (f *file) isAskedFor(t text.Text) bool {
	fl := f.flight
	return fl != nil && fl.reload != nil && !fl.landed && fl.encoded == nil && buffers.NormHashText(t) == buffers.NormHashText(fl.want)
}

// takeRead takes in what an editor has read that was asked to reload. If that is not what
// the disk had when it was asked, somebody is just writing; mu is held.
func (f *file) takeRead(fl *flight, t text.Text) {
	f.doc, fl.landed, fl.read = fl.before, true, &t
	if buffers.NormHashText(t) == buffers.NormHashText(fl.want) {
		fl.reload(f.doc, t)
		f.tookIn(fl.op)
		return
	}
	fl.reload(f.doc, fl.want)
	by := f.core.attribute(f.path)
	by.Change = f.core.changeID()
	fl.readBy = &by
	takeOver(f.doc, t, by)
	f.tookIn(fl.op)
}

// seen is the live document when the disk was just read, before which the user had saved that
// often; settled: not again, nobody has read something else since, and it is known whether the
// editor has read that by itself.
func (f *file) seen(live openDoc, disk buffers.Disk, saves int) (d *buffers.Document, open, settled bool) {
	live.at.step.Lock()
	defer live.at.step.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	d, open = live.at.Document(live.uri)
	return d, open, open && d.Held(text.New(disk.Content)) && !f.unsure() && f.saves == saves
}

// whose says who has put a text on the disk, where before was: what had been
// there when the turn began is not the agent's.
func (f *file) whose(now text.Text, before *taken) review.Origin {
	if o := f.unbrought.Load(); o.is(now) {
		return o.by
	}
	if before != nil && buffers.NormHashText(before.Text) == buffers.NormHashText(now) {
		if before.by != nil {
			return *before.by
		}
		return review.Origin{Author: review.AuthorUser, Sure: true}
	}
	content := now.String()
	var had *string
	if before != nil {
		s := before.String()
		had = &s
	}
	return f.core.attributeText(f.path, had, &content)
}

// whoseThen is whose for a text that came when then was at work.
func (f *file) whoseThen(now text.Text, before *taken, then review.Origin) review.Origin {
	who := f.whose(now, before)
	if f.core.saysSaved.is(f.path, now) || f.core.elsewhere.wroteText(f.path, now) {
		return users
	}
	if who.Author == review.AuthorUser && (before == nil || buffers.NormHashText(before.Text) != buffers.NormHashText(now)) {
		return then // the turn has ended meanwhile, or it is the user's all the same
	}
	return who
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
