package acpclient

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"acp-ls/acpclient/proc"
	"acp-ls/acpclient/wire"
)

const (
	// terminalCeiling bounds the output kept of one terminal, in bytes, also
	// where an agent asks for more or names no limit.
	terminalCeiling = 8 << 20

	terminalGrace    = 500 * time.Millisecond // between TERM and KILL
	terminalInterval = time.Second / 30       // at least, between two calls of appended
	terminalsLive    = 64                     // not released, of one session
)

// terminalOptions configure a [sessionTerminals]. The zero value is usable.
type terminalOptions struct {
	ceiling int           // bytes; 0 means terminalCeiling
	ids     *atomic.Int64 // the last one given out, here or elsewhere; nil: none yet

	// appended is told of new output, at most 30 times a second for each terminal
	// and never twice at once. May be nil.
	appended func(terminalAppend)

	// exited is told when a terminal's command has ended, after the last output
	// the command itself wrote was given to appended. May be nil.
	exited func(terminalState)
}

// terminalAppend is new output of a terminal.
type terminalAppend struct {
	id      string
	text    string // whole characters
	skipped int64  // bytes before text that came faster than they could be shown
}

// terminalState is a terminal as it is to be shown.
type terminalState struct {
	id        string
	output    string
	truncated bool // there was more before output
	exited    bool
	exitCode  int    // valid if exited and signal is empty
	signal    string // as "SIGKILL"
}

// sessionTerminals are the terminals of one session (methods terminal/*): commands that
// the agent has us run. They have no tty and no input; stdout and stderr are one
// text. All of them end with close.
//
// A request that names a terminal which is not there, or was released, is
// answered with [wire.CodeNotFound].
type sessionTerminals struct {
	opt terminalOptions

	mu     sync.Mutex
	closed bool
	all    map[string]*terminal
	work   sync.WaitGroup
}

// newSessionTerminals returns the terminals of a new session.
func newSessionTerminals(opt terminalOptions) *sessionTerminals {
	if opt.ceiling <= 0 {
		opt.ceiling = terminalCeiling
	}
	if opt.ids == nil {
		opt.ids = new(atomic.Int64)
	}
	return &sessionTerminals{opt: opt, all: make(map[string]*terminal)}
}

// create starts a command in dir and returns the id of its terminal at once. A
// command without arguments that is no program is a line for the shell.
func (ts *sessionTerminals) create(dir string, r *wire.CreateTerminalRequest) (id string, err error) {
	if !filepath.IsAbs(dir) {
		return "", wire.NewError(wire.CodeInvalidParams, fmt.Sprintf("terminal/create: working directory %q is not absolute", dir))
	}
	c := terminalCommand(dir, r)
	t := &terminal{changed: make(chan struct{}, 1), told: make(chan struct{})}
	t.out.limit = ts.opt.ceiling
	if r.OutputByteLimit != nil && *r.OutputByteLimit < uint64(ts.opt.ceiling) {
		t.out.limit = int(*r.OutputByteLimit)
	}
	c.Output = t.write

	if t.id, err = ts.reserve(); err != nil {
		return "", err
	}
	if t.proc, err = proc.Start(c); err != nil {
		ts.forget(t.id)
		return "", wire.NewError(wire.CodeInternal, fmt.Sprintf("terminal/create: %v", err))
	}
	ts.mu.Lock()
	closed := ts.closed
	if !closed {
		ts.all[t.id] = t
		ts.work.Go(func() { ts.follow(t) })
	}
	ts.mu.Unlock()
	if closed {
		t.proc.Kill()
		t.proc.Wait()
		return "", errTerminalsClosed
	}
	return t.id, nil
}

var errTerminalsClosed = wire.NewError(wire.CodeInternal, "terminal/create: the session is closed")

// terminalCommand returns what is to be run.
func terminalCommand(dir string, r *wire.CreateTerminalRequest) proc.Command {
	env := make(map[string]string, len(r.Env))
	for _, v := range r.Env {
		env[v.Name] = v.Value
	}
	complete := func(c proc.Command) proc.Command {
		c.Dir, c.AddEnv, c.Grace = dir, env, terminalGrace
		c.Linger = true // a server that the command has started goes on until it is released
		return c
	}
	c := complete(proc.Command{Path: r.Command, Args: r.Args})
	if len(r.Args) == 0 {
		if _, err := c.Find(); err != nil {
			return complete(proc.Command{Line: r.Command})
		}
	}
	return c
}

// reserve gives out an id, if there may be one more terminal.
func (ts *sessionTerminals) reserve() (string, error) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.closed {
		return "", errTerminalsClosed
	}
	if len(ts.all) >= terminalsLive {
		return "", wire.NewError(wire.CodeInternal, fmt.Sprintf("terminal/create: %d terminals are open: release some", len(ts.all)))
	}
	id := "terminal-" + strconv.FormatInt(ts.opt.ids.Add(1), 10)
	ts.all[id] = nil // not there yet, but counted
	return id, nil
}

func (ts *sessionTerminals) forget(id string) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	delete(ts.all, id)
}

func (ts *sessionTerminals) get(id string) (*terminal, error) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if t := ts.all[id]; t != nil {
		return t, nil
	}
	return nil, wire.NewError(wire.CodeNotFound, fmt.Sprintf("terminal %q: there is none, or it was released", id))
}

// output returns the output so far and, once the command has ended, how it did.
func (ts *sessionTerminals) output(id string) (wire.TerminalOutputResponse, error) {
	t, err := ts.get(id)
	if err != nil {
		return wire.TerminalOutputResponse{}, err
	}
	s := t.state()
	r := wire.TerminalOutputResponse{Output: s.output, Truncated: s.truncated}
	if s.exited {
		status := exitStatus(s)
		r.ExitStatus = &status
	}
	return r, nil
}

// waitForExit waits until the command has ended, by itself or by kill
// or release, or ctx has.
func (ts *sessionTerminals) waitForExit(ctx context.Context, id string) (wire.TerminalExitStatus, error) {
	t, err := ts.get(id)
	if err != nil {
		return wire.TerminalExitStatus{}, err
	}
	return t.wait(ctx)
}

// kill ends the command and what it has started, and returns when they are gone.
// The terminal stays.
func (ts *sessionTerminals) kill(ctx context.Context, id string) error {
	t, err := ts.get(id)
	if err != nil {
		return err
	}
	t.proc.End(ctx)
	t.ended()
	return nil
}

// release ends the command, as kill does, and makes the id invalid
// for the agent at once. What it has shown is in the session's transcript.
func (ts *sessionTerminals) release(ctx context.Context, id string) error {
	t, err := ts.get(id)
	if err != nil {
		return err
	}
	ts.mu.Lock()
	delete(ts.all, id)
	ts.mu.Unlock()
	t.proc.End(ctx)
	t.ended()
	return nil
}

// close ends all terminals and returns when nothing of them is left and neither
// appended nor exited will be called any more. When ctx ends it kills without
// grace.
func (ts *sessionTerminals) close(ctx context.Context) {
	ts.mu.Lock()
	ts.closed = true
	var live []*terminal
	for id, t := range ts.all {
		if t != nil {
			live = append(live, t)
		}
		delete(ts.all, id)
	}
	ts.mu.Unlock()
	var ending sync.WaitGroup
	for _, t := range live {
		ending.Go(func() { t.proc.End(ctx) })
	}
	ending.Wait()
	ts.work.Wait()
}
