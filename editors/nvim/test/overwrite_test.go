package nvim_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// The autocommands of plugins that save what is typed: at once, and a moment later.
var autosaves = map[string]string{
	"by hand": "",
	"at once": `vim.api.nvim_create_autocmd({ 'InsertLeave', 'TextChanged', 'TextChangedI' }, { nested = true, callback = function()
		if vim.bo.buftype == '' then vim.cmd('silent! update') end end })`,
	"later": `vim.api.nvim_create_autocmd({ 'InsertLeave', 'TextChanged', 'TextChangedI' }, { callback = function(args)
		vim.defer_fn(function()
			if vim.bo[args.buf].buftype == '' and vim.bo[args.buf].modified then
				vim.api.nvim_buf_call(args.buf, function() vim.cmd('silent! write') end)
			end
		end, 20) end })`,
}

// What is written over a file that an agent has just written on disk has that in it, and
// Neovim does not ask: "y" would be its answer, and not what is typed.
func TestWriteOverAnAgentsFile(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		for name, autosave := range autosaves {
			for _, unsaved := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s %v", name, unsaved), func(t *testing.T) {
					p := startPerson(t, version, 1)
					want, disk := numbers, numbers
					if unsaved {
						p.press("3GA my<Esc>")
						want = strings.Replace(want, "three", "three my", 1)
					}
					p.Exec(autosave, nil)
					for _, word := range []string{"EIGHT", "EIGHTH"} {
						from := map[string]string{"EIGHT": "eight", "EIGHTH": "EIGHT"}[word]
						disk = strings.Replace(disk, from, word, 1)
						want = strings.Replace(want, from, word, 1)
						want = strings.Replace(want, "five", "five yes no", 1)
						if err := os.WriteFile(p.path("a.txt"), []byte(disk), 0o600); err != nil {
							t.Fatal(err)
						}
						if name == "by hand" {
							p.Input(":w<CR>")
						}
						p.Input("5GA yes no<Esc>")
						text := strings.Split(strings.TrimSuffix(want, "\n"), "\n")
						if !p.UntilLua("return vim.deep_equal(vim.api.nvim_buf_get_lines(0, 0, -1, false), ({...})[1])", text) {
							t.Fatalf("the text is %q, want %q", p.Text(0), want)
						}
						p.press(":w<CR>")
						disk = want
						if got, _ := os.ReadFile(p.path("a.txt")); string(got) != want {
							t.Errorf("the disk has %q, want %q", got, want)
						}
					}
					if base := p.baseline(); strings.Contains(base, "EIGHT") || !strings.Contains(base, "five yes no yes no") {
						t.Errorf("the baseline is %q", base)
					}
				})
			}
		}
	})
}

// An agent that writes after acp-ls was asked and before Neovim looks is asked about. The user says
// no and writes again, and both are in the file then.
func TestWriteInTheSameMoment(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		p := startPerson(t, version, 1)
		p.Exec(`local path, text = ...
			vim.api.nvim_create_autocmd('BufWritePre', { once = true, callback = function() -- behind ours
				local file = assert(io.open(path, 'w'))
				file:write(text)
				file:close()
			end })`, nil, p.path("a.txt"), strings.Replace(numbers, "eight", "EIGHT", 1))
		p.Input("3GA my<Esc>:w<CR>")
		p.WaitScreen("Do you really want to write to it")
		p.Input("n")
		p.WaitScreen("Press ENTER")
		p.Input("<CR>")
		p.WaitLua("vim.api.nvim_get_mode().mode == 'n'")
		p.press(":w<CR>")
		want := strings.NewReplacer("eight", "EIGHT", "three", "three my").Replace(numbers)
		if got, _ := os.ReadFile(p.path("a.txt")); string(got) != want || p.Text(0)+"\n" != want {
			t.Errorf("the disk has %q, the buffer %q, want %q", got, p.Text(0), want)
		}
		if base := p.baseline(); strings.Contains(base, "EIGHT") || !strings.Contains(base, "three my") {
			t.Errorf("the baseline is %q", base)
		}
	})
}

