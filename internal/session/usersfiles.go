package session

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// What the user does in the editor to files as a whole, or to documents that are no more
// open when that is told, looks on disk like what an agent does while a turn runs. The
// editor tells of it, before or after somebody has looked at the disk: what was taken for
// an agent's by then becomes the user's.

// FileOperation is something that the user has done to a file or a folder. The paths are
// absolute: From is empty for one that was made, To for one that was deleted.
type FileOperation struct{ From, To string }

// maxInFolder bounds the files of a folder that was renamed or made.
const maxInFolder = 20000

// FilesOperated takes in what the user has done. It does not wait.
func (a *Attachment) FilesOperated(ops []FileOperation) {
	c := a.core
	c.spawn(func() {
		release, err := c.betweenPoints(c.ctx)
		if err != nil {
			return
		}
		defer release()
		for _, op := range ops {
			for _, one := range c.filesOfOperation(op) {
				if err := c.usersFile(c.ctx, one); err != nil && c.ctx.Err() == nil {
					c.log.Warn("take in what the user did to a file", "from", one.from, "to", one.to, "err", err)
				}
			}
		}
		c.durable.write(true)
	})
}

// betweenPoints waits until no session compares the disk, and keeps them from it.
func (c *Core) betweenPoints(ctx context.Context) (release func(), err error) {
	var held []*session
	release = func() {
		for _, s := range held {
			<-s.looking
		}
	}
	for _, s := range c.allSessions() { // always in one order
		select {
		case s.looking <- struct{}{}:
			held = append(held, s)
		case <-ctx.Done():
			release()
			return nil, ctx.Err()
		}
	}
	return release, nil
}

// oneFile is a FileOperation of one file.
type oneFile struct{ from, to buffers.Path }

// filesOfOperation names the files that are concerned, of a folder those in it.
func (c *Core) filesOfOperation(op FileOperation) (all []oneFile) {
	var from, to buffers.Path
	for name, p := range map[string]*buffers.Path{op.From: &from, op.To: &to} {
		if name == "" {
			continue
		}
		r, err := buffers.Resolve(name)
		if err != nil || c.isOwn(r) {
			return nil
		}
		*p = r
	}
	if to == "" {
		return c.filesGone(from)
	}
	_ = filepath.WalkDir(string(to), func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case d.IsDir():
			return nil
		case len(all) >= maxInFolder:
			return fs.SkipAll
		}
		one := oneFile{to: buffers.Path(name)}
		if rel, err := filepath.Rel(string(to), name); err == nil && from != "" {
			one.from = buffers.Path(filepath.Join(string(from), rel))
		}
		all = append(all, one)
		return nil
	})
	return all
}

// filesGone names the files that were at a path, which is gone: those that are known, and
// those that the checkpoint of a turn had.
func (c *Core) filesGone(path buffers.Path) (all []oneFile) {
	gone := map[buffers.Path]bool{path: true}
	below := string(path) + string(filepath.Separator)
	for _, f := range c.allFiles() {
		if strings.HasPrefix(string(f.path), below) {
			gone[f.path] = true
		}
	}
	for _, s := range c.allSessions() {
		s.mu.Lock()
		point := s.point
		s.mu.Unlock()
		if point == nil || !s.reviews(path) {
			continue
		}
		if st, err := point.Before(c.ctx, path); err == nil && st.Exists {
			continue // it was a file
		}
		changes, err := point.Changes(c.ctx)
		if err != nil {
			continue
		}
		for _, ch := range changes {
			if strings.HasPrefix(string(ch.Path), below) && !ch.After.Exists {
				gone[ch.Path] = true
			}
		}
	}
	for p := range gone {
		if !isThere(p) {
			all = append(all, oneFile{from: p})
		}
	}
	slices.SortStableFunc(all, func(a, b oneFile) int { return strings.Compare(string(a.from), string(b.from)) })
	return all
}

