package nvim_test

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
)

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

// Who misspells an agent's name is told so, and goes on where they were.
func TestAgentThatIsNone(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		unknown := func(arg) any {
			return &rpcError{Code: -32602, Message: `there is no agent "cluade"`, Data: map[string]any{"kind": "unknownAgent"}}
		}
		e.on("acp.session.new", unknown)
		e.Input(":Acp new cluade<CR>")
		e.WaitScreen(`✗ there is no agent "cluade"`)
		e.on("acp.session.new", func(a arg) any {
			if strings.Contains(string(a), "cluade") {
				t.Errorf("asked for %s", a)
			}
			return info("idle")
		})
		e.Input("ione<Esc><CR>")
		if p := e.expectPrompt(); p.Text != "one" || p.Session != "s1" {
			t.Errorf("sent %+v", p)
		}
		e.on("acp.session.new", unknown)
		e.Input(":Acp new cluade<CR>")
		e.WaitScreen(`✗ there is no agent "cluade"`)
		e.Input("itwo<Esc><CR>")
		if p := e.expectPrompt(); p.Text != "two" || p.Session != "s1" {
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

		e.expect("acp.session.new")
		e.answered()

		// The user stops it: nothing is started in its place, and what was to be sent is in the input again.
		e.on("acp.session.load", func(arg) any {
			return &rpcError{Code: -32803, Message: "you stopped demo", Data: map[string]any{"kind": "stopped"}}
		})
		e.drop()
		e.WaitScreen("✗ failed")
		e.Input("ionce more<Esc><CR>")
		e.expect("acp.session.load")
		e.WaitLua(`vim.api.nvim_buf_get_lines(0, 0, -1, false)[1] == 'once more'`)
		e.none("acp.session.new")
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

		// So is what waited in a session that is closed.
		e.notify("acp/session", info("running"))
		e.notify("acp/session", info("closed", "unsent", unsent[1:]))
		e.WaitScreen("the session of demo was closed: what waited")
		e.WaitLua(`vim.api.nvim_buf_get_lines(0, 0, -1, false)[1] == 'and that'`)
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
