package scenario

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"acp-ls/internal/scriptagent"
)

// agentStep is a step of an agent; who is the number of its session, or nothing.
func (w *world) agentStep(name, who string, a *args) ([]string, error) {
	ctx, cancel := w.limit()
	defer cancel()
	p := w.player(name)
	verb := a.take("what the agent does")
	if verb == "next" { // the process after this one
		a.none()
		process, err := w.agents.Process(ctx, p.name, p.seen)
		if err == nil {
			p.process, p.seen = process, p.seen+1
			clear(p.turns)
			clear(p.started)
		}
		return nil, err
	}
	if p.process == nil {
		process, err := w.agents.Process(ctx, p.name, 0)
		if err != nil {
			return nil, err
		}
		p.process, p.seen = process, 1
	}
	session := p.current
	if who != "" {
		session = who
		if n, err := strconv.Atoi(who); err == nil {
			p.mu.Lock()
			if n < 1 || n > len(p.sessions) {
				p.mu.Unlock()
				return nil, fmt.Errorf("agent %s has no session %d", p.name, n)
			}
			session = p.sessions[n-1]
			p.mu.Unlock()
		}
	}
	s := &scene{w: w, p: p, a: p.process, session: session}
	if verb == "start" {
		id := a.take("a name")
		c, err := s.begin(ctx, a.take("a request"), a)
		p.started[id] = c
		return nil, err
	}
	if verb == "got" {
		c := p.started[a.take("a name")]
		if c == nil {
			return nil, errors.New("nothing of that name was started")
		}
		a.none()
		return s.outcome(ctx, c)
	}
	if verb == "meta" { // of the last answer that says nothing but that it is done
		return []string{cmp.Or(s.w.shorten(p.meta), "(none)")}, nil
	}
	if f := agentSteps[verb]; f != nil {
		said, err := f(ctx, s, a)
		if err == nil {
			a.none()
		}
		if err == nil && agentTells[verb] && !p.paused {
			err = s.sync(ctx)
		}
		return said, err
	}
	before := s.lawsBefore(ctx, verb, a)
	c, err := s.begin(ctx, verb, a)
	if err != nil {
		return nil, err
	}
	said, err := s.outcome(ctx, c)
	if err == nil {
		err = before.after(ctx)
	}
	return said, err
}

// agentTells are the steps after which acp-ls is to know what the agent said, before
// anybody else does anything.
var agentTells = map[string]bool{"say": true, "think": true, "user": true, "many": true, "long": true, "tool": true, "tool-update": true, "update": true, "notify": true, "noise": true}

// sync waits until acp-ls has taken in what the agent has told it: a request is
// begun only after all that came before.
func (s *scene) sync(ctx context.Context) error {
	c, err := s.a.Begin("_sync", nil)
	if err != nil {
		return err
	}
	_, err = c.Wait(ctx)
	if refused := (*scriptagent.Error)(nil); errors.As(err, &refused) && refused.Code == -32601 {
		return nil
	}
	return fmt.Errorf("an unknown request was answered with %w", err)
}

// scene is one agent in one session.
type scene struct {
	w       *world
	p       *player
	a       *scriptagent.Agent
	session string
}

func (s *scene) update(u map[string]any) error {
	if s.session == "" {
		return errors.New("the agent has no session")
	}
	return s.a.Notify("session/update", map[string]any{"sessionId": s.session, "update": u})
}

func (s *scene) chunk(kind string, a *args) error {
	u := map[string]any{"sessionUpdate": kind}
	if id, ok := a.option("message"); ok {
		u["messageId"] = id
	}
	u["content"] = map[string]any{"type": "text", "text": a.text()}
	return s.update(u)
}

