package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"acp-ls/buffers"
)

// NewSession makes a session and waits, if wanted, until its agent is ready for prompts. With
// an error comes the session that has failed, if one was made.
func (c *Core) NewSession(ctx context.Context, r NewSession) (Info, error) {
	s, err := c.newSession(r.Agent, c.folderFor(ctx, r.Cwd, true, nil), r.Options)
	if err != nil {
		return Info{}, err
	}
	placed(ctx)
	if r.NoWait {
		s.mu.Lock()
		s.changed()
		defer s.mu.Unlock()
		c.spawn(func() { s.start("") })
		return s.info(), nil
	}
	c.spawn(func() { s.start("") })
	return s.waitOpened(ctx)
}

// LoadSession takes up a session the agent has stored; its history arrives as
// entries before LoadSession returns.
func (c *Core) LoadSession(ctx context.Context, agent, sessionID, cwd string) (Info, error) {
	if sessionID == "" {
		return Info{}, Errorf(KindInvalid, "sessionId is missing")
	}
	s, err := c.newSession(agent, c.folderFor(ctx, cwd, false, nil), nil)
	if err != nil {
		return Info{}, err
	}
	placed(ctx)
	s.mu.Lock()
	s.reopened = sessionID
	s.mu.Unlock()
	c.spawn(func() { s.start(sessionID) })
	return s.waitOpened(ctx)
}

func (c *Core) newSession(agent string, at folder, options map[string]any) (*session, error) {
	agent, err := c.agentNamed(agent)
	if err != nil {
		return nil, err
	}
	if !filepath.IsAbs(at.path) {
		return nil, Errorf(KindInvalid, "cwd %q is not an absolute path", at.path)
	}
	p, err := buffers.Resolve(at.path)
	if err != nil {
		return nil, Errorf(KindInvalid, "cwd %q: %w", at.path, err)
	}
	if st, err := os.Stat(string(p)); err != nil || !st.IsDir() {
		return nil, Errorf(KindInvalid, "folder %s does not exist", p)
	}
	s := &session{
		core: c, id: c.newID("s"), agentName: agent, cwd: string(p), loose: at.whyLoose(p), wanted: options,
		state: StateStarting, opened: make(chan struct{}), ledger: newLedger(c.now), looking: make(chan struct{}, 1), naming: make(chan struct{}, 1), pointing: make(chan struct{}, 1),
	}
	s.tools = newTools(s)
	s.findRoots()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, Errorf(KindAgentFailed, "acp-ls is shutting down")
	}
	c.sessions = append(c.sessions, s)
	return s, nil
}

// start opens the session at its agent: a new one, or the one of that id.
func (s *session) start(load string) {
	s.mu.Lock()
	s.changed()
	s.mu.Unlock()
	ctx := s.starts()
	err := s.open(ctx, load)
	s.mu.Lock()
	defer s.mu.Unlock()
	err = s.started(ctx, err)
	if err != nil && KindOf(err) == KindStopped {
		s.unloaded = load
	}
	if s.state != StateStarting { // closed meanwhile
		return
	}
	if err != nil {
		s.fail(err)
	} else {
		s.state, s.begun = StateIdle, true
	}
	close(s.opened)
	s.changed()
	s.pump()
}

