package demo

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"acp-ls/acpclient/wire"
)

// Options of an agent.
type Options struct {
	// Pace is the time between two pieces of an answer. A model's is about
	// 20 ms; 0 sends them as fast as they are taken.
	Pace    time.Duration
	Version string
}

// Serve speaks with the client that reads out and writes in, until in ends or
// ctx does. Both are closed. It returns when every turn has ended; the error is
// nil if in ended cleanly. Where closing in does not end a read of it that
// waits, as on a terminal, Serve leaves that read behind when ctx ends.
func Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser, o Options) error {
	a := &agent{opt: o, sessions: map[string]*session{}}
	a.out = &announcer{WriteCloser: out, waiting: map[string]func(){}}
	a.conn = wire.NewConn(in, a.out, wire.StreamOptions{})
	a.conn.Start(a)
	var given <-chan time.Time
	select {
	case <-a.conn.Done():
	case <-ctx.Done():
		given = time.After(grace)
	}
	err := a.conn.Err()
	closed := make(chan error, 1)
	go func() {
		closed <- a.conn.Close()
		a.work.Wait()
		close(closed)
	}()
	select {
	case closeErr := <-closed:
		<-closed
		return cmp.Or(err, closeErr)
	case <-given:
		return err
	}
}

// grace is how long Serve waits for its end after its context has ended.
const grace = time.Second

// agent answers a client. To the connection the methods of an agent are
// extensions, as it is made for the other side.
type agent struct {
	wire.Unimplemented
	opt  Options
	conn *wire.Conn
	out  *announcer
	work sync.WaitGroup

	mu       sync.Mutex // guards what follows
	client   wire.ClientCapabilities
	sessions map[string]*session
	count    int
}

var _ wire.Handler = (*agent)(nil)

// ExtRequest implements [wire.Handler].
func (a *agent) ExtRequest(ctx context.Context, method string, params jsontext.Value) (any, error) {
	switch method {
	case wire.MethodInitialize:
		return answer(params, a.initialize)
	case wire.MethodAuthenticate, wire.MethodLogout:
		return wire.Empty{}, nil
	case wire.MethodNewSession:
		return answer(params, a.newSession)
	case wire.MethodSetMode:
		return answer(params, a.setMode)
	case wire.MethodSetConfigOption:
		return answer(params, a.setOption)
	case wire.MethodCloseSession:
		return answer(params, a.closeSession)
	case wire.MethodPrompt:
		r, err := decode[wire.PromptRequest](params)
		if err != nil {
			return nil, err
		}
		return a.prompt(ctx, r)
	}
	return a.Unimplemented.ExtRequest(ctx, method, params)
}

// ExtNotification implements [wire.Handler].
func (a *agent) ExtNotification(_ context.Context, method string, params jsontext.Value) {
	if method != wire.MethodCancel {
		return
	}
	if r, err := decode[wire.SessionRequest](params); err == nil {
		if s, err := a.session(r.SessionID); err == nil {
			s.cancelTurn()
		}
	}
}

func decode[P any](params jsontext.Value) (*P, error) {
	p := new(P)
	if _, err := wire.Decode(params, p); err != nil {
		return nil, wire.NewError(wire.CodeInvalidParams, err.Error())
	}
	return p, nil
}

