package nvim_test

import (
	"fmt"
	"strings"
	"testing"
)

// keys that are pressed before and after an edit, which puts two rows in front
// of the first one.
type interrupted struct {
	name, before, after string
	want                string // the text without the rows of the edit
}

// A selection stays on its text when rows come in above it.
func TestSelectionStays(t *testing.T) {
	cases := []interrupted{
		{"block", "3G0<C-v>", "jlcQ<Esc>", "one\ntwo\nQree\nQur\nfive\nsix\nseven\neight\n"},
		{"block insert", "5G0<C-v>", "3jIXX<Esc>", "one\ntwo\nthree\nfour\nXXfive\nXXsix\nXXseven\nXXeight\n"},
		{"block to the ends", "3G0<C-v>j$", "A!<Esc>", "one\ntwo\nthree!\nfour!\nfive\nsix\nseven\neight\n"},
		{"block upwards", "4G$<C-v>k", "d", "one\ntwo\nthr\nfou\nfive\nsix\nseven\neight\n"},
		{"lines", "3GVj", "d", "one\ntwo\nfive\nsix\nseven\neight\n"},
		{"lines upwards", "4GVk", "d", "one\ntwo\nfive\nsix\nseven\neight\n"},
		{"characters", "3G0v", "lcQ<Esc>", "one\ntwo\nQree\nfour\nfive\nsix\nseven\neight\n"},
		{"characters backwards", "4G$vbb", "d", "one\ntwo\n\nfive\nsix\nseven\neight\n"},
		{"to be replaced by what is typed", "3G0vl<C-g>", "x<Esc>", "one\ntwo\nxree\nfour\nfive\nsix\nseven\neight\n"},
		{"the last one", "3GVj<Esc>", "gvd", "one\ntwo\nfive\nsix\nseven\neight\n"},
	}
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		e.Input("<C-w>h")
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				e.interrupt(t, c, func() {
					if got := e.edit("a.txt", e.version("a.txt"), textEdit(0, 0, 0, 0, "new\nand new\n")); !got.Applied {
						t.Fatalf("refused: %s", got.FailureReason)
					}
				})
			})
		}
	})
}

// setText makes the text of the current buffer another one.
func (e *env) setText(text string) {
	e.t.Helper()
	e.Exec(`vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(..., '\n', { trimempty = true }))`, nil, text)
	e.version("a.txt") // it has been sent
}

// interrupt presses keys in the text of numbers, has it edited, and presses more.
func (e *env) interrupt(t *testing.T, c interrupted, edit func()) {
	t.Helper()
	e.t = t
	e.setText(numbers)
	e.Input(c.before)
	e.Exec("", nil) // the keys have been taken
	edit()
	e.press(c.after)
	if got, want := e.textNow("a.txt"), "new\nand new\n"+c.want; got != want {
		t.Errorf("the text is %q, want %q", got, want)
	}
}

// press sends keys that end in normal mode, and returns when they have been taken.
func (e *env) press(keys string) {
	e.t.Helper()
	e.pressed++
	e.Input(keys + fmt.Sprintf(":let g:pressed = %d<CR>", e.pressed))
	e.WaitLua(fmt.Sprintf("vim.g.pressed == %d", e.pressed))
}

// version is that of a file's text right now.
func (e *env) version(name string) int {
	e.t.Helper()
	var version int
	e.Exec(`require('acp.client').flush()
		local documents = require('acp.documents')
		return documents.version(documents.by_uri(...))`, &version, e.uri(name))
	return version
}

// heldEdit asks for an edit, and waits until it is seen to wait.
func (e *env) heldEdit(name string, version int, edits ...any) <-chan message {
	e.t.Helper()
	reply := e.askEdit(name, version, edits...)
	e.WaitLua("require('acp.typing').held() == 1")
	return reply
}

