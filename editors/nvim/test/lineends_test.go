package nvim_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"acp-ls/internal/nvimtest"
)

// What an agent changes in a file of any line ends is shown, and what is rejected is the
// file again, byte for byte.
func TestLineEnds(t *testing.T) {
	files := []struct{ name, text, format string }{
		{"crlf.txt", "one\r\ntwo\r\nthree\r\n", ""},
		{"mostly-crlf.txt", "one\r\ntwo\nthree\r\nfour\r\n", ""},
		{"mostly-lf.txt", "one\ntwo\r\nthree\nfour\n", ""},
		{"no-end.txt", "one\r\ntwo\nthree\r\nfour", ""},
		{"cr.txt", "one\rtwo\rthree\r", ""},
		{"cr-and-lf.txt", "one\rtwo\r\nthree\r\rfour\n", ""},
		{"mac.txt", "one\rtwo\rthree\r", "mac"},
		{"mac-and-lf.txt", "one\rtwo\nx\rthree", "mac"},
	}
	eachVersion(t, func(t *testing.T, version string) {
		list := []string{"a.txt", numbers}
		for _, f := range files {
			list = append(list, f.name, f.text, "unsaved-"+f.name, f.text)
		}
		e := setupReal(t, version, list...)
		for _, f := range files {
			for _, dirty := range []bool{false, true} {
				open, name, want := "edit", f.name, f.text
				if f.format != "" {
					open += " ++ff=" + f.format
				}
				e.Input("<C-w>h")
				if dirty {
					name, want = "unsaved-"+name, "!"+want
				}
				e.Exec(`vim.cmd(...)
					vim.bo.fixendofline = false`, nil, open+" "+name)
				if dirty {
					e.Input("ggi!<Esc>")
					e.WaitLua(`vim.bo.modified and vim.fn.mode() == 'n'`)
				}
				e.rejectRename(name, f.text, want, dirty)
				e.Input("<C-w>l")
			}
		}
	})
}

// rejectRename has an agent change a word of the text in the window and rejects that.
// want is what the file holds when it is written then, was what it holds before.
func (e *env) rejectRename(name, was, want string, dirty bool) {
	e.t.Helper()
	disk := func() string {
		b, err := os.ReadFile(e.path(name))
		if err != nil {
			e.t.Fatal(err)
		}
		return string(b)
	}
	rows := e.Text(0)
	e.prompt("rename two to zwei in @" + name)
	e.WaitLua(`vim.fn.search('zwei', 'nw') > 0`)
	e.WaitScreen("1/1 demo")
	e.idle()
	if got := disk(); dirty && got != was {
		e.t.Errorf("%s: unsaved text was written: %q", name, got)
	}
	e.Input(":Acp reject-all<CR>")
	e.WaitGone("1/1 demo")
	e.WaitLua(`vim.fn.search('zwei', 'nw') == 0`)
	if got := e.Text(0); got != rows {
		e.t.Errorf("%s: rejected, the rows are %q, they were %q", name, got, rows)
	}
	e.Input(":write<CR>")
	e.WaitLua(`not vim.bo.modified`)
	if got := disk(); got != want {
		e.t.Errorf("%s: the disk has %q, want %q", name, got, want)
	}
	// Undo brings the agent's change back, to be decided on, and redo takes it away.
	e.Input("u")
	e.WaitScreen("1/1 demo")
	e.Input("<C-r>")
	e.WaitLua(`vim.fn.search('zwei', 'nw') == 0`)
	e.Exec(`vim.cmd('silent write')`, nil)
	if got := disk(); got != want {
		e.t.Errorf("%s: after undo and redo the disk has %q, want %q", name, got, want)
	}
}

// To turn the line ends of a buffer changes no line of it, and is told all the same; an edit that
// was made for the text before is not taken.
func TestLineEndsAreTurned(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		stale := e.awaitText(e.uri("a.txt"), numbers)
		crlf := strings.ReplaceAll(numbers, "\n", "\r\n")
		var known bool
		e.Exec(`local b, documents = vim.fn.bufnr('a.txt'), require('acp.documents')
			vim.bo[b].fileformat = 'dos'
			return documents.version(documents.by_buf(b)) ~= nil`, &known)
		if known {
			t.Error("an edit of the version before would be taken")
		}
		now := e.awaitText(e.uri("a.txt"), crlf)
		if now == stale {
			t.Error("it has the version of before")
		}
		if got := e.edit("a.txt", now, textEdit(1, 0, 2, 0, "TWO\r\n")); !got.Applied {
			t.Errorf("refused: %s", got.FailureReason)
		}
		e.awaitText(e.uri("a.txt"), strings.Replace(crlf, "two", "TWO", 1))
		if got := e.Text(0); strings.Contains(got, "\r") {
			t.Errorf("the buffer shows %q", got)
		}
	})
}

