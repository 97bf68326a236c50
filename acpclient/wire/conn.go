package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
)

// Conn is our end of a connection to an agent.
//
// The envelope, the order of dispatch and the hand-over of the reader are
// jsonrpc2's. Calls are not: its Conn.Call does not tell the id of a call that is
// still open, which "$/cancel_request" needs, and its Close waits for open calls.
// So responses are taken out of the stream before jsonrpc2 sees them.
type Conn struct {
	stream *Stream
	rpc    jsonrpc2.Conn
	opt    StreamOptions

	ctx    context.Context // ends when nothing can be read any more
	cancel context.CancelCauseFunc

	notifyCtx context.Context // what notification handlers get
	inFlight  chan struct{}   // one token for each request not yet answered
	work      sync.WaitGroup  // goroutines of our own

	notification func(method string, params []byte) // set by Start

	// Owned by the goroutine that reads: the session id seen last, as it stood in
	// the message and decoded.
	lastSessionRaw, lastSession string
	lastChunk                   chunkFrame

	mu       sync.Mutex
	seq      int64
	pending  map[int64]*pendingCall
	incoming map[jsonrpc2.ID]*incoming
	closed   error // set once nothing can be read any more
}

// maxInFlight bounds the requests an agent can have open. At the limit the
// connection is not read on until one is answered.
const maxInFlight = 1024

// pendingCall waits for a response. The channel is closed after the other
// members are set.
type pendingCall struct {
	done   chan struct{}
	result jsontext.Value
	err    error
}

// NewConn returns a connection that reads from in and writes to out and closes
// both. Nothing is read before [Conn.Start].
func NewConn(in io.ReadCloser, out io.WriteCloser, opt StreamOptions) *Conn {
	c := &Conn{
		stream:   NewStream(in, out, opt),
		opt:      opt,
		inFlight: make(chan struct{}, maxInFlight),
		pending:  make(map[int64]*pendingCall),
		incoming: make(map[jsonrpc2.ID]*incoming),
	}
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	c.notifyCtx = context.WithValue(c.ctx, startKey{}, (*start)(nil))
	c.rpc = jsonrpc2.NewConn((*intercept)(c))
	return c
}

// Start begins to read and to call h. It must be called once.
func (c *Conn) Start(h Handler) {
	d := &dispatcher{c, h}
	c.notification = d.notification
	c.stream.known = d.alike
	// The context is not c.ctx: what has been read is handled to its end.
	c.rpc.Go(context.Background(), d.handle)
}

// intercept is the stream as jsonrpc2 sees it.
type intercept Conn

// Read returns the next request. Responses go to their calls, and notifications
// to the handler: jsonrpc2 would make a request of each chunk of an answer, to no
// purpose.
func (i *intercept) Read(ctx context.Context) (jsonrpc2.Message, int64, error) {
	c := (*Conn)(i)
	for {
		msg, n, err := c.stream.Read(ctx)
		if err != nil {
			c.readEnded(err)
			return nil, 0, err
		}
		switch msg := msg.(type) {
		case *jsonrpc2.Response:
			c.deliver(msg)
		case *jsonrpc2.Notification:
			c.notification(msg.Method(), msg.Params())
		default:
			return msg, n, nil
		}
	}
}

// Write sends a response, on a goroutine that has nothing else to do. A failure is not shown to jsonrpc2, which would stop
// reading: an agent that has closed its input may still have something to say.
func (i *intercept) Write(_ context.Context, msg jsonrpc2.Message) (int64, error) {
	c := (*Conn)(i)
	n, err := c.stream.Write(context.Background(), msg)
	select {
	case <-c.inFlight: // the request is done with when its answer is out
	default: // one that jsonrpc2 answered by itself while closing
	}
	if err != nil && c.ctx.Err() == nil {
		c.stream.report(Report{Problem: WriteFailed, Err: err})
	}
	return n, nil
}

// Close closes the stream.
func (i *intercept) Close() error { return i.stream.Close() }

// readEnded fails everything that waits for the agent.
func (c *Conn) readEnded(err error) {
	c.mu.Lock()
	if c.closed == nil {
		c.closed = ErrClosed
		if !isClean(err) {
			c.closed = fmt.Errorf("%w: %w", ErrClosed, err)
		}
	}
	err = c.closed
	pending := c.pending
	c.pending = nil
	c.mu.Unlock()
	for _, p := range pending {
		p.err = err
		close(p.done)
	}
	c.cancel(err)
}

