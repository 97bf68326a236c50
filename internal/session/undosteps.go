package session

import (
	"errors"
	"slices"
	"strings"

	"acp-ls/buffers/linediff"
	"acp-ls/buffers/text"
)

// What an agent has done to a file is kept for as long as it can be undone, which may be for long and
// of large files: the texts of the steps share what is the same in them, and when there are many
// steps those of a turn are joined. None is dropped without that undoing it says so.

// maxSteps bounds what is remembered of one file.
const maxSteps = 200

// shareFrom is the size from which on texts are made to share what is the same in them, in bytes.
// Below, they cost less than that does.
const shareFrom = 4 << 10

// errSteps says that a turn can be undone in part only.
var errSteps = errors.New("it was changed so often in this session that acp-ls does not know any more how it was before the turn: bring the rest back with git or a backup")

// recordStep notes a step; mu is held.
func (f *file) recordStep(s agentStep) {
	if n := len(f.history); n > 0 {
		s.before = sharing(f.history[n-1].after, s.before)
	}
	s.after = sharing(s.before, s.after)
	f.history = append(f.history, s)
	f.undos.changes++
	f.undos.whole = f.undos.whole || s.created || s.goes()
	if len(f.history) <= maxSteps {
		return
	}
	f.history = joinSteps(f.history)
	if n := len(f.history) - maxSteps; n > 0 {
		for _, s := range f.history[:n] {
			if !slices.ContainsFunc(f.dropped, func(o agentStep) bool { return o.session == s.session && o.turn == s.turn }) {
				f.dropped = append(f.dropped, agentStep{session: s.session, turn: s.turn, why: errSteps})
			}
		}
		f.history = slices.Delete(f.history, 0, n)
	}
}

// joinSteps makes one of each two steps of a turn, where there are others between them too, that
// others have not changed the same rows between.
func joinSteps(steps []agentStep) []agentStep {
	var out []agentStep
	for i := 0; i < len(steps); i++ {
		s := steps[i]
		if i+1 < len(steps) {
			if joined, ok := s.and(steps[i+1]); ok {
				s, i = joined, i+1
			}
		}
		out = append(out, s)
	}
	return out
}

// and is a step and the one after it as one, if that can be.
func (s agentStep) and(next agentStep) (agentStep, bool) {
	if s.session != next.session || s.turn != next.turn || s.gone || next.gone || next.created {
		return agentStep{}, false
	}
	joined := s
	joined.after, joined.hidden = next.after, s.hidden || next.hidden
	if !s.after.Equal(next.before) { // what others have done between is as if it had been done before
		before, _, ok := without([]agentStep{s}, next.before.String())
		if !ok {
			return agentStep{}, false
		}
		joined.before = sharing(s.before, text.New(before))
	}
	joined.between = slices.Concat(s.between, []text.Text{s.after, next.before}, next.between)
	if n := len(joined.between) - maxSteps; n > 0 {
		joined.between = slices.Delete(joined.between, 0, n)
	}
	return joined, true
}

// appendStep adds a step to others that are undone with it: what was in between need not come back.
func appendStep(steps []agentStep, s agentStep) []agentStep {
	if last := len(steps) - 1; last >= 0 && steps[last].after.Equal(s.before) {
		steps[last].between = append(slices.Clip(steps[last].between), s.before)
		steps[last].after = s.after
		return steps
	}
	return append(steps, s)
}

