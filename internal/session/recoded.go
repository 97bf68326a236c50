package session

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// An editor saves a document in the encoding in which it has read its file last. So where an agent gives
// the file of a document another one, which the editor finds out (by a byte order mark, by zero bytes, by
// what is no UTF-8), a rejected hunk would be the text of before in other bytes; what the editor cannot
// read it would save as characters that stand for that; and what is no text at all it may not even read.
// That is a change of the file as a whole: to reject it puts back the bytes of before, which the editor
// then reads.
//
// There are two exceptions. A byte order mark that UTF-8 has got or lost is a change beside the hunks
// (mark.go). And where an editor reads UTF-8 in the encoding that the file had, it writes that again: hunks
// are exact there.

// recodedUnsaved says what has become of a file whose document has unsaved text.
const recodedUnsaved = "%s has another encoding on disk, or is no text any more, as %s has written it, and your unsaved text has nothing of that. " +
	"Reject the change of the file to undo it, or reload the file to see it (what is unsaved goes: copy it first)"

// recodedUnread says it of a file that nothing is unsaved of, and its editor has not read.
const recodedUnread = "%s has another encoding on disk, or is no text any more, as %s has written it, and your editor has not read that. " +
	"Reload it to see it, or reject the change of the file to undo that"

// whyMoved says why what has become of a file as a whole is not taken back, as the file has something else by now, and
// what can be done: the bytes of before have nothing of what was saved since.
func (f *file) whyMoved(w entire) string {
	why := "it was written since, and the bytes of before have nothing of that: accept the change of the file to keep what it has now"
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.underDocument() && w.recoded && w.copy != nil && w.copy.Content != "" {
		switch is := buffers.CodingOf([]byte(w.copy.Content)); is {
		case buffers.CodingNone:
		case buffers.CodingBytes:
			why += "; or save it in your editor in the encoding that it had before, which ends the change"
		default:
			why += fmt.Sprintf("; or save it in your editor in %s, as it was before, which ends the change", is)
		}
	}
	return why + "; or bring back what was there with git or a backup, and accept then"
}

// codedAgain takes in that a file which was given another encoding under its document has that of before again, and
// other words: these are changed by hunk.
func (f *file) codedAgain() {
	f.mu.Lock()
	w := &f.entire
	back := f.underDocument() && w.recoded && f.opaque != endsAlone && w.copy != nil && w.copy.Exists && w.copy.Opaque == "" && len(w.later) == 0 && w.from == ""
	f.mu.Unlock()
	if !back {
		return
	}
	is := checkpoint.CopyOf(f.path)
	f.mu.Lock()
	defer f.mu.Unlock()
	live, d, open := f.live()
	if !open || !f.underDocument() || w.copy == nil || f.doc == nil || !is.Exists || is.Opaque != "" || is.SameContent(w.copy.State) {
		return
	}
	was := text.New(w.copy.Content)
	now := text.New(is.Content)
	if f.recodes(buffers.CodingOf([]byte(w.copy.Content)), is.Content) || endsHidden(was, now, !clean(d)) {
		return
	}
	if now := f.doc.Text(); buffers.NormHashText(was) != buffers.NormHashText(now) { // what else it was given with that
		if f.doc.Tracking() || !clean(d) {
			return // nobody knows whose each row is
		}
		if knowsOneKind(live) {
			was = text.New(buffers.StyleOfText(was).Apply(was.String()))
		}
		f.doc = review.New(text.New(strings.TrimPrefix(was.String(), byteOrderMarkBytes)), f.core.now)
		f.doc.AgentEdit(now, w.by)
	}
	coding, began := buffers.CodingOf([]byte(w.copy.Content)), w.copy.Content
	f.coded, f.began = &coding, &began // the turn may have begun with the other one
	f.opaqueBack()
}