// starts returns the context of a start, which stopStart ends.
func (s *session) starts() context.Context {
	ctx, giveUp := context.WithCancelCause(s.core.ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.giveUp = giveUp
	return ctx
}

// started ends a start, and returns why it has failed; mu is held.
func (s *session) started(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil && s.core.ctx.Err() == nil {
		err = context.Cause(ctx)
	}
	s.giveUp(nil)
	s.giveUp = nil
	return err
}

// stopStart has the user give up waiting for the agent; mu is held.
func (s *session) stopStart() {
	s.giveUp(Errorf(KindStopped, "you stopped %s before it was ready: your next prompt starts it again", s.agentName))
}

// agentError is an error of an agent. One without a kind was none of ours.
func agentError(err error) error {
	var own *Error
	if err == nil || errors.As(err, &own) {
		return err
	}
	return &Error{Kind: KindAgentFailed, Message: err.Error(), Err: err}
}

// fail is called with mu held.
func (s *session) fail(err error) {
	s.state = StateFailed
	s.errText, s.errKind = err.Error(), KindOf(agentError(err))
	turnID := ""
	if s.running != nil {
		turnID = s.running.id
	}
	if s.running != nil { // what it was sent comes before what happened
		s.entryChanged(s.log.add(EntryError, turnID, err.Error()))
	}
	for _, t := range s.queue {
		s.giveBack(t, s.agentName+" cannot take it now")
		t.err = err
		close(t.done)
	}
	s.queue = nil
	if s.running == nil && !s.log.endsIn(err.Error()) {
		s.entryChanged(s.log.add(EntryError, turnID, err.Error()))
	}
}

// agent is the session's agent, started if it does not run.
func (s *session) agent(ctx context.Context) (p *agentProcess, err error) {
	err = s.ask(askedInitialize, func() (err error) {
		p, err = s.core.agent(ctx, s.agentName, s.cwd)
		return err
	})
	return p, err
}

// params are those of a session that an agent is to begin or to open.
func (s *session) params(p *agentProcess) SessionParams {
	st := s.core.settings()
	params := SessionParams{Cwd: s.cwd, MoreRoots: s.moreRootsFor(p.agent.Info())}
	for _, m := range st.MCPServers {
		srv := MCPServer{Type: m.Type, Name: m.Name, Command: m.Command, Args: m.Args, URL: m.URL}
		for _, e := range m.Env {
			srv.Env = append(srv.Env, NameValue(e))
		}
		for _, h := range m.Headers {
			srv.Headers = append(srv.Headers, NameValue(h))
		}
		params.MCPServers = append(params.MCPServers, srv)
	}
	if srv, ok := s.offerTools(); ok {
		params.MCPServers = append(params.MCPServers, srv)
	}
	return params
}

func (s *session) open(ctx context.Context, load string) error {
	p, err := s.agent(ctx)
	if err != nil {
		return err
	}
	if load != "" && !p.agent.Info().Reopens() {
		return Errorf(KindInvalid, "agent %s cannot load stored sessions", s.agentName)
	}
	if err := s.ask(askedSession, func() error { return s.openAt(ctx, p, load) }); err != nil {
		return err
	}
	return s.setWanted(ctx, p)
}

func (s *session) openAt(ctx context.Context, p *agentProcess, load string) error {
	if load == "" {
		_, err := p.open(s, func() (SessionState, error) { return p.agent.NewSession(ctx, s.params(p)) })
		return err
	}
	s.setLoading(true)
	defer s.setLoading(false)
	p.adopt(s, load)
	_, err := p.open(s, func() (SessionState, error) {
		st, err := p.agent.LoadSession(ctx, load, s.params(p))
		st.SessionID = load
		return st, err
	})
	if err != nil {
		p.unbind(s)
	} else if !p.agent.Info().LoadSession {
		s.notice("", EntryNotice, fmt.Sprintf("%s goes on with what was said before in this session, but does not show it", s.agentName))
	}
	return err
}

func (s *session) setLoading(v bool) {
	s.mu.Lock()
	s.loading = v
	s.mu.Unlock()
}

// bind is called with the process's mutex held.
func (s *session) bind(p *agentProcess, st SessionState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.proc, s.remote, s.loads = p, st.SessionID, p.agent.Info().Reopens()
	if st.Options != nil || s.options == nil {
		s.options = st.Options
	}
}

func (s *session) waitOpened(ctx context.Context) (Info, error) {
	select {
	case <-s.opened:
	case <-ctx.Done():
		return Info{}, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == StateFailed {
		return s.info(), s.failure()
	}
	return s.info(), nil
}

// agentGone is called when the agent's process has ended.
func (s *session) agentGone(p *agentProcess, err error) {
	s.core.broker.cancel(s)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == StateClosed || s.proc != p {
		return
	}
	s.proc = nil
	s.endOffers(func(string) bool { return true })
	text := fmt.Sprintf("agent %s has ended", s.agentName)
	if err != nil {
		text = err.Error()
	}
	if s.state != StateFailed {
		s.fail(Errorf(KindAgentFailed, "%s", text))
	}
	s.changed()
}

// CloseSession ends a session; a running turn is cancelled.
func (c *Core) CloseSession(ctx context.Context, id string) error {
	s, err := c.findSession(id)
	if err != nil {
		return err
	}
	return s.end(ctx, func(ctx context.Context, a Agent, remote string) error {
		if err := a.CloseSession(ctx, remote); err != nil { // it is closed for us all the same
			c.log.Warn("close session", "session", s.id, "err", err)
		}
		return nil
	})
}

// DeleteSession ends a session and has the agent delete it.
func (c *Core) DeleteSession(ctx context.Context, id string) error {
	s, err := c.findSession(id)
	if err != nil {
		return err
	}
	if p, err := s.process(); err == nil && !p.agent.Info().Delete {
		return Errorf(KindInvalid, "agent %s cannot delete sessions", s.agentName)
	}
	return s.end(ctx, func(ctx context.Context, a Agent, remote string) error { return a.DeleteSession(ctx, remote) })
}

func (s *session) end(ctx context.Context, goodbye func(context.Context, Agent, string) error) error {
	c := s.core
	s.mu.Lock()
	s.ending = true
	for _, t := range s.queue { // none of them may begin now
		s.giveBack(t, "the session was closed")
		t.err = Errorf(KindUnknownSession, "session %s was closed", s.id)
		close(t.done)
	}
	if len(s.queue) > 0 {
		s.queue = nil
		s.changed()
	}
	running := s.running
	s.mu.Unlock()
	_ = c.Cancel(ctx, s.id) // nothing may be running
	if running != nil {
		timer := time.NewTimer(c.waits.Goodbye)
		defer timer.Stop()
		select {
		case <-running.done:
		case <-timer.C: // the agent does not listen
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	s.mu.Lock()
	p, remote, was := s.proc, s.remote, s.state
	c.earlier.note(map[string]keptSession{s.id: s.kept()})
	s.state, s.proc = StateClosed, nil
	if was == StateStarting {
		close(s.opened)
	}
	s.changed()
	s.mu.Unlock()
	c.broker.forget(s)
	s.tools.end()

	c.mu.Lock()
	c.sessions = slices.DeleteFunc(c.sessions, func(o *session) bool { return o == s })
	if c.ended == nil {
		c.ended = map[string]bool{}
	}
	c.ended[s.id] = false
	c.mu.Unlock()
	c.forgetSteps()
	if p == nil || remote == "" {
		return nil
	}
	defer p.unbind(s) // what its terminals still say is shown
	ctx, cancel := context.WithTimeout(ctx, c.waits.Goodbye)
	defer cancel()
	return goodbye(ctx, p.agent, remote)
}

// ForkSession makes a second session that begins where this one stands.
func (c *Core) ForkSession(ctx context.Context, id string) (Info, error) {
	s, err := c.findSession(id)
	if err != nil {
		return Info{}, err
	}
	p, err := s.process()
	if err != nil {
		return Info{}, err
	}
	if !p.agent.Info().Fork {
		return Info{}, Errorf(KindInvalid, "agent %s cannot fork sessions", s.agentName)
	}
	f, err := c.newSession(s.agentName, folder{s.cwd, s.loose == noFolder}, nil)
	if err != nil {
		return Info{}, err
	}
	remote := s.remoteID()
	s.mu.Lock()
	f.title = strings.TrimSpace(s.title + " (fork)")
	s.mu.Unlock()
	err = f.ask(askedSession, func() error {
		_, err := p.open(f, func() (SessionState, error) { return p.agent.ForkSession(ctx, remote, f.params(p)) })
		return err
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil {
		f.fail(err)
	} else {
		f.state, f.begun = StateIdle, true
	}
	close(f.opened)
	f.changed()
	return f.info(), err
}

// How long an agent that was not named may take to list its sessions, and one that is asked as well
// to start and to list them.
const (
	listWait = time.Second
	alsoWait = 10 * time.Second
)

// storedSessions are those that an agent has stored, none if it cannot list them. It is started if
// it does not run. Without a name it may take listWait for the list.
func (c *Core) storedSessions(ctx context.Context, name, cwd string, named bool) ([]RemoteSession, error) {
	p, err := c.agent(ctx, name, cwd)
	if err != nil || !p.agent.Info().List {
		return nil, err
	}
	if !named {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, listWait)
		defer cancel()
	}
	return p.agent.ListSessions(ctx, cwd)
}

// alsoStored is storedSessions of an agent that others are listed beside.
func (c *Core) alsoStored(ctx context.Context, name, cwd string) ([]RemoteSession, error) {
	within, cancel := context.WithTimeout(ctx, alsoWait)
	defer cancel()
	stored, err := c.storedSessions(within, name, cwd, true)
	if err != nil && within.Err() != nil && ctx.Err() == nil {
		err = Errorf(KindAgentFailed, "agent %s has not answered for %v", name, alsoWait)
	}
	return stored, err
}

// ListSessions lists the live sessions, newest first, and those that agents have stored which run
// already, or the one that is named. What is wrong with one that is asked as well is told if there
// is nothing to list.
func (c *Core) ListSessions(ctx context.Context, l ListSessions) ([]Info, error) {
	infos := []Info{}
	live := map[string]bool{}
	for _, s := range slices.Backward(c.allSessions()) {
		s.mu.Lock()
		i := s.info()
		s.mu.Unlock()
		live[i.Agent+"\x00"+i.SessionID] = true
		if (l.Agent == "" || l.Agent == i.Agent) && (l.Cwd == "" || l.Cwd == i.Cwd) {
			infos = append(infos, i)
		}
	}
	var also string
	var wrong error // with that one
	if l.Also != nil {
		also, wrong = c.agentNamed(*l.Also)
	}
	for _, name := range c.toList(l.Agent, also) {
		var stored []RemoteSession
		var err error
		if name == also {
			stored, err = c.alsoStored(ctx, name, l.Cwd)
			wrong = err
		} else {
			stored, err = c.storedSessions(ctx, name, l.Cwd, l.Agent != "")
		}
		if err != nil && l.Agent != "" {
			return infos, err
		}
		for _, r := range stored {
			if live[name+"\x00"+r.SessionID] {
				continue
			}
			infos = append(infos, Info{
				Agent: name, SessionID: r.SessionID, Cwd: r.Cwd, Title: r.Title, State: StateClosed,
				Options: []Option{}, Commands: []Command{}, Queue: []Queued{}, Questions: []string{},
			})
		}
	}
	if len(infos) == 0 {
		return infos, wrong
	}
	return infos, nil
}

// toList are the agents whose stored sessions are listed: the one that is named, else those that
// run, and one more if it is not empty.
func (c *Core) toList(named, also string) []string {
	if named != "" {
		return []string{named}
	}
	c.mu.Lock()
	names := slices.Collect(maps.Keys(c.agents))
	c.mu.Unlock()
	if also != "" && !slices.Contains(names, also) {
		names = append(names, also)
	}
	slices.Sort(names)
	return names
}
