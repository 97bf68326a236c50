package nvim_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const program = "package main\n\nfunc main() {\n\tprintln(\"hello\")\n}\n"

type promptArg struct {
	Session, Text string
	When          string
	Selection     *struct {
		URI   string
		Range json.RawMessage
		Mark  string
	}
}

func (e *env) expectPrompt() promptArg {
	e.t.Helper()
	var p promptArg
	if err := json.Unmarshal(e.expect("acp.prompt"), &p); err != nil {
		e.t.Fatal(err)
	}
	return p
}

func TestChat(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "main.go", program)
		e.open()
		e.WaitScreen("Ask demo")
		e.Input("iHello there<CR>twice<Esc><CR>")
		if p := e.expectPrompt(); p.Session != "s1" || p.Text != "Hello there\ntwice" || p.Selection != nil {
			t.Errorf("sent %+v", p)
		}
		e.notify("acp/session", info("running", "turn", "t1", "title", "A title",
			"usage", map[string]any{"used": 12345, "size": 200000},
			"queue", []any{map[string]any{"id": "p2", "text": "next"}}))
		e.WaitScreen("● working")
		e.WaitScreen("1 queued")
		e.WaitScreen("12k of 200k")
		e.WaitScreen("A title")
		e.notify("acp/session", info("running", "title", "A title that is much longer than the window of the chat is wide"))
		e.WaitScreen("longer than the window of t…  ● working")
		e.entry("e1", "user", "text", "Hello there\ntwice")
		e.WaitScreen("❯ Hello there")
		e.entry("e2", "thought", "text", "Let me")
		e.WaitScreen("▸ Thinking")
		e.chunk("e2", " think hard")
		e.entry("e3", "tool", "tool", map[string]any{
			"id": "c1", "title": "Read main.go", "kind": "read", "status": "in_progress",
			"locations": []any{map[string]any{"path": e.path("main.go"), "line": 4}},
		})
		e.WaitScreen("● Read main.go:4")
		e.WaitScreen("▸ Thought")
		e.entry("e3", "tool", "tool", map[string]any{
			"id": "c1", "title": "Read main.go", "kind": "read", "status": "completed",
			"locations": []any{map[string]any{"path": e.path("main.go"), "line": 4}},
		})
		e.WaitScreen("✓ Read main.go:4")
		e.entry("e4", "plan", "plan", []any{
			map[string]any{"content": "Look", "priority": "high", "status": "completed"},
			map[string]any{"content": "Leap", "priority": "low", "status": "pending"},
		})
		e.WaitScreen("○ Leap")
		e.entry("e5", "agent", "text", "")
		e.chunk("e5", "# Head\nSome **bold** and `code`")
		e.WaitScreen("Some bold and code")
		e.chunk("e5", " text.\n\n```lua\nlocal x = 1\n```\n- one\n")
		e.chunk("e5", "More streamed")
		e.WaitScreen("• one")
		e.WaitScreen("More streamed")
		e.notify("acp/session", info("running", "turn", "t1", "stopping", true))
		e.WaitScreen("● stopping")
		e.notify("acp/session", info("idle", "stopReason", "end_turn"))
		e.WaitGone("stopping")
		if row, col, ok := e.Find("bold and"); !ok || !e.Cell(row, col).Bold {
			t.Error("bold text is not bold")
		}
		if row, col, ok := e.Find("local x"); !ok || e.Cell(row, col).Background == e.Cell(row-1, col).Background {
			t.Error("a code block looks like any text")
		}
		e.picture("end")
	})
}