func answer[P, R any](params jsontext.Value, f func(*P) (R, error)) (any, error) {
	p, err := decode[P](params)
	if err != nil {
		return nil, err
	}
	r, err := f(p)
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (a *agent) initialize(r *wire.InitializeRequest) (wire.InitializeResponse, error) {
	a.mu.Lock()
	a.client = r.ClientCapabilities
	a.mu.Unlock()
	version := a.opt.Version
	if version == "" {
		version = "0"
	}
	return wire.InitializeResponse{
		ProtocolVersion: wire.ProtocolVersion,
		AgentInfo:       &wire.Implementation{Name: "acp-ls-demo", Title: "Demo", Version: version},
		AgentCapabilities: wire.AgentCapabilities{
			Prompt:  wire.PromptCapabilities{EmbeddedContext: true},
			Session: wire.SessionCapabilities{Close: &wire.Capability{}},
		},
	}, nil
}

func (a *agent) newSession(r *wire.NewSessionRequest) (wire.NewSessionResponse, error) {
	if !filepath.IsAbs(r.Cwd) {
		return wire.NewSessionResponse{}, wire.NewError(wire.CodeInvalidParams, fmt.Sprintf("cwd %q is not an absolute path", r.Cwd))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.count++
	s := &session{id: fmt.Sprintf("demo-%d", a.count), cwd: filepath.Clean(r.Cwd), mode: modeAsk, allowed: map[string]bool{}}
	a.sessions[s.id] = s
	a.out.after(s.id, func() {
		a.work.Go(func() {
			_ = a.update(context.Background(), s.id, &wire.AvailableCommands{SessionUpdate: "available_commands_update", Commands: slashCommands})
		})
	})
	return wire.NewSessionResponse{SessionID: s.id, Modes: s.modes(), ConfigOptions: s.options()}, nil
}

func (a *agent) session(id string) (*session, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s := a.sessions[id]; s != nil {
		return s, nil
	}
	return nil, wire.NewError(wire.CodeNotFound, fmt.Sprintf("there is no session %q", id))
}

func (a *agent) closeSession(r *wire.SessionRequest) (wire.Empty, error) {
	s, err := a.session(r.SessionID)
	if err != nil {
		return wire.Empty{}, err
	}
	a.mu.Lock()
	delete(a.sessions, s.id)
	a.mu.Unlock()
	s.cancelTurn()
	return wire.Empty{}, nil
}

func (a *agent) setMode(r *wire.SetModeRequest) (wire.Empty, error) {
	s, err := a.session(r.SessionID)
	if err != nil {
		return wire.Empty{}, err
	}
	return wire.Empty{}, s.setMode(r.ModeID)
}

func (a *agent) setOption(r *wire.SetConfigOptionRequest) (wire.SetConfigOptionResponse, error) {
	s, err := a.session(r.SessionID)
	if err != nil {
		return wire.SetConfigOptionResponse{}, err
	}
	if r.ConfigID != optionMode {
		return wire.SetConfigOptionResponse{}, wire.NewError(wire.CodeInvalidParams, fmt.Sprintf("there is no option %q", r.ConfigID))
	}
	if err := s.setMode(r.Value); err != nil {
		return wire.SetConfigOptionResponse{}, err
	}
	return wire.SetConfigOptionResponse{ConfigOptions: s.options()}, nil
}

// prompt runs a turn. It is answered with a stop reason in any case but that of
// a wrong request: what goes wrong in the turn is said in it.
func (a *agent) prompt(ctx context.Context, r *wire.PromptRequest) (wire.PromptResponse, error) {
	s, err := a.session(r.SessionID)
	if err != nil {
		return wire.PromptResponse{}, err
	}
	turnCtx, end, err := s.beginTurn(ctx)
	if err != nil {
		return wire.PromptResponse{}, err
	}
	defer end()
	wire.Release(ctx) // what was sent before is done; a cancel must get through

	a.mu.Lock()
	client := a.client
	a.mu.Unlock()
	t := &turn{agent: a, session: s, ctx: turnCtx, client: client}
	err = t.run(r.Prompt)
	switch {
	case turnCtx.Err() != nil:
		return wire.PromptResponse{StopReason: wire.StopCancelled}, nil
	case errors.Is(err, wire.ErrClosed):
		return wire.PromptResponse{}, err
	case err != nil:
		_ = t.say("Something went wrong: " + err.Error())
	}
	return wire.PromptResponse{StopReason: wire.StopEndTurn}, nil
}

func (a *agent) update(ctx context.Context, sessionID string, u wire.Update) error {
	return a.conn.Notify(ctx, wire.MethodUpdate, struct {
		SessionID string      `json:"sessionId"`
		Update    wire.Update `json:"update"`
	}{sessionID, u})
}

// announcer lets something follow the response that names a new session, and
// not overtake it. It sees every message go out, each in one Write.
type announcer struct {
	io.WriteCloser
	mu      sync.Mutex
	waiting map[string]func() // by session id; called once
}

func (w *announcer) after(id string, f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting[id] = f
}

func (w *announcer) Write(p []byte) (int, error) {
	n, err := w.WriteCloser.Write(p)
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, f := range w.waiting {
		// Nothing names the session before the response that makes it known.
		if bytes.Contains(p, []byte(`"sessionId":"`+id+`"`)) {
			delete(w.waiting, id)
			if err == nil {
				f()
			}
		}
	}
	return n, err
}
