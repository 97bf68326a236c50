package nvim_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// agents has one that can be logged in to in several ways.
var agents = map[string]any{"agents": []any{
	map[string]any{"name": "other", "installed": true, "how": "other", "running": false},
	map[string]any{"name": "demo", "installed": true, "how": "demo", "running": true, "default": true, "methods": []any{
		map[string]any{"id": "key", "name": "API key"}, map[string]any{"id": "account", "name": "Account"}}},
}}

// What can be typed after :Acp completes, word by word.
func TestCommandCompletion(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		e.notify("acp/session", info("idle", "options", []any{
			map[string]any{"id": "mode", "name": "Mode", "type": "select", "value": "ask", "choices": []any{
				map[string]any{"value": "ask", "name": "Ask first"}, map[string]any{"value": "auto", "name": "By itself"}}},
			map[string]any{"id": "model", "name": "Model", "type": "select", "value": "m", "choices": []any{
				map[string]any{"value": "m", "name": "M"}}},
			map[string]any{"id": "fast", "name": "Fast", "type": "boolean", "value": true},
		}))
		e.WaitScreen("Ask first")
		e.on("acp.agent.list", func(arg) any { return agents })
		for line, want := range map[string][]string{
			"Acp opti":            {"option"},
			"Acp option ":         {"mode", "model", "fast"},
			"Acp option mod":      {"mode", "model"},
			"Acp option mode ":    {"ask", "auto"},
			"Acp option mode au":  {"auto"},
			"Acp option fast ":    {"on", "off"},
			"Acp option nothing ": {},
			"Acp resolve t":       {"theirs"},
			"Acp undo ":           {"turn", "session", "sessions"},
			"Acp stop ":           {},
			"Acp login d":         {"demo"},
			"Acp login demo ":     {"key", "account"},
			"Acp login demo ac":   {"account"},
			"Acp login other ":    {},
		} {
			var got []string
			if e.Exec(`return vim.fn.getcompletion(..., 'cmdline')`, &got, line); !slices.Equal(got, want) {
				t.Errorf("%q completes to %q, want %q", line, got, want)
			}
		}
	})
}

// The session one is in is marked among the others.
func TestSessions(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		e.on("acp.session.list", func(arg) any {
			return map[string]any{"sessions": []any{
				info("running", "session", "s0", "title", "Another"), info("idle", "title", "This one"),
			}}
		})
		e.Exec(`vim.ui.select = function(items, opts, choose)
			vim.g.rows = vim.tbl_map(opts.format_item, items) choose(items[1]) end`, nil)
		e.Input(":Acp sessions<CR>")
		e.WaitLua(`vim.deep_equal(vim.g.rows, { '  demo  Another · running', '● demo  This one' })`)
		e.WaitLua(`require('acp.chat').session_id() == 's0'`)
	})
}

// The agent of the chat is asked for its sessions, whether it runs or not: after a restart none
// does. What has ended with acp-ls is listed once, and with what was said in it.
func TestSessionsAfterRestart(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "agent = 'demo'", "a.txt", numbers)
		stored := func(id, title string) map[string]any {
			return info("closed", "session", "", "sessionId", id, "title", title)
		}
		var list []any
		e.on("acp.session.list", func(arg) any { return map[string]any{"sessions": list} })
		e.Exec(`vim.ui.select = function(items, opts, choose)
			vim.g.rows = vim.tbl_map(opts.format_item, items) choose(items[1]) end`, nil)
		asks := func(rows string) {
			t.Helper()
			e.Exec(`vim.g.rows = nil vim.cmd('Acp sessions')`, nil)
			if got := string(e.expect("acp.session.list")); got != `{"also":"demo"}` {
				t.Errorf("asked with %s", got)
			}
			e.WaitLua(`vim.deep_equal(vim.g.rows, ` + rows + `)`)
		}
		e.on("acp.session.load", func(arg) any { return info("idle", "sessionId", "a0", "title", "This one") })
		list = []any{stored("a0", "Of yesterday")}
		asks(`{ '  demo  Of yesterday · closed' }`)
		e.expect("acp.session.load")
		e.WaitLua(`require('acp.chat').session_id() == 's1'`)
		e.none("acp.session.new") // which would take the place of the one that was chosen

		e.entry("e1", "user", "text", "said before")
		e.WaitScreen("said before")
		e.Exec(`vim.cmd('Acp restart')`, nil)
		e.WaitScreen("acp-ls was started anew")
		list = nil // of an agent that cannot list them, or does not start
		asks(`{ '● demo  This one · closed' }`)
		list = []any{stored("a1", "Another"), stored("a0", "As the agent calls it")}
		asks(`{ '  demo  Another · closed', '● demo  This one · closed' }`)
	})
}