func (c *Conn) deliver(r *jsonrpc2.Response) {
	n, ok := r.ID().Number()
	c.mu.Lock()
	p := c.pending[n]
	if ok {
		delete(c.pending, n)
	}
	c.mu.Unlock()
	if !ok || p == nil {
		c.stream.report(Report{Problem: StrayResponse, ID: fmt.Sprintf("%q", r.ID()), Err: r.Err()})
		return
	}
	p.result, p.err = jsontext.Value(r.Result()), r.Err()
	close(p.done)
}

// Call sends a request and waits for its response, decoded as Res. Params nil
// sends none. It returns the agent's [Error], an error that wraps [ErrClosed]
// when the connection ends, or ctx's error: the agent is then told by
// "$/cancel_request" and what it answers is dropped.
//
// Called with the context of a request handler it releases that request first;
// with the context of a notification handler it fails with [ErrInNotification].
func Call[Res any](ctx context.Context, c *Conn, method string, params any) (*Res, error) {
	raw, err := c.call(ctx, method, params)
	if err != nil {
		return nil, err
	}
	res := new(Res)
	tolerated, err := Decode(raw, res)
	for _, t := range tolerated {
		c.stream.report(Report{Problem: BadMember, Method: method, Err: t})
	}
	if err != nil {
		return nil, fmt.Errorf("%s: agent's answer can not be read: %w", method, err)
	}
	return res, nil
}

func (c *Conn) call(ctx context.Context, method string, params any) (jsontext.Value, error) {
	if err := releaseForCall(ctx); err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	var raw jsontext.Value
	if params != nil {
		var err error
		if raw, err = Encode(params); err != nil {
			return nil, fmt.Errorf("%s: encode params: %w", method, err)
		}
	}
	id, p, err := c.register()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	_, err = c.stream.Write(ctx, jsonrpc2.NewCall(jsonrpc2.NewNumberID(id), method, jsonrpc2.RawMessage(raw)))
	if begun := (errBegun{}); err != nil && !errors.As(err, &begun) {
		c.unregister(id)
		return nil, fmt.Errorf("%s: %w", method, c.closedOr(err))
	}
	select {
	case <-p.done:
	case <-ctx.Done():
		c.cancelCall(id)
		if c.unregister(id) {
			return nil, fmt.Errorf("%s: %w", method, context.Cause(ctx))
		}
		<-p.done // answered just now
	}
	if p.err != nil {
		return nil, fmt.Errorf("%s: %w", method, p.err)
	}
	return p.result, nil
}

func (c *Conn) register() (int64, *pendingCall, error) {
	p := &pendingCall{done: make(chan struct{})}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed != nil {
		return 0, nil, c.closed
	}
	c.seq++
	c.pending[c.seq] = p
	return c.seq, p, nil
}

// unregister reports whether the call was still unanswered.
func (c *Conn) unregister(id int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.pending[id]
	delete(c.pending, id)
	return ok
}

// cancelCall tells the agent that nobody waits for a call. The caller does not
// wait for that to be written.
func (c *Conn) cancelCall(id int64) {
	params := fmt.Appendf(nil, `{"requestId":%d}`, id)
	c.spawn(func() {
		_, _ = c.stream.Write(c.ctx, jsonrpc2.NewNotification(MethodCancelRequest, params))
	})
}

// spawn runs f in a goroutine that Close waits for, unless the connection is
// gone.
func (c *Conn) spawn(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed == nil {
		c.work.Go(f)
	}
}

// Notify sends a notification. It returns when that is handed to the operating
// system, or ctx ends.
func (c *Conn) Notify(ctx context.Context, method string, params any) error {
	raw, err := Encode(params)
	if err != nil {
		return fmt.Errorf("%s: encode params: %w", method, err)
	}
	if _, err = c.stream.Write(ctx, jsonrpc2.NewNotification(method, jsonrpc2.RawMessage(raw))); err != nil {
		return fmt.Errorf("%s: %w", method, c.closedOr(err))
	}
	return nil
}

// closedOr returns the reason why the connection is closed, or err.
func (c *Conn) closedOr(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed != nil {
		return c.closed
	}
	return err
}

// Done is closed when nothing can be read from the agent any more: it has closed
// its output, or Close was called. Open calls have failed by then; handlers may
// still be running, with their contexts ended.
func (c *Conn) Done() <-chan struct{} { return c.ctx.Done() }

// Err returns nil while the connection is open and after a clean end, else the
// error that ended it.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed == ErrClosed {
		return nil
	}
	return c.closed
}

// Close ends the connection: open calls fail, handlers' contexts end, the stream
// is closed. It returns when every handler has returned, so no handler may call
// it. A connection that was never started is closed as well.
func (c *Conn) Close() error {
	c.readEnded(io.EOF)
	err := c.stream.Close()
	_ = c.rpc.Close()
	c.work.Wait()
	if isClean(err) {
		return nil
	}
	return err
}
