package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
	"acp-ls/internal/review/journal"
)

// What agents do to files as a whole (make, delete and rename them, change whether
// they may be run, write what is no text) is decided like a hunk. Where the rows of
// a file say it too, as in one that was made or deleted, rows and file go together.

// entire is what has become of a file as a whole and the user has not decided on,
// beside created and deleted.
type entire struct {
	by    review.Origin // whose it is, also of created and deleted
	from  buffers.Path  // the name the file had; it has the rows of that one
	moved *movedWith    // what it had when it was given another one; nil if unknown

	// gone: there is no file under the document any more. The document stays as it
	// is; so the rows say nothing of it.
	gone bool

	wasExec *bool // whether it could be run before an agent changed that
	exec    *bool // whether it could when that was last taken in; nil if unknown
	wasMark *bool // whether it began with a byte order mark before an agent changed that; while it is open
	ran     bool  // whether the file that is gone, or deleted, could be run

	refused *review.Origin // whose an empty file was that is gone, as its making was rejected

	full *review.Doc // of a file that is deleted: what it was before; nil if unknown
	// made is what a file was that an agent had made, undecided, and madeIn the turn that took it away.
	made   *review.Doc
	madeIn string
	held   string // what the file that is gone had, with line ends and byte order mark

	// Somebody else took away the file that an agent had made, or put back the one
	// that it had deleted. With the rows that comes back too.
	madeAway, goneBack bool

	// Of an opaque change: what the file was and what it is now, both without their
	// content, and what there is of what it was; nil if nothing is known of that.
	was, now checkpoint.State
	copy     *checkpoint.Copy
	later    []laterWhole // what other turns have made of it since, while it was undecided
	recoded  bool         // the file of a document has another encoding now
	info     fs.FileInfo  // of the file when that was found

	// through is what the document had when it was last read through a link that stands in the place
	// of its file; nil: it never was.
	through *text.Text

	text *checkpoint.State // what the file was of which the checkpoint of the turn says that it was none

	// unseen: the file, of which the checkpoint keeps no text, was another one when the turn began
	// than when it was first read.
	unseen bool
}

// fileChange is what has become of the file as a whole; mu is held.
func (f *file) fileChange() *FileChange {
	c := &FileChange{ID: "file:" + string(f.path), Opaque: string(f.opaque)}
	switch {
	case f.entire.from != "":
		c.Op, c.From = "rename", string(f.entire.from)
	case f.opaque != "":
		c.Op, c.To = f.opaqueOp, f.entire.now.Target
	case f.created:
		c.Op = "create"
	case f.deleted, f.entire.gone:
		c.Op = "delete"
	case f.entire.wasExec != nil, f.entire.wasMark != nil:
		c.Op = "modify"
	default:
		return nil
	}
	if was := f.entire.wasExec; was != nil {
		c.Mode = map[bool]string{true: "-x", false: "+x"}[*was]
	} else if was := f.entire.wasMark; was != nil {
		c.Mode = map[bool]string{true: "-bom", false: "+bom"}[*was]
	}
	return c
}

// refusedChange is the making of an empty file that was rejected, if it can be brought
// back: there is no row that would be listed; mu is held.
func (f *file) refusedChange() *FileChange {
	if f.entire.refused == nil || !f.missing || f.fileChange() != nil {
		return nil
	}
	return f.core.rejections.ofFile(FileChange{ID: "file:" + string(f.path), Op: "create", State: string(review.StateRejected)})
}

// restoreMade makes an empty file again whose making was rejected. It returns what is
// left of some names when that of the file is taken out.
func (f *file) restoreMade(ctx context.Context, names []string, out *Decision) (left []string) {
	id := "file:" + string(f.path)
	left = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == id })
	if err := f.makeAgain(ctx); err != nil {
		out.Refused = append(out.Refused, Refusal{ID: id, Reason: err.Error()})
		return left
	}
	out.Decided = append(out.Decided, id)
	f.mu.Lock()
	out.Files = append(out.Files, f.answer(f.hunks()))
	f.mu.Unlock()
	f.keep(true)
	return left
}

