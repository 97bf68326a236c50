package session

import (
	"slices"
	"strings"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// Whose an edit by our own tool is: it comes from the agent's MCP server, the
// tool call that it is of from the agent, and nothing says which is which or
// comes first. Both are in order, so the first edit that has no call and the
// first call of the tool that has no edit belong together.

// editTool is in the name or title of its calls, whatever else agents put there.
const editTool = "edit_buffer"

// naming is an edit and its tool call; the tools' mutex guards it.
type naming struct {
	turn, title, call string
	path              buffers.Path
	origin            review.Origin // of the change, once it is made
}

// begin finds the tool call of an edit that begins, or has it wait for one.
func (t *Tools) begin() *naming {
	n := &naming{title: "edit"}
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.s.running == nil {
		return n
	}
	n.turn = t.s.running.id
	for _, it := range t.s.log.items {
		if it.Turn == n.turn && ofEditTool(it) && !toolEnded(it.Tool.Status) && !t.claimed[it.Tool.ID] {
			t.claim(n, it)
			return n
		}
	}
	t.unnamed = append(t.unnamed, n)
	return n
}

func ofEditTool(it *item) bool {
	return it.Tool != nil && strings.Contains(it.Tool.Name+" "+it.Tool.Title, editTool)
}

// claim is called with both mutexes held.
func (t *Tools) claim(n *naming, it *item) {
	t.claimed[it.Tool.ID] = true
	n.call, n.title = it.Tool.ID, it.Tool.Title
}

// called takes in what an agent said of a tool call; the session's mu is held.
func (t *Tools) called(it *item) {
	if !ofEditTool(it) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.unnamed, func(n *naming) bool { return n.turn == it.Turn })
	if i < 0 || t.claimed[it.Tool.ID] {
		return
	}
	n := t.unnamed[i]
	t.unnamed = slices.Delete(t.unnamed, i, i+1)
	t.claim(n, it)
	if n.origin.Change != "" {
		t.relabel(n)
	}
}

// origin is what is known of an edit's origin before it is made.
func (t *Tools) origin(n *naming) review.Origin {
	t.mu.Lock()
	defer t.mu.Unlock()
	return review.Origin{
		Session: t.s.id, Agent: t.s.agentName, Author: review.AuthorAgent, Sure: true,
		Turn: n.turn, ToolCall: n.call, Title: n.title,
	}
}

// made notes the change that an edit has become.
func (t *Tools) made(n *naming, p buffers.Path, o review.Origin) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n.path, n.origin = p, o
	if n.call != o.ToolCall { // it came meanwhile
		t.relabel(n)
	}
}

// settled forgets an edit that has become no change, whose call is of none.
func (t *Tools) settled(n *naming) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.unnamed = slices.DeleteFunc(t.unnamed, func(o *naming) bool {
		return o == n && n.origin.Change == "" || o.turn != n.turn
	})
}

// relabel gives a change its tool call; mu is held, so not at once.
func (t *Tools) relabel(n *naming) {
	o, p := n.origin, n.path
	o.ToolCall, o.Title = n.call, n.title
	t.s.core.spawn(func() {
		f := t.s.core.file(p)
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.doc != nil {
			f.doc.Relabel(o.Change, o)
			f.publish()
		}
	})
}
