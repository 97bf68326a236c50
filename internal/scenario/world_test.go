package scenario

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"acp-ls/acpclient"
	"acp-ls/buffers"
	"acp-ls/internal/config"
	"acp-ls/internal/scriptagent"
	"acp-ls/internal/session"
	"acp-ls/lspbridge"
	"acp-ls/lspbridge/fakeeditor"
)

// patience bounds what must happen. It only says how long a failing story hangs.
const patience = 2 * time.Minute

// world is one telling of a story: a server, its editor, and its agents.
type world struct {
	t     testing.TB
	story *story
	kind  kind
	root  string // the workspace folder, links resolved
	log   *logBuffer

	core     *session.Core
	launcher *acpclient.Launcher
	served   chan error
	editor   *fakeeditor.Editor // nil until the first step that needs it
	vices    fakeeditor.Vices
	caps     map[string]bool // changes to the acp capabilities
	without  [][]string      // LSP capabilities that the editor has not
	agents   *scriptagent.Server
	conf     settings

	agent     agentConf
	ids       sync.Map     // the last number given out, by prefix
	remotes   atomic.Int64 // counts the agents' sessions
	playersMu sync.Mutex
	players   map[string]*player // by the agent's name

	asked      *asked
	prompts    []*prompted
	begun      map[string]*fakeeditor.Call // commands in the background
	hunks      map[string][]hunk           // by path, as last listed
	awaited    map[string]int              // how many messages were awaited, by what
	mark       int                         // the first message of the log not shown yet
	texts      map[string][]string         // what redo brings back
	actions    []action                    // as last listed
	typing     bool                        // the user types while the agent writes
	format     func(string) string         // on save
	cannotSave bool
	canFormat  bool // the editor tells what saving has changed, and can save without that
	noFolder   bool
	resume     func() // reading, in an editor that does not
	looking    any    // what acp/editor answers
	writes     atomic.Int64
	held       *heldGit
}

// settings are the user's, for as long as nobody changes them.
type settings struct {
	mu   sync.Mutex
	user map[string]any

	current atomic.Pointer[config.Settings]
}

func newWorld(t testing.TB, s *story, k kind) *world {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{
		t: t, story: s, kind: k, root: filepath.Join(root, "work"), log: &logBuffer{},
		players: map[string]*player{}, begun: map[string]*fakeeditor.Call{}, hunks: map[string][]hunk{},
		awaited: map[string]int{}, texts: map[string][]string{}, caps: map[string]bool{},
	}
	w.asked = newAsked()
	w.agent = w.agentConf()
	w.check(os.Mkdir(w.root, 0o755))
	for _, f := range s.archive.Files {
		switch f.Name {
		case scriptFile, "settings.json", "agent.json":
			continue
		}
		path := w.path(f.Name)
		w.check(os.MkdirAll(filepath.Dir(path), 0o755))
		w.check(os.WriteFile(path, f.Data, 0o644))
	}
	w.startServer()
	return w
}

// check ends the test at an error that is no part of any story.
func (w *world) check(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// limit returns a context for one step.
func (w *world) limit() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), patience)
}

func (w *world) file(name string) []byte {
	for _, f := range w.story.archive.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

// path is the absolute path of a name in the workspace.
func (w *world) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(w.root, filepath.FromSlash(strings.ReplaceAll(name, "$ROOT", w.root)))
}

func (w *world) uri(name string) string {
	if strings.Contains(name, ":") {
		return name
	}
	return buffers.PathURI(w.path(name))
}

// shorten takes what differs from one telling to the next out of a text.
func (w *world) shorten(s string) string {
	s = strings.ReplaceAll(s, strings.TrimPrefix(buffers.PathURI(w.root), "file://"), "$ROOT")
	s = strings.ReplaceAll(s, w.root, "$ROOT")
	s = strings.ReplaceAll(s, "PATH="+os.Getenv("PATH"), "PATH=...")
	if self, err := os.Executable(); err == nil {
		s = strings.ReplaceAll(s, self, "$SELF")
	}
	s = waited.ReplaceAllString(s, "did not answer in ...:")
	s = listed.ReplaceAllString(s, "There are ...; the setting agents")
	s = silent.ReplaceAllString(s, "$1 ...")
	return strings.ReplaceAll(s, filepath.Dir(w.root), "$OUTSIDE")
}

