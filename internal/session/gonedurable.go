package session

import (
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
	"acp-ls/internal/review/journal"
)

// A file that an agent has deleted may have a document, with all its text: in the run in which it was
// deleted, or in a later one, as an editor opens with acp-ls started anew what it has. The rows of that
// say nothing of the file then. So the journal has both: the rows of a file that is deleted, which count
// as long as there is no document, and what there was before.

// keptGone is what the journal has of a file that an agent has deleted, beside its rows.
type keptGone struct {
	State []byte        `json:",omitempty"` // of the document, or of the file before; nil: nothing was undecided in it
	Held  *string       `json:",omitempty"` // what the file held; nil: the baseline of the rows
	By    review.Origin // whose the deletion is
}

// keepGone makes what is kept of a file that held so much and whose rows are deleted in rows; full is
// what was tracked before.
func (f *file) keepGone(rows, full *review.Doc, held string, by review.Origin) *keptGone {
	k := &keptGone{By: by}
	if held != rows.Baseline().String() {
		k.Held = &held
	}
	if full.Tracking() {
		state, err := full.MarshalState()
		if err != nil {
			f.core.log.Error("journal", "path", f.path, "err", err)
		}
		k.State = state
	}
	return k
}

// recallGone takes up what an earlier run knew of a file that is deleted; mu is held.
func (f *file) recallGone(k *keptGone) {
	if k == nil {
		return
	}
	w := &f.entire
	w.by, w.held = k.By, f.doc.Baseline().String()
	if k.Held != nil {
		w.held = *k.Held
	}
	w.full = review.New(text.New(w.held), f.core.now)
	if k.State == nil {
		return
	}
	full, err := review.UnmarshalState(k.State, f.core.now)
	if err != nil {
		f.core.log.Warn("take up changes of an earlier run", "path", f.path, "err", err)
		return
	}
	w.full = full
}

// goneUnder returns the record of an entry that says that an agent has deleted the file, if that is open
// and not there yet; else nil.
func (f *file) goneUnder(e *journal.Entry) *journal.Record {
	r := &e.Last
	if saved := e.Saved(); !r.Deleted && saved != nil {
		r = saved // that of the text of the document is another one
	}
	if len(f.open) == 0 || !r.Deleted || r.State == nil || r.Opaque != "" || isAway(r) || isThere(f.path) {
		return nil
	}
	return r
}

// takeUpGone takes up an entry of a file that is gone, as r says, and open with the text found; mu is
// held.
func (f *file) takeUpGone(e *journal.Entry, r *journal.Record, found text.Text, sum *resumed) error {
	rows, err := review.UnmarshalState(r.State, f.core.now)
	if err != nil {
		return err
	}
	f.doc, f.created, f.deleted, f.missing = rows, false, true, true
	f.recallBeside(r.Beside, true)
	if r != &e.Last {
		doc, lost, from, err := stateFor(e, found, false, f.core.now)
		if err != nil {
			return err
		}
		if from != nil && from != r && doc != nil {
			f.entire.full = doc
		}
		if len(lost) > 0 {
			sum.lost = append(sum.lost, lostOf(f.path, lost))
		}
	}
	if lost := f.openedGone(found); len(lost) > 0 {
		sum.lost = append(sum.lost, lostOf(f.path, lost))
	}
	f.findSteps(f.doc, false)
	sum.pending += max(1, len(f.doc.Hunks(review.StatePending, review.StateConflict)))
	sum.in = append(sum.in, waitsIn{f.path, 0})
	f.shownRev = notShown
	f.publish()
	f.stir()
	return nil
}

// openedGone makes of a file that an agent has deleted one that is gone under its document, which has
// the text t. A document without text is as good as none, unless the file had none: so editors open a
// name that no file has. It returns what of the agents' rows the text has no more; mu is held.
func (f *file) openedGone(t text.Text) (lost []review.Hunk) {
	if !f.deleted || f.doc == nil || f.encoded != nil || isThere(f.path) {
		return nil
	}
	w := &f.entire
	doc, held := w.full, w.held
	if doc == nil { // of what was before no more is known
		held = f.doc.Baseline().String()
		doc = review.New(text.New(held), f.core.now)
	}
	if t.Len() == 0 && held != "" {
		return nil
	}
	doc = doc.Clone()
	lost = doc.Resume(t)
	f.doc, f.deleted = doc, false
	w.gone, w.held, w.full = true, held, nil
	f.stepGone()
	f.keepBefore(text.New(held)) // as if it had been open
	f.missing = false
	f.shownRev = notShown
	f.publish()
	return lost
}
