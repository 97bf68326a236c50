package nvim_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"acp-ls/internal/nvimtest"
)

// again is a project in which Neovim, and acp-ls under it, end and are started again.
type again struct {
	*env
	version, program, state, pid string
	args                         []string // of Neovim, without a file
}

func newAgain(t *testing.T, version string, files ...string) *again {
	t.Helper()
	program, err := build()
	if err != nil {
		t.Fatal(err)
	}
	dir, args := project(t, files...)
	a := &again{env: &env{t: t, dir: dir}, version: version, program: program,
		state: t.TempDir(), pid: filepath.Join(t.TempDir(), "pid"), args: args[:len(args)-1]}
	return a
}

// start starts Neovim with one of the files, and the chat, and goes to the file.
func (a *again) start(file string) {
	a.t.Helper()
	a.Nvim = nvimtest.Start(a.t, a.version, nvimtest.Dir(a.dir), nvimtest.Env("XDG_STATE_HOME="+a.state),
		nvimtest.Args(append(a.args[:len(a.args):len(a.args)], a.path(file))...))
	// exec keeps the process id.
	a.Exec(`local program, pid = ...
		require('acp').setup({
			cmd = { 'sh', '-c', 'echo $$ >"$0" && exec "$1"', pid, program },
			settings = { agents = { demo = { args = { 'demo-agent', '--pace=0s' } } },
				permissions = { { decide = 'allow' } } },
		})`, nil, a.program, a.pid)
	a.chat()
}

// chat opens the chat, which starts acp-ls, and goes back to the file.
func (a *again) chat() {
	a.t.Helper()
	a.Input(":Acp<CR>")
	a.WaitScreen("Ask demo")
	a.WaitLua(`require('acp.client').get() ~= nil`)
	a.Input("<Esc><C-w>h")
	a.WaitLua(`vim.fn.mode() == 'n' and vim.bo.buftype == ''`)
}

// heard waits until acp-ls has answered all that the plugin has asked it so far.
func (a *again) heard() {
	a.t.Helper()
	a.Exec(`vim.g.heard = false
		vim.schedule(function()
			require('acp').execute('acp.review.list', nil, function() vim.g.heard = true end)
		end)`, nil)
	a.WaitLua(`vim.g.heard`)
}

// kill ends acp-ls as kill -9 does.
func (a *again) kill() {
	a.t.Helper()
	b, err := os.ReadFile(a.pid)
	if err != nil {
		a.t.Fatal(err)
	}
	id, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		a.t.Fatal(err)
	}
	p, err := os.FindProcess(id)
	if err != nil {
		a.t.Fatal(err)
	}
	if err := p.Kill(); err != nil {
		a.t.Fatal(err)
	}
	a.WaitScreen("acp-ls ended (signal 9)")
	a.WaitLua(`not require('acp.client').running()`)
}

// bring presses ghu, which brings what was rejected back, and rejects it again.
func (a *again) bring(with, without string) {
	a.t.Helper()
	a.WaitLua(`vim.fn.maparg('ghu', 'n') ~= ''`)
	a.press("ggghu")
	a.buffer(with)
	a.WaitScreen("1/1 demo")
	a.press("gg]hghr")
	a.buffer(without)
	a.WaitGone("1/1 demo")
}

