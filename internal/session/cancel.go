package session

import (
	"context"
	"slices"
	"strings"
	"time"
)

// Cancel cancels the session's running turn, or takes back a prompt that waits
// for its session to start. If none does, or the user was told that the agent does
// not answer, it ends the start. It does not wait for the agent.
func (c *Core) Cancel(_ context.Context, id string) error {
	s, err := c.findSession(id)
	if err != nil {
		return err
	}
	s.mu.Lock()
	switch {
	case s.running != nil:
		s.cancelRunning()
	case s.giveUp != nil && (len(s.queue) == 0 || s.silent != nil && s.silent.item != nil):
		s.stopStart()
	case len(s.queue) > 0: // the session is still starting
		s.takeBack(s.queue[0], "you stopped it before "+s.agentName+" was ready")
	}
	t := s.running
	s.mu.Unlock()
	if t == nil {
		s.core.broker.cancel(s)
	} else {
		s.core.broker.cancelTurn(s, t, false)
	}
	return nil
}

// cancelTurn cancels t wherever it stands.
func (s *session) cancelTurn(t *turn) {
	s.mu.Lock()
	if s.running == t {
		s.cancelRunning()
		s.mu.Unlock()
		s.core.broker.cancelTurn(s, t, false)
		return
	}
	if slices.Contains(s.queue, t) {
		s.takeBack(t, "you stopped it while it waited")
	}
	s.mu.Unlock()
}

// takeBack takes a prompt out of the queue that is not to be sent; mu is held.
func (s *session) takeBack(t *turn, why string) {
	s.queue = slices.DeleteFunc(s.queue, func(o *turn) bool { return o == t })
	s.unsent(t, why)
	t.stop = StopCancelled
	close(t.done)
	s.changed()
}

// unsent keeps the words of a prompt that the agent never gets where the user can
// find them; mu is held.
func (s *session) unsent(t *turn, why string) {
	s.entryChanged(s.log.add(EntryUser, t.id, t.prompt.Text))
	s.entryChanged(s.log.add(EntryNotice, t.id, "not sent: "+why))
	s.report(t, "not sent", true)
}

// giveBack is the same of a prompt that the user has not taken back, which editors with
// an input put there again; mu is held.
func (s *session) giveBack(t *turn, why string) {
	s.unsent(t, why)
	s.unsents = append(s.unsents, Queued{ID: t.id, Text: t.prompt.Text})
}

// stopped says how a turn came to its end as cancelled; mu is held.
func (t *turn) stopped(agent string) string {
	switch {
	case !t.cancelled:
		return "stopped: " + agent + " says that the turn was cancelled"
	case !t.sent:
		return "not sent: you stopped it before " + agent + " got it"
	case t.replaced:
		return "stopped: the next prompt was to be sent at once"
	}
	return "stopped: you cancelled the turn"
}

// mayRun reports whether a tool call that its agent has left open is a command of
// which nobody knows whether it has ended: one that has begun, and that the user was
// not asked about or has allowed. mu is held.
func (s *session) mayRun(it *item) bool {
	if it.Tool.Kind != "execute" || it.Tool.Status != "in_progress" || it.asked > 0 || it.refused || it.exited {
		return false
	}
	return !slices.ContainsFunc(it.Tool.Content, func(c ToolContent) bool {
		r := s.ran[c.Terminal]
		return r != nil && r.exit != nil
	})
}

// called is a tool call's command, or its title, as one name among others.
func (c *ToolCall) called() string {
	name := c.Command
	if name == "" {
		name = c.Title
	}
	return "`" + shorten(firstLine(strings.TrimSpace(name)), 60) + "`"
}

// mayGoOn says that commands may outlive their turn: some agents end it at once
// and let them run (docs/agents.md), and nobody but the agent can end them one by one.
func mayGoOn(agent string, commands []string) string {
	return agent + " has not said that " + strings.Join(commands, ", ") + " ended, and it may go on: restarting " + agent + " ends it for good"
}

// cancelRunning asks the agent to stop; mu is held. The turn ends when the
// agent says so, and its updates are taken until then (ACP prompt-turn).
func (s *session) cancelRunning() {
	if s.running.cancelled {
		return
	}
	s.running.cancelled = true
	s.running.noMore()
	s.changed()
	s.report(s.running, "stopping", false)
	p, remote := s.proc, s.remote
	if p == nil {
		return
	}
	t := s.running
	s.core.spawn(func() { s.insist(p, remote, t) })
}

// insist tells the agent to cancel until the turn ends, and at last tells the
// user what can be done about an agent that does not listen.
func (s *session) insist(p *agentProcess, remote string, t *turn) {
	for i, wait := range s.core.waits.CancelAgain {
		s.core.broker.cancelTurn(s, t, false)
		if err := p.agent.Cancel(remote); err != nil {
			s.core.log.Warn("cancel", "session", s.id, "err", err)
		}
		if i == 0 {
			close(t.told)
		}
		timer := time.NewTimer(wait)
		select {
		case <-t.done:
			timer.Stop()
			return
		case <-s.core.ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == t {
		s.offerRestart(t.id, s.agentName+" was told to stop and goes on: restarting "+s.agentName+" ends it for good")
	}
}

// offerRestart tells of what only a restart of the agent ends. Which way that is done
// is the editor's to say; mu is held.
func (s *session) offerRestart(turnID, text string) {
	it := s.log.add(EntryNotice, turnID, text)
	it.Restart = s.agentName
	s.entryChanged(it)
}

// endOffers takes back what a restart was offered for, as it has ended: in a turn, or
// in all; mu is held.
func (s *session) endOffers(of func(turnID string) bool) {
	for _, it := range s.log.items {
		if it.Restart != "" && of(it.Turn) {
			it.Restart = ""
			s.entryChanged(it)
		}
	}
}

// afterCancel waits, if the running turn is being cancelled, until the agent has
// been told so: the answer to a question must not come first, or Qwen goes on
// with its turn and ends it as if nothing had happened.
func (s *session) afterCancel(ctx context.Context) {
	s.mu.Lock()
	t := s.running
	wait := t != nil && t.cancelled && s.proc != nil
	s.mu.Unlock()
	if !wait {
		return
	}
	select {
	case <-t.told:
	case <-t.done:
	case <-ctx.Done():
	}
}
