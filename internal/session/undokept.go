package session

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
	"acp-ls/internal/review/journal"
)

// When the record of what can be undone of a file is written, and what becomes of those of earlier runs:
// they stay as they are until somebody undoes something, or more is accepted.

// stepsHere is what the file's owner knows of the record of its steps; the file's mu guards it.
type stepsHere struct {
	changes  int              // how often the steps have changed
	kept     int              // and how often they had when that was written
	size     int              // of what was
	accepted bool             // something was, so that they are to be kept
	whole    bool             // the file was made, renamed or taken away: no row tells in a later run who did what when
	earlier  []journal.Record // of earlier runs, that nobody has looked at, the latest first

	oldNames  []buffers.Path // that it has had: what is undone here is undone there too
	ofOldName []agentStep    // what findSteps has found for the name that the file had
}

// toKeep reports whether there are steps to be written down; mu is held.
func (s *stepsHere) toKeep() bool { return (s.accepted || s.whole) && s.changes != s.kept }

// accept notes that something is accepted; mu is held.
func (s *stepsHere) accept() {
	if !s.accepted {
		s.accepted = true
		s.changes++
	}
}

// keepSteps writes down what can be undone of the file, before what is decided now; pen is held. It reports
// whether there was anything to write.
func (f *file) keepSteps() bool {
	f.mu.Lock()
	if !f.undos.toKeep() {
		f.mu.Unlock()
		return false
	}
	f.recallSteps()
	n, had := f.undos.changes, f.undos.size
	history, wholes, dropped := slices.Clone(f.history), slices.Clone(f.wholes), slices.Clone(f.dropped)
	names, accepted := slices.Clone(f.undos.oldNames), f.undos.accepted
	f.mu.Unlock()
	r := journal.Record{Path: journal.AcceptedOf(string(f.path)), Time: f.core.now()}
	size := 0
	if len(history)+len(wholes)+len(dropped) > 0 {
		most := maxKeptAll
		if !accepted { // there is to be room for what will be
			most /= 2
		}
		k := keepSteps(history, wholes, dropped, f.unkept(), maxKeptSteps, most-int(f.core.keptSteps.Load())+had)
		if k.Undecided = !accepted; k.Undecided { // of what there was no room for, its state has all that there is to undo
			k.Dropped = k.Dropped[:min(len(k.Dropped), len(dropped))]
		}
		if k.Sessions, k.OldNames = f.core.sessionsIn(k), names; len(k.Sessions) > 0 {
			r.Beside = k.encode()
			size = len(r.Beside)
		}
	}
	written := size+had > 0
	if written && !f.core.durable.write(false, r) {
		return false
	}
	f.mu.Lock()
	f.core.keptSteps.Add(int64(size - f.undos.size))
	f.undos.kept, f.undos.size = n, size
	if size == 0 && f.undos.changes == n {
		f.undos.accepted, f.undos.whole = false, false
	}
	f.mu.Unlock()
	return written
}

// keepAccepted writes down what can be undone of the file before something is accepted of it, or as that was, with
// that of the files whose names it has had. It is on the disk with the next record that must be.
func (f *file) keepAccepted() {
	for _, g := range f.withOldNames(nil) {
		g.mu.Lock()
		g.undos.accept()
		g.mu.Unlock()
		if f.core.durable.usable() {
			g.kept.pen <- struct{}{}
			g.keepSteps()
			<-g.kept.pen
		}
	}
}

// withOldNames adds to files this one and those of the names that it has had.
func (f *file) withOldNames(files []*file) []*file {
	if slices.Contains(files, f) {
		return files
	}
	files = append(files, f)
	f.mu.Lock()
	old := slices.Clone(f.undos.oldNames)
	f.mu.Unlock()
	for _, name := range old {
		files = f.core.file(name).withOldNames(files)
	}
	return files
}

