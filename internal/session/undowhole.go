package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// What an agent has done to a file as a whole can be undone after it was accepted too: what the
// rejection would have needed is kept, and then rejected after all. Of files that are text their
// steps say it (undo.go), but not whether they could be run.

// wholeStep is what an agent did to a file as a whole, and was accepted.
type wholeStep struct {
	by       review.Origin
	id       string // of the change
	opaque   checkpoint.Opaque
	opaqueOp string
	entire   entire
	ran      buffers.Path // no more than that: what is gone, or has another name now, could be run
	emptied  bool         // the file is gone that had nothing in it, of which there is no step
}

// of reports whether the step is one of a session, or of a turn of it.
func (w wholeStep) of(session, turn string) bool {
	return w.by.Session == session && (turn == "" || w.by.Turn == turn)
}

// maxAccepted bounds what is kept of the contents of files that are no text, for undoing what was
// accepted, in bytes.
const maxAccepted = 64 << 20

// acceptedSize is how much is kept of them.
func (c *Core) acceptedSize() (n int) {
	for _, f := range c.allFiles() {
		f.mu.Lock()
		for _, w := range f.wholes {
			n += w.size()
		}
		f.mu.Unlock()
	}
	return n
}

func (w wholeStep) size() int {
	if w.entire.copy == nil {
		return 0
	}
	return len(w.entire.copy.Content)
}

// recordWhole keeps what has become of the file as a whole, which is accepted now, for undoing
// it; kept is the size of what is kept elsewhere, and mu is held.
func (f *file) recordWhole(kept int) {
	change := f.fileChange()
	w := f.entire
	if change == nil {
		return
	}
	f.undos.accept()
	step := wholeStep{by: w.by, id: change.ID, opaque: f.opaque, opaqueOp: f.opaqueOp, entire: w}
	switch {
	case f.opaque != "":
		for _, step := range step.byTurns() {
			if step.entire.copy != nil && kept+step.size() > maxAccepted {
				without := step.entire.copy.WithoutContent()
				step.entire.copy = &without
			}
			kept += step.size()
			f.addWhole(step)
		}
		return
	case w.from != "":
		ran := w.exec != nil && *w.exec
		if w.wasExec != nil {
			ran = *w.wasExec
		}
		if !ran {
			return
		}
		step.ran = w.from
	case f.deleted, w.gone:
		step.emptied = f.deleted && f.doc != nil && f.doc.Text().Len()+f.doc.Baseline().Len() == 0
		if !w.ran && !step.emptied {
			return
		}
		if w.ran {
			step.ran = f.path
		}
	case w.wasExec == nil && w.wasMark == nil:
		return
	}
	f.addWhole(step)
}

// addWhole keeps a step, if it is an agent's; mu is held.
func (f *file) addWhole(step wholeStep) {
	if step.by.Author != review.AuthorAgent {
		return
	}
	step.entire.full, step.entire.made, step.entire.refused, step.entire.later = nil, nil, nil, nil
	f.wholes = append(f.wholes, step)
	f.undos.changes++
}

// undoWholes takes back what a session, or a turn of it, has done to files as a whole and was accepted,
// the last first. What is in the way of one may be another that is not taken back yet.
func (c *Core) undoWholes(ctx context.Context, session, turn string) (done []*file, failed map[*file]error) {
	for again := true; again; {
		again, failed = false, map[*file]error{}
		files := c.allFiles()
		slices.SortStableFunc(files, func(a, b *file) int { return cmp.Compare(a.undoesLater(), b.undoesLater()) })
		for _, f := range files {
			k, err := f.undoLater(ctx, session, turn)
			n := 0
			if err == nil {
				n, err = f.undoWholes(ctx, session, turn)
			}
			if n += k; n > 0 {
				again = true
				done = append(done, f)
			}
			if err != nil {
				failed[f] = err
			}
		}
	}
	return done, failed
}

// undoesLater sorts files to be undone: first those that will be gone; see inTheWay.
func (f *file) undoesLater() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := len(f.wholes); n > 0 && f.wholes[n-1].opaqueOp == "create" {
		return 0
	}
	return 1
}

