package session

import (
	"os"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
	"acp-ls/internal/review/journal"
)

// Before a file as a whole is made what a decision makes of it, a record says both what is undecided
// of it and what is rejected (rule 11). Which of these is so is to be seen on the disk: the process
// may end in between.

// ahead writes down that v is about to be what the file is, or is so; before is what it has, if v has
// something else. Until done is called nothing else is written down of it. mu is not held.
func (f *file) ahead(v version, w entire, before *journal.Seen) (done func()) {
	d := f.core.durable
	if !d.usable() {
		return func() {}
	}
	f.mu.Lock()
	now := f.version()
	drafts := []func() journal.Record{f.draft(now), f.draftOf(v, w)}
	f.kept.aloud = true
	f.mu.Unlock()

	f.kept.pen <- struct{}{}
	defer func() { <-f.kept.pen }()
	var records []journal.Record
	f.mu.Lock()
	known := now == f.kept.last
	f.mu.Unlock()
	if before != nil && !known {
		records = append(records, drafts[0]())
	}
	r := drafts[1]()
	r.Before = before
	d.write(true, append(records, r)...)
	f.mu.Lock()
	f.kept.last = passedOn // whatever is so then is written down
	f.mu.Unlock()
	return func() {
		f.mu.Lock()
		f.kept.aloud = false
		f.mu.Unlock()
	}
}

// rejecting is the version in which u is about to be what was rejected of the file; mu is not held.
func (f *file) rejecting(u *undone) (version, entire) {
	f.mu.Lock()
	defer f.mu.Unlock()
	v := f.version()
	v.undone = u
	return v, f.entire
}

// restoring is the version in which u is about to be undecided again, and what the file has before
// that if it is seen by that whether it is so; mu is not held.
func (f *file) restoring(u *undone) (v version, w entire, before *journal.Seen) {
	disk, _ := buffers.ReadDisk(f.path) // what is no text is not looked at here
	f.mu.Lock()
	defer f.mu.Unlock()
	v, w = f.version(), u.entire
	v.undone, v.from, v.mode, v.by = u, w.from, u.change.Mode, w.by
	switch {
	case u.opaque != "":
		v.rows = rowsBeneath{v.doc, v.rev, v.created, v.deleted}
		v.opaque, v.opaqueOp, v.doc = u.opaque, u.opaqueOp, nil
		if w.copy != nil {
			v.opaqueIs = w.now.Sum()
		}
	case u.emptied:
		v.setDoc(review.New(text.Text{}, f.core.now))
		v.deleted, v.ran, before = true, w.ran, &journal.Seen{Text: buffers.NormHashText(text.Text{})}
	case v.doc == nil:
		v.setDoc(review.New(text.New(disk.Content), f.core.now))
	}
	return v, w, before
}

// setDoc makes doc what is tracked, of a file that has its text.
func (v *version) setDoc(doc *review.Doc) { v.doc, v.rev, v.onDisk = doc, doc.Revision(), true }

// movingBack writes down, before f gets its old name back, what both files will be. u is what can be
// brought back of that then. The slots of both are held.
func (f *file) movingBack(from *file, u *undone, isText bool) func() {
	f.mu.Lock()
	next := f.doc
	if next != nil {
		next = next.Clone() // from, whose record it goes into, does not hold f.mu
	}
	f.mu.Unlock()
	v, w := f.rejecting(u)
	done := f.ahead(v, w, nil)
	if !isText || from.isOpen() || next == nil {
		return done
	}
	var old version
	old.setDoc(next)
	doneToo := from.ahead(old, entire{}, &journal.Seen{Missing: true, Text: buffers.NormHashText(text.Text{})})
	return func() { done(); doneToo() }
}

// movingAgain writes down, before from gets the name again that was rejected, what both files will be.
func (f *file) movingAgain(from *file, u *undone, was checkpoint.State) func() {
	if u.opaque != "" {
		v, w, _ := f.restoring(u)
		return f.ahead(v, w, nil)
	}
	content, missing := text.New(was.Content), &journal.Seen{Missing: true, Text: buffers.NormHashText(text.Text{})}
	from.mu.Lock()
	doc := review.New(content, f.core.now)
	if from.doc != nil && from.doc.Text().Equal(content) {
		doc = from.doc.Clone()
	}
	from.mu.Unlock()
	v := version{from: from.path, mode: u.change.Mode, undone: u, by: u.entire.by}
	v.setDoc(doc)
	done := f.ahead(v, entire{}, missing)
	if from.isOpen() {
		return done
	}
	gone := version{away: true}
	gone.setDoc(review.New(text.Text{}, f.core.now))
	doneToo := from.ahead(gone, entire{}, &journal.Seen{Text: buffers.NormHashText(content)})
	return func() { done(); doneToo() }
}

func (f *file) isOpen() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.open) > 0
}

// isMovedBack reports whether a record is of a rename that was about to be taken back, and has been.
func isMovedBack(r journal.Record) bool {
	return r.From != "" && undoneIn(r) != nil && !isThere(buffers.Path(r.Path)) && isThere(buffers.Path(r.From))
}

// undoneIn is what a record says was rejected of a file as a whole; nil: nothing.
func undoneIn(r journal.Record) *keptUndone {
	x, ok := besideIn(r)
	if !ok {
		return nil
	}
	return x.Undone
}

// finishMove does what was left to be done when a process ended in the midst of renaming a file that
// was made one that may be run, or is not any more.
func (f *file) finishMove(r journal.Record) error {
	u := undoneIn(r)
	if r.From == "" || u == nil || u.WasExec == nil {
		return nil
	}
	switch {
	case isMovedBack(r):
		return setExecIf(buffers.Path(r.From), *u.WasExec)
	case r.Before != nil && isThere(f.path) && !isThere(buffers.Path(r.From)):
		return setExecIf(f.path, !*u.WasExec)
	}
	return nil
}

// setExecIf is checkpoint.SetExec for a file that need not be one.
func setExecIf(p buffers.Path, exec bool) error {
	if info, err := os.Lstat(string(p)); err != nil || !info.Mode().IsRegular() {
		return err
	}
	return checkpoint.SetExec(p, exec)
}
