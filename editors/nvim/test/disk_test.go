package nvim_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// write makes a file of the project what somebody else has written.
func (e *env) write(name, text string) {
	e.t.Helper()
	if err := os.WriteFile(e.path(name), []byte(text), 0o600); err != nil {
		e.t.Fatal(err)
	}
}

// disk is what a file of the project holds.
func (e *env) disk(name string) string {
	e.t.Helper()
	b, err := os.ReadFile(e.path(name))
	if err != nil {
		e.t.Fatal(err)
	}
	return string(b)
}

// A buffer that was opened before there was a file of its name: when one appears, nobody is asked
// about it, and neither it nor what was typed is lost.
func TestFileOfNewBufferAppears(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		e.Input("<C-w>h:e clean.txt<CR>")
		e.awaitText(e.uri("clean.txt"), "")
		e.write("clean.txt", "one\ntwo\n")
		var reloaded struct{ Reloaded bool }
		e.call("acp/reload", map[string]any{"uri": e.uri("clean.txt")}, &reloaded)
		if !reloaded.Reloaded {
			t.Error("not reloaded")
		}
		e.awaitText(e.uri("clean.txt"), "one\ntwo\n")
		e.Input("x")
		e.awaitText(e.uri("clean.txt"), "ne\ntwo\n")
		e.Input(":w<CR>")
		e.WaitLua("not vim.bo.modified")
		if got := e.disk("clean.txt"); got != "ne\ntwo\n" {
			t.Errorf("the disk has %q", got)
		}

		e.Input(":e dirty.txt<CR>imine")
		v := e.awaitText(e.uri("dirty.txt"), "mine\n")
		e.Input("<Esc>:w copy.txt<CR>") // it has no file for that
		e.WaitLua(`vim.uv.fs_stat('copy.txt') ~= nil`)
		e.write("dirty.txt", "theirs\n")
		var saved struct{ Saved bool }
		e.call("acp/save", map[string]any{"uri": e.uri("dirty.txt")}, &saved)
		if got := e.disk("dirty.txt"); saved.Saved || got != "theirs\n" {
			t.Errorf("saved is %v, the disk has %q", saved.Saved, got)
		}
		e.Input("A ")
		v = max(v, e.awaitText(e.uri("dirty.txt"), "mine \n"))
		var adopted struct{ Adopted bool }
		e.call("acp/adopt", map[string]any{"uri": e.uri("dirty.txt"), "version": v, "text": "mine \ntheirs\n"}, &adopted)
		if !adopted.Adopted {
			t.Error("not adopted")
		}
		e.Input("all") // keys of Neovim's question
		e.awaitText(e.uri("dirty.txt"), "mine all\ntheirs\n")
		e.Input("<Esc>:w<CR>")
		e.WaitLua("not vim.bo.modified")
		if got := e.disk("dirty.txt"); got != "mine all\ntheirs\n" {
			t.Errorf("the disk has %q", got)
		}
		e.Input("u") // as after any other reload
		e.awaitText(e.uri("dirty.txt"), "mine \ntheirs\n")
		e.Input("u")
		e.awaitText(e.uri("dirty.txt"), "mine \n")
	})
}

