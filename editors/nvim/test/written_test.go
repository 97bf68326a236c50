package nvim_test

import (
	"os"
	"strings"
	"testing"
)

// What the user writes to a file while an agent works is the user's, by whatever command:
// under a new name, under another one, a part of it, at the end of another file.
func TestRealWritten(t *testing.T) {
	const own = "my own\n"
	eachVersion(t, func(t *testing.T, version string) {
		for _, c := range []struct{ keys, file, want string }{
			{`:enew<CR>imy own<Esc>:w n.txt<CR>`, "n.txt", own},
			{`:enew<CR>imy own<Esc>:w ++p sub/n.txt<CR>`, "sub/n.txt", own},
			{`:enew<CR>imy own<Esc>:w! b.txt<CR>`, "b.txt", own},
			{`:tabnew<CR>imy own<Esc>:w n.txt<CR>:bd<CR>`, "n.txt", own},
			{`:e n.txt<CR>imy own<Esc>:w<CR>:bd<CR>`, "n.txt", own},
			{`:enew<CR>:w n.txt<CR>`, "n.txt", ""},
			{`Omy own<Esc>:w c.txt<CR>`, "c.txt", own + numbers},
			{`Omy own<Esc>:saveas c.txt<CR>`, "c.txt", own + numbers},
			{`Omy own<Esc>:1w! b.txt<CR>`, "b.txt", own},
			{`Omy own<Esc>:1w n.txt<CR>`, "n.txt", own},
			{`Omy own<Esc>:1w >> b.txt<CR>`, "b.txt", "b\n" + own},
			{`:enew<CR>imy own<Esc>:1w! >> n.txt<CR>:1w >> n.txt<CR>`, "n.txt", own + own},
			{`:enew<CR>imy o<C-v>u00e4wn<Esc>:set fenc=latin1<CR>:w n.txt<CR>`, "n.txt", "my o\xe4wn\n"},
			{`Omy o<C-v>u00e4wn<Esc>:set fenc=latin1<CR>:1w n.txt<CR>`, "n.txt", "my o\xe4wn\n"},
		} {
			t.Run(c.keys, func(t *testing.T) {
				e := setupReal(t, version, "a.txt", numbers, "b.txt", "b\n")
				e.Input("<C-w>h:set hidden<CR>")
				e.prompt("run sleep 1000")
				e.WaitScreen("demo asks")
				e.Input(c.keys)
				e.WaitLua(`(function() local f = io.open('` + c.file + `'); return f and f:close() and vim.fn.mode() == 'n' end)()`)
				e.Input(":Acp stop<CR>")
				e.idle()
				e.Input(":Acp reject-all<CR>")
				e.WaitScreen("no hunks")
				if disk, err := os.ReadFile(e.path(c.file)); err != nil || string(disk) != c.want {
					t.Errorf("%s has %q (%v), want %q", c.file, disk, err, c.want)
				}
			})
		}
	})
}

// What the agent changes in a file that the user has just given its name is the agent's, and
// no more than that.
func TestRealWrittenThenEdited(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		for keys, file := range map[string]string{
			`:enew<CR>imy own two<Esc>:w n.txt<CR>`:                  "n.txt",
			`Omy own<Esc>:saveas n.txt<CR>`:                          "n.txt",
			`Omy own<Esc>:w n.txt<CR>:e! n.txt<CR>`:                  "n.txt",
			`:enew<CR>imy own two<Esc>:1w! >> b.txt<CR>:e b.txt<CR>`: "b.txt",
		} {
			t.Run(keys, func(t *testing.T) {
				e := setupReal(t, version, "a.txt", numbers, "b.txt", "b\n")
				e.Input("<C-w>h:set hidden<CR>")
				e.prompt("run true")
				e.WaitScreen("demo asks")
				e.Input(keys)
				e.WaitLua(`vim.fn.expand('%:t') == '` + file + `' and vim.fn.mode() == 'n'`)
				was := e.Text(0) + "\n"
				e.answer("1")
				e.idle()
				e.prompt(`replace "two" with "TWO" in @` + file)
				e.WaitLua(`require('acp.review').count() > 0`)
				e.idle()
				e.buffer(strings.Replace(was, "two", "TWO", 1))
				e.Input(":Acp reject-all<CR>")
				e.buffer(was)
				e.WaitLua(`not vim.bo.modified`)
				if disk, err := os.ReadFile(e.path(file)); err != nil || string(disk) != was {
					t.Errorf("%s has %q (%v), want %q", file, disk, err, was)
				}
			})
		}
	})
}