// An agent replaces a file right after Neovim has written it, which takes that for its own then: it is
// not written over, nor asked about.
func TestWriteOverWhatCameRightBehindAWrite(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		p := startPerson(t, version, 1)
		replaced := strings.NewReplacer("eight", "EIGHT", "three", "three my").Replace(numbers)
		p.Exec(`local path, text = ...
			vim.api.nvim_create_autocmd('BufWritePost', { once = true, buffer = 0, callback = function()
				local file = assert(io.open(path .. '.new', 'w'))
				file:write(text)
				file:close()
				assert(os.rename(path .. '.new', path))
			end })
			require('acp.disk').watch(0) -- behind that`, nil, p.path("a.txt"), replaced)
		p.Input("3GA my<Esc>:w<CR>ggOA row<Esc>:w<CR>")
		want := "A row\n" + replaced
		text := strings.Split(strings.TrimSuffix(want, "\n"), "\n")
		if !p.UntilLua("return not vim.bo.modified and vim.deep_equal(vim.api.nvim_buf_get_lines(0, 0, -1, false), ({...})[1])", text) {
			t.Fatalf("the text is %q, want %q", p.Text(0), want)
		}
		if got := p.disk("a.txt"); got != want {
			t.Errorf("the disk has %q, want %q", got, want)
		}
		if base := p.baseline(); strings.Contains(base, "EIGHT") || !strings.Contains(base, "A row") {
			t.Errorf("the baseline is %q", base)
		}
	})
}

// While the buffer cannot be changed it is not written over that, and Neovim does not ask either.
func TestNoWriteWhileNothingCanComeIn(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		for what, c := range map[string]struct{ begin, word, end, was, is string }{
			"replaced":              {"5GR", "yes no", "<Esc>", "five\n", "yes no\n"},
			"put into several":      {"5G<C-v>jI", "yes no ", "<Esc>", "five\nsix\n", "yes no five\nyes no six\n"},
			"put into a last row":   {"5G<C-v>I", "yes no ", "<Esc>", "five\n", "yes no five\n"},
			"changed in several":    {"5G<C-v>jc", "yes no ", "<Esc>", "five\nsix\n", "yes no ive\nyes no ix\n"},
			"appended to several":   {"5G<C-v>j$A", " yes no", "<Esc>", "five\nsix\n", "five yes no\nsix yes no\n"},
			"typed before a motion": {"5GAx<Esc>d", "", "d", "five\n", ""},
		} {
			for name, autosave := range autosaves {
				t.Run(what+" "+name, func(t *testing.T) {
					p := startPerson(t, version, 1)
					p.Exec(autosave, nil)
					p.Input(c.begin)
					p.WaitLua("vim.api.nvim_get_mode().mode ~= 'n'") // and what is saved by itself has been
					disk := strings.Replace(numbers, "two", "TWO", 1)
					if err := os.WriteFile(p.path("a.txt"), []byte(disk), 0o600); err != nil {
						t.Fatal(err)
					}
					for _, key := range c.word {
						p.Input(string(key))
					}
					p.Input(c.end)
					want := strings.Replace(disk, c.was, c.is, 1)
					text := strings.Split(strings.TrimSuffix(want, "\n"), "\n")
					if !p.UntilLua("return vim.deep_equal(vim.api.nvim_buf_get_lines(0, 0, -1, false), ({...})[1])", text) {
						t.Fatalf("the text is %q, want %q", p.Text(0), want)
					}
					p.press(":w<CR>")
					if got, _ := os.ReadFile(p.path("a.txt")); string(got) != want {
						t.Errorf("the disk has %q, want %q", got, want)
					}
				})
			}
		}
	})
}

// What comes to the disk while no agent works is between Neovim and its user.
func TestWriteOverAnothersFile(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		e.awaitText(e.uri("a.txt"), numbers)
		if err := os.WriteFile(e.path("a.txt"), []byte("other\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		e.answers("textDocument/willSaveWaitUntil", nil)
		e.Input("<C-w>h3Gx:w<CR>")
		e.expect("textDocument/willSaveWaitUntil")
		e.WaitScreen("Do you really want to write to it")
		e.Input("n")
		e.WaitScreen("Press ENTER")
		e.Input("<CR>")
		e.WaitLua("vim.api.nvim_get_mode().mode == 'n'")
		if got, _ := os.ReadFile(e.path("a.txt")); string(got) != "other\n" {
			t.Errorf("the disk has %q", got)
		}
		e.Input(":w!<CR>") // that is an answer, too
		e.WaitLua("not vim.bo.modified")
	})
}

