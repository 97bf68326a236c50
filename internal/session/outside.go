package session

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/merge"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// What agents write behind the editor's back is found by comparing the disk with
// the before-copies of the open documents in the session's folder: at the start
// of a turn, which is where the copies come from, and at the points of it where
// something can have been written, when a tool call has ended and when the turn
// has. Neither the words of the agent nor the watching of folders is relied on.

// touched notes what a tool call names, and looks at the files when it has
// ended; mu is held.
func (s *session) touched(p ToolPatch) {
	if p.Locations != nil {
		for _, l := range *p.Locations {
			if filepath.IsAbs(l.Path) && s.reviews(buffers.Path(l.Path)) {
				s.core.spawn(func() { s.core.watchFolder(l.Path) })
			}
		}
	}
	it := s.log.tools[p.ID]
	if it == nil || p.Status == nil || !toolEnded(*p.Status) {
		return
	}
	it.ended = s.core.now()
	if s.running == nil {
		return
	}
	t := s.running
	s.core.spawn(func() { s.core.turnPoint(s, t) })
}

// beginPoint tells that the disk may still have what a turn has done and is not known.
// With the last point it ends to.
func (s *session) beginPoint(t *turn, last bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != t || t.looked {
		return false
	}
	t.looked = last
	return true
}

// turnStart takes the before-copies. What has changed on disk since the last
// turn is not the agent's, and documents it has left behind follow it meanwhile.
func (c *Core) turnStart(s *session, t *turn) {
	_ = c.durable.wait(c.ctx) // what was changed before is no agent's of now
	c.durable.neighbours(c.ctx)
	c.lookAtGit(c.ctx)
	if !c.settings().Review.OutOfBand {
		return
	}
	s.findRoots()
	c.othersPoint(s)
	files, first := append(c.filesOf(s), c.documentsOutside(s)...), map[*file]*buffers.Disk{}
	news := false
	for _, f := range files {
		c.watchFolder(string(f.path))
		var differs bool
		first[f], differs = f.peek()
		news = news || differs
	}
	if news && pause(c.ctx, quietFor) != nil { // one may be in the middle of being written
		return
	}
	for _, f := range files {
		if err := f.takeBefore(c.ctx, first[f]); err != nil && c.ctx.Err() == nil {
			c.log.Warn("look at file before a turn", "path", f.path, "err", err)
		}
	}
	c.followEncoded(c.ctx, files)
	s.takeCheckpoint(c.ctx, t)
	c.spawn(func() { c.turnPoint(s, t) })
}

// othersPoint has what other turns in the session's folder have done so far taken
// in: the before-copies of this one would make it the user's.
func (c *Core) othersPoint(s *session) {
	for _, o := range c.allSessions() {
		o.mu.Lock()
		t := o.running
		o.mu.Unlock()
		if o != s && o.atWork() && (s.loose != "" || o.loose != "" || slices.ContainsFunc(o.roots(), s.worksIn)) {
			c.turnPoint(o, t)
		}
	}
}

// turnPoint takes what the disk has and the open documents in a session's
// folder have not into the documents.
func (c *Core) turnPoint(s *session, t *turn) { c.pointOf(s, t, false) }

// lastPoint is turnPoint for a turn that the agent has ended. Those that wait for it
// come too late: the user may have gone on by then.
func (c *Core) lastPoint(s *session, t *turn) { c.pointOf(s, t, true) }

func (c *Core) pointOf(s *session, t *turn, last bool) {
	defer c.lookAtGit(c.ctx)
	if !c.settings().Review.OutOfBand {
		return
	}
	select {
	case s.looking <- struct{}{}:
		defer func() { <-s.looking }()
	case <-c.ctx.Done():
		return
	}
	if !s.beginPoint(t, last) { // what the disk has now is not the turn's any more
		return
	}
	s.takeNamed(c.ctx)
	defer s.compareNamed(c.ctx)
	defer s.compareDisk(c.ctx)
	for _, f := range c.filesOf(s) {
		if err := f.catchUp(c.ctx); err != nil && c.ctx.Err() == nil {
			c.log.Warn("bring document up to date", "path", f.path, "err", err)
		}
	}
}

func (c *Core) filesOf(s *session) []*file {
	return slices.DeleteFunc(c.allFiles(), func(f *file) bool { return !s.concerns(f.path) })
}

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
	f.sent = nil // what is written from now on is no second half of that
	live, _, open := f.live()
	known, noText := f.doc != nil || f.before != nil, f.entire.copy != nil
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
	look := buffers.ReadDisk
	if open {
		look = live.at.store.Look
	}
	disk, err := f.wholeAfter(ctx, look, last)
	f.mu.Lock()
	defer f.mu.Unlock()
	had := f.before
	f.before, f.missing, f.opaqueSeen, f.entire.exec = nil, false, nil, nil
	if sum, ok := buffers.SumOf(err); ok {
		f.beginEncoded(sum, had)
		return nil
	}
	f.encoded = nil
	f.keepEnds(disk, err)
	if err != nil {
		return err
	}
	now := text.New(disk.Content)
	if f.keepBefore(now); had != nil && had.Equal(now) {
		f.before = had // whose it is may still matter
	}
	f.missing = !disk.Exists
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
	f.before = &taken{Text: t}
	f.attachDisputes()
	f.later()
	f.noteKnown()
}

