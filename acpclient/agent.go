package acpclient

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"acp-ls/acpclient/proc"
	"acp-ls/acpclient/wire"
	"acp-ls/internal/config"
	"acp-ls/internal/session"
)

// agent is one running agent process.
type agent struct {
	name       string
	host       session.Host
	process    *proc.Process
	conn       *wire.Conn
	terminals  *terminals
	info       session.AgentInfo
	configured config.Agent // what the user set of it
	done       chan struct{}

	closing context.Context // ended by Close: what the process says is then no failure
	stop    context.CancelFunc

	mu    sync.Mutex
	err   error
	modes map[string]bool // sessions whose option mode is ACP's session mode
}

var _ session.Agent = (*agent)(nil)

func (a *agent) Info() session.AgentInfo { return a.info }

func (a *agent) Done() <-chan struct{} { return a.done }

func (a *agent) Err() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.err
}

// watch ends the agent when its process or its connection ends, whichever is
// first, and says why.
func (a *agent) watch() {
	select {
	case <-a.process.Done():
	case <-a.conn.Done():
	}
	// One end follows the other; an agent that closed its output but lingers,
	// or whose children hold it, is ended.
	state := a.process.Stop(context.Background())
	_ = a.conn.Close()
	a.terminals.Close()
	a.mu.Lock()
	if a.closing.Err() == nil {
		a.err = exited(a.name, state, a.process.StderrTail())
	}
	a.mu.Unlock()
	close(a.done)
}

// exited is the message for an agent that ended by itself.
func exited(name string, st proc.Exit, stderr string) error {
	msg := fmt.Sprintf("agent %s has ended (%s)", name, st)
	if tail := lastLines(stderr, 12); tail != "" {
		msg += "; it last said:\n" + tail
	}
	// Where rows are joined, as in Markdown, what is said next has to begin a sentence.
	if !strings.ContainsAny(msg[len(msg)-1:], ".!?:;") {
		msg += "."
	}
	msg += "\nYour next prompt starts it again; the log may say more."
	return session.Errorf(session.KindAgentFailed, "%s", msg)
}

func lastLines(s string, n int) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

