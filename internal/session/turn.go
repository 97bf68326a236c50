package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Prompt queues a prompt and returns as soon as it stands in its session's
// queue, or, with Wait, when its turn has ended. Ending ctx while waiting
// cancels the turn.
func (c *Core) Prompt(ctx context.Context, r Prompt) (PromptResult, error) {
	if strings.TrimSpace(r.Text) == "" && len(r.Context) == 0 && r.Selection == nil && len(r.Images) == 0 {
		return PromptResult{}, Errorf(KindInvalid, "the prompt is empty")
	}
	switch r.When {
	case "", "queue", "now":
	default:
		return PromptResult{}, Errorf(KindInvalid, `when is %q; it is "queue" or "now"`, r.When)
	}
	s, err := c.promptSession(ctx, r)
	if err != nil {
		return PromptResult{}, err
	}
	r.Context = c.pin(r.Context)
	if r.Selection != nil {
		pinned := c.pin([]Span{*r.Selection})
		r.Selection = &pinned[0]
	}
	t, err := s.enqueue(r)
	if err != nil {
		return PromptResult{}, err
	}
	placed(ctx)
	res := PromptResult{Session: s.id, Turn: t.id}
	if !r.Wait {
		return res, nil
	}
	select {
	case <-t.done:
	case <-ctx.Done():
		s.cancelTurn(t)
		<-t.done
	}
	res.StopReason = t.stop
	return res, t.err
}

// promptSession finds the session of a prompt: the one named, else the newest
// one that can take it, else a new one.
func (c *Core) promptSession(ctx context.Context, r Prompt) (*session, error) {
	if r.Session != "" {
		return c.findSession(r.Session)
	}
	c.choosing.Lock() // two that come at once are not to make a session each
	defer c.choosing.Unlock()
	if s := c.newestFor(r.Agent); s != nil {
		return s, nil
	}
	s, err := c.newSession(r.Agent, c.folderFor(ctx, "", false, r.spans()), nil)
	if err != nil {
		return nil, err
	}
	c.spawn(func() { s.start("") })
	return s, nil
}

// newestFor is the newest session that a prompt can go to, of any agent if none is named;
// nil if there is none.
func (c *Core) newestFor(agent string) *session {
	for _, s := range slices.Backward(c.allSessions()) {
		s.mu.Lock()
		// One that has failed after it had begun goes on with its next prompt.
		usable := s.state != StateClosed && (s.begun || s.state != StateFailed) && (agent == "" || agent == s.agentName)
		s.mu.Unlock()
		if usable {
			return s
		}
	}
	return nil
}

// PromptAgent is the agent that a prompt which names neither it nor a session would reach now.
func (c *Core) PromptAgent() string {
	if s := c.newestFor(""); s != nil {
		return s.agentName
	}
	return c.settings().DefaultAgent
}

func (s *session) enqueue(r Prompt) (*turn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ending {
		return nil, Errorf(KindUnknownSession, "session %s is closed", s.id)
	}
	s.turns++
	t := &turn{id: fmt.Sprintf("%s.%d", s.id, s.turns), prompt: r, done: make(chan struct{}), told: make(chan struct{})}
	if r.When == "now" {
		i := slices.IndexFunc(s.queue, func(o *turn) bool { return o.prompt.When != "now" })
		if i < 0 {
			i = len(s.queue)
		}
		s.queue = slices.Insert(s.queue, i, t) // those of the same haste keep their order
		if s.running != nil {
			s.running.replaced = !s.running.cancelled
			s.cancelRunning()
		}
	} else {
		s.queue = append(s.queue, t)
	}
	if s.state == StateFailed { // its agent is gone: take the session up again
		s.state, s.errText, s.errKind = StateStarting, "", ""
		s.opened = make(chan struct{})
		s.core.spawn(s.revive)
	}
	if s.state == StateStarting && s.queue[0] == t {
		s.report(t, "starting", false)
	}
	s.changed()
	s.pump()
	return t, nil
}

