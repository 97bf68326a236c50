package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// The two ends of a file, a byte order mark and a final line end, say nothing of whether a
// document is clean: editors have ways of their own with them. But an agent may change them,
// and nothing else, on the disk. A final line end is a change of the text like any other. A
// byte order mark is none of the text that editors tell of: it is a change of the file. Nor does the kind of line ends say anything of a document, and that too may be all
// that has changed: it is a change of the text for an editor that reads files anew itself,
// while text that is unsaved keeps its own.

// keepEnds notes the ends of what the disk has, as taken in; err says that they are not known.
// mu is held.
func (f *file) keepEnds(disk buffers.Disk, err error) {
	f.ends = nil
	if err == nil && disk.Exists {
		ends := buffers.EndsOf(text.New(disk.Content))
		f.ends = &ends
	}
}

// readEnds is keepEnds for what an editor has read by itself, as t. If that does not show what has
// become of the line ends (Neovim reads a file anew in the format that it had), they are not taken in;
// mu is held.
func (f *file) readEnds(disk buffers.Disk, err error, t text.Text) {
	seen := f.ends
	f.keepEnds(disk, err)
	if seen != nil && f.ends != nil && !f.ends.SameRows(*seen) && buffers.EndsOf(t).SameRows(*seen) && !f.isReread() {
		f.ends.EOL, f.ends.Mix = seen.EOL, seen.Mix
	}
	if seen != nil && f.ends != nil && !f.formatting(t) {
		f.takeMarked(seen.BOM, f.ends.BOM, f.core.attribute(f.path))
	}
}

// endsMoved tells that the disk has other ends than were taken in; mu is held.
func (f *file) endsMoved(now buffers.Ends) bool { return f.ends != nil && *f.ends != now }

// withEnds is the text of a document in which nothing but the final line end, and in an editor
// that turns the kind of line ends, is to become as on the disk, if that has changed there; mu is
// held.
func (f *file) withEnds(t text.Text, now buffers.Ends, turns bool) text.Text {
	if f.ends == nil || t.Len() == 0 {
		return t
	}
	st := buffers.StyleOfText(t)
	if f.ends.FinalNewline != now.FinalNewline && st.FinalNewline != now.FinalNewline {
		if now.FinalNewline {
			t = t.Replace(t.Len(), t.Len(), string(cmp.Or(st.EOL, buffers.LF)))
		} else {
			t = t.Replace(t.LineEnd(t.LineCount()-2), t.Len(), "")
		}
	}
	if turns && f.ends.Turned(now) && buffers.EndsOf(t).EOL == f.ends.EOL { // editors may have others of their own
		st := buffers.StyleOfText(t)
		st.EOL = now.EOL
		t = text.New(st.Apply(t.String()))
	}
	return t
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
		f.before.there = true
	}
	return nil
}

// tellEnds takes in that an agent has given the file of a document a byte order mark, or taken
// it away, and tells the user that; and that it has turned the line ends under unsaved text,
// which keeps its own. It notes the ends of now, which is disk. whole: what has become of line ends is a change
// of the file as a whole.
func (f *file) tellEnds(live openDoc, d *buffers.Document, now buffers.Ends, disk text.Text, o review.Origin, whole bool) {
	f.mu.Lock()
	seen := f.ends
	f.ends = &now
	f.mu.Unlock()
	if seen == nil || o.Author == review.AuthorUser {
		return
	}
	tell := func(what string) {
		message := f.shortName(live) + " " + what
		f.core.noticeOf(o, message)
		live.at.editor.ShowMessage(LevelWarning, message)
	}
	if whole {
		if *seen != now {
			f.tellWhole(tell, d, o)
		}
		return
	}
	if seen.BOM != now.BOM && !buffers.EndsOf(d.Text).BOM {
		f.mu.Lock()
		f.takeMarked(seen.BOM, now.BOM, o)
		f.mu.Unlock()
		tell(toldMark(o, now.BOM, !clean(d)))
	}
	if seen.EOL != "" && now.Mix != (text.Hash{}) && !live.at.editor.Can("adopt") {
		f.recordHidden(&o, *seen, disk)
		tell("was given line ends of more than one kind on disk, which your editor may not show. To save it there makes them one kind")
	}
	if own := buffers.EndsOf(d.Text).EOL; seen.Turned(now) && !clean(d) && own != now.EOL && own != "" {
		f.recordHidden(&o, *seen, disk)
		tell(fmt.Sprintf("was given %s line ends on disk by %s. The text in your editor has %s, and to save it gives the file these", now.EOL.Name(), programOf(o), own.Name()))
	}
}

// toldMark is what is said of a byte order mark that o has given a file (has) or taken away. It stands there, maybe for
// long: so it says what has been done, and not what may have been decided since. Under unsaved text it cannot be decided on.
func toldMark(o review.Origin, has, unsaved bool) string {
	said, own := "was given a byte order mark on disk by ", "none"
	if !has {
		said, own = "has lost its byte order mark on disk by ", "one"
	}
	if said += programOf(o); unsaved {
		said += fmt.Sprintf(". The text in your editor has %s, and to save it takes that back", own)
	}
	return said
}

// recordHidden notes for undo what an agent has made of the line ends of the disk, which were all one
// kind, where the document does not show it.
func (f *file) recordHidden(o *review.Origin, seen buffers.Ends, disk text.Text) {
	if o.Author != review.AuthorAgent {
		return
	}
	st := buffers.StyleOfText(disk)
	st.EOL = seen.EOL
	f.mu.Lock()
	defer f.mu.Unlock()
	f.recordStep(agentStep{session: o.Session, turn: o.Turn, before: text.New(st.Apply(disk.String())), after: disk, hidden: true})
}

// errHidden says that line ends on disk are not taken back, where the document has none of them.
var errHidden = errors.New("its line ends on disk are not those that it has in the editor: save it there, and they are")

// hidesEnds reports whether the file has line ends of kinds that its document does not have.
func (f *file) hidesEnds() bool {
	f.mu.Lock()
	_, d, open := f.live()
	f.mu.Unlock()
	if !open {
		return false
	}
	disk, err := f.read(f.path)
	if err != nil || !disk.Exists {
		return false
	}
	has, shows := buffers.EndsOf(text.New(disk.Content)), buffers.EndsOf(d.Text)
	return has.EOL != shows.EOL && shows.EOL != ""
}
