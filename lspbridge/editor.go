package lspbridge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"acp-ls/internal/session"
)

// editor is one attached editor: one connection, from the first byte to the
// last. It answers what the editor asks, and is the [session.Editor] through
// which the core speaks to it.
type editor struct {
	// Constant after newEditor.
	core core
	opts Options
	log  *slog.Logger
	ctx  context.Context // ends with the connection
	end  context.CancelCauseFunc

	stream *stream
	conn   jsonrpc2.Conn
	out    *outbox

	mu sync.Mutex     // guards starting goroutines and attaching against the end of ctx
	wg sync.WaitGroup // goroutines besides those of the connection

	// ready is closed when initialize has been answered and another message has
	// come: before that, LSP lets a server say nothing.
	ready chan struct{}

	// Used on the read loop only.
	lifecycle lifecycle
	opened    bool // ready is closed
	folders   []workspaceFolder

	// Used by the outbox's goroutine only.
	published map[string]bool // URIs with diagnostics of ours

	// Set once by initialize, before any other request or the core is heard.
	client client
	docs   documents

	inFlight  inFlight
	commands  turnstile // of those the editor sends, until each has its place in the core
	settings  editorSettings
	questions questions
	edits     edits
	progress  progress
	lenses    refresher
	contents  contents
}

var _ session.Editor = (*editor)(nil)

// Can says whether the editor offers a capability of experimental.acp.
func (e *editor) Can(capability string) bool { return e.client.acp[capability] }

// SessionChanged implements [session.Editor].
func (e *editor) SessionChanged(i session.Info) {
	if e.Can("session") {
		e.out.info(i)
	}
}

// EntryChanged implements [session.Editor].
func (e *editor) EntryChanged(sessionID string, entry session.Entry) {
	if e.Can("session") {
		e.out.entry(sessionID, entry)
	}
}

// Chunk implements [session.Editor].
func (e *editor) Chunk(sessionID, id, text string) {
	if e.Can("session") && text != "" {
		e.out.chunk(sessionID, id, text)
	}
}

// TerminalOutput implements [session.Editor].
func (e *editor) TerminalOutput(t session.TerminalOutput) {
	if e.Can("terminal") {
		e.out.terminal(t)
	}
}

// ReviewChanged implements [session.Editor].
func (e *editor) ReviewChanged(r session.Review) { e.out.review(r) }

// ShowMessage implements [session.Editor].
func (e *editor) ShowMessage(level session.Level, message string) {
	kind := protocol.MessageTypeInfo
	switch level {
	case session.LevelWarning:
		kind = protocol.MessageTypeWarning
	case session.LevelError:
		kind = protocol.MessageTypeError
	}
	e.out.message(protocol.MethodWindowShowMessage, &protocol.ShowMessageParams{Type: kind, Message: message})
}

type entryParams struct {
	Session string        `json:"session"`
	Entry   session.Entry `json:"entry"`
}

type chunkParams struct {
	Session string `json:"session"`
	ID      string `json:"id"`
	Text    string `json:"text"`
}

// write writes what the outbox has taken, and returns when it is out.
func (e *editor) write(n *node) {
	if e.awaitReady(e.ctx) != nil {
		return
	}
	defer e.recovered("write")
	switch n.kind {
	case infoNode:
		e.notify("acp/session", n.info)
	case entryNode:
		e.notify("acp/entry", entryParams{n.session, n.entry})
	case chunkNode:
		e.notify("acp/chunk", chunkParams{n.session, n.id, string(n.text)})
	case terminalNode:
		e.notify("acp/terminal", session.TerminalOutput{Session: n.session, Terminal: n.id, Output: string(n.text), Exit: n.exit})
	case reviewNode:
		e.writeReview(n.review)
	case messageNode:
		e.notify(n.id, n.params)
	}
}

// notify writes a notification. An error means that the connection is at its
// end, which its reader tells.
func (e *editor) notify(method string, params any) {
	if err := e.conn.Notify(e.ctx, method, params); err != nil && e.ctx.Err() == nil {
		e.log.Debug("notification was not written", "method", method, "error", err)
	}
}