func (f *file) makeAgain(ctx context.Context) error {
	if err := f.lockOps(ctx); err != nil {
		return err
	}
	defer f.unlockOps()
	if isThere(f.path) {
		return errors.New("there is a file again")
	}
	f.mu.Lock()
	v, w := f.version(), f.entire
	f.mu.Unlock()
	v.setDoc(review.New(text.Text{}, f.core.now))
	v.created = true
	if w.refused != nil {
		v.by = *w.refused
	}
	defer f.ahead(v, w, &journal.Seen{Missing: true, Text: buffers.NormHashText(text.Text{})})()
	f.core.elsewhere.wrote(f.path, text.Text{})
	if err := buffers.WriteFileAtomic(f.path, "", buffers.Seen{}); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.entire.refused == nil {
		return nil // somebody else has
	}
	f.created, f.missing = true, false
	f.entire.by, f.entire.refused = *f.entire.refused, nil
	f.keepBeforeOf(text.Text{}, f.entire.by)
	f.placeholder()
	f.shownRev = notShown
	f.publish()
	return nil
}

// withRows reports whether a decision about the file as a whole is one about its
// rows too; mu is held.
func (f *file) withRows(rejects bool) bool {
	switch {
	case f.entire.from != "":
		return rejects && f.opaque == ""
	case f.opaque != "":
		return false
	}
	return f.created || f.deleted
}

// takeMode takes in whether a file may be run, which an agent has changed, or
// changed back; mu is held, and the text was taken in.
func (f *file) takeMode(was, now bool, o review.Origin) {
	w := &f.entire
	if w.exec != nil {
		was = *w.exec
	}
	w.exec = &now
	switch {
	case w.wasExec != nil && *w.wasExec == now:
		w.wasExec = nil
	case w.wasExec == nil && was != now && !f.created:
		w.wasExec, w.by = &was, o
	default:
		return
	}
	f.placeholder()
	f.shownRev = notShown
	f.publish()
	f.dropIfIdle()
}

// execBefore is whether the file could be run before what is undecided of that, where it could when the
// turn began or not; mu is held.
func (w *entire) execBefore(began bool) bool {
	switch {
	case w.wasExec != nil:
		return *w.wasExec
	case w.exec != nil:
		return *w.exec
	}
	return began
}

// placeholder makes a file of which nothing is tracked one that is listed; mu is
// held.
func (f *file) placeholder() {
	if f.doc == nil {
		f.doc = review.New(text.Text{}, f.core.now)
		if f.before != nil {
			f.doc = review.New(f.before.Text, f.core.now)
		}
	}
}

// takeOpaque notes that a file which is no text has changed, or is none to its editor for the reason kind; mu is held.
// lost: that cannot be taken back.
func (f *file) takeOpaque(ch checkpoint.Change, was checkpoint.Copy, o review.Origin, kind checkpoint.Opaque) (lost bool) {
	if f.opaqueSeen != nil && f.opaqueSeen.Same(ch.After) {
		return
	}
	seen := ch.After.Forget()
	f.opaqueSeen = &seen
	if ch.Before.SameContent(ch.After) && ch.Before.Exists && ch.After.Exists {
		f.takeMode(ch.Before.Exec, ch.After.Exec, o)
		return false
	}
	if f.opaque == "" || f.entire.copy == nil {
		f.foldRows(was.State, o)
		f.entire.was, f.entire.copy, f.entire.by, f.entire.through, f.entire.later = was.State.Forget(), &was, o, nil, nil
		lost = !was.Kept()
	} else { // it is the second change, and the first is to be taken back too
		f.takeLater(was, o)
	}
	first, opaque := f.entire.was, f.opaque
	if first.Same(ch.After) {
		f.opaqueBack()
		return false
	}
	f.entire.now = ch.After.Forget()
	f.opaque = cmp.Or(ch.After.Opaque, f.entire.copy.Opaque, opaque, kind) // as it is to an editor that misreads it
	f.opaqueOp = wholeOp(first, ch.After)
	f.undone = nil
	f.placeholder()
	f.shownRev = notShown
	f.publish()
	return lost
}

