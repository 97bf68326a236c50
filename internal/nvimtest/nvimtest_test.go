package nvimtest

import (
	"fmt"
	"strings"
	"testing"
)

// The rebuilt screen is what Neovim itself says stands in its cells, also after
// scrolling in windows beside one another, and with wide characters.
func TestScreen(t *testing.T) {
	for _, version := range Versions {
		t.Run(version, func(t *testing.T) {
			n := Start(t, version)
			n.Exec(`local lines = {}
				for i = 1, 300 do lines[i] = ('%d 日本 é %s'):format(i, ('x'):rep(i % 40)) end
				vim.api.nvim_buf_set_lines(0, 0, -1, false, lines)
				vim.cmd('vsplit | split | set cursorline')`, nil)
			for i, keys := range []string{"50G", "10\x05", "3\x19", "<C-w>l", "G", "20\x19", ":set nu<CR>", "gg<C-f>"} {
				mark := fmt.Sprintf("step %d", i)
				n.Input(fmt.Sprintf("%s:echo 'step' %d<CR>", keys, i)) // not the mark as it is typed
				n.WaitScreen(mark)
				var want []string
				n.Exec(`vim.cmd('redraw')
					local rows = {}
					for row = 1, vim.o.lines do
						local cells = {}
						for col = 1, vim.o.columns do cells[col] = vim.fn.screenstring(row, col) end
						rows[row] = table.concat(cells):gsub('%s+$', '')
					end
					return rows`, &want)
				n.WaitFor(fmt.Sprintf("the screen after %q to be\n%s\n", keys, strings.Join(want, "\n")), func(screen string) bool {
					return screen == strings.Join(want, "\n")+"\n"
				})
			}
			n.Input(":set nonu<CR>:highlight Search guibg=#123456 gui=bold<CR>/^7 <CR>")
			n.WaitFor("the match to be highlighted", func(string) bool {
				row, col, ok := n.Find("7 日本")
				cell := n.Cell(row, col)
				return ok && cell.Text == "7"
			})
			if _, _, ok := n.Find("no such text"); ok {
				t.Error("found what is not there")
			}
			if !strings.Contains(n.Picture(), ">7") {
				t.Error("the picture does not show the text")
			}
		})
	}
}
