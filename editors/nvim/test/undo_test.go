package nvim_test

import (
	"fmt"
	"os"
	"runtime"
	"testing"
)

// A session of an earlier run is undone though nobody has opened it again: it is offered by its first
// prompt, beside the one that lives, and where this chat has changed nothing.
func TestRealUndoOfAnEarlierRun(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setupReal(t, version, "a.txt", numbers, "b.txt", numbers)
		change := func(word, with, file string) {
			t.Helper()
			e.prompt(fmt.Sprintf("replace %q with %q in @%s", word, with, file))
			e.WaitScreen(fmt.Sprintf("Replaced %q", word))
			e.idle()
		}
		// The choice is awaited, and made by its number.
		choose := func(number string, rows ...string) {
			t.Helper()
			for _, row := range rows {
				e.WaitScreen(row)
			}
			e.Input(number + "<CR>")
			e.WaitGone("Undo all changes of")
		}
		restart := func() {
			t.Helper()
			e.Input(":Acp restart<CR>")
			e.WaitLua(`require('acp.chat').current().info.state == 'closed' and require('acp.client').running()`)
			e.Input(":Acp undo<CR>") // of that nobody knows the turns any more
			choose("", "Undo all changes of", "1: ● ")
			e.Input(":Acp new<CR>")
			e.idle()
			e.Input("<Esc><C-w>h")
			e.WaitLua(`vim.fn.mode() == 'n' and vim.fn.expand('%:t') == 'a.txt'`)
		}
		change("two", "TWO", "a.txt")
		e.WaitLua(`require('acp.review').count() > 0`)
		e.Input("<Esc><C-w>h:Acp accept-all<CR>")
		e.WaitLua(`require('acp.review').count() == 0`)
		change("six", "SIX", "b.txt")
		e.prompt("run chmod +x a.txt")
		e.answer("1")
		e.idle()
		e.Input("<C-w>h")
		restart()
		e.Input("Gotyped<Esc>:write<CR>")
		change("four", "FOUR", "a.txt")

		e.Input(":Acp undo sessions<CR>")
		choose("2", `1: ● replace "four" with "FOUR" in @a.txt  (demo, 20`, `2:   replace "two" with "TWO" in @a.txt  (demo, 20`, ", 2 files)")
		e.WaitScreen(`TWO" in @a.txt" undone in a.txt, b.txt`)
		e.buffer("one\ntwo\nthree\nFOUR\nfive\nsix\nseven\neight\ntyped\n")
		e.WaitLua(`#require('acp.review').files() == 1`)
		if disk, err := os.ReadFile(e.path("b.txt")); err != nil || string(disk) != numbers {
			t.Errorf("b.txt has %q (%v)", disk, err)
		}
		if info, err := os.Stat(e.path("a.txt")); err != nil || runtime.GOOS != "windows" && info.Mode()&0o100 != 0 {
			t.Errorf("a.txt: %v %v", info.Mode(), err)
		}

		restart()
		e.Input(":Acp undo session<CR>")
		choose("1", `1:   replace "four" with "FOUR" in @a.txt  (demo, 20`, ", 1 file)")
		e.WaitScreen(`FOUR" in @a.txt" undone in a.txt`)
		e.buffer(numbers + "typed\n")
		e.WaitLua(`#require('acp.review').files() == 0`)
		e.Input(":Acp undo session<CR>")
		e.WaitScreen("nothing undone: nothing is left of the session")
	})
}