// What acp-ls says to have taken into the text by an edit is known to the buffer; what it knows
// nothing of is asked about, as ever.
func TestWriteOverWhatIsTakenIn(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		for _, taken := range []bool{true, false} {
			e := setup(t, version, "", "a.txt", numbers)
			var answer any
			if taken {
				answer = []any{}
			}
			e.answers("textDocument/willSaveWaitUntil", answer)
			e.open()
			e.notify("acp/session", info("running"))
			e.WaitScreen("● working")
			e.Input("<C-w>h3Gx")
			want := strings.Replace(numbers, "three", "hree", 1)
			e.awaitText(e.uri("a.txt"), want)
			if err := os.WriteFile(e.path("a.txt"), []byte("other\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			e.Input(":w<CR>")
			e.expect("textDocument/willSaveWaitUntil")
			if !taken {
				e.WaitScreen("Do you really want to write to it")
				e.Input("n")
				e.WaitScreen("Press ENTER")
				e.Input("<CR>")
				continue
			}
			e.WaitLua("not vim.bo.modified")
			if got, _ := os.ReadFile(e.path("a.txt")); string(got) != want {
				t.Errorf("the disk has %q", got)
			}
			e.Input("uu") // the first one is of what was read, and changes nothing
			e.awaitText(e.uri("a.txt"), numbers)
		}
	})
}

// goesOn has the disk of a.txt go on when Neovim is about to read it, and has looked already
// whether it may.
func (e *env) goesOn(text, then string) {
	e.t.Helper()
	e.Exec(`local path, text, after = ...
		vim.api.nvim_create_autocmd('FileChangedShell', { callback = function()
			if vim.v.fcs_choice ~= 'reload' then return end -- it only looks
			local file = assert(io.open(path, 'w'))
			file:write(text)
			file:close()
			vim.schedule(function() pcall(vim.cmd, after) end)
			return true
		end })`, nil, e.path("a.txt"), text, then)
}

func sumOf(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// The disk goes on beside a text that was made of what it had before: that text is not taken, or is
// not written over what it lacks, whoever saves it, until what it lacks has come.
func TestWriteWhenTheDiskGoesOn(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		first := strings.Replace(numbers, "two\n", "two\nFIRST\n", 1)
		second := strings.Replace(first, "eight\n", "eight\nSECOND\n", 1)
		my := func(s string) string { return strings.Replace(s, "five", "five my", 1) }
		begin := func(t *testing.T) (*env, int) {
			e := setup(t, version, "", "a.txt", numbers)
			e.open()
			e.Exec(`local notify = vim.notify
				vim.notify = function(text, ...)
					Warned = Warned or text:find('is not written') ~= nil
					notify(text, ...)
				end`, nil)
			e.notify("acp/session", info("running"))
			e.WaitScreen("● working")
			e.Input("<C-w>h5GA my<Esc>")
			return e, e.awaitText(e.uri("a.txt"), my(numbers))
		}
		adopt := func(e *env, v int, disk, text string) bool {
			var got struct{ Adopted bool }
			e.call("acp/adopt", map[string]any{"uri": e.uri("a.txt"), "version": v, "text": text, "disk": sumOf(disk)}, &got)
			return got.Adopted
		}
		left := func(e *env, want string) {
			t.Helper()
			if got := e.disk("a.txt"); got != want {
				t.Errorf("the disk has %q, want %q", got, want)
			}
		}
		refused := func(e *env, writes ...string) {
			t.Helper()
			for _, write := range writes {
				e.Exec("Warned = false", nil)
				e.Input(write)
				e.WaitLua("Warned and vim.api.nvim_get_mode().mode == 'n' and vim.bo.modified")
				left(e, second)
			}
		}
		t.Run("before", func(t *testing.T) {
			e, v := begin(t)
			e.write("a.txt", second)
			if adopt(e, v, first, my(first)) {
				t.Error("adopted a text of what the disk had before")
			}
			e.Input(":w<CR>")
			e.WaitScreen("Do you really want to write to it")
			e.Input("n")
			e.WaitScreen("Press ENTER")
			e.Input("<CR>")
			e.WaitLua("vim.api.nvim_get_mode().mode == 'n'")
			left(e, second)
		})
		for _, end := range []string{"adopted", "bang", "idle"} {
			t.Run("while it is read "+end, func(t *testing.T) {
				e, v := begin(t)
				e.write("a.txt", first)
				e.goesOn(second, "")
				adopt(e, v, first, my(first))
				v = e.awaitText(e.uri("a.txt"), my(first))
				refused(e, ":w<CR>", ":silent! write<CR>", ":lua pcall(vim.cmd, 'silent! update')<CR>")
				e.expect("textDocument/willSaveWaitUntil")
				var saved struct{ Saved bool }
				e.call("acp/save", map[string]any{"uri": e.uri("a.txt")}, &saved)
				if saved.Saved {
					t.Error("saved")
				}
				left(e, second)
				switch end {
				case "adopted":
					if !adopt(e, v, second, my(second)) {
						t.Error("not adopted")
					}
					e.awaitText(e.uri("a.txt"), my(second))
					e.Input(":w<CR>")
					e.WaitLua("not vim.bo.modified")
					left(e, my(second))
				case "bang":
					e.Input(":w!<CR>")
					e.WaitLua("not vim.bo.modified")
					left(e, my(first))
				case "idle":
					e.notify("acp/session", info("idle"))
					e.WaitLua("not require('acp').working()")
					refused(e, ":w<CR>")
					e.Input(":w copy.txt<CR>")
					e.WaitLua("vim.uv.fs_stat('copy.txt') ~= nil")
				}
			})
		}
	})
}

