package session

import (
	"acp-ls/buffers"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// VS Code saves a document as another file by opening that, giving it the text, and saving it.
// The first one is closed before that is told, or brought back to what its file has after it.
// What was undecided in the text is undecided in the other file, in the place of what that had.

// savedAs takes in that a document was saved, and returns what is tracked of another file if
// its text has come here since this one was opened, or saved last. It is called with every
// event of a document, in order, and with the mutex of no file.
func (a *Attachment) savedAs(ev buffers.Event) *review.Doc {
	switch ev.Kind {
	case buffers.Opened, buffers.Reloaded:
		if a.saved == nil {
			a.saved = map[string]text.Text{}
		}
		a.saved[ev.After.URI] = ev.After.Text
	case buffers.Closed:
		delete(a.saved, ev.Before.URI)
	case buffers.Saved:
		now := ev.After.Text
		had, known := a.saved[ev.After.URI]
		a.saved[ev.After.URI] = now
		to := a.core.file(ev.After.Path())
		if !known || now.Len() == 0 || had.Equal(now) || !to.isTyped(now) {
			return nil
		}
		for _, f := range a.core.allFiles() { // it may be closed by now
			if f == to {
				continue
			}
			if doc := f.undecidedIn(now); doc != nil {
				return doc
			}
		}
	}
	return nil
}

// isTyped reports whether it was the user who has made t the text.
func (f *file) isTyped(t text.Text) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.typed.Equal(t)
}

// undecidedIn is what is tracked of the file, if something of it is undecided and t its text.
func (f *file) undecidedIn(t text.Text) *review.Doc {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.doc == nil || !f.doc.Tracking() || !f.doc.Text().Equal(t) || len(f.doc.Hunks(review.StatePending, review.StateConflict)) == 0 {
		return nil
	}
	return f.doc.Clone()
}
