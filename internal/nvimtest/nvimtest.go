// Package nvimtest drives a real Neovim in tests, through a UI.
//
// A test starts one with Start, sends it keys with Input, and waits for what a
// user would see with WaitScreen: the screen is rebuilt from the redraw events
// Neovim sends, and every wait is for such an event, never for a time to pass.
//
//	n := nvimtest.Start(t, "0.12")
//	n.Input("ihello<Esc>")
//	n.WaitScreen("hello")
//
// Neovim runs with a home of its own, without plugins, configuration, swap files
// or shada. Which program is version 0.10 or 0.12 is told by the environment
// variables ACP_LS_NVIM_010 and ACP_LS_NVIM_012; without them tools/get-nvim
// finds or fetches it.
package nvimtest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/neovim/go-client/nvim"
)

// Versions are the versions of Neovim the project is tested with.
var Versions = []string{"0.10", "0.12"}

// Columns and Rows are the size of the screen.
const (
	Columns = 160
	Rows    = 50
)

// Patience is how long a wait takes before it gives up and fails the test. It
// bounds a hang and is part of no expectation. ACP_LS_TEST_PATIENCE sets it.
var Patience = patience()

func patience() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("ACP_LS_TEST_PATIENCE")); err == nil {
		return d
	}
	return 30 * time.Second
}

// Nvim is a running Neovim with a screen.
type Nvim struct {
	*nvim.Nvim
	t      testing.TB
	screen *screen
	stderr *lockedBuffer
	Home   string // of this Neovim; empty at first
}

// Path returns the program of a version ("0.10" or "0.12"). It fails the test
// if it cannot be had.
func Path(t testing.TB, version string) string {
	t.Helper()
	name := "ACP_LS_NVIM_" + strings.ReplaceAll(version, ".", "")
	if path := os.Getenv(name); path != "" {
		return path
	}
	path, err := fetch(version)
	if err != nil {
		t.Fatalf("neovim %s: %v (set %s to a program)", version, err, name)
	}
	return path
}

var (
	fetchMu sync.Mutex // guards fetched
	fetched = map[string]string{}
)

func fetch(version string) (string, error) {
	fetchMu.Lock()
	defer fetchMu.Unlock()
	if path := fetched[version]; path != "" {
		return path, nil
	}
	_, here, _, _ := runtime.Caller(0)
	script := filepath.Join(filepath.Dir(here), "..", "..", "tools", "get-nvim")
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(script, version)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%w: %s", err, strings.TrimSpace(stderr.String()))
	}
	path := strings.TrimSpace(stdout.String())
	fetched[version] = path
	return path, nil
}

// Option changes how Start starts Neovim.
type Option func(*options)

type options struct {
	args []string
	env  []string
	dir  string
}

// Args adds arguments, such as files to open.
func Args(args ...string) Option { return func(o *options) { o.args = append(o.args, args...) } }

// Env adds variables ("NAME=value") to the environment.
func Env(env ...string) Option { return func(o *options) { o.env = append(o.env, env...) } }

// Dir sets the working directory; by default it is a new one.
func Dir(dir string) Option { return func(o *options) { o.dir = dir } }

// Start starts Neovim of a version with a screen of Columns by Rows. It ends
// with the test; when the test has failed, its screen is logged.
func Start(t testing.TB, version string, opts ...Option) *Nvim {
	t.Helper()
	home := t.TempDir()
	o := options{dir: home}
	for _, opt := range opts {
		opt(&o)
	}
	n := &Nvim{t: t, screen: newScreen(), stderr: &lockedBuffer{}, Home: home}
	env := []string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TERM=xterm-256color",
		"XDG_CONFIG_HOME=" + filepath.Join(home, "config"), "XDG_DATA_HOME=" + filepath.Join(home, "data"),
		"XDG_STATE_HOME=" + filepath.Join(home, "state"), "XDG_CACHE_HOME=" + filepath.Join(home, "cache"),
		"XDG_RUNTIME_DIR=" + home, "TMPDIR=" + home,
		"GORACE=atexit_sleep_ms=0", // or what it starts that has the race detector stays for a second when it ends
	}
	if goCache, err := os.UserCacheDir(); err == nil {
		env = append(env, "GOCACHE="+filepath.Join(goCache, "go-build"))
	}
	v, err := nvim.NewChildProcess(
		nvim.ChildProcessCommand(Path(t, version)),
		nvim.ChildProcessArgs(append([]string{"--embed", "--clean", "-n", "-i", "NONE"}, o.args...)...),
		nvim.ChildProcessEnv(append(env, o.env...)),
		nvim.ChildProcessDir(o.dir),
		nvim.ChildProcessLogf(func(format string, args ...any) {
			fmt.Fprintf(n.stderr, format+"\n", args...)
		}),
	)
	if err != nil {
		t.Fatalf("start neovim %s: %v", version, err)
	}
	n.Nvim = v
	t.Cleanup(n.end)
	if err := v.RegisterHandler("redraw", n.screen.redraw); err != nil {
		t.Fatalf("neovim %s: %v", version, err)
	}
	ui := map[string]any{"ext_linegrid": true, "rgb": true}
	if err := v.AttachUI(Columns, Rows, ui); err != nil {
		t.Fatalf("attach a UI to neovim %s: %v", version, err)
	}
	return n
}