// wholeOp names what has become of a file as a whole.
func wholeOp(was, now checkpoint.State) string {
	switch {
	case !was.Exists:
		return "create"
	case !now.Exists:
		return "delete"
	}
	return "modify"
}

// takeBack takes in what is said of the file as a whole and is not so any more: it
// was changed back, and so is none of the turn's changes.
func (f *file) takeBack(now checkpoint.State) {
	f.mu.Lock()
	defer f.mu.Unlock()
	w := &f.entire
	if w.wasExec != nil && now.Exists && now.Exec == *w.wasExec {
		w.wasExec, w.exec = nil, &now.Exec // which it need not have been when the turn began
		f.shownRev = notShown
		f.publish()
		f.dropIfIdle()
	}
	switch {
	case f.opaque == "" || w.copy == nil || !w.was.Same(now) && (w.was.Opaque != checkpoint.Filtered || f.opaqueSeen == nil):
	case len(f.open) == 0 && w.from == "" && w.copy.Opaque == "":
		f.textAgain(w.copy.State) // the turn's comparison may only be about to find that
	default:
		f.opaqueBack()
	}
}

// opaqueBack takes in that a file which is no text is what it was; mu is held.
func (f *file) opaqueBack() {
	if f.opaque == "" || f.entire.from != "" {
		return
	}
	f.opaque, f.opaqueSeen, f.entire.copy, f.entire.later = "", nil, nil, nil
	f.shownRev = notShown
	f.publish()
	f.dropIfIdle()
}

// takeGone takes in that an agent has taken away the file of an open document.
// What has been read of it is what can be put back.
func (f *file) takeGone(ctx context.Context, was checkpoint.State) error {
	if err := f.lockOps(ctx); err != nil {
		return err
	}
	defer f.unlockOps()
	disk, err := f.whole(ctx, buffers.ReadDisk)
	if err != nil || disk.Exists {
		return err
	}
	o := f.core.attribute(f.path)
	o.Change = f.core.changeID()
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.open) > 0 && f.missing && f.before != nil && f.before.there { // it was none when the document was opened
		f.isGone()
	}
	if len(f.open) == 0 || f.before == nil || f.encoded != nil || f.missing || f.created || f.entire.gone || f.entire.from != "" || o.Author == review.AuthorUser {
		return nil
	}
	held := f.before.String() // as a document has it, maybe
	if was.Exists && was.Opaque == "" {
		held = buffers.KeepStyle(was.Content, held)
	}
	f.entire.gone, f.entire.by, f.entire.ran, f.entire.held = true, o, was.Exec, held
	f.recordStep(agentStep{session: o.Session, turn: o.Turn, before: text.New(held), gone: true})
	f.shownRev = notShown
	f.publish()
	return nil
}

// isBack takes in that the file of a document is there again, which was gone under it or when
// that was opened; mu is held.
func (f *file) isBack() {
	if f.entire.gone || f.deleted {
		f.entire.gone, f.deleted = false, false
		f.shownRev = notShown
	}
}

// isGone takes in that there is no file any more; mu is held.
func (f *file) isGone() {
	f.missing = true
	if f.before != nil {
		f.before.there = false
	}
	f.noteKnown()
}

