package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// Files that no editor has open are compared with the checkpoint of the turn:
// what they held when it began. Shell commands change files that no agent
// reports, so nobody's word is relied on.

// takeCheckpoint makes the checkpoint of a turn that begins. What it cannot
// cover is said once in a session.
func (s *session) takeCheckpoint(ctx context.Context, t *turn) {
	if s.loose != "" {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.tellOnce(s.loose)
		return
	}
	point := s.newCheckpoint(ctx)
	if point == nil {
		return
	}
	s.core.durable.beforeCopies().begin(s, point)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.point, s.pointOf, s.pointAt, s.prepared = point, t, s.core.now(), nil
	s.tellNotes(point)
}

// tellNotes says once in a session what a checkpoint cannot cover; mu is held.
func (s *session) tellNotes(p *points) {
	for _, point := range p.of {
		for note := range strings.SplitSeq(point.Note(), "\n") {
			if note == "" || !s.tellOnce(note) {
				continue
			}
			if point.IsGone(note) { // which cannot wait until somebody reads the conversation
				s.core.tell(LevelWarning, note)
			}
		}
	}
}

// tellOnce adds a notice to the transcript, unless it was said before; mu is held.
func (s *session) tellOnce(note string) (said bool) {
	if s.noted[note] {
		return false
	}
	if s.noted == nil {
		s.noted = map[string]bool{}
	}
	s.noted[note] = true
	s.entryChanged(s.log.add(EntryNotice, "", note))
	return true
}

// prepare makes a checkpoint while nothing goes on, so that the next turn's has only
// to be compared with it.
func (s *session) prepare() {
	if !s.core.settings().Review.OutOfBand || s.loose != "" {
		return
	}
	if point := s.newCheckpoint(s.core.ctx); point != nil {
		s.core.durable.beforeCopies().save(point)
	}
}

// newCheckpoint makes a checkpoint of each folder, with what still holds of the last one;
// nil if it cannot. There is one at a time: who comes second has the first one's work.
func (s *session) newCheckpoint(ctx context.Context) *points {
	select {
	case s.pointing <- struct{}{}:
		defer func() { <-s.pointing }()
	case <-ctx.Done():
		return nil
	}
	s.mu.Lock()
	earlier := s.prepared
	if earlier == nil {
		earlier = s.point
	}
	s.mu.Unlock()
	p := &points{}
	for _, root := range s.roots() {
		point, err := checkpoint.Take(ctx, buffers.Path(root), earlier.forRoot(root), checkpoint.Options{Skip: s.core.own})
		if err == nil {
			p.roots, p.of = append(p.roots, root), append(p.of, point)
			continue
		}
		if ctx.Err() != nil {
			return nil
		}
		s.core.log.Warn("checkpoint", "session", s.id, "folder", root, "err", err)
	}
	if len(p.of) == 0 {
		return nil
	}
	s.mu.Lock()
	s.prepared = p
	s.mu.Unlock()
	return p
}

// compareDisk tracks what has changed in files nobody has open, and what has become
// of files as a whole.
func (s *session) compareDisk(ctx context.Context) {
	s.mu.Lock()
	point := s.point
	s.mu.Unlock()
	defer s.documentsGone(ctx, point) // when it is known which of them were renamed
	if point == nil {
		return
	}
	lost := s.lostRenames()
	changes, err := point.Changes(ctx)
	if slices.ContainsFunc(changes, func(ch checkpoint.Change) bool { return ch.Before.Exists && !ch.After.Exists }) {
		// One that was renamed while they were listed may be missing under both names.
		changes, err = point.Changes(ctx)
	}
	if err != nil {
		if ctx.Err() != nil {
			return
		}
		s.core.log.Warn("compare with checkpoint", "session", s.id, "err", err)
		if len(changes) == 0 {
			return
		}
	}
	s.mu.Lock()
	s.tellNotes(point) // the turn may have taken away what it relies on
	s.mu.Unlock()
	if s.letRest(ctx, changes) != nil {
		return
	}
	for _, ch := range s.takeMoves(ctx, slices.Clone(changes)) {
		f := s.core.file(ch.Path)
		now, err := f.takeIn(ctx, ch, point, readIn(ch.After))
		if err != nil && ctx.Err() == nil {
			s.core.log.Warn("track change on disk", "path", ch.Path, "err", err)
		}
		s.noteSeen(ch.Path, now)
		f.keep(false)
	}
	s.comparePutBack(ctx, point, changes, lost)
	s.core.durable.write(true)
	for _, ch := range changes {
		s.core.file(ch.Path).noteState(ch.After)
	}
}