// What Neovim finishes only later, by row numbers of before, is not disturbed: the
// edit waits, and is refused if the text is another one then.
func TestEditWaits(t *testing.T) {
	cases := []interrupted{
		{"block insert", "3G0<C-v>jI", "XY<Esc>", "one\ntwo\nXYthree\nXYfour\nfive\nsix\nseven\neight\n"},
		{"block append", "3G0<C-v>jA", "XY<Esc>", "one\ntwo\ntXYhree\nfXYour\nfive\nsix\nseven\neight\n"},
		{"block append at the ends", "3G0<C-v>j$A", "XY<Esc>", "one\ntwo\nthreeXY\nfourXY\nfive\nsix\nseven\neight\n"},
		{"block change", "3G0<C-v>jc", "XY<Esc>", "one\ntwo\nXYhree\nXYour\nfive\nsix\nseven\neight\n"},
		{"operator", "3Gd", "j", "one\ntwo\nfive\nsix\nseven\neight\n"},
		{"operator from insert mode", "3G0i<C-o>d", "e<Esc>", "one\ntwo\n\nfour\nfive\nsix\nseven\neight\n"},
		{"command", ":3,4", "d<CR>", "one\ntwo\nfive\nsix\nseven\neight\n"},
		{"replacing", "3G0R", "XY<Esc>", "one\ntwo\nXYree\nfour\nfive\nsix\nseven\neight\n"},
		{"completion", "3G0i<C-n>", "<C-n> <Esc>", "one\ntwo\nfour three\nfour\nfive\nsix\nseven\neight\n"},
	}
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		e.Input("<C-w>h")
		above := textEdit(0, 0, 0, 0, "new\nand new\n")
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				e.t = t
				e.setText(numbers)
				e.Input(c.before)
				e.WaitLua("vim.api.nvim_get_mode().mode ~= 'n'")
				held := e.heldEdit("a.txt", e.version("a.txt"), above)
				e.Input(c.after)
				e.awaitText(e.uri("a.txt"), c.want)
				var got editResult
				if e.result(held, &got); got.Applied {
					t.Error("applied, though the text is another one")
				}
				if got := e.edit("a.txt", e.version("a.txt"), above); !got.Applied {
					t.Fatalf("refused: %s", got.FailureReason)
				}
				e.awaitText(e.uri("a.txt"), "new\nand new\n"+c.want)
			})
		}
		for _, keys := range []string{"3G0<C-v>jI", "3Gd", ":3", "3G0R"} {
			e.t = t
			e.setText(numbers)
			e.Input(keys)
			e.WaitLua("vim.api.nvim_get_mode().mode ~= 'n'")
			held := e.heldEdit("a.txt", e.version("a.txt"), above)
			e.Input("<Esc>")
			var got editResult
			if e.result(held, &got); !got.Applied {
				t.Errorf("refused after %s and nothing more: %s", keys, got.FailureReason)
			}
			e.awaitText(e.uri("a.txt"), "new\nand new\n"+numbers)
		}
	})
}

