package session

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
	"acp-ls/internal/review/journal"
)

// waitsIn is a file in which an earlier run has left something undecided, beside so many changes
// of this one.
type waitsIn struct {
	path buffers.Path
	own  int
}

// resumed says what became of the changes of earlier runs.
type resumed struct {
	pending      int // undecided
	in           []waitsIn
	lost, asleep []string
	hidden       []string // undecided, and no copy was kept
}

// neighbours takes up what other processes have left in the same workspace that have
// ended since this one began. While a question shows what is proposed it waits.
func (d *durable) neighbours(ctx context.Context) {
	j := d.current()
	if j == nil || !j.Dead() || d.core.proposing() {
		return
	}
	select {
	case d.taking <- struct{}{}:
	case <-ctx.Done():
		return
	}
	defer func() { <-d.taking }()
	if !j.Dead() {
		return // whoever was at it has taken it up
	}
	d.takeUp(ctx, j, false)
	d.core.spawn(func() { d.core.lookAtGit(d.core.ctx) })
}

// awaitNeighbours looks whether the processes that lived when this one began have ended since,
// less and less often: a window that is loaded anew has its new acp-ls before the old one is
// gone, and nobody may ask for what that leaves. Of those that stay the user is told.
func (d *durable) awaitNeighbours(ctx context.Context) {
	const tell = 800 * time.Millisecond
	for wait := 100 * time.Millisecond; wait < time.Minute; wait *= 2 {
		live, undecided, left := d.others()
		if live == 0 {
			return
		}
		if wait == tell && len(undecided) > 0 {
			d.core.tellOf(LevelInfo, "Undecided in another acp-ls: %s. They are decided in its editor", undecided...)
		}
		if wait == tell && len(left) > 0 {
			d.core.tellOf(LevelInfo, "Left undecided in another editor: %s. acp-ls has ended there: they are offered there when it is started again, and here when that editor is closed", left...)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
		d.neighbours(ctx)
	}
}

// others are the processes that lived when it was last looked, or whose editors did; the files in
// which those have something undecided, and those in which these have left it.
func (d *durable) others() (n int, undecided, left []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, o := range d.live {
		if o.Ended {
			left = append(left, o.Paths...)
		} else {
			undecided = append(undecided, o.Paths...)
		}
	}
	slices.Sort(undecided)
	slices.Sort(left)
	return len(d.live), slices.Compact(undecided), slices.Compact(left)
}

// proposing reports whether anything is proposed in any file.
func (c *Core) proposing() bool {
	return slices.ContainsFunc(c.allFiles(), func(f *file) bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return len(f.gates) > 0 || f.moving != nil
	})
}

// inUse reports whether this process has something of its own to know of the file.
func (f *file) inUse() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asleep != nil || f.fileChange() != nil || f.doc != nil && (f.doc.Tracking() || f.doc.Proposing()) || f.parked != nil
}

// takeUp takes up what dead processes have left; first: nothing of this one is there yet.
func (d *durable) takeUp(ctx context.Context, j Journal, first bool) {
	found, err := j.TakeOver()
	if err != nil {
		d.core.log.Error("take over journals", "err", err)
	}
	for _, r := range found.Reports {
		d.core.log.Warn("journal", "report", r)
		d.core.tell(LevelWarning, r)
	}
	var sum resumed
	left, later := d.leftovers(ctx, found.Left)
	d.mu.Lock()
	d.away = nil // who dies after that knows what is written
	d.mu.Unlock()
	found.Entries = d.takeSteps(found.Entries)
	d.removeTemps(found.Entries)
	for _, t := range d.tasks(d.takeAgents(ctx, found), left, first, &sum) {
		if ctx.Err() != nil {
			found.Keep()
			return
		}
		f, take := d.core.file(t.path), (*file).resume
		ours := !first && f.inUse()
		if ours {
			take = (*file).layUnder
		}
		var err error
		if t.entry != nil {
			err = take(f, ctx, *t.entry, &sum)
		}
		switch {
		case err != nil:
			d.core.log.Warn("take up changes of an earlier run", "path", t.path, "err", err)
			sum.lost = append(sum.lost, fmt.Sprintf("%s (%v)", t.path, err))
			if !ours {
				d.pass(*t.entry) // perhaps it can be the next time
			}
		case t.left != nil:
			f.takeLeft(t.left)
			f.keepLeft(t.left)
		}
		f.endOlder()
		if !first {
			f.tellRejected()
		}
	}
	d.core.findMoves()
	d.endRenames(ctx, left)
	d.tellLater(later)
	if !d.write(true) || d.hasFailed() { // what was passed on may not be there
		found.Keep()
	} else if err := found.Release(); err != nil {
		d.core.log.Warn("remove journals of earlier runs", "err", err)
	}
	d.mu.Lock()
	d.live = found.Live
	d.mu.Unlock()
	d.report(sum)
}

