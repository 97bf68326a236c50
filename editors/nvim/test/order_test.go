package nvim_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
)

// What is said of prompts that wait goes when they are sent, and leaves what stands around it
// as it is.
func TestPromptsThatWaited(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "main.go", program)
		start := e.holdNew()
		defer start()
		e.on("acp.prompt", func(arg) any { return map[string]any{"session": "s1", "turn": "s1.1"} })
		e.Input(":Acp new claude<CR>")
		e.awaitNew()
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

// Prompts reach acp-ls in the order in which they were sent, whatever it is doing
// meanwhile: starting, making the session, having told of it and not yet answered.
func TestPromptsKeepTheirOrder(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "main.go", program)
		start := e.holdNew()
		defer start()
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
		e.awaitNew()
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

// holdNew holds the answers to acp.session.new back until start is called.
func (e *env) holdNew() (start func()) {
	release := make(chan struct{})
	e.on("acp.session.new", func(arg) any {
		<-release
		return info("idle")
	})
	return sync.OnceFunc(func() { close(release) })
}

// awaitNew waits until a session is asked for.
func (e *env) awaitNew() {
	e.t.Helper()
	e.until("acp.session.new", func() bool {
		return slices.ContainsFunc(e.received, func(m message) bool { return m.Method == "acp.session.new" })
	})
}