// readFirst has what the disk has of a file, before that is judged as a whole, taken in by its document, where it depends
// on that whether it is: the agent may have written it since the documents were brought up to date. ops is held.
func (f *file) readFirst(ctx context.Context, is checkpoint.State) error {
	f.codedAgain()
	if !is.Exists || is.Opaque != "" || isASCII(is.Content) {
		return nil
	}
	f.mu.Lock()
	unread := len(f.open) > 0 && f.opaque == "" && f.encoded != nil && f.encoded.sum != is.Sum()
	f.mu.Unlock()
	if !unread {
		return nil
	}
	return f.rereadHeld(ctx, func() bool { return false })
}

// askLater has an editor that has not read a file anew asked once more in a while, before the user is told: one that has
// much to do reads it by itself meanwhile, and says nothing if it has the same text. by is who has written the
// file; mu is held.
func (f *file) askLater(by review.Origin) {
	if f.askedLater {
		return
	}
	f.askedLater = true
	f.core.spawn(func() {
		ctx := f.core.ctx
		if pause(ctx, f.core.waits.Unread) != nil {
			return
		}
		if f.isUnread() {
			if err := f.reread(ctx, func() bool { return false }); err != nil && ctx.Err() == nil {
				f.core.log.Warn("have a file read anew", "path", f.path, "err", err)
			}
		}
		f.mu.Lock()
		f.askedLater = false
		live, d, open := f.live()
		why, moved := encodedUnread, f.unread && open && clean(d)
		if f.underDocument() {
			why = recodedUnread
		}
		f.mu.Unlock()
		if moved && ctx.Err() == nil {
			_ = f.tellOwed(live, moved, by, why)
		}
	})
}

// keepCoded notes the encoding of a file that was read when a turn began; mu is held.
func (f *file) keepCoded(disk buffers.Disk, err error) {
	f.coded, f.began = nil, nil
	if err == nil && disk.Exists && len(f.open) > 0 {
		f.began = &disk.Content
	}
	if is, ok := buffers.CodingRead(disk, err); ok {
		f.coded = &is
	}
	if f.doc == nil || len(f.doc.Hunks(review.StatePending)) == 0 {
		f.codedFirst = f.coded
	}
}

// savedCoded takes in how an editor has saved the file, which the user has chosen: nothing that is found
// from now on is a change of the encoding, if it is that one, and if it is the one of before an undecided
// change, that is gone. mu is held.
func (f *file) savedCoded(disk buffers.Disk, err error) {
	f.keepCoded(disk, err)
	f.savedEnds(disk, err)
	if f.wroteWhole(disk, err) {
		f.opaqueBack()
	}
	if f.encoded != nil {
		f.encoded.start = f.encoded.sum
	}
	if w := &f.entire; f.coded != nil && f.underDocument() && w.recoded && w.copy != nil && *f.coded == buffers.CodingOf([]byte(w.copy.Content)) {
		f.opaqueBack()
	}
}

// wroteWhole reports whether a save that is told of has written what was taken for an agent's change of the encoding,
// as somebody has looked at the file between the two. mu is held.
func (f *file) wroteWhole(disk buffers.Disk, err error) bool {
	w := &f.entire
	if at := buffers.Encoded(err); at != nil {
		disk = buffers.Disk{Exists: true, Content: at.Bytes(), Info: at.Info}
	}
	return f.underDocument() && w.recoded && len(w.later) == 0 && disk.Exists && disk.AsEncoded().Sum == w.now.Sum() &&
		sameWrite(w.info, disk.Info)
}

// statOf is what is known of a file besides what it holds; nil if there is none.
func statOf(p buffers.Path) fs.FileInfo {
	info, err := os.Stat(string(p))
	if err != nil {
		return nil
	}
	return info
}

