package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"acp-ls/acpclient/wire"
)

// turn is one prompt being worked on. Its methods return an error when the turn
// cannot go on: it was cancelled, or the client is gone. What merely did not
// work is said to the user and is no error.
type turn struct {
	*agent
	session *session
	ctx     context.Context
	client  wire.ClientCapabilities

	prompt prompt
	plan   []wire.PlanEntry
}

func (t *turn) run(blocks []wire.ContentBlock) error {
	t.prompt = readPrompt(blocks, t.session.cwd)
	requests := parse(t.prompt.instruction)
	if err := t.think(requests); err != nil {
		return err
	}
	for _, name := range t.prompt.missing(t.prompt.instruction, t.session.cwd) {
		if err := t.sayf("There is no file `%s` in %s.\n\n", name, t.session.cwd); err != nil {
			return err
		}
	}
	for _, l := range t.prompt.nothing {
		if err := t.sayf("I was given no file: %s.\n\n", l); err != nil {
			return err
		}
	}
	steps := t.steps(requests)
	if len(steps) > 1 {
		for _, s := range steps {
			t.plan = append(t.plan, wire.PlanEntry{Content: s.title, Priority: "medium", Status: "pending"})
		}
	}
	for i, s := range steps {
		if err := t.mark(i, "in_progress"); err != nil {
			return err
		}
		if i > 0 {
			if err := t.say("\n\n"); err != nil {
				return err
			}
		}
		if err := s.do(); err != nil {
			return err
		}
		if err := t.mark(i, "completed"); err != nil {
			return err
		}
	}
	return nil
}

// step is one thing to do.
type step struct {
	title string
	do    func() error
}

// steps works out what to do: each change of each file is a step of its own.
func (t *turn) steps(requests []request) []step {
	var all []step
	var focus []target
	for _, r := range requests {
		targets := t.prompt.choose(r, t.session)
		if len(targets) > 0 {
			focus = targets
		}
		all = append(all, t.stepsOf(r, targets)...)
	}
	if focus != nil {
		t.session.setFocus(focus)
	}
	return all
}

func (t *turn) mark(i int, status string) error {
	if t.plan == nil {
		return t.ctx.Err()
	}
	t.plan[i].Status = status
	return t.update(&wire.Plan{SessionUpdate: "plan", Entries: t.plan})
}

func (t *turn) update(u wire.Update) error {
	return t.agent.update(t.ctx, t.session.id, u)
}

// updateAnyway sends also when the turn is cancelled: the end of a tool call.
func (t *turn) updateAnyway(u wire.Update) error {
	return t.agent.update(context.WithoutCancel(t.ctx), t.session.id, u)
}

// say streams a piece of the answer.
func (t *turn) say(text string) error { return t.stream(wire.AgentMessageChunk, text) }

func (t *turn) sayf(format string, args ...any) error { return t.say(fmt.Sprintf(format, args...)) }

// think tells how the prompt was understood.
func (t *turn) think(requests []request) error {
	var what []string
	for _, r := range requests {
		what = append(what, r.describe())
	}
	return t.stream(wire.AgentThoughtChunk, "I take this as: "+strings.Join(what, "; then ")+".")
}

func (t *turn) stream(kind, text string) error {
	for _, piece := range pieces(text) {
		if err := t.update(&wire.MessageChunk{Kind: kind, Content: wire.TextBlock(piece)}); err != nil {
			return err
		}
		if err := t.pause(); err != nil {
			return err
		}
	}
	return t.ctx.Err()
}

// pieces cuts a text like a model's: into a few words at a time. Together they
// are the text.
func pieces(text string) []string {
	const words = 3
	var all []string
	start, seen, inWord := 0, 0, false
	for i, r := range text {
		space := r == ' ' || r == '\n'
		if !space && !inWord {
			if seen == words {
				all = append(all, text[start:i])
				start, seen = i, 0
			}
			seen++
		}
		inWord = !space
	}
	if start < len(text) {
		all = append(all, text[start:])
	}
	return all
}

func (t *turn) pause() error {
	if t.opt.Pace <= 0 {
		return t.ctx.Err()
	}
	timer := time.NewTimer(t.opt.Pace)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-t.ctx.Done():
		return t.ctx.Err()
	}
}

// tool is a tool call that has been announced and not ended.
type tool struct {
	t    *turn
	call wire.ToolCall
}

// tool announces a tool call. Its end must be told by done or fail.
func (t *turn) tool(call wire.ToolCall) (*tool, error) {
	call.SessionUpdate = "tool_call"
	call.ToolCallID = fmt.Sprintf("%s-%d", t.session.id, t.session.nextTool())
	if call.Status == "" {
		call.Status = wire.ToolInProgress
	}
	return &tool{t: t, call: call}, t.update(&call)
}

