package nvim_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
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

func TestAgentThatDoesNotStart(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "main.go", program)
		release := make(chan struct{})
		start := sync.OnceFunc(func() { close(release) })
		defer start()
		e.on("acp.session.new", func(arg) any {
			<-release
			return &rpcError{Code: -32803, Message: "claude needs a login", Data: map[string]any{"kind": "authRequired"}}
		})
		e.Input(":Acp new claude<CR>")
		e.WaitScreen("starting")
		e.Input("itoo early<Esc><CR>") // waits for the session
		e.WaitLua(`vim.api.nvim_buf_get_lines(0, 0, -1, false)[1] == ''`)
		e.WaitScreen("waits until claude has started")
		start()
		var got struct{ Agent string }
		if err := json.Unmarshal(e.expect("acp.session.new"), &got); err != nil || got.Agent != "claude" {
			t.Errorf("asked for %+v, %v", got, err)
		}
		e.WaitScreen("✗ claude needs a login")
		e.WaitScreen(":Acp login")
		e.WaitGone("waits until")
		e.WaitLua(`vim.api.nvim_buf_get_lines(0, 0, -1, false)[1] == 'too early'`)
		e.none("acp.prompt")

		// The text is sent once there is a session.
		e.on("acp.session.new", func(arg) any { return info("idle") })
		e.Input("<CR>")
		if p := e.expectPrompt(); p.Text != "too early" || p.Session != "s1" {
			t.Errorf("sent %+v", p)
		}
	})
}

// A prompt that waits for its session to start is shown, and is not sent if it is stopped.
func TestStopBeforeTheSessionIsThere(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		for name, told := range map[string]bool{"told of": true, "not told of": false} {
			t.Run(name, func(t *testing.T) {
				e := setup(t, version, "", "main.go", program)
				release := make(chan struct{})
				start := sync.OnceFunc(func() { close(release) })
				defer start()
				e.on("acp.session.new", func(arg) any {
					<-release
					return info("idle")
				})
				e.on("acp.prompt", func(arg) any { return map[string]any{"session": "s1", "turn": "s1.1"} })
				e.on("acp.session.entries", func(arg) any { return map[string]any{"entries": []any{}} })
				e.on("acp.cancel", func(arg) any { return map[string]any{} })
				e.Input(":Acp new claude<CR>")
				e.WaitScreen("starting")
				if told {
					e.until("acp.session.new", func() bool {
						return slices.ContainsFunc(e.received, func(m message) bool { return m.Method == "acp.session.new" })
					})
					e.notify("acp/session", info("starting"))
					e.WaitLua(`require('acp.chat').session_id() == 's1'`)
				}
				e.Input("itoo early<Esc><CR>")
				e.WaitScreen("waits until")
				e.WaitLua(`vim.api.nvim_buf_get_lines(0, 0, -1, false)[1] == ''`)
				e.Input(":Acp stop<CR>")
				e.WaitScreen("not sent, it is in the input again")
				e.WaitGone("waits until")
				e.WaitLua(`vim.api.nvim_buf_get_lines(0, 0, -1, false)[1] == 'too early'`)
				again := told && version == "0.12"
				if again { // the session still starts: that can be stopped too
					e.Input(":Acp stop<CR>")
				}
				start()
				e.WaitLua(`require('acp.chat').current() ~= nil and require('acp.chat').current().info.state == 'idle'`)
				e.none("acp.prompt")
				if again {
					e.expect("acp.cancel")
				}
				e.none("acp.cancel")
				e.Input("<CR>")
				if p := e.expectPrompt(); p.Text != "too early" || p.Session != "s1" {
					t.Errorf("sent %+v", p)
				}
			})
		}
	})
}

