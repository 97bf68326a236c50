package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// agentProcess is an agent that runs or is being started. One process serves
// all sessions of its agent.
type agentProcess struct {
	core  *Core
	name  string
	ready chan struct{} // closed when agent or err is set
	gone  chan struct{} // closed when its sessions have been told of its end
	agent Agent
	err   error

	starting context.Context // of the start; ended by giveUp
	giveUp   context.CancelFunc
	awaited  int // how many wait for it to be ready; guarded by the core's mu

	closing atomic.Bool // it is being ended: it is sent no more prompts

	writes queues // of the files that are written

	mu       sync.Mutex          // taken before a session's mu, never after
	sessions []*session          // bound to this process
	opening  int                 // session requests under way whose answer names the session
	early    map[string][]Update // updates of sessions whose answer has not come yet
}

// maxEarly bounds what is kept of updates that precede their session's answer.
const maxEarly = 10000

// agent returns the running process of an agent, starting it if need be. A
// start that failed is tried again by the next call.
func (c *Core) agent(ctx context.Context, name, cwd string) (*agentProcess, error) {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil, Errorf(KindAgentFailed, "acp-ls is shutting down")
	}
	p := c.agents[name]
	if p == nil {
		p = &agentProcess{core: c, name: name, ready: make(chan struct{}), gone: make(chan struct{})}
		p.starting, p.giveUp = context.WithCancel(c.ctx)
		c.agents[name] = p
		c.spawn(func() { p.start(cwd) })
	}
	p.awaited++
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		p.awaited--
		c.mu.Unlock()
	}()
	select {
	case <-p.ready:
		if p.err != nil {
			return nil, p.err
		}
		return p, nil
	case <-ctx.Done():
		p.leave()
		return nil, ctx.Err()
	}
}

// leave ends the start of an agent if nobody else waits for it.
func (p *agentProcess) leave() {
	p.core.mu.Lock()
	defer p.core.mu.Unlock()
	select {
	case <-p.ready:
		return
	default:
	}
	if p.awaited == 1 {
		if p.core.agents[p.name] == p { // who comes now starts another
			delete(p.core.agents, p.name)
		}
		p.giveUp()
	}
}

func (p *agentProcess) start(cwd string) {
	p.agent, p.err = p.core.launcher.Start(p.starting, p.name, cwd, &host{core: p.core, proc: p})
	if p.err == nil && p.starting.Err() != nil { // it was ready just as it was given up
		_ = p.agent.Close(context.Background())
		p.agent, p.err = nil, p.starting.Err()
	}
	if p.err != nil {
		p.forget()
		close(p.ready)
		return
	}
	close(p.ready)
	<-p.agent.Done()
	p.forget()
	p.mu.Lock()
	hit := slices.Clone(p.sessions)
	p.mu.Unlock()
	err := p.agent.Err()
	for _, s := range hit {
		s.agentGone(p, err)
	}
	close(p.gone)
}

// awaitFailure returns, if the agent is gone, when its sessions know.
func (p *agentProcess) awaitFailure() {
	select {
	case <-p.agent.Done():
		<-p.gone
	default:
	}
}

func (p *agentProcess) forget() {
	p.core.mu.Lock()
	defer p.core.mu.Unlock()
	if p.core.agents[p.name] == p {
		delete(p.core.agents, p.name)
	}
}

func (p *agentProcess) close(ctx context.Context) {
	p.closing.Store(true)
	p.giveUp() // an agent that has not answered yet need not be waited for
	<-p.ready
	if p.agent != nil {
		if err := p.agent.Close(ctx); err != nil {
			p.core.log.Warn("close agent", "agent", p.name, "err", err)
		}
		<-p.agent.Done()
	}
}

// open runs a request whose answer names a session, and binds s to it. Updates
// that come before the answer are kept and handed over with it.
func (p *agentProcess) open(s *session, request func() (SessionState, error)) (SessionState, error) {
	p.mu.Lock()
	p.opening++
	p.mu.Unlock()
	st, err := request()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.opening--
	if err == nil {
		s.bind(p, st)
		if !slices.Contains(p.sessions, s) {
			p.sessions = append(p.sessions, s)
		}
		for _, u := range p.early[st.SessionID] { // under mu: a later update must not overtake them
			s.update(u)
		}
		delete(p.early, st.SessionID)
	}
	if p.opening == 0 {
		p.early = nil
	}
	return st, err
}