// What an insertion is repeated for, or remembered as, is not harmed by an edit
// above it.
func TestInsertionGoesOn(t *testing.T) {
	cases := []interrupted{
		{"count", "3G03ia", "b<Esc>", "one\ntwo\nabababthree\nfour\nfive\nsix\nseven\neight\n"},
		{"count of lines", "3G2oa", "b<Esc>", "one\ntwo\nthree\nab\nab\nfour\nfive\nsix\nseven\neight\n"},
		{"repeated", "3GAx", "y<Esc>j.", "one\ntwo\nthreexy\nfourxy\nfive\nsix\nseven\neight\n"},
		{"gone on with", "3GAx", "y<Esc>gggiz<Esc>", "one\ntwo\nthreexyz\nfour\nfive\nsix\nseven\neight\n"},
		{"gone on with after it", "3GAx<Esc>", "gggiz<Esc>", "one\ntwo\nthreexz\nfour\nfive\nsix\nseven\neight\n"},
		{"recorded", "3G0qaix", "y<Esc>j0q@a", "one\ntwo\nxythree\nxyfour\nfive\nsix\nseven\neight\n"},
		{"of lines", "3GVjcx", "y<Esc>", "one\ntwo\nxy\nfive\nsix\nseven\neight\n"},
		{"taken back to where it began", "3GAx", "y<C-u>z<Esc>", "one\ntwo\nthreez\nfour\nfive\nsix\nseven\neight\n"},
		{"taken back in the middle", "3G0lix", "y<C-u>z<Esc>", "one\ntwo\ntzhree\nfour\nfive\nsix\nseven\neight\n"},
		{"a word taken back", "3GAx", "y<C-w>z<Esc>", "one\ntwo\nthreez\nfour\nfive\nsix\nseven\neight\n"},
		{"rows taken back to where it began", "3GAx<CR>w", "y<C-u><BS><C-u>z<Esc>", "one\ntwo\nthreez\nfour\nfive\nsix\nseven\neight\n"},
		{"taken back, and repeated", "3GAx", "y<C-u>z<Esc>j.", "one\ntwo\nthreez\nfourz\nfive\nsix\nseven\neight\n"},
		{"marked", "3GAx", "y<Esc>`[iz<Esc>", "one\ntwo\nthreezxy\nfour\nfive\nsix\nseven\neight\n"},
		{"taken back as far as it may", ":set backspace=eol<CR>3GAx", "y<BS><BS><BS><BS>z<Esc>:set backspace&<CR>", "one\ntwo\nthreez\nfour\nfive\nsix\nseven\neight\n"},
		{"taken back after keys that move", "3GAx<Left>", "y<C-u>z<Esc>", "one\ntwo\nthreezx\nfour\nfive\nsix\nseven\neight\n"},
		{"taken back, a step of undo", "3GAx<C-g>u", "y<C-u>z<Esc>", "one\ntwo\nthreez\nfour\nfive\nsix\nseven\neight\n"},
		{"taken back", "3GAx<CR>w", "y<BS><BS><BS><BS>z<Esc>", "one\ntwo\nthreez\nfour\nfive\nsix\nseven\neight\n"},
	}
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		e.Input("<C-w>h")
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				e.interrupt(t, c, func() {
					if got := e.edit("a.txt", e.version("a.txt"), textEdit(0, 0, 0, 0, "new\nand new\n")); !got.Applied {
						t.Fatalf("refused: %s", got.FailureReason)
					}
				})
			})
		}
	})
}

