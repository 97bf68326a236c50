package nvim_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestSelection(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "keys = { global = { send = '<F2>' } }", "main.go", program)
		e.open()
		check := func(p promptArg, text, wantRange string) {
			t.Helper()
			if p.Text != text || p.Selection == nil || p.Selection.URI != e.uri("main.go") {
				t.Fatalf("sent %+v", p)
			}
			if got := compact(p.Selection.Range); got != wantRange {
				t.Errorf("range %s, want %s", got, wantRange)
			}
		}
		lines := `{"end":{"character":0,"line":4},"start":{"character":0,"line":2}}`
		e.Input("<C-w>h3GVj:Acp send explain this<CR>")
		check(e.expectPrompt(), "explain this", lines)
		if name := e.Text(0); name+"\n" != program {
			t.Error("the cursor left the code")
		}
		e.Input("4G03lve:Acp send what<CR>")
		check(e.expectPrompt(), "what", `{"end":{"character":8,"line":3},"start":{"character":3,"line":3}}`)

		e.on("acp.mark", func(arg) any { return map[string]any{"mark": "m7"} })
		keep := func() {
			t.Helper()
			e.Input("3GVj<F2>")
			e.WaitScreen("⧉ main.go:3-4")
			e.expect("acp.mark")
			e.WaitLua(`require('acp.chat').kept_selection().mark ~= nil`)
		}
		marked := func(p promptArg, text string) {
			t.Helper()
			check(p, text, lines)
			if p.Selection.Mark != "m7" {
				t.Errorf("sent %+v", p.Selection)
			}
		}
		keep()
		e.Input("iand this?<Esc><CR>")
		marked(e.expectPrompt(), "and this?")
		e.WaitGone("⧉")
		e.Input("<C-w>h")
		keep()
		e.Input(":Acp send by command<CR>")
		marked(e.expectPrompt(), "by command")
		e.WaitGone("⧉")
		e.Input("iplain<Esc><CR>")
		if p := e.expectPrompt(); p.Selection != nil || p.When != "" {
			t.Errorf("the selection was sent twice: %+v", p)
		}

		// Text of a buffer without a name goes along as text.
		e.Input("<C-w>h:enew<CR>ix = 1<Esc>:%Acp! send fix<CR>")
		if p := e.expectPrompt(); p.Text != "fix\n\n```\nx = 1\n```" || p.Selection != nil || p.When != "now" {
			t.Errorf("sent %+v", p)
		}
	})
}

func TestCompletion(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "main.go", program)
		e.open()
		e.on("acp.complete", func(a arg) any {
			var p struct {
				Text   string
				Offset int
			}
			_ = json.Unmarshal(a, &p)
			at := strings.LastIndex(p.Text[:p.Offset], "@")
			return map[string]any{"items": []any{
				map[string]any{"label": "@main.go", "kind": "file", "insertText": "@main.go", "start": at, "end": p.Offset},
				map[string]any{"label": "@buffer", "kind": "buffer", "insertText": "@buffer", "start": at, "end": p.Offset},
			}}
		})
		e.Input("ié: look at @")
		e.WaitScreen("@buffer")
		e.Input("m<C-n>")
		e.WaitLua(`vim.fn.getline('.') == 'é: look at @main.go'`)
		e.Input("<C-y>")
		e.WaitLua("vim.fn.pumvisible() == 0")
		e.textNow("main.go") // all that was asked has been answered
		e.Exec("vim.cmd.redraw()", nil)
		if strings.Contains(e.Screen(), "@buffer") {
			t.Errorf("the menu is back:\n%s", e.Screen())
		}
		e.Input(" now<Esc><CR>")
		if p := e.expectPrompt(); p.Text != "é: look at @main.go now" {
			t.Errorf("sent %q", p.Text)
		}
	})
}

