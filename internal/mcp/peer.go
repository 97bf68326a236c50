package mcp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"

	"acp-ls/internal/session"
)

const (
	maxLine  = 32 << 20 // a longer message ends the connection
	maxCalls = 64       // tool calls that run at once, for one connection

	// progressEvery is how often a client is told that a call goes on, if it asks
	// for it: the user may think about a question for longer than the client waits.
	progressEvery = 10 * time.Second
)

var wireJSON = json.JoinOptions(
	jsontext.AllowInvalidUTF8(true),
	jsontext.AllowDuplicateNames(true),
	jsontext.EscapeForJS(true), // U+2028 and U+2029: some line readers split there
)

// peer is the server's end of one connection. One goroutine reads and answers
// what needs no waiting; each tool call has a goroutine of its own.
type peer struct {
	in      *bufio.Reader
	tools   *session.Tools
	version string
	log     *slog.Logger
	calls   sync.WaitGroup
	named   func(string) *tool // nil if there is none

	writing sync.Mutex // guards out
	out     io.Writer

	mu   sync.Mutex // guards what follows
	open map[jsonrpc2.ID]*openCall
}

type openCall struct {
	cancel    context.CancelFunc
	cancelled bool // by the client, which wants no answer then
}

func newPeer(in io.Reader, out io.Writer, tools *session.Tools, version string, log *slog.Logger) *peer {
	return &peer{in: bufio.NewReader(in), out: out, tools: tools, version: version, log: log, named: toolNamed, open: map[jsonrpc2.ID]*openCall{}}
}

// run speaks until nothing can be read any more, and returns when every call
// has ended. Those that run then are cancelled.
func (p *peer) run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer p.calls.Wait()
	defer cancel()
	for {
		line, err := p.readLine()
		if err != nil {
			if !errors.Is(err, io.EOF) && ctx.Err() == nil {
				p.log.Debug("mcp: read", "err", err)
			}
			return
		}
		if len(line) > 0 {
			p.take(ctx, line)
		}
	}
}

// readLine returns a line of its own memory, without its end and blanks.
func (p *peer) readLine() ([]byte, error) {
	var line []byte
	for {
		part, err := p.in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxLine:
			return nil, fmt.Errorf("a message is longer than %d bytes", maxLine)
		case err == nil:
			return trim(line), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

func trim(line []byte) []byte {
	for len(line) > 0 && (line[len(line)-1] == '\n' || line[len(line)-1] == '\r' || line[len(line)-1] == ' ') {
		line = line[:len(line)-1]
	}
	return line
}

func (p *peer) take(ctx context.Context, line []byte) {
	if line[0] == '[' {
		p.answer(jsonrpc2.ID{}, nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "batches are not taken (MCP has none)"))
		return
	}
	msg, err := jsonrpc2.DecodeMessage(line)
	if err != nil {
		p.answer(jsonrpc2.ID{}, nil, jsonrpc2.NewError(jsonrpc2.ParseError, "this is no message of JSON-RPC 2.0"))
		return
	}
	switch m := msg.(type) {
	case *jsonrpc2.Call:
		p.request(ctx, m)
	case *jsonrpc2.Notification:
		if m.Method() == "notifications/cancelled" {
			p.cancel(m.Params())
		}
	}
}

func (p *peer) request(ctx context.Context, m *jsonrpc2.Call) {
	switch m.Method() {
	case "initialize":
		p.answer(m.ID(), initialize(m.Params(), p.version), nil)
	case "ping":
		p.answer(m.ID(), struct{}{}, nil)
	case "tools/list":
		p.answer(m.ID(), toolList, nil)
	case "tools/call":
		p.begin(ctx, m)
	default:
		p.answer(m.ID(), nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "there is no method %.50q", m.Method()))
	}
}

