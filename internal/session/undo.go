package session

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"acp-ls/buffers/linediff"
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
	hidden        bool // the document does not show it: of line ends on disk

	between []text.Text // of several steps that undo has joined
	found   bool        // an earlier run has left it undecided, and no more is known of it
	why     error       // of one that is dropped: why it is
}

// of reports whether the step is one of a session, or of a turn of it.
func (s agentStep) of(session, turn string) bool {
	return s.session == session && (turn == "" || s.turn == turn)
}

// record notes what an operation by an agent has done; mu is held.
func (f *file) record(by *review.Origin, before, after text.Text, created bool) {
	if by == nil || by.Author != review.AuthorAgent || before.Equal(after) && !created {
		return
	}
	f.recordStep(agentStep{session: by.Session, turn: by.Turn, before: before, after: after, created: created})
}

// begins is the text that the agent's change began with whose operation it is, made of before.
func (op operation) begins(before *review.Doc) text.Text {
	if op.from != nil {
		return *op.from
	}
	return before.Text()
}

// begunWith is what an agent's change of the disk began with, which had before: it is not the text
// of a clean document that has not taken that in. Nil: it is.
func (f *file) begunWith(before *taken) *text.Text {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.doc == nil {
		return nil
	}
	return before.notIn(f.doc)
}

// Undo takes back all that a session, or one turn of it, has changed, accepted or
// not. What the user typed since stays; where both changed the same lines, or lines
// that touch, the user's stay and a conflict offers what was there before.
func (c *Core) Undo(ctx context.Context, session, turn string) (Decision, error) {
	if session == "" {
		return Decision{}, Errorf(KindInvalid, "session is missing")
	}
	if err := c.durable.wait(ctx); err != nil { // what earlier runs have left is meant too
		return Decision{}, err
	}
	c.durable.neighbours(ctx)
	c.recallSteps()
	names := slices.DeleteFunc(c.namesOf(session), func(id string) bool { return c.undoable(id, turn) != nil })
	err := c.undoable(session, turn)
	if err == nil {
		out, err := c.undo(ctx, session, turn)
		if err != nil || turn != "" {
			return out, err
		}
		return c.undoMore(ctx, names, turn, out)
	}
	if len(names) == 0 {
		return Decision{}, err
	}
	return c.undoMore(ctx, names, turn, Decision{Decided: []string{}})
}

