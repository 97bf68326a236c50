package nvim_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/internal/nvimtest"
)

// The real acp-ls, in a scratch folder with the files named (path, text pairs), of
// which the first is open, and the chat as well.
func setupReal(t *testing.T, version string, files ...string) *env {
	t.Helper()
	program, err := build()
	if err != nil {
		t.Fatal(err)
	}
	dir, args := project(t, files...)
	n := nvimtest.Start(t, version, nvimtest.Dir(dir), nvimtest.Args(args...))
	e := &env{Nvim: n, t: t, dir: dir}
	n.Exec(`require('acp').setup({ cmd = { ... }, permission = { guard = 0 }, settings = {
		agents = { demo = { args = { 'demo-agent', '--pace=0s' } } },
		permissions = { { kind = { 'edit', 'read' }, decide = 'allow' } } } })`, nil, program)
	n.Input(":Acp<CR>")
	n.WaitScreen("Ask demo")
	e.idle()
	return e
}

// idle waits until the agent has nothing to do.
func (e *env) idle() {
	e.t.Helper()
	e.WaitLua(`require('acp.chat').session_id() ~= nil and require('acp.chat').current().info.state == 'idle'`)
}

// answer goes to the open question and presses a key there.
func (e *env) answer(key string) {
	e.t.Helper()
	e.WaitScreen("demo asks")
	e.Input(":Acp permission<CR>")
	e.WaitScreen("answers, q later")
	e.Input(key)
	e.WaitGone("answers, q later")
}

// What is left of a conversation when the real acp-ls is killed: what ran is seen to
// run no more, and the next prompt is not taken for one of the same conversation.
func TestKilled(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setupReal(t, version, "a.txt", numbers)
		e.Input("irun sleep 1000<Esc><CR>")
		e.answer("1")
		e.WaitScreen("● sleep 1000")
		e.Exec(`for _, pid in ipairs(vim.api.nvim_get_proc_children(vim.fn.getpid())) do vim.uv.kill(pid, 'sigkill') end`, nil)
		e.WaitScreen("✗ acp-ls ended (signal 9)")
		e.WaitScreen("■ sleep 1000")
		e.Input("iwhat can you do<Esc><CR>")
		e.WaitScreen("This is a new session: demo does not")
		e.WaitScreen("❯ what can you do")
		e.idle()
	})
}

// What is wrong with the settings is said with the file it stands in, be it that the file is no
// JSON, and once.
func TestHealthOfSettings(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		program, err := build()
		if err != nil {
			t.Fatal(err)
		}
		home := t.TempDir()
		file := filepath.Join(home, "acp-ls", "config.json")
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("{ \"trace\": \"off\", // so far well\n  \"files\": [ { ]\n}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		dir, args := project(t, "a.txt", numbers)
		n := nvimtest.Start(t, version, nvimtest.Dir(dir), nvimtest.Args(args...), nvimtest.Env("XDG_CONFIG_HOME="+home))
		n.Exec(`require('acp').setup({ cmd = { ... }, settings = { nosuch = 1 } })`, nil, program)
		n.Input(":Acp health<CR>")
		n.WaitScreen("nosuch: unknown setting")
		var report string
		n.Exec(`return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), ' ')`, &report)
		report = strings.Join(strings.Fields(report), " ") // it is wrapped
		for _, want := range []string{"WARNING " + file + ": line 2, column 16: invalid character", "WARNING editor: nosuch: unknown setting"} {
			if got := strings.Count(report, want); got != 1 {
				t.Errorf("%q stands %d times in the report:\n%s", want, got, report)
			}
		}
	})
}

// What is unknown in the settings of setup() is said with the first :Acp.
func TestUnknownSettingsAreSaid(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		program, err := build()
		if err != nil {
			t.Fatal(err)
		}
		dir, args := project(t, "a.txt", numbers)
		n := nvimtest.Start(t, version, nvimtest.Dir(dir), nvimtest.Args(args...))
		n.Exec(`require('acp').setup({ cmd = { ... }, settings = { nosuch = 1, agents = { mine = { cmd = 'x' } } } })`, nil, program)
		n.Input(":Acp<CR>")
		n.WaitScreen("acp: Settings: ")
		n.WaitScreen("editor: nosuch: unknown setting")
		n.WaitScreen("agents.mine.cmd")
	})
}