// keepUndone writes down what can be undone where that has become less.
func (c *Core) keepUndone() {
	for _, f := range c.allFiles() {
		f.mu.Lock()
		news := f.undos.toKeep()
		f.mu.Unlock()
		if news {
			f.keep(true)
		}
	}
}

// sessionsIn are the sessions of which k tells, as far as it is known which ones of their agents they are.
func (c *Core) sessionsIn(k *keptSteps) map[string]keptSession {
	out := map[string]keptSession{}
	for _, s := range k.Steps {
		c.noteSession(out, s.Session)
	}
	for _, w := range k.Wholes {
		c.noteSession(out, w.By.Session)
	}
	for _, t := range k.Dropped {
		c.noteSession(out, t.Session)
	}
	return out
}

// sessionsOf are those whose agents have made hunks, or have done something to the file as a whole.
func (c *Core) sessionsOf(hunks []review.Hunk, whole *keptBy) map[string]keptSession {
	out := map[string]keptSession{}
	for _, h := range hunks {
		for _, o := range h.Origins {
			if o.Session != "" {
				c.noteSession(out, o.Session)
			}
		}
	}
	c.noteSessions(out, whole)
	return out
}

func (c *Core) noteSession(in map[string]keptSession, id string) {
	if _, ok := in[id]; ok {
		return
	}
	if s, err := c.findSession(id); err == nil {
		s.mu.Lock()
		in[id] = s.kept()
		s.mu.Unlock()
		return
	}
	in[id] = c.earlier.session(id)
}

// takeSteps takes up what earlier runs have accepted, as it is. It returns the other entries.
func (d *durable) takeSteps(entries []journal.Entry) (others []journal.Entry) {
	for _, e := range entries {
		path, ok := e.Last.AcceptedIn()
		if !ok {
			others = append(others, e)
			continue
		}
		if d.core.now().Sub(e.Last.Time) > keepRejected {
			continue
		}
		f := d.core.file(buffers.Path(path))
		f.mu.Lock()
		f.undos.earlier = append(f.undos.earlier, e.Last)
		f.undos.size += len(e.Last.Beside)
		d.core.keptSteps.Add(int64(len(e.Last.Beside)))
		several := len(f.undos.earlier) > 1 || f.undos.accepted || f.undos.whole
		f.undos.whole = true
		if several {
			f.undos.changes++
		}
		f.mu.Unlock()
		if !several {
			d.write(false, e.Last)
			continue
		}
		f.keep(false) // together with the others
	}
	return others
}

// earlierSessions are those of earlier runs that have written down what was accepted of them.
type earlierSessions struct {
	mu sync.Mutex
	by map[string]keptSession
}

func (e *earlierSessions) note(of map[string]keptSession) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.by == nil {
		e.by = map[string]keptSession{}
	}
	for id, s := range of {
		if had := e.by[id]; had.SessionID == "" || s.SessionID != "" && !s.Time.Before(had.Time) {
			e.by[id] = s
		}
	}
}

func (e *earlierSessions) session(id string) keptSession {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.by[id]
}

func (e *earlierSessions) has(id string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, ok := e.by[id]
	return ok
}

