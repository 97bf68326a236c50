package session

import (
	"cmp"
	"context"
	"io/fs"
	"os"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// Some editors (VS Code) read the file of a document without unsaved changes anew
// by themselves, and tell it as a change like any other, maybe before anybody
// else has seen the file change. Such a change is taken for the user's at first,
// because nearly all are. It is found out from the disk whether it was one. If the disk
// has gone on by then, that shows when the editor has read what it has now. Of an editor that tells
// all that it reads by close and open (the capability reopens) no change is one: it tells of what is typed
// and saved at once only when that is on disk already, which looks the same from here.

// suspicion is that a change of a document was its file being read anew.
type suspicion struct {
	was    *review.Doc // before the change
	doc    *review.Doc // in which the change was taken for the user's
	text   text.Text   // after it
	before *taken      // what the disk had
	since  *taken      // what of the disk was taken in then, or by the same text since
	whose  review.Origin
	info   fs.FileInfo // of the file when the change was told of; nil if there was none

	// earlier is what this one went on from and the file was not written since: it had what it has
	// already when that was told of. alone is the document before this change alone, nil if that
	// was nothing that can have been read over.
	earlier *suspicion
	alone   *review.Doc
	waited  bool // once, for what else the editor reads

	// through is what the document had after a change before this one that turned nothing but its line
	// ends: an editor's undo comes by that again, and must find there what it would find if somebody had
	// looked at the disk in between. Nil if there was none.
	through *text.Text
}

// turned reports whether nothing but the line ends were turned: an editor that reads a file anew
// may tell that as a change of its own, before the rest.
func (s *suspicion) turned() bool {
	was := s.was.Text()
	return buffers.NormHashText(s.text) == buffers.NormHashText(was) && buffers.EndsOf(was).Turned(buffers.EndsOf(s.text))
}

// suspect notes a change that may be the file's being read anew: of a document
// that has what the disk had, or is clean and behind it, while somebody may be writing; or in which
// all was undone that has come to it since its editor last read or saved it. was is the document
// before the change, nil if that is a text nobody can have read. It is called before the change is taken in; mu is held.
func (f *file) suspect(after text.Text, was *buffers.Document) {
	if f.saving || f.before == nil {
		return
	}
	o, undone := f.core.attribute(f.path), f.isUndone()
	if o.Author == review.AuthorUser && !f.doc.Tracking() && !undone && !f.unread {
		return // nobody is at work, git has nothing to take away or bring back, and the editor owes nothing
	}
	// Last, for each keystroke comes here, and what a large text is to the disk takes long to tell.
	a := cmp.Or(f.anew, f.missed)
	f.missed = nil
	goesOn := a != nil && a.doc == f.doc && a.before == f.before && a.text.Equal(f.doc.Text())
	reads := undone || f.before.Equal(f.doc.Text()) || was != nil && clean(was)
	if !goesOn && !reads || f.turnsBack(after) {
		return
	}
	info, _ := os.Stat(string(f.path))
	s := &suspicion{was: f.doc.Clone(), doc: f.doc, text: after, before: f.before, since: f.before, whose: o, info: info}
	if goesOn {
		if !a.turned() && !writtenSince(a.info, info) {
			s.earlier = a
		}
		if s.earlier != nil && reads {
			s.alone = s.was
		}
		s.was = a.was
		if a.turned() {
			s.through = &a.text
		}
	}
	f.anew = s
	f.core.spawn(func() {
		if err := f.findOut(f.core.ctx); err != nil && f.core.ctx.Err() == nil {
			f.core.log.Warn("look whether a document was read anew", "path", f.path, "err", err)
		}
	})
}

// isUndone reports whether the text is what the disk had before what has come under unsaved text: an editor
// that was only told to save over that (acp/base) takes such a document for unchanged, and reads what is
// written next by itself; mu is held.
func (f *file) isUndone() bool {
	b := f.before
	return b != nil && b.from != nil && b.from.Len() == f.doc.Text().Len() && b.from.Equal(f.doc.Text())
}

// turnsBack reports whether after, which the document has had, is what the disk had when that was last taken in, and
// differs from the document in nothing but its ends: such a document is clean, but what came to
// the disk was in it already. It is the user's undo or redo then, which knows what it brings back. mu is held.
func (f *file) turnsBack(after text.Text) bool {
	b, now := f.before, f.doc.Text()
	return b.from == nil && b.Len() == after.Len() && b.Equal(after) && !b.Equal(now) &&
		buffers.NormHashText(now) == buffers.NormHashText(after) && f.doc.Had(after)
}

// of is the newest of s and those that it went on from whose text is now; s if there is none, nil if
// the user has made that text. mu is held.
func (s *suspicion) of(now text.Text) *suspicion {
	norm := buffers.NormHashText(now)
	for of := s; of != nil; of = of.earlier {
		if buffers.NormHashText(of.text) != norm {
			continue
		}
		if of.earlier != nil && buffers.NormHashText(of.before.Text) == norm {
			return nil // typed and taken back
		}
		for e := of.earlier; e != nil; e = e.earlier {
			switch {
			case e.within(now):
			case of.alone == nil:
				return nil
			default: // what came before was typed
				alone := *of
				alone.was = of.alone
				return &alone
			}
		}
		return of
	}
	return s
}

// within reports whether now has all rows that came with the change.
func (s *suspicion) within(now text.Text) bool {
	there := rowsCome(s.was.Text(), now)
	for row, n := range rowsCome(s.was.Text(), s.text) {
		if n > max(0, there[row]) {
			return false
		}
	}
	return true
}

// rowsCome counts how many more of each row now has than was, or fewer.
func rowsCome(was, now text.Text) map[string]int {
	n := map[string]int{}
	for _, row := range now.Lines(0, now.LineCount()) {
		n[row]++
	}
	for _, row := range was.Lines(0, was.LineCount()) {
		n[row]--
	}
	return n
}

// missedHere reports once whether a document has what the disk had no more when that was looked at,
// as far as that can be told: its editor may be about to tell what it has read since.
func (f *file) missedHere() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.missed
	if m == nil || m.waited || m.doc != f.doc || !m.text.Equal(f.doc.Text()) {
		return false
	}
	m.waited = true
	return true
}

