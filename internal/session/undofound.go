package session

import (
	"slices"
	"strconv"
	"strings"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// Of what earlier runs have left undecided the journal has a state, and no steps. Those are made of it, as it can
// be accepted and undone then.

// foundTurn is a turn of an earlier run with what it has left undecided.
type foundTurn struct {
	session, id string
	changes     []review.ChangeID
}

// findSteps makes steps of what turns of an earlier run have left undecided in doc, and of the file as a
// whole; mu is held.
func (f *file) findSteps(doc *review.Doc, created bool) {
	by, rows := f.entire.by, doc
	known := by.Author == review.AuthorAgent && f.opaque == "" && !f.core.isLive(by.Session)
	if full := f.entire.full; known && f.deleted && full != nil {
		rows = full // in doc they are gone
	}
	turns := f.core.foundTurns(rows)
	first := 0 // of the name that the file has
	slices.SortStableFunc(turns, func(a, b foundTurn) int { return a.order(by) - b.order(by) })
	for known && f.entire.from != "" && first < len(turns) && turns[first].order(by) < 0 {
		first++
	}
	found := make([]agentStep, len(turns))
	was, after := rows.Clone(), rows.Text()
	start := after // of what is done under the name that the file has
	for i, t := range slices.Backward(turns) {
		was.RejectChanges(t.changes...)
		found[i] = agentStep{session: t.session, turn: t.id, before: sharing(after, was.Text()), after: after, found: true}
		if after = found[i].before; i >= first {
			start = after
		}
	}
	its := agentStep{session: by.Session, turn: by.Turn, found: true} // what has become of the file
	f.undos.ofOldName = nil
	switch {
	case known && f.entire.from != "":
		gone, made := its, its
		gone.before, gone.gone = start, true
		made.after, made.created = start, true
		f.undos.ofOldName = append(slices.Clone(found[:first]), gone)
		found = append([]agentStep{made}, found[first:]...)
	case known && rows != doc:
		its.before, its.after = rows.Text(), doc.Text()
		found = append(found, its)
	case known && created && (len(found) == 0 || turns[0].order(by) > 0):
		its.before, its.after, its.created = after, after, true
		found = append([]agentStep{its}, found...)
	case created && len(found) > 0:
		found[0].created = true
	}
	if f.entire.gone && by.Author == review.AuthorAgent {
		its.before, its.gone = text.New(f.entire.held), true
		found = append(found, its)
	}
	f.history = append(slices.DeleteFunc(f.history, func(s agentStep) bool { return s.found }), found...)
	f.undos.changes++
}

// foundTurns are the turns of earlier runs that have left something undecided in rows.
func (c *Core) foundTurns(rows *review.Doc) (turns []foundTurn) {
	for _, h := range rows.Hunks(review.StatePending) {
		for _, o := range h.Origins {
			if o.Author != review.AuthorAgent || o.Session == "" || c.isLive(o.Session) {
				continue
			}
			i := slices.IndexFunc(turns, func(t foundTurn) bool { return t.session == o.Session && t.id == o.Turn })
			if i < 0 {
				i, turns = len(turns), append(turns, foundTurn{session: o.Session, id: o.Turn})
			}
			turns[i].changes = append(turns[i].changes, o.Change)
		}
	}
	return turns
}

// isAmong reports whether what was found says nothing that the steps kept do not: they have been written down
// before the last of the turn was, if acp-ls was killed then.
func (s agentStep) isAmong(kept []agentStep) bool {
	of := slices.DeleteFunc(slices.Clone(kept), func(k agentStep) bool { return !k.of(s.session, s.turn) })
	switch {
	case s.after.Equal(kept[len(kept)-1].after):
		return true
	case s.created: // of a rename, by the last turn that has changed anything of the file as a whole
		return slices.ContainsFunc(kept, func(k agentStep) bool { return k.created && k.session == s.session })
	case s.goes():
		return slices.ContainsFunc(kept, func(k agentStep) bool { return k.goes() && k.session == s.session })
	case len(of) == 0:
		return false
	}
	without, _, ok := without(of, s.after.String())
	if !ok {
		return true // what is undecided of it is rejected before
	}
	_, m := s.backwards(without)
	return len(m.Conflicts) == 0 && m.Text == without
}

// isLive reports whether a session is one of this run, whose steps are known.
func (c *Core) isLive(session string) bool {
	_, err := c.findSession(session)
	return err == nil
}

// order is negative for a turn that was before the one that has changed the file as a whole, 0 for that one, and
// positive for those after it, as which others count of which that is not known.
func (t foundTurn) order(by review.Origin) int {
	if t.session != by.Session {
		return 1
	}
	number := func(turn string) int {
		n, _ := strconv.Atoi(strings.TrimPrefix(turn, t.session+"."))
		return n
	}
	return number(t.id) - number(by.Turn)
}

// findMoves makes steps of the old names of files that an earlier run has left renamed, undecided.
func (c *Core) findMoves() {
	for _, f := range c.allFiles() {
		f.mu.Lock()
		old, steps := f.entire.from, f.undos.ofOldName
		f.mu.Unlock()
		if old == "" {
			continue
		}
		from := c.file(old)
		from.knowMoved(f.path)
		if len(steps) == 0 {
			continue
		}
		unlock := lockBoth(f, from)
		for _, s := range steps {
			if !slices.ContainsFunc(from.history, func(o agentStep) bool { return o.found && o.of(s.session, s.turn) && o.gone == s.gone }) {
				from.recordStep(s)
			}
		}
		f.undos.oldNames = []buffers.Path{from.path}
		unlock()
	}
}
