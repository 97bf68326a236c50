package nvim_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"acp-ls/internal/nvimtest"
)

// acp-ls is killed under the plugin while hunks are undecided and the user has typed on, with
// and without saving, and Neovim too. Started again it offers the same hunks, in the text as
// it is, and a rejection leaves what the user wrote. Undo of that crosses a kill too.
func TestHunksAreBackAfterAKill(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		program, err := build()
		if err != nil {
			t.Fatal(err)
		}
		before := goProgram + "\nfunc other(count int) {}\n"
		dir, args := project(t, "main.go", before)
		state, pid := t.TempDir(), filepath.Join(t.TempDir(), "pid")
		start := func() *nvimtest.Nvim {
			n := nvimtest.Start(t, version, nvimtest.Dir(dir), nvimtest.Env("XDG_STATE_HOME="+state), nvimtest.Args(args...))
			// exec keeps the process id.
			n.Exec(`local program, pid = ...
				require('acp').setup({
					cmd = { 'sh', '-c', 'echo $$ >"$0" && exec "$1"', pid, program },
					settings = { permissions = { { decide = 'allow' } } },
				})`, nil, program, pid)
			return n
		}
		killProcess := func(id int) {
			t.Helper()
			p, err := os.FindProcess(id)
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Kill(); err != nil {
				t.Fatal(err)
			}
		}
		kill := func(n *nvimtest.Nvim) {
			t.Helper()
			b, err := os.ReadFile(pid)
			if err != nil {
				t.Fatal(err)
			}
			id, err := strconv.Atoi(strings.TrimSpace(string(b)))
			if err != nil {
				t.Fatal(err)
			}
			killProcess(id)
			n.WaitScreen("acp-ls ended (signal 9)")
			n.WaitGone("1/2 demo")
			n.WaitLua(`not require('acp.client').running()`)
		}
		// again opens the chat, which starts acp-ls, and goes back to the file.
		again := func(n *nvimtest.Nvim) {
			t.Helper()
			n.Input(":Acp<CR>")
			n.WaitScreen("Ask demo")
			n.WaitLua(`require('acp.client').get() ~= nil`)
			n.Input("<Esc><C-w>h")
			n.WaitLua(`vim.fn.mode() == 'n' and vim.fn.expand('%:t') == 'main.go'`)
		}
		bothHunks := func(n *nvimtest.Nvim) {
			t.Helper()
			n.WaitScreen("1/2 demo")
			n.WaitScreen("2/2 demo")
		}

		n := start()
		n.Input(":Acp<CR>")
		n.WaitScreen("Ask demo")
		n.WaitLua(`require('acp.chat').session_id() ~= nil`)
		n.Input("irename count to total in @main.go<Esc><CR>")
		n.WaitScreen("2 hunks")
		n.WaitLua(`require('acp.chat').current().info.state == 'idle'`)
		n.Input("<C-w>h")
		bothHunks(n)

		// The user types, does not save, and goes on in the same Neovim.
		n.Input("Go// typed<Esc>")
		n.WaitScreen("// typed")
		kill(n)
		n.Input("Go// typed without it<Esc>")
		again(n)
		bothHunks(n)

		// Saved, killed, read again.
		n.Input(":write<CR>")
		n.WaitLua(`not vim.bo.modified`)
		kill(n)
		n.Input(":edit<CR>")
		again(n)
		bothHunks(n)
		n.Input(":edit<CR>")
		bothHunks(n)
		text := n.Text(0)

		// Neovim goes too, with text that was never saved.
		n.Input("Go// never saved<Esc>")
		n.WaitScreen("// never saved")
		kill(n)
		var id int
		n.Exec(`return vim.fn.getpid()`, &id)
		killProcess(id)
		_ = n.Close() // it was killed
		n = start()
		again(n)
		bothHunks(n)
		if got := n.Text(0); got != text {
			t.Errorf("the restart has changed the text:\n%s\nwant\n%s", got, text)
		}

		n.Input("gg]h")
		n.WaitScreen("gha accept")
		n.Input("ghR")
		n.WaitGone("2/2 demo")
		want := before + "// typed\n// typed without it\n"
		n.WaitLua(`vim.fn.search('total', 'nw') == 0`)
		if got := n.Text(0) + "\n"; got != want {
			t.Errorf("after the rejection the text is\n%s\nwant\n%s", got, want)
		}

		// Undo brings them back in the next acp-ls too, to be decided again.
		kill(n)
		again(n)
		n.Input("u")
		bothHunks(n)
		n.Input("<C-r>")
		n.WaitGone("2/2 demo")
		n.Input("u")
		bothHunks(n)
		n.Input("gg]h")
		n.WaitScreen("gha accept")
		n.Input("ghR")
		n.WaitGone("2/2 demo")
		n.WaitLua(`vim.fn.search('total', 'nw') == 0`)
		if got := n.Text(0) + "\n"; got != want {
			t.Errorf("after the rejection of what was undone the text is\n%s\nwant\n%s", got, want)
		}
	})
}