// An agent that never answers when it is started is said not to, and its start can be stopped.
func TestAgentThatNeverAnswers(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		program, err := build()
		if err != nil {
			t.Fatal(err)
		}
		dir, args := project(t, "a.txt", numbers)
		n := nvimtest.Start(t, version, nvimtest.Dir(dir), nvimtest.Args(args...))
		n.Exec(`require('acp').setup({ cmd = { ... }, settings = { agents = { deaf = { command = 'sleep', args = { '1000' } } } } })`, nil, program)
		n.Input(":Acp new deaf<CR>")
		n.WaitScreen("deaf has not answered for 5s")
		n.Input(":Acp stop<CR>")
		n.WaitScreen("you stopped deaf before it was ready")
	})
}

// An agent's stop leaves a mark.
func TestStopped(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setupReal(t, version, "a.txt", numbers)
		e.Input("irun sleep 1000<Esc><CR>")
		e.answer("1")
		e.WaitScreen("● sleep 1000")
		e.Input(":Acp stop<CR>")
		e.idle()
		e.WaitGone("● sleep 1000")
		e.WaitScreen("· stopped: you cancelled the turn")
	})
}

// A file the user has not saved yet is the user's, whatever an agent does in it.
func TestOwnNewFile(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setupReal(t, version, "a.txt", numbers)
		e.Input("<C-w>h:e own.go<CR>ipackage own<CR><CR>func count() int { return 1 }<Esc>")
		e.Input(":Acp send rename count to total in @own.go<CR>")
		e.WaitScreen("func total() int")
		e.WaitScreen("1/1 demo")
		e.idle()
		if _, _, ok := e.Find("new file"); ok {
			t.Error("it is shown as a new file")
		}
		e.Input("<C-w>h]h")
		e.WaitScreen("gha accept")
		e.Input("ghr")
		e.WaitScreen("func count() int")
		e.WaitGone("1/1 demo")
	})
}

// What a formatter does when an agent's change is saved is decided on too. A rejection brings
// the file back to the byte, and is one step of undo.
func TestRealFormatted(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		const before, after = "count := 1  \n\ta\n\tb\n\tc\n\td   \n", "total := 1\n\ta\n\tb\n\tc\n\td\n"
		e := setupReal(t, version, "a.txt", before)
		e.Exec(`vim.api.nvim_create_autocmd('BufWritePre', { callback = function()
			vim.cmd([[keepjumps keeppatterns %s/\s\+$//e]]) end })`, nil)
		hunks := func(n int) {
			t.Helper()
			e.WaitLua(fmt.Sprintf(`require('acp.review').count() == %d`, n))
		}
		disk := func(want string) {
			t.Helper()
			e.WaitLua(`not vim.bo.modified`)
			if got, _ := os.ReadFile(e.path("a.txt")); string(got) != want {
				t.Errorf("the disk has %q, want %q", got, want)
			}
		}
		e.Input("<C-w>h")
		e.prompt("rename count to total in @a.txt")
		e.buffer(after)
		e.idle()
		hunks(2)
		disk(after)
		e.Input(":Acp reject-all<CR>")
		e.buffer(before)
		hunks(0)
		disk(before)
		e.Input("u")
		e.buffer(after)
		hunks(2)
		e.Input(":Acp reject-all<CR>")
		e.buffer(before)
		hunks(0)
	})
}

// prompt sends one, with no key being pressed.
func (e *env) prompt(text string) {
	e.t.Helper()
	e.Exec(`require('acp').prompt(...)`, nil, text)
}

// buffer waits until the text of the current buffer is as wanted.
func (e *env) buffer(want string) {
	e.t.Helper()
	ok := e.UntilLua(`local want = ...
		return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n') .. '\n' == want`, want)
	if !ok {
		e.t.Fatalf("the text is %q, want %q", e.Text(0)+"\n", want)
	}
}

