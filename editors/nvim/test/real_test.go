package nvim_test

import (
	"os"
	"path/filepath"
	"testing"

	"acp-ls/internal/nvimtest"
)

// The real acp-ls, in a scratch folder with the files named (path, text pairs), of
// which the first is open, and the chat as well.
func setupReal(t *testing.T, version string, files ...string) *env {
	t.Helper()
	program, err := build()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	args := []string{"--cmd", "set rtp^=" + pluginDir() + " shortmess+=I"}
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(dir, files[i])
		if err := os.WriteFile(path, []byte(files[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			args = append(args, path)
		}
	}
	n := nvimtest.Start(t, version, nvimtest.Dir(dir), nvimtest.Args(args...))
	e := &env{Nvim: n, t: t, dir: dir}
	n.Exec(`require('acp').setup({ cmd = { ... }, permission = { guard = 0 } })`, nil, program)
	n.Input(":Acp<CR>")
	n.WaitScreen("Ask demo")
	e.idle()
	return e
}

// idle waits until the agent has nothing to do.
func (e *env) idle() {
	e.t.Helper()
	e.WaitLua(`require('acp.chat').session_id() ~= nil and require('acp.chat').current().info.state == 'idle'`)
}

// answer goes to the open question and presses a key there.
func (e *env) answer(key string) {
	e.t.Helper()
	e.WaitScreen("demo asks")
	e.Input(":Acp permission<CR>")
	e.WaitScreen("answers, q later")
	e.Input(key)
	e.WaitGone("answers, q later")
}

// What is left of a conversation when the real acp-ls is killed: what ran is seen to
// run no more, and the next prompt is not taken for one of the same conversation.
func TestKilled(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setupReal(t, version, "a.txt", numbers)
		e.Input("irun sleep 1000<Esc><CR>")
		e.answer("1")
		e.WaitScreen("● sleep 1000")
		e.Exec(`for _, pid in ipairs(vim.api.nvim_get_proc_children(vim.fn.getpid())) do vim.uv.kill(pid, 'sigkill') end`, nil)
		e.WaitScreen("✗ acp-ls ended (signal 9)")
		e.WaitScreen("■ sleep 1000")
		e.Input("iwhat can you do<Esc><CR>")
		e.WaitScreen("This is a new session: demo does not")
		e.WaitScreen("❯ what can you do")
		e.idle()
	})
}

// An agent's stop leaves a mark.
func TestStopped(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setupReal(t, version, "a.txt", numbers)
		e.Input("irun sleep 1000<Esc><CR>")
		e.answer("1")
		e.WaitScreen("● sleep 1000")
		e.Input(":Acp stop<CR>")
		e.idle()
		e.WaitGone("● sleep 1000")
		e.WaitScreen("· stopped: you cancelled the turn")
	})
}

// A file the user has not saved yet is the user's, whatever an agent does in it.
func TestOwnNewFile(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setupReal(t, version, "a.txt", numbers)
		e.Input("<C-w>h:e own.go<CR>ipackage own<CR><CR>func count() int { return 1 }<Esc>")
		e.Input(":Acp send rename count to total in @own.go<CR>")
		e.answer("1")
		e.WaitScreen("func total() int")
		e.WaitScreen("1/1 demo")
		e.idle()
		if _, _, ok := e.Find("new file"); ok {
			t.Error("it is shown as a new file")
		}
		e.Input("<C-w>h]h")
		e.WaitScreen("gha accept")
		e.Input("ghr")
		e.WaitScreen("func count() int")
		e.WaitGone("1/1 demo")
	})
}
