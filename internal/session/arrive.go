package session

import (
	"context"
	"slices"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// A file can be opened or closed while a turn runs, and after its agent has written it:
// what then differs from what was known of the file is not the user's, though nobody saw
// it arise.

// arrival is what is to be found out about a document that was opened.
type arrival struct {
	text     text.Text
	had      *taken          // what the disk had when last looked at, nil if unknown
	change   review.ChangeID // of the difference from what was tracked, if there is one
	first    bool            // no other document of the file is open
	number   int             // of those with first; a later one makes this one void
	removals int             // as then in the file
	held     bool            // there was something undecided in it
	then     review.Origin   // who was at work when it was opened

	base    *text.Text // what the file had before agents wrote what is tracked, that had was last; nil if it is not so
	emptied *text.Text // what was tracked in a file that has nothing now; nil if it is not so
	tracked text.Text  // if change is set
	save    *firstSave // nil if it cannot be the user's own writing

	before *taken // what the file had before what the editor may have read of it; nil if unknown

	known chan struct{} // closed when that is found out; nil if it is not waited for
}

// opened is called on the editor's read loop when a document of the file is opened.
func (f *file) opened(at *Attachment, d *buffers.Document) arrival {
	f.mu.Lock()
	defer f.mu.Unlock()
	ar := arrival{text: d.Text, first: len(f.open) == 0, removals: f.removals}
	f.closing = false
	left := f.laterThan(d.Text)
	if ar.first {
		if ar.had = f.before; f.unlooked && (ar.had == nil || ar.had == f.asRead) { // it was not open long enough to look
			ar.had = f.hadBefore
		}
		if f.unlooked && f.doc != nil && !f.doc.Tracking() && !f.doc.Proposing() {
			f.doc = nil // nor was it found out what that came from
		}
		f.arrivals++
		ar.number, f.unlooked, f.hadBefore = f.arrivals, true, ar.had
		ar.known = make(chan struct{})
		f.arriving, f.asRead = ar.known, nil
		f.before, f.sent, f.ends, f.coded, f.began, f.codedFirst = nil, nil, nil, nil, nil, nil
	}
	f.kept.resting, f.awaited = false, false
	f.touchOpen(openDoc{at, d.URI})
	f.wakeWithout(left, d.Text)
	f.wake(d.Text, false)
	f.unpark(d.Text)
	f.openedGone(d.Text)
	f.openedEnds(d.Text)
	f.openedMarked(d.Text)
	f.openedWhole(d.Text)
	if ar.first {
		ar.base = f.baseOf(d.Text, ar.had)
	}
	ar.then = f.core.attribute(f.path)
	ar.held = f.doc != nil && f.doc.Tracking() || f.created
	if ar.first && f.doc != nil && !f.doc.Text().Equal(d.Text) && ar.then.Author != review.AuthorUser {
		ar.change, ar.tracked = f.core.changeID(), f.doc.Text()
		f.backTo(ar.had)
		f.doc.Reload(d.Text, review.Origin{Change: ar.change, Author: review.AuthorUnknown})
	}
	if f.doc != nil && isEmpty(d.Text) && !isEmpty(f.doc.Text()) {
		had := f.doc.Text() // it may be written yet: nobody has deleted all that by hand
		ar.emptied = &had
		takeOver(f.doc, d.Text, usersOwn(d.Text, nil))
	}
	f.follow()
	f.bringLeft(left)
	f.stir()
	f.publish()
	return ar
}

// looked takes in what the disk has beside a document that was just opened or, with
// err, that this cannot be found out.
func (f *file) looked(ctx context.Context, disk buffers.Disk, err error, ar arrival) {
	defer f.endOlder()
	if ar.known != nil {
		defer close(ar.known)
		defer f.notePart(&ar)
	}
	there := err == nil && disk.Exists
	loaded := there && buffers.NormHash(disk.Content) == buffers.NormHashText(ar.text)
	had, created := ar.had, false
	if had == nil && ar.first {
		had, created = f.core.beforeTurn(ctx, f.path)
	}
	ar.before = had
	who := review.Origin{Author: review.AuthorUser, Sure: true}
	dressed := loaded && ar.change != "" && ar.tracked.Equal(text.New(disk.Content)) // by the editor, as it loaded the file
	f.mu.Lock()
	whole := f.underDocument()
	f.mu.Unlock()
	if loaded && had != nil && !dressed && !whole {
		who = f.whoseThen(ar.text, had, ar.then)
	}
	is := text.New(disk.Content)
	if ar.text.Equal(text.New(disk.Content + "\n")) { // an editor may read a final line end that is not there
		is = ar.text
	}
	older, between := false, false
	if there && !loaded && !whole {
		older, between = f.isReadBefore(ctx, ar, had, is)
	}
	if older {
		who = *had.by
	} else if between {
		is, who = ar.text, f.whoseThen(ar.text, had, ar.then)
	}
	if at := buffers.Encoded(err); at != nil {
		if by := f.lookedEncoded(at, ar, had, created); ar.change != "" {
			who = by
		} else if _, ok := at.Text(); ok && created && ar.first {
			is, who = ar.text, ar.then // which is all that there is, however it is read
		}
	}
	f.mu.Lock()
	void := ar.first && ar.number != f.arrivals
	asRead := f.asRead
	if ar.first && !void {
		f.unlooked, f.hadBefore, f.asRead = false, nil, nil
	}
	f.mu.Unlock()
	if there && !void {
		f.mu.Lock()
		f.isText(disk)
		if ar.first && f.ends == nil { // else somebody has looked before, and may have found other ones
			f.keepEnds(disk, err)
		}
		switch {
		case f.before != nil && f.before != asRead && !f.entire.gone:
		case older:
			f.keepRead(asRead, ar.text)
			if had.Equal(is) { // else somebody has written on, and is at work yet
				f.bringAs(is, *had.by)
			}
		case between:
			f.keepRead(asRead, ar.text)
		case !loaded && had != nil:
			f.before = had // it has been written since it was opened
			f.attachUnder()
			f.later()
		case loaded && f.before != nil && f.before == asRead:
			f.noteKnown()
		default:
			f.keepBefore(text.New(disk.Content))
			f.missing = f.missing && f.removals != ar.removals // by the user, who has said so since
		}
		if ar.emptied != nil {
			f.before = f.before.emptiedFrom(ar.emptied)
		}
		f.isBack()
		f.publish()
		f.mu.Unlock()
	} else if err == nil && had != nil && (created || !void && ar.then.Author != review.AuthorUser) {
		was := had
		if isEmpty(had.Text) { // perhaps because it is known to be away
			was, _ = f.core.beforeTurn(ctx, f.path)
		}
		// A document without a file: what comes to the disk now is the agent's, and what it took
		// away before is told at the next turn point.
		f.mu.Lock()
		if f.before == nil {
			if f.before = had; !created {
				f.readAway(ar, had, was)
			}
			f.attachUnder()
			f.later()
			f.missing = f.missing || created
		}
		f.mu.Unlock()
	} else if err == nil && !disk.Exists && ar.first && !void {
		// No file, and nobody is at work who could have taken it away: so it was when the document was
		// opened, and what comes to the disk from now on comes under what is typed.
		f.mu.Lock()
		if f.before == nil {
			f.keepBefore(text.Text{})
			f.missing = true
		}
		f.mu.Unlock()
	}
	switch {
	case ar.change != "":
		f.mu.Lock()
		defer f.mu.Unlock()
		if ar.save.settle(who) {
			who = users
		}
		who.Change = ar.change
		if f.doc != nil {
			f.doc.Relabel(ar.change, who)
			f.publish()
		}
	case void: // what there is to find is the later one's
	case who.Author == review.AuthorAgent || who.Author == review.AuthorDisk:
		who.Change = f.core.changeID()
		f.since(ctx, had.Text, is, created, who, ar)
	}
}

// since tracks what happened to a file before it was opened, of which nothing is known
// yet: had became now by o, and what there is now is the user's, but for what was found to
// have been written since.
func (f *file) since(ctx context.Context, had, now text.Text, created bool, o review.Origin, ar arrival) {
	_ = f.findOut(ctx) // which would not know the document again
	if f.lockOps(ctx) != nil {
		return
	}
	defer f.unlockOps()
	f.mu.Lock()
	defer f.mu.Unlock()
	named := f.usersMade || f.entire.from != "" // it came with a name that it was given meanwhile
	if ar.save.settle(o) || f.doc == nil || created && named || f.doc.Proposing() || had.Equal(now) && !created {
		return
	}
	later := f.doc.Hunks(review.StatePending)
	through := slices.ContainsFunc(later, func(h review.Hunk) bool { // or it has come along with a name
		return slices.ContainsFunc(h.Origins, func(o review.Origin) bool { return o.Sure })
	})
	if f.doc.Tracking() && (through || ar.held || len(later) == 0 || len(f.doc.Hunks()) > len(later)) {
		return
	}
	live, users := f.doc.Text(), f.doc.Baseline()
	doc := review.New(had, f.core.now)
	doc.AgentEdit(now, o)
	if !users.Equal(now) {
		doc.Reload(users, review.Origin{Change: f.core.changeID(), Author: review.AuthorUser})
	}
	if !live.Equal(users) {
		doc.Reload(live, later[0].Origins[0])
	}
	f.doc = doc
	if created {
		f.created, f.entire.by = true, o
	}
	f.record(&o, had, now, created)
	if f.before != nil && buffers.NormHashText(f.before.Text) == buffers.NormHashText(now) {
		f.keepBeforeOf(f.before.Text, o)
	}
	f.core.unasked(f.path, o)
	f.shownRev = notShown
	f.stir()
	f.publish()
}

// beforeTurn is what a file of which nothing is known held when the turn began that runs where it
// lies; nil: no such turn, or nobody knows. Of several it is the first one: what its agent did before
// the others began is known, but for what it did in the moment when they did. created: it was not there.
func (c *Core) beforeTurn(ctx context.Context, p buffers.Path) (had *taken, created bool) {
	var point *points
	var at time.Time
	for _, s := range c.allSessions() {
		if !s.reviews(p) {
			continue
		}
		s.mu.Lock()
		if s.running != nil && s.pointOf == s.running && (point == nil || s.pointAt.Before(at)) {
			point, at = s.point, s.pointAt
		}
		s.mu.Unlock()
	}
	if point == nil {
		return nil, false
	}
	was, err := point.Before(ctx, p)
	if err != nil || was.Opaque != "" {
		return nil, false
	}
	if !was.Exists {
		if covered, err := point.Covers(ctx, p); err != nil || !covered {
			return nil, false
		}
	}
	return &taken{Text: text.New(was.Content)}, !was.Exists
}

// closed is called when a document of the file was closed for good: the file on
// disk is then its text, and the difference is the user's (rule 14). It returns what was
// tracked, nil if nothing was or another document is open.
func (f *file) closed(at *Attachment, uri string) *review.Doc {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open = slices.DeleteFunc(f.open, func(o openDoc) bool { return o.at == at && o.uri == uri })
	f.stir()
	if len(f.open) > 0 {
		f.follow()
		f.publish()
		return nil
	}
	f.core.opened.Delete(f.path)
	f.closing = true
	if f.doc != nil {
		f.believeClaim(f.doc.Text())
	}
	f.core.spawn(func() { _ = f.followDisk(f.core.ctx) })
	if f.doc == nil || !f.doc.Tracking() {
		return nil
	}
	return f.doc.Clone()
}

// followClosed is followDisk for the files whose last document was closed a moment ago and that
// are looked at in a moment: a decision is on what is undecided then.
func (c *Core) followClosed(ctx context.Context) error {
	for _, f := range c.allFiles() {
		f.mu.Lock()
		due := f.closing
		f.mu.Unlock()
		if !due {
			continue
		}
		if err := f.followDisk(ctx); err != nil {
			return err
		}
	}
	return nil
}

// followDisk takes the file on disk as its text once no document is open.
func (f *file) followDisk(ctx context.Context) error {
	if err := f.awaitArrival(ctx); err != nil { // what it was opened with need not be what the disk had before
		return err
	}
	if err := f.lockOps(ctx); err != nil {
		return err
	}
	defer f.unlockOps()
	had, _ := f.core.beforeTurn(f.core.ctx, f.path)
	f.mu.Lock()
	saves := f.saves
	f.mu.Unlock()
	disk, err := f.whole(f.core.ctx, f.read)
	f.mu.Lock()
	for tries := 0; f.saves != saves && tries < maxTries; tries++ { // opened, saved and closed again
		saves = f.saves
		f.mu.Unlock()
		disk, err = f.whole(f.core.ctx, f.read)
		f.mu.Lock()
	}
	defer f.mu.Unlock()
	now := text.New(disk.Content)
	if len(f.open) > 0 {
		return nil
	}
	defer f.unbrought.Store(nil)
	if f.doc == nil {
		f.closing = false // nothing that was tracked is thrown away
		return nil
	}
	if f.before == nil { // it was not open long enough to look
		f.before = had
	}
	f.closedGone()
	nowhere := f.missing && f.doc.Text().Len() == 0 // as before it was opened: no name that it may have gone to
	switch {
	case err == nil && !disk.Exists && !f.deleted && !nowhere:
		f.park()
		if f.missing { // who took it away while it was open is known
			f.keepBefore(text.Text{})
		}
	case !f.closing: // it was followed meanwhile, and what has come since need not be the user's
		f.publish()
		f.dropIfIdle()
	case err == nil:
		f.throwAway(now)
		if f.before != nil && disk.Exists && buffers.NormHashText(f.before.Text) != buffers.NormHashText(now) && f.doc != nil && f.doc.Text().Equal(now) {
			f.keepBeforeOf(now, f.whose(now, f.before)) // the text had it already, by another road
			f.missing = false
		}
		f.takeUsers(disk, review.AuthorUser)
	default:
		f.publish()
		f.dropIfIdle()
	}
	return nil
}

// throwAway makes now, which the disk has, the text of a file whose last document was
// closed, unless that was done; mu is held.
func (f *file) throwAway(now text.Text) {
	if f.closing && f.doc != nil && !f.doc.Text().Equal(now) {
		f.discard(now)
		f.publish()
	}
	f.closing = false
}

// discard makes now the text, which is what the disk has: what was not saved is gone by
// the user's will, but what came to the disk since it was last taken in need not be
// theirs; mu is held.
func (f *file) discard(now text.Text) {
	f.discardAs(now, f.whose(now, f.before))
}

// discardAs is discard where it is known whose what came to the disk is; mu is held. A byte order
// mark that the documents did not have is nothing that came.
func (f *file) discardAs(now text.Text, o review.Origin) {
	is := markedAs(f.doc, now)
	seen := is
	if f.before != nil {
		f.backTo(f.before) // which brings back what was undecided in it
		is, seen = markedAs(f.doc, now), markedAs(f.doc, f.before.Text)
	} else if !f.doc.Text().Equal(is) {
		takeOver(f.doc, is, review.Origin{Change: f.core.changeID(), Author: review.AuthorUser})
	}
	if !is.Equal(seen) {
		was := f.doc.Text()
		o.Change = f.core.changeID()
		takeOver(f.doc, is, o)
		f.record(&o, was, is, false)
	}
	f.closedMarked(now)
	if f.before != nil && !f.before.Equal(now) {
		f.keepBeforeOf(now, o)
	}
}

// backTo makes what the disk had the text, by the user's will: what was not saved is
// gone. What of it was in conflict with that is whose it was; mu is held.
func (f *file) backTo(before *taken) {
	if before == nil {
		return
	}
	before.bringTo(f.doc, f.core.changeID)
}

// thrownAway takes in a reload by which the user threw away what was not saved, if it is
// one: t is what the disk had when it was last taken in; mu is held.
func (f *file) thrownAway(before *taken, t text.Text) bool {
	if before == nil || f.formatting(t) {
		return false
	}
	same := buffers.NormHashText(before.Text) == buffers.NormHashText(t)
	if !same && f.core.running(f.path) {
		return false // whose the rest is has to be found out
	}
	f.before = before
	f.discard(t)
	if !same {
		f.core.spawn(func() { f.core.lookAtGit(f.core.ctx) })
	}
	return true
}
