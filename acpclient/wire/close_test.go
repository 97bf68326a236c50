package wire

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Close ends everything that waits: calls, handlers, writers, and itself.
func TestCloseWithEverythingOpen(t *testing.T) {
	blocked := make(chan bool, 1)
	h := &asker{permission: func(ctx context.Context, r *RequestPermissionRequest) (RequestPermissionResponse, error) {
		Release(ctx)
		blocked <- true
		<-ctx.Done()
		if !errors.Is(context.Cause(ctx), ErrClosed) {
			t.Errorf("cause %v", context.Cause(ctx))
		}
		return RequestPermissionResponse{}, ctx.Err()
	}}
	a := startPeer(t, h, StreamOptions{})
	a.send(permissionLine)
	receive(t, blocked)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { // more than the pipe holds, and nobody reads
			_, err := Call[Empty](context.Background(), a.conn, "m", strings.Repeat("x", 200_000))
			if !errors.Is(err, ErrClosed) {
				t.Errorf("call: %v", err)
			}
			if err := a.conn.Notify(context.Background(), "n", strings.Repeat("x", 200_000)); !errors.Is(err, ErrClosed) {
				t.Errorf("notify: %v", err)
			}
		})
	}
	done := a.prompt(context.Background())
	if err := a.conn.Close(); err != nil {
		t.Error(err)
	}
	if err := a.conn.Close(); err != nil {
		t.Error(err)
	}
	if o := receive(t, done); !errors.Is(o.err, ErrClosed) {
		t.Errorf("got %v", o.err)
	}
	wg.Wait()
	if err := a.conn.Err(); err != nil {
		t.Errorf("err %v", err)
	}
}

func TestCloseUnstarted(t *testing.T) {
	r, w := pipe(t)
	c := NewConn(r, w, StreamOptions{})
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if _, err := Call[Empty](context.Background(), c, "m", nil); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
}

// The agent's end is a handler's end.
func TestAgentEndsWhileAsked(t *testing.T) {
	ended := make(chan error, 1)
	h := &asker{permission: func(ctx context.Context, r *RequestPermissionRequest) (RequestPermissionResponse, error) {
		Release(ctx)
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return RequestPermissionResponse{}, ctx.Err()
	}}
	a := startPeer(t, h, StreamOptions{})
	a.send(permissionLine)
	a.out.Close()
	if err := receive(t, ended); !errors.Is(err, ErrClosed) {
		t.Errorf("cause %v", err)
	}
}

// An agent that does not read stops those who write to it, and nobody else.
func TestAgentThatDoesNotRead(t *testing.T) {
	h := &asker{updates: *newUpdates(10)}
	a := startPeer(t, h, StreamOptions{})
	ctx, cancel := context.WithCancel(context.Background())
	errs := make(chan error, 1)
	go func() {
		_, err := Call[Empty](ctx, a.conn, "big", strings.Repeat("x", 1<<20))
		errs <- err
	}()
	// The pipe is full when the first byte of it can be read.
	if b, err := a.in.ReadByte(); err != nil || b != '{' {
		t.Fatal(b, err)
	}
	// Requests that have to be answered do not stop the reading.
	a.send(`{"jsonrpc":"2.0","id":1,"method":"_unknown"}`, `{"jsonrpc":"2.0","id":2,"method":"_unknown"}`, chunkLine(1))
	receive(t, h.got)
	// A call can be given up while it is being written; the line stays whole.
	cancel()
	if err := receive(t, errs); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if line := a.next(); len(line) < 1<<20 || !strings.HasSuffix(line, `"id":1}`) {
		t.Errorf("line of %d bytes ends %q", len(line), line[len(line)-20:])
	}
	var got []string
	for range 3 {
		got = append(got, a.next())
	}
	all := strings.Join(got, "\n")
	for _, want := range []string{`"id":1,"error"`, `"id":2,"error"`, `{"requestId":1}`} {
		if !strings.Contains(all, want) {
			t.Errorf("no %s in %s", want, all)
		}
	}
}

// An agent that has closed its input is still listened to.
func TestAgentThatClosedItsInput(t *testing.T) {
	h := newUpdates(1)
	a := startPeer(t, h, StreamOptions{})
	done := a.prompt(context.Background())
	a.next()
	a.inF.Close()
	a.send(`{"jsonrpc":"2.0","id":1,"method":"_unknown"}`)
	if r := a.report(); r.Problem != WriteFailed {
		t.Errorf("report %v", r)
	}
	if err := a.conn.Notify(context.Background(), "n", Empty{}); err == nil || errors.Is(err, ErrClosed) {
		t.Errorf("notify: %v", err)
	}
	a.send(chunkLine(1), `{"jsonrpc":"2.0","id":1,"result":{"stopReason":"refusal"}}`)
	receive(t, h.got)
	if o := receive(t, done); o.err != nil || o.res.StopReason != StopRefusal {
		t.Errorf("got %+v, %v", o.res, o.err)
	}
}

// Requests that are open are bounded: at the limit the agent has to wait.
func TestOpenRequestsAreBounded(t *testing.T) {
	const n = maxInFlight + 100
	release, started := make(chan struct{}), make(chan struct{}, n)
	var open, most atomic.Int64
	h := &asker{read: func(ctx context.Context, r *ReadTextFileRequest) (ReadTextFileResponse, error) {
		if n := open.Add(1); n > most.Load() {
			most.Store(n)
		}
		defer open.Add(-1)
		started <- struct{}{}
		Release(ctx)
		<-release
		return ReadTextFileResponse{}, nil
	}}
	a := startPeer(t, h, StreamOptions{})
	go func() {
		for range n {
			a.send(readLine)
		}
	}()
	for range maxInFlight {
		receive(t, started)
	}
	close(release)
	for range n {
		a.next()
	}
	if most.Load() > maxInFlight {
		t.Errorf("%d requests were open", most.Load())
	}
}

func TestReadErrorIsReported(t *testing.T) {
	r, w := io.Pipe()
	_, out := pipe(t)
	c := NewConn(r, out, StreamOptions{})
	c.Start(Unimplemented{})
	broken := errors.New("disk on fire")
	w.CloseWithError(broken)
	receive(t, done2(c.Done()))
	if err := c.Err(); !errors.Is(err, broken) || !errors.Is(err, ErrClosed) {
		t.Errorf("err %v", err)
	}
	c.Close()
}
