package session

import (
	"cmp"
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

// Two processes may have had undecided changes in one file at the same time. To each the
// other's rows were the user's, or the disk's. So the states are laid one upon the other: the
// newer one's baseline is what the older one's text has become.

// joined returns the entries of one path, of which the newest comes first, as one, and what
// of the others' changes could not be taken along.
func (d *durable) joined(entries []journal.Entry) (journal.Entry, []string) {
	if len(entries) == 1 {
		return entries[0], nil
	}
	_, err := os.Lstat(entries[0].Last.Path)
	fits := func(e journal.Entry) int {
		if e.Last.Deleted == (err != nil) {
			return 0
		}
		return 1
	}
	// A file that is there, or not, is best known to whom left it so.
	slices.SortStableFunc(entries, func(a, b journal.Entry) int { return cmp.Compare(fits(a), fits(b)) })
	// One that says only what was rejected of the file as a whole says nothing of its text.
	for _, e := range entries {
		if onlyUndone(e.Last) {
			for i := range entries {
				carryUndone(&entries[i].Last.Beside, e.Last.Beside)
			}
		}
	}
	if all := entries; slices.ContainsFunc(all, func(e journal.Entry) bool { return !onlyUndone(e.Last) }) {
		entries = slices.DeleteFunc(slices.Clone(all), func(e journal.Entry) bool { return onlyUndone(e.Last) })
	}
	e := entries[0]
	var lost []string
	for _, older := range entries[1:] {
		if why := d.join(&e, older); why != "" {
			lost = append(lost, fmt.Sprintf("%s (%s)", e.Last.Path, why))
		}
	}
	return e, lost
}

// join lays each record of e over what the older entry says, and returns what is lost.
func (d *durable) join(e *journal.Entry, older journal.Entry) (lost string) {
	if older.Last.State == nil || e.Last.State == nil {
		if older.Last.Pending > 0 || older.Last.Opaque != "" {
			return "two runs have changed it; the newer one's changes are shown"
		}
		return ""
	}
	d.giveBefore(e) // nothing was undecided before the edit; now something is
	records := []*journal.Record{&e.Last}
	for _, r := range []*journal.Record{e.Prev, e.Saved()} {
		if r != nil && r.State != nil && !slices.Contains(records, r) {
			records = append(records, r)
		}
	}
	for i, r := range records {
		doc, err := review.UnmarshalState(r.State, d.core.now)
		if err != nil {
			return err.Error()
		}
		hunks, from, err := d.layOver(doc, older)
		if err != nil {
			return err.Error()
		}
		if from == nil {
			continue
		}
		if r.State, err = doc.MarshalState(); err != nil {
			return err.Error()
		}
		r.Pending = len(doc.Hunks(review.StatePending, review.StateConflict))
		r.Created = r.Created || from.Created
		r.From, r.Mode = cmp.Or(r.From, from.From), cmp.Or(r.Mode, from.Mode)
		carryBy(r, *from)
		if i == 0 && len(hunks) > 0 {
			lost = fmt.Sprintf("%s, listed with the rejected ones", number(len(hunks), "change"))
		}
	}
	return lost
}

// giveBefore gives an entry the record in front of the edit that its last one was written for, if
// it has none, as nothing was undecided.
func (d *durable) giveBefore(e *journal.Entry) {
	b := e.Last.Before
	if b == nil || b.Missing || e.Last.State == nil || e.Prev != nil && e.Prev.State != nil {
		return
	}
	if last, err := review.UnmarshalState(e.Last.State, d.core.now); err == nil && sameText(b.Text, last.Baseline()) {
		was := review.New(last.Baseline(), d.core.now)
		if state, err := was.MarshalState(); err == nil {
			e.Prev = &journal.Record{Path: e.Last.Path, Time: e.Last.Time, Text: b.Text, OnDisk: e.Last.OnDisk, State: state}
		}
	}
}

// layOver makes what an older entry has undecided pending in doc too. It returns what is
// lost, and the record that was taken; nil if there is nothing to take.
func (d *durable) layOver(doc *review.Doc, older journal.Entry) ([]review.Hunk, *journal.Record, error) {
	was, lost, from, err := stateFor(&older, doc.Baseline(), false, d.core.now)
	if err != nil || was == nil {
		return nil, nil, err
	}
	more, ok := doc.Beneath(was)
	if !ok {
		return nil, nil, fmt.Errorf("two runs have changed it; the newer one's changes are shown")
	}
	return append(lost, more...), from, nil
}

// stateFor returns the state of an entry from which a text came, what that has lost already,
// and its record; nothing if nothing was undecided.
func stateFor(e *journal.Entry, found text.Text, missing bool, now func() time.Time) (doc *review.Doc, lost []review.Hunk, from *journal.Record, err error) {
	from = &e.Last
	switch {
	case isState(&e.Last, found, missing):
	case happenedNot(e.Last, found, missing):
		// The edit was never made: what was before it counts.
		if from = nil; isState(e.Prev, found, missing) {
			from = e.Prev
		}
		if doc, rec := undoneTo(e, from, found, now); doc != nil {
			return doc, nil, rec, nil
		}
	case isState(e.Saved(), found, missing):
		// What came behind it is gone with the editor.
		from = e.Saved()
	default:
		doc, lost, from, err = changedSince(*e, found, now)
	}
	if err != nil || from == nil || from.State == nil && doc == nil {
		return nil, nil, nil, err // or nothing was undecided
	}
	if doc == nil {
		doc, err = review.UnmarshalState(from.State, now)
	}
	return doc, lost, from, err
}

// layUnder takes in what a neighbour that has ended has left of a file in which this process
// has something undecided itself.
func (f *file) layUnder(ctx context.Context, e journal.Entry, sum *resumed) error {
	f.recallUndone(e.Last)
	if onlyUndone(e.Last) {
		f.keep(false)
		return nil
	}
	f.mu.Lock()
	if s := f.asleep; s != nil {
		// Whatever text will be found, the two are one from now on.
		f.asleep, f.doc, f.created, f.deleted = nil, nil, false, false
		f.mu.Unlock()
		both, lost := f.core.durable.joined([]journal.Entry{e, s.entry()})
		sum.lost = append(sum.lost, lost...)
		return f.resume(ctx, both, sum)
	}
	f.mu.Unlock()
	select { // not lockOps, which waits for this
	case f.ops <- struct{}{}:
		defer f.unlockOps()
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := f.layUnderLive(e, sum); err != nil {
		return err
	}
	f.keep(false)
	return nil
}

// layUnderLive is layUnder for what is tracked now; ops is held.
func (f *file) layUnderLive(e journal.Entry, sum *resumed) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.doc == nil || f.parked != nil || f.opaque != "" || e.Last.State == nil || e.Last.Deleted || f.flight != nil || len(f.gates) > 0 {
		if e.Last.Pending > 0 || e.Last.Opaque != "" {
			sum.lost = append(sum.lost, fmt.Sprintf("%s (another acp-ls, which has ended, has changed it too; the changes of this one are shown)", f.path))
		}
		return nil
	}
	had := len(f.doc.Hunks(review.StatePending, review.StateConflict))
	if disk, err := buffers.ReadDisk(f.path); err == nil && len(f.open) == 0 && isState(&e.Last, text.New(disk.Content), !disk.Exists) {
		f.takeUsers(disk, review.AuthorUser) // nobody has looked since the neighbour wrote it
		if f.doc == nil {                    // nothing was left to know of it
			f.doc = review.New(text.New(disk.Content), f.core.now)
		}
		f.keepBefore(f.doc.Text())
	}
	lost, from, err := f.core.durable.layOver(f.doc, e)
	if err != nil || from == nil {
		return err
	}
	if len(lost) > 0 {
		sum.lost = append(sum.lost, lostOf(f.path, lost))
	}
	if n := len(f.doc.Hunks(review.StatePending, review.StateConflict)) - had; n > 0 {
		sum.pending += n
		sum.in = append(sum.in, waitsIn{f.path, had})
	}
	if _, err := os.Lstat(string(f.path)); err == nil && f.fileChange() == nil {
		f.created = from.Created
		whole := *from
		f.takeUpWhole(&whole, false)
		if x, ok := besideIn(whole); ok && f.fileChange() != nil {
			f.recallBy(x.Whole, nil)
		}
	}
	f.findSteps(f.doc, false)
	f.shownRev = notShown
	f.publish()
	f.stir()
	return nil
}

// byPath returns the entries by their paths; those of one path are beside each other.
func byPath(entries []journal.Entry) (out [][]journal.Entry) {
	for i, e := range entries {
		if i == 0 || entries[i-1].Last.Path != e.Last.Path {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], e)
	}
	return out
}
