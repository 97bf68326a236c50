package session

import (
	"io/fs"
	"os"
	"slices"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// An editor writes a file, and says so after that: with what the user has typed in the document
// last before the write (Neovim), or with what they have typed since (VS Code) told first. Who
// looks at the disk between the two finds a text there of which nobody has said whose it
// is, and while an agent works that looks like the agent's. What tells that it is not: the
// user has typed exactly that text since the disk was last taken in, or acp-ls has asked for
// it to be saved; or the editor says that it has saved a file that was not written since somebody looked.

// maxLately bounds how many texts are known that the user has made of a document while its editor writes.
const maxLately = 64

// typedNow notes a text that the user has made; mu is held.
func (f *file) typedNow(t text.Text) {
	f.typed = t
	f.mayWrite(t)
}

// asksToSave notes a text that an editor is asked to save: it may be on disk from then on, and the document may have
// gone on by the time when the editor says so.
func (f *file) asksToSave(t text.Text) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.before != nil && !f.before.Equal(t) {
		f.mayWrite(t)
	}
}

// mayWrite notes a text that an editor may write; mu is held.
func (f *file) mayWrite(t text.Text) {
	if f.before == nil {
		return
	}
	if len(f.lately) == maxLately {
		f.lately = slices.Delete(f.lately, 0, 1)
	}
	f.lately = append(f.lately, t)
}

// forgetTyped forgets the texts that the user has made until one of those that are it; it reports
// whether there is such a one; mu is held.
func (f *file) forgetTyped(it func(text.Text) bool) bool {
	for i, t := range slices.Backward(f.lately) {
		if it(t) {
			f.lately = slices.Delete(f.lately, 0, i+1)
			return true
		}
	}
	return false
}

// wroteTyped takes in that the disk has moved to a text which the user has made in the document
// since the disk was last taken in, and reports whether it has: their editor has written it; mu is
// held. That a file is empty says nothing of who has emptied it, and it is so for a moment while
// programs write it: only a document that is empty yet can have been written there.
func (f *file) wroteTyped(disk buffers.Disk) bool {
	if disk.Content == "" && f.doc != nil && f.doc.Text().Len() > 0 {
		return false
	}
	norm := buffers.NormHash(disk.Content)
	if f.before == nil || buffers.NormHashText(f.before.Text) == norm ||
		!f.forgetTyped(func(t text.Text) bool { return buffers.NormHashText(t) == norm }) {
		return false
	}
	f.keepBefore(text.New(disk.Content))
	f.keepEnds(disk, nil)
	f.missing = false
	return true
}

// savedEarlier takes in a save of what the document had before: the user has gone on since, or back, and an
// editor that takes the document for saved all the same (VS Code, where they undid and redid during the write) does not
// tell of that again. What the file has is no change of anybody's, and older than the document; mu is held.
func (f *file) savedEarlier(at *Attachment, ev buffers.Event) {
	if ev.DiskErr != nil || !ev.Disk.Exists || f.before == nil {
		return
	}
	if buffers.NormHashText(f.before.Text) != buffers.NormHash(ev.Disk.Content) && !f.wroteTyped(ev.Disk) {
		return // somebody has written on
	}
	f.saves++
	f.claimed = nil
	at.store.Wrote(ev.After, text.New(ev.Disk.Content))
}

// wroteTypedBytes is wroteTyped for the bytes of a file that is not UTF-8, and for the text live of
// its document whoever has made that: nothing of either is missing in the other; mu is held.
func (f *file) wroteTypedBytes(live text.Text, at *buffers.EncodedError) bool {
	is := live
	if f.before == nil || !at.Holds(live) && !f.forgetTyped(func(t text.Text) bool { is = t; return at.Holds(t) }) {
		return false
	}
	f.keepBefore(is)
	*f.isEncoded() = encoded{sum: at.Sum, start: f.encoded.start, late: f.encoded.late}
	return true
}

// wroteLast takes in a save, before its text is taken for that of the disk: if the file was not
// written since somebody looked at it, what was found there and taken for an agent's was what
// the editor had written; mu is held.
func (f *file) wroteLast(ev buffers.Event) {
	b := f.before
	if f.saving || f.decided > 0 || ev.DiskErr != nil || b == nil || b.by == nil || b.by.Author == review.AuthorUser || !sameWrite(b.info, ev.Disk.Info) {
		return
	}
	if ev.Unwritten && !b.told {
		return // the editor says that it has saved what it has not
	}
	if f.doc != nil {
		b.withdraw(f.doc, nil)
	}
	f.giveToUser(b)
	if fl := f.flight; fl != nil && fl.landed && fl.op.takes != nil {
		fl.users = true
	}
	f.shownRev = notShown
}

// sameWrite reports whether a file has not been written between two looks, as far as its time
// and identity tell. Where clocks count whole seconds that they are the same tells nothing; that
// they differ does.
func sameWrite(a, b fs.FileInfo) bool { return tells(a, b) && !writtenSince(a, b) }

// writtenSince reports whether a file has been written between two looks, as far as that can be told.
func writtenSince(a, b fs.FileInfo) bool {
	return a != nil && b != nil && !(os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()))
}

func tells(a, b fs.FileInfo) bool { return a != nil && b != nil && b.ModTime().Nanosecond() != 0 }