// usersFile takes in what the user has done to one file.
func (c *Core) usersFile(ctx context.Context, one oneFile) error {
	switch {
	case one.to == "":
		for _, g := range c.allFiles() {
			if err := g.notMovedFrom(ctx, one.from); err != nil {
				return err
			}
		}
		f := c.file(one.from)
		opaque := c.wasOpaque(ctx, one.from)
		if err := f.lockOps(ctx); err != nil {
			return err
		}
		defer f.keep(false)
		defer f.unlockOps()
		f.mu.Lock()
		defer f.mu.Unlock()
		f.notAgents(true)
		f.goneByUser(opaque)
		return nil
	case one.from == "":
		return c.file(one.to).madeByUser(ctx)
	}
	return c.renamedByUser(ctx, c.file(one.from), c.file(one.to))
}

// wasOpaque reports whether a file was no text when a turn began.
func (c *Core) wasOpaque(ctx context.Context, p buffers.Path) bool {
	st, ok := c.stateBefore(ctx, p)
	return ok && st.Opaque != ""
}

// stateBefore is what a file was when the turn began that ran there last.
func (c *Core) stateBefore(ctx context.Context, p buffers.Path) (st checkpoint.State, ok bool) {
	for _, s := range slices.Backward(c.allSessions()) {
		s.mu.Lock()
		point := s.point
		s.mu.Unlock()
		if point == nil || !s.reviews(p) {
			continue
		}
		if st, err := point.Before(ctx, p); err == nil && st.Exists {
			return st, true
		}
	}
	return checkpoint.State{}, false
}

// notAgents undoes that the file was taken for one that an agent has deleted (gone) or
// made, as nobody had told it. It is not published; mu is held.
func (f *file) notAgents(gone bool) {
	w := &f.entire
	switch {
	case gone && f.deleted:
		f.deleted = false
		if f.doc = w.full; w.full == nil && f.before != nil {
			f.doc = review.New(f.before.Text, f.core.now)
		}
		w.full = nil
		f.forgetStep(w.by, func(s agentStep) bool { return s.after.Len() == 0 })
	case gone && w.gone:
		w.gone = false
		f.forgetStep(w.by, func(s agentStep) bool { return s.gone })
	case gone && f.opaque != "" && f.opaqueOp == "delete":
		f.opaque, f.opaqueOp, w.copy = "", "", nil
	case !gone && f.created && !w.by.Sure:
		f.created = false
		f.toUser()
		f.forgetStep(w.by, func(s agentStep) bool { return s.created })
	case !gone && f.opaque != "" && f.opaqueOp == "create" && !w.by.Sure:
		f.opaque, f.opaqueOp, w.copy = "", "", nil
	}
}

// notMovedFrom makes a file that was taken for another one, which the user has deleted, one
// that the agent has made.
func (f *file) notMovedFrom(ctx context.Context, p buffers.Path) error {
	mistaken := func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.entire.from == p && !f.entire.by.Sure && f.opaque == "" && f.doc != nil && len(f.open) == 0
	}
	if !mistaken() {
		return nil
	}
	if err := f.lockOps(ctx); err != nil {
		return err
	}
	defer f.keep(false)
	defer f.unlockOps()
	if !mistaken() {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.doc.Text()
	f.doc = review.New(text.Text{}, f.core.now)
	f.doc.AgentEdit(now, f.entire.by)
	f.entire.from, f.created = "", true
	f.shownRev = notShown
	f.publish()
	return nil
}

// toUser gives to the user what is in the text and is only thought to be an agent's; mu is
// held.
func (f *file) toUser() {
	if f.doc == nil {
		return
	}
	for _, h := range f.doc.Hunks(review.StatePending) {
		for _, o := range h.Origins {
			if !o.Sure {
				f.doc.Relabel(o.Change, review.Origin{Change: o.Change, Author: review.AuthorUser, Sure: true})
			}
		}
	}
}

