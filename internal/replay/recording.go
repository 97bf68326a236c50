package replay

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Workspace is the folder in which all recordings play. [Player] puts the real
// one in its place.
const Workspace = "/workspace"

// Recording is what one agent did once.
type Recording struct {
	Name string `json:"-"` // of its file
	// Files are the workspace before, by path in it; After is what of them is not
	// the same in the end, and what is new.
	Files map[string]string `json:"files"`
	After map[string]string `json:"after"`
	Steps []Step            `json:"-"`
}

// Step is one thing the agent does, or waits for: Say, Await or Write is set.
type Step struct {
	// Say is a message of the agent, as it was on the wire.
	Say json.RawMessage `json:"say,omitempty"`

	// Await is the method of a message from the client, or [Answer]. ID is that of
	// the request which is awaited, or answered.
	Await string          `json:"await,omitempty"`
	ID    json.RawMessage `json:"id,omitempty"`
	// What the client said: the text of a prompt or of a file that was read, the mode
	// that was set, the option that was taken (none: cancelled), the terminal that
	// was created.
	Text     string `json:"text,omitempty"`
	Mode     string `json:"mode,omitempty"`
	Option   string `json:"option,omitempty"`
	Terminal string `json:"terminal,omitempty"`

	// Write is a file that is written with Content without the client's help.
	Write   string `json:"write,omitempty"`
	Content string `json:"content,omitempty"`
	// Call is the tool call to which the file belongs that is written, by the agent
	// itself or with fs/write_text_file. A file written by nobody's has been put
	// back by the one who recorded.
	Call string `json:"call,omitempty"`
}

// Answer as a Step's Await is the answer to a request of the agent's.
const Answer = "answer"

// Message is what a Step says, as far as anybody looks at it.
type Message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Path     string `json:"path"`
		Content  string `json:"content"`
		ToolCall struct {
			ToolCallID string `json:"toolCallId"`
		} `json:"toolCall"`
		Update struct {
			SessionUpdate string `json:"sessionUpdate"`
			ToolCallID    string `json:"toolCallId"`
			Status        string `json:"status"`
		} `json:"update"`
	} `json:"params"`
	Result struct {
		StopReason      string `json:"stopReason"`
		ProtocolVersion int    `json:"protocolVersion"`
		SessionID       string `json:"sessionId"`
	} `json:"result"`
}

// Message decodes Say; members of other types are left empty.
func (s Step) Message() (m Message) {
	_ = json.Unmarshal(s.Say, &m)
	return m
}

// Rel is a path of a recording in its workspace.
func Rel(path string) string { return strings.TrimPrefix(path, Workspace+"/") }

// Written are the writes of a recording in order, by whatever road.
func (r *Recording) Written() []Step {
	var out []Step
	for _, s := range r.Steps {
		if m := s.Message(); m.Method == "fs/write_text_file" {
			out = append(out, Step{Say: s.Say, Write: Rel(m.Params.Path), Content: m.Params.Content, Call: s.Call})
		} else if s.Write != "" {
			out = append(out, s)
		}
	}
	return out
}

// encode writes a recording as a file: the workspace on its first line, and a
// step on each of the others.
func (r *Recording) encode() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return nil, err
	}
	for _, s := range r.Steps {
		if err := enc.Encode(s); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// Load reads a recording that encode has written.
func Load(path string) (*Recording, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := &Recording{Name: strings.TrimSuffix(filepath.Base(path), ".jsonl")}
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, len(raw)+1)
	for n := 1; lines.Scan(); n++ {
		into := any(r)
		var s Step
		if n > 1 {
			into = &s
		}
		d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		d.DisallowUnknownFields()
		if err := d.Decode(into); err != nil {
			return nil, fmt.Errorf("recording %s:%d: %w", path, n, err)
		}
		if n > 1 {
			r.Steps = append(r.Steps, s)
		}
	}
	return r, lines.Err()
}

// Version is the version of the protocol that the agent chose.
func (r *Recording) Version() int {
	return r.first(func(m Message) bool { return m.Result.ProtocolVersion != 0 }).Result.ProtocolVersion
}

// SessionID is the agent's first session.
func (r *Recording) SessionID() string {
	return r.first(func(m Message) bool { return m.Result.SessionID != "" }).Result.SessionID
}

func (r *Recording) first(is func(Message) bool) Message {
	for _, s := range r.Steps {
		if m := s.Message(); is(m) {
			return m
		}
	}
	return Message{}
}
