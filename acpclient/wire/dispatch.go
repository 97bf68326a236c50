package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"runtime/debug"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
)

// Handler answers what an agent sends. See the package comment for the order of
// calls. A method that waits for anything must call [Release] first, as soon as
// what must happen in order has happened: until then nothing else is read.
//
// The context of a request ends when the agent cancels it (the cause is
// [ErrCancelledByAgent]) or the connection ends ([ErrClosed]); the request must
// be answered in any case. Values passed to a handler are its own to keep.
//
// An error answers the request: an [Error] with its code, a context's error
// with [CodeCancelled], any other with [CodeInternal]. A panic answers with
// [CodeInternal] and is reported.
type Handler interface {
	SessionUpdate(ctx context.Context, sessionID string, u Update)
	RequestPermission(ctx context.Context, r *RequestPermissionRequest) (RequestPermissionResponse, error)

	ReadTextFile(ctx context.Context, r *ReadTextFileRequest) (ReadTextFileResponse, error)
	WriteTextFile(ctx context.Context, r *WriteTextFileRequest) (WriteTextFileResponse, error)

	TerminalCreate(ctx context.Context, r *CreateTerminalRequest) (CreateTerminalResponse, error)
	TerminalOutput(ctx context.Context, r *TerminalRequest) (TerminalOutputResponse, error)
	TerminalWaitForExit(ctx context.Context, r *TerminalRequest) (TerminalExitStatus, error)
	TerminalKill(ctx context.Context, r *TerminalRequest) error
	TerminalRelease(ctx context.Context, r *TerminalRequest) error

	ElicitationCreate(ctx context.Context, r *ElicitationRequest) (ElicitationResponse, error)
	ElicitationComplete(ctx context.Context, elicitationID string)

	// ExtRequest and ExtNotification get every method that is not one above.
	ExtRequest(ctx context.Context, method string, params jsontext.Value) (any, error)
	ExtNotification(ctx context.Context, method string, params jsontext.Value)
}

// Unimplemented answers every request with [CodeMethodNotFound] and ignores
// every notification. Handlers embed it for what they do not offer.
type Unimplemented struct{}

var _ Handler = Unimplemented{}

func notFound(method string) error {
	return jsonrpc2.NewError(CodeMethodNotFound, fmt.Sprintf("method %q is not available", method))
}

// SessionUpdate implements [Handler].
func (Unimplemented) SessionUpdate(context.Context, string, Update) {}

// RequestPermission implements [Handler].
func (Unimplemented) RequestPermission(context.Context, *RequestPermissionRequest) (RequestPermissionResponse, error) {
	return RequestPermissionResponse{}, notFound(MethodRequestPermission)
}

// ReadTextFile implements [Handler].
func (Unimplemented) ReadTextFile(context.Context, *ReadTextFileRequest) (ReadTextFileResponse, error) {
	return ReadTextFileResponse{}, notFound(MethodReadTextFile)
}

// WriteTextFile implements [Handler].
func (Unimplemented) WriteTextFile(context.Context, *WriteTextFileRequest) (WriteTextFileResponse, error) {
	return WriteTextFileResponse{}, notFound(MethodWriteTextFile)
}

// TerminalCreate implements [Handler].
func (Unimplemented) TerminalCreate(context.Context, *CreateTerminalRequest) (CreateTerminalResponse, error) {
	return CreateTerminalResponse{}, notFound(MethodTerminalCreate)
}

// TerminalOutput implements [Handler].
func (Unimplemented) TerminalOutput(context.Context, *TerminalRequest) (TerminalOutputResponse, error) {
	return TerminalOutputResponse{}, notFound(MethodTerminalOutput)
}

// TerminalWaitForExit implements [Handler].
func (Unimplemented) TerminalWaitForExit(context.Context, *TerminalRequest) (TerminalExitStatus, error) {
	return TerminalExitStatus{}, notFound(MethodTerminalWaitForExit)
}

// TerminalKill implements [Handler].
func (Unimplemented) TerminalKill(context.Context, *TerminalRequest) error {
	return notFound(MethodTerminalKill)
}

// TerminalRelease implements [Handler].
func (Unimplemented) TerminalRelease(context.Context, *TerminalRequest) error {
	return notFound(MethodTerminalRelease)
}

// ElicitationCreate implements [Handler].
func (Unimplemented) ElicitationCreate(context.Context, *ElicitationRequest) (ElicitationResponse, error) {
	return ElicitationResponse{}, notFound(MethodElicitationCreate)
}

// ElicitationComplete implements [Handler].
func (Unimplemented) ElicitationComplete(context.Context, string) {}

// ExtRequest implements [Handler].
func (Unimplemented) ExtRequest(_ context.Context, method string, _ jsontext.Value) (any, error) {
	return nil, notFound(method)
}