var (
	waited = regexp.MustCompile(`did not answer in [0-9a-z.]+:`)
	listed = regexp.MustCompile(`There are claude, .*; the setting agents`)
	silent = regexp.MustCompile(`(has not answered for|\(since|\btook) [0-9][0-9a-z:.]*`)
)

// startServer starts what stands between editor and agents.
func (w *world) startServer() {
	s := w.story
	var err error
	w.agents, err = scriptagent.Listen()
	w.check(err)
	w.agents.Auto = w.auto
	w.conf.user = map[string]any{"defaultAgent": "scripted", "agents": map[string]any{"scripted": map[string]any{}}}
	if raw := w.file("settings.json"); raw != nil {
		var more map[string]any
		w.check(json.Unmarshal(raw, &more))
		merge(w.conf.user, more)
	}
	if problems := w.configure(); len(problems) > 0 {
		w.t.Fatal(problems)
	}
	log := slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	self, err := os.Executable()
	w.check(err)
	w.launcher = acpclient.NewLauncher(w.conf.current.Load, self, "test", log)
	if d := s.waits["initialize"]; d > 0 {
		w.launcher.InitializeWait = d
	}
	silence := s.wait("silence")
	waits := session.Waits{
		Landing: s.wait("landing"), Goodbye: s.wait("goodbye"), Silence: silence, Starting: silence,
		Refusal: s.waits["refusal"], Reshow: s.waits["reshow"], // stories go on after these
		Typing: patience, Asked: patience, Opening: patience, Unread: patience,
	}
	if d := s.waits["cancel"]; d > 0 {
		waits.CancelAgain = []time.Duration{d, d}
	}
	w.core = session.New(session.Options{
		Launcher: w.launcher, Settings: w.conf.current.Load, Log: log, Waits: waits,
		NewID: func(prefix string) string {
			n, _ := w.ids.LoadOrStore(prefix, new(atomic.Int64))
			return fmt.Sprint(prefix, n.(*atomic.Int64).Add(1))
		},
	})
	w.t.Cleanup(func() { w.end() })
}

// configure puts the settings of user and editor in force.
func (w *world) configure(editor ...config.Layer) []config.Problem {
	self, err := os.Executable()
	w.check(err)
	w.conf.mu.Lock()
	defer w.conf.mu.Unlock()
	agents, _ := w.conf.user["agents"].(map[string]any)
	for name, v := range agents {
		a := v.(map[string]any)
		if a["command"] == nil {
			a["command"], a["args"] = self, []string{"agent"}
			env, _ := a["env"].(map[string]any)
			if env == nil {
				env = map[string]any{}
				a["env"] = env
			}
			for k, v := range w.agents.Env(name) {
				env[k] = v
			}
		}
	}
	raw, err := json.Marshal(w.conf.user)
	w.check(err)
	layers := append([]config.Layer{{Name: "user", JSON: []byte(strings.ReplaceAll(string(raw), "$ROOT", w.root))}}, editor...)
	st, problems := config.Load(layers...)
	w.conf.current.Store(st)
	return problems
}

func merge(into, more map[string]any) {
	for k, v := range more {
		a, ok1 := into[k].(map[string]any)
		b, ok2 := v.(map[string]any)
		if ok1 && ok2 {
			merge(a, b)
		} else {
			into[k] = v
		}
	}
}

// everything an editor can say it can do.
var capabilities = []string{"session", "review", "terminal", "permission", "save", "format", "reload", "adopt",
	"editor", "run", "diagnostics", "symbols", "ask", "dismiss"}