func TestChatKeys(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "main.go", program)
		e.open()
		e.entry("e1", "user", "text", "first")
		e.entry("e2", "thought", "text", "a deep thought")
		e.entry("e3", "tool", "tool", map[string]any{
			"id": "c1", "title": "Edit main.go", "status": "completed",
			"locations": []any{map[string]any{"path": e.path("main.go"), "line": 4}},
			"content": []any{map[string]any{"type": "diff", "path": e.path("main.go"),
				"oldText": "a\nold\nz\n", "newText": "a\nnew\nz\n"}},
		})
		e.entry("e4", "user", "text", "second")
		e.WaitScreen("❯ second")

		e.Input("<C-w>kgg/Thought<CR><Tab>")
		e.WaitScreen("a deep thought")
		e.Input("<CR>")
		e.WaitGone("a deep thought")

		e.Input("/Edit<CR>za")
		e.WaitScreen("    -old")
		e.WaitScreen("    +new")
		e.Input("za")
		e.WaitGone("-old")
		e.Input("<CR>")
		e.WaitLua(`vim.fn.expand('%:t') == 'main.go' and vim.fn.line('.') == 4`)

		e.Input("<C-w>l<C-w>kgg]]")
		e.WaitLua(`vim.fn.getline('.') == 'second'`)
		e.Input("[[")
		e.WaitLua(`vim.fn.getline('.') == 'first'`)

		e.Input("i")
		e.WaitLua(`vim.bo.filetype == 'acp-prompt' and vim.fn.mode() == 'i'`)
		e.Input("from insert<C-s>")
		if p := e.expectPrompt(); p.Text != "from insert" {
			t.Errorf("sent %+v", p)
		}
		e.Input("<Esc>")
		e.WaitLua(`vim.fn.mode() == 'n'`) // elsewhere <C-c> takes back what is typed
		e.Input("<C-c>")
		e.expect("acp.cancel")
		e.Input("<C-w>kq")
		e.WaitGone("@ context")
		e.Input(":Acp<CR>")
		e.WaitScreen("❯ second")
	})
}

// What cannot be sent is not lost.
func TestPromptThatFails(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "main.go", program)
		e.open()
		e.on("acp.prompt", func(arg) any {
			return &rpcError{Code: -32803, Message: "demo is busy", Data: map[string]any{"kind": "busy"}}
		})
		e.Input("iprecious words<Esc><CR>")
		e.WaitScreen("✗ demo is busy")
		e.WaitLua(`vim.api.nvim_buf_get_lines(0, 0, -1, false)[1] == 'precious words'`)
	})
}

// The window stays where it is while the user reads further up, and at the end
// otherwise; whoever types elsewhere is not disturbed.
func TestFollow(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "main.go", program)
		e.open()
		e.entry("e1", "agent", "text", "")
		lines := func(from, to int) string {
			var b strings.Builder
			for i := from; i <= to; i++ {
				fmt.Fprintf(&b, "answer line %d.\n", i)
			}
			return b.String()
		}
		e.chunk("e1", lines(1, 100))
		e.WaitScreen("answer line 100.")
		e.Input("<C-w>hGo// x")
		e.chunk("e1", lines(101, 130))
		e.WaitScreen("answer line 130.")
		e.WaitScreen("answer line 100.") // no half of the window is left empty
		e.Input("y")
		e.awaitText(e.uri("main.go"), program+"// xy\n")
		e.Input("<Esc><C-w>l<C-w>kgg")
		e.WaitScreen("answer line 1.")
		e.chunk("e1", lines(131, 160))
		e.WaitLua(`vim.api.nvim_buf_line_count(0) == 161`)
		e.WaitScreen("answer line 1.")
		if strings.Contains(e.Screen(), "answer line 160.") {
			t.Error("the window was moved while the user read further up")
		}
		e.Input("G")
		e.WaitScreen("answer line 160.")
		e.chunk("e1", lines(161, 161))
		e.WaitScreen("answer line 161.")
	})
}

func compact(raw json.RawMessage) string {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return string(raw)
	}
	b, _ := json.Marshal(v)
	return string(b)
}

// A transcript that the user has thrown away is made anew.
func TestDeletedTranscript(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "main.go", program)
		e.open()
		entry := map[string]any{"id": "e1", "kind": "agent", "text": "what was said"}
		e.entry("e1", "agent", "text", "what was said")
		e.WaitScreen("what was said")
		e.on("acp.session.entries", func(arg) any { return map[string]any{"entries": []any{entry}} })
		for _, command := range []string{"bdelete", "bwipeout"} {
			e.Input(":Acp close<CR>")
			e.WaitGone("@ context")
			e.Exec("vim.cmd(... .. ' ' .. vim.fn.bufnr('acp://session/s1')) vim.cmd(... .. ' ' .. vim.fn.bufnr('acp://prompt'))", nil, command)
			e.entry("e2", "agent", "text", "comes before the answer")
			e.Input(":Acp<CR>")
			e.WaitScreen("what was said")
			e.WaitGone("comes before")
		}
		e.Input("ihello<C-s>")
		e.expectPrompt()
	})
}

