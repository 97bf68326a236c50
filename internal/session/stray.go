package session

import (
	"acp-ls/buffers"
	"acp-ls/buffers/position"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// Some editors do not look at the version of an edit (Vim is one) and make it
// where its positions are by now, also when the user has put a line above it
// meanwhile. What such an edit overwrote is not the user's doing: it is tracked
// as the agent's, and taken back by the next try.

// stray takes in a step that is the edit in flight, or some of its parts, made on a
// text that it was not computed from. last: it is the last one of those the editor told
// of at once; mu is held.
func (f *file) stray(s buffers.Step, last bool) bool {
	fl := f.flight
	if fl == nil || fl.landed || len(fl.edit.Edits) == 0 {
		return false
	}
	before := f.doc.Text()
	if before.Equal(fl.before.Text()) || !madeAmong(s, before, fl) {
		return false
	}
	if last && f.landAmong(fl, fl.op, s.After) { // it came to the same
		return true
	}
	o := review.Origin{Change: f.core.changeID(), Author: review.AuthorAgent, Title: fl.edit.Label}
	f.doc.AgentEdit(s.After, o)
	f.strays = append(f.strays, o.Change)
	return true
}

// tooLate reports whether a text is one that the document has had, and not that of the edit in
// flight: the user's undo, or redo, came before that edit, whatever the steps to it look like;
// mu is held.
func (f *file) tooLate(t text.Text) bool {
	fl := f.flight
	return fl != nil && !fl.landed && fl.before.Had(t)
}

// madeAmong reports whether a step is what an editor makes of before that takes the
// positions of an edit as they are: of all its parts in the step's rows (elsewhere they
// have changed nothing), or of one.
func madeAmong(s buffers.Step, before text.Text, fl *flight) bool {
	rows := position.OffsetsRange(before, s.Start, s.OldEnd, fl.enc)
	var parts []TextEdit
	for _, e := range fl.edit.Edits {
		if e.Range.Start.Line <= rows.End.Line && e.Range.End.Line >= rows.Start.Line {
			parts = append(parts, e)
		}
	}
	for i := range parts {
		if made(before, parts[i:i+1], fl.enc).Equal(s.After) {
			return true
		}
	}
	return len(parts) > 1 && made(before, parts, fl.enc).Equal(s.After)
}

// made is what an editor makes of t that takes the edits' positions as they are.
func made(t text.Text, edits []TextEdit, enc position.Encoding) text.Text {
	for i := len(edits) - 1; i >= 0; i-- {
		start, end := position.RangeOffsets(t, edits[i].Range, enc)
		t = t.Replace(start, end, edits[i].NewText)
	}
	return t
}

// recall takes what has strayed back out of d.
func (f *file) recall(d *review.Doc) {
	if len(f.strays) > 0 {
		d.RejectChanges(f.strays...)
	}
}