// adopt binds s to a session whose id is known before the agent has loaded it,
// so that the history the agent sends meanwhile arrives.
func (p *agentProcess) adopt(s *session, sessionID string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.bind(p, SessionState{SessionID: sessionID})
	if !slices.Contains(p.sessions, s) {
		p.sessions = append(p.sessions, s)
	}
}

func (p *agentProcess) unbind(s *session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sessions = slices.DeleteFunc(p.sessions, func(o *session) bool { return o == s })
}

// session finds a session by the agent's id.
func (p *agentProcess) session(id string) *session {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.sessions {
		if s.remoteID() == id {
			return s
		}
	}
	return nil
}

// Agents lists what can be named as an agent.
func (c *Core) Agents() []AgentEntry {
	entries := c.launcher.Catalog()
	byDefault := c.settings().DefaultAgent
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range entries {
		p := c.agents[entries[i].Name]
		entries[i].Running = p != nil
		entries[i].Default = entries[i].Name == byDefault
		if p == nil {
			continue
		}
		select {
		case <-p.ready:
			if p.err == nil {
				entries[i].Methods = p.agent.Info().methods()
			}
		default: // it has said nothing of itself yet
		}
	}
	return entries
}

// agentNamed is the agent of that name, or the default one if there is no name.
func (c *Core) agentNamed(name string) (string, error) {
	by := ""
	if name == "" {
		name, by = c.settings().DefaultAgent, "the setting defaultAgent names"
	}
	catalog := c.launcher.Catalog()
	if !slices.ContainsFunc(catalog, func(e AgentEntry) bool { return e.Name == name }) {
		return "", UnknownAgent(name, by, catalog)
	}
	return name, nil
}

// Authenticate logs in with one of the agent's methods: the one named, else the one
// that is set, else the only one; starting the agent if it does not run. A method that
// needs a terminal runs there, and the agent is then started anew (ACP authentication).
func (c *Core) Authenticate(ctx context.Context, agent, method string) error {
	agent, err := c.agentNamed(agent)
	if err != nil {
		return err
	}
	p, err := c.agent(ctx, agent, "")
	if err != nil {
		return err
	}
	info := p.agent.Info()
	by := ""
	if method == "" {
		if method = c.settings().Agents[agent].AuthMethod; method != "" {
			by = fmt.Sprintf(", which the setting agents.%s.authMethod names", agent)
		}
	}
	m, err := info.Login(method, by)
	if err != nil {
		return err
	}
	if m.Terminal == nil {
		return p.agent.Authenticate(ctx, m.ID)
	}
	err = ErrUnsupported
	for _, a := range c.attached() {
		if a.editor.Can("run") {
			var code int
			if code, err = a.editor.Run(ctx, *m.Terminal); err == nil && code != 0 {
				err = Errorf(KindAuthRequired, "the login of %s ended with exit code %d", agent, code)
			}
			break
		}
	}
	if errors.Is(err, ErrUnsupported) {
		return Errorf(KindAuthRequired, "log in by running this in a terminal, then restart the agent: %s", m.Terminal.InTerminal())
	}
	if err != nil {
		return err
	}
	return c.RestartAgent(ctx, agent)
}

// Logout logs the agent out.
func (c *Core) Logout(ctx context.Context, agent string) error {
	agent, err := c.agentNamed(agent)
	if err != nil {
		return err
	}
	p, err := c.agent(ctx, agent, "")
	if err != nil {
		return err
	}
	return p.agent.Logout(ctx)
}

// RestartAgent ends the agent's process. Its sessions are taken up again by
// their next prompt.
func (c *Core) RestartAgent(ctx context.Context, agent string) error {
	c.mu.Lock()
	p := c.agents[agent]
	c.mu.Unlock()
	if p == nil { // one that runs may have gone from the settings
		_, err := c.agentNamed(agent)
		return err
	}
	p.close(ctx)
	return nil
}