func (d *durable) report(sum resumed) {
	if len(sum.in) > 0 {
		d.tellUndecided(sum.in)
	}
	if len(sum.lost) > 0 {
		d.core.tellOf(LevelWarning, "Changes not to be found: %s. They are of an earlier run, and not in the text any more", sum.lost...)
	}
	if len(sum.asleep) > 0 {
		d.core.spawn(func() { d.tellAsleep(sum.asleep) })
	}
	if len(sum.hidden) > 0 {
		d.core.tellOf(LevelWarning, "No longer to be reviewed: changes in %s, of an earlier run. acp-ls keeps no copy of files that may hold secrets, or that git ignores", sum.hidden...)
	}
}

// tellUndecided says how much an earlier run has left undecided in files, all in one: once the
// documents are open that an editor in which acp-ls is started opens a moment later, for
// it is their texts that count.
func (d *durable) tellUndecided(in []waitsIn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.untold = append(d.untold, in...)
	if len(d.untold) > len(in) {
		return // somebody waits already
	}
	d.core.spawn(func() {
		if pause(d.core.ctx, d.core.waits.Opening) != nil {
			return
		}
		d.mu.Lock()
		told := map[buffers.Path]bool{}
		untold := d.untold
		d.untold = nil
		d.mu.Unlock()
		changes := 0
		for _, in := range untold {
			if n := d.core.file(in.path).countUndecided() - in.own; n > 0 && !told[in.path] {
				changes += n
				told[in.path] = true
			}
		}
		if changes > 0 {
			d.core.tell(LevelInfo, fmt.Sprintf("%s of an earlier run %s in %s", number(changes, "change"), waits(changes), number(len(told), "file")))
		}
	})
}

// countUndecided counts what there is to decide on in the file.
func (f *file) countUndecided() (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.doc != nil {
		n = len(f.doc.Hunks(review.StatePending, review.StateConflict))
	}
	if f.fileChange() != nil {
		n = max(n, 1)
	}
	return n
}

// tellAsleep says in which files something is looked for when they are opened. An editor in
// which acp-ls is started anew opens them a moment later, and shows what is found.
func (d *durable) tellAsleep(paths []string) {
	if pause(d.core.ctx, d.core.waits.Opening) != nil {
		return
	}
	paths = slices.DeleteFunc(paths, func(p string) bool {
		f := d.core.file(buffers.Path(p))
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.asleep == nil
	})
	if len(paths) > 0 {
		d.core.tellOf(LevelInfo, "Open %s: changes of an earlier run are looked for there, which are not in the files on disk", paths...)
	}
}

func number(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}

func waits(n int) string {
	if n == 1 {
		return "waits"
	}
	return "wait"
}

