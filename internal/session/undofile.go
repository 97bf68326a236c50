package session

import (
	"context"
	"slices"

	"acp-ls/buffers/text"
)

// What an agent has made anew, after it had taken it away and that was accepted, is a file that it
// has made: to reject all of its rows removes it, though a document is open. To undo the session
// is to have again what was there before.

// wasThere reports whether the file of a document is there, and was before a session, or a turn of
// it, has changed it.
func (f *file) wasThere(session, turn string) bool {
	f.mu.Lock()
	first := slices.IndexFunc(f.history, func(s agentStep) bool { return s.of(session, turn) })
	had := len(f.open) > 0 && f.encoded == nil && first >= 0 && !f.history[first].created
	f.mu.Unlock()
	return had && isThere(f.path)
}

// writeUndone writes the file of a document if it is gone, as it is when all of what was in it was
// rejected, and undo has brought something back: now is what the document came to by that, and
// nothing of the user's was left in it before.
func (f *file) writeUndone(ctx context.Context, now text.Text) error {
	if blank(now) || isThere(f.path) {
		return nil
	}
	f.mu.Lock()
	had, missing := f.before, f.missing
	f.keepBefore(now)
	f.missing = false
	f.mu.Unlock()
	if err := f.writeBack(now.String()); err != nil {
		f.mu.Lock()
		f.before, f.missing = had, missing
		f.mu.Unlock()
		return err
	}
	f.readBack(ctx)
	return nil
}