// undoWholes takes back the last of the steps that are meant, and those before it, as far as that
// can be done, and returns how many.
func (f *file) undoWholes(ctx context.Context, session, turn string) (n int, err error) {
	for {
		f.mu.Lock()
		i := -1
		for k, w := range f.wholes {
			if w.of(session, turn) {
				i = k
			}
		}
		var w wholeStep
		if i >= 0 {
			w = f.wholes[i]
		}
		f.mu.Unlock()
		if i < 0 {
			return n, nil
		}
		if err := f.undoWhole(ctx, w); err != nil {
			return n, err
		}
		f.mu.Lock()
		f.wholes = slices.DeleteFunc(f.wholes, func(o wholeStep) bool { return o.by.Change == w.by.Change && o.id == w.id && o.ran == w.ran })
		f.undos.changes++
		f.mu.Unlock()
		f.keep(true)
		n++
	}
}

var (
	errRows       = errors.New("what was in it is not back")
	errUndecided  = errors.New("another change of the file as a whole is undecided: decide on that, and undo then")
	errChangedNow = errors.New("it has been changed since it was accepted: bring back what was there before with git or a backup")
)

// undoWhole takes back what was accepted as if it had not been.
func (f *file) undoWhole(ctx context.Context, w wholeStep) error {
	if w.emptied && !isThere(f.path) {
		return f.makeEmpty(ctx, w.ran != "")
	}
	if w.ran != "" {
		if !isThere(w.ran) {
			return errRows
		}
		f.core.elsewhere.makesExec(w.ran, true)
		return checkpoint.SetExec(w.ran, true)
	}
	now := checkpoint.CopyOf(f.path)
	switch {
	case w.opaque != "" && w.entire.from != "" && !now.Same(w.entire.now):
		return errChangedNow
	case w.opaque != "" && w.entire.from == "" && (w.entire.copy == nil || !w.entire.copy.Kept()):
		return fmt.Errorf("it is %s, and acp-ls has no copy of what it was: bring it back with git or a backup", w.opaque)
	case w.emptied:
		return nil
	case w.opaque == "" && !now.Exists:
		return errors.New("it is gone")
	}
	f.mu.Lock()
	if f.fileChange() != nil {
		f.mu.Unlock()
		return errUndecided
	}
	was, opaque, op, seen := f.entire, f.opaque, f.opaqueOp, f.opaqueSeen
	f.opaque, f.opaqueOp = w.opaque, w.opaqueOp
	f.entire.by, f.entire.from = w.by, w.entire.from
	f.entire.was, f.entire.now, f.entire.copy, f.entire.through = w.entire.was, w.entire.now, w.entire.copy, w.entire.through
	f.entire.wasMark, f.entire.wasExec = w.entire.wasMark, w.entire.wasExec
	if w.entire.exec != nil {
		f.entire.exec = w.entire.exec
	}
	f.placeholder()
	f.mu.Unlock()
	var err error
	if w.entire.from != "" {
		err = f.moveBack(ctx)
	} else if done, reason := f.rejectWhole(ctx); !done {
		err = errors.New(cmp.Or(reason, "it cannot be taken back"))
	}
	if err == nil {
		return nil
	}
	f.mu.Lock()
	f.entire, f.opaque, f.opaqueOp, f.opaqueSeen = was, opaque, op, seen
	f.shownRev = notShown
	f.publish()
	f.dropIfIdle()
	f.mu.Unlock()
	if errors.Is(err, checkpoint.ErrMoved) || w.opaque != "" && w.entire.from == "" && !checkpoint.CopyOf(f.path).Same(w.entire.now) {
		return errChangedNow
	}
	return err
}

// makeEmpty makes a file again that had nothing in it.
func (f *file) makeEmpty(ctx context.Context, ran bool) error {
	if err := f.lockOps(ctx); err != nil {
		return err
	}
	defer f.unlockOps()
	f.core.elsewhere.wrote(f.path, text.Text{})
	if err := buffers.MakeFile(f.path, "", ran); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.missing = false
	f.keepBefore(text.Text{})
	return nil
}