// rejectWhole takes back what has become of the file as a whole, as far as its rows
// do not say it. reason is why it was not.
func (f *file) rejectWhole(ctx context.Context) (done bool, reason string) {
	follow := false
	defer func() { // before anybody is told that it is decided: its text is not what it was rejected to until then
		if follow {
			f.followWhole()
		}
	}()
	f.wakeOnDisk()
	f.mu.Lock()
	w, opaque := f.entire, f.opaque
	u := &undone{entire: w, opaque: opaque, opaqueOp: f.opaqueOp}
	if change := f.fileChange(); change != nil {
		u.change = *change
	}
	var back checkpoint.Copy
	typed := false
	if w.copy != nil {
		back, typed = f.withTyped(*w.copy)
	}
	f.mu.Unlock()
	var err error
	switch {
	case w.from != "":
		return false, "" // when the rows are done with
	case opaque != "":
		if err = checkpoint.ErrNoCopy; w.copy != nil {
			u.agents, u.rested = checkpoint.CopyOf(f.path), back.Forget()
			v, w := f.rejecting(u)
			defer f.ahead(v, w, nil)()
			f.core.elsewhere.makes(f.path, back.State)
			err = back.Restore(ctx, f.path, w.now)
		}
		if errors.Is(err, checkpoint.ErrNoCopy) {
			return false, fmt.Sprintf("it is %s, and acp-ls has no copy of what it was: bring it back with git or a backup, then accept", opaque)
		}
		u.rested = checkpoint.CopyOf(f.path).Forget()
		if err == nil && (typed || (w.recoded || opaque == endsAlone) && f.isUnsaved()) { // to its editor it is another file, though with the same text
			f.readBack(ctx)
		}
	case w.gone:
		if err = f.writeBack(w.held); err == nil {
			f.readBack(ctx) // before anybody is shown that it is back
		}
	case w.wasExec != nil, w.wasMark != nil:
		v, w := f.rejecting(u)
		defer f.ahead(v, w, nil)()
		if w.wasMark != nil {
			err = f.restoreMark(ctx, *w.wasMark)
		}
		if err == nil && w.wasExec != nil {
			f.core.elsewhere.makesExec(f.path, *w.wasExec)
			err = checkpoint.SetExec(f.path, *w.wasExec)
		}
	default:
		return false, ""
	}
	if errors.Is(err, checkpoint.ErrMoved) {
		return false, f.whyMoved(w)
	}
	if err != nil {
		return false, err.Error()
	}
	if opaque != "" && !w.was.Exists {
		f.core.made.remove(f.path, w.by)
	}
	f.keepUndone(u)
	f.mu.Lock()
	defer f.mu.Unlock()
	if w.wasExec != nil && !w.gone {
		f.entire.exec = w.wasExec
	}
	f.missing = opaque != "" && !w.was.Exists
	f.opaque, f.opaqueSeen, f.entire.copy, f.entire.later = "", nil, nil, nil
	if f.encoded != nil && opaque != "" {
		f.encoded.start, f.encoded.owed = u.rested.Sum(), nil
	}
	if opaque != "" && back.Content != "" {
		is := buffers.CodingOf([]byte(back.Content))
		f.coded = &is
	}
	follow = len(f.open) > 0 && opaque != ""
	f.entire.gone, f.entire.wasExec, f.entire.wasMark, f.entire.through = false, nil, nil, nil
	f.shownRev = notShown
	f.publish()
	f.dropIfIdle()
	return true, ""
}

// writeBack writes what the file of a document held before it was taken away.
func (f *file) writeBack(was string) error {
	f.mu.Lock()
	ran := f.entire.ran
	f.mu.Unlock()
	f.core.elsewhere.wrote(f.path, text.New(was))
	if err := buffers.WriteFileAtomic(f.path, was, buffers.Seen{}); err != nil {
		return err
	}
	if ran {
		f.core.elsewhere.makesExec(f.path, true)
		if err := checkpoint.SetExec(f.path, true); err != nil {
			return err
		}
	}
	f.lookAgain()
	return nil
}

