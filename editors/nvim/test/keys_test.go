package nvim_test

import (
	"slices"
	"strings"
	"testing"
)

// threeCounts has three rows that name count.
const threeCounts = "package p\n\nvar count = 1\n\nfunc other() {}\nfunc another() {}\n\nfunc f() int { return count }\n\nfunc more() {}\nfunc most() {}\n\nfunc g() int { return count }\n"

func setupCounts(t *testing.T, version string) *env {
	t.Helper()
	e := setupReal(t, version, "p.go", threeCounts, "q.go", threeCounts)
	e.Input("<C-w>h")
	e.Input(":Acp send rename count to total in @p.go<CR>")
	e.WaitScreen("1/3 demo")
	e.idle()
	return e
}

// The keys of a review change no text when acp-ls has ended: they say so. When it is there
// again they decide.
func TestKeysOutliveTheProgram(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setupCounts(t, version)
		text := e.Text(0)
		e.Exec(`require('acp.client').stop()`, nil)
		e.WaitLua(`not require('acp.client').running()`)
		e.WaitGone("1/3 demo")
		for _, key := range []string{"gha", "ghr", "ghA", "ghR", "ghu", "ghm"} {
			e.Input("gg2j:messages clear<CR>" + key)
			e.WaitLua(`vim.fn.execute('messages'):find('not running', 1, true) ~= nil`)
			if got := e.Text(0); got != text {
				t.Fatalf("%s made of the text\n%s", key, got)
			}
		}
		e.WaitLua(`vim.fn.mode() == 'n'`)
		e.Input(":Acp restart<CR>")
		e.WaitScreen("1/3 demo")
		e.Input("gg]h")
		e.WaitScreen("gha accept")
		e.Input("ghr")
		e.WaitScreen("1/2 demo")
		e.Exec(`vim.g.was = vim.lsp.get_clients({ name = 'acp-ls' })[1].id`, nil)
		e.Input(":Acp restart<CR>")
		e.WaitLua(`(vim.lsp.get_clients({ name = 'acp-ls' })[1] or { id = vim.g.was }).id ~= vim.g.was`)
		e.WaitScreen("an earlier run wait")
		e.WaitScreen("1/2 demo")
	})
}

// Whoever stops in the middle of a key goes on with it later, and selects nothing; a key that
// is none of ours ends it.
func TestPauseWithinAKey(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setupCounts(t, version)
		text := e.Text(0)
		e.Exec(`vim.o.timeoutlen = 1`, nil)
		pause := func(lhs, rest string) {
			t.Helper()
			e.Exec(`vim.g.waits = false; local f = vim.fn.getcharstr
				vim.fn.getcharstr = function(...)
					vim.fn.getcharstr, vim.g.waits = f, true
					return f(...)
				end`, nil)
			e.Input(lhs)
			e.WaitLua(`vim.g.waits`)
			e.Input(rest)
		}
		e.Input("gg]h")
		e.WaitScreen("gha accept")
		for _, key := range []string{"<Esc>", "x", "<C-c>"} {
			pause("gh", key)
			e.WaitLua(`vim.fn.mode() == 'n'`)
			if got := e.Text(0); got != text {
				t.Fatalf("gh, then %s made of the text\n%s", key, got)
			}
		}
		pause("gh", "r")
		e.WaitScreen("1/2 demo")
		pause("Vgh", "a")
		e.WaitLua(`vim.fn.mode() == 'n'`)
		if got, want := e.Text(0), strings.Replace(text, "total = 1", "count = 1", 1); got != want {
			t.Errorf("the text is %q, want %q", got, want)
		}
	})
}

// ghu brings back what was rejected last in the file, and that again after an undo and a redo of
// the rejections. It asks nothing, and keys behind it go where they are meant to.
func TestBringBackTheLast(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setupCounts(t, version)
		text := e.Text(0)
		reject := func(left string) {
			t.Helper()
			e.Input("gg]h")
			e.WaitScreen("gha accept")
			e.Input("ghr")
			e.WaitScreen(left)
		}
		reject("1/2 demo")
		reject("1/1 demo")
		e.Input("u")
		e.WaitScreen("1/2 demo")
		e.Input("u")
		e.WaitScreen("1/3 demo")
		e.Input("<C-r>")
		e.WaitScreen("1/2 demo")
		e.Input("<C-r>")
		e.WaitScreen("1/1 demo")
		e.Input("ghuGomine<Esc>")
		e.WaitScreen("1/2 demo")
		e.WaitScreen("mine")
		if got, want := e.Text(0), strings.Replace(text, "total = 1", "count = 1", 1)+"\nmine"; got != want {
			t.Errorf("the text is %q, want %q", got, want)
		}

		// Another file has nothing of that.
		e.Input(":write<CR>:edit q.go<CR>:messages clear<CR>:lua require('acp.restore').here()<CR>")
		e.WaitLua(`vim.fn.execute('messages'):find('nothing was rejected here', 1, true) ~= nil`)
		e.Input(":Acp restore<CR>")
		e.WaitLua(`vim.fn.execute('messages'):find('pending again: p.go:3', 1, true) ~= nil`)
	})
}

// What is read anew in the windows of the chat stays, as there is nothing to read it from.
func TestChatReadAnew(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setupCounts(t, version)
		e.Input("<C-w>l<C-w>k:edit!<CR>")
		e.WaitScreen("rename count to total")
		e.WaitLua(`vim.fn.search('rename count to total', 'nw') > 0 and not vim.bo.modifiable`)
		e.Input("<C-w>jifoo<Esc>:edit!<CR>")
		e.WaitLua(`vim.api.nvim_get_current_line() == 'foo' and vim.bo.modifiable`)
		e.Input("S<Esc>")
		e.WaitScreen("Ask demo")
		e.Input("<C-w>k:Acp restart<CR>")
		e.WaitLua(`require('acp.session').all[require('acp.session').order[1]].lost`)
		e.Input(":edit!<CR>")
		e.WaitLua(`vim.fn.search('rename count to total', 'nw') > 0`)
	})
}

// Keys behind one that goes to a file which is not open yet decide there.
func TestKeysBehindAFileThatOpens(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		for _, keys := range []string{"]hghr", "[hghr", "qq]hghrq", ":normal ]hghr<CR>"} {
			e := setup(t, version, "", "a.txt", numbers, "b.txt", numbers)
			e.open()
			v := e.awaitText(e.uri("a.txt"), numbers)
			r := e.reviewOf("b.txt", 0, newHunk("h1", "pending", 3, 4, "vier\n", "four\n"))
			delete(r, "version")
			e.notify("acp/review", r)
			e.review("a.txt", v, newHunk("h0", "pending", 1, 2, "zwei\n", "two\n"))
			e.WaitScreen("1/1 demo")
			e.review("a.txt", v)
			e.WaitGone("1/1 demo")
			e.Input("<C-w>h" + keys)
			if d := e.expectDecision("reject"); !slices.Equal(d.Hunks, []string{"h1"}) {
				t.Errorf("%s rejected %+v", keys, d)
			}
			if got := e.Text(0) + "\n"; got != numbers {
				t.Errorf("%s made of the text %q", keys, got)
			}
		}
	})
}