// forgetStep takes the last step of a turn out of what can be undone, if it is such a one;
// mu is held.
func (f *file) forgetStep(by review.Origin, is func(agentStep) bool) {
	for i, s := range slices.Backward(f.history) {
		if s.session == by.Session && s.turn == by.Turn && is(s) {
			f.history = slices.Delete(f.history, i, i+1)
			f.undos.changes++
			return
		}
	}
}

// goneByUser takes in that the user has deleted the file; mu is held.
func (f *file) goneByUser(opaque bool) {
	f.usersMade = false
	f.removals++
	if opaque || f.opaque != "" || f.opaqueSeen != nil {
		f.opaque, f.opaqueOp, f.entire.copy = "", "", nil
		f.opaqueSeen = &checkpoint.State{}
	}
	f.entire.wasExec, f.entire.wasMark = nil, nil
	if len(f.open) == 0 {
		f.takeUsers(buffers.Disk{}, review.AuthorUser)
		f.keepBefore(text.Text{})
	}
	f.isGone()
	f.shownRev = notShown
	f.publish()
	f.dropIfIdle()
}

// madeByUser takes in that the user has made the file, with what it has by now.
func (f *file) madeByUser(ctx context.Context) error {
	was := checkpoint.CopyOf(f.path)
	if err := f.lockOps(ctx); err != nil {
		return err
	}
	defer f.keep(false)
	defer f.unlockOps()
	f.mu.Lock()
	defer f.mu.Unlock()
	if !was.Exists {
		return nil
	}
	f.usersMade = true
	if f.entire.from != "" && !f.entire.by.Sure { // no file of the agent's has come here
		f.entire.from = ""
		f.toUser()
	}
	f.notAgents(false)
	if was.Opaque != "" && len(f.open) == 0 {
		if f.opaque != "" && f.opaqueOp == "modify" && !f.entire.by.Sure { // over one that there was
			f.opaque, f.opaqueOp, f.entire.copy = "", "", nil
		}
		seen := was.State.Forget()
		f.opaqueSeen = &seen
	}
	if len(f.open) == 0 && was.Opaque == "" {
		disk := buffers.Disk{Exists: true, Content: was.Content}
		f.unpark(text.New(was.Content)) // its deletion was undone
		if f.deleted || f.missing {
			f.takeUsers(disk, review.AuthorUser)
		}
		if f.before == nil || f.missing {
			f.keepBefore(text.New(was.Content))
		}
	}
	f.missing = false
	f.shownRev = notShown
	f.publish()
	f.dropIfIdle()
	return nil
}

// renamedByUser takes in that the user has given a file another name: what is undecided in
// it goes along.
func (c *Core) renamedByUser(ctx context.Context, from, to *file) error {
	was := checkpoint.CopyOf(to.path)
	before, known := c.stateBefore(ctx, from.path)
	release, err := holdBoth(ctx, from, to)
	if err != nil {
		return err
	}
	defer to.keep(false)
	defer from.keep(false)
	defer release()
	if !was.Exists || isThere(from.path) || from == to {
		return nil
	}
	defer lockBoth(from, to)()
	opaque := was.Opaque != "" || known && before.Opaque != ""
	to.usersMade = true
	if to.entire.from == from.path { // it was taken for the agent's
		to.entire.from = ""
		to.forgetStep(to.entire.by, func(s agentStep) bool { return s.created })
		if opaque {
			to.opaque, to.opaqueOp, to.entire.copy = "", "", nil
		}
	} else {
		from.notAgents(true)
		mistaken := to.created && !to.entire.by.Sure || to.opaque != "" && to.opaqueOp == "create"
		to.notAgents(false)
		if mistaken || to.doc == nil || !to.doc.Tracking() {
			c.bringAlong(from, to, before, known, was)
		}
	}
	if opaque {
		seen := was.State.Forget()
		to.opaqueSeen = &seen
	}
	to.missing = false
	from.doc, from.created, from.parked = nil, false, nil
	from.follow()
	from.entire = entire{}
	from.goneByUser(opaque)
	to.shownRev = notShown
	to.publish()
	to.dropIfIdle()
	return nil
}