// resume takes up what an earlier run had tracked in the file (rule 11), if it is
// open or was certainly left with the text it has. If not, an editor may come with
// another text: one that was not saved, from before an edit that was never made, or
// brought back from the editor's own journal. So the entry sleeps until the file is
// opened, or is about to be changed, and stays in the journal as it is; until then
// what the disk has counts.
func (f *file) resume(ctx context.Context, e journal.Entry, sum *resumed) error {
	select { // not lockOps, which waits for this
	case f.ops <- struct{}{}:
		defer f.unlockOps()
	case <-ctx.Done():
		return ctx.Err()
	}
	last := e.Last
	f.recallUndone(last)
	if err := f.finishMove(last); err != nil {
		f.core.log.Warn("give a file that was renamed its mode", "path", f.path, "err", err)
	}
	switch {
	case onlyUndone(last), isMovedBack(last):
		f.keep(false)
		return nil
	case last.Secret:
		defer f.keep(false)
		disk, err := buffers.ReadDisk(f.path)
		if last.Pending > 0 && (err != nil || !happenedNot(last, text.New(disk.Content), !disk.Exists)) {
			sum.hidden = append(sum.hidden, last.Path)
		}
		return nil
	case last.Opaque != "":
		again := f.resumeOpaque(last, sum)
		if again == nil {
			return nil
		}
		e, last = *again, again.Last
	}
	if isRenamedBack(last) && !f.isOpen() {
		return f.resumeRenamedBack(last, sum)
	}
	disk, err := buffers.ReadDisk(f.path)
	found, missing := text.New(disk.Content), !disk.Exists
	f.mu.Lock()
	_, d, open := f.live()
	switch {
	case open:
		err = f.wakeOn(e, d.Text, false, sum)
	case err == nil && isState(&last, found, missing) && (last.Before == nil || last.OnDisk) && f.sameRows(&last, found):
		err = f.wakeOn(e, found, missing, sum)
	default:
		// Until the file is opened, perhaps with another text, the disk's counts.
		var until resumed
		unreadable := err != nil
		if !unreadable {
			if err := f.wakeOn(e, found, missing, &until); err != nil {
				f.mu.Unlock()
				return err
			}
		}
		sum.pending += until.pending
		sum.in = append(sum.in, until.in...)
		if (unreadable || len(until.lost) > 0) && !last.Told {
			sum.asleep = append(sum.asleep, last.Path)
			e.Last.Told = true
		}
		if f.doc == nil && !unreadable && !missing {
			f.doc = review.New(found, f.core.now) // what becomes of the text is to be known
			f.keepBefore(found)
		}
		passOn(&e)
		f.asleep = &sleeper{Entry: e, until: until, then: f.version(), text: found}
		f.mu.Unlock()
		f.core.durable.pass(e)
		f.mu.Lock()
		f.kept.last = passedOn
		f.mu.Unlock()
		return nil
	}
	f.mu.Unlock()
	if err == nil {
		f.keep(false)
	}
	return err
}

// passedOn is no version of a file: the last record is an earlier run's.
var passedOn = version{rev: ^uint64(0)}

// pass writes an earlier run's records into this one's journal.
func (d *durable) pass(e journal.Entry) {
	for _, r := range e.Records() {
		d.write(false, r)
	}
}

// isState reports whether a record is of the text found, and has its state.
func isState(r *journal.Record, found text.Text, missing bool) bool {
	return r != nil && r.State != nil && missing == r.Deleted && sameText(r.Text, found)
}

// isKnown reports whether a text is one whose state an entry has.
func isKnown(e *journal.Entry, found text.Text, missing bool) bool {
	return isState(&e.Last, found, missing) || happenedNot(e.Last, found, missing) || isState(e.Saved(), found, missing)
}

// sameRows reports whether the text found has the rows of the record's, which has its hash: no row
// at all and a blank one are the same to that.
func (f *file) sameRows(r *journal.Record, found text.Text) bool {
	if r.Text != buffers.NormHash("") {
		return true
	}
	doc, err := review.UnmarshalState(r.State, f.core.now)
	return err == nil && (doc.Text().Len() == 0) == (found.Len() == 0)
}

// happenedNot reports whether the text is the one in front of the edit that a record
// was written for.
func happenedNot(r journal.Record, found text.Text, missing bool) bool {
	return r.Before != nil && r.Before.Missing == missing && sameText(r.Before.Text, found)
}

