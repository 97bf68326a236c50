package session

import (
	"os"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// An editor that gives a text a name (`:w name`, write-file, Save As) opens it as a document
// of that name, before or after it has written the file, and then says that it was saved.
// One that writes a file beside its documents may tell of that as if it had opened, changed
// and saved it. Found on disk while an agent works the file looks like the agent's. What
// tells them apart is the save: the file has what was saved, and was not written since the
// document was opened, so it was the editor that had written it.

// firstSave is a document that was opened just after its file had been written. The mutex
// of the file guards it.
type firstSave struct {
	of     openDoc
	opened time.Time
	disk   text.Text // at that time
	sum    string    // of its bytes, if it is not UTF-8
	info   os.FileInfo
	had    *taken          // as in arrival
	change review.ChangeID // as in arrival

	users bool // what the disk had is the user's
	sure  bool // no, it is an agent's
}

// soonSaved is how long before it is opened the editor can have written a document's file,
// and how long after that it can say so.
const soonSaved = 10 * time.Second

var users = review.Origin{Author: review.AuthorUser, Sure: true}

// noteSpared takes in a save that left the document's file alone: Helix tells so of `:w other`,
// then closes the document, and opens one of the other name. A file that was written just
// before tells nothing.
func (a *Attachment) noteSpared(ev buffers.Event) {
	uri, now := ev.After.URI, a.core.now()
	delete(a.spared, uri)
	if ev.Unwritten || ev.DiskErr != nil || !ev.Disk.Exists || !buffers.ChangedAt(ev.Disk.Info).Before(now.Add(-asWritten)) {
		return
	}
	if a.spared == nil {
		a.spared = map[string]time.Time{}
	}
	a.spared[uri] = now
}

// writtenAs returns the path of a document that was closed just before one with its text was
// opened, if only the editor can have written that to the other's file: it was not saved, or not
// to its own; "" if it may have been anybody. was may be nil.
func (a *Attachment) writtenAs(was *buffers.Document) buffers.Path {
	if was == nil {
		return ""
	}
	at, spared := a.spared[was.URI]
	delete(a.spared, was.URI)
	if was.State() == buffers.Dirty || spared && a.core.now().Sub(at) < soonSaved {
		return was.Path()
	}
	return ""
}

// openedWith is called on the editor's read loop with what the disk has when a document is
// opened. from is the document's former path, if only the editor can have written its text to
// this file.
func (f *file) openedWith(ar *arrival, o openDoc, disk buffers.Disk, err error, from buffers.Path) {
	now := f.core.now()
	sum, encoded := buffers.SumOf(err)
	if encoded {
		if disk.Info, err = os.Lstat(string(f.path)); err != nil {
			return
		}
	}
	if err != nil || !disk.Exists && !encoded || buffers.ChangedAt(disk.Info).Before(now.Add(-soonSaved)) {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.opening = &firstSave{of: o, opened: now, disk: text.New(disk.Content), sum: sum, info: disk.Info, had: ar.had, change: ar.change}
	if encoded {
		return
	}
	ar.save = f.opening
	if from != "" && from != f.path && buffers.NormHashText(ar.text) == buffers.NormHash(disk.Content) {
		f.isUsers(ar.save)
		f.publish()
	}
}

// firstSaved takes in a save, before its text is taken for that of the disk; mu is held.
func (f *file) firstSaved(o openDoc, ev buffers.Event) {
	s := f.opening
	if s == nil || s.of != o || s.sum != "" {
		return
	}
	f.opening = nil
	if ev.Unwritten || ev.DiskErr != nil || s.sure || s.users || buffers.NormHashText(ev.After.Text) != buffers.NormHashText(s.disk) ||
		f.core.now().After(s.opened.Add(soonSaved)) {
		return
	}
	if i := ev.Disk.Info; os.SameFile(i, s.info) && i.Size() == s.info.Size() && i.ModTime().Equal(s.info.ModTime()) {
		f.isUsers(s)
	}
}

// firstSavedBytes is firstSaved for a file that is not UTF-8, of which only the bytes tell what
// was opened: these are no change of an agent's. mu is held.
func (f *file) firstSavedBytes(o openDoc, ev buffers.Event) {
	s := f.opening
	if s == nil || s.of != o || s.sum == "" {
		return
	}
	f.opening = nil
	info, err := os.Lstat(string(f.path))
	if sum, _ := buffers.SumOf(ev.DiskErr); err != nil || sum != s.sum || !sameWrite(info, s.info) ||
		f.core.now().After(s.opened.Add(soonSaved)) {
		return
	}
	e := f.isEncoded()
	e.late, e.unsure = false, false
	if f.opaque != "" && !f.entire.by.Sure && f.entire.now.Sum() == s.sum {
		f.opaqueBack()
	}
}

// isUsers makes what the disk had when a document was opened the user's; mu is held.
func (f *file) isUsers(s *firstSave) {
	s.users = true
	if s.change != "" && f.doc != nil {
		own := users
		own.Change = s.change
		f.doc.Relabel(s.change, own)
	}
	f.wroteUser(s.had, s.disk)
	f.wroteUser(f.before, s.disk)
	f.madeToWrite(s.had)
	f.shownRev = notShown
}

// madeToWrite takes in that the user's editor has written the file, of which had was what the
// disk had before: to write a new file is to make an empty one first, and that may have been
// seen, and taken for one that an agent has made; mu is held.
func (f *file) madeToWrite(had *taken) {
	if f.created {
		f.wroteUser(had, text.Text{})
	}
}

// wroteUser makes what the disk had when it was taken in, if that is t and is only thought
// to be an agent's, the user's; mu is held.
func (f *file) wroteUser(had *taken, t text.Text) {
	if had == nil || had.by == nil || had.by.Author == review.AuthorUser || had.by.Sure || buffers.NormHashText(had.Text) != buffers.NormHashText(t) {
		return
	}
	f.giveToUser(had)
}

// giveToUser makes what the disk had when it was taken in, and was taken for an agent's, the
// user's; mu is held.
func (f *file) giveToUser(had *taken) {
	by := *had.by
	if f.doc != nil {
		for _, id := range append(had.back, by.Change) {
			own := users
			own.Change = id
			f.doc.Relabel(id, own)
		}
	}
	f.forgetStep(by, func(s agentStep) bool { return s.after.Equal(had.Text) })
	if f.before == had {
		f.before = &taken{Text: had.Text}
		f.noteKnown()
	}
	if f.created && !f.entire.by.Sure && (f.doc == nil || len(f.doc.Hunks(review.StatePending)) == 0) {
		f.created, f.usersMade = false, true
	}
}

// settle notes whose it is that a document was opened with, as far as the disk tells, and
// reports whether it is the user's all the same; the mutex of its file is held.
func (s *firstSave) settle(o review.Origin) (users bool) {
	if s == nil {
		return false
	}
	s.sure = o.Sure && o.Author != review.AuthorUser
	return s.users && !s.sure
}
