package mcp

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"acp-ls/internal/session"
)

// Environment variables by which a child finds its acp-ls.
const (
	SocketVariable = "ACP_LS_MCP_SOCKET"
	TokenVariable  = "ACP_LS_MCP_TOKEN"
)

// ServerName is the name under which agents list the tools.
const ServerName = "acp-ls"

const (
	// hello is what a child begins with, before its token.
	hello   = "acp-ls-mcp/1 "
	welcome = "ok"

	helloWait = 10 * time.Second // a child says hello at once
	maxHello  = 256
	maxConns  = 256
)

// Options are what a Server takes from outside. Command is required.
type Options struct {
	// Command and Args start a child: this very program, as `acp-ls mcp`.
	Command string
	Args    []string
	Version string
	Log     *slog.Logger
	// Dir is where the socket is made; empty: the user's runtime directory.
	Dir string
}

// Server serves the tools of all sessions. It implements [session.EditorTools].
type Server struct {
	opts Options
	log  *slog.Logger
	ctx  context.Context
	stop context.CancelFunc
	wg   sync.WaitGroup

	mu     sync.Mutex
	closed bool
	ln     listener
	grants map[[sha256.Size]byte]*grant // by the hash of the token
	conns  int
}

// grant is what a token opens.
type grant struct {
	token string
	tools *session.Tools
	ctx   context.Context // ends with the session, or the server
}

var _ session.EditorTools = (*Server)(nil)

// listener accepts children. Accept returns an error after Close.
type listener interface {
	Accept() (stream, error)
	Close() error
	Address() string
}

// stream is a connection with a child.
type stream interface {
	io.ReadWriteCloser
	SetDeadline(time.Time) error
}

// NewServer returns a server that listens from the first offer on. Close ends it.
func NewServer(o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{opts: o, log: o.Log, grants: map[[sha256.Size]byte]*grant{}}
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s
}

// Offer implements [session.EditorTools].
func (s *Server) Offer(t *session.Tools) (session.MCPServer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return session.MCPServer{}, errors.New("mcp: the server is closed")
	}
	select {
	case <-t.Done():
		return session.MCPServer{}, errors.New("mcp: the session has ended")
	default:
	}
	if s.ln == nil {
		ln, err := listen(s.opts.Dir)
		if err != nil {
			return session.MCPServer{}, fmt.Errorf("mcp: listen: %w", err)
		}
		s.ln = ln
		s.wg.Go(func() { s.accept(ln) })
	}
	token := s.grant(t)
	return session.MCPServer{
		Name: ServerName, Command: s.opts.Command, Args: s.opts.Args,
		Env: []session.NameValue{{Name: SocketVariable, Value: s.ln.Address()}, {Name: TokenVariable, Value: token}},
	}, nil
}

// grant returns the token of a session, a new one if it has none; mu is held.
func (s *Server) grant(t *session.Tools) string {
	for _, g := range s.grants {
		if g.tools == t {
			return g.token
		}
	}
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	ctx, cancel := context.WithCancel(s.ctx)
	g := &grant{token: hex.EncodeToString(b[:]), tools: t, ctx: ctx}
	key := sha256.Sum256([]byte(g.token))
	s.grants[key] = g
	s.wg.Go(func() {
		select {
		case <-t.Done():
		case <-ctx.Done():
		}
		cancel()
		s.mu.Lock()
		delete(s.grants, key)
		s.mu.Unlock()
	})
	return g.token
}

// find compares hashes, so that the time it takes tells nothing of a token.
func (s *Server) find(token string) *grant {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.grants[sha256.Sum256([]byte(token))]
}

// acceptAgain is how long after a failure to accept it is tried again, for
// instance when there are no more file descriptors.
const acceptAgain = 200 * time.Millisecond

func (s *Server) accept(ln listener) {
	for {
		c, err := ln.Accept()
		if s.ctx.Err() != nil {
			if err == nil {
				c.Close()
			}
			return
		}
		if err != nil {
			s.log.Warn("mcp: accept", "err", err)
			select {
			case <-time.After(acceptAgain):
				continue
			case <-s.ctx.Done():
				return
			}
		}
		s.mu.Lock()
		full := s.conns >= maxConns
		if !full && !s.closed {
			s.conns++
			s.wg.Go(func() { s.serve(c) })
		}
		s.mu.Unlock()
		if full {
			s.log.Warn("mcp: too many connections")
			c.Close()
		}
	}
}

// serve speaks with one child until it, its session or the server ends.
func (s *Server) serve(c stream) {
	defer func() {
		s.mu.Lock()
		s.conns--
		s.mu.Unlock()
	}()
	defer c.Close()
	unwatch := context.AfterFunc(s.ctx, func() { c.Close() })
	defer unwatch()

	_ = c.SetDeadline(time.Now().Add(helloWait))
	in := bufio.NewReaderSize(c, maxHello)
	g, err := s.greet(in, c)
	if err != nil {
		if s.ctx.Err() == nil {
			s.log.Warn("mcp: connection refused", "err", err)
		}
		return
	}
	_ = c.SetDeadline(time.Time{})
	leave := context.AfterFunc(g.ctx, func() { c.Close() })
	defer leave()
	newPeer(in, c, g.tools, s.opts.Version, s.log).run(g.ctx)
}

// greet reads the token. The message to the child says what is wrong, and never
// repeats what was sent.
func (s *Server) greet(in *bufio.Reader, out io.Writer) (*grant, error) {
	line, err := in.ReadSlice('\n')
	if err != nil {
		return nil, fmt.Errorf("read token: %w", err)
	}
	token, ok := strings.CutPrefix(strings.TrimRight(string(line), "\r\n"), hello)
	if !ok {
		return nil, errors.New("it is no acp-ls of this version")
	}
	g := s.find(token)
	if g == nil {
		_, _ = io.WriteString(out, "the session has ended, or the token is not one of this acp-ls\n")
		return nil, errors.New("the token is not valid")
	}
	_, err = io.WriteString(out, welcome+"\n")
	return g, err
}

// Close ends every connection, cancels the calls that run, and waits for them.
func (s *Server) Close() error {
	s.mu.Lock()
	ln := s.ln
	if s.closed {
		ln = nil
	}
	s.closed = true
	s.mu.Unlock()
	s.stop()
	var err error
	if ln != nil {
		err = ln.Close()
	}
	s.wg.Wait()
	return err
}