var agentSteps = map[string]func(context.Context, *scene, *args) ([]string, error){
	// turn takes the next prompt.
	"turn": func(ctx context.Context, s *scene, _ *args) ([]string, error) {
		_, err := s.turn(ctx)
		return nil, err
	},
	// prompt is turn and says what the prompt has.
	"prompt": func(ctx context.Context, s *scene, _ *args) ([]string, error) {
		m, err := s.turn(ctx)
		if err != nil {
			return nil, err
		}
		return s.w.promptLines(m.Params)
	},
	"say": func(_ context.Context, s *scene, a *args) ([]string, error) {
		return nil, s.chunk("agent_message_chunk", a)
	},
	"think": func(_ context.Context, s *scene, a *args) ([]string, error) {
		return nil, s.chunk("agent_thought_chunk", a)
	},
	"user": func(_ context.Context, s *scene, a *args) ([]string, error) {
		return nil, s.chunk("user_message_chunk", a)
	},
	// many says n numbered chunks.
	"many": func(_ context.Context, s *scene, a *args) ([]string, error) {
		n, err := strconv.Atoi(a.take("a number"))
		if err != nil {
			return nil, err
		}
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"chunk %d\n"}}}}`+"\n", s.session, i)
		}
		return nil, s.a.Write(b.String())
	},
	// long sends a tool call whose line is so many bytes long, and more.
	"long": func(_ context.Context, s *scene, a *args) ([]string, error) {
		n, err := strconv.Atoi(a.take("a number"))
		if err != nil {
			return nil, err
		}
		head := fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":"tool_call","toolCallId":"long","rawOutput":"`, s.session)
		return nil, s.a.WriteLong(head, n, `","title":"A long story"}}}`+"\n")
	},
	"tool": func(_ context.Context, s *scene, a *args) ([]string, error) {
		u, err := s.tool(a)
		if err != nil {
			return nil, err
		}
		u["sessionUpdate"] = "tool_call"
		if u["title"] == nil {
			u["title"] = ""
		}
		return nil, s.update(u)
	},
	"tool-update": func(_ context.Context, s *scene, a *args) ([]string, error) {
		u, err := s.tool(a)
		if err != nil {
			return nil, err
		}
		u["sessionUpdate"] = "tool_call_update"
		return nil, s.update(u)
	},
	"update": func(_ context.Context, s *scene, a *args) ([]string, error) {
		var u map[string]any
		if err := json.Unmarshal([]byte(s.expand(a.text())), &u); err != nil {
			return nil, err
		}
		return nil, s.update(u)
	},
	"notify": func(_ context.Context, s *scene, a *args) ([]string, error) {
		method := a.take("a method")
		return nil, s.a.Notify(method, json.RawMessage(s.expand(a.text())))
	},
	"end": func(_ context.Context, s *scene, a *args) ([]string, error) {
		reason := "end_turn"
		if len(a.words) > 0 {
			reason = a.take("a reason")
		}
		return nil, s.finish(scriptagent.Answer{Result: map[string]any{"stopReason": reason}})
	},
	"fail": func(_ context.Context, s *scene, a *args) ([]string, error) {
		code, err := strconv.Atoi(a.take("a code"))
		if err != nil {
			return nil, err
		}
		return nil, s.finish(scriptagent.Answer{Error: &scriptagent.Error{Code: code, Message: a.text()}})
	},
	// cancelled waits for session/cancel.
	"cancelled": func(ctx context.Context, s *scene, _ *args) ([]string, error) {
		m, err := s.a.Take(ctx, "session/cancel", func(m scriptagent.Message) bool { return m.Method == "session/cancel" })
		if err != nil {
			return nil, err
		}
		return []string{s.w.shorten(string(m.Params))}, nil
	},
	// expect waits for any message of a method. A request is then to be answered.
	"expect": func(ctx context.Context, s *scene, a *args) ([]string, error) {
		method, quiet := a.take("a method"), a.flag("-q")
		m, err := s.a.Take(ctx, method, func(m scriptagent.Message) bool { return m.Method == method })
		if err != nil {
			return nil, err
		}
		if m.ID != nil {
			s.p.held = &m
		}
		if quiet {
			return nil, nil
		}
		return []string{s.w.shorten(string(m.Params))}, nil
	},
	"reply": func(_ context.Context, s *scene, a *args) ([]string, error) {
		if s.p.held == nil {
			return nil, errors.New("there is nothing to answer")
		}
		text := a.text()
		if text == "" {
			text = "{}"
		}
		if !json.Valid([]byte(text)) {
			return nil, fmt.Errorf("%s is not JSON", text)
		}
		return nil, s.a.Reply(*s.p.held, scriptagent.Answer{Result: json.RawMessage(text)})
	},
	// new answers session/new in the usual way.
	"new": func(_ context.Context, s *scene, _ *args) ([]string, error) {
		return nil, s.a.Reply(*s.p.held, scriptagent.Answer{Result: s.w.newRemote(s.p)})
	},
	"deny": func(_ context.Context, s *scene, a *args) ([]string, error) {
		code, err := strconv.Atoi(a.take("a code"))
		if err != nil || s.p.held == nil {
			return nil, fmt.Errorf("there is nothing to deny: %w", err)
		}
		return nil, s.a.Reply(*s.p.held, scriptagent.Answer{Error: &scriptagent.Error{Code: code, Message: a.text()}})
	},
	"noise": func(_ context.Context, s *scene, a *args) ([]string, error) {
		return nil, s.a.Write(s.expand(a.text()))
	},
	"stderr": func(_ context.Context, s *scene, a *args) ([]string, error) { return nil, s.a.Stderr(a.text()) },
	"pause": func(_ context.Context, s *scene, _ *args) ([]string, error) {
		s.p.paused = true
		return nil, s.a.Pause()
	},
	"resume": func(_ context.Context, s *scene, _ *args) ([]string, error) {
		s.p.paused = false
		return nil, s.a.Resume()
	},
	"mute":   func(_ context.Context, s *scene, _ *args) ([]string, error) { return nil, s.a.Mute() },
	"linger": func(_ context.Context, s *scene, _ *args) ([]string, error) { return nil, s.a.Linger() },
	"exit": func(_ context.Context, s *scene, a *args) ([]string, error) {
		code, err := strconv.Atoi(a.take("a code"))
		if err != nil {
			return nil, err
		}
		return nil, s.a.Exit(code)
	},
	"die": func(_ context.Context, s *scene, _ *args) ([]string, error) { return nil, s.a.Die() },
	// gone waits until the process has ended.
	"gone": func(ctx context.Context, s *scene, _ *args) ([]string, error) {
		select {
		case <-s.a.Done():
			return nil, nil
		case <-ctx.Done():
			return nil, errors.New("the process is still there")
		}
	},
	"eof": func(ctx context.Context, s *scene, _ *args) ([]string, error) { return nil, s.a.EOF(ctx) },
	// open creates a terminal and gives it a name.
	"open": func(ctx context.Context, s *scene, a *args) ([]string, error) { return s.open(ctx, a) },
	// as goes on in another session.
	"as": func(_ context.Context, s *scene, a *args) ([]string, error) {
		s.p.current = a.take("a session")
		return nil, nil
	},
}

