package acpclient

import (
	"context"
	"fmt"
	"sync"
	"time"

	"acp-ls/acpclient/proc"
	"acp-ls/acpclient/wire"
)

// terminal is one command. The mutex guards the members below it.
type terminal struct {
	id   string
	proc *proc.Process

	mu      sync.Mutex
	out     terminalOutput
	exit    *proc.Exit
	told    chan struct{} // closed when Exited was
	changed chan struct{} // capacity 1: there is something for Appended
}

// wait waits until the command has ended, or ctx has.
func (t *terminal) wait(ctx context.Context) (wire.TerminalExitStatus, error) {
	select {
	case <-t.told: // the agent is not to know before the user
	case <-ctx.Done():
		return wire.TerminalExitStatus{}, fmt.Errorf("wait for %s: %w", t.id, context.Cause(ctx))
	}
	return exitStatus(t.state()), nil
}

// follow tells of a terminal's output and end until its processes are gone.
func (ts *sessionTerminals) follow(t *terminal) {
	var told int64
	tell := func() {
		t.mu.Lock()
		text, skipped := t.out.since(told)
		a := terminalAppend{id: t.id, text: string(text), skipped: skipped}
		told = t.out.total
		t.mu.Unlock()
		if ts.opt.appended != nil && (a.text != "" || a.skipped > 0) {
			ts.opt.appended(a)
		}
	}
	pause := time.NewTimer(0)
	defer pause.Stop()
	done := t.proc.Done()
	for {
		select {
		case <-t.changed:
			tell()
			// The next one not before the interval is over; what comes meanwhile is
			// joined to it.
			pause.Reset(terminalInterval)
			select {
			case <-pause.C:
			case <-done:
			case <-t.proc.Gone():
			}
		case <-done:
			t.ended()
			tell()
			if ts.opt.exited != nil {
				ts.opt.exited(t.state())
			}
			close(t.told)
			done = nil
		case <-t.proc.Gone():
			if done != nil {
				continue
			}
			t.mu.Lock()
			t.out.finish()
			t.mu.Unlock()
			tell()
			return
		}
	}
}

// write takes output from the process.
func (t *terminal) write(p []byte) {
	t.mu.Lock()
	t.out.write(p)
	t.mu.Unlock()
	select {
	case t.changed <- struct{}{}:
	default:
	}
}

// ended notes how the command has ended. Its own output is complete by then.
func (t *terminal) ended() {
	e := t.proc.Exit()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.exit == nil {
		t.exit = &e
		t.out.finish()
	}
}

func (t *terminal) state() terminalState {
	t.mu.Lock()
	defer t.mu.Unlock()
	text, truncated := t.out.tail()
	s := terminalState{id: t.id, output: string(text), truncated: truncated}
	if t.exit != nil {
		s.exited, s.exitCode, s.signal = true, t.exit.Code, t.exit.Signal
		if t.exit.Err != nil {
			s.signal = "SIGKILL"
		}
	}
	return s
}

func exitStatus(s terminalState) wire.TerminalExitStatus {
	if s.signal != "" {
		return wire.TerminalExitStatus{Signal: s.signal}
	}
	code := uint32(s.exitCode)
	return wire.TerminalExitStatus{ExitCode: &code}
}
