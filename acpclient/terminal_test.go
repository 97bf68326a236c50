//go:build unix

package acpclient

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"acp-ls/acpclient/wire"
	"acp-ls/internal/session"
)

// shown collects what is told of terminals.
type shown struct {
	mu   sync.Mutex
	text map[string]string
	exit map[string]*session.TerminalExit
	more chan struct{}
}

func newTestTerminals(t *testing.T) (*terminals, *shown) {
	s := &shown{text: map[string]string{}, exit: map[string]*session.TerminalExit{}, more: make(chan struct{}, 1)}
	ts := newTerminals(new(atomic.Int64), func(id string, o session.TerminalOutput) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.text[id+" "+o.Terminal] += o.Output
		if o.Exit != nil {
			s.exit[id+" "+o.Terminal] = o.Exit
		}
		select {
		case s.more <- struct{}{}:
		default:
		}
	})
	t.Cleanup(ts.Close)
	return ts, s
}

// until waits until ok holds of the terminal.
func (s *shown) until(t *testing.T, key string, ok func(text string, exit *session.TerminalExit) bool) {
	t.Helper()
	deadline := time.After(patience)
	for {
		s.mu.Lock()
		done := ok(s.text[key], s.exit[key])
		s.mu.Unlock()
		if done {
			return
		}
		select {
		case <-s.more:
		case <-deadline:
			t.Fatalf("terminal %s: %q, %v", key, s.text[key], s.exit[key])
		}
	}
}

