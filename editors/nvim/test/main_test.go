// Package nvim_test drives the plugin in real Neovims, of each version the
// project supports, against a language server that the test itself plays.
package nvim_test

import (
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"acp-ls/internal/nvimtest"
	"acp-ls/internal/scriptagent"
)

// relayVar makes this program what Neovim starts as acp-ls: it passes its input
// and output on to the test, which listens at the address it holds.
const relayVar = "ACP_LS_TEST_RELAY"

func TestMain(m *testing.M) {
	if scriptagent.Started() {
		os.Exit(scriptagent.Main())
	}
	if addr := os.Getenv(relayVar); addr != "" {
		relay(addr)
		return
	}
	touch()
	os.Exit(run(m))
}

// buildDir is for what the tests build.
var buildDir string

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "acp-ls")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	buildDir = dir
	return m.Run()
}

// touch opens all files of the plugin: go test then knows that its result
// depends on them, though it is Neovim that reads them.
func touch() {
	_ = filepath.WalkDir(pluginDir(), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			_, err = os.ReadFile(path)
		}
		return err
	})
}

func relay(addr string) {
	if len(os.Args) > 1 && os.Args[1] == "version" {
		fmt.Println("acp-ls of a test")
		return
	}
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		os.Exit(1)
	}
	go func() {
		_, _ = io.Copy(conn, os.Stdin)
		_ = conn.(*net.TCPConn).CloseWrite()
	}()
	_, _ = io.Copy(os.Stdout, conn)
}

// pluginDir is the folder of the plugin.
func pluginDir() string {
	_, here, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(here))
}

// eachVersion runs a test in each Neovim, at once: they mostly wait.
func eachVersion(t *testing.T, f func(t *testing.T, version string)) {
	for _, version := range nvimtest.Versions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			nvimtest.Path(t, version)
			f(t, version)
		})
	}
}

// env is a Neovim with the plugin, the server it talks to, and a folder with a
// project.
type env struct {
	*nvimtest.Nvim
	*server
	t   *testing.T
	dir string

	pressed int // how often press was called
	touched int // how often touch was
}

// project makes a folder, under git as it seems, with the files named (path, text
// pairs), and returns it with the arguments of a Neovim that has the plugin and the
// first of the files open.
func project(t *testing.T, files ...string) (dir string, args []string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	args = []string{"--cmd", "set rtp^=" + pluginDir() + " shortmess+=I"}
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(dir, files[i])
		if err := os.WriteFile(path, []byte(files[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			args = append(args, path)
		}
	}
	return dir, args
}

// setup starts Neovim in a folder with the files named (path, text pairs) and
// the first of them open. options is Lua for setup(), without its braces.
func setup(t *testing.T, version, options string, files ...string) *env {
	t.Helper()
	dir, args := project(t, files...)
	s := newServer(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	n := nvimtest.Start(t, version, nvimtest.Dir(dir), nvimtest.Args(args...),
		nvimtest.Env(relayVar+"="+s.addr))
	e := &env{Nvim: n, server: s, t: t, dir: dir}
	n.Exec(`require('acp').setup(vim.tbl_extend('error', { cmd = { ... } }, {`+options+`}))`, nil, self)
	return e
}

// uri is that of a file of the project.
func (e *env) uri(name string) string { return "file://" + filepath.Join(e.dir, name) }

// path is that of a file of the project.
func (e *env) path(name string) string { return filepath.Join(e.dir, name) }

// open opens the chat and answers for a session named s1 of agent demo.
func (e *env) open() {
	e.t.Helper()
	e.on("acp.session.new", func(arg) any { return info("idle") })
	e.Input(":Acp<CR>")
	e.expect("acp.session.new")
	e.WaitScreen("@ context")
	e.WaitLua(`require('acp.chat').session_id() == 's1'`)
}

// info is a SessionInfo in a state.
func info(state string, more ...any) map[string]any {
	m := map[string]any{
		"session": "s1", "agent": "demo", "sessionId": "a1", "cwd": "/", "title": "", "state": state,
		"options": []any{}, "commands": []any{}, "queue": []any{}, "questions": []any{},
		"pending": map[string]any{"files": 0, "hunks": 0},
	}
	for i := 0; i < len(more); i += 2 {
		m[more[i].(string)] = more[i+1]
	}
	return m
}

// entry sends an item of the transcript.
func (e *env) entry(id, kind string, more ...any) {
	m := map[string]any{"id": id, "kind": kind}
	for i := 0; i < len(more); i += 2 {
		m[more[i].(string)] = more[i+1]
	}
	e.notify("acp/entry", map[string]any{"session": "s1", "entry": m})
}

// chunk streams text to an entry.
func (e *env) chunk(id, text string) {
	e.notify("acp/chunk", map[string]any{"session": "s1", "id": id, "text": text})
}

// picture keeps the screen as an image in the folder ACP_LS_TEST_PICTURES, if
// that is set: to be looked at by people.
func (e *env) picture(name string) {
	dir := os.Getenv("ACP_LS_TEST_PICTURES")
	if dir == "" {
		return
	}
	path := filepath.Join(dir, strings.ReplaceAll(e.t.Name(), "/", "-")+"-"+name+".svg")
	if err := os.WriteFile(path, []byte(e.Picture()), 0o600); err != nil {
		e.t.Error(err)
	}
}
