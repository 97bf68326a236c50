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

// openedWith is called on the editor's read loop with what the disk has when a document is
// opened. was is one that was closed just before and had the same text, if there is one: if
// that was not saved, only the editor can have written it to another file.
func (f *file) openedWith(ar *arrival, o openDoc, disk buffers.Disk, err error, was *buffers.Document) {
	now := f.core.now()
	if err != nil || !disk.Exists || buffers.ChangedAt(disk.Info).Before(now.Add(-soonSaved)) {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	ar.save = &firstSave{of: o, opened: now, disk: text.New(disk.Content), info: disk.Info, had: ar.had, change: ar.change}
	f.opening = ar.save
	if was != nil && was.Path() != f.path && was.State() == buffers.Dirty && buffers.NormHashText(ar.text) == buffers.NormHash(disk.Content) {
		f.isUsers(ar.save)
		f.publish()
	}
}

// firstSaved takes in a save, before its text is taken for that of the disk; mu is held.
func (f *file) firstSaved(o openDoc, ev buffers.Event) {
	s := f.opening
	if s == nil || s.of != o {
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
	f.shownRev = notShown
}

// wroteUser makes what the disk had when it was taken in, if that is t and is only thought
// to be an agent's, the user's; mu is held.
func (f *file) wroteUser(had *taken, t text.Text) {
	if had == nil || had.by == nil || had.by.Author == review.AuthorUser || had.by.Sure || buffers.NormHashText(had.Text) != buffers.NormHashText(t) {
		return
	}
	by := *had.by
	if f.doc != nil {
		own := users
		own.Change = by.Change
		f.doc.Relabel(by.Change, own)
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