// ghu brings back what was rejected in an earlier Neovim, or acp-ls, and before the buffer was
// closed. Where nothing was it is what it is to Neovim.
func TestBringBackLater(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		const with = "one\nzwei\nthree\nfour\nfive\nsix\nseven\neight\n"
		a := newAgain(t, version, "a.txt", numbers, "b.txt", numbers, "c.txt", numbers)
		mapped := `vim.fn.maparg('ghu', 'n') ~= ''`
		a.start("a.txt")
		for _, name := range []string{"a.txt", "b.txt", "c.txt"} {
			a.Input(":e " + name + "<CR>")
			a.prompt(`replace "two" with "zwei" in @` + name)
			a.buffer(with)
			a.WaitScreen("1/1 demo")
			a.idle()
			if name == "c.txt" {
				a.press("gg]hgha")
			} else {
				a.press("gg]hghr")
				a.buffer(numbers)
			}
			a.WaitGone("1/1 demo")
		}

		// The buffer was closed; keys are behind the command that opens it.
		for _, closes := range []string{"bdelete", "bwipeout", "bunload"} {
			a.Input(":e b.txt<CR>")
			a.press(":" + closes + " a.txt<CR>")
			a.press(":e a.txt<CR>ghu")
			a.buffer(with)
			a.WaitScreen("1/1 demo")
			a.press("gg]hghr")
			a.buffer(numbers)
			a.WaitGone("1/1 demo")
		}
		a.press(":e!<CR>")
		a.bring(with, numbers)

		// Neovim was left, with the file open or opened later.
		a.Quit(":wqa<CR>")
		a.start("a.txt")
		a.bring(with, numbers)
		a.press(":e b.txt<CR>ghu")
		a.buffer(with)
		a.WaitScreen("1/1 demo")
		a.press("gg]hghr")
		a.buffer(numbers)
		a.press(":e c.txt<CR>")
		a.heard()
		a.WaitLua(`vim.fn.expand('%:t') == 'c.txt' and not ` + mapped)
		a.Quit(":qa!<CR>")
		a.start("b.txt")
		a.bring(with, numbers)

		// acp-ls was killed, the buffer there, closed while it is gone, or later.
		for _, closes := range []string{"", "bdelete", "bwipeout"} {
			a.kill()
			if closes != "" {
				a.press(":e c.txt<CR>:" + closes + " b.txt<CR>:e b.txt<CR>")
			}
			a.press("ghu") // changes nothing
			a.buffer(numbers)
			a.chat()
			a.bring(with, numbers)
		}
		a.kill()
		a.press(":e a.txt<CR>:bwipeout b.txt<CR>")
		a.chat()
		a.WaitLua(mapped)
		a.press(":e b.txt<CR>ghu")
		a.buffer(with)
		a.WaitScreen("1/1 demo")

		// What is pending, and decided, is not to be brought back any more.
		a.press("gg]hgha")
		a.WaitGone("1/1 demo")
		a.Quit(":wqa<CR>")
		a.start("b.txt")
		a.Input(":e a.txt<CR>")
		a.WaitLua(mapped)
		a.press(":e b.txt<CR>")
		a.heard()
		a.WaitLua(`vim.fn.expand('%:t') == 'b.txt' and not ` + mapped)
	})
}

// Of several rejections of an earlier run ghu brings back what the last decision rejected; keys of the
// user's own stay theirs.
func TestBringBackLaterOfSeveral(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		a := newAgain(t, version, "p.go", threeCounts)
		a.start("p.go")
		a.prompt("rename count to total in @p.go")
		a.WaitScreen("3/3 demo")
		a.idle()
		a.press("ghR")
		a.buffer(threeCounts)
		a.WaitGone("3/3 demo")
		a.Quit(":wqa<CR>")
		a.start("p.go")
		a.WaitLua(`vim.fn.maparg('ghu', 'n') ~= ''`)
		a.press("ggghu")
		a.WaitScreen("3/3 demo")
		a.press("G[hghr")
		a.WaitScreen("2/2 demo")
		once := a.Text(0) + "\n"
		a.press("gg]hghr")
		a.WaitScreen("1/1 demo")
		a.Quit(":wqa<CR>")
		a.start("p.go")
		a.WaitScreen("1/1 demo")
		a.press("ggghu")
		a.WaitScreen("1/2 demo")
		a.buffer(once)
		a.press("ghR")
		a.buffer(threeCounts)
		a.Quit(":wqa<CR>")

		a.args = append(a.args, "--cmd", "autocmd BufReadPost * nnoremap <buffer> ]h :let g:mine = 1<CR>", "--cmd", "nnoremap ghr :let g:mine = 2<CR>")
		a.start("p.go")
		a.WaitLua(`vim.fn.maparg('ghu', 'n') ~= ''`)
		a.press("]h")
		a.WaitLua(`vim.g.mine == 1`)
		a.press("ghr")
		a.WaitLua(`vim.g.mine == 2`)
		a.buffer(threeCounts)
	})
}

