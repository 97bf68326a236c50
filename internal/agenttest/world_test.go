package agenttest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"acp-ls/buffers"
	"acp-ls/lspbridge/fakeeditor"
)

// agent is a real agent and how it is told to use the scripted model.
type agent struct {
	name    string   // of tools/get-agents
	program string   // in the folder of the npm tree
	args    []string // of the program
	script  string   // of the model, in tools/agents; empty: the agent uses none
	// env and files (by path in the home) are made with the model's address.
	env   func(url string) map[string]string
	files map[string]string // file in tools/agents, by path in the home
	// options are set on every session: modes in which the agent asks.
	options map[string]any
}

// world is one agent and everything around it.
type world struct {
	t          *testing.T
	ctx        context.Context
	agent      agent
	home, work string
	dump       string // folder of the requests the model got
	editor     *fakeeditor.Editor
	server     *exec.Cmd
	log        *lockedBuffer // what acp-ls said on stderr
	session    string

	mu     sync.Mutex
	decide func(question) string
	asked  []question
}

// question is a permission question as the editor gets it.
type question struct {
	ID       string `json:"id"`
	Session  string `json:"session"`
	ToolCall struct {
		ID      string `json:"id"`
		Title   string `json:"title"`
		Kind    string `json:"kind"`
		Command string `json:"command"`
	} `json:"toolCall"`
	Options []struct {
		OptionID string `json:"optionId"`
		Kind     string `json:"kind"`
	} `json:"options"`
	Message string `json:"message"`
}

// Answers to a question, by the kind of an option.
const (
	allow  = "allow_once"
	reject = "reject_once"
	later  = "" // the question stays open
)

const (
	notesRow   = "line %d\n" // of 30
	mainOnDisk = "package main\n\nfunc main() {\n\tprintln(\"hello\")\n}\n\nfunc answer() int {\n\treturn 1\n}\n"
)

// begin makes a world with a session that is ready for prompts. members are
// those of experimental.acp that the editor has.
func begin(t *testing.T, a agent, members ...string) *world {
	t.Helper()
	w := prepare(t, a)
	w.startServer(members)
	w.session = w.newSession()
	return w
}

// prepare makes a world without an editor: the agent is installed and its model
// runs.
func prepare(t *testing.T, a agent) *world {
	t.Helper()
	dir := agentFolder(t, a.name)
	crowd <- struct{}{}
	t.Cleanup(func() { <-crowd })
	w := newWorld(t, a)
	w.makeFiles(workspace())
	w.makeRepository()
	node := filepath.Join(dir, "node_modules", ".bin")
	path := node + string(os.PathListSeparator) + os.Getenv("PATH")
	url := "http://127.0.0.1:9" // where nobody listens
	if a.script != "" {
		url = w.startModel(filepath.Join(node, "node"))
	}
	env := map[string]string{"PATH": path}
	if a.env != nil {
		maps.Copy(env, a.env(url))
	}
	for to, from := range a.files {
		text := w.read(filepath.Join(root, "tools", "agents", from))
		w.write(filepath.Join(w.home, to), strings.ReplaceAll(text, "http://127.0.0.1:18080", url))
	}
	command, args := filepath.Join(dir, a.program), a.args
	if strings.HasSuffix(a.program, ".js") {
		command, args = filepath.Join(node, "node"), append([]string{command}, args...)
	}
	w.configure(command, args, env)
	return w
}

// crowd bounds how many real agents there are at once: they are large, and all
// of them wait for the same machine.
var crowd = make(chan struct{}, 2)

// newWorld makes an empty world.
func newWorld(t *testing.T, a agent) *world {
	t.Helper()
	readSources(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*patience) // for all that the test waits for
	t.Cleanup(cancel)
	w := &world{t: t, ctx: ctx, agent: a, home: t.TempDir(), work: t.TempDir(), dump: t.TempDir(), log: &lockedBuffer{}}
	w.decide = func(question) string { return allow }
	return w
}

// configure writes the user's settings: the agent is started by that command.
func (w *world) configure(command string, args []string, env map[string]string) {
	w.t.Helper()
	w.write(filepath.Join(w.home, ".config", "acp-ls", "config.json"), encode(map[string]any{
		"defaultAgent": w.agent.name,
		"agents":       map[string]any{w.agent.name: map[string]any{"command": command, "args": args, "env": env, "options": w.agent.options}},
	}))
}

// workspace has the files, by path, that agents with a scripted model work on.
func workspace() map[string]string {
	var notes strings.Builder
	for i := range 30 {
		fmt.Fprintf(&notes, notesRow, i+1)
	}
	return map[string]string{"notes.txt": notes.String(), "main.go": mainOnDisk, "other.txt": otherOnDisk}
}

func (w *world) makeFiles(files map[string]string) {
	w.t.Helper()
	for name, text := range files {
		w.write(w.path(name), text)
	}
}

// makeRepository makes the folder a repository of Git's in which all is committed.
func (w *world) makeRepository() {
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-qm", "init"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = w.work
		cmd.Env = append(os.Environ(), "HOME="+w.home, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.org", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.org")
		if text, err := cmd.CombinedOutput(); err != nil {
			w.t.Fatalf("git %s: %v\n%s", args[0], err, text)
		}
	}
}

