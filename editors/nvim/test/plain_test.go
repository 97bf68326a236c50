package nvim_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/internal/nvimtest"
)

// Neovim's own LSP client, without the plugin, makes the edits of the real acp-ls
// exactly, at the end of a text too, where a position after the last line is none
// to Neovim (it has no line there) and its versions disagree on what to do.
func TestPlainClientMakesTheEdits(t *testing.T) {
	type edit struct {
		name, text, prompt, want string
		noeol                    bool
	}
	var edits []edit
	add := func(name, text, prompt, want string) {
		edits = append(edits, edit{name: name, text: text + "\n", prompt: prompt, want: want})
		edits = append(edits, edit{name: name + ", no final newline", text: text, prompt: prompt, want: want, noeol: true})
	}
	add("append", "one\ntwo", `append "three"`, "one\ntwo\nthree")
	add("append to one row", "one", `append "two"`, "one\ntwo")
	add("insert at the top", "one\ntwo", `insert "zero" at line 1`, "zero\none\ntwo")
	add("insert before the last", "one\ntwo", `insert "middle" at line 2`, "one\nmiddle\ntwo")
	add("delete the last", "one\ntwo\nthree", "delete line 3", "one\ntwo")
	add("delete the last two", "one\ntwo\nthree", "delete lines 2 to 3", "one")
	add("delete the first", "one\ntwo", "delete line 1", "two")
	add("change the last", "one\ntwo", `replace "two" with "three"`, "one\nthree")
	add("change all", "x\nx\nx", `replace "x" with "y"`, "y\ny\ny")
	add("change and append", "x\ntwo\nx", `replace "x" with "y", then append "z"`, "y\ntwo\ny\nz")
	add("append after blank rows", "one\n\n ", `append "two"`, "one\n\n \ntwo")
	add("wide characters", "日本\n𝄞", `append "é"`, "日本\n𝄞\né")
	eachVersion(t, func(t *testing.T, version string) {
		program, err := build()
		if err != nil {
			t.Fatal(err)
		}
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		n := nvimtest.Start(t, version, nvimtest.Dir(dir))
		conf := filepath.Join(n.Home, "config", "acp-ls")
		if err := os.MkdirAll(conf, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(conf, "config.json"), []byte(`{"permissions": [{"decide": "allow"}], "agents": {"demo": {"args": ["demo-agent", "--pace=0s"]}}}`), 0o600); err != nil {
			t.Fatal(err)
		}
		n.Exec(`local program, dir = ...
			_G.acp = function(command, argument)
				vim.g.answer = nil
				_G.client.request('workspace/executeCommand', { command = command, arguments = { argument } }, function(err, result)
					vim.g.answer = vim.json.encode({ err = err and err.message or nil, result = result })
				end)
			end
			_G.start = function(buf)
				local id = vim.lsp.start({ name = 'acp-ls', cmd = { program, '--debug', '--log=' .. dir .. '/log' }, root_dir = dir }, { bufnr = buf })
				local client = vim.lsp.get_client_by_id(id)
				_G.client = { request = function(...)
					if vim.fn.has('nvim-0.11') == 1 then
						return client:request(...)
					end
					return client.request(...)
				end }
			end`, nil, program, dir)
		ask := func(command string, argument map[string]any) string {
			t.Helper()
			n.Exec(`_G.acp(...)`, nil, command, argument)
			n.WaitLua(`vim.g.answer ~= nil`)
			var answer string
			n.Exec(`return vim.g.answer`, &answer)
			return answer
		}
		rows := func() (text string) {
			n.Exec(`return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')`, &text)
			return text
		}
		for i, e := range edits {
			name := fmt.Sprintf("f%d.txt", i)
			if err := os.WriteFile(filepath.Join(dir, name), []byte(e.text), 0o600); err != nil {
				t.Fatal(err)
			}
			n.Exec(`vim.cmd('edit ' .. ...); _G.start(vim.api.nvim_get_current_buf())`, nil, name)
			n.WaitLua(`vim.lsp.get_clients({ bufnr = 0 })[1] ~= nil and vim.lsp.get_clients({ bufnr = 0 })[1].initialized == true`)
			before := rows()
			answer := ask("acp.prompt", map[string]any{"text": strings.ReplaceAll(e.prompt, ",", " in @"+name+",") + " in @" + name, "wait": true})
			if got := rows(); got != e.want || !strings.Contains(answer, "end_turn") {
				t.Errorf("%s: the text is %q, want %q; answered %s", e.name, got, e.want, answer)
				continue
			}
			var eol bool
			n.Exec(`return vim.bo.eol`, &eol)
			if eol == e.noeol {
				t.Errorf("%s: eol is %v", e.name, eol)
			}
			// What is rejected goes as exactly.
			answer = ask("acp.review.reject", map[string]any{"uri": "file://" + filepath.ToSlash(filepath.Join(dir, name))})
			if got := rows(); got != before || !strings.Contains(answer, `"refused":[]`) {
				t.Errorf("%s: after rejection the text is %q, want %q; answered %s", e.name, got, before, answer)
			}
		}
		if t.Failed() {
			log, _ := os.ReadFile(filepath.Join(dir, "log"))
			t.Logf("%s", log)
		}
	})
}