// Somebody who types in a row that an agent takes away goes on in a row of their
// own, and not in the one below.
func TestRowTakenAway(t *testing.T) {
	cases := []struct {
		name, before string
		edit         map[string]any
		after, want  string
	}{
		{"deleted", "3GAx", textEdit(2, 0, 3, 0, ""), "abc<Esc>", "one\ntwo\nabc\nfour\nfive\nsix\nseven\neight\n"},
		{"deleted with others", "3GAx", textEdit(1, 0, 5, 0, ""), "abc<Esc>", "one\nabc\nsix\nseven\neight\n"},
		{"deleted at the top", "1GAx", textEdit(0, 0, 2, 0, ""), "abc<Esc>", "abc\nthree\nfour\nfive\nsix\nseven\neight\n"},
		{"deleted at the end", "8GAx", textEdit(6, 0, 8, 0, ""), "abc<Esc>", "one\ntwo\nthree\nfour\nfive\nsix\nabc\n"},
		{"replaced", "3GAx", textEdit(2, 0, 3, 0, "something else\n"), "abc<Esc>", "one\ntwo\nsomething else\nabc\nfour\nfive\nsix\nseven\neight\n"},
		{"replaced by a like one", "3GAx", textEdit(2, 0, 3, 0, "a threex\n"), "abc<Esc>", "one\ntwo\na threexabc\nfour\nfive\nsix\nseven\neight\n"},
		{"replaced with others by like ones", "3GAx", textEdit(1, 0, 4, 0, "twos\nand\nthrexe\nfour\n"), "abc<Esc>",
			"one\ntwos\nand\nthrexeabc\nfour\nfive\nsix\nseven\neight\n"},
		{"nothing more is typed", "3GAx", textEdit(2, 0, 3, 0, ""), "<Esc>", "one\ntwo\nfour\nfive\nsix\nseven\neight\n"},
		{"gone from", "3GAx", textEdit(2, 0, 3, 0, ""), "<Down>abc<Esc>", "one\ntwo\nfour\nabcfive\nsix\nseven\neight\n"},
		{"taken back", "3GAx", textEdit(2, 0, 3, 0, ""), "<BS>abc<Esc>", "one\ntwoabc\nfour\nfive\nsix\nseven\neight\n"},
		{"a new row", "3GAx", textEdit(2, 0, 3, 0, ""), "a<CR>bc<Esc>", "one\ntwo\na\nbc\nfour\nfive\nsix\nseven\neight\n"},
		{"undone", "3GAx", textEdit(2, 0, 3, 0, ""), "abc<Esc>u", "one\ntwo\nfour\nfive\nsix\nseven\neight\n"},
		{"both undone", "3GAx", textEdit(2, 0, 3, 0, ""), "abc<Esc>uu", "one\ntwo\nthreex\nfour\nfive\nsix\nseven\neight\n"},
		{"a register", "3GAx", textEdit(2, 0, 3, 0, ""), "<C-r>='abc'<CR><Esc>", "one\ntwo\nabc\nfour\nfive\nsix\nseven\neight\n"},
		{"pasted", "3GAx", textEdit(2, 0, 3, 0, ""), "paste abc", "one\ntwo\nabc\nfour\nfive\nsix\nseven\neight\n"},
		{"rows pasted", "3GAx", textEdit(2, 0, 3, 0, ""), "paste abc\nd", "one\ntwo\nabc\nd\nfour\nfive\nsix\nseven\neight\n"},
		{"pasted at the end", "8GAx", textEdit(7, 0, 8, 0, ""), "paste abc", "one\ntwo\nthree\nfour\nfive\nsix\nseven\nabc\n"},
	}
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		e.Input("<C-w>h")
		e.Exec(`require('acp.typing').pause = 0; Paste = vim.paste`, nil)
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				e.t = t
				e.setText(numbers)
				e.Input(c.before)
				e.WaitLua("vim.api.nvim_get_current_line():find('x')")
				if got := e.edit("a.txt", e.version("a.txt"), c.edit); !got.Applied {
					t.Fatalf("refused: %s", got.FailureReason)
				}
				if text, ok := strings.CutPrefix(c.after, "paste "); ok {
					e.Exec(`vim.api.nvim_paste(..., true, -1)`, nil, text)
					c.after = "<Esc>"
				}
				e.press(c.after)
				e.WaitLua("vim.paste == Paste")
				if got := e.textNow("a.txt"); got != c.want {
					t.Errorf("the text is %q, want %q", got, c.want)
				}
			})
		}
	})
}

// What changes the row somebody types in, or what they have selected, waits for a
// pause; if they change it meanwhile the edit is refused, and acp-ls finds the conflict.
func TestEditOfWhatIsWorkedOn(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		e.Input("<C-w>h")
		e.Exec(`require('acp.typing').pause = 1e8`, nil)
		e.Input("3GAx")
		e.WaitLua("vim.api.nvim_get_current_line() == 'threex'")
		if got := e.edit("a.txt", e.version("a.txt"), textEdit(0, 0, 1, 0, ""), textEdit(3, 0, 4, 0, "")); !got.Applied {
			t.Fatalf("an edit of other rows was refused: %s", got.FailureReason)
		}
		held := e.heldEdit("a.txt", e.version("a.txt"), textEdit(1, 0, 2, 0, ""))
		e.Input("y<Esc>")
		var got editResult
		if e.result(held, &got); got.Applied {
			t.Error("a row was deleted that was typed in")
		}
		e.awaitText(e.uri("a.txt"), "two\nthreexy\nfive\nsix\nseven\neight\n")
		e.Input("Vj")
		e.WaitLua("vim.fn.mode() == 'V'")
		held = e.heldEdit("a.txt", e.version("a.txt"), textEdit(2, 0, 3, 0, ""))
		e.Input("<Esc>")
		if e.result(held, &got); !got.Applied {
			t.Errorf("refused: %s", got.FailureReason)
		}
		e.Exec(`require('acp.typing').pause = 1`, nil)
		e.Input("Az")
		e.awaitText(e.uri("a.txt"), "two\nthreexy\nsixz\nseven\neight\n")
		if got := e.edit("a.txt", e.version("a.txt"), textEdit(2, 0, 3, 0, "")); !got.Applied {
			t.Errorf("refused after a pause: %s", got.FailureReason)
		}
	})
}

