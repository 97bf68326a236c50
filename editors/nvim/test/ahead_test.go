package nvim_test

import (
	"strings"
	"testing"
)

// Keys that are there already when a decision is made, those of a macro or a mapping or what
// was typed ahead, are meant for the text as it is after it. The screen is what is waited for:
// a question to Neovim that waits keeps keys waiting.
func TestKeysBehindADecision(t *testing.T) {
	const program = "package p\n\nvar count = 1\n\nfunc other() {}\nfunc another() {}\n\nfunc f() int { return count }\n\nfunc more() {}\nfunc most() {}\n\nfunc g() int { return count }\n"
	eachVersion(t, func(t *testing.T, version string) {
		e := setupReal(t, version, "p.go", program)
		e.Input("<C-w>h")
		e.Input(":Acp send rename count to total in @p.go<CR>")
		e.WaitScreen("1/3 demo")
		e.idle()

		e.Input("gg]h")
		e.WaitScreen("gha accept")
		e.Input("ghrdd") // the row as it was, and not the agent's
		e.WaitGone("var count = 1")
		e.WaitScreen("1/2 demo")
		e.Input("u")
		e.WaitScreen("var count = 1")
		e.Input("u") // and the decision
		e.WaitScreen("1/3 demo")

		e.Input("ggqq]hghrA !<Esc>q2@q")
		e.WaitScreen("func g() int { return count } !")
		e.WaitGone("2 hunks")
		e.WaitGone("1/1 demo")
		want := strings.NewReplacer("count = 1\n", "count = 1 !\n", "count }\n", "count } !\n").Replace(program)
		if got := e.Text(0) + "\n"; got != want {
			t.Errorf("the text is %q, want %q", got, want)
		}
	})
}

// What was undone a moment ago can be redone, whatever an agent changes: its edit waits.
func TestUndoIsRedone(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		e.Exec(`require('acp.typing').undo_pause = 1e8; require('acp.typing').pause = 20`, nil)
		e.press("<C-w>h3GA my<Esc>5GA own<Esc>uu")
		above := textEdit(0, 0, 0, 0, "new\n")
		held := e.heldEdit("a.txt", e.version("a.txt"), above)
		e.press("2<C-r>")
		want := strings.NewReplacer("three", "three my", "five", "five own").Replace(numbers)
		e.awaitText(e.uri("a.txt"), want)
		var got editResult
		if e.result(held, &got); got.Applied {
			t.Error("applied, though the text is another one")
		}
		if got := e.edit("a.txt", e.version("a.txt"), above); !got.Applied { // nothing is undone now
			t.Fatalf("refused: %s", got.FailureReason)
		}
		e.awaitText(e.uri("a.txt"), "new\n"+want)

		e.press("uu")
		held = e.heldEdit("a.txt", e.version("a.txt"), above)
		e.Exec(`require('acp.typing').undo_pause = 1`, nil) // it is long ago
		if e.result(held, &got); !got.Applied {
			t.Errorf("refused: %s", got.FailureReason)
		}
		e.awaitText(e.uri("a.txt"), "new\n"+strings.Replace(numbers, "three", "three my", 1))

		// What the user decides does not wait for that.
		e.Exec(`require('acp.typing').undo_pause = 1e8`, nil)
		e.press("u")
		v := e.version("a.txt")
		asked := make(chan (<-chan message), 1)
		e.on("acp.review.reject", func(arg) any {
			asked <- e.askEdit("a.txt", v, above)
			return map[string]any{"decided": []any{}, "files": []any{}}
		})
		e.Exec(`require('acp').execute('acp.review.reject', {}, function() vim.g.decided = true end)`, nil)
		e.WaitLua("vim.g.decided")
		if e.result(<-asked, &got); !got.Applied {
			t.Errorf("refused: %s", got.FailureReason)
		}
	})
}
