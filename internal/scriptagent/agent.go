package scriptagent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
)

// Agent is one agent process, as the test that drives it sees it. Its methods
// may be called from any goroutine.
type Agent struct {
	Hello Hello

	server *Server
	c      net.Conn
	done   chan struct{}

	mu      sync.Mutex // guards what follows
	enc     *json.Encoder
	nextID  int64
	calls   map[string]*Call // by id, as it stands on the wire
	inbox   []Message        // not taken yet
	junk    []string         // lines that were no messages
	child   int
	eof     bool
	changed chan struct{}
}

// Message is a request or a notification of acp-ls. A notification has no ID.
type Message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params,omitempty"`
}

// Error is a JSON-RPC error.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (e *Error) Error() string { return fmt.Sprintf("%d %s", e.Code, e.Message) }

// ErrGone says that the process has ended.
var ErrGone = errors.New("the agent is gone")

// Done is closed when the process has ended.
func (a *Agent) Done() <-chan struct{} { return a.done }

func (a *Agent) send(o order) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.enc.Encode(o)
}

// Write has the agent write text to its standard output, as it is.
func (a *Agent) Write(text string) error { return a.send(order{Do: "write", Text: text}) }

// WriteLong has the agent write head, fill bytes of x, and tail.
func (a *Agent) WriteLong(head string, fill int, tail string) error {
	return a.send(order{Do: "write", Text: head, Fill: fill, Tail: tail})
}

// Stderr has the agent write to its standard error.
func (a *Agent) Stderr(text string) error { return a.send(order{Do: "stderr", Text: text}) }

// Mute closes the agent's standard output.
func (a *Agent) Mute() error { return a.send(order{Do: "mute"}) }

// Pause has the agent stop reading its input. One more line may be read.
func (a *Agent) Pause() error { return a.send(order{Do: "pause"}) }

// Resume has it read again.
func (a *Agent) Resume() error { return a.send(order{Do: "resume"}) }

// Linger has the agent stay when its input ends.
func (a *Agent) Linger() error { return a.send(order{Do: "linger"}) }

// Exit ends the process with a code. What was sent before is done first.
func (a *Agent) Exit(code int) error { return a.send(order{Do: "exit", Code: code}) }

// Die has the process kill itself.
func (a *Agent) Die() error { return a.send(order{Do: "die"}) }

// Spawn has the agent start a child that stays, and returns its process id.
func (a *Agent) Spawn(ctx context.Context) (int, error) {
	if err := a.send(order{Do: "spawn"}); err != nil {
		return 0, err
	}
	pid := 0
	err := a.await(ctx, "a child", func() bool { pid = a.child; return pid != 0 })
	return pid, err
}

func line(v any) (string, error) {
	raw, err := json.Marshal(v)
	return string(raw) + "\n", err
}

type sentMessage struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// Notify sends a notification.
func (a *Agent) Notify(method string, params any) error {
	text, err := line(sentMessage{JSONRPC: "2.0", Method: method, Params: params})
	if err != nil {
		return err
	}
	return a.Write(text)
}

// Reply answers a request.
func (a *Agent) Reply(m Message, answer Answer) error {
	out := sentMessage{JSONRPC: "2.0", ID: m.ID, Error: answer.Error}
	if answer.Error == nil {
		if out.Result = answer.Result; out.Result == nil {
			out.Result = struct{}{}
		}
	}
	text, err := line(out)
	if err != nil {
		return err
	}
	return a.Write(text)
}

// Call is a request under way.
type Call struct {
	Method string
	done   chan struct{}
	result json.RawMessage
	err    error
}

// Begin sends a request.
func (a *Agent) Begin(method string, params any) (*Call, error) {
	a.mu.Lock()
	a.nextID++
	id := fmt.Append(nil, a.nextID)
	a.mu.Unlock()
	return a.BeginAs(id, method, params)
}