// findOut finds out whether changes of the document were its file being read anew: from the disk or,
// if that has gone on, from what the editor says.
func (f *file) findOut(ctx context.Context) error {
	if err := f.awaitTold(ctx); err != nil {
		return err
	}
	err := f.compareAnew(ctx)
	if told := f.takeReadings(ctx); err == nil {
		err = told
	}
	return err
}

// compareAnew compares the text of a change that was noted by suspect with the disk.
// If they are the same, the change is that of who wrote the disk, and what the
// user has typed since is done again on top of it.
func (f *file) compareAnew(ctx context.Context) error {
	f.mu.Lock()
	noted := f.anew
	f.mu.Unlock()
	if noted == nil {
		return nil
	}
	if err := f.lockOps(ctx); err != nil {
		return err
	}
	defer f.unlockOps()
	disk, err := f.whole(ctx, f.read)
	if _, encoded := buffers.SumOf(err); encoded {
		return f.rereadHeld(ctx, func() bool { return false })
	}
	now := text.New(disk.Content)
	newest := noted
	f.mu.Lock()
	if noted = newest.of(now); noted == nil {
		if f.anew == newest {
			f.anew = nil
		}
		f.mu.Unlock()
		return err
	}
	was := noted.was.Clone() // it is tracked by now, if another call has found out
	f.mu.Unlock()
	hand := f.gitsHand(ctx, disk, was)
	elsewhere := f.core.elsewhere.wroteText(f.path, noted.text)
	whole := f.endsWhole(ctx, now)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.anew != newest {
		return nil // another call has found out, or there is a newer one
	}
	f.anew = nil
	if err != nil || !disk.Exists {
		return err
	}
	all := buffers.NormHashText(now) == buffers.NormHashText(noted.text)
	if !all && (writtenSince(noted.info, disk.Info) || buffers.NormHashText(now) != buffers.NormHashText(noted.before.Text) && noted.within(now)) {
		f.missed = noted // perhaps the editor reads that too, and this was what the disk had before
	}
	if turned := noted.turned(); !all && !turned || turned && buffers.EndsOf(now).EOL != buffers.EndsOf(noted.text).EOL {
		return nil
	}
	if f.doc != noted.doc || f.before != noted.since {
		return nil // more has happened than typing: what the disk has was taken in
	}
	if all && !f.hasRead(noted.text) && (writtenSince(noted.info, disk.Info) ||
		// An editor would have read that with its final line end, or without.
		f.ends != nil && sameFinal(*f.ends, noted.was.Text()) && !sameFinal(buffers.EndsOf(now), noted.text)) {
		f.wroteTyped(disk)
		return nil
	}
	o := noted.whose
	if elsewhere || whole { // or it is no change of its own
		o = users
	}
	o.Change = f.core.changeID()
	doc, live, old := noted.was, f.doc.Text(), noted.was.Text()
	bring := f.bring(noted.before, o, hand)
	if noted.through != nil && hand == (gitsHand{}) && noted.before.notIn(doc) == nil && buffers.EndsOf(*noted.through).EOL == buffers.EndsOf(noted.text).EOL {
		bring(doc, *noted.through)
	}
	bring(doc, noted.text)
	if !live.Equal(noted.text) {
		doc.Reload(live, review.Origin{Change: f.core.changeID(), Author: review.AuthorUser})
	}
	if !old.Equal(noted.text) {
		f.record(&o, old, noted.text, false)
	}
	f.doc = doc
	if all { // else the rest is to come
		f.keepBeforeOf(noted.text, o)
		f.readThrough(noted.text)
		f.before.info, f.before.told, f.before.there = disk.Info, true, true
	}
	f.core.unasked(f.path, o)
	f.shownRev = notShown
	f.stir()
	f.publish()
	return nil
}

// sameFinal reports whether a document ends as the disk does.
func sameFinal(ends buffers.Ends, t text.Text) bool {
	return ends.FinalNewline == buffers.EndsOf(t).FinalNewline
}