// A command that has nothing to do says so, and a message that is too long where all of it is.
func TestMessages(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		e.on("acp.session.entries", func(arg) any { return map[string]any{"entries": []any{}} })
		e.on("acp.review.undoable", func(arg) any { return map[string]any{"sessions": []any{}} })
		e.on("acp.cancel", func(arg) any { return map[string]any{} })
		e.notify("acp/session", info("idle"))
		e.Input("<C-w>h:Acp stop<CR>")
		e.WaitScreen("nothing to stop: no agent is at work here")
		e.Input(":Acp undo<CR>")
		e.WaitScreen("nothing to undo: there was no turn yet")
		e.Input(":Acp undo sessions<CR>")
		e.WaitScreen("no session has changed anything that is left")
		e.Input(":Acp bogus<CR>")
		e.WaitScreen("no command bogus: :Acp and <Tab> shows all")
		e.notify("acp/session", info("running", "turn", "s1.1"))
		e.WaitScreen("● working")
		e.Input(":Acp stop<CR>")
		e.expect("acp.cancel")
		if _, _, ok := e.Find("nothing to stop"); ok {
			t.Error("there is something to stop")
		}

		e.notify("window/showMessage", map[string]any{"type": 2, "message": "long " + strings.Repeat("word ", 60) + "the end"})
		e.WaitScreen("… (see :Acp log)")
		e.Input(":Acp log<CR>")
		e.WaitScreen("the end")

		// In a narrow window a message has all of the line, and no key is asked for.
		e.Exec("vim.o.columns = 80", nil)
		for _, ruler := range []bool{false, true} {
			e.Exec("vim.o.laststatus, vim.o.ruler = (...) and 0 or 2, true", nil, ruler)
			most := map[bool]int{false: 68, true: 51}[ruler] // less what is typed, and where the cursor is
			whole := strings.Repeat("whole", most)[:most-len("acp: ")]
			e.notify("window/showMessage", map[string]any{"type": 2, "message": whole})
			e.WaitScreen(whole)
			e.notify("window/showMessage", map[string]any{"type": 2, "message": "more" + whole})
			e.WaitScreen("more" + whole[:most-len("acp: more… (see :Acp log)")+len("…")-1] + "… (see :Acp log)")
			e.WaitLua("vim.api.nvim_get_mode().mode == 'n'")
		}
		e.Exec("vim.o.laststatus = 2", nil)
		e.drop()
		e.WaitScreen("acp-ls ended (code 0): :Acp starts it again")
	})
}

// A login names the agent and its method, if they are given, else the agent one is in.
func TestLogin(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		asked := make(chan string, 1)
		e.on("acp.agent.authenticate", func(a arg) any {
			asked <- string(a)
			return map[string]any{}
		})
		e.Exec(`vim.cmd('Acp login')`, nil)
		if got := <-asked; got != "{}" { // the default one
			t.Errorf("login without a session is asked with %q", got)
		}
		e.open()
		e.notify("acp/session", info("idle"))
		same := func(a, b string) bool {
			var x, y map[string]string
			return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && maps.Equal(x, y)
		}
		for typed, want := range map[string]string{
			"login": `{"agent":"demo"}`, "login gemini": `{"agent":"gemini"}`, "login gemini api-key": `{"agent":"gemini","method":"api-key"}`,
		} {
			e.Exec(`vim.cmd('Acp ' .. ...)`, nil, typed)
			if got := <-asked; !same(got, want) {
				t.Errorf("%s logs in with %q, want %q", typed, got, want)
			}
		}
	})
}

// What only a restart of the agent ends says how to restart it, as long as there is something
// to end; that ends the agent, and not acp-ls.
func TestRestartAgent(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		e.notify("acp/session", info("running"))
		e.on("acp.agent.list", func(arg) any { return agents })
		asked := make(chan string, 1)
		e.on("acp.agent.restart", func(a arg) any {
			asked <- string(a)
			return map[string]any{}
		})
		e.Input(":Acp<CR>")
		e.entry("n1", "notice", "text", "demo goes on", "restart", "demo")
		e.WaitScreen("demo goes on (:Acp restart demo)")
		e.Input("<Esc>:Acp restart demo<CR>")
		if got := <-asked; got != `{"agent":"demo"}` {
			t.Errorf("asked for %s", got)
		}
		e.WaitScreen("demo was ended")
		e.entry("n1", "notice", "text", "demo goes on")
		e.WaitGone(":Acp restart demo)")
	})
}

// A login by several methods, of which none is set, has the user choose one.
func TestLoginByOneOfSeveral(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		asked := make(chan string, 3)
		e.on("acp.agent.list", func(arg) any { return agents })
		e.on("acp.agent.authenticate", func(a arg) any {
			var p struct{ Agent, Method string }
			_ = json.Unmarshal(a, &p)
			asked <- p.Agent + " by " + p.Method
			if p.Method != "account" {
				return &rpcError{Code: -32602, Message: "name one of them", Data: map[string]any{"kind": "invalid"}}
			}
			return map[string]any{}
		})
		e.Exec(`vim.ui.select = function(items, opts, choose)
			vim.g.rows = vim.tbl_map(opts.format_item, items) choose(items[2]) end`, nil)
		for _, typed := range []string{"login", "login demo"} { // it is the one that one is in
			e.Input(":messages clear<CR>")
			e.Exec(`vim.cmd('Acp ' .. ...)`, nil, typed)
			e.WaitLua(`vim.deep_equal(vim.g.rows, { 'API key (key)', 'Account (account)' })`)
			e.WaitLua(`vim.fn.execute('messages'):find('logged in', 1, true) ~= nil`)
			if first, then := <-asked, <-asked; first != "demo by " || then != "demo by account" {
				t.Errorf("%s logs in to %q, then %q", typed, first, then)
			}
			e.Exec(`vim.g.rows = nil`, nil)
		}
		for _, typed := range []string{"login demo key", "login other"} { // there is nothing to choose
			e.Input(":messages clear<CR>")
			e.Exec(`vim.cmd('Acp ' .. ...)`, nil, typed)
			e.WaitLua(`vim.fn.execute('messages'):find('name one of them', 1, true) ~= nil`)
			<-asked
		}
		e.WaitLua(`vim.g.rows == nil`)
	})
}
