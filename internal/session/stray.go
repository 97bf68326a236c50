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

// stray takes in a step that is the edit in flight, or one part of it, made on a
// text that it was not computed from; mu is held.
func (f *file) stray(s buffers.Step) bool {
	fl := f.flight
	if fl == nil || fl.landed || len(fl.edit.Edits) == 0 {
		return false
	}
	before := f.doc.Text()
	if before.Equal(fl.before.Text()) {
		return false
	}
	found := made(before, fl.edit.Edits, fl.enc).Equal(s.After)
	for i := 0; i < len(fl.edit.Edits) && !found; i++ {
		found = made(before, fl.edit.Edits[i:i+1], fl.enc).Equal(s.After)
	}
	if !found {
		return false
	}
	if f.landAmong(fl, fl.op, s.After) { // it came to the same
		return true
	}
	o := review.Origin{Change: f.core.changeID(), Author: review.AuthorAgent, Title: fl.edit.Label}
	f.doc.AgentEdit(s.After, o)
	f.strays = append(f.strays, o.Change)
	return true
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