// What is said of prompts that wait goes when they are sent, and leaves what stands around it
// as it is.
func TestPromptsThatWaited(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "main.go", program)
		release := make(chan struct{})
		start := sync.OnceFunc(func() { close(release) })
		defer start()
		e.on("acp.session.new", func(arg) any {
			<-release
			return info("idle")
		})
		e.on("acp.prompt", func(arg) any { return map[string]any{"session": "s1", "turn": "s1.1"} })
		e.Input(":Acp new claude<CR>")
		e.until("acp.session.new", func() bool {
			return slices.ContainsFunc(e.received, func(m message) bool { return m.Method == "acp.session.new" })
		})
		e.notify("acp/session", info("starting"))
		e.WaitLua(`require('acp.chat').session_id() == 's1'`)
		e.Input("ifirst<Esc><CR>isecond<Esc><CR>")
		e.WaitScreen(": first")
		e.WaitScreen(": second")
		e.entry("n1", "notice", "text", "fetching claude")
		e.WaitScreen("fetching claude")
		start()
		for _, text := range []string{"first", "second"} {
			if p := e.expectPrompt(); p.Text != text {
				t.Errorf("sent %+v, want %s", p, text)
			}
		}
		e.entry("u1", "user", "text", "first")
		e.entry("a1", "agent", "text", "the ")
		e.chunk("a1", "answer")
		e.WaitScreen("the answer")
		e.WaitGone("waits until")
		var lines []string
		e.Exec(`local chat = require('acp.chat').current().transcript.buf
			return vim.api.nvim_buf_get_lines(chat, 0, -1, false)`, &lines)
		want := []string{"· fetching claude", "", "first", "", "the answer"}
		if !slices.Equal(lines, want) {
			t.Errorf("the chat has %q, want %q", lines, want)
		}
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

func compact(raw json.RawMessage) string {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return string(raw)
	}
	b, _ := json.Marshal(v)
	return string(b)
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

// A server that dies says so once, fails what it owed, and is started again.
func TestServerDies(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		v := e.awaitText(e.uri("a.txt"), numbers)
		e.review("a.txt", v, newHunk("h1", "pending", 1, 2, "zwei\n", "two\n"))
		e.ask("acp/permission", question("q1"))
		e.WaitScreen("1/1 demo")
		e.WaitScreen("demo asks")
		e.entry("e1", "tool", "tool", map[string]any{"id": "c1", "title": "Run the tests", "status": "in_progress"})
		e.entry("e2", "permission", "question", question("q1"))
		e.WaitScreen("● Run the tests")
		e.notify("acp/session", info("running", "queue", []any{map[string]any{"id": "p1", "text": "this waits\nfor its turn"}}))
		e.WaitScreen("1 queued")
		e.on("acp.prompt", func(arg) any { e.drop(); return nil })
		e.Input("iprecious<Esc><CR>")
		e.WaitScreen("acp-ls ended")
		e.WaitScreen("✗ failed")
		e.WaitGone("1/1 demo")
		e.WaitGone("demo asks")
		e.WaitLua(`table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '|') == 'this waits|for its turn|precious'`)
		e.WaitScreen("■ Run the tests")
		e.WaitScreen("? Run make test: not answered")
		e.expect("acp.prompt")
		e.Input(":Acp<CR>") // the conversation stays until something is sent
		e.WaitScreen("■ Run the tests")

		// The agent has kept the session, and takes it up.
		e.on("acp.prompt", func(arg) any { return map[string]any{"session": "s2", "turn": "t1"} })
		e.on("acp.session.load", func(arg) any {
			e.notify("acp/entry", map[string]any{"session": "s2", "entry": map[string]any{"id": "e1", "kind": "agent", "text": "what was said"}})
			return info("idle", "session", "s2")
		})
		e.Input("<CR>")
		var load struct{ Agent, SessionID string }
		if err := json.Unmarshal(e.expect("acp.session.load"), &load); err != nil || load.Agent != "demo" || load.SessionID != "a1" {
			t.Errorf("loaded %+v, %v", load, err)
		}
		if p := e.expectPrompt(); p.Text != "this waits\nfor its turn\nprecious" || p.Session != "s2" {
			t.Errorf("sent %+v", p)
		}
		e.awaitText(e.uri("a.txt"), numbers)
		e.WaitScreen("what was said")
		e.WaitScreen("· acp-ls has ended. The session goes on as demo has it")

		// It has not: what has begun is another one, and that is said.
		e.on("acp.session.load", func(arg) any {
			return &rpcError{Code: -32803, Message: "no such session", Data: map[string]any{"kind": "agentFailed"}}
		})
		e.on("acp.session.new", func(arg) any { return info("idle", "session", "s3") })
		e.on("acp.prompt", func(arg) any { return map[string]any{"session": "s3", "turn": "t1"} })
		e.drop()
		e.WaitScreen("✗ failed")
		e.Input("iagain<Esc><CR>")
		if p := e.expectPrompt(); p.Text != "again" || p.Session != "s3" {
			t.Errorf("sent %+v", p)
		}
		e.WaitScreen("This is a new session: demo does not")
		e.WaitScreen(":buffer acp://session/s2")
	})
}