// lostRenames are the files that were renamed, undecided, and are gone. Of one that goes later, what is listed then
// need not tell that it has got another name.
func (s *session) lostRenames() []*file {
	return slices.DeleteFunc(s.core.filesOf(s), func(f *file) bool {
		f.mu.Lock()
		renamed := f.entire.from != ""
		f.mu.Unlock()
		return !renamed || isThere(f.path)
	})
}

// noteSeen notes that the session can know what a file is now: by its own hand, mostly.
func (s *session) noteSeen(p buffers.Path, now checkpoint.State) {
	if !now.Exists {
		s.ledger.gone(p)
	} else if now.Opaque == "" {
		s.sawDisk(s.core.file(p), text.New(now.Content))
	}
}

// sawDisk notes that the session can have seen what the disk has of a file: if it is its
// own doing it has, and else it may.
func (s *session) sawDisk(f *file, now text.Text) {
	f.mu.Lock()
	own := f.before == nil || !f.before.Equal(now) || f.before.by != nil && f.before.by.Session == s.id
	f.mu.Unlock()
	if own {
		s.ledger.put(f.path, now)
	} else {
		s.ledger.mayHaveSeen(f.path, now)
	}
}

// letRest waits once, for all files of which there is news, as long as each of them
// would have to be waited for to be taken for complete.
func (s *session) letRest(ctx context.Context, changes []checkpoint.Change) error {
	news := slices.ContainsFunc(changes, func(ch checkpoint.Change) bool {
		f := s.core.file(ch.Path)
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.before == nil || f.missing == ch.After.Exists || ch.After.Exists && f.before.String() != ch.After.Content
	})
	if !news {
		return nil
	}
	return pause(ctx, quietFor)
}

// readIn is a state as what was read of the disk a while ago; nil if it is no text.
func readIn(st checkpoint.State) *buffers.Disk {
	if st.Opaque != "" {
		return nil
	}
	return &buffers.Disk{Exists: st.Exists, Content: st.Content}
}

// documentsGone tracks the open documents whose files the turn has taken away.
func (s *session) documentsGone(ctx context.Context, point *points) {
	for _, f := range s.core.filesOf(s) {
		f.mu.Lock()
		open := len(f.open) > 0
		f.mu.Unlock()
		if !open || isThere(f.path) {
			continue
		}
		var was checkpoint.State
		if point != nil {
			was, _ = point.Before(ctx, f.path) // or it is as far as it is known
		}
		if err := f.takeGone(ctx, was); err != nil && ctx.Err() == nil {
			s.core.log.Warn("track that a file is gone", "path", f.path, "err", err)
		}
		f.keep(true)
	}
}

