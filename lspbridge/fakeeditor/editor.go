package fakeeditor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"

	"go.lsp.dev/jsonrpc2"
)

// Options say what the editor is like. The zero value is an editor that knows
// LSP, offers utf-8 and utf-16, and nothing of acp.
type Options struct {
	Name      string   // of the client; "fake" if empty
	Folder    string   // URI of the workspace folder; none if empty
	Encodings []string // offered; utf-8 and utf-16 if nil
	ACP       []string // members of experimental.acp
	// Settings is the section acp of workspace/configuration; nil: the editor
	// does not offer to be asked.
	Settings              any
	InitializationOptions any
	// Capabilities may change the client's capabilities before they are sent.
	Capabilities func(map[string]any)
	// Answer answers requests of the server by method; it wins over what the
	// editor would do. Each runs on a goroutine of its own. An error is sent as
	// such; a *jsonrpc2.Error with its code.
	Answer map[string]func(ctx context.Context, params json.RawMessage) (any, error)
	Vices  Vices
}

// Editor is a running fake editor.
type Editor struct {
	Encoding   string          // agreed on
	Initialize json.RawMessage // the server's answer

	stream jsonrpc2.Stream
	opts   Options
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu      sync.Mutex
	changed chan struct{} // closed and replaced with every change of what follows
	log     []Message
	buffers map[string]*buffer
	vices   Vices
	held    []func()
	calls   map[int64]*Call
	nextID  int64
	ended   error
	stalled chan struct{} // not nil: reading waits for it
}

// Start connects an editor and initializes it.
func Start(ctx context.Context, rwc io.ReadWriteCloser, o Options) (*Editor, error) {
	if o.Name == "" {
		o.Name = "fake"
	}
	if o.Encodings == nil {
		o.Encodings = []string{"utf-8", "utf-16"}
	}
	e := &Editor{
		stream: jsonrpc2.NewHeaderStream(rwc), opts: o, vices: o.Vices, Encoding: "utf-16",
		changed: make(chan struct{}), buffers: map[string]*buffer{}, calls: map[int64]*Call{},
	}
	e.ctx, e.cancel = context.WithCancel(context.WithoutCancel(ctx))
	e.wg.Go(e.read)
	if err := e.initialize(ctx); err != nil {
		_ = e.Kill()
		return nil, fmt.Errorf("initialize: %w", err)
	}
	return e, nil
}

func (e *Editor) initialize(ctx context.Context) error {
	acp := map[string]bool{}
	for _, name := range e.opts.ACP {
		acp[name] = true
	}
	caps := map[string]any{
		"general": map[string]any{"positionEncodings": e.opts.Encodings},
		"window":  map[string]any{"workDoneProgress": true, "showMessage": map[string]any{}},
		"workspace": map[string]any{
			"applyEdit": true, "configuration": e.opts.Settings != nil,
			"workspaceEdit": map[string]any{"documentChanges": true},
			"codeLens":      map[string]any{"refreshSupport": true},
		},
		"textDocument": map[string]any{"hover": map[string]any{"contentFormat": []string{"markdown"}}},
		"experimental": map[string]any{"acp": acp},
	}
	if e.opts.Capabilities != nil {
		e.opts.Capabilities(caps)
	}
	params := map[string]any{"processId": nil, "clientInfo": map[string]any{"name": e.opts.Name}, "rootUri": nil, "capabilities": caps}
	if e.opts.Folder != "" {
		params["workspaceFolders"] = []any{map[string]any{"uri": e.opts.Folder, "name": "folder"}}
	}
	if e.opts.InitializationOptions != nil {
		params["initializationOptions"] = e.opts.InitializationOptions
	}
	if err := e.Request(ctx, "initialize", params, &e.Initialize); err != nil {
		return err
	}
	var result struct {
		Capabilities struct {
			PositionEncoding string `json:"positionEncoding"`
		} `json:"capabilities"`
	}
	if err := json.Unmarshal(e.Initialize, &result); err != nil {
		return err
	}
	if result.Capabilities.PositionEncoding != "" {
		e.Encoding = result.Capabilities.PositionEncoding
	}
	return e.Notify("initialized", map[string]any{})
}

// Notify sends a notification.
func (e *Editor) Notify(method string, params any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.send(Message{FromEditor: true, Method: method, Params: raw}, jsonrpc2.NewNotification(method, raw))
}

// send writes a message and logs it; mu is held, which is what keeps the order.
func (e *Editor) send(m Message, wire jsonrpc2.Message) error {
	e.record(m)
	_, err := e.stream.Write(e.ctx, wire)
	return err
}

// Call is a request under way.
type Call struct {
	e      *Editor
	id     int64
	method string
	done   chan struct{}
	result json.RawMessage
	err    error
}