// startModel starts the scripted model and returns its address.
func (w *world) startModel(node string) string {
	w.t.Helper()
	tools := filepath.Join(root, "tools", "agents")
	cmd := exec.Command(node, filepath.Join(tools, "fake-llm"), "--script", filepath.Join(tools, w.agent.script),
		"--dump", w.dump, "--var", "CWD="+w.work)
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		w.t.Fatalf("scripted model: %v", err)
	}
	return strings.TrimSpace(line)
}

// startServer starts acp-ls and an editor in front of it.
func (w *world) startServer(members []string) {
	w.t.Helper()
	bin, err := program()
	if err != nil {
		w.t.Fatal(err)
	}
	cmd := exec.Command(bin, "serve", "--debug")
	cmd.Dir = w.work
	cmd.Env = []string{"HOME=" + w.home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TMPDIR=" + w.t.TempDir(), "GIT_CONFIG_NOSYSTEM=1",
		"GORACE=atexit_sleep_ms=0"} // every process would stay for a second
	cmd.Stderr = w.log
	in, err := cmd.StdinPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.server = cmd
	w.t.Cleanup(w.end)
	w.editor, err = fakeeditor.Start(w.ctx, pipe{out, in}, fakeeditor.Options{
		Folder: buffers.PathURI(w.work), ACP: members,
		Capabilities: func(caps map[string]any) {
			caps["window"].(map[string]any)["showMessage"] = map[string]any{"messageActionItem": map[string]any{"additionalPropertiesSupport": true}}
		},
		Answer: map[string]func(context.Context, json.RawMessage) (any, error){
			"acp/permission":            w.answer,
			"window/showMessageRequest": w.answerPopUp,
			"acp/adopt":                 w.adopt,
		},
	})
	if err != nil {
		w.t.Fatalf("%v\n%s", err, w.log)
	}
}

type pipe struct {
	io.ReadCloser
	in io.WriteCloser
}

func (p pipe) Write(b []byte) (int, error) { return p.in.Write(b) }
func (p pipe) Close() error                { return errors.Join(p.in.Close(), p.ReadCloser.Close()) }

// end ends acp-ls as an editor does, if the test has not, and looks for what is
// left of it.
func (w *world) end() {
	if w.t.Failed() && w.editor != nil {
		w.t.Logf("the editor's log:\n%s", w.editor.Dump())
	}
	if w.server.ProcessState == nil {
		if w.editor != nil {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			if err := w.editor.Exit(ctx); err != nil {
				w.t.Errorf("exit: %v", err)
			}
			cancel()
		}
		if err := w.wait(); err != nil {
			w.t.Errorf("acp-ls ended with %v", err)
		}
	}
	w.nothingLeft()
	if log := w.log.String(); strings.Contains(log, "DATA RACE") || strings.Contains(log, "panic:") || w.t.Failed() {
		w.t.Errorf("the log of acp-ls:\n%s", log)
	}
}

// wait reaps acp-ls, which is to end by itself.
func (w *world) wait() error {
	killed := time.AfterFunc(patience, func() { _ = w.server.Process.Kill() })
	defer killed.Stop()
	return w.server.Wait()
}

// kill ends acp-ls as nothing should.
func (w *world) kill() {
	w.t.Helper()
	if err := w.server.Process.Kill(); err != nil {
		w.t.Fatal(err)
	}
	_ = w.server.Wait() // says that it was killed
	_ = w.editor.Kill()
	w.nothingLeft()
}

// nothingLeft waits until no process is left that was started in the home.
func (w *world) nothingLeft() {
	w.t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for {
		left := processesOf(w.t, w.home)
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			w.t.Errorf("left running: %s", strings.Join(left, "; "))
			return
		}
		time.Sleep(10 * time.Millisecond) // other people's processes have no event to wait for
	}
}

// processesOf are the processes whose environment has that home.
func processesOf(t *testing.T, home string) []string {
	t.Helper()
	pids, err := filepath.Glob("/proc/[0-9]*")
	if err != nil || len(pids) == 0 {
		t.Fatalf("/proc cannot be read: %v", err)
	}
	var out []string
	for _, dir := range pids {
		env, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil || !slices.Contains(strings.Split(string(env), "\x00"), "HOME="+home) {
			continue // gone, or somebody else's
		}
		line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err != nil || len(line) == 0 {
			continue // gone, or a zombie
		}
		out = append(out, filepath.Base(dir)+" "+strings.TrimSpace(strings.ReplaceAll(string(line), "\x00", " ")))
	}
	return out
}

func (w *world) path(name string) string { return filepath.Join(w.work, name) }
func (w *world) uri(name string) string  { return buffers.PathURI(w.path(name)) }

func (w *world) read(path string) string {
	w.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(text)
}

func (w *world) write(path, text string) {
	w.t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o600)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

func encode(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // a mistake in the test
	}
	return string(raw)
}

// lockedBuffer is a buffer that a process writes and a test reads.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
