package nvim_test

import (
	"os"
	"strings"
	"testing"
)

// With 'noautoread' Neovim asks about a file that has changed when one goes to its buffer, and takes
// the next key for the answer. While an agent works it does not: the file is read, as acp-ls would
// have it in a moment, and in the encoding that it then has. At other times it asks.
func TestNoAutoread(t *testing.T) {
	latin1 := strings.NewReplacer("é", "\xe9")
	eachVersion(t, func(t *testing.T, version string) {
		for name, texts := range map[string][]string{
			"text":      {"agent\n" + numbers, "agent again\n" + numbers},
			"encodings": {latin1.Replace("café\n"), latin1.Replace("café\nthé\n"), "café\n" + numbers, latin1.Replace("é\n")},
			"mode":      {"", ""},
		} {
			t.Run(name, func(t *testing.T) {
				e := setup(t, version, "", "a.txt", numbers, "b.txt", numbers)
				e.Exec(`vim.o.autoread = false`, nil)
				e.open()
				e.Input("<C-w>h:edit b.txt<CR>:edit a.txt<CR>")
				e.awaitText(e.uri("b.txt"), numbers)
				change := func(text string) {
					t.Helper()
					if text != "" {
						e.write("b.txt", text)
						return
					}
					at, err := os.Stat(e.path("b.txt"))
					if err != nil {
						t.Fatal(err)
					}
					if err := os.Chmod(e.path("b.txt"), at.Mode()^0o100); err != nil {
						t.Fatal(err)
					}
				}
				// At first nobody has told yet that the prompt is worked at.
				sent := make(later, 1)
				e.on("acp.prompt", func(arg) any { return sent })
				e.Exec(`require('acp').prompt('change b.txt')`, nil)
				e.expect("acp.prompt")
				for i, text := range texts {
					if i > 0 {
						e.notify("acp/session", info("running"))
					}
					e.WaitLua(`require('acp').working()`)
					change(text)
					e.Input(":buffer b.txt<CR>:let g:there = bufname()<CR>")
					e.WaitLua(`vim.g.there == 'b.txt'`)
					want := strings.ReplaceAll(text, "\xe9", "é")
					if text == "" {
						want = numbers
					}
					if got := e.Text(0) + "\n"; got != want {
						t.Errorf("the buffer has %q, want %q", got, want)
					}
					e.Input(":buffer a.txt<CR>:let g:there = bufname()<CR>")
					e.WaitLua(`vim.g.there == 'a.txt'`)
				}
				e.notify("acp/session", info("idle"))
				sent <- map[string]any{"session": "s1"}
				e.WaitLua(`not require('acp').working()`)
				change(texts[0])
				e.Input(":buffer b.txt<CR>")
				e.WaitScreen("(L)oad File")
				e.Input("O")
			})
		}
	})
}