func (n *Nvim) end() {
	if n.t.Failed() {
		n.t.Logf("the screen at the end:\n%s", n.Screen())
		if log := n.stderr.String(); log != "" {
			n.t.Logf("neovim's messages to us:\n%s", log)
		}
	}
	// A Neovim that asks something would not answer a command: its connection
	// is closed, which ends it, should it not quit in time.
	quit := make(chan struct{})
	started := make(chan children, 1)
	go func() {
		defer close(quit)
		started <- n.children()
		_ = n.Command("qa!")
	}()
	select {
	case <-quit:
	case <-time.After(5 * time.Second):
	}
	_ = n.Close()
	<-quit
	(<-started).wait(Patience)
}

// Input sends keys, written as in a mapping ("ihello<Esc>").
func (n *Nvim) Input(keys string) {
	n.t.Helper()
	for len(keys) > 0 {
		written, err := n.Nvim.Input(keys)
		if err != nil {
			n.t.Fatalf("input %q: %v", keys, err)
		}
		keys = keys[written:]
	}
}

// Quit has keys end Neovim, and waits until it is gone, and what it has started.
func (n *Nvim) Quit(keys string) {
	n.t.Helper()
	started, end := n.children(), time.Now().Add(Patience)
	n.Input(keys)
	for n.ExecLua("", nil) == nil {
		if time.Now().After(end) {
			n.t.Fatalf("%s does not end Neovim; the screen is\n%s", keys, n.Screen())
		}
	}
	_ = n.Close()
	started.wait(Patience)
}

// Screen is what is to be seen: the rows of the screen, without trailing blanks.
func (n *Nvim) Screen() string { return n.screen.text() }

// Cell is one cell of the screen with its colours.
func (n *Nvim) Cell(row, col int) Cell { return n.screen.cell(row, col) }

// Find returns where text first stands on the screen, 0-based in cells; ok is
// false if it does not.
func (n *Nvim) Find(text string) (row, col int, ok bool) { return n.screen.find(text) }

// WaitScreen waits until text is to be seen.
func (n *Nvim) WaitScreen(text string) {
	n.t.Helper()
	n.WaitFor(fmt.Sprintf("%q on the screen", text), func(screen string) bool {
		return strings.Contains(screen, text)
	})
}

// WaitGone waits until text is not to be seen any more.
func (n *Nvim) WaitGone(text string) {
	n.t.Helper()
	n.WaitFor(fmt.Sprintf("%q gone from the screen", text), func(screen string) bool {
		return !strings.Contains(screen, text)
	})
}

// WaitFor waits until the screen is as wanted. It is looked at after each flush.
func (n *Nvim) WaitFor(what string, ok func(screen string) bool) {
	n.t.Helper()
	limit := time.NewTimer(Patience)
	defer limit.Stop()
	for {
		screen, changed := n.screen.look()
		if ok(screen) {
			return
		}
		select {
		case <-changed:
		case <-limit.C:
			n.t.Fatalf("waited %v for %s; the screen is\n%s", Patience, what, screen)
		}
	}
}

// Exec runs Lua and decodes what it returns into result, unless that is nil.
// args are its arguments (...). A Neovim that waits for a key fails the test.
func (n *Nvim) Exec(lua string, result any, args ...any) {
	n.t.Helper()
	n.bounded("lua "+lua, func() error { return n.ExecLua(lua, result, args...) })
}

// bounded runs a call that Neovim answers only when it is not waiting for a key.
func (n *Nvim) bounded(what string, call func() error) {
	n.t.Helper()
	done := make(chan error, 1)
	go func() { done <- call() }()
	limit := time.NewTimer(2 * Patience)
	defer limit.Stop()
	select {
	case err := <-done:
		if err != nil {
			n.t.Fatalf("%s: %v", what, err)
		}
	case <-limit.C:
		n.t.Fatalf("neovim does not answer (%s); the screen is\n%s", what, n.Screen())
	}
}

// WaitLua waits until a Lua expression is true. It is evaluated by Neovim's own
// loop after each of its events (vim.wait), not by us from time to time.
func (n *Nvim) WaitLua(expr string) {
	n.t.Helper()
	if !n.UntilLua("return " + expr) {
		n.t.Fatalf("waited for Lua %q; the screen is\n%s", expr, n.Screen())
	}
}

// UntilLua waits until a chunk of Lua, given args, returns true, and reports whether it did.
// Neovim waits for that in turns: a key that itself waits for something (as those that
// decide do) goes on when what was asked of Neovim meanwhile has been answered.
func (n *Nvim) UntilLua(chunk string, args ...any) bool {
	n.t.Helper()
	const turn = 100 * time.Millisecond
	for left := Patience; left > 0; left -= turn {
		var ok bool
		n.Exec(`local chunk, turn = ...
			local check, args = assert(loadstring(chunk)), { select(3, ...) }
			return (vim.wait(turn, function() return check(unpack(args)) end, 5))`, &ok, append([]any{chunk, turn.Milliseconds()}, args...)...)
		if ok {
			return true
		}
	}
	return false
}

// Text is the text of a buffer, lines joined by line feeds; 0 is the current one.
func (n *Nvim) Text(buffer nvim.Buffer) string {
	n.t.Helper()
	var lines [][]byte
	n.bounded(fmt.Sprintf("read buffer %d", buffer), func() (err error) {
		lines, err = n.BufferLines(buffer, 0, -1, true)
		return err
	})
	return string(bytes.Join(lines, []byte("\n")))
}

// InMode is the mode Neovim is in ("n", "i", ...).
func (n *Nvim) InMode() string {
	n.t.Helper()
	mode, err := n.Mode() // answered at once, whatever Neovim waits for
	if err != nil {
		n.t.Fatalf("mode: %v", err)
	}
	return mode.Mode
}

type lockedBuffer struct {
	mu sync.Mutex // guards b
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
