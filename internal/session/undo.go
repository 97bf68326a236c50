package session

import (
	"context"
	"slices"

	"acp-ls/buffers/merge"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// A turn can be taken back after its changes were accepted (rule 16): what each
// of its edits made of a file is kept as two texts, which share what is the same
// with the document, and merged backwards into what is there now.

// agentStep is one edit of an agent: the text before and after it.
type agentStep struct {
	session, turn string
	before, after text.Text
	created       bool // the file was not there before
	gone          bool // the file was taken away under its document
}

// maxSteps bounds what is remembered of one file.
const maxSteps = 200

// record notes what an operation by an agent has done; mu is held.
func (f *file) record(by *review.Origin, before, after text.Text, created bool) {
	if by == nil || by.Author != review.AuthorAgent || before.Equal(after) && !created {
		return
	}
	f.history = append(f.history, agentStep{session: by.Session, turn: by.Turn, before: before, after: after, created: created})
	if len(f.history) > maxSteps {
		f.history = slices.Delete(f.history, 0, len(f.history)-maxSteps)
	}
}

// Undo takes back all that a session, or one turn of it, has changed, accepted or
// not. What the user typed since stays; where both changed the same lines the
// user's stay and a conflict offers what was there before.
func (c *Core) Undo(ctx context.Context, session, turn string) (Decision, error) {
	if session == "" {
		return Decision{}, Errorf(KindInvalid, "session is missing")
	}
	if err := c.undoable(session, turn); err != nil {
		return Decision{}, err
	}
	out, err := c.Reject(ctx, Decide{Session: session, Turn: turn})
	if err != nil {
		return out, err
	}
	for _, f := range c.allFiles() {
		undone, err := f.undo(ctx, session, turn)
		if err != nil {
			out.Refused = append(out.Refused, Refusal{ID: "file:" + string(f.path), Reason: err.Error()})
			continue
		}
		if !undone {
			continue
		}
		f.mu.Lock()
		now := f.review(f.hunks())
		f.mu.Unlock()
		if i := slices.IndexFunc(out.Files, func(r Review) bool { return r.Path == now.Path }); i >= 0 {
			out.Files[i] = now // of before, when its hunks had been rejected and no more
		} else {
			out.Files = append(out.Files, now)
		}
	}
	return out, nil
}

// undoable reports what is not there to be undone: a session, or a turn of it. One that
// was closed, or is of an earlier run, may have left changes.
func (c *Core) undoable(session, turn string) error {
	s, err := c.findSession(session)
	if err == nil && (turn == "" || s.hasTurn(turn)) {
		return nil
	}
	for _, f := range c.allFiles() {
		f.mu.Lock()
		here := slices.ContainsFunc(f.history, func(s agentStep) bool { return s.session == session && (turn == "" || s.turn == turn) })
		for _, h := range f.hunks() {
			here = here || slices.ContainsFunc(h.Origins, func(o review.Origin) bool { return o.Session == session && (turn == "" || o.Turn == turn) })
		}
		here = here || f.fileChange() != nil && f.changeBy() == session
		f.mu.Unlock()
		if here {
			return nil
		}
	}
	if err != nil {
		return err
	}
	return Errorf(KindInvalid, "session %s has no turn %q", session, turn)
}

// hasTurn reports whether the session has, or had, the turn.
func (s *session) hasTurn(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running != nil && s.running.id == id || slices.ContainsFunc(s.log.items, func(it *item) bool { return it.Turn == id })
}

// undo merges the session's steps backwards into the file. It reports whether there was
// anything to do, and be it that it is for the user to settle.
func (f *file) undo(ctx context.Context, session, turn string) (bool, error) {
	is := func(s agentStep) bool { return s.session == session && (turn == "" || s.turn == turn) }
	f.mu.Lock()
	var steps []agentStep
	for _, s := range f.history {
		if last := len(steps) - 1; is(s) && last >= 0 && steps[last].after.Equal(s.before) {
			steps[last].after = s.after // what was in between need not come back
		} else if is(s) {
			steps = append(steps, s)
		}
	}
	if len(steps) == 0 {
		f.mu.Unlock()
		return false, nil
	}
	open := len(f.open) > 0
	if steps[0].created && !open {
		f.created = true // so that nothing is left of it, if nothing is the user's
	}
	f.mu.Unlock()
	writtenBack := false
	if open {
		for _, s := range steps {
			if s.gone && !isThere(f.path) {
				if err := f.writeBack(s.before.String()); err != nil {
					return false, err
				}
				writtenBack = true
			}
		}
		steps = slices.DeleteFunc(steps, func(s agentStep) bool { return s.gone })
	}
	o := review.Origin{Change: f.core.changeID(), Session: session, Turn: turn, Author: review.AuthorUser, Title: "undo", Sure: true}
	conflicts := false
	out, err := f.change(ctx, operation{
		label: "undo", rejects: true,
		apply: func(d *review.Doc) error {
			conflicts = false
			for _, s := range slices.Backward(steps) {
				before, live := s.before.String(), d.Text().String()
				m := merge.Texts(s.after.String(), live, before)
				ids := addConflicts(d, review.Origin{Change: o.Change, Session: session, Turn: turn, Author: review.AuthorUser, Title: "before the agent's change"},
					m, s.after.String(), before)
				conflicts = conflicts || len(ids) > 0
				if !d.Text().Equal(text.New(m.Text)) {
					d.Reload(text.New(m.Text), o)
				}
			}
			return nil
		},
	})
	if err != nil {
		return false, err
	}
	f.mu.Lock()
	f.history = slices.DeleteFunc(f.history, is)
	f.mu.Unlock()
	if out.changed && !out.onDisk {
		f.saveDecided(ctx, out)
	}
	return out.changed || writtenBack || conflicts, nil
}
