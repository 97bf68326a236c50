package demo

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	acp "github.com/coder/acp-go-sdk"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// client is a client made with the ACP SDK: it holds files of its own in front
// of a folder, as an editor with unsaved changes does, and keeps a log.
type client struct {
	t    *testing.T
	conn *acp.ClientSideConnection
	dir  string
	end  chan error

	// What the user does; called on any goroutine. nil: allow, take the write,
	// end well with no output.
	permission func(acp.RequestPermissionRequest) acp.RequestPermissionOutcome
	onWrite    func(path, text string) error
	exit       func(line string) (output string, code int)
	waiting    chan struct{} // wait_for_exit blocks until it is closed, if not nil
	onEntry    func(line string)
	onThought  func()

	mu       sync.Mutex
	files    map[string]string
	log      []string
	said     strings.Builder
	commands []string
	told     chan struct{}     // closed when the commands have come
	lines    map[string]string // of terminals
	session  acp.SessionId
}

func newClient(t *testing.T, caps acp.ClientCapabilities, opt Options) *client {
	t.Helper()
	agentIn, toAgent := io.Pipe()
	fromAgent, agentOut := io.Pipe()
	c := &client{t: t, dir: t.TempDir(), end: make(chan error, 1), told: make(chan struct{}), files: map[string]string{}, lines: map[string]string{}}
	go func() { c.end <- Serve(context.Background(), agentIn, agentOut, opt) }()
	c.conn = acp.NewClientSideConnection(c, toAgent, fromAgent)
	t.Cleanup(func() {
		toAgent.Close()
		if err := <-c.end; err != nil {
			t.Errorf("agent: %v", err)
		}
		fromAgent.Close()
		<-c.conn.Done()
	})
	if _, err := c.conn.Initialize(t.Context(), acp.InitializeRequest{ProtocolVersion: 1, ClientCapabilities: caps}); err != nil {
		t.Fatal(err)
	}
	s, err := c.conn.NewSession(t.Context(), acp.NewSessionRequest{Cwd: c.dir, McpServers: []acp.McpServer{}})
	if err != nil {
		t.Fatal(err)
	}
	c.session = s.SessionId
	return c
}

var everything = acp.ClientCapabilities{Fs: acp.FileSystemCapabilities{ReadTextFile: true, WriteTextFile: true}, Terminal: true}

func start(t *testing.T) *client { return newClient(t, everything, Options{}) }

// file makes a file that is on disk with one text and in the editor with another.
func (c *client) file(name, disk, live string) {
	c.t.Helper()
	path := filepath.Join(c.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(disk), 0o644); err != nil {
		c.t.Fatal(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.files[path] = live
}

func (c *client) live(name string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.files[filepath.Join(c.dir, name)]
}

func (c *client) uri(name string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(c.dir, name))}).String()
}

// resource is an embedded resource.
func resource(uri, text string) acp.ContentBlock {
	return acp.ResourceBlock(acp.EmbeddedResourceResource{TextResourceContents: &acp.TextResourceContents{Uri: uri, Text: text}})
}

// prompt runs a turn and returns its stop reason and what was said.
func (c *client) prompt(text string, more ...acp.ContentBlock) (stop, said string) {
	c.t.Helper()
	c.mu.Lock()
	c.said.Reset()
	c.log = nil
	c.mu.Unlock()
	res, err := c.conn.Prompt(context.WithoutCancel(c.t.Context()), acp.PromptRequest{SessionId: c.session, Prompt: append([]acp.ContentBlock{acp.TextBlock(text)}, more...)})
	if err != nil {
		c.t.Fatalf("%q: %v", text, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(res.StopReason), c.said.String()
}

func (c *client) logged() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.log, "\n")
}

func (c *client) note(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	c.mu.Lock()
	c.log = append(c.log, line)
	f := c.onEntry
	c.mu.Unlock()
	if f != nil {
		f(line)
	}
}