// An agent that edits while an insertion in several rows is under way gets its edit
// in when that has ended.
func TestRealEditWaits(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setupReal(t, version, "a.txt", numbers)
		e.Input("<C-w>h5G0<C-v>3jIXX")
		e.WaitScreen("XXfive")
		e.prompt(`insert "zero" at line 1 in @a.txt`)
		e.WaitLua("require('acp.typing').held() == 1")
		e.Input("YY<Esc>")
		e.buffer("zero\none\ntwo\nthree\nfour\nXXYYfive\nXXYYsix\nXXYYseven\nXXYYeight\n")
		e.idle()
		e.WaitScreen("1/1 demo")

		e.Input("3Gd")
		e.prompt(`insert "top" at line 1 in @a.txt`)
		e.WaitLua("require('acp.typing').held() == 1")
		e.Input("j")
		e.buffer("top\nzero\none\nfour\nXXYYfive\nXXYYsix\nXXYYseven\nXXYYeight\n")
		e.idle()
	})
}

// A row that an agent deletes while somebody types in it: either they have typed, and
// the agent is told, or what they type next stands by itself.
func TestRealRowTakenAway(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setupReal(t, version, "a.txt", numbers)
		e.Exec(`require('acp.typing').pause = 1e8`, nil)
		e.Input("<C-w>h3GA")
		e.WaitLua(`vim.fn.mode() == 'i'`)
		e.prompt(`delete line 3 in @a.txt`)
		e.WaitLua("require('acp.typing').held() == 1")
		e.Input(" mine<Esc>")
		e.WaitScreen("lines (line 3) since") // the agent is told, and decides anew
		e.idle()
		e.WaitScreen("three mine   1/1 demo")
		e.Input(":Acp reject-all<CR>")
		e.buffer("one\ntwo\nthree mine\nfour\nfive\nsix\nseven\neight\n")

		e.Exec(`require('acp.typing').pause = 0`, nil)
		e.Input("GA!")
		e.WaitScreen("eight!")
		e.prompt(`delete line 8 in @a.txt`)
		e.buffer("one\ntwo\nthree mine\nfour\nfive\nsix\nseven\n") // on the screen it is still shown, as taken away
		e.idle()
		e.Input("mine too<Esc>")
		e.buffer("one\ntwo\nthree mine\nfour\nfive\nsix\nseven\nmine too\n")
	})
}

// A buffer that is saved as another file, or given another name, has its hunks there too; those
// of the first file stay.
func TestRealSavedAs(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		for _, command := range []string{"saveas", "file"} {
			e := setupReal(t, version, "a.txt", numbers)
			e.prompt(`replace "two" with "TWO" in @a.txt`)
			e.WaitLua(`require('acp.review').count() > 0`)
			e.idle()
			e.Input("<C-w>h:" + command + " c.txt<CR>")
			e.WaitLua(`vim.fn.expand('%:t') == 'c.txt'`)
			e.WaitLua(`#require('acp.review').files() == 2`)
			e.WaitScreen("TWO   1/1 demo")
			e.Input("2Gghr")
			e.buffer(numbers)
			e.WaitLua(`#require('acp.review').files() == 1`)
			if disk, err := os.ReadFile(e.path("a.txt")); err != nil || !strings.Contains(string(disk), "TWO") {
				t.Errorf("%s: a.txt has %q (%v)", command, disk, err)
			}
		}
	})
}

// What could not be saved is not changed: neither by the agent, nor by a decision, and it is said.
func TestRealReadOnly(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		for _, option := range []string{"readonly", "nomodifiable"} {
			e := setupReal(t, version, "a.txt", numbers)
			e.Input("<C-w>h:set " + option + "<CR><C-w>l")
			e.prompt(`replace "two" with "TWO" in @a.txt`)
			e.idle()
			e.WaitScreen("a.txt was not changed: it is")
			e.WaitScreen("'" + option + "' is set")
			e.Input("<C-w>h")
			e.buffer(numbers)
			e.Input(":set noreadonly modifiable<CR><C-w>l")
			e.prompt(`replace "two" with "TWO" in @a.txt`)
			e.WaitLua(`require('acp.review').count() > 0`)
			e.idle()
			e.Input("<C-w>h:set " + option + "<CR>2Gghr")
			e.WaitLua(`vim.fn.execute('messages'):find("a.txt was not changed: it is read-only: '` + option + `' is set", 1, true) ~= nil`)
			e.WaitLua(`require('acp.review').count() == 1`)
			e.Input(":set noreadonly modifiable<CR>2Gghr")
			e.buffer(numbers)
			e.WaitLua("not vim.bo.modified")
			if disk, err := os.ReadFile(e.path("a.txt")); err != nil || string(disk) != numbers {
				t.Errorf("a.txt has %q (%v)", disk, err)
			}
		}
	})
}