func (p *peer) cancel(params []byte) {
	var in struct {
		RequestID jsontext.Value `json:"requestId"`
	}
	if json.Unmarshal(params, &in, wireJSON) != nil {
		return
	}
	// The id is decoded as that of a request is, so that the two are alike.
	msg, err := jsonrpc2.DecodeMessage(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"x","id":%s}`, in.RequestID))
	c, ok := msg.(*jsonrpc2.Call)
	if err != nil || !ok {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if o := p.open[c.ID()]; o != nil {
		o.cancelled = true
		o.cancel()
	}
}

type callParams struct {
	Name      string         `json:"name"`
	Arguments jsontext.Value `json:"arguments"`
	Meta      struct {
		ProgressToken jsontext.Value `json:"progressToken"`
	} `json:"_meta"`
}

// begin starts a tool call.
func (p *peer) begin(ctx context.Context, m *jsonrpc2.Call) {
	var in callParams
	if err := json.Unmarshal(m.Params(), &in, wireJSON); err != nil {
		p.answer(m.ID(), nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "tools/call: %v", err))
		return
	}
	t := p.named(in.Name)
	if t == nil {
		p.answer(m.ID(), nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "there is no tool %.50q", in.Name))
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	o := &openCall{cancel: cancel}
	p.mu.Lock()
	twice, full := p.open[m.ID()] != nil, len(p.open) >= maxCalls
	if !twice && !full {
		p.open[m.ID()] = o
	}
	p.mu.Unlock()
	if twice || full {
		cancel()
		why := "the id of this request is that of another that still runs"
		if full {
			why = fmt.Sprintf("%d calls run already; wait for one to end", maxCalls)
		}
		p.answer(m.ID(), nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, why))
		return
	}
	p.calls.Go(func() {
		defer cancel()
		told := make(chan struct{})
		if len(in.Meta.ProgressToken) > 0 {
			go func() {
				defer close(told)
				p.tellProgress(ctx, in.Meta.ProgressToken)
			}()
		} else {
			close(told)
		}
		result := p.call(ctx, t, in.Arguments)
		p.mu.Lock()
		delete(p.open, m.ID())
		silent := o.cancelled
		p.mu.Unlock()
		cancel()
		<-told // nothing of a call follows its answer
		if !silent {
			p.answer(m.ID(), result, nil)
		}
	})
}

// call runs a tool. A fault of ours costs this call alone.
func (p *peer) call(ctx context.Context, t *tool, args jsontext.Value) (r toolResult) {
	defer func() {
		if f := recover(); f != nil {
			p.log.Error("panic", "in", "tool "+t.Name, "panic", f, "stack", string(debug.Stack()))
			r = failed(fmt.Errorf("%s failed by a fault of acp-ls; use another tool", t.Name))
		}
	}()
	texts, err := t.run(ctx, p.tools, args)
	if err != nil {
		return failed(err)
	}
	return succeeded(texts...)
}

func (p *peer) tellProgress(ctx context.Context, token jsontext.Value) {
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			p.notify("notifications/progress", progress{Token: token, Progress: n, Message: "waiting for the user or the editor"})
		}
	}
}

type progress struct {
	Token    jsontext.Value `json:"progressToken"`
	Progress int            `json:"progress"`
	Message  string         `json:"message"`
}

func (p *peer) answer(id jsonrpc2.ID, result any, failure error) {
	var raw []byte
	if failure == nil {
		var err error
		if raw, err = json.Marshal(result, wireJSON); err != nil {
			failure = jsonrpc2.Errorf(jsonrpc2.InternalError, "the answer can not be encoded: %v", err)
		}
	}
	p.write(jsonrpc2.AppendResponse(nil, id, raw, failure))
}

func (p *peer) notify(method string, params any) {
	raw, err := json.Marshal(params, wireJSON)
	if err != nil {
		p.log.Error("mcp: encode", "method", method, "err", err)
		return
	}
	p.write(jsonrpc2.AppendNotification(nil, method, raw))
}

// write writes a line. A failure is that of the connection, which its reader
// tells.
func (p *peer) write(line []byte) {
	p.writing.Lock()
	defer p.writing.Unlock()
	if _, err := p.out.Write(append(line, '\n')); err != nil {
		p.log.Debug("mcp: write", "err", err)
	}
}
