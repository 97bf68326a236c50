package session

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
)

// session is one conversation with an agent. Its mutex guards everything below
// it; the editors are told under it, so that what they hear has the order in
// which it happened (telling never blocks).
type session struct {
	core      *Core
	id        string
	agentName string
	cwd       string
	ledger    *ledger
	tools     *Tools

	mu        sync.Mutex
	state     State // starting, idle, running, closed or failed; waiting is derived
	proc      *agentProcess
	remote    string // the agent's sessionId
	title     string
	options   []Option
	wanted    map[string]any // options to set on a new session
	commands  []Command
	usage     *Usage
	stop      StopReason
	errText   string
	errKind   Kind
	queue     []*turn
	ending    bool // no prompt is taken any more
	running   *turn
	turns     int
	log       transcript
	questions []string
	loading   bool                   // the agent replays history
	point     *checkpoint.Checkpoint // of the turn that runs, or ran last
	noted     map[string]bool        // what was said once of checkpoints
	looking   chan struct{}          // holds a value while the disk is compared
	untold    []rejectedHunk         // rejections the agent has not been told of
	notSaved  map[string]bool        // paths whose unsaved change was spoken of
	opened    chan struct{}          // closed when starting has ended
}

// turn is one prompt, from being queued to its stop reason.
type turn struct {
	id     string
	prompt Prompt
	done   chan struct{} // closed when stop or err is set
	told   chan struct{} // closed when the agent was told to cancel it
	stop   StopReason
	err    error

	cancelled bool // guarded by session.mu
}

// NewSession makes a session and waits until its agent is ready for prompts.
func (c *Core) NewSession(ctx context.Context, r NewSession) (Info, error) {
	s, err := c.newSession(r.Agent, r.Cwd, r.Options)
	if err != nil {
		return Info{}, err
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
	s, err := c.newSession(agent, cwd, nil)
	if err != nil {
		return Info{}, err
	}
	c.spawn(func() { s.start(sessionID) })
	return s.waitOpened(ctx)
}

func (c *Core) newSession(agent, cwd string, options map[string]any) (*session, error) {
	if agent == "" {
		agent = c.settings().DefaultAgent
	}
	if !slices.ContainsFunc(c.launcher.Catalog(), func(e AgentEntry) bool { return e.Name == agent }) {
		return nil, Errorf(KindUnknownAgent, "there is no agent %q (acp.agent.list names those there are; setting agents adds one)", agent)
	}
	if cwd == "" {
		cwd = c.defaultCwd()
	}
	if !filepath.IsAbs(cwd) {
		return nil, Errorf(KindInvalid, "cwd %q is not an absolute path", cwd)
	}
	p, err := buffers.Resolve(cwd)
	if err != nil {
		return nil, Errorf(KindInvalid, "cwd %q: %w", cwd, err)
	}
	s := &session{
		core: c, id: c.newID("s"), agentName: agent, cwd: string(p), wanted: options,
		state: StateStarting, opened: make(chan struct{}), ledger: newLedger(c.now), looking: make(chan struct{}, 1),
	}
	s.tools = newTools(s)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, Errorf(KindAgentFailed, "acp-ls is shutting down")
	}
	c.sessions = append(c.sessions, s)
	return s, nil
}

func (c *Core) defaultCwd() string {
	for _, a := range c.attached() {
		if roots := a.rootsNow(); len(roots) > 0 {
			return roots[0]
		}
	}
	dir, err := filepath.Abs(".")
	if err != nil {
		return string(filepath.Separator)
	}
	return dir
}

// start opens the session at its agent: a new one, or the one of that id.
func (s *session) start(load string) {
	s.mu.Lock()
	s.changed()
	s.mu.Unlock()
	err := s.open(s.core.ctx, load)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != StateStarting { // closed meanwhile
		return
	}
	if err != nil {
		s.fail(err)
	} else {
		s.state = StateIdle
		if s.core.settings().Review.Before() {
			// Better said than believed: what the user counts on does not happen.
			s.entryChanged(s.log.add(EntryNotice, "", `review.mode "before" is not there yet: changes land and are reviewed after`))
		}
	}
	close(s.opened)
	s.changed()
	s.pump()
}