func create(t *testing.T, ts *terminals, dir, command string, args ...string) string {
	t.Helper()
	id, err := ts.Create("s", dir, &wire.CreateTerminalRequest{SessionID: "s", Command: command, Args: args})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func req(id string) *wire.TerminalRequest {
	return &wire.TerminalRequest{SessionID: "s", TerminalID: id}
}

func waitExit(t *testing.T, ts *terminals, id string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	status, err := ts.WaitForExit(ctx, req(id))
	if err != nil {
		t.Fatal(err)
	}
	return statusText(&status)
}

func statusText(s *wire.TerminalExitStatus) string {
	switch {
	case s == nil:
		return "running"
	case s.ExitCode != nil:
		return fmt.Sprint(*s.ExitCode, s.Signal)
	}
	return s.Signal
}

func output(t *testing.T, ts *terminals, id string) wire.TerminalOutputResponse {
	t.Helper()
	o, err := ts.Output(req(id))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestTerminalCommand(t *testing.T) {
	ts, s := newTestTerminals(t)
	dir, other := realTempDir(t), realTempDir(t)
	if err := os.WriteFile(filepath.Join(dir, "script"), []byte("#!/bin/sh\necho in $0\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		r    wire.CreateTerminalRequest
		dir  string
		out  string
		exit string
	}{
		{"arguments", wire.CreateTerminalRequest{Command: "printf", Args: []string{"%s|", "a b", "$HOME"}}, dir, "a b|$HOME|", "0"},
		{"no arguments", wire.CreateTerminalRequest{Command: "pwd"}, dir, dir + "\n", "0"},
		{"directory", wire.CreateTerminalRequest{Command: "pwd"}, other, other + "\n", "0"},
		{"a line", wire.CreateTerminalRequest{Command: "echo one && (echo two >&2); exit 3"}, dir, "one\ntwo\n", "3"},
		{"a builtin", wire.CreateTerminalRequest{Command: "exit"}, dir, "", "0"},
		{"a file", wire.CreateTerminalRequest{Command: "./script"}, dir, "in " + dir + "/script\n", "0"},
		{"environment", wire.CreateTerminalRequest{Command: "echo $A$B", Env: []wire.EnvVariable{{Name: "A", Value: "1"}, {Name: "A", Value: "2"}, {Name: "B", Value: "x=y"}}}, dir, "2x=y\n", "0"},
		{"a signal", wire.CreateTerminalRequest{Command: "kill -9 $$"}, dir, "", "SIGKILL"},
		{"no input", wire.CreateTerminalRequest{Command: "cat"}, dir, "", "0"},
		{"unknown", wire.CreateTerminalRequest{Command: "no-such-program-here"}, dir, "not found", "127"},
	} {
		t.Run(c.name, func(t *testing.T) {
			id, err := ts.Create("s", c.dir, &c.r)
			if err != nil {
				t.Fatal(err)
			}
			if got := waitExit(t, ts, id); got != c.exit {
				t.Errorf("exit %s, want %s", got, c.exit)
			}
			o := output(t, ts, id)
			if o.Output != c.out && (c.exit != "127" || !strings.Contains(o.Output, c.out)) {
				t.Errorf("output %q, want %q", o.Output, c.out)
			}
			if o.Truncated || statusText(o.ExitStatus) != c.exit {
				t.Errorf("truncated %v, status %s", o.Truncated, statusText(o.ExitStatus))
			}
			s.until(t, "s "+id, func(text string, exit *session.TerminalExit) bool { return text == o.Output && exit != nil })
		})
	}
}

func TestTerminalErrors(t *testing.T) {
	ts, _ := newTestTerminals(t)
	dir := t.TempDir()
	if _, err := ts.Create("s", "relative", &wire.CreateTerminalRequest{Command: "pwd"}); wire.ErrorCode(err) != wire.CodeInvalidParams {
		t.Errorf("relative directory: %v", err)
	}
	if _, err := ts.Create("s", filepath.Join(dir, "none"), &wire.CreateTerminalRequest{Command: "pwd"}); wire.ErrorCode(err) != wire.CodeInternal {
		t.Errorf("missing directory: %v", err)
	}
	if _, err := ts.Create("s", dir, &wire.CreateTerminalRequest{Command: "no-such-program", Args: []string{"x"}}); err == nil || !strings.Contains(err.Error(), "not found") {
		t.Errorf("missing program: %v", err)
	}
	for name, err := range map[string]error{
		"output":  second(ts.Output(req("terminal-9"))),
		"wait":    second(ts.WaitForExit(context.Background(), req("terminal-9"))),
		"kill":    ts.Kill(context.Background(), req("terminal-9")),
		"release": ts.Release(context.Background(), req("terminal-9")),
	} {
		if wire.ErrorCode(err) != wire.CodeNotFound {
			t.Errorf("%s of no terminal: %v", name, err)
		}
	}
	// The ids of one session mean nothing in another.
	id := create(t, ts, dir, "pwd")
	if _, err := ts.Output(&wire.TerminalRequest{SessionID: "other", TerminalID: id}); wire.ErrorCode(err) != wire.CodeNotFound {
		t.Errorf("terminal of another session: %v", err)
	}
}

// realTempDir returns a folder by the name pwd has for it.
func realTempDir(t *testing.T) string {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func second[A any](_ A, err error) error { return err }

func TestTerminalLimit(t *testing.T) {
	ts, s := newTestTerminals(t)
	dir := t.TempDir()
	limit := uint64(10)
	id, err := ts.Create("s", dir, &wire.CreateTerminalRequest{Command: "printf 0123456789é€", OutputByteLimit: &limit})
	if err != nil {
		t.Fatal(err)
	}
	waitExit(t, ts, id)
	if o := output(t, ts, id); o.Output != "56789é€" || !o.Truncated {
		t.Errorf("got %+v", o)
	}
	s.until(t, "s "+id, func(_ string, exit *session.TerminalExit) bool { return exit != nil })
}

func TestTerminalBigOutput(t *testing.T) {
	ts, s := newTestTerminals(t)
	const size = 20 << 20
	id := create(t, ts, t.TempDir(), fmt.Sprintf("head -c %d /dev/zero | tr '\\0' x; echo end", size))
	if got := waitExit(t, ts, id); got != "0" {
		t.Fatal(got)
	}
	o := output(t, ts, id)
	if len(o.Output) != terminalCeiling || !o.Truncated || !strings.HasSuffix(o.Output, "xend\n") {
		t.Errorf("%d bytes, truncated %v", len(o.Output), o.Truncated)
	}
	s.until(t, "s "+id, func(text string, exit *session.TerminalExit) bool {
		return exit != nil && strings.HasSuffix(text, "xend\n") && len(text) <= size+4
	})
}

func TestTerminalOutputAsItComes(t *testing.T) {
	ts, s := newTestTerminals(t)
	fifo := filepath.Join(t.TempDir(), "go")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	id := create(t, ts, t.TempDir(), "echo first; read go <"+fifo+"; echo second")
	s.until(t, "s "+id, func(text string, _ *session.TerminalExit) bool { return text == "first\n" })
	if o := output(t, ts, id); o.Output != "first\n" || o.ExitStatus != nil {
		t.Errorf("while it runs: %+v", o)
	}
	if err := os.WriteFile(fifo, []byte("go\n"), 0); err != nil {
		t.Fatal(err)
	}
	s.until(t, "s "+id, func(text string, exit *session.TerminalExit) bool { return text == "first\nsecond\n" && exit != nil })
}

func TestTerminalKill(t *testing.T) {
	ts, s := newTestTerminals(t)
	id := create(t, ts, t.TempDir(), "echo up; sleep 1000 & sleep 1000")
	s.until(t, "s "+id, func(text string, _ *session.TerminalExit) bool { return text == "up\n" })
	waited := make(chan string, 1)
	go func() { waited <- waitExit(t, ts, id) }()
	if err := ts.Kill(context.Background(), req(id)); err != nil {
		t.Fatal(err)
	}
	if got := <-waited; got != "SIGTERM" {
		t.Errorf("waiter got %s", got)
	}
	// The id stays valid, and killing again is no error.
	if o := output(t, ts, id); o.Output != "up\n" || statusText(o.ExitStatus) != "SIGTERM" {
		t.Errorf("after the kill: %+v", o)
	}
	if err := ts.Kill(context.Background(), req(id)); err != nil {
		t.Error(err)
	}
}

func TestTerminalKillRaces(t *testing.T) {
	ts, _ := newTestTerminals(t)
	for i := range 10 {
		id := create(t, ts, t.TempDir(), "trap '' TERM; echo x; sleep "+[]string{"0", "1000"}[i%2])
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // no grace
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				if err := ts.Kill(ctx, req(id)); err != nil && wire.ErrorCode(err) != wire.CodeNotFound {
					t.Error(err)
				}
			})
		}
		wg.Go(func() {
			if err := ts.Release(ctx, req(id)); err != nil {
				t.Error(err)
			}
		})
		wg.Wait()
	}
}

func TestTerminalRelease(t *testing.T) {
	ts, s := newTestTerminals(t)
	id := create(t, ts, t.TempDir(), "echo up; exec sleep 1000")
	s.until(t, "s "+id, func(text string, _ *session.TerminalExit) bool { return text == "up\n" })
	waiter, err := ts.existing("s").get(id)
	if err != nil {
		t.Fatal(err)
	}
	waited := make(chan string, 1)
	go func() {
		status, err := waiter.wait(context.Background())
		if err != nil {
			t.Error(err)
		}
		waited <- statusText(&status)
	}()
	if err := ts.Release(context.Background(), req(id)); err != nil {
		t.Fatal(err)
	}
	if got := <-waited; got != "SIGTERM" {
		t.Errorf("waiter got %s", got)
	}
	if _, err := ts.Output(req(id)); wire.ErrorCode(err) != wire.CodeNotFound {
		t.Errorf("output after release: %v", err)
	}
	if err := ts.Release(context.Background(), req(id)); wire.ErrorCode(err) != wire.CodeNotFound {
		t.Errorf("second release: %v", err)
	}
}

func TestTerminalWaitEndsWithContext(t *testing.T) {
	ts, _ := newTestTerminals(t)
	id := create(t, ts, t.TempDir(), "sleep 1000")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(wire.ErrCancelledByAgent)
	if _, err := ts.WaitForExit(ctx, req(id)); !errors.Is(err, wire.ErrCancelledByAgent) {
		t.Errorf("got %v", err)
	}
}

func TestTerminalsOfManySessions(t *testing.T) {
	ts, _ := newTestTerminals(t)
	one := create(t, ts, t.TempDir(), "sleep 1000")
	two, err := ts.Create("two", t.TempDir(), &wire.CreateTerminalRequest{Command: "echo x; sleep 1000"})
	if err != nil {
		t.Fatal(err)
	}
	ts.CloseSession("s")
	if _, err := ts.Output(req(one)); wire.ErrorCode(err) != wire.CodeNotFound {
		t.Errorf("terminal of a closed session: %v", err)
	}
	if o, err := ts.Output(&wire.TerminalRequest{SessionID: "two", TerminalID: two}); err != nil || o.ExitStatus != nil {
		t.Errorf("terminal of the other session: %+v, %v", o, err)
	}
	ts.Close()
	if _, err := ts.Create("three", t.TempDir(), &wire.CreateTerminalRequest{Command: "pwd"}); err == nil {
		t.Error("terminal created after the end")
	}
	if _, err := ts.Create("two", t.TempDir(), &wire.CreateTerminalRequest{Command: "pwd"}); err == nil {
		t.Error("terminal created after the end")
	}
}

func TestTerminalsAreCounted(t *testing.T) {
	ts := newSessionTerminals(terminalOptions{})
	for range terminalsLive {
		if _, err := ts.reserve(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := ts.reserve(); err == nil || !strings.Contains(err.Error(), "release some") {
		t.Errorf("one too many: %v", err)
	}
}