func (a *agent) Close(ctx context.Context) error {
	a.stop()
	a.process.Stop(ctx)
	select {
	case <-a.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func call[Res any](ctx context.Context, a *agent, method string, params any) (*Res, error) {
	res, err := wire.Call[Res](ctx, a.conn, method, params)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, a.fromWireError(err)
	}
	return res, nil
}

func (a *agent) NewSession(ctx context.Context, p session.SessionParams) (session.SessionState, error) {
	res, err := authenticated(ctx, a, func() (*wire.NewSessionResponse, error) {
		return wire.Call[wire.NewSessionResponse](ctx, a.conn, wire.MethodNewSession, wire.NewSessionRequest{
			Cwd: p.Cwd, MCPServers: fromServers(p.MCPServers), AdditionalDirectories: p.MoreRoots,
		})
	})
	if err != nil {
		return session.SessionState{}, err
	}
	return a.state(res.SessionID, res.ConfigOptions, res.Modes), nil
}

func (a *agent) state(id string, options []wire.ConfigOption, modes *wire.SessionModes) session.SessionState {
	st := session.SessionState{SessionID: id, Options: toOptions(options, modes)}
	if len(options) == 0 && modes != nil {
		a.mu.Lock()
		a.modes[id] = true
		a.mu.Unlock()
	}
	return st
}

// authenticated makes a request and, if the agent wants a login that the user
// has chosen a method for (setting authMethod), logs in and tries once more. A method that
// needs a terminal is the user's to run.
func authenticated[Res any](ctx context.Context, a *agent, request func() (*Res, error)) (*Res, error) {
	res, err := request()
	if method := a.authMethod(); wire.ErrorCode(err) == wire.CodeAuthRequired && method != "" {
		m, wrong := a.info.Login(method, fmt.Sprintf(", which the setting agents.%s.authMethod names", a.name))
		switch {
		case wrong != nil:
			return nil, session.Errorf(session.KindAuthRequired, "%s", wrong)
		case m.Terminal != nil: // authenticate must not be sent for it, and here is no terminal
			return nil, a.authRequired(err)
		}
		if err = a.Authenticate(ctx, method); err != nil {
			return nil, err
		}
		res, err = request()
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, a.fromWireError(err)
	}
	return res, nil
}

func (a *agent) load(ctx context.Context, method, id string, p session.SessionParams) (*wire.LoadSessionResponse, error) {
	return authenticated(ctx, a, func() (*wire.LoadSessionResponse, error) {
		res, err := wire.Call[wire.LoadSessionResponse](ctx, a.conn, method, wire.LoadSessionRequest{
			SessionID: id, Cwd: p.Cwd, MCPServers: fromServers(p.MCPServers), AdditionalDirectories: p.MoreRoots,
		})
		var e *wire.Error
		if errors.As(err, &e) && e.Code == wire.CodeNotFound {
			return nil, session.Errorf(session.KindUnknownSession, "agent %s has no session %q: %s%s", a.name, id, e.Message, detail(e))
		}
		return res, err
	})
}

func (a *agent) LoadSession(ctx context.Context, id string, p session.SessionParams) (session.SessionState, error) {
	method := wire.MethodLoadSession
	if i := a.Info(); !i.LoadSession && i.Resume {
		method = wire.MethodResumeSession
	}
	res, err := a.load(ctx, method, id, p)
	if err != nil {
		return session.SessionState{}, err
	}
	return a.state(id, res.ConfigOptions, res.Modes), nil
}

func (a *agent) ForkSession(ctx context.Context, id string, p session.SessionParams) (session.SessionState, error) {
	res, err := authenticated(ctx, a, func() (*wire.NewSessionResponse, error) {
		return wire.Call[wire.NewSessionResponse](ctx, a.conn, wire.MethodForkSession, wire.ForkSessionRequest{
			SessionID: id, Cwd: p.Cwd, MCPServers: fromServers(p.MCPServers), AdditionalDirectories: p.MoreRoots,
		})
	})
	if err != nil {
		return session.SessionState{}, err
	}
	return a.state(res.SessionID, res.ConfigOptions, res.Modes), nil
}

// maxPages bounds how many pages of stored sessions are fetched: a cursor that
// never ends must not.
const maxPages = 50

func (a *agent) ListSessions(ctx context.Context, cwd string) ([]session.RemoteSession, error) {
	var out []session.RemoteSession
	cursor := ""
	for range maxPages {
		res, err := call[wire.ListSessionsResponse](ctx, a, wire.MethodListSessions, wire.ListSessionsRequest{Cwd: cwd, Cursor: cursor})
		if err != nil {
			return out, err
		}
		for _, s := range res.Sessions {
			out = append(out, session.RemoteSession{SessionID: s.SessionID, Cwd: s.Cwd, Title: s.Title, UpdatedAt: s.UpdatedAt})
		}
		if cursor = res.NextCursor; cursor == "" {
			break
		}
	}
	return out, nil
}

func (a *agent) CloseSession(ctx context.Context, id string) error {
	var terminals sync.WaitGroup // how long they take is not the agent's fault
	terminals.Go(func() { a.terminals.CloseSession(id) })
	defer terminals.Wait()
	if !a.info.Close {
		return nil
	}
	_, err := call[wire.Empty](ctx, a, wire.MethodCloseSession, wire.SessionRequest{SessionID: id})
	return err
}

func (a *agent) DeleteSession(ctx context.Context, id string) error {
	a.terminals.CloseSession(id)
	_, err := call[wire.Empty](ctx, a, wire.MethodDeleteSession, wire.SessionRequest{SessionID: id})
	return err
}

func (a *agent) Prompt(ctx context.Context, id string, blocks []session.Block) (session.StopReason, error) {
	res, err := call[wire.PromptResponse](ctx, a, wire.MethodPrompt, wire.PromptRequest{SessionID: id, Prompt: fromBlocks(blocks)})
	if err != nil {
		return "", err
	}
	return session.StopReason(res.StopReason), nil
}

// cancelWait bounds the writing of a cancellation to an agent that does not
// read.
const cancelWait = 5 * time.Second

func (a *agent) Cancel(id string) error {
	ctx, cancel := context.WithTimeout(context.Background(), cancelWait)
	defer cancel()
	return a.conn.Notify(ctx, wire.MethodCancel, wire.SessionRequest{SessionID: id})
}

func (a *agent) SetOption(ctx context.Context, id, option string, value any) ([]session.Option, error) {
	a.mu.Lock()
	mode := option == modeOption && a.modes[id]
	a.mu.Unlock()
	if mode {
		v, ok := value.(string)
		if !ok {
			return nil, session.Errorf(session.KindInvalid, "option mode is a string, not %v", value)
		}
		_, err := call[wire.Empty](ctx, a, wire.MethodSetMode, wire.SetModeRequest{SessionID: id, ModeID: v})
		return nil, err
	}
	req := wire.SetConfigOptionRequest{SessionID: id, ConfigID: option}
	switch v := value.(type) {
	case string:
		req.Value = v
	case bool:
		req.Bool = &v
	default:
		return nil, session.Errorf(session.KindInvalid, "option %s is a string or a boolean, not %v", option, value)
	}
	res, err := call[wire.SetConfigOptionResponse](ctx, a, wire.MethodSetConfigOption, req)
	if err != nil {
		return nil, err
	}
	return toOptions(res.ConfigOptions, nil), nil
}

func (a *agent) Authenticate(ctx context.Context, method string) error {
	_, err := call[wire.Empty](ctx, a, wire.MethodAuthenticate, wire.AuthenticateRequest{MethodID: method})
	return err
}

func (a *agent) Logout(ctx context.Context) error {
	_, err := call[wire.Empty](ctx, a, wire.MethodLogout, wire.LogoutRequest{})
	return err
}

func (a *agent) authMethod() string { return a.configured.AuthMethod }

// authRequired tells a user how to log in.
func (a *agent) authRequired(err error) error {
	var e *wire.Error
	errors.As(err, &e)
	var ways []string
	for _, m := range a.info.AuthMethods {
		ways = append(ways, fmt.Sprintf("%s (%s)", m.Name, m.ID))
	}
	msg := fmt.Sprintf("agent %s needs a login: %s", a.name, e.Message)
	set, _ := a.info.Login(a.authMethod(), "")
	switch {
	case a.authMethod() != "" && set.Terminal != nil:
		msg += fmt.Sprintf("; log in from the editor, or run this in a terminal, then restart the agent: %s",
			set.Terminal.InTerminal())
	case len(ways) > 0:
		msg += "; log in from the editor with one of: " + strings.Join(ways, ", ")
	default:
		msg += "; log in with the agent's own program, then restart it"
	}
	return session.Errorf(session.KindAuthRequired, "%s", msg)
}

// describe keeps what the agent said of itself.
func describe(name string, r *wire.InitializeResponse, q quirks, login proc.Command) session.AgentInfo {
	c := r.AgentCapabilities
	i := session.AgentInfo{
		Name: name, LoadSession: c.LoadSession,
		Resume: c.Session.Resume != nil, List: c.Session.List != nil, Close: c.Session.Close != nil,
		Delete: c.Session.Delete != nil, Fork: c.Session.Fork != nil,
		MoreRoots: c.Session.AdditionalDirectories != nil,
		Image:     c.Prompt.Image, Audio: c.Prompt.Audio, EmbeddedContext: c.Prompt.EmbeddedContext && !q.dropsEmbedded,
		MissingReadsEmpty: q.missingReadsEmpty, MirrorsWrites: q.mirrorsWrites,
	}
	if r.AgentInfo != nil {
		i.Title, i.Version = r.AgentInfo.Title, r.AgentInfo.Version
		if i.Title == "" {
			i.Title = r.AgentInfo.Name
		}
	}
	for _, m := range r.AuthMethods {
		out := session.AuthMethod{ID: m.ID, Name: m.Name, Description: m.Description}
		if m.Type == wire.AuthTerminal {
			out.Terminal = &session.RunRequest{Title: m.Name, Command: login.Path,
				Args: append(append([]string{}, login.Args...), m.Args...), Env: m.Env, Cwd: login.Dir}
		}
		i.AuthMethods = append(i.AuthMethods, out)
	}
	return i
}