// comparePutBack tracks what has been put back in files nobody has open: they are
// as they were when the turn began, and so not among its changes, but are known to
// have been another way since. lost are renamed files that were gone before the changes were listed.
func (s *session) comparePutBack(ctx context.Context, point *points, changes []checkpoint.Change, lost []*file) {
	for _, f := range s.core.filesOf(s) {
		f.mu.Lock()
		change := f.fileChange()
		shown := len(f.hunks()) > 0 || change != nil
		asText := len(f.open) == 0 && f.opaque == ""
		f.mu.Unlock()
		listed := slices.ContainsFunc(changes, func(ch checkpoint.Change) bool { return ch.Path == f.path })
		if !shown && !f.differsFromDisk() || listed && !slices.Contains(lost, f) {
			continue
		}
		if change != nil {
			if !listed {
				f.takeBack(point.Look(f.path))
			}
			taken := false
			if slices.Contains(lost, f) {
				var err error
				if taken, err = s.core.takeLost(ctx, f); err != nil {
					return
				}
			}
			if taken {
				s.core.file(buffers.Path(change.From)).keep(false)
				f.keep(false)
				continue
			}
		}
		if !asText || listed {
			continue
		}
		was, err := point.Before(ctx, f.path)
		text := was.Opaque == "" || was.Opaque == checkpoint.Large && f.knowsText()
		if err == nil && text && was.Same(point.Look(f.path)) { // else it has just been changed
			_, err = f.takeIn(ctx, checkpoint.Change{Path: f.path, Before: was, After: was}, point, nil)
			f.keep(false)
		}
		if err != nil && ctx.Err() == nil {
			s.core.log.Warn("track change on disk", "path", f.path, "err", err)
		}
	}
}

// differsFromDisk tells that a file which nobody has open is not what it was when last
// looked at.
func (f *file) differsFromDisk() bool {
	f.mu.Lock()
	known, there, stamped := f.before, !f.missing, f.stamped
	if f.doc != nil {
		known, there = &taken{Text: f.doc.Text()}, !f.deleted && !f.missing
	}
	look := len(f.open) == 0 && f.opaque == "" && known != nil
	otherwise := look && f.encoded != nil
	f.mu.Unlock()
	if otherwise { // what is known of it is compared by its bytes
		is := checkpoint.CopyOf(f.path).State
		f.mu.Lock()
		look = !f.readsOtherwise(is)
		f.mu.Unlock()
	}
	if !look || there && stamped.holds(f.path, known.Text) {
		return false
	}
	at := f.core.now()
	disk, err := buffers.ReadDisk(f.path)
	differs := err == nil && (disk.Exists != there || !known.Equal(text.New(disk.Content)))
	if err == nil && disk.Exists && !differs {
		f.mu.Lock()
		f.stamped = &stamp{known.Text, disk.Info, at}
		f.mu.Unlock()
	}
	return differs
}

// takeIn tracks a change on disk of a file that no editor has open. Text that
// has been taken in before, by whatever road, is not taken in again. last is what
// the file was a while ago, if it was read then. It returns what the file is: of one that was
// half written when it was found to have changed, what it came to.
func (f *file) takeIn(ctx context.Context, ch checkpoint.Change, point copies, last *buffers.Disk) (now checkpoint.State, err error) {
	if err := f.lockOps(ctx); err != nil {
		return ch.After, err
	}
	defer f.unlockOps()
	for tries := 0; ; tries++ {
		f.mu.Lock()
		saves := f.saves
		f.mu.Unlock()
		now, err = f.takeInOnce(ctx, ch, point, last, func() bool { return f.saves != saves && tries < maxTries })
		if errors.Is(err, errThereAgain) && tries == maxTries {
			return now, nil // somebody is at it, and it will be looked at again
		}
		if !errors.Is(err, errSaved) && !errors.Is(err, errThereAgain) {
			return now, err
		}
		last = nil
	}
}

// errThereAgain is the error for a file that was gone when it was looked at and is not any more.
var errThereAgain = errors.New("the file is there again")