// bringAlong makes what is known and undecided of a file that the user has renamed that of
// its new name; before is what it was when a turn began, if that is known, and now what it
// is. The mutexes of both are held.
func (c *Core) bringAlong(from, to *file, before checkpoint.State, known bool, now checkpoint.Copy) {
	doc, created := from.doc, from.created
	seenGone := doc != nil && doc.Text().Len() == 0 && from.parked != nil && from.parked.Tracking()
	if doc == nil || seenGone || !doc.Tracking() && from.fileChange() == nil {
		doc, created = from.parked, from.parkedCreated
	}
	had := text.New(now.Content)
	switch {
	case from.before != nil && !from.missing:
		had = from.before.Text
	case doc != nil:
		had = doc.Text()
	case known && before.Opaque == "":
		had = text.New(before.Content)
	}
	from.stepsGoTo(to)
	if from.opaque != "" {
		to.opaque, to.opaqueOp, to.entire = from.opaque, from.opaqueOp, from.entire
		to.placeholder()
		return
	}
	if now.Opaque != "" {
		return
	}
	if doc == nil {
		doc = review.New(had, c.now)
	} else {
		if to.created, to.entire = created, from.entire; to.entire.from == to.path { // it is the name that it had
			to.entire.from, to.entire.moved = "", nil
		}
	}
	if len(to.open) == 0 {
		to.doc = doc
		to.keepBefore(had)
		return
	}
	live := to.doc.Text()
	if !doc.Text().Equal(live) {
		doc.Reload(live, review.Origin{Change: c.changeID(), Author: review.AuthorUser})
	}
	to.doc = doc
}

// savedClosed takes in that the user has saved a document that is not open any more: with
// what they replace in many files, editors tell of the save last.
func (a *Attachment) savedClosed(uri, saved string) {
	p, ok := a.core.pathOf(uri)
	if !ok || a.core.isOwn(p) {
		return
	}
	c := a.core
	c.saysSaved.note(p, saved, c.now())
	f := c.file(p)
	f.mu.Lock()
	if f.before != nil { // somebody has looked
		f.wroteUser(f.before, text.New(saved))
		f.madeToWrite(f.before)
		f.shownRev = notShown
		f.publish()
	}
	f.mu.Unlock()
	c.spawn(func() {
		release, err := c.betweenPoints(c.ctx)
		if err != nil {
			return
		}
		defer release()
		if err := c.file(p).takeSaved(c.ctx, saved); err != nil && c.ctx.Err() == nil {
			c.log.Warn("take in a save", "path", p, "err", err)
		}
	})
}

func (f *file) takeSaved(ctx context.Context, saved string) error {
	if err := f.lockOps(ctx); err != nil {
		return err
	}
	defer f.keep(false)
	defer f.unlockOps()
	disk, err := buffers.ReadDisk(f.path)
	if err != nil || !disk.Exists {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.open) > 0 {
		return nil // which is looked at
	}
	is := text.New(buffers.KeepStyle(disk.Content, saved))
	if buffers.NormHash(disk.Content) == buffers.NormHash(saved) {
		is = text.New(disk.Content)
	}
	if b := f.before; b != nil && !f.missing && buffers.NormHashText(b.Text) == buffers.NormHash(saved) { // it was seen before
		f.wroteUser(b, b.Text)
	} else if b == nil || buffers.NormHashText(b.Text) != buffers.NormHash(disk.Content) { // else it was not written
		if f.doc != nil && !f.doc.Text().Equal(is) {
			f.doc.Reload(is, review.Origin{Change: f.core.changeID(), Author: review.AuthorUser})
		}
		f.closing = false // what is unsaved was not thrown away
		f.keepBefore(is)
		f.missing = false
	}
	f.shownRev = notShown
	f.publish()
	f.dropIfIdle()
	return nil
}