// An agent writes once more while what it has written comes into the buffer, and the user writes at
// once: both are in the file then, and the agent's.
func TestWriteRightAfterAnAgentWritesTwice(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		p := startPerson(t, version, 1)
		first := strings.Replace(numbers, "two\n", "two\nFIRST\n", 1)
		second := strings.Replace(first, "eight\n", "eight\nSECOND\n", 1)
		p.press("5GA my<Esc>")
		p.goesOn(second, "silent write")
		p.env.write("a.txt", first)
		want := strings.Replace(second, "five", "five my", 1)
		text := strings.Split(strings.TrimSuffix(want, "\n"), "\n")
		if !p.UntilLua("return vim.deep_equal(vim.api.nvim_buf_get_lines(0, 0, -1, false), ({...})[1])", text) {
			t.Fatalf("the text is %q, want %q", p.Text(0), want)
		}
		p.press(":w<CR>")
		if got := p.disk("a.txt"); got != want {
			t.Errorf("the disk has %q, want %q", got, want)
		}
		if base := p.baseline(); strings.Contains(base, "FIRST") || strings.Contains(base, "SECOND") || !strings.Contains(base, "five my") {
			t.Errorf("the baseline is %q", base)
		}
	})
}

// touch gives a file of the project another time, as who writes it as it was does.
func (e *env) touch(name string) {
	e.t.Helper()
	e.touched++
	at := time.Now().Add(time.Duration(e.touched) * time.Hour)
	if err := os.Chtimes(e.path(name), at, at); err != nil {
		e.t.Fatal(err)
	}
}

// A file that has changed its time alone is asked about neither when the user writes it nor when
// acp-ls does, and the text is left alone: one undo takes back what was typed last.
func TestWriteOverATouchedFile(t *testing.T) {
	const text = "\u00f6ne\ntwo\nthree\n"
	dos := strings.ReplaceAll(text, "\n", "\r\n")
	cases := []struct{ name, text, set string }{
		{"lf.txt", text, ""},
		{"crlf.txt", dos, ""},
		{"mixed.txt", "\u00f6ne\r\ntwo\nthree\n", ""},
		{"noeol.txt", "\u00f6ne\ntwo", "nofixeol"},
		{"fixeol.txt", "\u00f6ne\ntwo", ""},
		{"bom.txt", "\ufeff" + dos, ""},
		{"latin1.txt", "\xf6ne\ntwo\n", ""},
		{"mac.txt", "one\rtwo\r", "ff=mac"},
		{"100% a.txt", text, ""},
	}
	eachVersion(t, func(t *testing.T, version string) {
		var files []string
		for _, c := range cases {
			files = append(files, c.name, c.text)
		}
		e := setup(t, version, "", files...)
		e.open()
		e.Input("<C-w>h")
		written := func(c string, mark string, what string) {
			t.Helper()
			e.WaitLua("not vim.bo.modified and vim.api.nvim_get_mode().mode == 'n'")
			if got := e.disk(c); !strings.Contains(got, mark+"two") || strings.Count(got, "mine ") != strings.Count(mark, "mine ") {
				t.Errorf("%s %s: the disk has %q", c, what, got)
			}
		}
		for i, c := range cases {
			e.notify("acp/session", info([]string{"idle", "running"}[i%2]))
			e.WaitLua([]string{"not ", ""}[i%2] + "require('acp').working()")
			e.Exec("vim.cmd.edit(vim.fn.fnameescape(...))", nil, c.name)
			if strings.HasPrefix(c.set, "ff=") {
				e.Input(":e ++" + c.set + "<CR>")
			} else if c.set != "" {
				e.Input(":setlocal " + c.set + "<CR>")
			}
			e.Input("2G0imine <Esc>")
			e.WaitLua("vim.bo.modified and vim.api.nvim_get_mode().mode == 'n'")
			e.touch(c.name)
			e.Input(":checktime<CR>:w<CR>")
			written(c.name, "mine ", "written")
			e.touch(c.name)
			e.Input("u")
			e.WaitLua("vim.bo.modified and vim.fn.getline(2) == 'two'")
			e.touch(c.name)
			var saved struct{ Saved bool }
			if e.call("acp/save", map[string]any{"uri": e.uri(strings.NewReplacer("%", "%25", " ", "%20").Replace(c.name)), "format": i%3 == 0}, &saved); !saved.Saved {
				t.Errorf("%s was not saved", c.name)
			}
			written(c.name, "", "saved")
			if got := e.disk(c.name); got != c.text {
				t.Errorf("%s has %q, want %q", c.name, got, c.text)
			}
			e.touch(c.name)
			e.Input("<C-r>")
			e.WaitLua("vim.bo.modified and vim.fn.getline(2) == 'mine two'")
			e.Input(":update<CR>")
			written(c.name, "mine ", "redone")
			var name string
			if e.Exec("return vim.fn.bufname()", &name); name != c.name {
				t.Errorf("%s is called %s", c.name, name)
			}
			e.touch(c.name)
			e.Input("u")
			e.WaitLua("vim.bo.modified")
			e.write(c.name, "other\n") // this is no mere touch
			e.notify("acp/session", info("idle"))
			e.WaitLua("not require('acp').working()")
			e.Input(":w<CR>")
			e.WaitScreen("Do you really want to write to it")
			e.Input("n")
			e.WaitScreen("Press ENTER")
			e.Input("<CR>")
			e.WaitLua("vim.api.nvim_get_mode().mode == 'n'")
			if got := e.disk(c.name); got != "other\n" {
				t.Errorf("%s has %q", c.name, got)
			}
			e.Input(":edit!<CR>")
			e.WaitLua("not vim.bo.modified")
		}
	})
}