// ExtNotification implements [Handler].
func (Unimplemented) ExtNotification(context.Context, string, jsontext.Value) {}

// start is the beginning of a request: until it is released nothing else is read.
type start struct {
	release sync.Once
	handOn  func() // lets somebody else read on
}

type startKey struct{}

// Release lets the connection read on while the handler of the request that ctx
// belongs to goes on. Calling it again, or with any other context, does nothing.
// It must be called on the handler's own goroutine.
func Release(ctx context.Context) {
	if s, _ := ctx.Value(startKey{}).(*start); s != nil {
		s.release.Do(s.handOn)
	}
}

// releaseForCall makes it possible to wait for a response in a handler.
func releaseForCall(ctx context.Context) error {
	switch s, ok := ctx.Value(startKey{}).(*start); {
	case !ok:
		return nil
	case s == nil:
		return ErrInNotification
	}
	Release(ctx)
	return nil
}

// dispatcher calls the handler.
type dispatcher struct {
	*Conn
	h Handler
}

// handle is the [jsonrpc2.Handler] of requests. It never panics: jsonrpc2 would
// end the connection.
func (d *dispatcher) handle(rpcCtx context.Context, req *jsonrpc2.Request) (any, error) {
	method, params := req.Method(), []byte(req.Params())
	select {
	case d.inFlight <- struct{}{}:
	case <-d.ctx.Done():
		return nil, jsonrpc2.NewError(CodeCancelled, ErrClosed.Error())
	}

	run, err := d.request(method, params)
	id := req.ID()
	ctx, cancel := context.WithCancelCause(d.ctx)
	in := &incoming{cancel}
	d.setIncoming(id, in)
	defer d.clearIncoming(id, in)

	s := &start{handOn: func() {
		// jsonrpc2 copies what the request borrows before it reads on. Nothing of it
		// is needed any more, and it may be megabytes.
		*req = jsonrpc2.Request{}
		jsonrpc2.Async(rpcCtx)
	}}
	ctx = context.WithValue(ctx, startKey{}, s)
	var result any
	if err == nil {
		result, err = d.safely(ctx, method, id, run)
	}
	// Writing the answer may have to wait for the agent: not on the goroutine
	// that reads.
	Release(ctx)
	return result, toResponseError(err)
}

// request decodes the params, which are borrowed, and returns what is to be run.
func (d *dispatcher) request(method string, params []byte) (func(context.Context) (any, error), error) {
	h := d.h
	switch method {
	case MethodRequestPermission:
		return prepare(d, method, params, h.RequestPermission)
	case MethodReadTextFile:
		return prepare(d, method, params, h.ReadTextFile)
	case MethodWriteTextFile:
		r, err := decodeWriteTextFile(params)
		if err != nil {
			return nil, jsonrpc2.NewError(CodeInvalidParams, err.Error())
		}
		return func(ctx context.Context) (any, error) { return encodeResult(h.WriteTextFile(ctx, r)) }, nil
	case MethodTerminalCreate:
		return prepare(d, method, params, h.TerminalCreate)
	case MethodTerminalOutput:
		return prepare(d, method, params, h.TerminalOutput)
	case MethodTerminalWaitForExit:
		return prepare(d, method, params, h.TerminalWaitForExit)
	case MethodTerminalKill:
		return prepare(d, method, params, noResult(h.TerminalKill))
	case MethodTerminalRelease:
		return prepare(d, method, params, noResult(h.TerminalRelease))
	case MethodElicitationCreate:
		return prepare(d, method, params, h.ElicitationCreate)
	case methodTooLong:
		text, _ := unquote(params)
		return nil, jsonrpc2.NewError(CodeInvalidRequest, text)
	}
	owned := append(jsontext.Value(nil), params...)
	return func(ctx context.Context) (any, error) { return encodeResult(h.ExtRequest(ctx, method, owned)) }, nil
}

func prepare[P, R any](d *dispatcher, method string, params []byte, f func(context.Context, *P) (R, error)) (func(context.Context) (any, error), error) {
	p := new(P)
	tolerated, err := Decode(params, p)
	d.tolerated(method, tolerated)
	if err != nil {
		return nil, jsonrpc2.NewError(CodeInvalidParams, fmt.Sprintf("%s: %v", method, err))
	}
	return func(ctx context.Context) (any, error) { return encodeResult(f(ctx, p)) }, nil
}

func noResult[P any](f func(context.Context, *P) error) func(context.Context, *P) (Empty, error) {
	return func(ctx context.Context, p *P) (Empty, error) { return Empty{}, f(ctx, p) }
}