// Begin sends a request.
func (e *Editor) Begin(method string, params any) (*Call, error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended != nil {
		return nil, e.ended
	}
	e.nextID++
	c := &Call{e: e, id: e.nextID, method: method, done: make(chan struct{})}
	e.calls[c.id] = c
	return c, e.send(Message{FromEditor: true, Method: method, ID: fmt.Sprint(c.id), Params: raw}, jsonrpc2.NewCall(jsonrpc2.NewNumberID(c.id), method, raw))
}

// Cancel sends $/cancelRequest. The request is answered all the same.
func (c *Call) Cancel() error {
	return c.e.Notify("$/cancelRequest", map[string]any{"id": c.id})
}

// Answered says whether the answer is there.
func (c *Call) Answered() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// Wait returns the answer.
func (c *Call) Wait(ctx context.Context, result any) error {
	select {
	case <-c.done:
	case <-ctx.Done():
		return fmt.Errorf("%s: %w\n%s", c.method, ctx.Err(), c.e.Dump())
	}
	if c.err != nil || result == nil {
		return c.err
	}
	if raw, ok := result.(*json.RawMessage); ok {
		*raw = c.result
		return nil
	}
	return json.Unmarshal(c.result, result)
}

// Request sends a request and waits for the answer. A JSON-RPC error is a
// *jsonrpc2.Error.
func (e *Editor) Request(ctx context.Context, method string, params, result any) error {
	c, err := e.Begin(method, params)
	if err != nil {
		return err
	}
	return c.Wait(ctx, result)
}

// BeginCommand sends workspace/executeCommand with one object as argument.
func (e *Editor) BeginCommand(command string, argument any) (*Call, error) {
	return e.Begin("workspace/executeCommand", map[string]any{"command": command, "arguments": []any{argument}})
}

// Command runs a command of the server.
func (e *Editor) Command(ctx context.Context, command string, argument, result any) error {
	c, err := e.BeginCommand(command, argument)
	if err != nil {
		return err
	}
	return c.Wait(ctx, result)
}

// read is the goroutine that takes what the server sends, in order.
func (e *Editor) read() {
	for {
		e.whileStalled()
		msg, _, err := e.stream.Read(e.ctx)
		if err != nil {
			e.end(err)
			return
		}
		e.whileStalled() // since it began to read
		switch m := msg.(type) {
		case *jsonrpc2.Response:
			e.answered(m)
		case *jsonrpc2.Notification:
			e.mu.Lock()
			e.record(Message{Method: clone(m.Method()), Params: slices.Clone(json.RawMessage(m.Params()))})
			e.mu.Unlock()
		case *jsonrpc2.Call:
			e.asked(m.ID(), clone(m.Method()), slices.Clone(json.RawMessage(m.Params())))
		}
	}
}

func clone(s string) string { return string([]byte(s)) }

func (e *Editor) answered(r *jsonrpc2.Response) {
	n, _ := r.ID().Number()
	e.mu.Lock()
	defer e.mu.Unlock()
	c := e.calls[n]
	m := Message{ID: fmt.Sprint(n), Result: slices.Clone(json.RawMessage(r.Result()))}
	if c != nil {
		m.Method = c.method
	}
	if r.Err() != nil {
		m.Error = r.Err().Error()
	}
	e.record(m)
	if c == nil {
		return
	}
	delete(e.calls, n)
	c.result, c.err = m.Result, r.Err()
	close(c.done)
}

func (e *Editor) end(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if errors.Is(err, io.EOF) {
		err = io.EOF
	}
	e.ended = fmt.Errorf("the server is gone: %w", err)
	for _, id := range slices.Sorted(maps.Keys(e.calls)) {
		c := e.calls[id]
		c.err = e.ended
		close(c.done)
	}
	clear(e.calls)
	e.stir()
}

// whileStalled returns when the editor is not stalled.
func (e *Editor) whileStalled() {
	e.mu.Lock()
	stalled := e.stalled
	e.mu.Unlock()
	if stalled == nil {
		return
	}
	select {
	case <-stalled:
	case <-e.ctx.Done():
	}
}

// Stall makes the editor stop reading until the returned function is called. One
// more message may be taken from the pipe; it, too, is handled only then.
func (e *Editor) Stall() (resume func()) {
	gate := make(chan struct{})
	e.mu.Lock()
	e.stalled = gate
	e.mu.Unlock()
	return sync.OnceFunc(func() {
		e.mu.Lock()
		e.stalled = nil
		e.mu.Unlock()
		close(gate)
	})
}

// Exit ends the session as LSP has it and waits for everything.
func (e *Editor) Exit(ctx context.Context) error {
	err := e.Request(ctx, "shutdown", nil, nil)
	err = errors.Join(err, e.Notify("exit", nil))
	return errors.Join(err, e.Kill())
}

// Kill ends the connection without a word, as many editors do.
func (e *Editor) Kill() error {
	e.cancel()
	err := e.stream.Close()
	e.wg.Wait()
	return err
}