// BeginAs sends a request with an id of the caller's choice, which no open one
// has: a number or a string, as JSON.
func (a *Agent) BeginAs(id json.RawMessage, method string, params any) (*Call, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	select {
	case <-a.done:
		return nil, ErrGone
	default:
	}
	c := &Call{Method: method, done: make(chan struct{})}
	text, err := line(sentMessage{JSONRPC: "2.0", ID: id, Method: method, Params: params})
	if err != nil {
		return nil, err
	}
	a.calls[string(id)] = c
	return c, a.enc.Encode(order{Do: "write", Text: text})
}

// Wait returns the answer; an error of the other side is an [*Error].
func (c *Call) Wait(ctx context.Context) (json.RawMessage, error) {
	select {
	case <-c.done:
		return c.result, c.err
	case <-ctx.Done():
		return nil, fmt.Errorf("%s was not answered: %w", c.Method, ctx.Err())
	}
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

// Take returns the oldest message that is wanted and has not been taken, and
// waits for it.
func (a *Agent) Take(ctx context.Context, what string, want func(Message) bool) (Message, error) {
	var m Message
	err := a.await(ctx, what, func() bool {
		i := slices.IndexFunc(a.inbox, want)
		if i >= 0 {
			m = a.inbox[i]
			a.inbox = slices.Delete(a.inbox, i, i+1)
		}
		return i >= 0
	})
	return m, err
}

// EOF waits until the agent's input has ended.
func (a *Agent) EOF(ctx context.Context) error {
	return a.await(ctx, "the end of the input", func() bool { return a.eof })
}

// await waits until f, which is called with mu held, says so.
func (a *Agent) await(ctx context.Context, what string, f func() bool) error {
	for {
		a.mu.Lock()
		ok, changed, seen := f(), a.changed, len(a.inbox)
		a.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-changed:
		case <-a.done:
			a.mu.Lock()
			ok := f()
			a.mu.Unlock()
			if ok {
				return nil
			}
			return fmt.Errorf("await %s: %w", what, ErrGone)
		case <-ctx.Done():
			return fmt.Errorf("await %s: %w (%d other messages wait)", what, ctx.Err(), seen)
		}
	}
}

// Junk are the lines acp-ls has written that are no JSON-RPC messages.
func (a *Agent) Junk() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.junk)
}

// take takes in what the process said.
func (a *Agent) take(w word) {
	var m struct {
		Message
		Version string          `json:"jsonrpc"`
		Result  json.RawMessage `json:"result"`
		Error   *Error          `json:"error"`
	}
	if w.Line != "" {
		if err := json.Unmarshal([]byte(w.Line), &m); err == nil && m.Version == "2.0" && m.Method != "" && m.ID != nil && a.server.Auto != nil {
			if answer, ok := a.server.Auto(a, m.Message); ok {
				_ = a.Reply(m.Message, answer) // the reader tells of the end
				return
			}
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	defer func() {
		close(a.changed)
		a.changed = make(chan struct{})
	}()
	switch {
	case w.Child != 0:
		a.child = w.Child
	case w.EOF:
		a.eof = true
	case m.Version != "2.0" || strings.Count(w.Line, "\n") != 1:
		a.junk = append(a.junk, w.Line)
	case m.Method != "":
		a.inbox = append(a.inbox, m.Message)
	default:
		a.answered(string(m.ID), m.Result, m.Error, w.Line)
	}
}

// answered gives an answer to its call; mu is held.
func (a *Agent) answered(id string, result json.RawMessage, e *Error, text string) {
	if c := a.calls[id]; c != nil {
		delete(a.calls, id)
		c.result = result
		if e != nil {
			c.err = e
		}
		close(c.done)
		return
	}
	a.junk = append(a.junk, text) // an answer to nothing
}

// end is called when the process is gone.
func (a *Agent) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, c := range a.calls {
		c.err = ErrGone
		close(c.done)
	}
	clear(a.calls)
	close(a.done)
}
