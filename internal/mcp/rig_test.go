package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"acp-ls/buffers"
	"acp-ls/internal/config"
	"acp-ls/internal/session"
	"acp-ls/lspbridge"
	"acp-ls/lspbridge/fakeeditor"
)

// The test program is the child too, as acp-ls is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "mcp" {
		if err := Relay(context.Background(), os.Stdin, os.Stdout, os.Getenv); err != nil {
			fmt.Fprintln(os.Stderr, "acp-ls:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // or with -race every relay stays for a second when it ends
	goleak.VerifyTestMain(m)
}

// rig is an editor, the core and the server, all but the agent real.
type rig struct {
	t        *testing.T
	core     *session.Core
	server   *Server
	editor   *fakeeditor.Editor
	agent    *fakeAgent
	settings *config.Settings
	root     string
	dir      string // of the socket
	log      *syncBuffer
}

type rigOptions struct {
	settings func(*config.Settings)
	editor   fakeeditor.Options
	waits    session.Waits
}

func start(t *testing.T, o rigOptions) *rig {
	t.Helper()
	r := &rig{t: t, settings: config.Default(), agent: newFakeAgent(), log: &syncBuffer{}}
	root, err := buffers.Resolve(t.TempDir())
	must(t, err)
	r.root = string(root)
	// A socket's path must be short, so it is not in t.TempDir.
	r.dir, err = os.MkdirTemp("", "mcp")
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(r.dir) })
	r.settings.DefaultAgent = "fake"
	if o.settings != nil {
		o.settings(r.settings)
	}
	self, err := os.Executable()
	must(t, err)
	log := slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	r.server = NewServer(Options{Command: self, Args: []string{"mcp"}, Version: "1", Log: log, Dir: r.dir})
	settings := func() *config.Settings { return r.settings }
	r.core = session.New(session.Options{Launcher: r.agent, Settings: settings, Log: log, EditorTools: r.server, Waits: o.waits})

	ours, theirs := net.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- lspbridge.Serve(context.Background(), ours, r.core, lspbridge.Options{Settings: settings, Log: log, Name: "acp-ls", Version: "1"})
	}()
	o.editor.Folder = buffers.PathURI(r.root)
	o.editor.ACP = append(o.editor.ACP, "save", "permission")
	r.editor, err = fakeeditor.Start(limit(t), theirs, o.editor)
	must(t, err)
	t.Cleanup(func() {
		must(t, r.server.Close())
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		must(t, r.editor.Exit(ctx))
		must(t, <-served)
		must(t, r.core.Close(ctx))
	})
	return r
}

const patience = 30 * time.Second

func limit(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// session opens a session and returns its id, and the server its agent was given.
func (r *rig) session() (string, session.MCPServer) {
	r.t.Helper()
	info, err := r.core.NewSession(limit(r.t), session.NewSession{Cwd: r.root})
	must(r.t, err)
	servers := r.agent.last().MCPServers
	if len(servers) != 1 || servers[0].Name != ServerName || servers[0].Type != "" {
		r.t.Fatalf("servers of the session: %+v", servers)
	}
	return info.Session, servers[0]
}

// child makes a command of what an agent is given.
func child(t *testing.T, s session.MCPServer) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(limit(t), s.Command, s.Args...)
	cmd.Env = os.Environ()
	for _, e := range s.Env {
		cmd.Env = append(cmd.Env, e.Name+"="+e.Value)
	}
	return cmd
}

// connect is a client of the official SDK that has started a child.
func (r *rig) connect(s session.MCPServer) *sdk.ClientSession {
	r.t.Helper()
	c := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	cs, err := c.Connect(limit(r.t), &sdk.CommandTransport{Command: child(r.t, s)}, nil)
	must(r.t, err)
	r.t.Cleanup(func() { cs.Close() })
	return cs
}

// tools opens a session and connects to its tools.
func (r *rig) tools() *sdk.ClientSession {
	_, s := r.session()
	return r.connect(s)
}

type args = map[string]any

// call calls a tool, and returns its texts, and whether they are of an error.
func call(t *testing.T, cs *sdk.ClientSession, name string, a args) (texts []string, failed bool) {
	t.Helper()
	res, err := cs.CallTool(limit(t), &sdk.CallToolParams{Name: name, Arguments: a})
	must(t, err)
	for _, c := range res.Content {
		texts = append(texts, c.(*sdk.TextContent).Text)
	}
	return texts, res.IsError
}

// ok calls a tool that must succeed.
func ok(t *testing.T, cs *sdk.ClientSession, name string, a args) string {
	t.Helper()
	texts, failed := call(t, cs, name, a)
	if failed {
		t.Fatalf("%s %v: %s", name, a, texts)
	}
	return strings.Join(texts, "\n")
}

// refused calls a tool that must say no, in words that have all of those wanted.
func refused(t *testing.T, cs *sdk.ClientSession, name string, a args, want ...string) {
	t.Helper()
	texts, failed := call(t, cs, name, a)
	contains(t, strings.Join(texts, "\n"), want...)
	if !failed {
		t.Errorf("%s %v is no error", name, a)
	}
}