// A selection of rows that are taken away, or become others, is of those that are left.
func TestSelectionTakenAway(t *testing.T) {
	cases := []struct {
		name, before string
		edit         map[string]any
		after, want  string
	}{
		{"its first row", "3GVjj", textEdit(2, 0, 3, 0, ""), "d", "one\ntwo\nsix\nseven\neight\n"},
		{"its last row", "3GVjj", textEdit(4, 0, 5, 0, ""), "d", "one\ntwo\nsix\nseven\neight\n"},
		{"its last row, upwards", "5GVkk", textEdit(4, 0, 5, 0, ""), "d", "one\ntwo\nsix\nseven\neight\n"},
		{"its last row, by characters", "3G0lvjj", textEdit(4, 0, 5, 0, ""), "d", "one\ntwo\nt\nsix\nseven\neight\n"},
		{"a row of a block", "3G0l<C-v>jj", textEdit(3, 0, 4, 0, ""), "d", "one\ntwo\ntree\nfve\nsix\nseven\neight\n"},
		{"a changed row", "3G0v$h", textEdit(2, 0, 3, 0, "a three\n"), "d", "one\ntwo\na \nfour\nfive\nsix\nseven\neight\n"},
		{"a changed row, by lines", "3GVj", textEdit(2, 0, 3, 0, "a three\n"), "d", "one\ntwo\nfive\nsix\nseven\neight\n"},
		{"all of it", "3GVj", textEdit(2, 0, 4, 0, ""), "d<Esc>iZ<Esc>", "one\ntwo\nZfive\nsix\nseven\neight\n"},
	}
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		e.Input("<C-w>h")
		e.Exec(`require('acp.typing').pause = 0`, nil)
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				e.t = t
				e.setText(numbers)
				e.Input(c.before)
				e.WaitLua(`vim.fn.mode():match('^[vV\22]')`)
				if got := e.edit("a.txt", e.version("a.txt"), c.edit); !got.Applied {
					t.Fatalf("refused: %s", got.FailureReason)
				}
				e.press(c.after)
				if got := e.textNow("a.txt"); got != c.want {
					t.Errorf("the text is %q, want %q", got, c.want)
				}
			})
		}
	})
}

// What a formatter does when the file is saved for the agent is no different.
func TestFormatterUnderTheUser(t *testing.T) {
	cases := []struct{ name, before, after, want string }{
		{"a selection", "3GVj", "d", "zero\none\ntwo\nfive\nsix\nseven\neight\n"},
		{"a block", "3G0<C-v>j", "d", "zero\none\ntwo\nhree\nour\nfive\nsix\nseven\neight\n"},
		{"typing", "3GAx", "y<Esc>", "zero\none\ntwo\nthreexy\nfour\nfive\nsix\nseven\neight\n"},
		{"typing in a row that is changed", "3GA  ", "y<Esc>", "zero\none\ntwo\nthreey\nfour\nfive\nsix\nseven\neight\n"},
		{"typing in a row that is taken away", "3Go", "y<Esc>", "zero\none\ntwo\nthree\ny\nfour\nfive\nsix\nseven\neight\n"},
	}
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		e.Input("<C-w>h")
		e.Exec(`vim.api.nvim_create_autocmd('BufWritePre', { callback = function()
			vim.cmd([[keepjumps keeppatterns silent %s/ \+$//e | keepjumps keeppatterns silent g/^$/d]])
			vim.api.nvim_buf_set_lines(0, 0, 0, true, { 'zero' }) end })`, nil)
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				e.t = t
				e.setText(numbers)
				e.Input(c.before)
				e.WaitLua("vim.fn.mode() ~= 'n'")
				if got := e.save("a.txt"); !got.Saved {
					t.Fatalf("not saved: %s", got.Reason)
				}
				e.press(c.after)
				if got := e.textNow("a.txt"); got != c.want {
					t.Errorf("the text is %q, want %q", got, c.want)
				}
			})
		}
	})
}

