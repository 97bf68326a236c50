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
		e.WaitLua(`vim.api.nvim_win_get_config(0).relative ~= '' and vim.uv.now() - require('acp.questions').since() >= 500`)
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

// Beside the chat the whole of what is asked is shown, wrapped; of what has no room on the screen
// as much as has, and all of it to who goes there.
func TestPermissionIsShownWhole(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		for name, c := range map[string]struct {
			message    string
			shown, not []string
		}{
			"change":  {"Edit greet.go and more\n/home/me/project/greet.go (+2 -1 lines)", []string{"Edit greet.go and more", "/home/me/project/greet.go (+2 -1 lines)"}, []string{"…"}},
			"command": {"Run it\nmake " + strings.Repeat("target ", 18) + "last", []string{"Run it", " last"}, []string{"…"}},
			"long":    {"Run it\n" + strings.Repeat("one more\n", 60) + "last", []string{"Run it", "one more", "…"}, []string{"last"}},
			"one row": {"run " + strings.Repeat("on and ", 600) + "last", []string{"run on", "and", "…"}, []string{"last"}},
		} {
			t.Run(name, func(t *testing.T) {
				e := setup(t, version, "permission = { guard = 0 }", "a.txt", numbers)
				e.open()
				e.Input("<C-w>h")
				e.WaitLua(`vim.fn.expand('%:t') == 'a.txt'`)
				q := question("q1")
				q["message"] = c.message
				e.ask("acp/permission", q)
				e.WaitScreen("demo asks")
				for _, text := range c.shown {
					e.WaitScreen(text)
				}
				for _, text := range c.not {
					if _, _, ok := e.Find(text); ok {
						t.Errorf("%q is shown:\n%s", text, e.Screen())
					}
				}
				if _, _, ok := e.Find("Allow once"); ok {
					t.Error("the options are shown, which stand in the chat")
				}
				var right, chat int
				e.Exec(`for _, win in ipairs(vim.api.nvim_list_wins()) do
					if vim.bo[vim.api.nvim_win_get_buf(win)].filetype == 'acp-question' then
						return vim.fn.win_screenpos(win)[2] + vim.api.nvim_win_get_width(win)
					end
				end`, &right)
				if e.Exec(`return require('acp.panel').left()`, &chat); right > chat {
					t.Errorf("it ends at column %d, over the chat at %d", right, chat)
				}
				e.Input(":Acp permission<CR>")
				e.WaitScreen("3  Reject")
				var lines string
				e.Exec(`return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '')`, &lines)
				if !strings.Contains(lines, "last") && strings.Contains(c.message, "last") {
					t.Errorf("it has %q", lines)
				}
			})
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

// A question put off is answered with null, stays listed, and can be answered
// later all the same.
func TestPermissionLater(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "permission = { guard = 0 }", "a.txt", numbers)
		e.open()
		reply := e.ask("acp/permission", question("q1"))
		e.WaitScreen("demo asks")
		e.Input(":Acp permission<CR>")
		e.WaitScreen("1-3 answers, q later")
		e.Input("q")
		var got json.RawMessage
		e.result(reply, &got)
		if string(got) != "null" {
			t.Errorf("answered %s, want null", got)
		}
		e.WaitGone("demo asks")
		e.WaitScreen("1 question")
		e.WaitLua(`vim.bo.filetype == 'acp-prompt'`) // back where the user was

		e.Input(":Acp permission<CR>")
		e.WaitScreen("1-3 answers")
		e.Input("3")
		var answer struct{ ID, OptionID string }
		if err := json.Unmarshal(e.expect("acp.permission.answer"), &answer); err != nil {
			t.Fatal(err)
		}
		if answer.ID != "q1" || answer.OptionID != "no" {
			t.Errorf("answered %+v", answer)
		}
		e.WaitGone("question")

		// Shown again: the new request is the one that is answered.
		void := e.ask("acp/permission", question("q2"))
		again := e.ask("acp/permission", question("q2"))
		if e.result(void, &got); string(got) != "null" {
			t.Errorf("answered %s, want null", got)
		}
		e.WaitScreen("1 question")
		e.Input(":Acp permission<CR>")
		e.WaitScreen("1-3 answers")
		e.Input("j<CR>")
		var option struct{ OptionID string }
		e.result(again, &option)
		if option.OptionID != "always" {
			t.Errorf("answered %q", option.OptionID)
		}
	})
}

// Several may be open; each is answered by itself, in any order, and withdrawn by
// itself.
func TestPermissionsAtOnce(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "permission = { guard = 0 }", "a.txt", numbers)
		e.open()
		other := question("q2")
		other["message"] = "Write to /etc/passwd"
		first, second := e.ask("acp/permission", question("q1")), e.ask("acp/permission", other)
		third := e.ask("acp/permission", question("q3"))
		e.WaitScreen("3 questions")
		e.WaitScreen("demo asks 1/3")
		e.Input(":Acp permission<CR>")
		e.WaitScreen("1-3 answers")
		e.notify("acp/dismiss", map[string]any{"id": "q1"}) // while the user looks at it
		e.WaitScreen("Write to /etc/passwd")
		var withdrawn json.RawMessage
		if e.result(first, &withdrawn); string(withdrawn) != "null" {
			t.Errorf("a withdrawn question was answered: %s", withdrawn)
		}
		var got struct{ OptionID string }
		e.Input("3")
		if e.result(second, &got); got.OptionID != "no" {
			t.Errorf("answered %q", got.OptionID)
		}
		e.WaitScreen("make test && rm -rf build")
		e.Input("1")
		if e.result(third, &got); got.OptionID != "once" {
			t.Errorf("answered %q", got.OptionID)
		}
		e.WaitGone("demo asks")
	})
}

