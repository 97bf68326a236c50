package session

import (
	"fmt"
	"time"
)

// An agent that gives no sign of life is not told from one that works, so the
// user is told what it was asked, and when, and what can be done; when it comes
// round, how long it took.

// asking is what an agent is asked.
type asking int

const (
	askedInitialize asking = iota // it was started
	askedSession
	askedPrompt
)

// silence is a request an agent has given no sign of having heard; it is guarded
// by its session's mutex.
type silence struct {
	what  asking
	since time.Time
	after time.Duration // it begins that the user is told next
	timer *time.Timer
	item  *item // the notice, once the user was told
}

// ask asks the agent something by calling request.
func (s *session) ask(what asking, request func() error) error {
	q := &silence{what: what, since: s.core.now(), after: s.core.waits.Silence}
	if what == askedInitialize {
		q.after = s.core.waits.Starting
	}
	s.mu.Lock()
	s.silent = q
	q.timer = time.AfterFunc(q.after, func() { s.tellSilence(q) })
	s.mu.Unlock()
	err := request()
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.silent != q: // there was a sign before
	case err == nil:
		s.heard()
	default: // which says enough
		s.silent = nil
		q.timer.Stop()
	}
	return err
}

// heard ends the silence; mu is held.
func (s *session) heard() {
	q := s.silent
	if q == nil {
		return
	}
	s.silent = nil
	q.timer.Stop()
	if q.item == nil {
		return
	}
	q.item.Restart = ""
	q.item.text = fmt.Appendf(nil, "%s took %s %s", s.agentName, s.core.now().Sub(q.since).Round(time.Second), q.what.took())
	s.entryChanged(q.item)
	if s.running != nil {
		s.report(s.running, "", false)
	}
}

// tellSilence says for how long there was no sign, and again whenever that has doubled.
func (s *session) tellSilence(q *silence) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.silent != q || s.state == StateClosed {
		return
	}
	t := s.running
	if t == nil && len(s.queue) > 0 {
		t = s.queue[0]
	}
	turnID := ""
	if t != nil {
		turnID = t.id
	}
	short := fmt.Sprintf("%s has not answered for %s (since %s)", s.agentName, s.core.now().Sub(q.since).Round(time.Second), q.since.Format(time.TimeOnly))
	if q.item == nil {
		q.item = s.log.add(EntryNotice, turnID, "")
	}
	q.item.text = []byte(short + ": " + q.what.help())
	if q.what == askedPrompt {
		q.item.Restart = s.agentName
	}
	s.entryChanged(q.item)
	q.timer.Reset(q.after)
	q.after *= 2
	if t != nil {
		s.report(t, short, false)
	}
}

// help says what was asked, and what the user can do.
func (a asking) help() string {
	switch a {
	case askedInitialize:
		return "it was started (initialize), and may still be loading, or being fetched. You can wait, or stop the agent; the log has what it writes"
	case askedSession:
		return "it was asked for the session, and may be busy, or waiting for a login. You can wait, or stop the agent; the log has what it writes"
	}
	return "it got the prompt, and may be thinking, or have no connection. You can wait, stop the turn, or restart the agent"
}

func (a asking) took() string {
	switch a {
	case askedInitialize:
		return "to start"
	case askedSession:
		return "to open the session"
	}
	return "for the first sign of an answer"
}
