package session

import (
	"acp-ls/buffers"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// While no agent works, what programs do to files is the user's doing: it is in the
// baseline too, and what it takes away of undecided changes is listed and comes back
// with its text (rule 8).

// usersOwn says of any text on disk that it is the user's.
func usersOwn(text.Text, *taken) review.Origin {
	return review.Origin{Author: review.AuthorUser, Sure: true}
}

// takeOver makes t, which somebody has put in the place of the text, that of doc.
func takeOver(doc *review.Doc, t text.Text, o review.Origin) { gitsHand{}.takeOver(doc, t, o) }

// bring returns a function that makes what the disk has, which is o's, the text of a clean
// document's doc. What the disk had before and the document has not taken in, as nobody
// had it reloaded, is of who put it there, and not o's. hand is what git has to do with it.
func (f *file) bring(before *taken, o review.Origin, hand gitsHand) func(doc *review.Doc, now text.Text) {
	by := usersOwn(text.Text{}, nil)
	if before != nil && before.by != nil {
		by = *before.by
	}
	by.Change = f.core.changeID()
	return func(doc *review.Doc, now text.Text) {
		if before != nil && before.emptied != nil && isEmpty(doc.Text()) && now.Len() > 0 {
			doc.ThrowAway(*before.emptied) // which brings back what was undecided
		} else if was := f.beneath.Load(); was != nil && buffers.NormHashText(*was) == buffers.NormHashText(now) {
			doc.ThrowAway(*was)
		} else if t := before.notIn(doc); t != nil {
			takeOver(doc, *t, by)
		}
		hand.takeOver(doc, now, o)
		before.settle(doc)
	}
}

// notIn is what the disk had before, as the document of doc would have it, if that has not taken
// it in; else nil.
func (t *taken) notIn(doc *review.Doc) *text.Text {
	if t == nil || t.emptied != nil || buffers.NormHashText(t.in(doc)) == buffers.NormHashText(doc.Text()) {
		return nil
	}
	had := text.New(buffers.KeepStyle(doc.Text().String(), t.in(doc).String()))
	return &had
}

// takeUsers takes in what the user, or git for them, has made of a file that no
// editor has open; mu is held.
func (f *file) takeUsers(disk buffers.Disk, by review.Author) {
	if f.doc == nil {
		return
	}
	w := &f.entire
	now := text.New(disk.Content)
	if !disk.Exists && now.Len() < f.doc.Text().Len() && f.doc.Tracking() { // it may have another name by now
		f.parked, f.parkedCreated = f.doc.Clone(), f.created
	}
	if f.opaque == "" && !f.doc.Text().Equal(now) {
		f.doc.Follow(now, by)
		f.shownRev = notShown
	}
	was := f.version()
	there := len(f.doc.Hunks(review.StatePending)) > 0
	switch {
	case w.from != "" && !disk.Exists: // the user has renamed it back, or away
		w.from = ""
	case f.created && !disk.Exists:
		f.created, w.madeAway = false, true
	case f.deleted && disk.Exists:
		f.deleted, w.goneBack = false, true
	case w.madeAway && disk.Exists && there:
		f.created, w.madeAway = true, false
	case w.goneBack && !disk.Exists && there:
		f.deleted, w.goneBack, w.full = true, false, nil
		f.parked = nil // it is taken away again, and has no other name
	}
	if f.version() != was {
		f.shownRev = notShown
	}
	f.publish()
	f.dropIfIdle()
}
