package session

import (
	"context"
	"fmt"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// The two ends of a file, a byte order mark and a final line end, say nothing of whether a
// document is clean: editors have ways of their own with them. But an agent may change them,
// and nothing else, on the disk. A final line end is a change of the text like any other. A
// byte order mark is none of the text that editors tell of: the user is told that it has
// changed.

// keepEnds notes the ends of what the disk has, as taken in; err says that they are not known.
// mu is held.
func (f *file) keepEnds(disk buffers.Disk, err error) {
	f.ends = nil
	if err == nil && disk.Exists {
		ends := buffers.EndsOf(text.New(disk.Content))
		f.ends = &ends
	}
}

// endsMoved tells that the disk has other ends than were taken in; mu is held.
func (f *file) endsMoved(now buffers.Ends) bool { return f.ends != nil && *f.ends != now }

// withEnds is the text of a document in which nothing but the final line end is to become as
// on the disk, if that has changed there; mu is held.
func (f *file) withEnds(t text.Text, now buffers.Ends) text.Text {
	if f.ends == nil || f.ends.FinalNewline == now.FinalNewline || buffers.EndsOf(t).FinalNewline == now.FinalNewline || t.Len() == 0 {
		return t
	}
	if !now.FinalNewline {
		return t.Replace(t.LineEnd(t.LineCount()-2), t.Len(), "")
	}
	end := buffers.StyleOfText(t).EOL
	if end == "" {
		end = buffers.LF
	}
	return t.Replace(t.Len(), t.Len(), string(end))
}

// takeMark takes in that a document's file has got, or lost, its byte order mark, and reads
// as the document does: its editor reads it anew.
func (f *file) takeMark(ctx context.Context, live openDoc, now text.Text, o review.Origin) error {
	if live.at.editor.Can("reload") {
		if _, err := live.at.editor.Reload(ctx, live.uri); err != nil && ctx.Err() != nil {
			return err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.before != nil && buffers.NormHashText(f.before.Text) == buffers.NormHashText(now) {
		f.keepBeforeOf(now, o)
	}
	return nil
}

// tellMark tells the user that an agent has given the file of a document a byte order mark, or
// taken it away, as rejecting what it wrote does not undo that. It notes the ends of now.
func (f *file) tellMark(live openDoc, d *buffers.Document, now buffers.Ends, o review.Origin) {
	f.mu.Lock()
	seen := f.ends
	f.ends = &now
	f.mu.Unlock()
	if seen == nil || seen.BOM == now.BOM || o.Author == review.AuthorUser || buffers.EndsOf(d.Text).BOM {
		return
	}
	what := "has got a byte order mark"
	if seen.BOM {
		what = "has lost its byte order mark"
	}
	message := fmt.Sprintf("%s %s on disk. Rejecting hunks does not undo that: set it in your editor, and save", f.shortName(live), what)
	f.core.noticeOf(o, message)
	live.at.editor.ShowMessage(LevelWarning, message)
}
