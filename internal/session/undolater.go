package session

import (
	"context"
	"errors"
	"fmt"

	"acp-ls/buffers/checkpoint"
	"acp-ls/internal/review"
)

// A file that is no text may be changed by several turns before anybody decides on that: it is one
// change, of the first of them, that is accepted or rejected. Undo takes back the last of them alone too.

// laterWhole is what a turn has changed in a file that is no text, while another change of it was undecided.
type laterWhole struct {
	by   review.Origin
	copy checkpoint.Copy // of what it was before that
}

// of reports whether the change is one of a session, or of a turn of it.
func (w laterWhole) of(session, turn string) bool {
	return w.by.Author == review.AuthorAgent && w.by.Session == session && (turn == "" || w.by.Turn == turn)
}

// maxLater bounds what is kept of the contents between the changes of one file, in bytes.
const maxLater = maxAccepted / 8

// takeLater notes that a file of which a change is undecided, and which was that, is changed again; mu is
// held.
func (f *file) takeLater(was checkpoint.Copy, o review.Origin) {
	last, kept := f.entire.by, len(was.Content)
	for _, w := range f.entire.later {
		last = w.by
		kept += len(w.copy.Content)
	}
	if last.Author == o.Author && last.Session == o.Session && last.Turn == o.Turn {
		return
	}
	if kept > maxLater {
		was = was.WithoutContent()
	}
	f.entire.later = append(f.entire.later[:len(f.entire.later):len(f.entire.later)], laterWhole{o, was})
}

// byTurns are the steps that a step is made of, of which each is of one turn.
func (w wholeStep) byTurns() []wholeStep {
	later := w.entire.later
	if w.entire.copy == nil || w.entire.from != "" || len(later) == 0 {
		return []wholeStep{w}
	}
	out := []wholeStep{w}
	for _, l := range later {
		s := w
		s.by, s.entire.by, s.entire.was, s.entire.copy = l.by, l.by, l.copy.State.Forget(), &l.copy
		out[len(out)-1].entire.now = s.entire.was
		out = append(out, s)
	}
	for i := range out {
		out[i].opaqueOp = wholeOp(out[i].entire.was, out[i].entire.now)
	}
	return out
}

var errLater = errors.New("another turn has changed it since, and that is undecided: undo that first, or decide")

// undoLater takes back what the last turns that have changed a file, of which a change is undecided, have
// made of it, if those are meant, and returns how many.
func (f *file) undoLater(ctx context.Context, session, turn string) (n int, err error) {
	for {
		f.mu.Lock()
		later, now, opaque := f.entire.later, f.entire.now, f.opaque
		f.mu.Unlock()
		last := len(later) - 1
		meant := false
		for _, w := range later {
			meant = meant || w.of(session, turn)
		}
		switch {
		case opaque == "" || !meant:
			return n, nil
		case !later[last].of(session, turn):
			return n, errLater
		}
		back := later[last].copy
		f.core.elsewhere.makes(f.path, back.State)
		switch err := back.Restore(ctx, f.path, now); {
		case errors.Is(err, checkpoint.ErrNoCopy):
			return n, fmt.Errorf("it is %s, and acp-ls has no copy of what it was: bring it back with git or a backup", opaque)
		case errors.Is(err, checkpoint.ErrMoved):
			return n, errMovedNow
		case err != nil:
			return n, err
		}
		f.mu.Lock()
		is := checkpoint.CopyOf(f.path).Forget()
		f.entire.now, f.opaqueSeen, f.entire.later = back.State.Forget(), &is, later[:last]
		f.opaqueOp = wholeOp(f.entire.was, f.entire.now)
		f.shownRev = notShown
		f.publish()
		follow := len(f.open) > 0
		f.mu.Unlock()
		if follow {
			f.followWhole()
		}
		f.keep(true)
		n++
	}
}

var errMovedNow = errors.New("it has been changed since: bring back what was there before with git or a backup")