// theEditor is the editor, started when it is first needed.
func (w *world) theEditor() *fakeeditor.Editor {
	if w.editor == nil {
		w.startEditor()
	}
	return w.editor
}

func (w *world) startEditor() {
	server, client := pipes(w.t)
	w.served = make(chan error, 1)
	opts := lspbridge.Options{
		Settings: w.conf.current.Load, Configure: w.configure, HoldQuestion: w.story.waits["hold"],
		Log:  slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Name: "acp-ls", Version: "test",
	}
	go func() { w.served <- lspbridge.Serve(context.Background(), server, w.core, opts) }()
	o := fakeeditor.Options{Folder: buffers.PathURI(w.root), Encodings: []string{w.kind.encoding}, Vices: w.vices, Capabilities: w.deprive}
	if w.noFolder {
		o.Folder = ""
	}
	can := map[string]bool{}
	if w.kind.name == "full" {
		for _, c := range capabilities {
			can[c] = true
		}
	}
	maps.Copy(can, w.caps)
	w.canFormat = can["format"]
	for c, ok := range can {
		if ok {
			o.ACP = append(o.ACP, c)
		}
	}
	slices.Sort(o.ACP)
	o.Answer = map[string]func(context.Context, json.RawMessage) (any, error){
		"acp/permission":            w.asked.permission,
		"window/showMessageRequest": w.asked.popUp,
		"acp/save":                  w.save,
		"acp/editor":                w.look,
		"acp/run":                   w.asked.dialog("acp/run"),
		"acp/ask":                   w.asked.dialog("acp/ask"),
	}
	ctx, cancel := w.limit()
	defer cancel()
	var err error
	w.editor, err = fakeeditor.Start(ctx, client, o)
	w.check(err)
}

// deprive takes capabilities of LSP away.
func (w *world) deprive(caps map[string]any) {
	for _, path := range w.without {
		at := caps
		for _, name := range path[:len(path)-1] {
			at = at[name].(map[string]any)
		}
		delete(at, path[len(path)-1])
	}
}

// can says whether the editor has a capability of acp.
func (w *world) can(c string) bool {
	if ok, said := w.caps[c]; said {
		return ok
	}
	return w.kind.name == "full"
}

// end ends everything and checks that it does end.
func (w *world) end() {
	ctx, cancel := w.limit()
	defer cancel()
	w.asked.close()
	if w.editor != nil {
		if err := w.editor.Exit(ctx); err != nil && !errors.Is(err, io.EOF) {
			w.t.Logf("exit: %v", err)
		}
		select {
		case err := <-w.served:
			if err != nil && !errors.Is(err, lspbridge.ErrNoShutdown) {
				w.t.Errorf("serve: %v", err)
			}
		case <-ctx.Done():
			w.t.Error("serve does not return")
		}
	}
	if err := w.core.Close(ctx); err != nil {
		w.t.Errorf("close the core: %v", err)
	}
	w.check(w.agents.Close())
	if w.t.Failed() {
		w.t.Logf("the server's log:\n%s", w.log)
		if w.editor != nil {
			w.t.Logf("the editor's messages:\n%s", w.shorten(w.editor.Dump()))
		}
	}
}

// pipes are two ends that speak over OS pipes.
func pipes(t testing.TB) (server, client io.ReadWriteCloser) {
	toServer, fromClient, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	toClient, fromServer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return duplex{toServer, fromServer}, duplex{toClient, fromClient}
}

type duplex struct{ r, w *os.File }

func (d duplex) Read(p []byte) (int, error)  { return d.r.Read(p) }
func (d duplex) Write(p []byte) (int, error) { return d.w.Write(p) }
func (d duplex) Close() error                { return errors.Join(d.r.Close(), d.w.Close()) }

// logBuffer keeps the server's log for a story that fails.
type logBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.b.Len() < 1<<20 {
		l.b.Write(p)
	}
	return len(p), nil
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
