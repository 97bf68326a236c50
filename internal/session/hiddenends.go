package session

import (
	"context"
	"fmt"
	"slices"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// An editor that knows one kind of line ends for a document (VS Code) shows nothing of it where an agent changes
// those of single rows and no word, and saves all of them in one kind. So that is a change of the file as a whole,
// as another encoding is: to reject it puts back every byte. It is so, too, where what the file had was mixed
// already, as nothing that such an editor saves would be that again; and under unsaved text, which keeps its kind,
// for line ends that were all turned.
//
// Where words have changed in a file of one kind, the change is by hunk: what is rejected is saved in that kind.

// endsAlone are the line ends of some rows of a file, which its editor does not show.
const endsAlone checkpoint.Opaque = "ends"

// knowsOneKind reports whether an editor that reads files anew knows one kind of line ends for a document.
func knowsOneKind(live openDoc) bool {
	return live.at.editor.Can("reload") && !live.at.editor.Can("adopt")
}

// changesEnds reports whether a change on disk of an open file is one of line ends that its editor does not show; mu
// is held.
func (f *file) changesEnds(ch checkpoint.Change) bool {
	live, d, open := f.live()
	if !open || !knowsOneKind(live) || !ch.Before.Exists || !ch.After.Exists || ch.Before.Opaque != "" || ch.After.Opaque != "" {
		return false
	}
	return endsHidden(text.New(f.beganWith(ch.Before).Content), text.New(ch.After.Content), !clean(d))
}

// beganWith is what an open file held when the turn began or the user has saved it since; was is what it held when
// that began. mu is held.
func (f *file) beganWith(was checkpoint.State) checkpoint.State {
	if f.began != nil {
		was.Content = *f.began
	}
	return was
}

// endsHidden is changesEnds for a file that was was and is now, in an editor that knows one kind; unsaved: the
// document keeps its own.
func endsHidden(was, now text.Text, unsaved bool) bool {
	had, has := buffers.EndsOf(was), buffers.EndsOf(now)
	same := had.FinalNewline == has.FinalNewline && buffers.NormHashText(was) == buffers.NormHashText(now)
	switch none := (text.Hash{}); {
	case had.Mix == none && has.Mix == none:
		return same && unsaved && had.Turned(has)
	case same:
		return !had.SameRows(has)
	case had.Mix == none, unsaved: // what words have changed is merged
		return false
	}
	return endsDiffer(was, now)
}

// endsDiffer reports whether a row that two texts have has a line end of another kind in the second.
func endsDiffer(was, now text.Text) bool {
	a, b := linesOf(was), linesOf(now)
	for i, k := range matched(a, b) {
		if k < 0 {
			continue
		}
		had, has := was.LineWithEnd(k)[len(a[k]):], now.LineWithEnd(i)[len(b[i]):]
		if had != has && had != "" && has != "" {
			return true
		}
	}
	return false
}

// openedEnds makes undecided rows of a file, in which nothing but line ends have changed, a change of the file as a
// whole, now that t, a document of it, is opened in an editor that does not show these; mu is held.
func (f *file) openedEnds(t text.Text) {
	live, _, open := f.live()
	if f.doc == nil || f.opaque != "" || f.fileChange() != nil || !open || !knowsOneKind(live) || !f.doc.Tracking() {
		return
	}
	was, now, pending := f.doc.Baseline(), f.doc.Text(), f.doc.Hunks(review.StatePending)
	if len(pending) == 0 || buffers.NormHashText(was) != buffers.NormHashText(now) || buffers.NormHashText(now) != buffers.NormHashText(t) || !endsHidden(was, now, false) {
		return
	}
	is := checkpoint.CopyOf(f.path)
	if !is.Exists || is.Content != now.String() {
		return // it has been written since
	}
	had := is
	had.Content = was.String()
	var changes []review.ChangeID
	for _, h := range pending {
		for _, o := range h.Origins {
			changes = append(changes, o.Change)
		}
	}
	w := &f.entire
	w.by, w.copy, w.was, w.later, w.through, w.recoded = pending[0].Origins[0], &had, had.Forget(), nil, nil, true
	w.now = is.Forget()
	f.opaque, f.opaqueOp, f.undone = endsAlone, "modify", nil
	f.doc.AcceptChanges(changes...)
	f.history = slices.DeleteFunc(f.history, func(s agentStep) bool { // which the change of the file takes back
		return s.turn == w.by.Turn && s.session == w.by.Session && buffers.NormHashText(s.before) == buffers.NormHashText(s.after)
	})
	f.shownRev = notShown
}

// savedEnds takes in that an editor has written the file, all of it in one kind of line ends: what an agent has
// made of those is gone. mu is held.
func (f *file) savedEnds(disk buffers.Disk, err error) {
	if f.opaque == endsAlone && f.underDocument() && err == nil && disk.Exists && disk.AsEncoded().Sum != f.entire.now.Sum() {
		f.opaqueBack()
	}
}

// endsWhole is changesEnds for what the disk has now, if a checkpoint has what the file was when the turn began: the
// change can be taken back as a whole.
func (f *file) endsWhole(ctx context.Context, now text.Text) bool {
	f.mu.Lock()
	live, _, open := f.live()
	whole := f.opaque == endsAlone && f.underDocument()
	f.mu.Unlock()
	if whole || !open || !knowsOneKind(live) {
		return whole
	}
	had, made := f.core.beforeTurn(ctx, f.path)
	if had == nil || made {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.changesEnds(checkpoint.Change{
		Before: checkpoint.State{Exists: true, Content: had.String()}, After: checkpoint.State{Exists: true, Content: now.String()},
	})
}

// tellWhole tells the user what an agent has made of the line ends of a file whose document, d, has unsaved text:
// that is saved over it. Else what there is to decide on is listed, and says it.
func (f *file) tellWhole(tell func(string), d *buffers.Document, o review.Origin) {
	if own := buffers.EndsOf(d.Text).EOL; !clean(d) && own != "" {
		tell(fmt.Sprintf("was given other line ends on disk by %s. The text in your editor has %s, and to save it gives the file these", programOf(o), own.Name()))
	}
}
