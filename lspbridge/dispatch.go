package lspbridge

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"acp-ls/internal/session"
)

// codeRequestFailed is LSP's RequestFailed.
const codeRequestFailed jsonrpc2.Code = -32803

// request answers one kind of request. It runs on its own goroutine, started
// after everything that came before has been applied.
type request func(e *editor, ctx context.Context, params jsonrpc2.RawMessage) (any, error)

// notification runs on the read loop and must not wait for anything. Its error
// is logged.
type notification func(e *editor, params jsonrpc2.RawMessage) error

// asking makes a request of a method that takes a P.
func asking[P any](f func(*editor, context.Context, *P) (any, error)) request {
	return func(e *editor, ctx context.Context, params jsonrpc2.RawMessage) (any, error) {
		p := new(P)
		if err := decode(params, p); err != nil {
			return nil, jsonrpc2.NewError(jsonrpc2.InvalidParams, err.Error())
		}
		return f(e, ctx, p)
	}
}

// telling makes a notification of a method that takes a P. P is decoded before
// the read loop goes on, and shares no memory with the message.
func telling[P any](f func(*editor, *P) error) notification {
	return func(e *editor, params jsonrpc2.RawMessage) error {
		p := new(P)
		if err := decode(params, p); err != nil {
			return err
		}
		return f(e, p)
	}
}

var requests, notifications = methods()

// methods is what the editor may send, but for the commands (see commands).
func methods() (map[string]request, map[string]notification) {
	return map[string]request{
			protocol.MethodWorkspaceExecuteCommand:       asking((*editor).executeCommand),
			protocol.MethodTextDocumentCodeAction:        asking((*editor).codeAction),
			protocol.MethodCodeActionResolve:             (*editor).resolve,
			protocol.MethodTextDocumentCodeLens:          asking((*editor).codeLens),
			protocol.MethodCodeLensResolve:               (*editor).resolve,
			protocol.MethodTextDocumentHover:             asking((*editor).hover),
			protocol.MethodTextDocumentCompletion:        asking((*editor).completion),
			protocol.MethodWorkspaceTextDocumentContent:  asking((*editor).textDocumentContent),
			protocol.MethodTextDocumentWillSaveWaitUntil: asking((*editor).willSaveWaitUntil),
		}, map[string]notification{
			protocol.MethodInitialized:                        (*editor).initialized,
			protocol.MethodTextDocumentDidOpen:                telling((*editor).didOpen),
			protocol.MethodTextDocumentDidChange:              telling((*editor).didChange),
			"acp/read":                                        telling((*editor).didRead),
			protocol.MethodTextDocumentDidSave:                telling((*editor).didSave),
			protocol.MethodTextDocumentDidClose:               telling((*editor).didClose),
			protocol.MethodWorkspaceDidChangeConfiguration:    telling((*editor).didChangeConfiguration),
			protocol.MethodWorkspaceDidChangeWatchedFiles:     telling((*editor).didChangeWatchedFiles),
			protocol.MethodWorkspaceDidCreateFiles:            telling((*editor).didOperateOnFiles),
			protocol.MethodWorkspaceDidRenameFiles:            telling((*editor).didOperateOnFiles),
			protocol.MethodWorkspaceDidDeleteFiles:            telling(func(e *editor, p *fileOperationParams) error { p.delete = true; return e.didOperateOnFiles(p) }),
			protocol.MethodWorkspaceDidChangeWorkspaceFolders: telling((*editor).didChangeWorkspaceFolders),
			protocol.MethodWindowWorkDoneProgressCancel:       telling((*editor).progressCancelled),
		}
}

// lifecycle is where a connection stands. It changes on the read loop only.
type lifecycle int

const (
	fresh lifecycle = iota
	running
	shutDown
)

// handle is called on the read loop with every request and notification, in
// wire order.
func (e *editor) handle(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	if !req.IsCall() {
		e.notified(req.Method(), req.Params())
		return nil, nil
	}
	return e.requested(ctx, req)
}

func (e *editor) notified(method string, params jsonrpc2.RawMessage) {
	defer e.recovered(method)
	switch method {
	case protocol.MethodExit:
		e.exit()
		return
	case protocol.MethodCancelRequest:
		e.cancelRequest(params)
		return
	}
	if e.lifecycle != running {
		return
	}
	if method != protocol.MethodTextDocumentDidOpen {
		e.docs.Settle()
	}
	handler := notifications[method]
	if handler == nil {
		return // LSP: unknown notifications are ignored
	}
	if err := handler(e, params); err != nil {
		e.log.Warn("notification is left out", "method", method, "error", err)
	}
}