// What an agent makes of the line ends on disk, and of nothing else, is shown, as a hunk or as a
// change of the file, and rejected the file is what it was, byte for byte: one line end or all of
// them, at the end of the file, a byte order mark, beside other changes.
func TestLineEndsOnDisk(t *testing.T) {
	const dos, unix, mixed = "one\r\ntwo\r\nthree\r\nfour\r\n", "one\ntwo\nthree\nfour\n", "one\r\ntwo\nthree\r\nfour\r\n"
	cases := []struct{ name, had, has string }{
		{"one of dos", dos, "one\r\ntwo\nthree\r\nfour\r\n"},
		{"the last of dos", dos, "one\r\ntwo\r\nthree\r\nfour\n"},
		{"all of dos", dos, unix},
		{"one of mixed", mixed, "one\r\ntwo\nthree\nfour\r\n"},
		{"two of mixed trade places", mixed, "one\r\ntwo\r\nthree\nfour\r\n"},
		{"mixed to dos", mixed, dos},
		{"mixed to unix", mixed, unix},
		{"mark of dos", dos, "\ufeff" + dos},
		{"no mark of dos", "\ufeff" + dos, dos},
		{"final of dos", dos, strings.TrimSuffix(dos, "\r\n")},
		{"no final of dos", strings.TrimSuffix(dos, "\r\n"), dos},
		{"no final of dos, and one", strings.TrimSuffix(dos, "\r\n"), "one\r\ntwo\nthree\r\nfour"},
		{"final of mixed", mixed, strings.TrimSuffix(mixed, "\r\n")},
		{"beside a change", dos, "one\r\nTWO\nthree\r\nfour\r\n"},
		{"away from a change", dos, "one\r\ntwo\nthree\r\nFOUR\r\n"},
		{"all beside a change", dos, "one\nTWO\nthree\nfour\n"},
	}
	eachVersion(t, func(t *testing.T, version string) {
		for i, c := range cases {
			for j, how := range []string{"clean", "unsaved", "not open"} {
				if !isTurn(version, i+j) {
					continue
				}
				t.Run(c.name+", "+how, func(t *testing.T) {
					t.Parallel()
					s := newStory(t, version, &txtar.Archive{Files: []txtar.File{
						{Name: "a.txt", Data: []byte(c.had)}, {Name: "b.txt", Data: []byte("other\n")},
						{Name: "agent/has", Data: []byte(c.has)},
					}})
					s.Exec(`vim.o.fixendofline = false`, nil)
					s.do("open", map[bool]string{true: "b.txt", false: "a.txt"}[how == "not open"])
					var format, after string
					s.Exec(`return vim.bo.fileformat`, &format)
					want, told := c.had, true
					if how == "unsaved" {
						s.Input("Omine<Esc>")
						s.WaitLua("vim.bo.modified and vim.fn.mode() == 'n'")
						text, mark := strings.CutPrefix(c.had, "\ufeff")
						end := "\n"
						if strings.HasPrefix(text, dos[:10]) {
							end = "\r\n"
						}
						want = "mine" + end + text
						if mark {
							want = "\ufeff" + want
						}
						// Unsaved text keeps its kind of line ends, and that is said.
						told = c.name != "all of dos" && c.name != "all of unix"
					}
					s.do("agent", "disk a.txt has")
					s.turn()
					if told {
						s.WaitLua(`require('acp.review').count() > 0`)
					}
					if how == "unsaved" {
						s.Input(":w<CR>")
						s.WaitLua("not vim.bo.modified")
					} else if got := s.disk("a.txt"); got != c.has {
						t.Errorf("before anything was decided the disk has %q", got)
					}
					s.Input(":Acp reject-all<CR>")
					s.do("hunks", "0")
					s.awaitDisk("a.txt", want)
					if s.Exec(`return vim.bo.fileformat`, &after); after != format && format == "dos" {
						t.Errorf("rejected, the format is %s, and it was %s", after, format)
					}
				})
			}
		}
	})
}