// What the agent's last turn has changed is taken back, accepted as it may be, or what the
// whole session has; which files it was is said.
func TestRealUndo(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setupReal(t, version, "a.txt", numbers, "b.txt", numbers)
		turn := func(text string) {
			t.Helper()
			e.prompt(text)
			e.WaitLua(`require('acp.review').count() > 0`)
			e.idle()
			e.Input(":Acp accept-all<CR>")
			e.WaitLua(`require('acp.review').count() == 0`)
		}
		e.Input(":Acp undo<CR>")
		e.WaitScreen("nothing to undo: there was no turn yet")
		turn(`replace "two" with "TWO" in @a.txt`)
		turn(`replace "six" with "SIX" in @b.txt`)
		e.Input("<C-w>hGotyped<Esc>")
		e.buffer("one\nTWO\nthree\nfour\nfive\nsix\nseven\neight\ntyped\n")
		e.Input(":Acp undo nothing<CR>")
		e.WaitLua(`vim.fn.execute('messages'):find('undo what?', 1, true) ~= nil`) // another message may be in its place by now
		e.Input(":Acp undo<CR>")
		e.WaitScreen("the last turn undone in b.txt")
		if disk, err := os.ReadFile(e.path("b.txt")); err != nil || string(disk) != numbers {
			t.Errorf("b.txt has %q (%v)", disk, err)
		}
		e.Input(":Acp undo turn<CR>")
		e.WaitScreen("nothing is left of the last turn")
		e.Input(":Acp undo session<CR>")
		e.WaitScreen("the session undone in a.txt")
		e.buffer(numbers + "typed\n")
		e.WaitLua(`require('acp.review').count() == 0`)

		// Files in which the user has to settle something are named too.
		e.Input(":Acp send " + `replace "six" with "VI" in @b.txt` + "<CR>")
		e.WaitLua(`require('acp.review').count() > 0`)
		e.idle()
		e.Input(":Acp accept-all<CR>")
		e.WaitLua(`require('acp.review').count() == 0`)
		e.Input(":edit b.txt<CR>/VI<CR>ccours<Esc>")
		e.WaitLua(`vim.fn.getline('.') == 'ours'`)
		e.Input(":Acp undo<CR>")
		e.WaitScreen("the last turn undone, with 1 conflict to settle in b.txt")
	})
}

// The bytes of a file are what the user and the agent have made them: also of one
// without any, and of one without a line end at its end.
func TestRealBytes(t *testing.T) {
	cases := []struct{ text, prompt, want string }{
		{"", `append "one" in @a.txt`, "one\n"},
		{"one", `append "two" in @a.txt`, "one\ntwo"},
		{"one\ntwo", `delete line 2 in @a.txt`, "one"},
		{"one\ntwo", `replace "one" with "three" in @a.txt`, "three\ntwo"},
		{"one\r\ntwo\r\n", `append "three" in @a.txt`, "one\r\ntwo\r\nthree\r\n"},
		{"one\n\n", `delete line 1 in @a.txt`, "\n"},
		{"one\n", `delete line 1 in @a.txt`, ""},
	}
	eachVersion(t, func(t *testing.T, version string) {
		for _, c := range cases {
			t.Run(fmt.Sprintf("%q", c.text), func(t *testing.T) {
				e := setupReal(t, version, "a.txt", c.text)
				e.prompt(c.prompt)
				e.WaitLua(`require('acp.chat').current().info.stopReason ~= nil`)
				e.idle()
				disk, err := os.ReadFile(e.path("a.txt")) // saved, as it was clean before
				if err != nil || string(disk) != c.want {
					t.Errorf("%s: the disk has %q (%v), want %q", c.prompt, disk, err, c.want)
				}
				e.Input("<C-w>h:Acp reject-all<CR>")
				e.WaitLua(`require('acp.review').count() == 0`)
				e.Input(":w<CR>")
				e.WaitLua(`not vim.bo.modified`)
			})
		}
	})
}