// expand puts the session into a text of the script.
func (s *scene) expand(text string) string {
	return strings.NewReplacer("$SESSION", s.session, "$ROOT", s.w.root).Replace(text)
}

func (s *scene) turn(ctx context.Context) (scriptagent.Message, error) {
	m, err := s.a.Take(ctx, "a prompt", func(m scriptagent.Message) bool { return m.Method == "session/prompt" })
	if err != nil {
		return m, err
	}
	var p struct {
		SessionID string `json:"sessionId"`
	}
	if err := json.Unmarshal(m.Params, &p); err != nil {
		return m, err
	}
	s.p.current = p.SessionID
	s.p.turns[p.SessionID] = m
	return m, nil
}

func (s *scene) finish(answer scriptagent.Answer) error {
	m, ok := s.p.turns[s.session]
	if !ok {
		return errors.New("no turn is open")
	}
	delete(s.p.turns, s.session)
	return s.a.Reply(m, answer)
}

// tool reads a tool call: its id, then what is said of it.
func (s *scene) tool(a *args) (map[string]any, error) {
	u := map[string]any{"toolCallId": a.take("the id of the tool call")}
	for _, k := range []string{"title", "kind", "status", "name"} {
		if v, ok := a.option(k); ok {
			u[k] = s.expand(v)
		}
	}
	if v, ok := a.option("input"); ok {
		u["rawInput"] = json.RawMessage(s.expand(v))
	}
	if v, ok := a.option("path"); ok {
		var all []any
		for one := range strings.SplitSeq(v, ",") {
			all = append(all, map[string]any{"path": s.w.path(one)})
		}
		u["locations"] = all
	}
	var content []any
	if v, ok := a.option("diff"); ok {
		d := map[string]any{"type": "diff", "path": s.w.path(v)}
		if old, ok := a.option("old"); ok {
			d["oldText"] = old
		}
		d["newText"], _ = a.option("new")
		content = append(content, d)
	}
	if v, ok := a.option("terminal"); ok {
		content = append(content, map[string]any{"type": "terminal", "terminalId": s.p.terminals[v]})
	}
	if v, ok := a.option("text"); ok {
		content = append(content, map[string]any{"type": "content", "content": map[string]any{"type": "text", "text": v}})
	}
	if content != nil {
		u["content"] = content
	}
	return u, nil
}