// undo is Undo for a session by its very name.
func (c *Core) undo(ctx context.Context, session, turn string) (Decision, error) {
	had := map[*file]bool{}
	for _, f := range c.allFiles() {
		had[f] = f.wasThere(session, turn)
	}
	out, err := c.Reject(ctx, Decide{Session: session, Turn: turn, undoes: true})
	if err != nil {
		return out, err
	}
	wholes, _ := c.undoWholes(ctx, session, turn) // before the rows that lie beneath them
	failed := map[*file]error{}
	rows := map[*file]bool{}
	for _, f := range c.allFiles() {
		undone, err := f.undo(ctx, session, turn, had[f])
		if err != nil {
			failed[f] = err
		}
		rows[f] = undone
	}
	more, left := c.undoWholes(ctx, session, turn) // and those beneath rows
	for _, f := range c.allFiles() {
		f.mu.Lock()
		err := failed[f]
		if i := slices.IndexFunc(f.dropped, func(s agentStep) bool { return s.of(session, turn) }); err == nil && i >= 0 {
			err = f.dropped[i].why
		}
		if err == nil {
			err = left[f]
		}
		now := f.answer(f.hunks())
		f.mu.Unlock()
		if err != nil {
			out.Refused = append(out.Refused, Refusal{ID: "file:" + string(f.path), Reason: err.Error()})
		}
		if !rows[f] && !slices.Contains(wholes, f) && !slices.Contains(more, f) {
			continue
		}
		if i := slices.IndexFunc(out.Files, func(r Review) bool { return r.Path == now.Path }); i >= 0 {
			out.Files[i] = now // of before, when its hunks had been rejected and no more
		} else {
			out.Files = append(out.Files, now)
		}
	}
	if why := c.whatStays(session); why != "" {
		out.Refused = append(out.Refused, Refusal{ID: cmp.Or(turn, session), Reason: why})
	}
	c.forgetSteps()
	c.keepUndone()
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
		is := func(s agentStep) bool { return s.of(session, turn) }
		here := slices.ContainsFunc(f.history, is) || slices.ContainsFunc(f.dropped, is) ||
			slices.ContainsFunc(f.wholes, func(w wholeStep) bool { return w.of(session, turn) })
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

// undo merges the session's steps backwards into the file, of which had says what wasThere did
// before they were rejected. It reports whether there was anything to do, and be it that it is
// for the user to settle.
func (f *file) undo(ctx context.Context, session, turn string, had bool) (bool, error) {
	is := func(s agentStep) bool { return s.of(session, turn) }
	f.mu.Lock()
	var steps []agentStep
	hidden := false
	for _, s := range f.history {
		if is(s) {
			steps = appendStep(steps, s)
			hidden = hidden || s.hidden
		}
	}
	if len(steps) == 0 {
		f.mu.Unlock()
		return false, nil
	}
	open := len(f.open) > 0
	made := steps[0].created
	if made && !open {
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
		if writtenBack {
			f.mu.Lock()
			f.isBack() // whoever has taken it away
			f.publish()
			f.mu.Unlock()
			f.readBack(ctx)
		}
		steps = slices.DeleteFunc(steps, func(s agentStep) bool { return s.gone })
	}
	o := review.Origin{Change: f.core.changeID(), Session: session, Turn: turn, Author: review.AuthorUser, Title: "undo", Sure: true}
	conflicts, turned := false, 0
	out, err := f.change(ctx, operation{
		label: "undo", rejects: true,
		apply: func(d *review.Doc) error {
			conflicts, turned = false, 0
			if want, n, ok := without(steps, d.Text().String()); ok {
				turned = n
				if !d.Text().Equal(text.New(want)) {
					d.Reload(text.New(want), o)
				}
				return nil
			}
			for _, s := range slices.Backward(steps) {
				before, live := s.before.String(), d.Text().String()
				after, m := s.backwards(live)
				by := review.Origin{Change: o.Change, Session: session, Turn: turn, Author: review.AuthorUser, Title: "before the agent's change"}
				ids := f.core.untouched.addConflicts(d, always(by), m, after, before)
				conflicts, turned = conflicts || len(ids) > 0, turned+m.EndsInConflict
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
	f.forgetUndone(is, !conflicts)
	f.mu.Lock()
	nothing := f.doc != nil && blank(f.doc.Text()) && len(f.hunks()) == 0
	f.mu.Unlock()
	if made && open && nothing && !out.onDisk && isThere(f.path) {
		return true, f.removeUnderDocument(ctx, out) // the document stays, for its editor to close
	}
	if out.changed && !out.onDisk {
		f.saveDecided(ctx, out, false)
	}
	if had && out.changed && !out.onDisk {
		if err := f.writeUndone(ctx, out.text); err != nil {
			return false, err
		}
	}
	if turned > 0 {
		err = errTurned
	} else if hidden && f.hidesEnds() {
		err = errHidden
	}
	return out.changed || writtenBack || conflicts, err
}

// errTurned says that line ends are not taken back.
var errTurned = errors.New("line ends that were changed again since stay as they are: turn them in the editor")

// without is what live would be without steps: the text before the first, with what came between
// them and since, and with the byte order mark that there is; false if some of that is in the rows that
// they have changed, and so for the user to settle. turned is the number of rows whose line ends they
// have changed and that were given others since, which stay.
func without(steps []agentStep, live string) (_ string, turned int, ok bool) {
	if len(steps) == 0 {
		return live, 0, true
	}
	text, put := steps[0].before.String(), map[string]bool{}
	for i, s := range steps {
		next := live
		if i+1 < len(steps) {
			next = steps[i+1].before.String()
		}
		s.notePut(put)
		after, next := s.after.String(), s.withoutBroughtBack(next, put)
		if _, m := mergeBack(after, next, text, put); len(m.Conflicts) == 0 {
			text = m.Text
			turned += m.EndsInConflict
		} else {
			return "", 0, false
		}
	}
	return text, turned, true
}

// notePut notes the rows that a step has put in, if only for a while.
func (s agentStep) notePut(put map[string]bool) {
	had := map[string]bool{}
	for _, row := range linesOf(s.before) {
		had[row] = true
	}
	for _, t := range slices.Concat(s.between, []text.Text{s.after}) {
		for _, row := range linesOf(t) {
			if !had[row] && !isBlank(row) {
				put[row] = true
			}
		}
	}
}

// withoutBroughtBack is next, which has come from what a step has made, without rows that steps have
// put in, that this one has taken out, and that were brought back by rejecting that.
func (s agentStep) withoutBroughtBack(next string, put map[string]bool) string {
	after := linesOf(s.after)
	gone := map[string]int{}
	for _, t := range slices.Concat(s.between, []text.Text{s.before}) {
		n := map[string]int{}
		for i, stays := range kept(linesOf(t), after) {
			if row := t.Line(i); put[row] && !stays {
				n[row]++
				gone[row] = max(gone[row], n[row])
			}
		}
	}
	if len(gone) == 0 {
		return next
	}
	rows := rowsWithEnds(text.New(next))
	bare := withoutEnds(rows)
	drop := make([]bool, len(rows))
	for _, e := range linediff.Diff(after, bare) {
		for i := e.B0; i < e.B1; i++ {
			if gone[bare[i]] > 0 {
				gone[bare[i]]--
				drop[i] = true
			}
		}
	}
	var out strings.Builder
	for i, row := range rows {
		if !drop[i] {
			out.WriteString(row)
		}
	}
	return out.String()
}

// partly is after, which a step has made of before, with what next has in those conflicts in which
// that has come from after by nothing but taking a part back, as by rejecting some of the hunks. In
// the conflicts next is ours. What touches is looked at as one: which row was taken back and which has
// moved nobody can tell. put are rows that steps have put in.
func partly(after, before, next string, put map[string]bool, conflicts []merge.Conflict) string {
	was, made, is := rowsWithEnds(text.New(before)), rowsWithEnds(text.New(after)), rowsWithEnds(text.New(next))
	for _, k := range slices.Backward(conflicts) {
		if then := is[k.Ours[0]:k.Ours[1]]; partlyTakenBack(was[k.Theirs[0]:k.Theirs[1]], made[k.Base[0]:k.Base[1]], then, put) {
			made = slices.Replace(made, k.Base[0], k.Base[1], then...)
		}
	}
	return strings.Join(made, "")
}

// partlyTakenBack reports whether all rows of next are of before or of after, each at most once
// and in order, or were put in by a step, and those that both of them have are there.
func partlyTakenBack(before, after, next []string, put map[string]bool) bool {
	before, after, next = withoutEnds(before), withoutEnds(after), withoutEnds(next)
	at := 0
	for _, e := range append(linediff.Diff(after, before), linediff.Edit{A0: len(after), A1: len(after), B0: len(before), B1: len(before)}) {
		for ; at < e.A0; at++ {
			if len(next) == 0 || next[0] != after[at] {
				return false
			}
			next = next[1:]
		}
		at = e.A1
		for a, b := after[e.A0:e.A1], before[e.B0:e.B1]; len(next) > 0; next = next[1:] {
			if i := slices.Index(b, next[0]); i >= 0 {
				b = b[i+1:]
			} else if i := slices.Index(a, next[0]); i >= 0 {
				a = a[i+1:]
			} else if !put[next[0]] {
				break
			}
		}
	}
	return len(next) == 0
}

func withoutEnds(rows []string) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = strings.TrimRight(r, "\r\n")
	}
	return out
}

// backwards merges a step backwards into live, and returns the text after it that this
// started from: what was rejected of it already is in nobody's way.
func (s agentStep) backwards(live string) (after string, m merge.TextResult) {
	put := map[string]bool{}
	s.notePut(put)
	return mergeBack(s.after.String(), live, s.before.String(), put)
}

// mergeBack merges before into next, both of which have come from after; the latter is returned as it
// was merged. put are rows that steps have put in.
func mergeBack(after, next, before string, put map[string]bool) (string, merge.TextResult) {
	m := merge.TextsWith(after, next, before, merge.Options{Whole: true, Ends: true})
	if len(m.Conflicts) > 0 {
		after = partly(after, before, next, put, m.Conflicts)
		m = merge.TextsWith(after, next, before, merge.Options{Ends: true})
	}
	return after, m
}
