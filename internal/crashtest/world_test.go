package crashtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"acp-ls/buffers"
	"acp-ls/internal/scriptagent"
	"acp-ls/lspbridge/fakeeditor"
)

// patience bounds what must happen. It only says how long a failing test hangs.
const patience = 30 * time.Second

// program is acp-ls as it was built for these tests.
var program string

func TestMain(m *testing.M) {
	if scriptagent.Started() {
		os.Exit(scriptagent.Main())
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // or with -race every agent stays for a second when it ends, and acp-ls waits for it
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "crashtest")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "acp-ls")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", program, "acp-ls/cmd/acp-ls").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	code := m.Run()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// world is what outlives every process: a workspace, a home with the state directory, and the
// agents' driver.
type world struct {
	t          *testing.T
	root, home string
	agents     *scriptagent.Server
	started    int      // agents, ever
	args       []string // of acp-ls
	living     int      // acp-ls that run

	*process
}

// process is one acp-ls with its editor, and with the agent once there is a session.
type process struct {
	w       *world
	cmd     *exec.Cmd
	editor  *fakeeditor.Editor
	log     *os.File
	dead    bool
	agent   *scriptagent.Agent
	session string
}

func newWorld(t *testing.T) *world {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	check(t, err)
	w := &world{t: t, root: filepath.Join(dir, "work"), home: filepath.Join(dir, "home")}
	w.agents, err = scriptagent.Listen()
	check(t, err)
	w.agents.Auto = auto
	t.Cleanup(func() { check(t, w.agents.Close()) })
	check(t, os.MkdirAll(w.root, 0o755))
	check(t, os.MkdirAll(filepath.Join(w.home, "acp-ls"), 0o755))
	self, err := os.Executable()
	check(t, err)
	settings, err := json.Marshal(map[string]any{
		"defaultAgent": "scripted",
		"agents":       map[string]any{"scripted": map[string]any{"command": self, "env": w.agents.Env("scripted")}},
		"permissions":  []any{map[string]any{"decide": "allow"}},
	})
	check(t, err)
	check(t, os.WriteFile(filepath.Join(w.home, "acp-ls", "config.json"), settings, 0o600))
	return w
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func auto(_ *scriptagent.Agent, m scriptagent.Message) (scriptagent.Answer, bool) {
	switch m.Method {
	case "initialize":
		return scriptagent.Answer{Result: map[string]any{"protocolVersion": 1, "agentCapabilities": map[string]any{}}}, true
	case "session/new":
		return scriptagent.Answer{Result: map[string]any{"sessionId": "remote"}}, true
	}
	return scriptagent.Answer{}, false
}

// programCommand is acp-ls, with nobody's settings.
func (w *world) programCommand(args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Env = os.Environ()
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "AppData", "LOCALAPPDATA"} {
		cmd.Env = append(cmd.Env, name+"="+w.home)
	}
	return cmd
}

func (w *world) path(name string) string { return filepath.Join(w.root, name) }
func (w *world) uri(name string) string  { return buffers.PathURI(w.path(name)) }

func (w *world) write(name, content string) {
	w.t.Helper()
	check(w.t, os.WriteFile(w.path(name), []byte(content), 0o644))
}

// disk is a file's content; "" if it is not there.
func (w *world) disk(name string) string {
	w.t.Helper()
	b, err := os.ReadFile(w.path(name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.t.Fatal(err)
	}
	return string(b)
}

// limit is the context of one thing that must happen.
func (w *world) limit() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	w.t.Cleanup(cancel)
	return ctx
}

// start starts acp-ls and an editor, which becomes the world's.
func (w *world) start() *process {
	w.t.Helper()
	p := &process{w: w, cmd: w.programCommand(w.args...)}
	var err error
	p.log, err = os.CreateTemp(w.t.TempDir(), "log")
	check(w.t, err)
	p.cmd.Stderr = p.log
	in, err := p.cmd.StdinPipe()
	check(w.t, err)
	out, err := p.cmd.StdoutPipe()
	check(w.t, err)
	check(w.t, p.cmd.Start())
	w.living++
	w.process = p
	w.t.Cleanup(func() { p.end() })
	p.editor, err = fakeeditor.Start(w.limit(), &duplex{out, in, sync.Once{}}, fakeeditor.Options{
		Folder: buffers.PathURI(w.root), ACP: []string{"review", "save", "reload"},
	})
	check(w.t, err)
	return p
}

type duplex struct {
	io.ReadCloser
	w    io.WriteCloser
	once sync.Once
}

func (d *duplex) Write(b []byte) (int, error) { return d.w.Write(b) }

func (d *duplex) Close() (err error) {
	d.once.Do(func() { err = errors.Join(d.w.Close(), d.ReadCloser.Close()) })
	return err
}

// kill is SIGKILL. What acp-ls had written to the editor before still arrives there. It
// returns when everything is gone that acp-ls had started.
func (p *process) kill() {
	p.w.t.Helper()
	if p.dead {
		return
	}
	p.dead = true
	if err := p.cmd.Process.Kill(); !errors.Is(err, os.ErrProcessDone) { // a tracer may have killed it
		check(p.w.t, err)
	}
	if p.editor != nil {
		_ = p.editor.Await(p.w.limit(), "the end", func(fakeeditor.State) bool { return false })
		_ = p.editor.Kill()
	}
	_ = p.cmd.Wait() // it was killed
	p.w.living--
	if p.agent != nil {
		select {
		case <-p.agent.Done():
		case <-p.w.limit().Done():
			p.w.t.Fatal("the agent outlives acp-ls")
		}
	}
	p.w.awaitLocks()
}

