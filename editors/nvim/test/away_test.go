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
				e.Input("<CR>") // where the message waits for one
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