// keepBeforeOf is keepBefore for a text that is the change of o; mu is held.
func (f *file) keepBeforeOf(t text.Text, o review.Origin) {
	f.keepBefore(t)
	f.before.by = &o
}

// catchUp takes a disk that has moved into the document: a clean one is reloaded
// by its editor or edited, into a dirty one the change is merged.
func (f *file) catchUp(ctx context.Context) error { return f.catchUpAs(ctx, f.whose) }

// catchUpAs is catchUp for a text of which whose says whose it is.
func (f *file) catchUpAs(ctx context.Context, whose func(now text.Text, before *taken) review.Origin) error {
	return f.catchUpUnless(ctx, whose, func() bool { return false })
}

// catchUpUnless is catchUpAs, unless it is over when the disk has been read.
func (f *file) catchUpUnless(ctx context.Context, whose func(now text.Text, before *taken) review.Origin, over func() bool) error {
	for range maxTries {
		if again, err := f.catchUpOnce(ctx, whose, over); err != nil || !again {
			return err
		}
	}
	return nil
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
	if _, d, open := f.live(); f.before == before && open && clean(d) && f.anew == nil && f.doc != nil && buffers.NormHashText(f.doc.Text()) == buffers.NormHashText(now) {
		f.keepBeforeOf(now, o)
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
	disk, err := f.whole(ctx, live.at.store.Look)
	if _, encoded := buffers.SumOf(err); encoded {
		return false, f.reread(ctx, over)
	}
	if err != nil || !disk.Exists || over() {
		return false, err
	}
	hand := f.gitsHand(ctx, disk, f.tracked())
	f.mu.Lock()
	f.encoded = nil
	f.isBack()
	f.publish()
	f.mu.Unlock()
	d, open = live.at.Document(live.uri)
	f.mu.Lock()
	anew := f.anew != nil
	f.mu.Unlock()
	switch {
	case !open:
		return false, nil
	case anew:
		return true, nil // it is to be found out first whether the editor has read that by itself
	case d.State() == buffers.Dirty:
		return false, f.mergeDisk(ctx, whose, over)
	}
	now := text.New(disk.Content)
	ends := buffers.EndsOf(now)
	f.mu.Lock()
	before = f.before
	moved := f.endsMoved(ends)
	want := f.withEnds(text.New(buffers.KeepStyle(d.Text.String(), disk.Content)), ends, live.at.editor.Can("reload"))
	f.mu.Unlock()
	if d.State() != buffers.Behind && !moved {
		f.cameTo(now, before)
		return false, nil
	}
	o := whose(want, before)
	if d.State() != buffers.Behind {
		o = f.core.attribute(f.path)
	}
	o.Change = f.core.changeID()
	f.core.unasked(f.path, o)
	f.tellEnds(live, d, ends, o)
	if want.Equal(d.Text) {
		if d.State() == buffers.Clean {
			f.cameTo(now, before)
		}
		return false, f.takeMark(ctx, live, now, o)
	}
	if done, again, err := f.reload(ctx, live, d, want, o, before, hand); done || err != nil {
		return again, err
	}
	bring := f.bring(before, o, hand)
	_, err = f.change(ctx, operation{
		label: "changed on disk", by: &o,
		apply: func(doc *review.Doc) error {
			if !doc.Text().Equal(d.Text) {
				return errGoneOn
			}
			bring(doc, want)
			return nil
		},
		takes: func() *taken { return &taken{Text: text.New(disk.Content), by: &o} },
	})
	if errors.Is(err, errGoneOn) {
		return true, nil // nothing of the disk has come in, and the document is dirty now
	}
	return false, err
}

// reload has the editor reload a document whose file has moved. The text that
// then arrives, by whatever messages, is the change of o. It reports whether that is
// done with, and whether the disk is to be looked at again, as another text has come.
func (f *file) reload(ctx context.Context, live openDoc, d *buffers.Document, want text.Text, o review.Origin, before *taken, hand gitsHand) (done, again bool, err error) {
	if !live.at.editor.Can("reload") {
		return false, false, nil
	}
	if err := f.lockOps(ctx); err != nil {
		return false, false, err
	}
	defer f.unlockOps()
	f.mu.Lock()
	if f.doc == nil || !f.doc.Text().Equal(d.Text) {
		f.mu.Unlock()
		return true, true, nil // as with errGoneOn
	}
	bring := f.bring(before, o, hand)
	load := operation{label: "changed on disk", apply: func(doc *review.Doc) error {
		bring(doc, want)
		return nil
	}}
	next := f.doc.Clone()
	_ = load.apply(next)
	was := f.doc.Text()
	fl := &flight{before: f.doc.Clone(), want: want, next: next, reload: bring}
	load.takes = func() *taken {
		had := taken{Text: want, by: &o}
		if fl.readBy != nil {
			had.by = fl.readBy
		}
		if fl.read != nil {
			had.Text = *fl.read
		}
		return &had
	}
	fl.op = load
	f.flight = fl
	announce := f.announce(next, f.created, f.deleted, false, false)
	f.mu.Unlock()
	announce()
	reloaded, err := live.at.editor.Reload(ctx, live.uri)
	if err != nil || !reloaded {
		f.mu.Lock()
		f.flight = nil
		f.mu.Unlock()
		return false, false, ctx.Err()
	}
	var tryAgain errAgain
	if err := f.await(ctx, fl, load, nil); errors.As(err, &tryAgain) {
		return false, false, nil
	} else if err != nil {
		return false, false, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	is, by := want, o
	if fl.readBy != nil { // it was written on meanwhile, or emptied for that
		f.record(&o, was, want, false)
		was, by, again = want, *fl.readBy, true
	}
	if fl.read != nil {
		is = *fl.read
	}
	f.record(&by, was, is, false)
	return true, again, nil
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

// mergeDisk merges what has changed on disk since the before-copy into a
// document with unsaved text. Where the user has changed the same lines, theirs
// stay and the disk's are kept as a conflict.
func (f *file) mergeDisk(ctx context.Context, whose func(now text.Text, before *taken) review.Origin, over func() bool) error {
	if err := f.lockOps(ctx); err != nil {
		return err
	}
	defer f.unlockOps()
	disk, err := f.whole(ctx, buffers.ReadDisk)
	if err != nil || !disk.Exists || over() {
		return err
	}
	now := text.New(disk.Content)
	f.mu.Lock()
	before, mirrored := f.before, f.sent != nil && f.sent.Equal(now)
	ends := buffers.EndsOf(now)
	live, d, open := f.live()
	moved := f.endsMoved(ends)
	f.mu.Unlock()
	if before != nil && (before.Equal(now) || before.HashRows() == now.HashRows()) && !moved {
		return nil // line ends that are others may be the editor's
	}
	o := whose(now, before)
	if moved && before != nil && buffers.NormHashText(before.Text) == buffers.NormHashText(now) {
		o = f.core.attribute(f.path)
	}
	o.Change = f.core.changeID()
	if open {
		f.tellEnds(live, d, ends, o)
	}
	if before == nil || mirrored { // what has changed is unknown, or came through us already
		f.mu.Lock()
		if f.keepBefore(now); mirrored {
			f.keepBeforeOf(now, o)
		}
		f.mu.Unlock()
		return nil
	}
	f.core.unasked(f.path, o)
	hand := f.gitsHand(ctx, disk, f.tracked())
	var disputes []dispute // of the last time it was applied
	take := operation{
		label: "changed on disk", by: &o,
		apply: func(doc *review.Doc) error {
			base := before.in(doc).String()
			m := merge.TextsWith(base, doc.Text().String(), disk.Content, merge.Options{WhitespaceYields: true})
			disputes = disputesOf(m, addConflicts(doc, o, m, base, disk.Content), text.New(base))
			before.withdraw(doc, disputes)
			hand.edit(doc, text.New(m.Text), o)
			return nil
		},
		takes: func() *taken { return &taken{Text: now, by: &o, disputes: disputes} },
	}
	adopted, err := f.adopt(ctx, take)
	if err == nil && !adopted {
		_, err = f.changeHeld(ctx, take)
	}
	return err
}

// adopt has the editor take the merged text and the disk's state together, so
// that saving is no conflict later. It reports whether that was done; ops is held.
func (f *file) adopt(ctx context.Context, take operation) (bool, error) {
	if err := f.awaitSettled(ctx); err != nil {
		return false, err
	}
	live, d, ok := f.lockFollowed()
	if !ok || !live.at.editor.Can("adopt") || f.clash() != nil {
		f.mu.Unlock()
		return false, nil
	}
	next := f.doc.Clone()
	_ = take.apply(next) // a merge cannot fail
	fl := &flight{before: f.doc.Clone(), want: next.Text(), next: next, op: take}
	f.flight = fl
	announce := f.announce(next, f.created, f.deleted, false, false)
	f.mu.Unlock()
	announce()
	adopted, err := live.at.editor.Adopt(ctx, live.uri, d.Version, next.Text().String())
	if err != nil || !adopted {
		f.mu.Lock()
		f.flight = nil
		f.mu.Unlock()
		return false, ctx.Err()
	}
	var again errAgain
	if err := f.await(ctx, fl, take, nil); errors.As(err, &again) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	f.mu.Lock()
	f.record(take.by, fl.before.Text(), fl.want, false)
	f.mu.Unlock()
	return true, nil
}

// whose says who has put a text on the disk, where before was: what had been
// there when the turn began is not the agent's.
func (f *file) whose(now text.Text, before *taken) review.Origin {
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