// What is unsaved need not be text: line ends, a byte order mark, an encoding, or nothing after
// all. An agent's work comes in beside it, Neovim does not ask when it is saved, and only the
// user saves it.
func TestUnsavedOptions(t *testing.T) {
	cases := []struct {
		name, keys string
		was        string // that the file is, with LF
		becomes    *strings.Replacer
	}{
		{"dos", ":set ff=dos<CR>", "one\ntwo\nthree\n", strings.NewReplacer("\n", "\r\n")},
		{"unix", ":set ff=unix<CR>", "one\r\ntwo\r\nthree\r\n", strings.NewReplacer("\r\n", "\n")},
		{"bomb", ":set bomb<CR>", "one\ntwo\nthree\n", strings.NewReplacer("one", "\ufeffone")},
		{"latin1", ":set fenc=latin1<CR>", "\u00f6ne\ntwo\nthree\n", strings.NewReplacer("\u00f6", "\xf6")},
		{"nothing", "Gox<Esc>dd", "one\ntwo\nthree\n", strings.NewReplacer()},
	}
	eachVersion(t, func(t *testing.T, version string) {
		for _, c := range cases {
			for _, how := range []string{"disk", "write"} {
				if how == "write" && c.name != "dos" && c.name != "unix" {
					continue // of the others acp-ls knows nothing, and Neovim has it save them
				}
				t.Run(c.name+" "+how, func(t *testing.T) {
					theirs := strings.Replace(c.was, "two", "TWO", 1)
					s := newStory(t, version, &txtar.Archive{Files: []txtar.File{
						{Name: "a.txt", Data: []byte(c.was)},
						{Name: "agent/theirs", Data: []byte(theirs)},
					}})
					s.do("open", "a.txt")
					s.Input(c.keys)
					s.WaitLua("vim.bo.modified")
					s.do("agent", "read a.txt")
					s.do("agent", how+" a.txt theirs")
					s.turn()
					s.WaitLua(`vim.fn.search('TWO', 'nw') > 0`)
					s.do("hunks", "1")
					disk := c.was
					if how == "disk" {
						disk = theirs
					}
					if c.name != "nothing" {
						s.WaitLua("vim.bo.modified")
						s.awaitDisk("a.txt", disk)
					}
					s.Input(":w<CR>")
					s.WaitLua("not vim.bo.modified")
					if got, want := s.disk("a.txt"), c.becomes.Replace(theirs); got != want {
						t.Errorf("the disk has %q, want %q", got, want)
					}
					s.Input(":Acp reject-all<CR>")
					s.do("hunks", "0")
					s.awaitDisk("a.txt", c.becomes.Replace(c.was))
				})
			}
		}
	})
}

// awaitDisk waits until a file of the story holds a text.
func (s *story) awaitDisk(name, want string) {
	s.t.Helper()
	if !s.UntilLua(`local path, want = ...
		local f = io.open(path, 'rb')
		local text = f and f:read('*a')
		return (f and f:close()) and text == want`, s.path(name), want) {
		s.t.Fatalf("%s has %q, want %q", name, s.disk(name), want)
	}
}

// disk is what a file of the story holds.
func (s *story) disk(name string) string {
	s.t.Helper()
	b, err := os.ReadFile(s.path(name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

// The file of a buffer is deleted, which is said, and brought back: to save the buffer is nothing
// to ask about.
func TestFileIsBack(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		for _, typed := range []string{"", "my "} {
			for _, back := range []string{"reject-all", "reject-file", "undo"} {
				t.Run(back+" "+typed, func(t *testing.T) {
					s := newStory(t, version, &txtar.Archive{Files: []txtar.File{{Name: "a.txt", Data: []byte(numbers)}}})
					s.do("open", "a.txt")
					if typed != "" {
						s.do("type", "1 "+typed)
					}
					s.do("agent", "remove a.txt")
					s.turn()
					s.WaitScreen("a.txt is deleted: :Acp reject-file restores it")
					s.Input(":Acp " + back + "<CR>")
					s.awaitDisk("a.txt", numbers)
					s.WaitLua("#require('acp.review').files() == 0")
					if back == "undo" {
						s.WaitScreen("undone")
					}
					if typed == "" {
						s.do("type", "2 my ")
					}
					want := s.Text(0) + "\n"
					s.Input(":w<CR>")
					s.WaitLua("not vim.bo.modified")
					s.awaitDisk("a.txt", want)
				})
			}
		}
	})
}

// The same where acp-ls was killed, or started anew, meanwhile: what is undecided comes back.
func TestFileIsBackAfterARestart(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		for _, typed := range []string{"", "my "} {
			for _, killed := range []bool{false, true} {
				t.Run(fmt.Sprintf("killed %v %s", killed, typed), func(t *testing.T) {
					s := newStory(t, version, &txtar.Archive{Files: []txtar.File{{Name: "a.txt", Data: []byte(numbers)}}})
					s.do("open", "a.txt")
					if typed != "" {
						s.do("type", "1 "+typed)
					}
					s.do("agent", "remove a.txt")
					s.turn()
					s.WaitScreen("a.txt is deleted: :Acp reject-file restores it")
					if killed {
						s.Exec(`for _, pid in ipairs(vim.api.nvim_get_proc_children(vim.fn.getpid())) do vim.uv.kill(pid, 'sigkill') end`, nil)
						s.WaitLua("not require('acp.client').running()")
					}
					text := s.Text(0)
					s.Input(":Acp restart<CR>")
					s.WaitScreen("1 change of an earlier run waits in 1 file")
					s.WaitLua("#require('acp.review').files() == 1")
					s.Input(":Acp reject-all<CR>")
					s.awaitDisk("a.txt", numbers)
					s.WaitLua("#require('acp.review').files() == 0")
					if got := s.Text(0); got != text {
						t.Errorf("text %q, was %q", got, text)
					}
				})
			}
		}
	})
}