// fail is called with mu held.
func (s *session) fail(err error) {
	s.state = StateFailed
	s.errText, s.errKind = err.Error(), KindOf(err)
	turnID := ""
	if s.running != nil {
		turnID = s.running.id
	}
	s.entryChanged(s.log.add(EntryError, turnID, err.Error()))
	for _, t := range s.queue {
		t.err = err
		close(t.done)
	}
	s.queue = nil
}

func (s *session) params() SessionParams {
	st := s.core.settings()
	p := SessionParams{Cwd: s.cwd}
	for _, m := range st.MCPServers {
		srv := MCPServer{Type: m.Type, Name: m.Name, Command: m.Command, Args: m.Args, URL: m.URL}
		for _, e := range m.Env {
			srv.Env = append(srv.Env, NameValue(e))
		}
		for _, h := range m.Headers {
			srv.Headers = append(srv.Headers, NameValue(h))
		}
		p.MCPServers = append(p.MCPServers, srv)
	}
	if srv, ok := s.offerTools(); ok {
		p.MCPServers = append(p.MCPServers, srv)
	}
	return p
}

func (s *session) open(ctx context.Context, load string) error {
	p, err := s.core.agent(ctx, s.agentName, s.cwd)
	if err != nil {
		return err
	}
	if load != "" {
		if !p.agent.Info().LoadSession {
			return Errorf(KindInvalid, "agent %s cannot load stored sessions", s.agentName)
		}
		s.setLoading(true)
		defer s.setLoading(false)
		p.adopt(s, load)
		if _, err = p.open(s, func() (SessionState, error) {
			st, err := p.agent.LoadSession(ctx, load, s.params())
			st.SessionID = load
			return st, err
		}); err != nil {
			p.unbind(s)
			return err
		}
	} else if _, err = p.open(s, func() (SessionState, error) { return p.agent.NewSession(ctx, s.params()) }); err != nil {
		return err
	}
	return s.setWanted(ctx, p)
}

func (s *session) setLoading(v bool) {
	s.mu.Lock()
	s.loading = v
	s.mu.Unlock()
}

// setWanted sets the options the user configured for the agent or asked for.
// One the agent does not have is a notice, not a failure.
func (s *session) setWanted(ctx context.Context, p *agentProcess) error {
	wanted := map[string]any{}
	if a, ok := s.core.settings().Agents[s.agentName]; ok {
		for k, v := range a.Options {
			wanted[k] = v
		}
	}
	for k, v := range s.wanted {
		wanted[k] = v
	}
	keys := make([]string, 0, len(wanted))
	for k := range wanted {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		if err := s.setOption(ctx, p, k, wanted[k]); err != nil {
			s.notice("", EntryNotice, fmt.Sprintf("option %s was not set: %v", k, err))
		}
	}
	return nil
}

func (s *session) setOption(ctx context.Context, p *agentProcess, option string, value any) error {
	s.mu.Lock()
	i := slices.IndexFunc(s.options, func(o Option) bool { return o.ID == option })
	remote := s.remote
	s.mu.Unlock()
	if i < 0 {
		return Errorf(KindInvalid, "agent %s has no option %q", s.agentName, option)
	}
	options, err := p.agent.SetOption(ctx, remote, option, value)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if options == nil { // it has no more to say than that it did
		s.setValue(option, value)
	} else {
		s.options = options
	}
	s.changed()
	return nil
}

// setValue notes an option's new value; mu is held.
func (s *session) setValue(option string, value any) {
	if i := slices.IndexFunc(s.options, func(o Option) bool { return o.ID == option }); i >= 0 {
		s.options = slices.Clone(s.options)
		s.options[i].Value = value
	}
}

// bind is called with the process's mutex held.
func (s *session) bind(p *agentProcess, st SessionState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.proc, s.remote = p, st.SessionID
	if st.Options != nil || s.options == nil {
		s.options = st.Options
	}
}

func (s *session) remoteID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.remote
}

func (s *session) roots() []string { return []string{s.cwd} }

