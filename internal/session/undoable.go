package session

import (
	"cmp"
	"context"
	"slices"
	"time"

	"acp-ls/internal/review"
)

// A session of an earlier run can be undone though its agent cannot open it again, and has no name then
// that the user would know. So those that can are listed, with what the journal has kept of them.

// Undoable is a session that has changed what can still be taken back.
type Undoable struct {
	Session string `json:"session"`
	Agent   string `json:"agent"`
	// Title is that of the session or else its first prompt.
	Title string `json:"title"`
	// Time is when its last turn began, in milliseconds since 1970; not known of what an older acp-ls has kept.
	Time  int64  `json:"time,omitempty"`
	Files int    `json:"files"`
	Turn  string `json:"turn,omitempty"`  // that runs
	Ended bool   `json:"ended,omitempty"` // it is of an earlier run, or was closed
}

// Undoable lists the sessions that have changed what can still be taken back, the last first. One that its agent
// has opened again stands for what it was in earlier runs.
func (c *Core) Undoable(ctx context.Context) ([]Undoable, error) {
	if err := c.durable.wait(ctx); err != nil {
		return nil, err
	}
	c.durable.neighbours(ctx)
	c.recallSteps()
	changed := map[string]map[*file]bool{}
	agents := map[string]string{}
	for _, f := range c.allFiles() {
		for id, agent := range f.changedBy() {
			if changed[id] == nil {
				changed[id] = map[*file]bool{}
			}
			changed[id][f] = true
			agents[id] = cmp.Or(agents[id], agent)
		}
	}
	out := []Undoable{}
	for _, s := range slices.Backward(c.allSessions()) {
		s.mu.Lock()
		i, kept := s.info(), s.kept()
		s.mu.Unlock()
		files := changed[s.id]
		delete(changed, s.id)
		for _, id := range c.namesOf(s.id) {
			kept = kept.or(c.earlier.session(id))
			for f := range changed[id] {
				if files == nil {
					files = map[*file]bool{}
				}
				files[f] = true
			}
			delete(changed, id)
		}
		if len(files) > 0 {
			out = append(out, kept.undoable(Undoable{Session: s.id, Turn: i.Turn, Files: len(files)}))
		}
	}
	for id, files := range changed {
		of := c.earlier.session(id)
		of.Agent = cmp.Or(of.Agent, agents[id])
		out = append(out, of.undoable(Undoable{Session: id, Files: len(files), Ended: true}))
	}
	slices.SortStableFunc(out, func(a, b Undoable) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Session, b.Session))
	})
	return out, nil
}

// undoable is u with what is kept of the session.
func (k keptSession) undoable(u Undoable) Undoable {
	u.Agent, u.Title = k.Agent, cmp.Or(k.Title, "a session without a title")
	if !k.Time.IsZero() {
		u.Time = k.Time.UnixMilli()
	}
	return u
}

// or is k, or what it was before where k knows nothing.
func (k keptSession) or(before keptSession) keptSession {
	k.Title = cmp.Or(k.Title, before.Title)
	if k.Time.Before(before.Time) {
		k.Time = before.Time
	}
	return k
}

// kept is what the journal has of the session; mu is held.
func (s *session) kept() keptSession {
	return keptSession{Agent: s.agentName, SessionID: s.remote, Title: s.title, Time: s.began[s.lastSent].Truncate(time.Millisecond)}
}

// changedBy are the sessions whose agents have changed in the file what can be taken back, with the agents where
// that stands there.
func (f *file) changedBy() map[string]string {
	out := map[string]string{}
	by := func(o review.Origin) {
		if o.Author == review.AuthorAgent && o.Session != "" {
			out[o.Session] = cmp.Or(out[o.Session], o.Agent)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.history {
		by(review.Origin{Author: review.AuthorAgent, Session: s.session})
	}
	for _, w := range f.wholes {
		by(w.by)
	}
	if f.fileChange() != nil {
		by(f.entire.by)
		for _, l := range f.entire.later {
			by(l.by)
		}
	}
	for _, h := range f.hunks() {
		if h.State != review.StateProposed {
			for _, o := range h.Origins {
				by(o)
			}
		}
	}
	return out
}