// What is sent while a menu is shown takes the menu along: nothing of it is left for what is typed next.
func TestCompletionEndsWithTheText(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "main.go", program)
		e.open()
		e.on("acp.complete", func(a arg) any {
			var p struct{ Offset int }
			_ = json.Unmarshal(a, &p)
			return map[string]any{"items": []any{
				map[string]any{"label": "@greet.go", "insertText": "@greet.go", "start": strings.Index(string(a), "@") - strings.Index(string(a), "look"), "end": p.Offset},
			}}
		})
		for name, keys := range map[string]string{"shown": "", "chosen": "<C-n>", "chosen, and not": "<C-n><C-p>"} {
			e.Input("ilook @gree")
			e.WaitLua(`vim.fn.pumvisible() == 1`)
			e.Input(keys + "<C-s>")
			want := "look @gree"
			if name == "chosen" {
				want = "look @greet.go"
			}
			if p := e.expectPrompt(); p.Text != want {
				t.Errorf("%s: sent %q, want %q", name, p.Text, want)
			}
			e.textNow("main.go") // all that was asked has been answered
			var shown int
			if e.Exec("vim.cmd.redraw(); return vim.fn.pumvisible()", &shown); shown != 0 {
				t.Errorf("%s: the menu is there:\n%s", name, e.Screen())
			}
			e.Input("next")
			e.WaitLua(`vim.fn.getline('.') == 'next'`)
			e.Input("<Esc>dd")
			e.WaitLua(`vim.fn.mode() == 'n' and vim.fn.getline('.') == ''`)
		}
	})
}

// Whatever the user has completion do, in the prompt nothing is inserted that they have not
// chosen; and elsewhere it goes on doing that.
func TestCompletionInsertsNothingByItself(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		for _, options := range []string{
			"menu,preview", // the default of 0.10
			"menu", "menuone", "longest", "menu,longest", "menuone,longest", "noinsert", "menuone,noinsert",
			"menuone,noselect", "noselect", "preview", "",
		} {
			t.Run("completeopt="+strings.ReplaceAll(options, ",", "-"), func(t *testing.T) {
				e := setup(t, version, "", "main.go", program)
				e.Exec(`vim.o.completeopt = ...
					vim.api.nvim_create_autocmd('OptionSet', { callback = function(args)
						vim.g.option_set = args.match == 'completeopt' or vim.g.option_set
					end })`, nil, options)
				e.open()
				e.awaitText(e.uri("main.go"), program)
				names := []string{"@selection", "@docs/one.txt", "@docs/two.txt", "@dolls"}
				e.on("acp.complete", func(a arg) any {
					var p struct {
						Text   string
						Offset int
					}
					_ = json.Unmarshal(a, &p)
					at := strings.LastIndex(p.Text[:p.Offset], "@")
					items := []any{}
					for _, name := range names {
						if strings.HasPrefix(name, p.Text[at:p.Offset]) {
							items = append(items, map[string]any{"label": name, "insertText": name, "start": at, "end": p.Offset})
						}
					}
					return map[string]any{"items": items}
				})
				typed := "look "
				e.Input("i" + typed)
				types := func(keys, want string) {
					t.Helper()
					typed = want
					e.Input(keys)
					e.textNow("main.go") // what was asked has been answered
					e.WaitLua(fmt.Sprintf(`vim.fn.getline('.') == %q`, want))
				}
				for _, c := range "@docs/t" {
					types(string(c), typed+string(c))
				}
				for range "ocs/t" {
					types("<BS>", typed[:len(typed)-1])
				}
				types("z", typed+"z") // there is nothing of that name
				types("<BS>", typed[:len(typed)-1])
				types("<BS>", typed[:len(typed)-1])
				e.WaitScreen("@dolls")
				if options != "" { // what was asked for is chosen by hand
					types("<C-n><C-n>", "look @docs/one.txt")
					types("<C-y>", "look @docs/one.txt")
				}
				types(" and", typed+" and")
				var now string
				e.Input("<Esc>")
				e.Exec("return vim.go.completeopt", &now)
				var set bool
				if e.Exec("return vim.g.option_set == true", &set); now != options || set {
					t.Errorf("the user's option is %q, set: %v", now, set)
				}
				e.Input(":wincmd t<CR>")
				if e.Exec("return vim.o.completeopt", &now); now != options {
					t.Errorf("in a file it is %q", now)
				}
			})
		}
	})
}