func (s *session) waitOpened(ctx context.Context) (Info, error) {
	select {
	case <-s.opened:
	case <-ctx.Done():
		return Info{}, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == StateFailed {
		return Info{}, s.failure()
	}
	return s.info(), nil
}

func (s *session) failure() error {
	return Errorf(s.errKind, "session %s has failed: %s", s.id, s.errText)
}

// info is called with mu held.
func (s *session) info() Info {
	i := Info{
		Session: s.id, Agent: s.agentName, SessionID: s.remote, Cwd: s.cwd, Title: s.title,
		State: s.state, StopReason: s.stop, Usage: s.usage, Error: s.errText,
		Options: notNil(s.options), Commands: notNil(s.commands),
		Queue: []Queued{}, Questions: notNil(s.questions), Pending: s.core.pendingOf(s.id),
	}
	if s.running != nil {
		i.Turn = s.running.id
		if len(s.questions) > 0 {
			i.State = StateWaiting
		}
	}
	for _, t := range s.queue {
		i.Queue = append(i.Queue, Queued{ID: t.id, Text: t.prompt.Text})
	}
	return i
}

func notNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return slices.Clone(s)
}

// changed tells the editors of the session's state; mu is held.
func (s *session) changed() {
	info := s.info()
	for _, a := range s.core.attached() {
		a.editor.SessionChanged(info)
	}
}

// entryChanged tells the editors of an entry; mu is held.
func (s *session) entryChanged(it *item) {
	e := it.entry()
	for _, a := range s.core.attached() {
		a.editor.EntryChanged(s.id, e)
	}
}

// notice adds a notice or error to the transcript.
func (s *session) notice(turnID string, kind EntryKind, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entryChanged(s.log.add(kind, turnID, text))
}

// update takes in one update of the agent.
func (s *session) update(u Update) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == StateClosed {
		return
	}
	turnID := ""
	if s.running != nil {
		turnID = s.running.id
	}
	switch u := u.(type) {
	case ContentChunk:
		s.chunk(turnID, u)
	case ToolPatch:
		it := s.log.tool(turnID, u)
		s.entryChanged(it)
		s.tools.called(it)
		s.progress(u)
		s.touched(u)
	case PlanUpdate:
		s.plan(turnID, u.Items)
	case CommandsUpdate:
		s.commands = u.Commands
		s.changed()
	case OptionsUpdate:
		s.options = u.Options
		s.changed()
	case ModeUpdate:
		s.setValue("mode", u.ModeID)
		s.changed()
	case InfoUpdate:
		if u.Title != nil {
			s.title = *u.Title
			s.changed()
		}
	case UsageUpdate:
		usage := u.Usage
		s.usage = &usage
		s.changed()
	case Notice:
		kind := EntryNotice
		if u.Severity == "error" {
			kind = EntryError
		}
		text := u.Title
		if u.Description != "" {
			text += "\n" + u.Description
		}
		s.entryChanged(s.log.add(kind, turnID, text))
	case Compaction:
		switch u.Status {
		case "in_progress":
			s.entryChanged(s.log.add(EntryNotice, turnID, "the agent shortens its context"))
		case "failed":
			s.entryChanged(s.log.add(EntryError, turnID, "the agent could not shorten its context: "+u.Error))
		}
	}
}

func (s *session) chunk(turnID string, u ContentChunk) {
	kind := EntryAgent
	switch u.Role {
	case "user":
		if !s.loading {
			return // the echo of our own prompt
		}
		kind = EntryUser
	case "thought":
		kind = EntryThought
	}
	text := blockText(u.Content)
	if text == "" {
		return
	}
	it, fresh := s.log.appendText(kind, turnID, u.MessageID, text)
	for _, a := range s.core.attached() {
		if fresh {
			a.editor.EntryChanged(s.id, it.entry())
		} else {
			a.editor.Chunk(s.id, it.ID, text)
		}
	}
}

// blockText is how a content block of a message reads in a transcript.
func blockText(b Block) string {
	switch b.Type {
	case "link":
		name := b.Name
		if name == "" {
			name = b.URI
		}
		return fmt.Sprintf("[%s](%s)", name, b.URI)
	case "resource":
		if b.Text == "" {
			return fmt.Sprintf("[%s](%s)", b.URI, b.URI)
		}
		return b.Text
	case "image", "audio":
		return fmt.Sprintf("*[%s, %s]*", b.Type, b.MimeType)
	}
	return b.Text
}