func (e *editor) requested(ctx context.Context, req *jsonrpc2.Request) (result any, err error) {
	method := req.Method()
	defer func() {
		if r := recover(); r != nil {
			e.log.Error("request: panic", "method", method, "panic", r, "stack", string(debug.Stack()))
			result, err = nil, jsonrpc2.Errorf(jsonrpc2.InternalError, "%s: a fault of acp-ls: %v", method, r)
		}
	}()
	// initialize and shutdown are answered on the read loop: what follows them
	// depends on them.
	switch {
	case method == protocol.MethodInitialize && e.lifecycle == fresh:
		return e.initialize(req.Params())
	case method == protocol.MethodInitialize:
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "initialize was sent twice")
	case e.lifecycle == fresh:
		return nil, jsonrpc2.NewError(jsonrpc2.ServerNotInitialized, "the first request must be initialize")
	case e.lifecycle == shutDown:
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the server is shut down")
	case method == protocol.MethodShutdown:
		e.docs.Settle()
		e.lifecycle = shutDown
		return nil, nil
	}
	e.docs.Settle()
	handler := requests[method]
	if handler == nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "unknown method %q", method)
	}
	rctx, end := e.inFlight.begin(e.ctx, req.ID())
	defer end()
	if method == protocol.MethodWorkspaceExecuteCommand {
		p := e.commands.join()
		defer p.leave()
		rctx = context.WithValue(rctx, placeKey{}, p)
	}
	jsonrpc2.Async(ctx)
	method = req.Method() // now a copy that outlives the message
	result, err = handler(e, rctx, req.Params())
	return result, wireError(rctx, err)
}

// placeKey is the key of a command's place in the order in which commands came.
type placeKey struct{}

// inFlight are the requests of the editor that are being answered.
type inFlight struct {
	mu      sync.Mutex
	cancels map[jsonrpc2.ID]*context.CancelFunc
}

func (f *inFlight) begin(parent context.Context, id jsonrpc2.ID) (ctx context.Context, end func()) {
	ctx, cancel := context.WithCancel(parent)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.cancels == nil {
		f.cancels = map[jsonrpc2.ID]*context.CancelFunc{}
	}
	f.cancels[id] = &cancel
	return ctx, func() {
		cancel()
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.cancels[id] == &cancel { // an id may come again once it is answered
			delete(f.cancels, id)
		}
	}
}

func (f *inFlight) cancel(id jsonrpc2.ID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if cancel := f.cancels[id]; cancel != nil {
		(*cancel)()
	}
}

func (e *editor) cancelRequest(params jsonrpc2.RawMessage) {
	var p struct {
		ID jsontext.Value `json:"id"`
	}
	if err := decode(params, &p); err != nil {
		e.log.Warn("notification is left out", "method", protocol.MethodCancelRequest, "error", err)
		return
	}
	if id, ok := looseID(p.ID); ok {
		e.inFlight.cancel(id)
	}
}

// wireError is what the editor is told of an error: a message for the user, and
// in data.kind what kind of error it is.
func wireError(ctx context.Context, err error) error {
	var (
		wire *jsonrpc2.Error
		own  *session.Error
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wire):
		return wire
	case errors.As(err, &own):
		return failed(own.Kind, own.Message)
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return jsonrpc2.NewError(protocol.CodeRequestCancelled, "cancelled")
	}
	return jsonrpc2.NewError(jsonrpc2.InternalError, err.Error())
}

// failed is an error with a kind of the contract.
func failed(kind session.Kind, message string) *jsonrpc2.Error {
	code := codeRequestFailed
	switch kind {
	case session.KindInvalid:
		code = jsonrpc2.InvalidParams
	case session.KindNotFound: // the contract has no word for a missing file
		kind = session.KindInvalid
	case session.KindConflict: // nor for a text that moved on
		kind = session.KindStale
	}
	return &jsonrpc2.Error{Code: code, Message: message, Data: jsonrpc2.RawMessage(fmt.Sprintf(`{"kind":%q}`, string(kind)))}
}