// forgetUndone drops the steps that is tells of, which are undone. Those after them are made what they
// would be if those had never been, where that can be said, if clean: undoing them too comes to what was
// before both, also where one had changed again what the other has changed.
func (f *file) forgetUndone(is func(agentStep) bool, clean bool) {
	type texts struct{ before, after text.Text }
	f.mu.Lock()
	history := slices.Clone(f.history)
	f.mu.Unlock()
	apart := map[texts]agentStep{}
	var undone []agentStep
	for _, s := range history {
		if is(s) {
			undone = appendStep(undone, s)
		} else if clean && len(undone) > 0 {
			apart[texts{s.before, s.after}] = s.apartFrom(undone)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.history = slices.DeleteFunc(f.history, is)
	f.undos.changes++
	for i, s := range f.history {
		if now, ok := apart[texts{s.before, s.after}]; ok && now.session == s.session && now.turn == s.turn {
			f.history[i] = now
		}
	}
	f.history = slices.DeleteFunc(f.history, func(s agentStep) bool { return !s.created && !s.gone && s.before.Equal(s.after) })
}

// apartFrom is a step as it would be without some before it; itself if that is for the user to settle.
func (s agentStep) apartFrom(undone []agentStep) agentStep {
	out := s
	out.between = nil
	for i, t := range slices.Concat([]text.Text{s.before, s.after}, s.between) {
		now, _, ok := without(undone, t.String())
		switch {
		case !ok && i < 2:
			return s
		case !ok:
		case i == 0:
			out.before = sharing(s.before, text.New(now))
		case i == 1:
			out.after = sharing(out.before, text.New(now))
		default:
			out.between = append(out.between, sharing(out.before, text.New(now)))
		}
	}
	return out
}

// sharing is t, made of what it has in common with base, of which it keeps the chunks.
func sharing(base, t text.Text) text.Text {
	if t.Len() < shareFrom || base.Len() < shareFrom {
		return t
	}
	if t.Equal(base) {
		return base
	}
	out, ok := applyKept(base, editsTo(base, t))
	if !ok {
		return t
	}
	return out
}

// editsTo are the edits that make t of base, from its start on.
func editsTo(base, t text.Text) []keptEdit {
	if t.Equal(base) {
		return nil
	}
	a, b := base.String(), t.String()
	start := 0
	for n := min(len(a), len(b)); start < n && a[start] == b[start]; {
		start++
	}
	start = strings.LastIndexByte(a[:start], '\n') + 1
	end := 0
	for n := min(len(a), len(b)) - start; end < n && a[len(a)-1-end] == b[len(b)-1-end]; {
		end++
	}
	if feed := strings.IndexByte(a[len(a)-end:], '\n'); feed >= 0 {
		end -= feed + 1
	} else {
		end = 0
	}
	was, is := strings.SplitAfter(a[start:len(a)-end], "\n"), strings.SplitAfter(b[start:len(b)-end], "\n")
	var edits []keptEdit
	at, row := start, 0
	for _, e := range linediff.Diff(was, is) {
		for ; row < e.A0; row++ {
			at += len(was[row])
		}
		from := at
		for ; row < e.A1; row++ {
			at += len(was[row])
		}
		edits = append(edits, keptEdit{from, at - from, []byte(strings.Join(is[e.B0:e.B1], ""))})
	}
	if out, ok := applyKept(base, edits); ok && out.Equal(t) {
		return edits
	}
	return []keptEdit{{0, len(a), []byte(b)}} // a row that ends otherwise, which the comparison leaves aside
}

// whatStays says why what was accepted of a session is not undone; empty: it is.
func (c *Core) whatStays(id string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	forgotten, ended := c.ended[id]
	switch {
	case ended && forgotten:
		return "what you had accepted of it when the session was closed stays: take that back with git or a backup"
	case ended, c.earlier.has(id), slices.ContainsFunc(c.sessions, func(s *session) bool { return s.id == id }):
		return ""
	}
	return "what you had accepted of it before acp-ls was started anew stays: take that back with git or a backup"
}

// forgetSteps drops what could be undone of sessions that are closed and of which nothing is
// undecided: they can be named no more.
func (c *Core) forgetSteps() {
	c.mu.Lock()
	over := map[string]bool{}
	for id, forgotten := range c.ended {
		if !forgotten {
			over[id] = true
		}
	}
	c.mu.Unlock()
	if len(over) == 0 {
		return
	}
	files := c.allFiles()
	for _, f := range files {
		f.mu.Lock()
		for _, h := range f.hunks() {
			for _, o := range h.Origins {
				delete(over, o.Session)
			}
		}
		if f.fileChange() != nil {
			delete(over, f.changeBy())
		}
		f.mu.Unlock()
	}
	if len(over) == 0 {
		return
	}
	for _, f := range files {
		f.mu.Lock()
		of := func(s agentStep) bool { return over[s.session] }
		n := len(f.history) + len(f.dropped) + len(f.wholes)
		f.history = slices.DeleteFunc(f.history, of)
		f.dropped = slices.DeleteFunc(f.dropped, of)
		f.wholes = slices.DeleteFunc(f.wholes, func(w wholeStep) bool { return over[w.by.Session] })
		if len(f.history)+len(f.dropped)+len(f.wholes) < n {
			f.undos.changes++
		}
		f.mu.Unlock()
	}
	c.mu.Lock()
	for id := range over {
		c.ended[id] = true
	}
	c.mu.Unlock()
	c.keepUndone()
}