// revive takes a failed session up again: with the agent's own record of it
// where there is one, else as a new conversation, and says so.
func (s *session) revive() {
	ctx := s.starts()
	remote := s.remoteID()
	s.mu.Lock()
	unloaded := s.unloaded
	s.mu.Unlock()
	p, err := s.agent(ctx)
	if err == nil && unloaded != "" {
		err = s.open(ctx, unloaded)
	} else if err == nil && remote != "" && p.agent.Info().Reopens() {
		err = s.reload(ctx, p, remote)
	} else if err == nil {
		if err = s.open(ctx, ""); err == nil && remote != "" {
			s.notice("", EntryNotice, fmt.Sprintf("%s was started anew and does not remember what was said before", s.agentName))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	err = s.started(ctx, err)
	if s.state != StateStarting {
		return
	}
	if err != nil {
		s.fail(err)
	} else {
		s.state, s.begun, s.unloaded = StateIdle, true, ""
	}
	close(s.opened)
	s.changed()
	s.pump()
}

// reload loads the agent's record of a session whose transcript is here
// already: what the agent replays of it is not shown again.
func (s *session) reload(ctx context.Context, p *agentProcess, remote string) error {
	var st SessionState
	err := s.ask(askedSession, func() (err error) {
		st, err = p.agent.LoadSession(ctx, remote, s.params(p))
		return err
	})
	if err != nil {
		return s.open(ctx, "")
	}
	p.adopt(s, remote)
	s.mu.Lock()
	if st.Options != nil {
		s.options = st.Options
	}
	s.mu.Unlock()
	return nil
}

// pump starts the next turn if none runs; mu is held.
func (s *session) pump() {
	if s.state != StateIdle || s.running != nil || s.proc == nil {
		return
	}
	if s.proc.closing.Load() {
		return // what waits is given back with its end
	}
	if len(s.queue) == 0 {
		s.core.spawn(s.prepare)
		return
	}
	t := s.queue[0]
	s.queue = s.queue[1:]
	t.asking, t.noMore = context.WithCancel(s.core.ctx)
	if s.running = t; s.began == nil {
		s.began = map[string]time.Time{}
	}
	s.began[t.id] = time.Now()
	s.core.made.begins(s.id, t.id, s.began[t.id], s.roots())
	s.named, s.toName = nil, nil
	s.unsents = nil
	s.state, s.stop = StateRunning, ""
	it := s.log.add(EntryUser, t.id, t.prompt.Text)
	s.entryChanged(it)
	if s.title == "" {
		s.title = shorten(firstLine(strings.TrimSpace(t.prompt.Text)), 60)
	}
	s.changed()
	p, remote := s.proc, s.remote
	s.core.spawn(func() { s.run(p, remote, t) })
}

func shorten(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return strings.TrimSpace(string(r[:n-1])) + "…"
}

// run does one turn.
func (s *session) run(p *agentProcess, remote string, t *turn) {
	s.report(t, "", false)
	ended := s.core.elsewhere.began(s)
	s.core.turnStart(s, t)
	stop, err := s.promptAgent(p, remote, t)
	s.mu.Lock()
	t.over = true
	s.mu.Unlock()
	t.noMore()
	t.readying.Wait()
	for _, q := range s.core.broker.cancelTurn(s, t, true) {
		<-q.gone // with what it showed
	}
	s.core.lastPoint(s, t)
	ended()
	s.core.durable.beforeCopies().end(s)
	s.core.durable.neighbours(s.core.ctx)
	s.core.forgetApproved(s.id)
	if err != nil {
		p.awaitFailure() // the whole session has failed then, and says so once
	}

	s.mu.Lock()
	if t.cancelled && err != nil && s.proc != nil {
		// Some agents answer a cancelled prompt with an error (ACP prompt-turn
		// asks for the stop reason); the user wanted it to stop and it has.
		s.core.log.Debug("cancelled prompt", "session", s.id, "err", err)
		stop, err = StopCancelled, nil
	}
	s.showAllRan()
	var loose []string
	for _, it := range s.log.openTools() {
		if s.runsYet(it.Tool.ID) {
			continue // it goes on
		}
		if stop == StopCancelled && s.mayRun(it) {
			loose = append(loose, it.Tool.called())
		}
		it.Tool.Status = "failed"
		if stop == StopCancelled {
			it.Tool.Status = "cancelled"
		}
		s.entryChanged(it)
	}
	t.stop, t.err = stop, agentError(err)
	s.running, s.consented = nil, nil
	s.endOffers(func(turnID string) bool { return turnID == t.id })
	if s.state == StateRunning {
		s.state = StateIdle
		s.stop = stop
		switch {
		case err != nil:
			s.entryChanged(s.log.add(EntryError, t.id, err.Error()))
		case stop == StopCancelled:
			s.entryChanged(s.log.add(EntryNotice, t.id, t.stopped(s.agentName)))
			if len(loose) > 0 {
				s.offerRestart(t.id, mayGoOn(s.agentName, loose))
			}
		case stop != "end_turn":
			s.entryChanged(s.log.add(EntryNotice, t.id, stopText(stop)))
		}
	}
	if n := len(s.log.items); n > 0 {
		s.log.items[n-1].closed = true
	}
	s.changed()
	close(t.done)
	s.pump()
	s.mu.Unlock()
	s.report(t, string(stop), true)
}

func (s *session) promptAgent(p *agentProcess, remote string, t *turn) (StopReason, error) {
	s.beginTelling()
	defer s.notTold() // unless the agent has it
	blocks, err := s.blocks(s.core.ctx, p.agent.Info(), t)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	if t.cancelled { // before the agent ever saw it
		s.mu.Unlock()
		return StopCancelled, nil
	}
	t.sent, s.lastSent = true, t.id
	s.mu.Unlock()
	var stop StopReason
	err = s.ask(askedPrompt, func() (err error) {
		stop, err = p.agent.Prompt(s.core.ctx, remote, blocks)
		return err
	})
	if err == nil && stop != StopCancelled { // some agents take back what was cancelled before they had begun
		s.mu.Lock()
		s.hasPrompt()
		s.mu.Unlock()
	}
	return stop, err
}

func stopText(r StopReason) string {
	switch r {
	case "max_tokens":
		return "the agent stopped: its answer reached the limit of tokens"
	case "max_turn_requests":
		return "the agent stopped: the turn reached the limit of model requests"
	case "refusal":
		return "the agent refuses to go on"
	}
	return "the agent stopped: " + string(r)
}

// report tells editors that know no sessions how a turn goes.
func (s *session) report(t *turn, message string, end bool) {
	p := TurnProgress{Session: s.id, Turn: t.id, Title: s.agentName, Message: message, End: end}
	for _, a := range s.core.attached() {
		a.editor.Turn(p)
	}
}

// progress reports a tool call as what the turn does now; mu is held.
func (s *session) progress(p ToolPatch) {
	if s.running == nil || p.Title == nil {
		return
	}
	s.report(s.running, *p.Title, false)
}

// permissionCall takes in the tool call of a question and returns how it now
// stands; t is the turn it is asked in, if any.
func (s *session) permissionCall(p ToolPatch) (call ToolCall, raw []byte, t *turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	turnID := ""
	t = s.running
	if t != nil {
		turnID = t.id
	}
	it := s.log.tool(turnID, p)
	it.asked++
	s.entryChanged(it)
	s.name(it, p)
	s.touched(p)
	if raw = it.raw; raw == nil { // it had ended, as far as its agent has said
		raw = slices.Clone(p.RawInput)
	}
	return *it.entry().Tool, raw, t
}

// permissionAnswered takes in that a question about a tool call is answered, or is not to be any more.
func (s *session) permissionAnswered(call string, options []PermissionOption, o PermissionOutcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	it := s.log.tools[call]
	if it == nil {
		return
	}
	it.asked--
	it.refused = o.Cancelled || !slices.ContainsFunc(options, func(p PermissionOption) bool {
		return p.OptionID == o.OptionID && strings.HasPrefix(p.Kind, "allow")
	})
}

func (s *session) now() *turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running
}

// tooLate says that nothing is to be asked in a turn any more.
func (s *session) tooLate(t *turn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return t.ending()
}

// readies says that a question of a turn is being made ready, until what it returns is called:
// the turn does not end before, as the question's hunks would be seen after it. The
// context ends as soon as nothing is to be asked any more. t may be nil, and ctx is not its.
func (s *session) readies(ctx context.Context, t *turn) (asking context.Context, ready func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t == nil || t.ending() {
		return ctx, func() {}
	}
	t.readying.Add(1)
	asking, end := context.WithCancel(ctx)
	stop := context.AfterFunc(t.asking, end)
	return asking, sync.OnceFunc(func() {
		stop()
		end()
		t.readying.Done()
	})
}

// ending says that a turn is cancelled or over; the session's mu is held.
func (t *turn) ending() bool { return t != nil && (t.cancelled || t.over) }

// questionOpened says whether the question is still to be asked: the turn may have
// ended while it was made ready.
func (s *session) questionOpened(q *question) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.questions = append(s.questions, q.ID)
	turnID := ""
	if s.running != nil {
		turnID = s.running.id
	}
	it := s.log.add(EntryPermission, turnID, "")
	shown := q.Question
	it.Question = &shown
	q.item = it
	s.entryChanged(it)
	s.changed()
	return !q.turn.ending()
}

