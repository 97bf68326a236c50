package nvim_test

import (
	"fmt"
	"strings"
	"testing"
)

// The marks of a buffer stay with their rows when an agent's change of the file is read, be the text
// unsaved or not, and the buffer shown or not.
func TestMarksStayWithTheirRows(t *testing.T) {
	const theirs = "one\nmore\nmore\nTWO\nthree\nfour\nfive\nsix\nseven\neight\n"
	eachVersion(t, func(t *testing.T, version string) {
		for _, hidden := range []bool{false, true} {
			for _, unsaved := range []bool{false, true} {
				t.Run(fmt.Sprintf("hidden %v unsaved %v", hidden, unsaved), func(t *testing.T) {
					e := setup(t, version, "", "a.txt", numbers, "b.txt", numbers)
					e.open()
					e.Input("<C-w>h:set hidden autoread<CR>")
					disk, text := theirs, theirs
					if unsaved {
						e.Input("7GA mine<Esc>") // where gi goes on
						text = strings.Replace(theirs, "seven", "seven mine", 1)
					}
					e.Input("5Gllma6GmbVj<Esc>1Gmc")
					e.WaitLua(`vim.fn.line("'c") == 1 and vim.fn.line("'>") == 7`)
					e.Exec(`vim.fn.setqflist({ { bufnr = vim.fn.bufnr('a.txt'), lnum = 6 } })`, nil)
					before := numbers
					if unsaved {
						before = strings.Replace(numbers, "seven", "seven mine", 1)
					}
					v := e.awaitText(e.uri("a.txt"), before)
					if hidden {
						e.Input(":edit b.txt<CR>")
						e.awaitText(e.uri("b.txt"), numbers)
					}
					e.write("a.txt", disk)
					if unsaved {
						var got struct{ Adopted bool }
						e.call("acp/adopt", map[string]any{"uri": e.uri("a.txt"), "version": v, "text": text, "disk": sumOf(disk)}, &got)
						if !got.Adopted {
							t.Fatal("not adopted")
						}
					} else {
						var got struct{ Reloaded bool }
						e.call("acp/reload", map[string]any{"uri": e.uri("a.txt")}, &got)
						if !got.Reloaded {
							t.Fatal("not read")
						}
					}
					e.awaitText(e.uri("a.txt"), text)
					var marks string
					e.Exec(`local list = {}
						for _, mark in ipairs(vim.fn.getmarklist('a.txt')) do
							if mark.mark:find("['][a-c<>]") then
								list[#list + 1] = ('%s %d'):format(mark.mark, mark.pos[2])
							end
						end
						table.sort(list)
						return table.concat(list, ' ')`, &marks)
					if unsaved {
						e.WaitLua(`vim.api.nvim_buf_get_mark(vim.fn.bufnr('a.txt'), '^')[1] == 9`)
						e.WaitLua(`vim.api.nvim_buf_get_mark(vim.fn.bufnr('a.txt'), '.')[1] == 9`)
						e.WaitLua(`vim.fn.getqflist()[1].lnum == 8`)
					}
					if want := `'< 8 '> 9 'a 7 'b 8 'c 1`; marks != want {
						t.Errorf("marks %s, want %s", marks, want)
					}
				})
			}
		}
	})
}