// encodeResult encodes with our options; jsonrpc2 passes the bytes on.
func encodeResult[R any](result R, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	raw, err := Encode(result)
	if err != nil {
		return nil, fmt.Errorf("encode result: %w", err)
	}
	return jsonrpc2.RawMessage(raw), nil
}

// notification is called on the goroutine that reads. params are borrowed.
func (d *dispatcher) notification(method string, params []byte) {
	defer func() {
		if p := recover(); p != nil {
			d.panicked(method, jsonrpc2.ID{}, p)
		}
	}()
	switch method {
	case MethodUpdate:
		d.sessionUpdate(params)
	case MethodElicitationComplete:
		if id, ok := unquote(member(params, "elicitationId")); ok {
			d.h.ElicitationComplete(d.notifyCtx, id)
			return
		}
		d.badParams(method, params, missing(method, "elicitationId"))
	case MethodCancelRequest:
		if id, ok := parseID(member(params, "requestId")); ok {
			d.cancelIncoming(id)
			return
		}
		d.badParams(method, params, missing(method, "requestId"))
	default:
		d.h.ExtNotification(d.notifyCtx, method, append(jsontext.Value(nil), params...))
	}
}

func (d *dispatcher) sessionUpdate(params []byte) {
	var session, update, text []byte
	var chunk *MessageChunk // the update, if it is one that can be read in passing; text is its text
	m := scanObject(params, 0)
	for {
		name, more := m.name()
		if !more {
			break
		}
		switch string(name) {
		case "sessionId":
			session = m.value()
		case "update":
			object := m.enter()
			if chunk, text = readChunk(&object); chunk == nil {
				update = m.value()
			} else if !m.leave(&object) {
				chunk = nil
			}
		default:
			m.value()
		}
	}
	// Nearly all updates are of the same session: its id need not be copied again.
	if d.lastSessionRaw == "" || string(session) != d.lastSessionRaw {
		id, ok := unquote(session)
		if !ok || id == "" {
			d.badParams(MethodUpdate, params, missing(MethodUpdate, "sessionId"))
			return
		}
		d.lastSessionRaw, d.lastSession = string(session), id
	}
	switch {
	case chunk != nil:
		d.lastChunk.set(d.stream.message, text, d.lastSession, chunk)
		d.h.SessionUpdate(d.notifyCtx, d.lastSession, chunk)
		return
	case update == nil:
		d.badParams(MethodUpdate, params, missing(MethodUpdate, "update"))
		return
	}
	u, tolerated := DecodeUpdate(update)
	d.tolerated(MethodUpdate, tolerated)
	if unknown, ok := u.(*UnknownUpdate); ok && unknown.Err != nil {
		d.badParams(MethodUpdate, params, unknown.Err)
	}
	d.h.SessionUpdate(d.notifyCtx, d.lastSession, u)
}

func (d *dispatcher) safely(ctx context.Context, method string, id jsonrpc2.ID, run func(context.Context) (any, error)) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			d.panicked(method, id, p)
			result, err = nil, jsonrpc2.NewError(CodeInternal, "internal error: the request's handler panicked")
		}
	}()
	return run(ctx)
}

func (d *dispatcher) panicked(method string, id jsonrpc2.ID, p any) {
	d.stream.report(Report{Problem: Panicked, Method: method, ID: fmt.Sprintf("%q", id),
		Err: fmt.Errorf("%v\n%s", p, debug.Stack())})
}

func (d *dispatcher) badParams(method string, params []byte, err error) {
	d.stream.report(Report{Problem: BadParams, Method: method, Line: lineHead(params), Size: int64(len(params)), Err: err})
}

func (d *dispatcher) tolerated(method string, errs []error) {
	for _, err := range errs {
		d.stream.report(Report{Problem: BadMember, Method: method, Err: err})
	}
}

// incoming is a request the agent may cancel.
type incoming struct{ cancel context.CancelCauseFunc }

func (c *Conn) setIncoming(id jsonrpc2.ID, in *incoming) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.incoming[id] = in
}

func (c *Conn) clearIncoming(id jsonrpc2.ID, in *incoming) {
	in.cancel(nil)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.incoming[id] == in { // else the agent has used the id again
		delete(c.incoming, id)
	}
}

func (c *Conn) cancelIncoming(id jsonrpc2.ID) {
	c.mu.Lock()
	in := c.incoming[id]
	c.mu.Unlock()
	if in != nil {
		in.cancel(ErrCancelledByAgent)
	}
}

// isClean reports whether err is nothing but an end.
func isClean(err error) bool {
	return err == nil || errors.Is(err, io.EOF) || errors.Is(err, fs.ErrClosed) ||
		errors.Is(err, io.ErrClosedPipe) || errors.Is(err, net.ErrClosed)
}
