package nvim_test

import (
	"testing"
)

func TestChat(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "main.go", "package main\n\nfunc main() {\n\tprintln(\"hello\")\n}\n")
		e.open()
		e.Input("iHello there<Esc><CR>")
		e.expect("acp.prompt")
		e.notify("acp/session", info("running", "turn", "t1"))
		e.entry("e1", "user", "text", "Hello there")
		e.entry("e2", "thought", "text", "Let me think")
		e.entry("e3", "tool", "tool", map[string]any{"id": "c1", "title": "Read main.go", "kind": "read", "status": "completed", "locations": []any{map[string]any{"path": e.path("main.go"), "line": 3}}})
		e.entry("e4", "agent", "text", "# Head\nSome **bold** and `code` text.\n\n```lua\nlocal x = 1\n```\n- one\n- two\n")
		e.chunk("e4", "More streamed *text* here")
		e.WaitScreen("More streamed")
		e.picture("end")
	})
}