// Neovim tells of a write also when it has come to nothing, or went elsewhere: what was typed
// is as unsaved as before, and stays.
func TestRealUnwritten(t *testing.T) {
	const dirty = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\ntyped\n"
	const theirs = "one\ntwo outside\nthree\nfour\nfive\nsix\nseven\neight\n" // comes in when a turn begins
	outside := func(e *env) {
		if err := os.WriteFile(e.path("a.txt"), []byte(theirs), 0o600); err != nil {
			e.t.Fatal(err)
		}
	}
	cases := []struct {
		name string
		save func(e *env)
		disk string // in the end
	}{
		{"a copy", func(e *env) { e.press(":w other.txt<CR>") }, numbers},
		{"appended elsewhere", func(e *env) { e.press(":w >> b.txt<CR>") }, numbers},
		{"refused", func(e *env) {
			outside(e)
			e.Input(":w<CR>")
			e.WaitScreen("Do you really want to write to it")
			e.Input("n<CR>")
			e.press("<Esc>")
		}, theirs},
		{"failed", func(e *env) {
			e.press(":au BufWritePre * ++once call rename(expand('%:p'), 'b.txt') | call mkdir(expand('%:p'))<CR>:silent! w<CR>")
			e.press(":call delete(expand('%:p'), 'd') | call rename('b.txt', expand('%:p'))<CR>")
			outside(e)
		}, theirs},
	}
	eachVersion(t, func(t *testing.T, version string) {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				e := setupReal(t, version, "a.txt", numbers, "b.txt", "b\n")
				e.prompt("what can you do")
				e.WaitLua(`require('acp.chat').current().info.stopReason ~= nil`)
				e.Input("<C-w>hGotyped<Esc>")
				e.buffer(dirty)
				c.save(e)
				e.WaitLua("vim.bo.modified")
				e.prompt(`replace "six" with "SIX" in @a.txt`)
				e.WaitScreen("1/1 demo")
				e.idle()
				e.buffer(strings.Replace(c.disk, "six", "SIX", 1) + "typed\n")
				if c.disk == theirs {
					e.WaitLua(`vim.iter(vim.api.nvim_list_bufs()):any(function(b)
						return table.concat(vim.api.nvim_buf_get_lines(b, 0, -1, false), ' '):gsub('%s+', ' '):find('into your unsaved text', 1, true) ~= nil
					end)`)
				}
				disk, err := os.ReadFile(e.path("a.txt"))
				if err != nil || string(disk) != c.disk {
					t.Errorf("the disk has %q (%v)", disk, err)
				}
				e.WaitLua("vim.bo.modified")
			})
		}
	})
}

// A file that changes on disk under unsaved text while no agent works is the user's own
// affair: Neovim asks them, as ever.
func TestRealOutsideChangeIsAsked(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setupReal(t, version, "a.txt", numbers)
		e.prompt("what can you do")
		e.WaitLua(`require('acp.chat').current().info.stopReason ~= nil`)
		e.idle()
		e.Input("<C-w>hGotyped<Esc>")
		e.WaitScreen("typed")
		if err := os.WriteFile(e.path("a.txt"), []byte("one\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		e.Input(":checktime<CR>")
		e.WaitScreen("W12")
		e.Input("o")
		e.press("<Esc>")
		e.buffer(numbers + "typed\n")
	})
}

// What is typed in a hunk and decided in the same breath is decided.
func TestRealDecidedWhileTyping(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setupReal(t, version, "a.txt", numbers)
		e.Input("<C-w>h")
		for _, c := range []struct{ keys, want string }{
			{"2GA mine<Esc>ghr", "one\ntwo mine\nthree\nfour\nfive\nsix\nseven\neight\n"},
			{"2GA mine<Esc>ghR", "one\ntwo mine\nthree\nfour\nfive\nsix\nseven\neight\n"},
			{"2GA y<Esc>gha", "one\n2 two y\nthree\nfour\nfive\nsix\nseven\neight\n"},
		} {
			e.setText(numbers)
			e.prompt(`replace "two" with "2 two" in @a.txt`)
			e.WaitScreen("1/1 demo")
			e.idle()
			e.press(c.keys)
			e.WaitLua(`require('acp.review').count() == 0`)
			e.buffer(c.want)
		}
	})
}
