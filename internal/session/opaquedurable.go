package session

import (
	"encoding/json"
	"fmt"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
	"acp-ls/internal/review/journal"
)

// A file that is no text any more may have rows that were undecided before it became so (see
// halfopaque.go). They stand in the journal beside what the file was, and are found again with
// that, or when the file is text again.

// rowsBeneath are the rows of a file that is decided on as a whole; no doc: there are none.
type rowsBeneath struct {
	doc              *review.Doc
	rev              uint64
	created, deleted bool
}

// keptRows is rowsBeneath as the journal has it.
type keptRows struct {
	State            []byte
	Created, Deleted bool `json:",omitempty"`
}

// rowsBeneath are those that f has; mu is held.
func (f *file) rowsBeneath() rowsBeneath {
	if f.opaque == "" || f.doc == nil || !f.doc.Tracking() {
		return rowsBeneath{}
	}
	return rowsBeneath{f.doc, f.doc.Revision(), f.created, f.deleted}
}

// besideDraft returns what makes what the record of v has beside what the file was; mu is held.
func (f *file) besideDraft(v version, w entire) func() []byte {
	x := beside{Whole: f.keptBy(v, w)}
	if v.rows.doc == nil {
		return func() []byte {
			x.Sessions = f.core.sessionsOf(nil, x.Whole)
			return f.besideOf(v, x)
		}
	}
	doc := v.rows.doc.Clone()
	return func() []byte {
		x.Sessions = f.core.sessionsOf(doc.Hunks(review.StatePending, review.StateConflict), x.Whole)
		if !f.unkept() {
			x.Rows = f.core.keepRows(doc, v.rows.created, v.rows.deleted)
		}
		return f.besideOf(v, x)
	}
}

// keepRows is what the journal has of rows; nil if it can have nothing.
func (c *Core) keepRows(doc *review.Doc, created, deleted bool) *keptRows {
	state, err := doc.MarshalState()
	if err != nil {
		c.log.Error("journal", "err", err)
		return nil
	}
	return &keptRows{State: state, Created: created, Deleted: deleted}
}

// rowsIn are the rows of which a record says that they lie beneath what became of the file as a
// whole; nil: none.
func (f *file) rowsIn(r journal.Record) (*review.Doc, *keptRows) {
	x, ok := besideIn(r)
	if !ok || x.Rows == nil {
		return nil, nil
	}
	doc, err := review.UnmarshalState(x.Rows.State, f.core.now)
	if err != nil {
		f.core.log.Warn("take up changes of an earlier run", "path", f.path, "err", err)
		return nil, nil
	}
	return doc, x.Rows
}

// asText is the entry of a file that is text again as it was before it was none; nil: nothing was
// undecided in that.
func (f *file) asText(r journal.Record) *journal.Entry {
	doc, rows := f.rowsIn(r)
	if doc == nil {
		return nil
	}
	x, _ := besideIn(r)
	x.Rows, x.Whole = nil, nil
	return &journal.Entry{Last: journal.Record{
		Path: r.Path, Time: r.Time, Text: buffers.NormHashText(doc.Text()), Created: rows.Created, Deleted: rows.Deleted, OnDisk: true,
		Pending: len(doc.Hunks(review.StatePending, review.StateConflict)), State: rows.State, Beside: x.encode(),
	}}
}

// resumeOpaque takes up what an earlier run has left undecided of a file that is no text. It
// returns the entry of the text that the file is again instead; nil if it is not.
func (f *file) resumeOpaque(last journal.Record, sum *resumed) *journal.Entry {
	was, rest, err := checkpoint.ReadCopy(last.State)
	now := checkpoint.Copy{}
	if err == nil {
		now, rest, err = checkpoint.ReadCopy(rest)
	}
	if err == nil && last.From == "" && was.Same(checkpoint.CopyOf(f.path).State) {
		e := f.asText(last)
		if e == nil {
			f.keep(false) // what was rejected, if that is why
		}
		return e // somebody has put it back
	}
	f.mu.Lock()
	if err == nil {
		f.entire.was, f.entire.now, f.entire.copy = was.State.Forget(), now.State, &was
	} else if last.From != "" { // of which nothing is kept
		f.entire.now = checkpoint.CopyOf(f.path).Forget()
	}
	f.opaque, f.opaqueOp = checkpoint.Opaque(last.Opaque), last.OpaqueOp
	f.entire.from = buffers.Path(last.From)
	if x, ok := besideIn(last); ok {
		f.recallBy(x.Whole, rest)
		f.core.earlier.note(x.Sessions)
	}
	f.resumeRows(last, was.State, sum)
	if f.doc == nil {
		f.doc = review.New(text.Text{}, f.core.now)
	}
	sum.pending += max(len(f.doc.Hunks(review.StatePending, review.StateConflict)), 1)
	sum.in = append(sum.in, waitsIn{f.path, 0})
	f.shownRev = notShown
	f.publish()
	f.mu.Unlock()
	f.keep(false)
	return nil
}

// resumeRows takes up the rows beneath, which are of what the file was; mu is held.
func (f *file) resumeRows(last journal.Record, was checkpoint.State, sum *resumed) {
	doc, rows := f.rowsIn(last)
	if doc == nil {
		return
	}
	f.doc, f.created, f.deleted = doc, rows.Created, rows.Deleted
	f.findSteps(doc, rows.Created)
	if _, d, open := f.live(); open {
		f.openedWhole(d.Text)
		return
	}
	if was.Opaque == "" && !doc.Text().Equal(text.New(was.Content)) { // a document had what its editor made of the bytes
		if lost, _ := doc.ThrowAway(text.New(was.Content)); len(lost) > 0 {
			sum.lost = append(sum.lost, fmt.Sprintf("%s (%s, listed with the rejected ones)", f.path, number(len(lost), "change")))
		}
	}
	f.keepBefore(doc.Text())
	f.missing = !was.Exists
	f.awaited = true
}

// rowsLeft are the rows of an entry of a file that was text, and has become none without that
// anybody looked; nil: nothing was undecided in them. was is what it is known to have been.
func (f *file) rowsLeft(e journal.Entry, was checkpoint.State) *keptRows {
	if x, ok := besideIn(e.Last); e.Last.Opaque != "" {
		if !ok {
			return nil
		}
		return x.Rows
	}
	if e.Last.State == nil || was.Opaque != "" || f.unkept() {
		return nil
	}
	found := text.New(was.Content)
	doc, _, from, err := stateFor(&e, found, !was.Exists, f.core.now)
	if err != nil || doc == nil {
		return nil
	}
	if !doc.Text().Equal(found) {
		doc.ThrowAway(found)
	}
	if !doc.Tracking() {
		return nil
	}
	return f.core.keepRows(doc, from.Created && was.Exists, from.Deleted && !was.Exists && !isAway(from))
}

// besideRows is what stands beside a record, with rows and whose the whole is.
func besideRows(b []byte, rows *keptRows, whole *keptBy) []byte {
	var x beside
	if len(b) > 0 && json.Unmarshal(b, &x) != nil {
		return b
	}
	x.Rows, x.Whole = rows, whole
	return x.encode()
}
