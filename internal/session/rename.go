package session

import (
	"slices"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// A file that the user renames arrives as a document that is closed and one of
// another name with the same text that is opened (rule 14).

// park puts away what is tracked of a file that is gone, for it may turn up
// under another name, or again; mu is held.
func (f *file) park() {
	if f.parked == nil || f.doc != nil && f.doc.Text().Len() > 0 { // else it was put away when the file was seen to be gone
		f.parked, f.parkedCreated = nil, false
		if f.doc != nil && f.doc.Tracking() {
			f.parked, f.parkedCreated = f.doc, f.created
		}
	}
	f.doc, f.created = nil, false
	f.publish()
}

// unpark brings back what was tracked of a file that is there again with the
// text it had; mu is held.
func (f *file) unpark(t text.Text) {
	if f.doc == nil && f.parked != nil && f.parked.Text().Equal(t) {
		f.doc, f.created = f.parked, f.parkedCreated
		f.shownRev = notShown
	}
	f.parked = nil
}

// renamed moves what is tracked of a file that is gone to the file whose
// document was opened with its text.
func (c *Core) renamed(from buffers.Path, to *file, was text.Text) {
	old := c.file(from)
	if old == to || isThere(from) {
		return
	}
	both := []*file{old, to}
	slices.SortFunc(both, func(a, b *file) int { // always in one order
		if a.path < b.path {
			return -1
		}
		return 1
	})
	for _, f := range both {
		if f.lockOps(c.ctx) != nil {
			return
		}
		defer f.unlockOps()
	}
	for _, f := range both {
		f.mu.Lock()
		defer f.mu.Unlock()
	}
	if len(old.open) > 0 || len(to.open) == 0 || to.doc == nil || to.doc.Tracking() {
		return
	}
	if old.doc != nil && (old.parked == nil || old.doc.Text().Equal(was)) {
		old.park()
	}
	doc, created := old.parked, old.parkedCreated
	if doc == nil || !doc.Text().Equal(was) {
		return
	}
	old.parked, old.doc, old.created = nil, nil, false
	if now := to.doc.Text(); !doc.Text().Equal(now) { // the user has gone on
		doc.Reload(now, review.Origin{Change: c.changeID(), Author: review.AuthorUser})
	}
	to.doc, to.created = doc, created
	to.shownRev = notShown
	to.publish()
	old.publish()
}

// turnedUp looks whether a document that was opened is a file with undecided changes that the
// user has renamed by other means than the editor's: that is gone, and had this text.
func (c *Core) turnedUp(to *file, was text.Text) {
	if was.Len() == 0 {
		return // which every new file has
	}
	for _, old := range c.allFiles() {
		if old == to {
			continue
		}
		old.mu.Lock()
		open := len(old.open) > 0
		doc := old.parked
		if old.doc != nil && old.doc.Tracking() && old.doc.Text().Equal(was) {
			doc = old.doc.Clone()
		}
		old.mu.Unlock()
		switch {
		case doc == nil || !doc.Text().Equal(was) || isThere(old.path):
			continue
		case open:
			to.copyOf(doc, was) // the user may still go on in both
		default:
			c.renamed(old.path, to, was)
		}
		return
	}
}

// copyOf makes what was tracked in another document, whose file is there yet, pending here
// too: the user has given a copy of its text this name (`:saveas`, `:file`), with all that
// is undecided in it. was is the text with which this one was opened.
func (f *file) copyOf(doc *review.Doc, was text.Text) { f.takeCopy(doc, was, false) }

// takeCopy is copyOf, also in the place of what is undecided here if over says so.
func (f *file) takeCopy(doc *review.Doc, was text.Text, over bool) {
	if f.lockOps(f.core.ctx) != nil {
		return
	}
	defer f.unlockOps()
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.open) == 0 || f.doc == nil || f.doc.Tracking() && !over || f.fileChange() != nil || !doc.Text().Equal(was) {
		return
	}
	doc = doc.CopyAs(f.core.changeID)
	if now := f.doc.Text(); !doc.Text().Equal(now) { // the user has gone on
		doc.Reload(now, review.Origin{Change: f.core.changeID(), Author: review.AuthorUser})
	}
	f.doc = doc
	f.shownRev = notShown
	f.publish()
}