// takeInOnce is takeIn for what the disk has at one time. Its error may be errThereAgain; it is errSaved if stale, which is
// called with mu held, tells that this is over; ops is held.
func (f *file) takeInOnce(ctx context.Context, ch checkpoint.Change, point copies, last *buffers.Disk, stale func() bool) (now checkpoint.State, err error) {
	var info fs.FileInfo
	was, again := f.wasText(ch.After)
	if again {
		ch.Before, point = was, checkpoint.Copy{State: was}
	} else if large, ok := f.largeText(ch); ok {
		ch, last = large, readIn(large.After)
	}
	if ch.Before.Opaque == "" && ch.After.Opaque == "" {
		disk, err := f.wholeAfter(ctx, f.core.read, last) // it may have been half written
		if behindLink(f.path) {
			disk, err = buffers.Disk{}, nil
		}
		if err != nil {
			return ch.After, err
		}
		if disk.Info != nil && !ch.After.Exists {
			ch.After.Exec = disk.Info.Mode()&0o111 != 0
		}
		ch.After.Exists, ch.After.Content, info = disk.Exists, disk.Content, disk.Info
	} else {
		stale = func() bool { return false } // it is not read again
	}
	return ch.After, f.takeInRead(ctx, ch, point, again, was, info, stale)
}

// takeInRead is takeInOnce for what was read, as info says.
func (f *file) takeInRead(ctx context.Context, ch checkpoint.Change, point copies, again bool, was checkpoint.State, info fs.FileInfo, stale func() bool) error {
	var hand gitsHand
	if err := f.readFirst(ctx, ch.After); err != nil {
		return err
	}
	ch, recoded := f.recodedAtRest(ctx, ch)
	if now := readIn(ch.After); now != nil {
		now.Info = info
		hand = f.gitsHand(ctx, *now, f.tracked())
		if !now.Exists && f.thereAgain(ctx) {
			return errThereAgain
		}
	}
	return f.takeInBy(ctx, ch, point, again, was, hand, recoded, stale)
}