// A session of Neovim that was written while the chat was open has the files' windows and not the
// chat's, in whatever Neovim it is loaded, and whatever else is open there.
func TestSessionOfNeovim(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		for layout, c := range map[string]struct{ keys, options string }{
			"one window": {}, "with options": {":vsplit b.txt<CR>", "options,localoptions"},
			"tab page behind": {":tabnew b.txt<CR>:tabfirst<CR>", ""}, "tab page before": {":split b.txt<CR>:tabnew a.txt<CR>", ""},
		} {
			for _, there := range []string{"nothing", "a chat", "a chat's input", "a chat's transcript", "a closed chat", "itself"} {
				t.Run(layout+"/"+there, func(t *testing.T) {
					e := setup(t, version, "", "a.txt", numbers, "b.txt", numbers)
					e.Exec("vim.o.sessionoptions = vim.o.sessionoptions .. ',' .. ...", nil, c.options)
					e.Input(c.keys)
					windows := `local windows = {}
							for _, tab in ipairs(vim.api.nvim_list_tabpages()) do
								for _, win in ipairs(vim.api.nvim_tabpage_list_wins(tab)) do
									windows[#windows + 1] = vim.fs.basename(vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(win)))
								end
								windows[#windows + 1] = '|'
							end
							return table.concat(windows, ' ')`
					var before, after string
					e.Exec(windows, &before)
					e.open()
					e.entry("e1", "agent", "text", "what was said")
					e.WaitScreen("what was said")
					e.Input("<Esc>:mksession s.vim<CR>")
					e.WaitLua("vim.fn.filereadable('s.vim') == 1")
					f := e
					if there != "itself" {
						f = setup(t, version, "", "a.txt", numbers)
						f.Exec("vim.cmd.cd(...)", nil, e.dir)
						if there != "nothing" {
							f.open()
							f.Input("<Esc>")
						}
						switch there {
						case "a chat":
							f.Input("<C-w>t")
						case "a chat's transcript":
							f.Input("<C-w>k")
						case "a closed chat":
							f.Input(":Acp close<CR>")
							f.WaitGone("@ context")
						}
					}
					buffers := `local names = {}
							for _, buf in ipairs(vim.api.nvim_list_bufs()) do
								local name = vim.api.nvim_buf_get_name(buf)
								if name == '' or name:match('^acp') then names[#names + 1] = name end
							end
							table.sort(names)
							return names`
					var names []string
					f.Exec(buffers, &names)
					var errors string
					f.Exec("vim.v.errmsg = '' vim.cmd.source('s.vim')", nil)
					f.WaitLua("vim.g.SessionLoad == nil")
					f.Exec("vim.wait(20) return vim.v.errmsg", &errors)
					if f.Exec(windows, &after); after != before || errors != "" {
						t.Errorf("the windows are %q, were %q; %s", after, before, errors)
					}
					var namesNow []string
					if f.Exec(buffers, &namesNow); !slices.Equal(namesNow, names) {
						t.Errorf("there are buffers %q, were %q", namesNow, names)
					}
					if there != "nothing" { // it goes on as it was
						f.entry("e2", "agent", "text", "what is said now")
						f.Input(":Acp<CR>")
						f.WaitScreen("what is said now")
						f.WaitScreen("@ context")
						f.Input("ihello<C-s>")
						f.expectPrompt()
					}
				})
			}
		}
	})
}