// isTurn reports whether a version takes the n-th case of a test that has many, of which each takes
// every other one: each case starts an editor.
func isTurn(version string, n int) bool {
	return n%len(nvimtest.Versions) == slices.Index(nvimtest.Versions, version)
}

// Undo and redo turn the format of a buffer as they turn its text, where an agent's line ends have
// turned it: what is undone is what it was, to be decided on again, and to write it writes the bytes
// that belong to it.
func TestLineEndsAreUndone(t *testing.T) {
	const dos, unix = "one\r\ntwo\r\nthree\r\nfour\r\n", "one\ntwo\nthree\nfour\n"
	cases := []struct{ name, had, has string }{
		{"one of dos", dos, "one\r\ntwo\nthree\r\nfour\r\n"},
		{"all of dos", dos, unix},
		{"dos and a word", dos, "one\ntwo\nTHREE\nfour\n"},
		{"unix and a word", unix, "one\r\ntwo\r\nTHREE\r\nfour\r\n"},
		{"last of unix", unix, strings.TrimSuffix(unix, "\n")},
		{"none of unix", strings.TrimSuffix(unix, "\n"), unix},
		{"last of dos", dos, strings.TrimSuffix(dos, "\r\n")},
		{"last and a word", unix, "one\nTWO\nthree\nfour"},
	}
	const (
		none  = `require('acp.review').count() == 0`
		some  = `require('acp.review').count() > 0`
		typed = `vim.fn.search('mine', 'nw') > 0 and vim.fn.mode() == 'n'`
		away  = `vim.fn.search('mine', 'nw') == 0`
	)
	type step struct{ keys, until string }
	ways := []struct {
		name  string
		steps []step
		has   bool // what the agent made of the file is there afterwards
	}{
		{"undo", []step{{"u", none}}, false},
		{"redo", []step{{"ghR", none}, {"u", some}, {"<C-r>", none}}, false},
		{"undo again", []step{{"ghR", none}, {"u", some}, {"ghR", none}, {"u", some}}, true},
		{"undo and reject at once", []step{{"ghR", none}, {"ughR", none}}, false},
		{"undo and write", []step{{"ghR", none}, {":undo<Bar>write<CR>", some}}, true},
		{"typed in", []step{{"Omine<Esc>", typed}, {"ghR", none}, {"u", some}, {"u", away}}, true},
		{"the turn, accepted", []step{{":Acp accept-all<CR>", none}, {":Acp undo<CR>", "true"}}, false},
	}
	eachVersion(t, func(t *testing.T, version string) {
		for i, c := range cases {
			for j, way := range ways {
				if !isTurn(version, i+j) {
					continue
				}
				t.Run(c.name+" "+way.name, func(t *testing.T) {
					t.Parallel()
					s := newStory(t, version, &txtar.Archive{Files: []txtar.File{
						{Name: "a.txt", Data: []byte(c.had)}, {Name: "agent/has", Data: []byte(c.has)},
					}})
					s.do("open", "a.txt")
					s.Exec(`vim.o.fixendofline = false`, nil)
					s.do("agent", "disk a.txt has")
					s.turn()
					s.WaitLua(`require('acp.review').count() > 0`)
					var landed, rows string
					s.Exec(`return vim.bo.fileformat`, &landed)
					rows = s.Text(0)
					for _, step := range way.steps {
						s.Input(step.keys)
						s.WaitLua(step.until)
					}
					want, hunks := c.had, none
					if way.has {
						want, hunks = c.has, some
					}
					s.WaitLua(hunks)
					s.Input(":write<CR>")
					s.awaitDisk("a.txt", want)
					s.WaitLua(`not vim.bo.modified`)
					var format string
					if s.Exec(`return vim.bo.fileformat`, &format); way.has && format != landed {
						t.Errorf("the format is %s, and was %s", format, landed)
					}
					if got := s.Text(0); way.has && got != rows {
						t.Errorf("the rows are %q, and were %q", got, rows)
					}
					s.WaitLua(hunks)
					if way.has {
						s.Input("ghR")
						s.do("hunks", "0")
						s.awaitDisk("a.txt", c.had)
					}
				})
			}
		}
	})
}