// A question that comes by itself while the user goes to those that are open is
// answered all the same.
func TestPermissionAskedForAndSent(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "permission = { guard = 0 }", "a.txt", numbers)
		e.open()
		release := make(chan struct{})
		e.on("acp.permission.list", func(arg) any {
			<-release
			return map[string]any{"questions": []any{question("q1")}}
		})
		e.Input(":Acp permission<CR>")
		e.expect("acp.permission.list")
		reply := e.ask("acp/permission", question("q1"))
		e.WaitScreen("demo asks")
		close(release)
		e.WaitScreen("1-3 answers")
		e.Input("2")
		var got struct{ OptionID string }
		if e.result(reply, &got); got.OptionID != "always" {
			t.Errorf("answered %q", got.OptionID)
		}
		e.WaitGone("demo asks")
	})
}

// The questions of the session one is in come first; which session asks is said.
func TestPermissionOfAnotherSession(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "permission = { guard = 0 }", "a.txt", numbers)
		e.open()
		e.notify("acp/session", info("waiting", "title", "Mend the tests"))
		other := question("q1")
		other["session"], other["agent"] = "s2", "claude"
		e.notify("acp/session", info("waiting", "session", "s2", "agent", "claude", "title", "Write the docs"))
		e.ask("acp/permission", other)
		e.WaitScreen("claude asks in Write the docs")
		own := e.ask("acp/permission", question("q2"))
		e.WaitScreen("demo asks 1/2 · Mend the")
		e.Exec(`require('acp.chat').show('s2')`, nil)
		e.WaitScreen("claude asks 1/2 · Write the docs")
		e.Exec(`require('acp.chat').show('s1')`, nil)
		e.WaitScreen("demo asks 1/2")
		e.Input(":Acp permission<CR>")
		e.WaitScreen("1-3 answers")
		e.Input("1")
		var got struct{ OptionID string }
		if e.result(own, &got); got.OptionID != "once" {
			t.Errorf("answered %q", got.OptionID)
		}
		e.WaitScreen("claude asks in Write the docs")
	})
}

func TestPermissionInTheChat(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "permission = { guard = 600000 }", "a.txt", numbers)
		e.open()
		reply := e.ask("acp/permission", question("q1"))
		e.entry("e1", "permission", "question", question("q1"))
		e.WaitScreen("? demo asks")
		e.Input("<C-w>k/Always<CR><CR>") // too early to have been meant
		e.WaitLua(`vim.fn.getline('.'):match('Always') ~= nil`)
		select {
		case m := <-reply:
			t.Fatalf("answered by a key on its way: %s", m.Result)
		default:
		}
		e.Exec(`require('acp.config').get().permission.guard = 0`, nil)
		e.Input("<CR>")
		var got struct{ OptionID string }
		if e.result(reply, &got); got.OptionID != "always" {
			t.Errorf("answered %q", got.OptionID)
		}
		e.WaitGone(":Acp permission")
		e.entry("e1", "permission", "question", question("q1"), "answer", "Always allow")
		e.WaitScreen("? Run make test: Always allow")
		e.WaitGone("1 Allow once")
	})
}

// Without the chat, a question is shown whole; the keys of a command line being
// typed are not its business either.
func TestPermissionWhileTypingACommand(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		e.Input(":Acp close<CR>")
		e.WaitGone("@ context")
		e.Input(":let g:typed = '1")
		reply := e.ask("acp/permission", question("q1"))
		e.WaitScreen("make test && rm -rf build")
		e.WaitScreen("3  Reject")
		e.picture("asked")
		e.Input("2q3'<CR>")
		e.WaitLua(`vim.g.typed == '12q3'`)
		select {
		case m := <-reply:
			t.Fatalf("answered by typing: %s", m.Result)
		default:
		}
	})
}

// The question of a plain LSP server is asked in the same way; others keep
// Neovim's own.
func TestMessageRequest(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "permission = { guard = 0 }", "a.txt", numbers)
		e.open()
		e.Exec(`vim.ui.select = function(items, _, choose) vim.schedule(function() choose(items[2]) end) end`, nil)
		q := question("q1")
		actions := []any{map[string]any{"title": "Decide later"}}
		for _, o := range q["options"].([]any) {
			o := o.(map[string]any)
			actions = append(actions, map[string]any{"title": o["name"], "optionId": o["optionId"]})
		}
		var got struct{ Title, OptionID string }
		reply := e.ask("window/showMessageRequest", map[string]any{"type": 3, "message": "Run make test", "actions": actions, "acp": q})
		e.WaitScreen("asks")
		e.Input(":Acp permission<CR>")
		e.WaitScreen("1-3 answers")
		e.Input("2")
		if e.result(reply, &got); got.Title != "Always allow" || got.OptionID != "always" {
			t.Errorf("answered %+v", got)
		}
		e.call("window/showMessageRequest", map[string]any{"type": 3, "message": "Other", "actions": []any{
			map[string]any{"title": "a"}, map[string]any{"title": "b"}}}, &got)
		if got.Title != "b" {
			t.Errorf("answered %+v", got)
		}
	})
}