func (p *process) end() {
	p.kill()
	if p.w.t.Failed() {
		log, _ := os.ReadFile(p.log.Name())
		p.w.t.Logf("acp-ls said:\n%s", log)
		if p.editor != nil {
			p.w.t.Logf("the editor's messages:\n%s", p.editor.Dump())
		}
	}
	_ = p.log.Close()
}

// buffer is a document's text; ok says whether it is open.
func (p *process) buffer(name string) (text string, ok bool) { return p.editor.Text(p.w.uri(name)) }

func (p *process) open(name, text string) {
	p.w.t.Helper()
	check(p.w.t, p.editor.Open(p.w.uri(name), "text", text))
}

func (p *process) command(name string, argument, result any) {
	p.w.t.Helper()
	if err := p.editor.Command(p.w.limit(), name, argument, result); err != nil {
		p.w.t.Fatalf("%s: %v", name, err)
	}
}

// prompt begins a turn, and the session if there is none.
func (p *process) prompt() turn {
	w := p.w
	w.t.Helper()
	if p.session == "" {
		var info struct{ Session string }
		p.command("acp.session.new", map[string]any{}, &info)
		p.session = info.Session
		var err error
		p.agent, err = w.agents.Process(w.limit(), "scripted", w.started)
		check(w.t, err)
		w.started++
	}
	call, err := p.editor.BeginCommand("acp.prompt", map[string]any{"session": p.session, "text": "go", "wait": true})
	check(w.t, err)
	m, err := p.agent.Take(w.limit(), "a prompt", func(m scriptagent.Message) bool { return m.Method == "session/prompt" })
	check(w.t, err)
	return turn{p, call, m}
}

type turn struct {
	p    *process
	call *fakeeditor.Call
	m    scriptagent.Message
}

// end ends the turn and waits until acp-ls has said so.
func (t turn) end() {
	t.p.w.t.Helper()
	check(t.p.w.t, t.p.agent.Reply(t.m, scriptagent.Answer{Result: map[string]any{"stopReason": "end_turn"}}))
	check(t.p.w.t, t.call.Wait(t.p.w.limit(), nil))
}

// reads has the agent read a file, as most do before they write it.
func (t turn) reads(name string) {
	w := t.p.w
	w.t.Helper()
	c, err := t.p.agent.Begin("fs/read_text_file", map[string]any{"sessionId": "remote", "path": w.path(name)})
	check(w.t, err)
	_, err = c.Wait(w.limit())
	check(w.t, err)
}

// writes has the agent ask for a file to be written. The answer is not waited for.
func (t turn) writes(name, content string) *scriptagent.Call {
	w := t.p.w
	w.t.Helper()
	c, err := t.p.agent.Begin("fs/write_text_file", map[string]any{"sessionId": "remote", "path": w.path(name), "content": content})
	check(w.t, err)
	return c
}

func (t turn) wrote(c *scriptagent.Call) {
	t.p.w.t.Helper()
	_, err := c.Wait(t.p.w.limit())
	check(t.p.w.t, err)
}

// hunk is what the contract says of one.
type hunk struct{ ID, State, BaseText, Text string }

func (h hunk) String() string { return fmt.Sprintf("%s %q for %q", h.ID, h.Text, h.BaseText) }

func (p *process) hunks(name, state string) []hunk {
	p.w.t.Helper()
	var r struct{ Files []struct{ Hunks []hunk } }
	p.command("acp.review.list", map[string]any{"uri": p.w.uri(name), "state": state}, &r)
	var out []hunk
	for _, f := range r.Files {
		out = append(out, f.Hunks...)
	}
	return out
}

func (p *process) shown(name string) []string {
	p.w.t.Helper()
	out := []string{}
	for _, h := range p.hunks(name, "pending") {
		out = append(out, h.String())
	}
	return out
}

func (p *process) baseline(name string) string {
	p.w.t.Helper()
	var r struct{ Text string }
	p.command("acp.review.baseline", map[string]any{"uri": p.w.uri(name)}, &r)
	return r.Text
}

// told waits until the user was shown a message with this part.
func (p *process) told(part string) {
	p.w.t.Helper()
	check(p.w.t, p.editor.Await(p.w.limit(), fmt.Sprintf("a message with %q", part), fakeeditor.Matching("window/showMessage", func(m struct{ Message string }) bool {
		return strings.Contains(m.Message, part)
	})))
}

// messages are those the user was shown so far.
func (p *process) messages() []string {
	var out []string
	for _, raw := range p.editor.Received("window/showMessage") {
		var m struct{ Message string }
		if json.Unmarshal(raw, &m) == nil {
			out = append(out, m.Message)
		}
	}
	return out
}

// journals are the files in the state directory with this extension.
func (w *world) journals(ext string) []string {
	w.t.Helper()
	list, err := filepath.Glob(filepath.Join(w.home, "acp-ls", "journal", "*", "*"+ext))
	check(w.t, err)
	slices.Sort(list)
	return list
}