// call asks the editor and waits for the answer or the end of ctx, in which case
// the editor is told that nobody waits any more.
func (e *editor) call(ctx context.Context, method string, params, result any) error {
	ctx, stop := e.whileAttached(ctx)
	defer stop()
	if err := e.awaitReady(ctx); err != nil {
		return err
	}
	id, err := e.conn.Call(ctx, method, params, result)
	if err != nil && ctx.Err() != nil {
		if n, ok := id.Number(); ok && n > 0 {
			e.out.message(protocol.MethodCancelRequest, &protocol.CancelParams{ID: protocol.Integer(n)})
		}
		return context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

func (e *editor) awaitReady(ctx context.Context) error {
	select {
	case <-e.ready:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// recovered, deferred, keeps a fault of ours from taking the sessions of the
// whole process with it.
func (e *editor) recovered(where string) {
	if r := recover(); r != nil {
		e.log.Error("panic", "in", where, "panic", r, "stack", string(debug.Stack()))
	}
}

// whileAttached returns a context that ends also when the editor goes.
func (e *editor) whileAttached(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(e.ctx, func() { cancel(context.Cause(e.ctx)) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// ask is call for a message of the contract.
func (e *editor) ask(ctx context.Context, method string, params, result any) error {
	if c := capabilityOf(method); !e.Can(c) {
		return fmt.Errorf("%s: %w", method, session.ErrUnsupported)
	}
	return e.call(ctx, method, params, result)
}

type uriParams struct {
	URI string `json:"uri"`
}

type saveParams struct {
	URI     string `json:"uri"`
	Version int32  `json:"version,omitzero"`
	Format  bool   `json:"format"`
}

type saveResult struct {
	Saved  bool   `json:"saved"`
	Reason string `json:"reason,omitzero"` // why not, in a line
}

// Save implements [session.Editor].
func (e *editor) Save(ctx context.Context, uri string, version int32, format bool) error {
	var r saveResult
	if err := e.ask(ctx, "acp/save", saveParams{uri, version, format}, &r); err != nil {
		return err
	}
	switch {
	case r.Saved:
		return nil
	case r.Reason != "":
		return fmt.Errorf("%w: %s", session.ErrNotSaved, r.Reason)
	}
	return session.ErrNotSaved
}

type reloadResult struct {
	Reloaded bool `json:"reloaded"`
}

// Reload implements [session.Editor].
func (e *editor) Reload(ctx context.Context, uri string) (bool, error) {
	var r reloadResult
	err := e.ask(ctx, "acp/reload", uriParams{uri}, &r)
	return r.Reloaded, err
}

type adoptParams struct {
	URI     string `json:"uri"`
	Version int32  `json:"version"`
	Text    string `json:"text"`
	Disk    string `json:"disk"` // SHA-256, in hexadecimal, of the file's bytes that the text contains
}

type adoptResult struct {
	Adopted bool `json:"adopted"`
}

// Adopt implements [session.Editor].
func (e *editor) Adopt(ctx context.Context, uri string, version int32, text, disk string) (bool, error) {
	var r adoptResult
	err := e.ask(ctx, "acp/adopt", adoptParams{uri, version, text, sumOf(disk)}, &r)
	return r.Adopted, err
}

type baseParams struct {
	URI     string `json:"uri"`
	Version int32  `json:"version"`
	Disk    string `json:"disk"` // SHA-256, in hexadecimal, of the file's bytes that the document contains
}

type baseResult struct {
	Based bool `json:"based"`
}

// Base implements [session.Editor].
func (e *editor) Base(ctx context.Context, uri string, version int32, disk string) (bool, error) {
	var r baseResult
	err := e.ask(ctx, "acp/base", baseParams{uri, version, sumOf(disk)}, &r)
	return r.Based, err
}

// sumOf returns what editors are told of a file's bytes, to compare them.
func sumOf(disk string) string {
	sum := sha256.Sum256([]byte(disk))
	return hex.EncodeToString(sum[:])
}

type editorResult struct {
	Active    *activeEditor `json:"active,omitzero"`
	Visible   []string      `json:"visible"`
	LastTyped int64         `json:"lastTyped"`
}

type activeEditor struct {
	URI      string  `json:"uri"`
	Ranges   []Range `json:"ranges"`
	Viewport *Range  `json:"viewport,omitzero"`
}

// State implements [session.Editor].
func (e *editor) State(ctx context.Context) (session.EditorState, error) {
	var r editorResult
	if err := e.ask(ctx, "acp/editor", none{}, &r); err != nil {
		return session.EditorState{}, err
	}
	state := session.EditorState{Visible: r.Visible, LastTyped: r.LastTyped}
	if r.Active != nil {
		state.Active = r.Active.URI
		for _, rng := range r.Active.Ranges {
			state.Ranges = append(state.Ranges, rng.position())
		}
	}
	return state, nil
}

type runParams struct {
	Title   string            `json:"title"`
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
	Cwd     string            `json:"cwd"`
}

type runResult struct {
	ExitCode int `json:"exitCode"`
}

// Run implements [session.Editor]. An editor that cannot run anything shows the
// command, so that the user can.
func (e *editor) Run(ctx context.Context, r session.RunRequest) (int, error) {
	if !e.Can("run") {
		e.ShowMessage(session.LevelInfo, r.Title+". Run this in a terminal: "+shellLine(r))
		return 0, fmt.Errorf("acp/run: %w", session.ErrUnsupported)
	}
	var result runResult
	err := e.ask(ctx, "acp/run", runParams{r.Title, r.Command, r.Args, r.Env, r.Cwd}, &result)
	return result.ExitCode, err
}

type askParams struct {
	ID        string                 `json:"id"`
	Session   string                 `json:"session"`
	Title     string                 `json:"title"`
	Questions []session.FormQuestion `json:"questions"`
}

type askResult struct {
	Action  string         `json:"action"`
	Answers map[string]any `json:"answers,omitzero"`
}

// Ask implements [session.Editor].
func (e *editor) Ask(ctx context.Context, f session.Form) (session.FormAnswer, error) {
	var r askResult
	if err := e.ask(ctx, "acp/ask", askParams{f.ID, f.Session, f.Title, f.Questions}, &r); err != nil {
		return session.FormAnswer{}, err
	}
	switch r.Action {
	case "accept":
		return session.FormAnswer{Action: r.Action, Answers: r.Answers}, nil
	case "decline":
		return session.FormAnswer{Action: r.Action}, nil
	}
	return session.FormAnswer{Action: "cancel"}, nil
}

// grace is how long a connection that ends may take to write what it still has.
const grace = 2 * time.Second
