package nvim_test

import (
	"encoding/json"
	"strings"
	"testing"
)

func question(id string) map[string]any {
	return map[string]any{
		"id": id, "session": "s1", "agent": "demo",
		"toolCall": map[string]any{"id": "c1", "title": "Run make test", "kind": "execute", "status": "pending"},
		"message":  "Run make test\n\nmake test && rm -rf build",
		"options": []any{
			map[string]any{"optionId": "once", "name": "Allow once", "kind": "allow_once"},
			map[string]any{"optionId": "always", "name": "Always allow", "kind": "allow_always"},
			map[string]any{"optionId": "no", "name": "Reject", "kind": "reject_once"},
		},
	}
}

// A question that comes while the user types takes none of the keys.
func TestPermissionTakesNoKeys(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		e.Input("<C-w>hgg0iab")
		e.awaitText(e.uri("a.txt"), "ab"+numbers)
		reply := e.ask("acp/permission", question("q1"))
		e.WaitScreen("demo asks")
		e.picture("asked")
		e.Input("c1<CR>2q3")
		e.awaitText(e.uri("a.txt"), "abc1\n2q3"+numbers)
		if mode := e.InMode(); mode != "i" {
			t.Errorf("mode is %q, want insert", mode)
		}
		select {
		case m := <-reply:
			t.Fatalf("answered by typing: %s", m.Result)
		default:
		}
		e.Input("<Esc>:Acp permission<CR>")
		e.WaitScreen("1-3 answers")
		e.WaitLua(`vim.uv.now() - require('acp.questions').since() >= 500`)
		e.Input("2")
		var got struct{ OptionID string }
		e.result(reply, &got)
		if got.OptionID != "always" {
			t.Errorf("answered %q, want always", got.OptionID)
		}
		e.WaitGone("demo asks")
		if text := e.Text(0); !strings.HasPrefix(text, "abc1\n2q3one") {
			t.Errorf("buffer is %q", text)
		}
	})
}

// A key that was on its way when the question was entered answers nothing.
func TestPermissionGuard(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "permission = { guard = 600000 }", "a.txt", numbers)
		e.open()
		reply := e.ask("acp/permission", question("q1"))
		e.WaitScreen("demo asks")
		e.Input("<Esc>:Acp permission<CR>1<CR>2")
		e.WaitScreen("1-3 answers")
		e.notify("acp/dismiss", map[string]any{"id": "q1"})
		var got json.RawMessage
		e.result(reply, &got)
		if string(got) != "null" {
			t.Errorf("answered %s, want null: it was withdrawn", got)
		}
		e.WaitGone("demo asks")
	})
}
