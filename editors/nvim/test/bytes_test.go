package nvim_test

import (
	"math/rand/v2"
	"os"
	"testing"
)

// What acp-ls is told of a text is what Neovim would write, to the byte: it shows a
// file of no bytes as an empty line, and tells language servers of a line end at the
// end of a file when the rows there change, whether there is one or not.
func TestTextIsWhatIsWritten(t *testing.T) {
	keys := []string{"Gomore<Esc>", "Gdd", "GAx<CR>y<Esc>", "Gyyp", "ggddGp", "ggOa<Esc>", "GJ", "ggJu", "VGd", "VGdu",
		":%s/t$/t\\r/<CR>", ":g/./m0<CR>", ":sort!<CR>", "gg0Dix<Esc>x", ":set eol<CR>Ax<Esc>", ":set noeol<CR>Ax<Esc>"}
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", "")
		e.open()
		e.Input("<C-w>h")
		for _, text := range []string{"", "\n", "a", "a\n", "a\nlast", "a\n\nlast\n", "\n\n"} {
			for _, k := range keys {
				if err := os.WriteFile(e.path("a.txt"), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				e.Exec(`vim.cmd('edit! | setlocal nofixeol')`, nil)
				if got := e.textNow("a.txt"); got != text {
					t.Errorf("%q on disk is %q to the server", text, got)
				}
				e.press(k)
				e.Exec(`vim.cmd('silent noautocmd write!')`, nil)
				disk, err := os.ReadFile(e.path("a.txt"))
				if err != nil {
					t.Fatal(err)
				}
				if got := e.textNow("a.txt"); got != string(disk) {
					t.Errorf("after %s in %q the server has %q, the disk %q", k, text, got, disk)
				}
			}
		}
	})
}

// textNow is what the server has of a file when it has all that was sent.
func (e *env) textNow(name string) string {
	e.t.Helper()
	e.Exec(`require('acp.client').execute('acp.nothing')`, nil)
	e.expect("acp.nothing")
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.documents[e.uri(name)].text
}

// An agent's text in a file of no bytes is that, without an empty row.
func TestEditOfNoBytes(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", "")
		e.open()
		v := e.awaitText(e.uri("a.txt"), "")
		if got := e.edit("a.txt", v, textEdit(0, 0, 0, 0, "one\ntwo\n")); !got.Applied {
			t.Fatalf("refused: %s", got.FailureReason)
		}
		v = e.awaitText(e.uri("a.txt"), "one\ntwo\n")
		if got := e.edit("a.txt", v, textEdit(0, 0, 2, 0, "")); !got.Applied {
			t.Fatalf("refused: %s", got.FailureReason)
		}
		e.awaitText(e.uri("a.txt"), "")
		if saved := e.save("a.txt"); saved.Reason != "" {
			t.Errorf("not saved: %s", saved.Reason)
		}
		if disk, err := os.ReadFile(e.path("a.txt")); err != nil || len(disk) > 0 {
			t.Errorf("the disk has %q, %v", disk, err)
		}
	})
}

type saved struct {
	Saved  bool
	Reason string
}

func (e *env) save(name string) saved {
	e.t.Helper()
	var got saved
	e.call("acp/save", map[string]any{"uri": e.uri(name)}, &got)
	return got
}

// The end of a file stays as it is when it is saved for the agent, whatever
// 'fixendofline' would do, and as the user has made it.
func TestSaveKeepsTheEnd(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", "a\nlast")
		e.open()
		v := e.awaitText(e.uri("a.txt"), "a\nlast")
		check := func(want string) {
			t.Helper()
			if got := e.save("a.txt"); !got.Saved {
				t.Fatalf("not saved: %s", got.Reason)
			}
			if disk, _ := os.ReadFile(e.path("a.txt")); string(disk) != want {
				t.Errorf("the disk has %q, want %q", disk, want)
			}
			e.awaitText(e.uri("a.txt"), want)
		}
		if got := e.edit("a.txt", v, textEdit(0, 0, 1, 0, "A\n")); !got.Applied {
			t.Fatalf("refused: %s", got.FailureReason)
		}
		check("A\nlast")
		var fix bool
		if e.Exec("return vim.bo.fixendofline", &fix); !fix {
			t.Error("'fixendofline' is not what it was")
		}
		v = e.version("a.txt")
		if got := e.edit("a.txt", v, textEdit(1, 0, 1, 4, "last\n")); !got.Applied {
			t.Fatalf("refused: %s", got.FailureReason)
		}
		check("A\nlast\n")
		e.Input("<C-w>h:set noeol<CR>x")
		e.WaitLua("vim.bo.modified")
		check("\nlast")
		e.Input(":w<CR>") // the user's own way
		e.WaitLua("not vim.bo.modified")
	})
}

// Whatever is done to a text, acp-ls is told of it.
func TestAnyKeysAreTold(t *testing.T) {
	keys := []string{"dd", "yyp", "P", "o<Esc>", "Oé\U0001F600 x<Esc>", "J", "u", "<C-r>", "x", "D", "gg", "G", "j", "k", "w", "dG", "dgg",
		":m0<CR>", ":m$<CR>", ":t.<CR>", ":sort!<CR>", ":%s/e/&\\r/e<CR>", ":g/o/d<CR>", ":g/^/m0<CR>", "gqip", "=ip", ">>", "<C-v>jIb<Esc>",
		"Vjd", "qqAz<Esc>q", "3@q", ".", ":set noeol<CR>", ":set eol<CR>", "ggdG", ":%d<CR>", ":r a.txt<CR>", "R<CR>ab<BS><Esc>", "i<C-v>u0000<Esc>",
		":set ff=dos<CR>", ":set ff=unix<CR>", ":earlier 3<CR>", ":later 2<CR>"}
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		e.Input("<C-w>h:set tw=20 report=9999 nofixeol<CR>")
		r := rand.New(rand.NewPCG(1, 2))
		var done []string
		for range 150 {
			for range 1 + r.IntN(4) {
				k := keys[r.IntN(len(keys))]
				done = append(done, k)
				e.press(k)
			}
			e.Exec(`vim.cmd('silent noautocmd keepalt write! b.txt')`, nil)
			want, err := os.ReadFile(e.path("b.txt"))
			if err != nil {
				t.Fatal(err)
			}
			got := e.textNow("a.txt")
			if got != string(want) {
				t.Fatalf("the server has %q, the buffer %q, after %q", got, want, done)
			}
		}
	})
}