// Somebody who has gone away in the middle of something is told, when they are back,
// what waits for them; the message takes no key.
func TestWaitIsTold(t *testing.T) {
	cases := []struct{ before, says, after, want string }{
		{"3Gd", "waits: an operator", "j", "one\ntwo\nfive\nsix\nseven\neight\n"},
		{"3G0<C-v>jI", "waits: an insertion in several rows", "XY<Esc>", "one\ntwo\nXYthree\nXYfour\nfive\nsix\nseven\neight\n"},
		{"3G0i<C-n>", "waits: a completion", "<C-n> <Esc>", "one\ntwo\nfour three\nfour\nfive\nsix\nseven\neight\n"},
	}
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		e.Input("<C-w>h:set noshowmode<CR>")
		e.Exec(`require('acp.typing').pause = 30`, nil)
		for _, c := range cases {
			e.setText(numbers)
			e.Input(c.before)
			e.WaitLua("vim.api.nvim_get_mode().mode ~= 'n'")
			held := e.heldEdit("a.txt", e.version("a.txt"), textEdit(0, 0, 0, 0, "new\n"))
			e.WaitScreen(c.says)
			e.press(c.after)
			if got := e.textNow("a.txt"); got != c.want {
				t.Errorf("after %s the text is %q, want %q", c.before, got, c.want)
			}
			var got editResult
			e.result(held, &got)
		}
	})
}

// While what a command would do may be shown Neovim tells of no change of any buffer: what an agent
// changes in another one waits, whichever way it comes, and acp-ls knows the text after that.
func TestNothingIsChangedUnderAPreview(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		for _, how := range []string{"edited", "adopted"} {
			t.Run(how, func(t *testing.T) {
				e := setup(t, version, "", "a.txt", numbers, "b.txt", numbers)
				e.open()
				e.Input("<C-w>h3GA my<Esc>")
				my := strings.Replace(numbers, "three", "three my", 1)
				v := e.awaitText(e.uri("a.txt"), my)
				e.Input(":e b.txt<CR>")
				e.WaitLua("vim.fn.bufname() == 'b.txt'")
				e.Input(":%s/o/0")
				e.WaitLua("vim.fn.getcmdline() == '%s/o/0'")
				want := strings.Replace(my, "eight", "EIGHT", 1)
				done := make(chan bool, 1)
				go func() {
					if how == "edited" {
						done <- e.edit("a.txt", v, textEdit(7, 0, 7, 5, "EIGHT")).Applied
						return
					}
					disk := strings.Replace(numbers, "eight", "EIGHT", 1)
					e.write("a.txt", disk)
					var got struct{ Adopted bool }
					e.call("acp/adopt", map[string]any{"uri": e.uri("a.txt"), "version": v, "text": want, "disk": sumOf(disk)}, &got)
					done <- got.Adopted
				}()
				e.WaitLua("require('acp.typing').held() == 1 or vim.fn.getbufline('a.txt', 8)[1] == 'EIGHT'")
				e.Input("x<BS><Esc>")
				if !<-done {
					t.Error("it was not done")
				}
				e.awaitText(e.uri("a.txt"), want)
			})
		}
	})
}