// takeInBy is takeInRead where it is known what git has to do with it.
func (f *file) takeInBy(ctx context.Context, ch checkpoint.Change, point copies, again bool, was checkpoint.State, hand gitsHand, recoded bool, stale func() bool) error {
	known := contentOf(ch.Before)
	f.mu.Lock()
	if f.before != nil {
		s := f.before.String()
		known = &s
	}
	whole := ch.Before.Opaque != "" || ch.After.Opaque != "" || f.underDocument() || recoded || f.encoded != nil && f.takesWhole(ch.After, recoded)
	f.mu.Unlock()
	o := f.core.attributeText(f.path, known, contentOf(ch.After))
	o.Change = f.core.changeID()
	f.core.elsewhere.found(f.path, ch.After, o)
	if whole {
		return f.takeInOpaque(ctx, ch, point, o, recoded)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if stale() { // a document was saved and closed since
		return errSaved
	}
	goOn := func() {}
	defer func() { goOn() }()
	if o.Author == review.AuthorUser && ch.After.Exists {
		f.entire.exec = &ch.After.Exec
	} else if (ch.Before.Exists || f.entire.from != "") && ch.After.Exists && o.Author != review.AuthorUser { // or it has come from there
		defer func() { f.takeMode(ch.Before.Exec, ch.After.Exec, o) }() // with the text taken in
	}
	if len(f.open) > 0 {
		return nil // its text is catchUp's
	}
	if f.readsOtherwise(ch.After) {
		return nil
	}
	if again && f.opaque != "" {
		f.textAgain(was)
	}
	now, base := text.New(ch.After.Content), text.New(ch.Before.Content)
	had := ch.Before.Exists
	held := f.held()
	if !f.sleepsThrough(now, ch.After.Exists, o) {
		f.wake(base, !had)
	}
	if ch.After.Exists {
		f.throwAway(now)
	}
	if f.doc != nil && !f.onlyProposed() {
		base, had = f.doc.Text(), !f.deleted && !f.missing
	} else if f.before != nil {
		base, had = f.before.Text, !f.missing
	}
	if f.entire.from != "" && !ch.After.Exists {
		return nil // that is takeLost's
	}
	if base.Equal(now) && had == ch.After.Exists {
		if f.before == nil {
			f.keepBefore(now)
			f.missing = !ch.After.Exists
		}
		return nil
	}
	f.core.unasked(f.path, o)
	if f.doc == nil {
		f.doc = review.New(base, f.core.now)
	} else if f.onlyProposed() { // in what the disk had by then, which may be the change itself
		f.doc.Follow(base, review.AuthorUser)
	}
	if o.Author == review.AuthorUser {
		f.doc.Follow(now, o.Author)
	} else {
		full := f.doc.Clone()
		back := hand.edit(f.doc, now, o)
		w := &f.entire
		if !hand.took && !back && f.fileChange() == nil { // else whose that is the rows do not say
			w.by = o
		}
		switch {
		case !had && ch.After.Exists && f.deleted:
			f.deleted, w.goneBack = false, hand.took // taken away and put back
		case !had && ch.After.Exists:
			f.created, w.madeAway, w.made = true, false, nil
		case had && !ch.After.Exists:
			if !back && !f.created {
				w.by = o
			}
			f.vanishes(full, o, ch.Before.Exec, hand.took)
		}
		goOn = func() { f.holdOn(held, checkpoint.State{Exists: had, Content: base.String()}, ch.After, o) }
	}
	f.record(&o, base, now, !had && ch.After.Exists)
	f.keepBeforeOf(now, o)
	f.missing = !ch.After.Exists
	f.shownRev = notShown
	f.publish()
	f.dropIfIdle()
	return nil
}

// vanishes takes in that the file, of which full was tracked and which could be run (ran), was
// taken away in the turn of o; took: by git; mu is held.
func (f *file) vanishes(full *review.Doc, o review.Origin, ran, took bool) {
	w := &f.entire
	if f.created { // made and taken away again
		f.created, w.madeAway = false, took
		w.made, w.madeIn = full, o.Turn
		return
	}
	f.deleted, w.goneBack, w.ran, w.wasExec, w.wasMark = true, false, w.execBefore(ran), nil, nil
	w.full, w.held = full, full.Text().String()
}

// behindLink reports whether a link stands where a folder of the file was: what is there is
// another file.
func behindLink(p buffers.Path) bool {
	dir := filepath.Dir(string(p))
	is, err := buffers.Resolve(dir)
	return err == nil && string(is) != dir
}

// takeInOpaque is takeIn for a file that is, or was, no text, or is recoded; ops is held.
func (f *file) takeInOpaque(ctx context.Context, ch checkpoint.Change, point copies, o review.Origin, recoded bool) error {
	was, err := point.Copy(ctx, f.path)
	if err != nil {
		was = checkpoint.Copy{State: ch.Before.Forget()}
	}
	f.mu.Lock()
	recoded = recoded && f.recoded(ch) // the user may have saved it so since
	kind := checkpoint.Binary
	if recoded && f.changesEnds(ch) {
		if kind = endsAlone; f.opaque == "" && was.Opaque == "" {
			was.State = f.beganWith(was.State)
		}
	}
	if o.Author == review.AuthorUser && f.opaque == "" && f.takesWhole(ch.After, recoded) { // as others have told
		seen := ch.After.Forget()
		f.opaqueSeen, f.entire.exec = &seen, &seen.Exec
		f.mu.Unlock()
		return err
	}
	if f.opaque == "" {
		f.entire.recoded, f.entire.info = recoded, statOf(f.path)
	}
	lost := f.takesWhole(ch.After, recoded) && f.takeOpaque(ch, was, o, kind)
	f.mu.Unlock()
	if lost {
		f.core.noticeOf(o, fmt.Sprintf("%s has been changed, and there is no copy of what it was (%s): only git or a backup can bring that back", f.path, was.Opaque))
	}
	return err
}

// noticeOf tells whoever sees what the session of o does; if it is nobody's, every editor.
func (c *Core) noticeOf(o review.Origin, text string) {
	if s, err := c.findSession(o.Session); err == nil {
		s.notice(o.Turn, EntryNotice, text)
		return
	}
	c.tell(LevelWarning, text)
}