// A file that was written after Neovim had looked at its time, as it opened it, and before it read it, is
// not asked about either, when the user writes it or acp-ls has it saved.
func TestWriteOverAFileReadAsItIsWritten(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		for _, who := range []string{"user", "acp-ls"} {
			e := setup(t, version, "", "a.txt", "one\n", "b.txt", "one\n")
			e.open()
			e.Input("<C-w>h")
			e.notify("acp/session", info("running"))
			e.WaitLua("require('acp').working()")
			e.Exec(`local path = ...
				vim.api.nvim_create_autocmd('BufReadPre', { pattern = '*/b.txt', callback = function()
					local file = assert(io.open(path .. '.new', 'w'))
					file:write('one\ntwo\n')
					file:close()
					vim.uv.fs_utime(path .. '.new', 1e9, 1e9)
					vim.uv.fs_rename(path .. '.new', path)
				end })
				vim.cmd.edit('b.txt')`, nil, e.path("b.txt"))
			e.Input("ggAmine <Esc>")
			e.WaitLua("vim.bo.modified and vim.api.nvim_get_mode().mode == 'n'")
			if who == "user" {
				e.Input(":w<CR>")
			} else {
				var saved struct{ Saved bool }
				if e.call("acp/save", map[string]any{"uri": e.uri("b.txt"), "format": false}, &saved); !saved.Saved {
					t.Error("it was not saved")
				}
			}
			e.WaitLua("not vim.bo.modified and vim.api.nvim_get_mode().mode == 'n'")
			if got := e.disk("b.txt"); got != "onemine \ntwo\n" {
				t.Errorf("written by %s: %q", who, got)
			}
		}
	})
}

// What an agent has written, and touched, can be rejected, written and undone.
func TestRejectInATouchedFile(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		p := startPerson(t, version, 1)
		theirs := strings.Replace(numbers, "eight", "EIGHT", 1)
		p.env.write("a.txt", theirs)
		p.WaitLua("require('acp.review').count() == 1 and not vim.bo.modified")
		p.touch("a.txt")
		p.Input("<Esc>:Acp reject-all<CR>")
		p.WaitLua("require('acp.review').count() == 0 and not vim.bo.modified")
		if got := p.disk("a.txt"); got != numbers {
			t.Errorf("the disk has %q", got)
		}
		p.touch("a.txt")
		p.Input("u:w<CR>")
		p.WaitLua("require('acp.review').count() == 1 and not vim.bo.modified")
		if got := p.disk("a.txt"); got != theirs {
			t.Errorf("the disk has %q", got)
		}
	})
}
