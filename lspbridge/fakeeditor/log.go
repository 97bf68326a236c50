package fakeeditor

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// Message is one message of either side. A response has the method of its
// request.
type Message struct {
	FromEditor bool
	Method     string
	ID         string // of requests and responses
	Params     json.RawMessage
	Result     json.RawMessage
	Error      string
}

// Response says whether m answers something.
func (m Message) Response() bool { return m.Result != nil || m.Error != "" }

func (m Message) String() string {
	arrow := "<-"
	if m.FromEditor {
		arrow = "->"
	}
	what := m.Method
	if m.ID != "" {
		what += " #" + m.ID
	}
	switch {
	case m.Error != "":
		return fmt.Sprintf("%s %s error %s", arrow, what, m.Error)
	case m.Response():
		return fmt.Sprintf("%s %s result %s", arrow, what, short(m.Result))
	}
	return fmt.Sprintf("%s %s %s", arrow, what, short(m.Params))
}

func short(raw json.RawMessage) string {
	const limit = 300
	if len(raw) > limit {
		return fmt.Sprintf("%s... (%d bytes)", raw[:limit], len(raw))
	}
	return string(raw)
}

// record appends to the log; mu is held.
func (e *Editor) record(m Message) {
	e.log = append(e.log, m)
	e.stir()
}

// stir wakes whoever awaits something; mu is held.
func (e *Editor) stir() {
	close(e.changed)
	e.changed = make(chan struct{})
}

// State is what an expectation looks at. It is valid during the call only.
type State struct {
	e   *Editor
	Log []Message
}

// Text is the text of an open document.
func (s State) Text(uri string) string {
	if b := s.e.buffers[uri]; b != nil {
		return b.text
	}
	return ""
}

// Received are the server's messages of a method, responses left out.
func (s State) Received(method string) []Message {
	var out []Message
	for _, m := range s.Log {
		if !m.FromEditor && m.Method == method && !m.Response() {
			out = append(out, m)
		}
	}
	return out
}

// An Expectation says whether something has come about.
type Expectation func(State) bool

// Await returns when the expectation is met, and an error with the log when ctx
// ends before, or the server does.
func (e *Editor) Await(ctx context.Context, what string, met Expectation) error {
	for {
		e.mu.Lock()
		ok := met(State{e, e.log})
		changed, ended := e.changed, e.ended
		e.mu.Unlock()
		switch {
		case ok:
			return nil
		case ended != nil:
			return fmt.Errorf("await %s: %w\n%s", what, ended, e.Dump())
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("await %s: %w\n%s", what, ctx.Err(), e.Dump())
		}
	}
}

// Received returns an expectation: the server has sent so many messages of a
// method, requests among them.
func Received(method string, count int) Expectation {
	return func(s State) bool { return len(s.Received(method)) >= count }
}

// Matching returns an expectation: the server has sent a message of a method
// whose params satisfy f.
func Matching[P any](method string, f func(P) bool) Expectation {
	return func(s State) bool {
		for _, m := range s.Received(method) {
			var p P
			if json.Unmarshal(m.Params, &p) == nil && f(p) {
				return true
			}
		}
		return false
	}
}

// Log returns all messages so far, in order.
func (e *Editor) Log() []Message {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]Message(nil), e.log...)
}

// Received returns the params of the server's messages of a method.
func (e *Editor) Received(method string) []json.RawMessage {
	var out []json.RawMessage
	for _, m := range (State{e, e.Log()}).Received(method) {
		out = append(out, m.Params)
	}
	return out
}

// Dump is the log as text, for a failing test.
func (e *Editor) Dump() string {
	var b strings.Builder
	for _, m := range e.Log() {
		b.WriteString(m.String())
		b.WriteByte('\n')
	}
	return b.String()
}