// questionClosed takes in the answer to a question; partly tells that of what it refuses a part is made.
func (s *session) questionClosed(q *question, o PermissionOutcome, partly bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.questions = slices.DeleteFunc(s.questions, func(id string) bool { return id == q.ID })
	q.item.Answer = "cancelled"
	for _, opt := range q.Options {
		if !o.Cancelled && opt.OptionID == o.OptionID {
			q.item.Answer = opt.Name
			if partly {
				q.item.Answer += " (a part is applied)"
			}
		}
	}
	s.entryChanged(q.item)
	s.changed()
}

// Queue lists the prompts that wait.
func (c *Core) Queue(id string) ([]Queued, error) {
	s, err := c.findSession(id)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.info().Queue, nil
}

// EditQueued changes the text of a prompt that waits.
func (c *Core) EditQueued(id, prompt, text string) error {
	return c.queued(id, prompt, func(s *session, i int) { s.queue[i].prompt.Text = text })
}

// RemoveQueued takes back a prompt that waits; whoever waits for it is told it
// was cancelled.
func (c *Core) RemoveQueued(id, prompt string) error {
	return c.queued(id, prompt, func(s *session, i int) {
		s.queue[i].stop = StopCancelled
		close(s.queue[i].done)
		s.queue = slices.Delete(s.queue, i, i+1)
	})
}

func (c *Core) queued(id, prompt string, f func(*session, int)) error {
	s, err := c.findSession(id)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.queue, func(t *turn) bool { return t.id == prompt })
	if i < 0 {
		return Errorf(KindStale, "prompt %q does not wait any more", prompt)
	}
	f(s, i)
	s.changed()
	return nil
}
