package scriptagent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
)

// Server waits for the agents that acp-ls starts.
type Server struct {
	// Auto is asked about every request before a test sees it, on the goroutine
	// that reads from the agent. If it returns true, Result or Error is the answer.
	Auto func(a *Agent, m Message) (Answer, bool)

	dir string
	l   net.Listener
	wg  sync.WaitGroup

	mu      sync.Mutex // guards what follows
	changed chan struct{}
	agents  []*Agent // in the order they came
	closed  bool
}

// Answer is what a request is answered with.
type Answer struct {
	Result any
	Error  *Error
}

// Listen starts a server.
func Listen() (*Server, error) {
	dir, err := os.MkdirTemp("", "agent") // the name of a socket must be short
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	s := &Server{dir: dir, l: l, changed: make(chan struct{})}
	s.wg.Go(s.accept)
	return s, nil
}

// Env is the environment that makes a program an agent of that name.
func (s *Server) Env(name string) map[string]string {
	return map[string]string{Variable: s.l.Addr().String(), NameVariable: name}
}

// Close ends every agent and waits for everything.
func (s *Server) Close() error {
	s.mu.Lock()
	s.closed = true
	agents := s.agents
	s.mu.Unlock()
	err := s.l.Close()
	for _, a := range agents {
		_ = a.c.Close() // most are closed
	}
	s.wg.Wait()
	return errors.Join(err, os.RemoveAll(s.dir))
}

func (s *Server) accept() {
	for {
		c, err := s.l.Accept()
		if err != nil {
			return
		}
		s.wg.Go(func() { s.serve(c) })
	}
}

func (s *Server) serve(c net.Conn) {
	dec := json.NewDecoder(c)
	var w word
	if err := dec.Decode(&w); err != nil || w.Hello == nil {
		_ = c.Close()
		return
	}
	a := &Agent{Hello: *w.Hello, server: s, c: c, enc: json.NewEncoder(c),
		calls: map[string]*Call{}, changed: make(chan struct{}), done: make(chan struct{})}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		_ = c.Close()
		return
	}
	s.agents = append(s.agents, a)
	close(s.changed)
	s.changed = make(chan struct{})
	s.mu.Unlock()
	for {
		var w word
		if err := dec.Decode(&w); err != nil {
			a.end()
			_ = c.Close()
			return
		}
		a.take(w)
	}
}

// Process returns the n-th process (0-based) that was started as the agent of
// that name, and waits for it.
func (s *Server) Process(ctx context.Context, name string, n int) (*Agent, error) {
	for {
		s.mu.Lock()
		changed := s.changed
		of := s.agents
		s.mu.Unlock()
		i := 0
		for _, a := range of {
			if a.Hello.Name != name {
				continue
			}
			if i == n {
				return a, nil
			}
			i++
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, fmt.Errorf("agent %s was not started a time %d: %w", name, n+1, ctx.Err())
		}
	}
}

// Count says how often the agent of that name was started.
func (s *Server) Count(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, a := range s.agents {
		if a.Hello.Name == name {
			n++
		}
	}
	return n
}