// Messages, however many and long, never make Neovim wait for a key, and leave a
// command line that is being typed alone.
func TestNoticesTakeNoKeys(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		flood := func() {
			for i := range 10 {
				text := fmt.Sprintf("number %d is %s", i, strings.Repeat("a long\nmessage ", 40))
				e.notify("window/showMessage", map[string]any{"type": 1 + i%3, "message": text})
			}
			var got struct{}
			e.call("acp/editor", map[string]any{}, &got) // all of them have been handled
		}
		cut := func(screen string) bool {
			lines := strings.Split(strings.TrimRight(screen, "\n"), "\n")
			return strings.HasPrefix(lines[len(lines)-1], "acp: number") && strings.Contains(lines[len(lines)-1], "…")
		}
		e.Input("<C-w>hgg0i")
		e.WaitScreen("-- INSERT --")
		flood()
		e.WaitLua(`vim.fn.execute('messages'):match('acp: number %d is .*…') ~= nil`)
		e.Input("typed ")
		e.awaitText(e.uri("a.txt"), "typed "+numbers)

		e.Input("<Esc>:let g:typed = '1")
		e.WaitScreen("let g:typed")
		flood()
		e.Input("2'")
		e.WaitScreen(":let g:typed = '12'")
		e.Input("<CR>")
		e.WaitLua("vim.g.typed == '12'")
		e.WaitFor("a message in one line", cut)
		if mode := e.InMode(); mode != "n" {
			t.Errorf("mode %q: Neovim asks", mode)
		}
		log, err := os.ReadFile(filepath.Join(e.Home, "state", "nvim", "lsp.log"))
		if err != nil {
			t.Fatal(err)
		}
		for i := range 10 {
			if n := strings.Count(string(log), fmt.Sprintf("number %d is", i)); n != 2 {
				t.Errorf("message %d is in the log %d times, want 2", i, n)
			}
		}
	})
}

// Settings reach acp-ls when it starts and when they change.
func TestSettings(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "agent = 'mine', settings = { files = { save = 'never' } }", "a.txt", numbers)
		e.open()
		var init struct {
			InitializationOptions json.RawMessage
			Capabilities          struct {
				Experimental struct{ ACP map[string]bool }
				Workspace    struct {
					WorkspaceEdit struct {
						DocumentChanges    bool
						ResourceOperations []string
					}
				}
			}
		}
		if err := json.Unmarshal(e.init, &init); err != nil {
			t.Fatal(err)
		}
		want := `{"defaultAgent":"mine","files":{"save":"never"},"review":{"codeLens":false,"diagnostics":false}}`
		if got := compact(init.InitializationOptions); got != want {
			t.Errorf("initializationOptions %s, want %s", got, want)
		}
		edit := init.Capabilities.Workspace.WorkspaceEdit
		if !edit.DocumentChanges || len(edit.ResourceOperations) > 0 {
			t.Errorf("workspaceEdit %+v", edit)
		}
		for _, name := range []string{"session", "review", "terminal", "permission", "save", "reload", "adopt", "editor", "run", "ask", "dismiss"} {
			if !init.Capabilities.Experimental.ACP[name] {
				t.Errorf("capability %s is not offered", name)
			}
		}
		e.expect("workspace/didChangeConfiguration")
		e.Exec(`require('acp').setup({ settings = { review = { codeLens = true } } })`, nil)
		want = `{"settings":{"acp":{"review":{"codeLens":true,"diagnostics":false}}}}`
		if got := compact(e.expect("workspace/didChangeConfiguration")); got != want {
			t.Errorf("told %s, want %s", got, want)
		}
	})
}

// What saves by itself can ask whether an agent works, in any session, also before the
// plugin has been used.
func TestWorking(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "main.go", program)
		e.WaitLua(`require('acp').working() == false`)
		e.open()
		e.WaitLua(`require('acp').working() == false`)
		e.notify("acp/session", info("running", "turn", "t1"))
		e.WaitLua(`require('acp').working() == true`)
		e.notify("acp/session", info("idle", "session", "s2"))
		e.notify("acp/session", info("waiting", "turn", "t1"))
		e.WaitLua(`require('acp.chat').current().info.state == 'waiting'`)
		e.WaitLua(`require('acp').working() == true`)
		e.notify("acp/session", info("idle"))
		e.WaitLua(`require('acp').working() == false`)
		e.notify("acp/session", info("running", "session", "s2"))
		e.WaitLua(`require('acp').working() == true`)
		e.drop()
		e.WaitLua(`require('acp').working() == false`)
	})
}