// readBack has the editor of a document take in that its file, which was gone, is there again:
// to save the document would be a conflict with that, to the editor.
func (f *file) readBack(ctx context.Context) {
	if err := f.lockOps(ctx); err != nil {
		return
	}
	defer f.unlockOps()
	f.mu.Lock()
	live, d, open := f.live()
	f.mu.Unlock()
	if !open {
		return
	}
	var done bool
	var err error
	if clean(d) && live.at.editor.Can("reload") {
		done, err = live.at.editor.Reload(ctx, live.uri)
	}
	if !done { // it has something unsaved, and keeps it
		disk, unread := buffers.ReadDisk(f.path)
		if err = unread; err == nil && disk.Exists {
			done, err = f.adopt(ctx, disk, operation{label: "written back", apply: func(*review.Doc) error { return nil }})
			if err == nil && !done {
				f.base(ctx, disk)
			}
		}
	}
	if err != nil && ctx.Err() == nil {
		f.core.log.Warn("have a file read that was written back", "path", f.path, "err", err)
	}
}

// lookAgain compares the open documents of the file with the disk.
func (f *file) lookAgain() {
	f.mu.Lock()
	live, _, open := f.live()
	f.mu.Unlock()
	if open {
		if _, err := live.at.store.Look(f.path); err != nil {
			f.core.log.Debug("look at file", "path", f.path, "err", err)
		}
	}
}

// acceptWhole lets what has become of the file as a whole be so, as far as its rows
// do not say it.
func (f *file) acceptWhole() (done bool) {
	f.wakeOnDisk()
	kept := f.core.acceptedSize()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.recordWhole(kept)
	done = f.entire.from != "" || f.opaque != "" || f.entire.gone || f.entire.wasExec != nil || f.entire.wasMark != nil
	if !done {
		return false
	}
	if f.entire.gone {
		f.isGone()
	}
	f.opaque, f.entire.copy, f.entire.later, f.undone = "", nil, nil, nil
	f.entire.from, f.entire.gone, f.entire.wasExec, f.entire.wasMark, f.entire.through = "", false, nil, nil, nil
	f.shownRev = notShown
	f.publish()
	f.dropIfIdle()
	return true
}

// closedGone makes rows of a file that is gone, now that no document holds them;
// mu is held.
func (f *file) closedGone() {
	if !f.entire.gone || f.doc == nil {
		return
	}
	f.entire.gone, f.deleted, f.entire.full = false, true, f.doc.Clone()
	f.asHeld(f.entire.full)
	f.withoutFile(f.doc)
	f.keepBefore(text.Text{})
	f.missing = true
	f.shownRev = notShown
}

// withoutFile makes doc, of a document whose file is gone, say so by its rows; mu is
// held.
func (f *file) withoutFile(doc *review.Doc) {
	f.asHeld(doc)
	doc.AgentEdit(text.Text{}, f.entire.by)
}

// asHeld makes doc, of a document whose file is gone, what that held; mu is held.
func (f *file) asHeld(doc *review.Doc) {
	doc.Reload(text.New(f.entire.held), review.Origin{Change: f.core.changeID(), Author: review.AuthorUser})
}

// isLink reports whether a link stands where a file was: paths of files have none.
func isLink(p buffers.Path) bool {
	info, err := os.Lstat(string(p))
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// becameLink is the file in whose place, or in that of whose folder, a link of that name
// stands, as long as that is undecided.
func (c *Core) becameLink(name string) (buffers.Path, bool) {
	dir, err := buffers.Resolve(filepath.Dir(name))
	if err != nil {
		return "", false
	}
	p := buffers.Path(filepath.Join(string(dir), filepath.Base(name)))
	c.mu.Lock()
	f, g := c.files[p], c.files[buffers.Path(filepath.Clean(name))]
	c.mu.Unlock()
	if g != nil && g != f && behindLink(g.path) { // it was in what is a link now
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.path, g.fileChange() != nil
	}
	if f == nil {
		return "", false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return p, f.opaque == checkpoint.Link
}

// isThere reports whether there is anything of that name.
func isThere(p buffers.Path) bool {
	_, err := os.Lstat(string(p))
	return !errors.Is(err, fs.ErrNotExist)
}