// recoded reports whether a change on disk of an open file is one of its encoding that its editor follows, or of
// line ends that it does not show; mu is held.
func (f *file) recoded(ch checkpoint.Change) bool {
	was, is := ch.Before, ch.After
	if len(f.open) == 0 {
		return false
	}
	for _, st := range []checkpoint.State{was, is} {
		if !st.Exists || st.Opaque != "" && (st.Opaque != checkpoint.Binary || st.Content == "") {
			return false // it is not known what it holds
		}
	}
	if f.changesEnds(ch) {
		return true
	}
	before := buffers.CodingOf([]byte(was.Content))
	if f.coded != nil {
		before = *f.coded
	}
	return f.recodes(before, is.Content)
}

// recodedAtRest is recoded for a file that may be in the middle of being written: it returns what it
// comes to.
func (f *file) recodedAtRest(ctx context.Context, ch checkpoint.Change) (checkpoint.Change, bool) {
	for range maxTries {
		f.mu.Lock()
		recoded := f.recoded(ch)
		f.mu.Unlock()
		if !recoded {
			return ch, false
		}
		now := checkpoint.CopyOf(f.path).State
		if now.SameContent(ch.After) {
			return ch, true
		}
		if ch.After = now; pause(ctx, quietFor) != nil {
			break
		}
	}
	return ch, false
}

// recodes is recoded for a file that was of an encoding and has these bytes now; mu is held.
func (f *file) recodes(was buffers.Coding, bytes string) bool {
	is := buffers.CodingOf([]byte(bytes))
	switch {
	case was == is, was.IsText() && is.IsText(), f.doc == nil:
		return false
	case was == buffers.CodingBytes && is == buffers.CodingUTF8:
		return !isASCII(bytes) && readsAs(f.doc.Text(), buffers.Disk{Content: bytes})
	}
	return true
}

// isUnread reports whether the editor is yet to read the file in the encoding that it has got: what is brought
// into the document by an edit until then would be saved in another one.
func (f *file) isUnread() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.unread
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// isRecoded is recoded for bytes that the editor may not have read yet, if the change can be taken back
// as a whole: a checkpoint has what the file was when the turn began.
func (f *file) isRecoded(ctx context.Context, at *buffers.EncodedError) bool {
	f.mu.Lock()
	was := buffers.CodingUTF8
	if f.coded != nil {
		was = *f.coded
	}
	_, isText := at.Text()
	recodes := !(isText && was == buffers.CodingBytes) && f.recodes(was, at.Bytes())
	f.mu.Unlock()
	return recodes && f.core.hasCopy(ctx, f.path)
}

// tellCoded tells the user that a decision was saved in another encoding than the file was before an agent
// changed that: where there is no copy of what it was, that is decided on by hunk.
func (f *file) tellCoded(live openDoc, was *buffers.Coding) {
	f.mu.Lock()
	is, whole := f.coded, f.opaque != ""
	f.mu.Unlock()
	if whole || was == nil || is == nil || *was == *is || was.IsText() && is.IsText() {
		return
	}
	live.at.editor.ShowMessage(LevelWarning, fmt.Sprintf("%s is not saved in the encoding of before (%s), but in that which it has got (%s), "+
		"and acp-ls has no copy: save it in that of before with your editor", f.shortName(live), *was, *is))
}

// hasCopy reports whether the checkpoint of a turn that runs has a copy of a file.
func (c *Core) hasCopy(ctx context.Context, p buffers.Path) bool {
	for _, s := range c.allSessions() {
		if !s.reviews(p) {
			continue
		}
		s.mu.Lock()
		point := s.point
		runs := s.running != nil && s.pointOf == s.running
		s.mu.Unlock()
		if !runs || point == nil {
			continue
		}
		if covered, err := point.Covers(ctx, p); err != nil || !covered {
			continue
		}
		if was, err := point.Copy(ctx, p); err == nil && was.Exists && was.Kept() {
			return true
		}
	}
	return false
}

// isUnsaved reports whether the file has a document with unsaved text.
func (f *file) isUnsaved() bool {
	_, d, open := f.liveNow()
	return open && !clean(d)
}