// An agent has changed what an open file holds and whether it may be run. To take that back, or to
// take back either, is nothing about which the editor has to be asked, and the file is what it was.
func TestModeAndText(t *testing.T) {
	const edit, chmod = "sed -i s/two/TWO/ a.txt", "chmod 700 a.txt"
	eachVersion(t, func(t *testing.T, version string) {
		for name, commands := range map[string][]string{
			"text and mode": {edit, chmod}, "mode and text": {chmod, edit}, "at once": {edit + "; " + chmod}, "mode": {chmod}, "text": {edit},
		} {
			for _, typed := range []string{"", "my "} {
				for _, back := range []string{"reject-all", "undo"} {
					t.Run(name+" "+typed+back, func(t *testing.T) {
						s := newStory(t, version, &txtar.Archive{Files: []txtar.File{{Name: "a.txt", Data: []byte(numbers)}}})
						s.do("open", "a.txt")
						for _, command := range commands {
							s.do("agent-run", command)
						}
						s.turn()
						s.WaitLua("#require('acp.review').files() == 1")
						want := numbers
						if typed != "" {
							s.do("type", "5 "+typed)
							want = strings.Replace(want, "five", typed+"five", 1)
						}
						s.Input(":Acp " + back + "<CR>")
						s.WaitLua("#require('acp.review').files() == 0")
						if back == "undo" {
							s.WaitScreen("undone")
						}
						if typed != "" { // what is unsaved is the user's to save
							s.Input(":checktime<CR>:w<CR>")
						}
						s.awaitDisk("a.txt", want)
						s.WaitLua("not vim.bo.modified and vim.fn.mode() == 'n'")
						if info, err := os.Stat(s.path("a.txt")); err != nil || info.Mode().Perm() != 0o600 {
							t.Errorf("the file is %v, %v", info.Mode(), err)
						}
						if got := s.Text(0) + "\n"; got != want {
							t.Errorf("the buffer has %q, want %q", got, want)
						}
					})
				}
			}
		}
	})
}

// An agent moves the file of a buffer and leaves a link there. What the user saves goes through that;
// and it stays in the file that comes back when the link is rejected.
func TestTypedInALink(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		for _, read := range []bool{false, true} {
			for _, unsaved := range []string{"", "unsaved "} {
				t.Run(fmt.Sprintf("read %v %s", read, unsaved), func(t *testing.T) {
					s := newStory(t, version, &txtar.Archive{Files: []txtar.File{{Name: "a.txt", Data: []byte(numbers)}}})
					s.do("open", "a.txt")
					s.do("agent-run", "mkdir to; mv a.txt to; ln -s to/a.txt a.txt; sed -i s/two/TWO/ to/a.txt")
					s.turn()
					s.WaitScreen("a.txt")
					if read {
						s.Input(":edit!<CR>")
						s.WaitScreen("TWO")
					}
					s.do("type", "5 my ")
					s.Input(":w!<CR>")
					s.WaitLua("not vim.bo.modified")
					want := strings.Replace(numbers, "five", "my five", 1)
					saved := want
					if unsaved != "" {
						s.do("type", "7 "+unsaved)
						want = strings.Replace(want, "seven", unsaved+"seven", 1)
					}
					link := `vim.iter(require('acp.review').files()):any(function(f) return vim.inspect(f):find('link', 1, true) end)`
					s.WaitLua(link)
					s.Input(":Acp reject-all<CR>")
					s.WaitLua("not " + link) // what was saved through it stays undecided if nobody has looked yet
					s.awaitDisk("a.txt", saved)
					if !s.UntilLua(`return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n') .. '\n' == ...`, want) {
						t.Fatalf("the buffer has %q, want %q", s.Text(0), want)
					}
					s.WaitLua("vim.bo.modified == " + fmt.Sprint(unsaved != ""))
					s.do("type", "1 on ")
					s.Input(":w<CR>")
					s.awaitDisk("a.txt", "on "+want)
					s.WaitLua("not vim.bo.modified and vim.fn.mode() == 'n'")
				})
			}
		}
	})
}