// What an acp-ls that ended later than the next one began has left to bring back has its keys as
// soon as that is told.
func TestBringBackToldLater(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers, "b.txt", numbers)
		e.open()
		v := e.awaitText(e.uri("a.txt"), numbers)
		e.expect("acp.review.list")
		e.Input("<C-w>h")
		e.WaitLua(`vim.bo.buftype == '' and vim.fn.maparg('ghu', 'n') == ''`)
		e.on("acp.review.list", func(a arg) any {
			var files []any
			for _, name := range []string{"a.txt", "b.txt"} {
				if strings.Contains(string(a), name) {
					files = append(files, e.reviewOf(name, v, newHunk("of "+name, "rejected", 1, 2, "two\n", "zwei\n")))
				}
			}
			return map[string]any{"files": files}
		})
		e.review("b.txt", v)
		e.expect("acp.review.list")
		e.review("a.txt", v)
		e.WaitLua(`vim.fn.maparg('ghu', 'n') ~= ''`)
		e.Input(":e b.txt<CR>ghu")
		if d := e.expectDecision("restore"); !slices.Equal(d.Hunks, []string{"of b.txt"}) {
			t.Errorf("restored %+v", d)
		}
		if got := e.Text(0) + "\n"; got != numbers {
			t.Errorf("the text is %q", got)
		}
	})
}

// What the user has discarded of a proposal cannot be brought back, and ghu says so: it does not bring
// back what was rejected before that unless it is pressed again.
func TestBringBackWhatWasDiscarded(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		first := strings.Replace(numbers, "two", "zwei", 1)
		s := newStory(t, version, &txtar.Archive{Files: []txtar.File{
			{Name: "a.txt", Data: []byte(numbers)},
			{Name: "agent/first", Data: []byte(first)},
			{Name: "agent/both", Data: []byte(strings.NewReplacer("one", "eins", "eight", "acht").Replace(numbers))},
		}}, `{ review = { mode = 'before' } }`)
		s.do("open", "a.txt")
		s.do("agent", "disk a.txt first")
		s.turn()
		s.do("hunks", "1")
		s.do("reject", "2")
		s.do("hunks", "0")
		s.do("agent", "read a.txt")
		s.do("agent", "write a.txt both")
		s.begin()
		s.do("hunks", "2")
		text := s.Text(0)
		s.do("reject", "1")
		s.Input("ghu")
		s.WaitScreen("still waits")
		s.do("reject", "8")
		s.WaitLua(`vim.g.ended ~= nil`) // this agent fails where it is refused
		s.do("hunks", "0")
		s.Input(":messages clear<CR>ghu")
		s.WaitLua(`vim.fn.execute('messages'):find('was told', 1, true) ~= nil`)
		if got := s.Text(0); got != text {
			t.Errorf("it has brought back something else: %q", got)
		}
		s.Input("ghu")
		s.do("hunks", "1")
		s.WaitLua(`vim.fn.search('zwei', 'nw') > 0`)
	})
}

// What cannot be brought back, as the user has edited there, is passed over by ghu and :Acp restore: once it
// was said, they go on to what was rejected before. What the user has undone can come back again.
func TestBringBackWhatCannotBe(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		for _, keys := range []string{"ghu", ":Acp restore<CR>"} {
			t.Run(strings.Trim(keys, ":<CR>"), func(t *testing.T) {
				s := newStory(t, version, &txtar.Archive{Files: []txtar.File{
					{Name: "a.txt", Data: []byte(numbers)},
					{Name: "agent/all", Data: []byte(strings.NewReplacer("two", "zwei", "four", "vier", "six", "sechs", "eight", "acht").Replace(numbers))},
				}})
				s.do("open", "a.txt")
				s.do("agent", "write a.txt all")
				s.turn()
				for i, row := range []string{"2", "4", "6", "8"} {
					s.do("hunks", strconv.Itoa(4-i))
					s.do("reject", row)
				}
				s.do("hunks", "0")
				s.do("type", "8 my ")
				s.do("type", "6 my ")
				refused := func() {
					t.Helper()
					s.Input(":messages clear<CR>" + keys)
					s.WaitLua(`vim.fn.execute('messages'):find('not restored', 1, true) ~= nil`)
				}
				back := func(word, hunks string) {
					t.Helper()
					s.Input(keys)
					s.do("hunks", hunks)
					s.WaitLua(`vim.fn.search('` + word + `', 'nw') > 0`)
				}
				refused()
				s.WaitScreen("once more: what you rejected before")
				refused()
				back("vier", "1")
				back("zwei", "2")
				refused() // there is nothing else
				s.Input(":%s/my six/six/<CR>")
				s.WaitLua(`vim.fn.search('my six', 'nw') == 0`)
				refused() // the last one, by an edit: it may be possible now
				back("sechs", "3")
			})
		}
	})
}