func (s *session) plan(turnID string, items []PlanItem) {
	for _, it := range slices.Backward(s.log.items) {
		if it.Kind == EntryPlan && it.Turn == turnID {
			it.Plan = items
			s.entryChanged(it)
			return
		}
	}
	it := s.log.add(EntryPlan, turnID, "")
	it.Plan = items
	s.entryChanged(it)
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
	text := fmt.Sprintf("agent %s has ended", s.agentName)
	if err != nil {
		text = err.Error()
	}
	if s.state != StateFailed {
		s.fail(Errorf(KindAgentFailed, "%s", text))
	}
	s.changed()
}

// Entries returns the transcript from its n-th entry (0-based) on.
func (c *Core) Entries(id string, from int) ([]Entry, error) {
	s, err := c.findSession(id)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.entries(from), nil
}

// Transcript returns the transcript as Markdown.
func (c *Core) Transcript(id string) (string, error) {
	s, err := c.findSession(id)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.markdown(s.title), nil
}

// SetOption sets an option of a session.
func (c *Core) SetOption(ctx context.Context, id, option string, value any) (Info, error) {
	s, err := c.findSession(id)
	if err != nil {
		return Info{}, err
	}
	p, err := s.process()
	if err != nil {
		return Info{}, err
	}
	if err := s.setOption(ctx, p, option, value); err != nil {
		return Info{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.info(), nil
}

func (s *session) process() (*agentProcess, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.proc == nil || s.remote == "" {
		if s.state == StateFailed {
			return nil, s.failure()
		}
		return nil, Errorf(KindBusy, "session %s is not ready (%s)", s.id, s.state)
	}
	return s.proc, nil
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
		t.err = Errorf(KindUnknownSession, "session %s was closed", s.id)
		close(t.done)
	}
	s.queue = nil
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
	c.mu.Unlock()
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
	f, err := c.newSession(s.agentName, s.cwd, nil)
	if err != nil {
		return Info{}, err
	}
	remote := s.remoteID()
	s.mu.Lock()
	f.title = strings.TrimSpace(s.title + " (fork)")
	s.mu.Unlock()
	_, err = p.open(f, func() (SessionState, error) { return p.agent.ForkSession(ctx, remote, f.params()) })
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil {
		f.fail(err)
	} else {
		f.state = StateIdle
	}
	close(f.opened)
	f.changed()
	return f.info(), err
}

// listWait is how long an agent that was not named may take to list its sessions.
const listWait = time.Second

func (p *agentProcess) storedSessions(ctx context.Context, cwd string, named bool) ([]RemoteSession, error) {
	if !named {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, listWait)
		defer cancel()
	}
	return p.agent.ListSessions(ctx, cwd)
}

// ListSessions lists the live sessions, newest first, and those the agent has
// stored, if it is named or runs already.
func (c *Core) ListSessions(ctx context.Context, agent, cwd string) ([]Info, error) {
	infos := []Info{}
	live := map[string]bool{}
	for _, s := range slices.Backward(c.allSessions()) {
		s.mu.Lock()
		i := s.info()
		s.mu.Unlock()
		live[i.Agent+"\x00"+i.SessionID] = true
		if (agent == "" || agent == i.Agent) && (cwd == "" || cwd == i.Cwd) {
			infos = append(infos, i)
		}
	}
	c.mu.Lock()
	var ask []string
	for name := range c.agents {
		if agent == "" || agent == name {
			ask = append(ask, name)
		}
	}
	c.mu.Unlock()
	if agent != "" && len(ask) == 0 {
		ask = append(ask, agent)
	}
	slices.Sort(ask)
	for _, name := range ask {
		p, err := c.agent(ctx, name, cwd)
		if err != nil {
			if agent != "" {
				return infos, err
			}
			continue
		}
		if !p.agent.Info().List {
			continue
		}
		stored, err := p.storedSessions(ctx, cwd, agent != "")
		if err != nil {
			if agent != "" {
				return infos, err
			}
			continue
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
	return infos, nil
}
