package nvim_test

import (
	"os"
	"strings"
	"testing"
)

// What the user types and saves while no acp-ls runs, for it was killed in the middle of a turn, is
// theirs, in the file that the agent has changed and in others. What they have typed before is too,
// and the agent's change is undecided yet.
func TestRealSavedWhileNoneRan(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		for _, c := range []struct{ name, keys, want string }{
			{"saved", "jou2<Esc>:w<CR>", "u1\none\ntwo\nu2\nthree\nfour\n"},
			{"saved twice, and typed on", "jou2<Esc>:w<CR>ou3<Esc>:w<CR>ou4<Esc>", "u1\none\ntwo\nu2\nu3\nu4\nthree\nfour\n"},
			{"restarted in the same moment", "jou2<Esc>:w|Acp restart<CR>", "u1\none\ntwo\nu2\nthree\nfour\n"},
			{"in other files too", "jou2<Esc>:w<CR>:e n.txt<CR>imine<Esc>:w<CR>:e b.txt<CR>ggOmine<Esc>:w<CR>:b a.txt<CR>:bd b.txt<CR>", "u1\none\ntwo\nu2\nthree\nfour\n"},
		} {
			t.Run(c.name, func(t *testing.T) {
				e := setupReal(t, version, "a.txt", "one\ntwo\nthree\nfour\n", "b.txt", "b\n")
				e.Input("<C-w>h:set hidden<CR>Ou1<Esc>")
				e.prompt(`replace "four" with "FOUR" in @a.txt`)
				e.buffer("u1\none\ntwo\nthree\nFOUR\n")
				e.idle()
				e.prompt("run sleep 1000")
				e.answer("1")
				e.WaitScreen("● sleep 1000")
				e.Exec(`for _, pid in ipairs(vim.api.nvim_get_proc_children(vim.fn.getpid())) do vim.uv.kill(pid, 'sigkill') end`, nil)
				e.WaitScreen("signal 9")
				e.WaitLua(`not require('acp.client').running()`)
				e.WaitLua(`vim.fn.expand('%:t') == 'a.txt' and vim.fn.mode() == 'n'`)
				// What is read then, and nobody has looked at, is not the user's.
				if err := os.WriteFile(e.path("b.txt"), []byte("b\ndisk\n"), 0o644); err != nil {
					t.Fatal(err)
				}
				e.Input("2G" + c.keys)
				e.buffer(strings.Replace(c.want, "four", "FOUR", 1))
				if !strings.Contains(c.keys, "restart") {
					e.Input(":Acp restart<CR>")
				}
				e.WaitLua(`require('acp.review').count() == 2`)
				e.Input(":Acp reject-all<CR>")
				e.buffer(c.want)
				e.WaitLua(`require('acp.review').count() == 0`)
				if strings.Contains(c.keys, "mine") {
					for name, want := range map[string]string{"n.txt": "mine\n", "b.txt": "mine\nb\n"} {
						if disk, err := os.ReadFile(e.path(name)); err != nil || string(disk) != want {
							t.Errorf("%s has %q (%v), want %q", name, disk, err, want)
						}
					}
				}
			})
		}
	})
}

// Once something was typed while no acp-ls ran, Neovim tells the next one no more that a buffer was read
// anew, or is gone: nothing is doubled when an agent writes the disk under unsaved text, what is read is
// known, and so is that a buffer was closed.
func TestRealReadAnewAfterNoneRan(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setupReal(t, version, "a.txt", numbers)
		e.Input("<C-w>h:set hidden<CR>")
		e.Exec(`for _, pid in ipairs(vim.api.nvim_get_proc_children(vim.fn.getpid())) do vim.uv.kill(pid, 'sigkill') end`, nil)
		e.WaitScreen("signal 9")
		e.WaitLua(`not require('acp.client').running()`)
		e.WaitLua(`vim.fn.expand('%:t') == 'a.txt' and vim.fn.mode() == 'n'`)
		e.Input("2Gobetween<Esc>:w<CR>")
		saved := strings.Replace(numbers, "two\n", "two\nbetween\n", 1)
		e.buffer(saved)
		e.Input(":Acp restart<CR>")
		e.WaitLua(`require('acp.client').get() ~= nil`)

		// The agent writes the disk under unsaved text.
		e.Input("5Gomine<Esc>")
		sed := func(old, new string) {
			t.Helper()
			e.prompt("run sed -i s/" + old + "/" + new + "/ a.txt")
			e.answer("1")
			e.idle()
		}
		sed("seven", `SEVEN\\nmore`)
		mine := strings.Replace(saved, "four\n", "four\nmine\n", 1)
		merged := strings.Replace(mine, "seven\n", "SEVEN\nmore\n", 1)
		e.buffer(merged)
		e.WaitLua(`require('acp.review').count() == 1`)
		e.Input(":Acp reject-all<CR>")
		e.buffer(mine)
		e.WaitLua(`require('acp.review').count() == 0`)

		// The user reads what the disk has, and types on.
		e.Input(":w<CR>Gx:e!<CR>Go!<Esc>")
		e.buffer(mine + "!\n")
		e.Input(":w<CR>")
		sed("three", "THREE")
		e.WaitLua(`require('acp.review').count() == 1`)
		e.buffer(strings.Replace(mine, "three", "THREE", 1) + "!\n")

		// The buffer is closed, and opened again when the agent has written on.
		e.Input(":Acp accept-all<CR>")
		e.WaitLua(`require('acp.review').count() == 0`)
		e.Input(":bwipeout<CR>")
		sed("eight", "EIGHT")
		e.WaitLua(`require('acp.review').count() == 1`)
		e.Input(":e a.txt<CR>")
		e.WaitLua(`vim.fn.expand('%:t') == 'a.txt'`)
		e.WaitScreen("1/1 demo")
		e.Input(":Acp reject-all<CR>")
		e.buffer(strings.Replace(mine, "three", "THREE", 1) + "!\n")
	})
}
