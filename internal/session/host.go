package session

import "context"

// host is what one agent process may ask of the core.
type host struct {
	core *Core
	proc *agentProcess
}

var _ Host = (*host)(nil)

func (h *host) session(id string) (*session, error) {
	if s := h.proc.session(id); s != nil {
		s.mu.Lock()
		s.heard()
		s.hasPrompt()
		s.mu.Unlock()
		return s, nil
	}
	return nil, Errorf(KindNotFound, "there is no session %q", id)
}

// Update hands an update to its session. One that comes while a session is
// being opened may be of that session and is kept until its answer is there.
func (h *host) Update(sessionID string, u Update) {
	if s := h.proc.session(sessionID); s != nil {
		s.update(u)
		return
	}
	p := h.proc
	p.mu.Lock()
	kept := p.opening > 0 && len(p.early[sessionID]) < maxEarly
	if kept {
		if p.early == nil {
			p.early = map[string][]Update{}
		}
		p.early[sessionID] = append(p.early[sessionID], u)
	}
	p.mu.Unlock()
	if !kept {
		h.Trace(p.name, "update of unknown session "+sessionID)
	}
}

func (h *host) TerminalOutput(sessionID string, o TerminalOutput) {
	s := h.proc.session(sessionID)
	if s == nil {
		return
	}
	o.Session = s.id
	s.mu.Lock()
	s.log.outputs.take(o)
	s.mu.Unlock()
	defer func() {
		if o.Exit != nil {
			s.ranEnded(o.Terminal, o.Exit)
		}
	}()
	for _, a := range h.core.attached() {
		a.editor.TerminalOutput(o)
	}
}

func (h *host) AllowTerminal(_ context.Context, sessionID string, p Program) (string, error) {
	s, err := h.session(sessionID)
	if err != nil {
		return "", err
	}
	if !h.core.settings().Terminal {
		return "", Errorf(KindInvalid, "the user has turned terminals off (setting terminal)")
	}
	if h.core.denied(s, p) {
		return "", Errorf(KindInvalid, "the user's rules deny this command (setting permissions)")
	}
	if p.Cwd == "" {
		p.Cwd = s.cwd
	}
	return p.Cwd, nil
}

// Elicit shows the agent's form in the first editor that can show forms.
func (h *host) Elicit(ctx context.Context, sessionID string, f Form) (FormAnswer, error) {
	f.ID = h.core.newID("f")
	if s := h.proc.session(sessionID); s != nil {
		f.Session = s.id
	}
	for _, a := range h.core.attached() {
		if a.editor.Can("ask") {
			return a.editor.Ask(ctx, f)
		}
	}
	return FormAnswer{Action: "cancel"}, nil
}

func (h *host) Trace(agent, line string) {
	h.core.log.Debug("agent traffic", "agent", agent, "what", line)
}