func contains(t *testing.T, s string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(s, w) {
			t.Errorf("%q is not in %q", w, s)
		}
	}
}

// version is the version that an answer names.
func version(t *testing.T, answer string) string {
	t.Helper()
	_, rest, ok := strings.Cut(answer, "version ")
	if !ok || len(rest) < 12 {
		t.Fatalf("no version in %q", answer)
	}
	return rest[:12]
}

func (r *rig) path(name string) string { return filepath.Join(r.root, name) }

func (r *rig) write(name, text string) string {
	r.t.Helper()
	must(r.t, os.WriteFile(r.path(name), []byte(text), 0o644))
	return r.path(name)
}

func (r *rig) disk(name string) string {
	r.t.Helper()
	b, err := os.ReadFile(r.path(name))
	must(r.t, err)
	return string(b)
}

// open opens a file with what the disk has.
func (r *rig) open(name string) string {
	r.t.Helper()
	uri := buffers.PathURI(r.path(name))
	must(r.t, r.editor.Open(uri, "text", r.disk(name)))
	return uri
}

func (r *rig) text(uri string) string {
	r.t.Helper()
	s, ok := r.editor.Text(uri)
	if !ok {
		r.t.Fatalf("%s is not open", uri)
	}
	return s
}

// retype makes the user replace the first old of a document.
func (r *rig) retype(uri, old, new string) {
	r.t.Helper()
	s := r.text(uri)
	i := strings.Index(s, old)
	if i < 0 {
		r.t.Fatalf("%q is not in %q", old, s)
	}
	must(r.t, r.editor.Type(uri, i, i+len(old), new))
}

// settle waits until the core has seen all that the editor has sent.
func (r *rig) settle() {
	r.t.Helper()
	must(r.t, r.editor.Command(limit(r.t), "acp.permission.list", struct{}{}, nil))
}

func answering(v any) func(context.Context, json.RawMessage) (any, error) {
	return func(context.Context, json.RawMessage) (any, error) { return v, nil }
}

// syncBuffer is a buffer that several goroutines write to.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// fakeAgent is an agent that does nothing, and its launcher.
type fakeAgent struct {
	session.Agent // what is not overridden is not called
	done          chan struct{}
	once          sync.Once

	mu     sync.Mutex
	n      int
	opened []session.SessionParams
	host   session.Host
	prompt func(ctx context.Context, sessionID string) session.StopReason

	prompted  []session.Block // of the last prompt
	cancelled func()
}

func newFakeAgent() *fakeAgent { return &fakeAgent{done: make(chan struct{})} }

func (a *fakeAgent) last() session.SessionParams {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.opened[len(a.opened)-1]
}

func (a *fakeAgent) Catalog() []session.AgentEntry {
	return []session.AgentEntry{{Name: "fake", Installed: true}}
}

func (a *fakeAgent) Start(_ context.Context, _, _ string, h session.Host) (session.Agent, error) {
	a.host = h
	return a, nil
}

func (a *fakeAgent) Info() session.AgentInfo {
	return session.AgentInfo{Name: "fake", LoadSession: true, Fork: true, Close: true}
}

func (a *fakeAgent) openSession(p session.SessionParams) (session.SessionState, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.n++
	a.opened = append(a.opened, p)
	return session.SessionState{SessionID: fmt.Sprint("remote", a.n)}, nil
}

func (a *fakeAgent) NewSession(_ context.Context, p session.SessionParams) (session.SessionState, error) {
	return a.openSession(p)
}

func (a *fakeAgent) LoadSession(_ context.Context, _ string, p session.SessionParams) (session.SessionState, error) {
	return a.openSession(p)
}

func (a *fakeAgent) ForkSession(_ context.Context, _ string, p session.SessionParams) (session.SessionState, error) {
	return a.openSession(p)
}

func (a *fakeAgent) Prompt(ctx context.Context, id string, blocks []session.Block) (session.StopReason, error) {
	if a.prompt == nil {
		return "", errors.New("no turn was expected")
	}
	a.mu.Lock()
	a.prompted = blocks
	a.mu.Unlock()
	var reason session.StopReason
	ended := make(chan struct{})
	go func() { // a test that fails in it ends this goroutine, and the turn all the same
		defer close(ended)
		reason = a.prompt(ctx, id)
	}()
	<-ended
	return reason, nil
}

func (a *fakeAgent) CloseSession(context.Context, string) error { return nil }
func (a *fakeAgent) Cancel(string) error {
	if a.cancelled != nil {
		a.cancelled()
	}
	return nil
}
func (a *fakeAgent) Done() <-chan struct{} { return a.done }
func (a *fakeAgent) Err() error            { return nil }
func (a *fakeAgent) Close(context.Context) error {
	a.once.Do(func() { close(a.done) })
	return nil
}