func (c *tool) patch(status string, content ...wire.ToolCallContent) *wire.ToolCallUpdate {
	return &wire.ToolCallUpdate{SessionUpdate: "tool_call_update", ToolCallID: c.call.ToolCallID, Status: status, Content: content}
}

func (c *tool) progress(content ...wire.ToolCallContent) error {
	return c.t.update(c.patch(wire.ToolInProgress, content...))
}

func (c *tool) done(content ...wire.ToolCallContent) error {
	return c.t.updateAnyway(c.patch(wire.ToolCompleted, content...))
}

// fail ends the call with a reason. The turn goes on unless it was cancelled.
func (c *tool) fail(reason string) error {
	if err := c.t.updateAnyway(c.patch(wire.ToolFailed, textContent(reason))); err != nil {
		return err
	}
	return c.t.ctx.Err()
}

func textContent(text string) wire.ToolCallContent {
	b := wire.TextBlock(text)
	return wire.ToolCallContent{Type: wire.ToolContent, Content: &b}
}

// What may be answered to a question.
const (
	allowed = iota
	allowedAlways
	refused
)

// ask puts a tool call to the user. An answer that is no option of ours counts
// as a refusal.
func (c *tool) ask(always string) (int, error) {
	res, err := wire.Call[wire.RequestPermissionResponse](c.t.ctx, c.t.conn, wire.MethodRequestPermission, wire.RequestPermissionRequest{
		SessionID: c.t.session.id,
		ToolCall: wire.ToolCallUpdate{ToolCallID: c.call.ToolCallID, Title: &c.call.Title, Kind: c.call.Kind, Status: wire.ToolPending,
			Content: c.call.Content, Locations: c.call.Locations, RawInput: c.call.RawInput},
		Options: []wire.PermissionOption{
			{OptionID: "allow", Name: "Allow", Kind: wire.AllowOnce},
			{OptionID: "always", Name: always, Kind: wire.AllowAlways},
			{OptionID: "reject", Name: "Reject", Kind: wire.RejectOnce},
		},
	})
	switch {
	case c.t.ctx.Err() != nil:
		return refused, c.t.ctx.Err()
	case errors.Is(err, wire.ErrClosed):
		return refused, err
	case err != nil: // the client cannot ask: nobody has allowed it
		return refused, nil
	case res.Cancelled:
		// The client cancels the turn; its notification may be on the way still.
		c.t.session.cancelTurn()
		return refused, c.t.ctx.Err()
	case res.OptionID == "allow":
		return allowed, nil
	case res.OptionID == "always":
		return allowedAlways, nil
	}
	return refused, nil
}

// read returns the text of a file as the user sees it. problem says why there
// is none.
func (t *turn) read(path string) (text, problem string, err error) {
	if !t.client.FS.ReadTextFile {
		b, err := os.ReadFile(path)
		if err != nil {
			return "", err.Error(), t.ctx.Err()
		}
		return string(b), "", t.ctx.Err()
	}
	res, err := wire.Call[wire.ReadTextFileResponse](t.ctx, t.conn, wire.MethodReadTextFile,
		wire.ReadTextFileRequest{SessionID: t.session.id, Path: path})
	if fatal := t.fatal(err); fatal != nil {
		return "", "", fatal
	}
	if err != nil {
		return "", message(err), nil
	}
	return res.Content, "", nil
}

// write gives a file a new text, through the client where it takes that.
func (t *turn) write(path, text string) (problem string, err error) {
	if !t.client.FS.WriteTextFile {
		mode := os.FileMode(0o644)
		if st, err := os.Stat(path); err == nil {
			mode = st.Mode().Perm()
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			return err.Error(), t.ctx.Err()
		}
		return "", t.ctx.Err()
	}
	_, err = wire.Call[wire.WriteTextFileResponse](t.ctx, t.conn, wire.MethodWriteTextFile,
		wire.WriteTextFileRequest{SessionID: t.session.id, Path: path, Content: text})
	if fatal := t.fatal(err); fatal != nil {
		return "", fatal
	}
	if err != nil {
		return message(err), nil
	}
	return "", nil
}

// fatal is the error of a call if the turn cannot go on after it.
func (t *turn) fatal(err error) error {
	if t.ctx.Err() != nil {
		return t.ctx.Err()
	}
	if errors.Is(err, wire.ErrClosed) {
		return err
	}
	return nil
}

// message is what the client said, without the method's name and code.
func message(err error) string {
	var e *wire.Error
	if errors.As(err, &e) && e.Message != "" {
		return e.Message
	}
	return err.Error()
}

func rawInput(v any) jsontext.Value {
	raw, err := wire.Encode(v)
	if err != nil {
		return nil
	}
	return raw
}