// A session whose agent has died goes on with the next prompt: acp-ls starts it anew.
func TestAgentDies(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		e.expect("textDocument/didOpen")
		e.notify("acp/session", info("failed", "error", "demo ended"))
		e.WaitScreen("✗ failed")
		e.Input(":Acp<CR>igo on<Esc><CR>")
		if p := e.expectPrompt(); p.Text != "go on" || p.Session != "s1" {
			t.Errorf("sent %+v", p)
		}
		e.none("acp.session.new")

		// What waited is in the input again, once.
		unsent := []any{map[string]any{"id": "p1", "text": "and this"}, map[string]any{"id": "p2", "text": "and that"}}
		e.notify("acp/session", info("running", "queue", unsent))
		e.WaitScreen("2 queued")
		for range 2 {
			e.notify("acp/session", info("failed", "error", "demo ended", "unsent", unsent))
		}
		e.WaitScreen("demo cannot take it now: what waited")
		e.Input("<CR>")
		if p := e.expectPrompt(); p.Text != "and this\nand that" {
			t.Errorf("sent %+v", p)
		}
		e.notify("acp/session", info("running"))
		e.notify("acp/session", info("failed", "error", "demo ended", "unsent", unsent[:1]))
		e.WaitLua(`vim.api.nvim_buf_get_lines(0, 0, -1, false)[1] == 'and this'`)
	})
}

func TestProgramNotFound(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "main.go", program)
		e.Exec(`require('acp').setup({ cmd = { '/nowhere/acp-ls' } })`, nil)
		e.Input(":Acp<CR>")
		e.WaitScreen("✗ program /nowhere/acp-ls not found")
		if mode := e.InMode(); mode != "n" {
			t.Errorf("mode %q: something asks", mode)
		}
	})
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

// Prompts reach acp-ls in the order in which they were sent, whatever it is doing
// meanwhile: starting, making the session, having told of it and not yet answered.
func TestPromptsKeepTheirOrder(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "main.go", program)
		release := make(chan struct{})
		start := sync.OnceFunc(func() { close(release) })
		defer start()
		e.on("acp.session.new", func(arg) any {
			<-release
			return info("idle")
		})
		e.on("acp.prompt", func(arg) any { return map[string]any{"session": "s1", "turn": "t"} })
		e.Exec(`_G.sent = 0
			function _G.more(n)
				for _ = 1, n do
					_G.sent = _G.sent + 1
					require('acp').prompt(tostring(_G.sent))
				end
			end
			_G.more(2)`, nil)
		e.Input(":lua more(2)<CR>")
		e.until("acp.session.new", func() bool {
			for _, m := range e.received {
				if m.Method == "acp.session.new" {
					return true
				}
			}
			return false
		})
		e.Input(":lua more(2)<CR>")
		e.notify("acp/session", info("starting"))
		e.WaitLua(`require('acp.chat').session_id() == 's1'`)
		e.Input(":lua more(2)<CR>")
		e.notify("acp/session", info("starting", "sessionId", "a1"))
		e.Input(":lua more(1)<CR>")
		e.WaitLua(`sent == 9`)
		start()
		e.Input(":lua more(3)<CR>")
		for i := 1; i <= 12; i++ {
			if p := e.expectPrompt(); p.Text != fmt.Sprint(i) || p.Session != "s1" {
				t.Fatalf("prompt %d is %+v", i, p)
			}
		}
	})
}

// A command that is given in the moment acp-ls is ready does not overtake those that
// have waited for that.
func TestCommandsKeepTheirOrderOverTheStart(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "main.go", program)
		e.Exec(`local client = require('acp.client')
			local n = 0
			local function say()
				n = n + 1
				client.execute('acp.cancel', { session = tostring(n) })
			end
			say()
			-- whatever runs while acp-ls starts, down to the moment in which it has
			local schedule = vim.schedule
			vim.schedule = function(f)
				if client.get() and n < 4 then
					say()
				end
				schedule(f)
				if client.get() and n < 4 then
					say()
				end
			end`, nil)
		for i := 1; i <= 4; i++ {
			var got struct{ Session string }
			if err := json.Unmarshal(e.expect("acp.cancel"), &got); err != nil || got.Session != fmt.Sprint(i) {
				t.Fatalf("command %d is %+v, %v", i, got, err)
			}
		}
	})
}
