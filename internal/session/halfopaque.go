package session

import (
	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// A file that is looked at while it is being written may be text then and none when it is
// done, or the other way round. What it is in the end counts for all that was done to it: what
// is no text has one change, which is decided on as a whole, and text has rows.

// foldRows takes the rows that o has changed, in a file that is no text any more, into the
// change of the file as a whole; was is what that gives back. mu is held.
func (f *file) foldRows(was checkpoint.State, o review.Origin) {
	if f.doc != nil {
		f.doc.AcceptChanges(f.changesOf(o)...)
	}
	switch {
	case len(f.open) > 0: // the document has what its editor makes of the bytes, and follows the file
	case was.Opaque == "":
		now := text.New(was.Content)
		if f.doc != nil && !f.doc.Text().Equal(now) {
			f.doc.ThrowAway(now) // which brings back what was undecided in it
		}
		if was.Exists {
			f.deleted = false
		} else {
			f.created = false
		}
		f.closing = false // what a document had has gone with that
		f.keepBefore(now)
		f.missing = !was.Exists
	}
}

// changesOf are the undecided changes of the session and turn of o, or of the same unknown
// program; mu is held.
func (f *file) changesOf(o review.Origin) (out []review.ChangeID) {
	for _, h := range f.doc.Hunks(review.StatePending) {
		for _, by := range h.Origins {
			if by.Author == o.Author && by.Session == o.Session && by.Turn == o.Turn {
				out = append(out, by.Change)
			}
		}
	}
	return out
}

// wasText is what a file was that is now something else, where the checkpoint does not say it:
// an undecided change says that it is no text, or one said so when the turn began, and what it
// was before that is text, or no file.
func (f *file) wasText(now checkpoint.State) (checkpoint.State, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case len(f.open) > 0 || f.entire.from != "":
	case f.opaque == "" && f.entire.text != nil:
		return *f.entire.text, true
	case f.opaque != "" && now.Opaque == "" && f.entire.copy != nil && f.entire.copy.Opaque == "":
		return f.entire.copy.State, true
	}
	return checkpoint.State{}, false
}

// textAgain takes in that a file is text, of which an undecided change says that it is none:
// what it was is what its rows are compared with. mu is held.
func (f *file) textAgain(was checkpoint.State) {
	f.keepBefore(text.New(was.Content))
	f.missing = !was.Exists
	f.opaqueBack()
	f.entire.text = &was
}

// A file that is too large for the checkpoint is text to us where we know what it holds: it was
// written through us, or a document of it was open. What becomes of it has rows like any text: as a
// whole it could not even be taken back. knowsText reports whether a file that nobody has open is
// such a one.
func (f *file) knowsText() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, known := f.textOnDisk()
	return known
}

// textOnDisk is the text that the disk has as far as is known; mu is held.
func (f *file) textOnDisk() (t text.Text, known bool) {
	switch {
	case len(f.open) > 0 || f.opaque != "" || f.encoded != nil || f.entire.unseen:
	case f.before != nil:
		return f.before.Text, true
	case f.doc != nil && !f.onlyProposed():
		return f.doc.Text(), true
	}
	return text.Text{}, false
}

// largeText returns a change of a file as that of a text, if it is only said to be too large and the
// text is known.
func (f *file) largeText(ch checkpoint.Change) (checkpoint.Change, bool) {
	was, is := &ch.Before, &ch.After
	f.mu.Lock()
	t, known := f.textOnDisk()
	f.mu.Unlock()
	if !known || was.Opaque != checkpoint.Large && is.Opaque != checkpoint.Large {
		return ch, false
	}
	if was.Opaque == checkpoint.Large {
		*was = checkpoint.State{Exists: true, Content: t.String(), Exec: was.Exec}
	}
	if is.Opaque == checkpoint.Large {
		disk, err := f.core.read(f.path)
		if err != nil {
			return ch, false
		}
		if !disk.Exists { // not any more, and what was there is text all the same
			*is = checkpoint.State{}
			return ch, was.Opaque == ""
		}
		*is = checkpoint.State{Exists: true, Content: disk.Content, Exec: is.Exec}
	}
	return ch, was.Opaque == "" && is.Opaque == ""
}

// lastText is the text that a file which is gone had at last, as far as is known: neither what it
// had when the turn began nor, if it has been taken in that it is gone, what is there now. mu is held.
func (f *file) lastText() (t text.Text, known bool) {
	w := &f.entire
	switch {
	case f.opaque != "" || f.opaqueSeen != nil || f.encoded != nil || w.unseen:
	case f.deleted && w.full != nil:
		return w.full.Text(), true
	case f.madeAndGone(w.madeIn):
		return w.made.Text(), true
	case f.before != nil && (!f.missing || len(f.open) > 0):
		return f.before.Text, true
	case f.doc != nil && !f.onlyProposed() && !f.missing && len(f.open) == 0:
		return f.doc.Text(), true
	}
	return text.Text{}, false
}

// lastOf are the texts that a file had in the turn which has taken it away, in the change that says so:
// it may be there under another name with what it had at last, or when the turn began.
func (f *file) lastOf(ch checkpoint.Change) (out []checkpoint.Change) {
	f.mu.Lock()
	t, known := f.lastText()
	f.mu.Unlock()
	if last := t.String(); known && (ch.Before.Opaque == checkpoint.Large || ch.Before.Opaque == "" && ch.Before.Content != last) {
		was := ch
		was.Before = checkpoint.State{Exists: true, Content: last, Exec: ch.Before.Exec}
		out = append(out, was)
	}
	return append(out, ch)
}

// underDocument reports whether a document is open of a file that is decided on as a whole: what
// the document has of it are no changes of its own. mu is held.
func (f *file) underDocument() bool {
	return len(f.open) > 0 && f.opaque != "" && !f.entire.now.IsNoFile()
}

// openedWhole takes in that a document of such a file was opened, with the text t; mu is held.
func (f *file) openedWhole(t text.Text) {
	f.beneath.Store(nil)
	f.readThrough(t)
	if f.underDocument() && f.doc != nil && !f.doc.Text().Equal(t) {
		if was := f.doc.Text(); f.doc.Tracking() {
			f.beneath.Store(&was)
		}
		takeOver(f.doc, t, usersOwn(t, nil))
	}
}

// followWhole has the documents of a file follow what was decided of it as a whole.
func (f *file) followWhole() {
	err := f.catchUpAs(f.core.ctx, func(text.Text, *taken) review.Origin { return usersOwn(text.Text{}, nil) })
	if err != nil && f.core.ctx.Err() == nil {
		f.core.log.Warn("bring document up to date", "path", f.path, "err", err)
	}
}