// wakeOn takes up an entry with the text found; mu is held.
func (f *file) wakeOn(e journal.Entry, found text.Text, missing bool, sum *resumed) error {
	if r := f.goneUnder(&e); r != nil {
		return f.takeUpGone(&e, r, found, sum)
	}
	doc, lost, from, err := stateFor(&e, found, missing, f.core.now)
	if err != nil {
		return err
	}
	told := len(sum.lost)
	if doc != nil { // else nothing was undecided
		f.takeUp(doc, lost, *from, found, missing, sum)
	}
	if f.mayBeOlder(&e, found) {
		sum.lost = sum.lost[:told] // until it is known what there is of it
		sum.in = append(sum.in, waitsIn{f.path, 0})
		f.attachUnder()
	}
	return nil
}

// takeUp makes doc, as an earlier run knew it, that of the text found. lost is what it has lost
// already; mu is held.
func (f *file) takeUp(doc *review.Doc, lost []review.Hunk, from journal.Record, found text.Text, missing bool, sum *resumed) {
	from.Deleted = from.Deleted && missing && !isAway(&from)
	from.Created = from.Created && !missing
	undecided := func() int {
		n := len(doc.Hunks(review.StatePending, review.StateConflict))
		if from.Created || from.Deleted || from.From != "" || from.Mode != "" {
			n = max(n, 1)
		}
		return n
	}
	if undecided() == 0 {
		lost := slices.ContainsFunc(doc.Hunks(review.StateRejected), func(h review.Hunk) bool { return h.Lost })
		if !lost && f.core.now().Sub(from.Time) > keepRejected {
			return
		}
		f.kept.rested = from.Time
	}
	f.takeUpWhole(&from, missing)
	if f.entire.from != "" {
		f.entire.moved = &movedWith{doc.Baseline(), doc.Text()}
	}
	takeOver := doc.Resume
	if missing && len(f.open) == 0 { // taken away by the user, as by another program while acp-ls runs
		takeOver = func(t text.Text) []review.Hunk { lost, _ := doc.Follow(t, review.AuthorUser); return lost }
	}
	if lost = append(lost, takeOver(found)...); len(lost) > 0 {
		sum.lost = append(sum.lost, lostOf(f.path, lost))
	}
	if n := undecided(); n > 0 {
		sum.pending += n
		sum.in = append(sum.in, waitsIn{f.path, 0})
	}
	f.doc, f.created, f.deleted = doc, from.Created, from.Deleted
	f.recallBeside(from.Beside, missing)
	f.findSteps(doc, from.Created)
	if f.awaited = len(f.open) == 0; f.awaited {
		f.keepBefore(found)
		f.missing = missing
	}
	f.shownRev = notShown
	f.publish()
	f.stir()
}

// lostOf says of a file that so much of what an earlier run had tracked there is lost.
func lostOf(p buffers.Path, lost []review.Hunk) string {
	return fmt.Sprintf("%s (%s, listed with the rejected ones)", p, number(len(lost), "change"))
}

// takeUpWhole takes up what an agent did to the file as a whole, as far as it is
// still so; mu is held.
func (f *file) takeUpWhole(from *journal.Record, missing bool) {
	info, err := os.Stat(string(f.path))
	exec := err == nil && info.Mode()&0o111 != 0
	if err == nil && from.Mode == map[bool]string{true: "+x", false: "-x"}[exec] {
		was := !exec
		f.entire.wasExec, f.entire.exec = &was, &exec
	} else if disk, err := buffers.ReadDisk(f.path); err == nil && from.Mode == map[bool]string{true: "+bom", false: "-bom"}[buffers.EndsOf(text.New(disk.Content)).BOM] {
		was := from.Mode == "-bom"
		f.entire.wasMark = &was
	} else {
		from.Mode = ""
	}
	switch {
	case from.From == "":
	case missing:
		from.From = ""
	default:
		f.entire.from = buffers.Path(from.From)
		if f.entire.exec == nil {
			f.entire.exec = &exec
		}
	}
}
