package acpclient

import (
	"context"
	"sync"
	"sync/atomic"

	"acp-ls/acpclient/wire"
	"acp-ls/internal/session"
)

// terminals are the terminals of all sessions of one agent process.
type terminals struct {
	ids    *atomic.Int64
	output func(sessionID string, o session.TerminalOutput)

	mu       sync.Mutex
	closed   bool
	sessions map[string]*sessionTerminals
}

// newTerminals returns terminals whose output, and whose end, is told to output. Their
// names are made of ids.
func newTerminals(ids *atomic.Int64, output func(sessionID string, o session.TerminalOutput)) *terminals {
	return &terminals{ids: ids, output: output, sessions: make(map[string]*sessionTerminals)}
}

// existing returns the terminals of a session, none if it has had none.
func (ts *terminals) existing(sessionID string) *sessionTerminals {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if s := ts.sessions[sessionID]; s != nil {
		return s
	}
	return newSessionTerminals(terminalOptions{})
}

// of returns the terminals of a session.
func (ts *terminals) of(sessionID string) *sessionTerminals {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	s := ts.sessions[sessionID]
	if s == nil {
		s = newSessionTerminals(terminalOptions{
			ids: ts.ids,
			appended: func(a terminalAppend) {
				ts.output(sessionID, session.TerminalOutput{Terminal: a.id, Output: a.text})
			},
			exited: func(st terminalState) {
				ts.output(sessionID, session.TerminalOutput{Terminal: st.id, Exit: terminalExit(st)})
			},
		})
		s.closed = ts.closed
		ts.sessions[sessionID] = s
	}
	return s
}

func terminalExit(st terminalState) *session.TerminalExit {
	if st.signal != "" {
		return &session.TerminalExit{Signal: st.signal}
	}
	return &session.TerminalExit{ExitCode: &st.exitCode}
}

// Create starts a command in dir and returns the terminal's id.
func (ts *terminals) Create(sessionID, dir string, r *wire.CreateTerminalRequest) (string, error) {
	return ts.of(sessionID).create(dir, r)
}

// Output answers terminal/output.
func (ts *terminals) Output(r *wire.TerminalRequest) (wire.TerminalOutputResponse, error) {
	return ts.existing(r.SessionID).output(r.TerminalID)
}

// WaitForExit answers terminal/wait_for_exit when the command has ended.
func (ts *terminals) WaitForExit(ctx context.Context, r *wire.TerminalRequest) (wire.TerminalExitStatus, error) {
	return ts.existing(r.SessionID).waitForExit(ctx, r.TerminalID)
}

// Kill answers terminal/kill when the command and what it started are gone.
func (ts *terminals) Kill(ctx context.Context, r *wire.TerminalRequest) error {
	return ts.existing(r.SessionID).kill(ctx, r.TerminalID)
}

// Release answers terminal/release when the command and what it started are gone.
func (ts *terminals) Release(ctx context.Context, r *wire.TerminalRequest) error {
	return ts.existing(r.SessionID).release(ctx, r.TerminalID)
}

// CloseSession ends a session's terminals and returns when they are gone.
func (ts *terminals) CloseSession(sessionID string) {
	ts.mu.Lock()
	s := ts.sessions[sessionID]
	delete(ts.sessions, sessionID)
	ts.mu.Unlock()
	if s != nil {
		s.close(context.Background())
	}
}

// Close ends all terminals and returns when they are gone. None can be created
// any more.
func (ts *terminals) Close() {
	ts.mu.Lock()
	ts.closed = true
	all := make([]*sessionTerminals, 0, len(ts.sessions))
	for _, s := range ts.sessions {
		all = append(all, s)
	}
	ts.mu.Unlock()
	var closing sync.WaitGroup
	for _, s := range all {
		closing.Go(func() { s.close(context.Background()) })
	}
	closing.Wait()
}
