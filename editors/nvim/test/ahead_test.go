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