// names are the ids that a session of an agent had in earlier runs.
func (e *earlierSessions) names(agent, sessionID string) (ids []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for id, o := range e.by {
		if sessionID != "" && o.Agent == agent && o.SessionID == sessionID {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// namesOf are those that a session, which its agent has opened again, had in earlier runs.
func (c *Core) namesOf(session string) []string {
	s, err := c.findSession(session)
	if err != nil {
		return nil
	}
	s.mu.Lock()
	of := s.reopened
	s.mu.Unlock()
	return c.earlier.names(s.agentName, of)
}

// undoMore adds to what was undone what some sessions have changed, or a turn of them.
func (c *Core) undoMore(ctx context.Context, sessions []string, turn string, out Decision) (Decision, error) {
	for _, id := range sessions {
		more, err := c.undo(ctx, id, turn)
		if err != nil {
			return out, err
		}
		out.Decided, out.Refused = append(out.Decided, more.Decided...), append(out.Refused, more.Refused...)
		for _, now := range more.Files {
			out.Files = append(slices.DeleteFunc(out.Files, func(r Review) bool { return r.Path == now.Path }), now)
		}
	}
	return out, nil
}

// recallSteps makes what earlier runs have kept steps of the file; mu is held.
func (f *file) recallSteps() {
	earlier := f.undos.earlier
	f.undos.earlier = nil
	slices.SortStableFunc(earlier, func(a, b journal.Record) int { return b.Time.Compare(a.Time) })
	var history, dropped []agentStep
	var wholes []wholeStep
	told := map[string]bool{} // by a later record
	var names []buffers.Path
	for _, r := range earlier {
		k, steps, were, err := readSteps(r.Beside)
		if err != nil {
			f.core.log.Warn("take up what can be undone of an earlier run", "path", f.path, "err", err)
			continue
		}
		history = append(slices.DeleteFunc(steps, func(s agentStep) bool { return told[s.session] }), history...)
		wholes = append(slices.DeleteFunc(were, func(w wholeStep) bool { return told[w.by.Session] }), wholes...)
		for _, t := range k.Dropped {
			if !told[t.Session] {
				dropped = append(dropped, t.step())
			}
		}
		for id := range k.Sessions {
			told[id] = true
		}
		f.core.earlier.note(k.Sessions)
		f.undos.accepted = f.undos.accepted || !k.Undecided
		if len(names) == 0 {
			names = k.OldNames
		}
	}
	if len(names) > 0 {
		f.undos.oldNames = names
	}
	if len(history) > 0 {
		f.history = slices.DeleteFunc(f.history, func(s agentStep) bool { return s.found && s.isAmong(history) })
	}
	f.history = append(history, f.history...)
	f.wholes = append(wholes, f.wholes...)
	f.dropped = append(dropped, f.dropped...)
}

func readSteps(b []byte) (k keptSteps, history []agentStep, wholes []wholeStep, err error) {
	if err = json.Unmarshal(b, &k); err != nil {
		return k, nil, nil, err
	}
	if history, err = k.steps(); err != nil {
		return k, nil, nil, err
	}
	for _, kept := range k.Wholes {
		w, err := kept.whole()
		if err != nil {
			return k, nil, nil, err
		}
		wholes = append(wholes, w)
	}
	return k, history, wholes, nil
}

// recallSteps makes what earlier runs have kept steps of all files.
func (c *Core) recallSteps() {
	for _, f := range c.allFiles() {
		f.mu.Lock()
		f.recallSteps()
		f.mu.Unlock()
	}
}

// stepsGoTo makes the steps of a file that has another name now those of that; the mutexes of both are held.
func (f *file) stepsGoTo(to *file) {
	f.recallSteps()
	to.recallSteps()
	to.history, f.history = append(f.history, to.history...), nil
	to.wholes, f.wholes = append(f.wholes, to.wholes...), nil
	to.dropped, f.dropped = append(f.dropped, to.dropped...), nil
	to.undos.oldNames, f.undos.oldNames = slices.Concat(to.undos.oldNames, f.undos.oldNames), nil
	f.undos.changes++
	to.undos.changes++
	to.undos.accepted, to.undos.whole = to.undos.accepted || f.undos.accepted, to.undos.whole || f.undos.whole
}

// stepGone makes the step that has taken the file's rows away one that has taken the file away, as its
// document has them all; mu is held.
func (f *file) stepGone() {
	by := f.entire.by
	f.recallSteps()
	for i, s := range slices.Backward(f.history) {
		if s.of(by.Session, by.Turn) && !s.created && s.after.Len() == 0 {
			f.history[i] = agentStep{session: s.session, turn: s.turn, before: text.New(f.entire.held), gone: true, found: s.found}
			f.undos.changes++
			return
		}
	}
}