func (c *client) SessionUpdate(_ context.Context, n acp.SessionNotification) error {
	u := n.Update
	switch {
	case u.AgentMessageChunk != nil:
		c.mu.Lock()
		c.said.WriteString(u.AgentMessageChunk.Content.Text.Text)
		c.mu.Unlock()
	case u.AgentThoughtChunk != nil:
		c.mu.Lock()
		thinking := c.onThought
		c.mu.Unlock()
		if thinking != nil {
			thinking()
		}
	case u.ToolCall != nil:
		c.note("tool %s %s %s", u.ToolCall.ToolCallId, u.ToolCall.Status, u.ToolCall.Title)
	case u.ToolCallUpdate != nil:
		terminal := ""
		for _, content := range u.ToolCallUpdate.Content {
			if content.Terminal != nil {
				terminal = " with " + content.Terminal.TerminalId
			}
		}
		c.note("tool %s %s%s", u.ToolCallUpdate.ToolCallId, *u.ToolCallUpdate.Status, terminal)
	case u.Plan != nil:
		var all []string
		for _, e := range u.Plan.Entries {
			all = append(all, fmt.Sprintf("%s (%s)", e.Content, e.Status))
		}
		c.note("plan %s", strings.Join(all, "; "))
	case u.AvailableCommandsUpdate != nil:
		c.mu.Lock()
		for _, cmd := range u.AvailableCommandsUpdate.AvailableCommands {
			c.commands = append(c.commands, cmd.Name)
		}
		select {
		case <-c.told: // of another session
		default:
			close(c.told)
		}
		c.mu.Unlock()
	}
	return nil
}

func (c *client) ReadTextFile(_ context.Context, r acp.ReadTextFileRequest) (acp.ReadTextFileResponse, error) {
	c.note("read %s", filepath.Base(r.Path))
	c.mu.Lock()
	text, ok := c.files[r.Path]
	c.mu.Unlock()
	if !ok {
		b, err := os.ReadFile(r.Path)
		if err != nil {
			return acp.ReadTextFileResponse{}, &acp.RequestError{Code: -32002, Message: "no such file: " + filepath.Base(r.Path)}
		}
		text = string(b)
	}
	return acp.ReadTextFileResponse{Content: text}, nil
}

func (c *client) WriteTextFile(_ context.Context, r acp.WriteTextFileRequest) (acp.WriteTextFileResponse, error) {
	c.note("write %s", filepath.Base(r.Path))
	if c.onWrite != nil {
		if err := c.onWrite(r.Path, r.Content); err != nil {
			return acp.WriteTextFileResponse{}, &acp.RequestError{Code: -32603, Message: err.Error()}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.files[r.Path] = r.Content
	return acp.WriteTextFileResponse{}, nil
}

func (c *client) RequestPermission(ctx context.Context, r acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
	c.note("ask %s", *r.ToolCall.Title)
	if c.permission == nil {
		return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeSelected("allow")}, nil
	}
	return acp.RequestPermissionResponse{Outcome: c.permission(r)}, nil
}

func (c *client) CreateTerminal(_ context.Context, r acp.CreateTerminalRequest) (acp.CreateTerminalResponse, error) {
	line := strings.Join(append([]string{r.Command}, r.Args...), " ")
	c.note("terminal %s", line)
	if r.Command == "missing" {
		return acp.CreateTerminalResponse{}, &acp.RequestError{Code: -32603, Message: "no program missing"}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	id := fmt.Sprintf("t%d", len(c.lines)+1)
	c.lines[id] = line
	return acp.CreateTerminalResponse{TerminalId: id}, nil
}

func (c *client) result(id string) (string, int) {
	c.mu.Lock()
	line := c.lines[id]
	c.mu.Unlock()
	if c.exit == nil {
		return "", 0
	}
	return c.exit(line)
}

func (c *client) TerminalOutput(_ context.Context, r acp.TerminalOutputRequest) (acp.TerminalOutputResponse, error) {
	out, _ := c.result(r.TerminalId)
	return acp.TerminalOutputResponse{Output: out}, nil
}

func (c *client) WaitForTerminalExit(ctx context.Context, r acp.WaitForTerminalExitRequest) (acp.WaitForTerminalExitResponse, error) {
	if c.waiting != nil {
		c.note("waiting")
		select {
		case <-c.waiting:
		case <-ctx.Done():
			return acp.WaitForTerminalExitResponse{}, ctx.Err()
		}
	}
	_, code := c.result(r.TerminalId)
	return acp.WaitForTerminalExitResponse{ExitCode: &code}, nil
}

func (c *client) KillTerminal(context.Context, acp.KillTerminalRequest) (acp.KillTerminalResponse, error) {
	return acp.KillTerminalResponse{}, nil
}

func (c *client) ReleaseTerminal(_ context.Context, r acp.ReleaseTerminalRequest) (acp.ReleaseTerminalResponse, error) {
	c.note("release %s", r.TerminalId)
	return acp.ReleaseTerminalResponse{}, nil
}
