package lspbridge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"go.lsp.dev/jsonrpc2"

	"acp-ls/internal/config"
	"acp-ls/internal/session"
)

// Options are what Serve takes besides the core. Settings is required.
type Options struct {
	// Settings returns the settings in force.
	Settings func() *config.Settings
	// Configure is called with what an editor says of settings, each time all of
	// it. It lays the layers over those of the user and puts the result in force;
	// what is wrong with them is shown in the editor. nil ignores the editor's.
	Configure func(layers ...config.Layer) []config.Problem
	// HoldQuestion is how long an unanswered question keeps the next one back in
	// an editor that shows one at a time; 60 s if zero.
	HoldQuestion time.Duration
	Log          *slog.Logger
	Name         string // of the server, for initialize
	Version      string

	// after is time.AfterFunc, or a test's.
	after func(time.Duration, func()) (stop func() bool)
}

// ErrNoShutdown says that the editor sent exit without shutdown before it. LSP
// wants exit status 1 for it.
var ErrNoShutdown = errors.New("the editor left without shutdown")

// errGone is why what runs for an editor ends when the editor does.
var errGone = errors.New("the editor is gone")

// Serve speaks LSP with one editor until it exits, its side of the stream ends,
// or ctx does. The stream is then closed. The core is not.
func Serve(ctx context.Context, rwc io.ReadWriteCloser, c *session.Core, o Options) error {
	return serve(ctx, rwc, realCore{c}, o)
}

func serve(ctx context.Context, rwc io.ReadWriteCloser, c core, o Options) error {
	e := newEditor(ctx, rwc, c, o)
	e.spawn(func() { e.out.run(e.ctx) })
	e.conn.Go(e.ctx, e.handle)

	<-e.ctx.Done()
	e.await()
	e.finish()

	switch err := context.Cause(e.ctx); {
	case ctx.Err() != nil, errors.Is(err, errGone):
		return nil
	default:
		return err
	}
}

func newEditor(ctx context.Context, rwc io.ReadWriteCloser, c core, o Options) *editor {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.after == nil {
		o.after = func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }
	}
	e := &editor{core: c, opts: o, log: o.Log, ready: make(chan struct{}), published: map[string]bool{}}
	e.ctx, e.end = context.WithCancelCause(ctx)
	e.stream = newStream(rwc, e.log)
	e.stream.onRead = e.read
	e.stream.onEnd = e.readEnded
	e.conn = jsonrpc2.NewConn(e.stream, jsonrpc2.WithCodec(codec{}))
	e.out = newOutbox(e.write)
	return e
}

// spawn runs f on a goroutine that Serve waits for, unless the editor is gone.
func (e *editor) spawn(f func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ctx.Err() != nil {
		return
	}
	e.wg.Go(func() {
		defer e.recovered("goroutine")
		f()
	})
}

// attach makes the editor known to the core, unless it is gone.
func (e *editor) attach(roots []string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ctx.Err() != nil {
		return false
	}
	e.docs = e.core.Attach(e, roots)
	e.docs.SetEncoding(e.client.encoding)
	return true
}

// await detaches the editor and waits for everything that spawn started. The
// context has ended, so nothing is started or attached any more.
func (e *editor) await() {
	e.mu.Lock()
	docs := e.docs
	e.mu.Unlock()
	if docs != nil {
		docs.Detach()
	}
	e.wg.Wait()
}

// read sees every message before it is handled. What a request or notification
// settles is done in handle; an answer settles documents too.
func (e *editor) read(msg jsonrpc2.Message) {
	if e.lifecycle == running && !e.opened {
		e.opened = true
		close(e.ready)
	}
	if _, ok := msg.(*jsonrpc2.Response); ok && e.lifecycle == running {
		e.docs.Settle()
	}
}

func (e *editor) readEnded(err error) {
	switch broken := e.stream.broken(); {
	case errors.Is(err, io.EOF), e.ctx.Err() != nil:
		e.end(errGone) // many editors just go
	case broken != nil: // it was us who closed it
		e.log.Info("the editor does not read any more", "error", broken)
		e.end(errGone)
	default:
		e.end(fmt.Errorf("read from the editor: %w", err))
	}
}

func (e *editor) exit() {
	if e.lifecycle == shutDown {
		e.end(errGone)
		return
	}
	e.end(ErrNoShutdown)
}

// finish writes what is still to be written and closes the connection. The
// reader may stay behind where a read cannot be interrupted (a terminal, a
// blocking pipe on standard input); it has nothing left to do.
func (e *editor) finish() {
	go func() { _ = e.conn.Close() }()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-e.stream.done:
	case <-timer.C:
		e.log.Warn("the connection is closed with answers unwritten")
		e.stream.abort()
	}
	timer.Reset(grace / 10)
	select {
	case <-e.conn.Done():
	case <-timer.C:
	}
}
