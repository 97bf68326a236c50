package nvim_test

import (
	"testing"

	"acp-ls/internal/nvimtest"
)

// Two Neovims are open in one folder, and the acp-ls of one is killed: its hunks are back in that one as soon
// as acp-ls is started there, though the other has looked for hunks before.
func TestHunksStayInTheirWindow(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		program, err := build()
		if err != nil {
			t.Fatal(err)
		}
		dir, args := project(t, "main.go", goProgram+"\nfunc other(count int) {}\n")
		state := t.TempDir()
		start := func() *nvimtest.Nvim {
			n := nvimtest.Start(t, version, nvimtest.Dir(dir), nvimtest.Env("XDG_STATE_HOME="+state), nvimtest.Args(args...))
			n.Exec(`require('acp').setup({ cmd = { ... }, settings = { permissions = { { decide = 'allow' } } } })`, nil, program)
			n.Input(":Acp<CR>")
			n.WaitScreen("Ask demo")
			n.WaitLua(`require('acp.chat').session_id() ~= nil`)
			return n
		}
		n, other := start(), start()
		n.Input("irename count to total in @main.go<Esc><CR>")
		n.WaitScreen("2 hunks")
		n.WaitLua(`require('acp.chat').current().info.state == 'idle'`)
		n.Input("<C-w>hGo// typed<Esc>")
		n.WaitScreen("2/2 demo")
		n.Exec(`for _, pid in ipairs(vim.api.nvim_get_proc_children(vim.fn.getpid())) do vim.uv.kill(pid, 'sigkill') end`, nil)
		n.WaitScreen("signal 9")
		n.WaitLua(`not require('acp.client').running()`)
		other.Input("<Esc>:Acp hunks<CR>")
		other.WaitScreen("no hunks")
		n.Input(":Acp restart<CR>")
		n.WaitLua(`require('acp.review').count() == 2`)
		n.WaitScreen("1/2 demo")
		n.WaitScreen("2/2 demo")
	})
}
