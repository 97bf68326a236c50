package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// A byte order mark is part of the first row of a file that nobody has open. Editors tell of
// none: beside an open document, one that an agent gave the file or took away is a change of the
// file as a whole. It is taken back on the disk, which the editor then reads, and never under
// unsaved text: nobody but the editor may write that.

const byteOrderMarkBytes = "\ufeff"

var errMarkUnsaved = errors.New("its document has unsaved changes, and only your editor can write those: save it, and decide then")

// takeMarked takes in that o has given the file of a document a byte order mark, or taken it
// away; mu is held.
func (f *file) takeMarked(was, now bool, o review.Origin) {
	w := &f.entire
	switch {
	case w.wasMark != nil && *w.wasMark == now:
		w.wasMark = nil
	case w.wasMark == nil && was != now && o.Author != review.AuthorUser && !f.created:
		w.wasMark, w.by = &was, o
	default:
		return
	}
	f.placeholder()
	f.shownRev = notShown
	f.publish()
	f.dropIfIdle()
}

// settleMark ends a change of the byte order mark that is not so any more: somebody else has
// written the file. mu is held.
func (f *file) settleMark(now *buffers.Ends) {
	if w := &f.entire; w.wasMark != nil && now != nil && now.BOM == *w.wasMark {
		w.wasMark = nil
		f.shownRev = notShown
	}
}

// openedMarked takes the byte order mark of a file out of its rows, now that t, a document of it,
// is opened without. One that an agent has put there or taken away, undecided, is a change of the
// file from now on; mu is held.
func (f *file) openedMarked(t text.Text) {
	if f.doc == nil || f.opaque != "" || hasMark(t) {
		return
	}
	was, now := hasMark(f.doc.Baseline()), hasMark(f.doc.Text())
	if !was && !now {
		return
	}
	if was != now && !f.created && !f.deleted {
		for _, h := range f.doc.Hunks(review.StatePending) {
			if h.StartLine == 0 {
				f.takeMarked(was, now, h.Origins[0])
				break
			}
		}
	}
	f.doc.Dress(false)
}

// closedMarked makes the byte order mark of now, which the disk has, part of the rows of a file
// whose last document was closed, and which read the same; mu is held.
func (f *file) closedMarked(now text.Text) {
	if len(f.open) > 0 || f.doc == nil || hasMark(f.doc.Text()) == hasMark(now) || f.deleted {
		return
	}
	f.doc.Dress(hasMark(now))
	if w := &f.entire; f.ends != nil && f.ends.BOM != hasMark(now) && w.wasMark == nil && !f.created {
		if o := f.core.attribute(f.path); o.Author != review.AuthorUser { // nobody has looked since
			was := f.ends.BOM
			w.wasMark, w.by = &was, o
		}
	}
	f.shownRev = notShown
}

// hasMark reports whether a text begins with a byte order mark.
func hasMark(t text.Text) bool {
	return t.Len() >= len(byteOrderMarkBytes) && t.Slice(0, len(byteOrderMarkBytes)) == byteOrderMarkBytes
}

// markedAs is t with a byte order mark if the text of d has one, and without if not: what of a
// file an editor would have made the text. It is t if that alone is what d has had.
func markedAs(d *review.Doc, t text.Text) text.Text {
	has := hasMark(d.Text())
	if has == hasMark(t) {
		return t
	}
	as := t.Replace(0, 0, byteOrderMarkBytes)
	if !has {
		as = t.Replace(0, len(byteOrderMarkBytes), "")
	}
	if !as.Equal(d.Text()) && !d.Had(as) && d.Had(t) {
		return t
	}
	return as
}

// restoreMark gives a file the byte order mark again, or takes it away, if it is otherwise now.
func (f *file) restoreMark(ctx context.Context, has bool) error {
	if err := f.lockOps(ctx); err != nil {
		return err
	}
	defer f.unlockOps()
	return f.restoreMarkHeld(ctx, has)
}

// restoreMarkHeld is restoreMark for a caller that holds the slot of ops.
func (f *file) restoreMarkHeld(ctx context.Context, has bool) error {
	disk, err := buffers.ReadDisk(f.path)
	if err != nil {
		return err
	}
	if !disk.Exists {
		return fmt.Errorf("%s is gone", f.path)
	}
	f.mu.Lock()
	live, _, open := f.live()
	f.mu.Unlock()
	if buffers.EndsOf(text.New(disk.Content)).BOM == has {
		return nil
	}
	if open {
		if _, err := live.at.store.Look(f.path); err != nil {
			return err
		}
		if _, d, ok := f.liveNow(); !ok || d.State() != buffers.Clean || f.isClash() {
			return errMarkUnsaved
		}
	}
	content := strings.TrimPrefix(disk.Content, byteOrderMarkBytes)
	if has {
		content = byteOrderMarkBytes + content
	}
	f.mu.Lock()
	ends := f.ends
	f.keepEnds(buffers.Disk{Exists: true, Content: content}, nil) // what is found from now on is nobody's change
	f.mu.Unlock()
	f.core.elsewhere.wrote(f.path, text.New(content))
	if err := buffers.WriteFileAtomic(f.path, content, disk.Seen()); err != nil {
		f.mu.Lock()
		f.ends = ends
		f.mu.Unlock()
		return err
	}
	if open {
		if _, err := live.at.store.Look(f.path); err != nil {
			return err
		}
		return readsMark(ctx, live)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := text.New(content); len(f.open) == 0 && f.doc != nil {
		if markedAs(f.doc, now).Equal(f.doc.Text()) {
			f.doc.Dress(has)
		} else {
			takeOver(f.doc, now, usersOwn(now, nil))
		}
		f.keepBefore(now)
	}
	return nil
}

// readsMark waits until an editor has read a file whose byte order mark was put back: it would save the document with
// the one that it has read last. One with much to do takes longer than it is waited for at once.
func readsMark(ctx context.Context, live openDoc) error {
	if !live.at.editor.Can("reload") {
		return nil
	}
	for range maxTries {
		if read, err := live.at.editor.Reload(ctx, live.uri); read || ctx.Err() != nil {
			return ctx.Err()
		} else if err != nil {
			break
		}
	}
	return nil
}

// liveNow is live for a caller that does not hold mu.
func (f *file) liveNow() (openDoc, *buffers.Document, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.live()
}

func (f *file) isClash() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.clash() != nil
}
