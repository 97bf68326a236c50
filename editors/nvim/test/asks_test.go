package nvim_test

import (
	"fmt"
	"strings"
	"testing"
)

// typesOn says that whoever types in the file, which is the current window's, loses no key.
func (e *env) typesOn(after string) {
	e.t.Helper()
	if mode := e.InMode(); mode != "n" {
		e.t.Fatalf("%s: mode %q: something asks:\n%s", after, mode, e.Screen())
	}
	text := e.Text(0)
	e.Input("Gox y<Esc>")
	e.WaitLua(`vim.fn.mode() == 'n' and vim.fn.getline('$') == 'x y'`)
	if got, want := e.Text(0), text+"\nx y"; got != want {
		e.t.Fatalf("%s: text %q, want %q", after, got, want)
	}
	e.Input("u")
	e.WaitLua(`vim.fn.getline('$') ~= 'x y'`)
}

// acp-ls dies while the user types: what is said of that takes no key, however narrow the screen
// is and however Neovim shows messages. It says how it died, and what to do.
func TestItsDeathTakesNoKey(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		for _, height := range []int{0, 1} {
			for _, columns := range []int{60, 80} {
				t.Run(fmt.Sprintf("%dx%d", columns, height), func(t *testing.T) {
					e := setup(t, version, "", "a.txt", numbers)
					e.Exec(`vim.o.cmdheight, vim.o.columns = ...`, nil, height, columns)
					e.open()
					e.Input("<Esc>:wincmd t<CR>GA")
					e.WaitLua(`vim.fn.mode() == 'i' and vim.fn.expand('%:t') == 'a.txt'`)
					e.Exec(`for _, pid in ipairs(vim.api.nvim_get_proc_children(vim.fn.getpid())) do vim.uv.kill(pid, 'sigkill') end`, nil)
					e.WaitLua(`#vim.lsp.get_clients() == 0 and vim.fn.execute('messages'):find('acp%-ls ended')`)
					e.Input(" x<CR>y<Esc>")
					e.WaitLua(`vim.api.nvim_get_mode().mode == 'n'`)
					if got, want := e.Text(0), strings.TrimSuffix(numbers, "\n")+" x\ny"; got != want {
						t.Errorf("text %q, want %q", got, want)
					}
					var said string
					e.Exec(`return vim.fn.execute('messages')`, &said)
					if want := "acp: acp-ls ended (signal 9): :Acp starts it again"; columns >= 80 && !strings.Contains(said, want) {
						t.Errorf("said %q, want %q", said, want)
					}
					if strings.Contains(said, "quit with exit code") {
						t.Errorf("Neovim said it as well: %q", said)
					}
				})
			}
		}
	})
}

// What fails between Neovim and acp-ls, whosever fault it is, is said without asking for a key.
func TestFailuresTakeNoKey(t *testing.T) {
	long := strings.Repeat("a long word of the server ", 20)
	for name, fails := range map[string]func(e *env){
		"an answer to nothing": func(e *env) { e.server.write(map[string]any{"id": 4711, "result": long}) },
		"no message":           func(e *env) { e.server.write(map[string]any{"what": long}) },
		"a notification of ours": func(e *env) {
			e.Exec(`local long = ...; require('acp.session').on_entry = function() error(long) end`, nil, long)
			e.notify("acp/entry", map[string]any{})
		},
		"a notification of Neovim's": func(e *env) {
			e.notify("textDocument/publishDiagnostics", map[string]any{"uri": long, "diagnostics": 5})
		},
		"a request": func(e *env) {
			e.Exec(`local long = ...; require('acp.editor').on_editor = function() error(long) end`, nil, long)
			reply := <-e.ask("acp/editor", map[string]any{})
			if reply.Error == nil {
				e.t.Errorf("answered with %s", reply.Result)
			}
		},
		"an answer": func(e *env) {
			e.Exec(`local long = ...; require('acp').execute('acp.agent.list', nil, function() error(long) end)`, nil, long)
		},
		"a long message": func(e *env) {
			e.notify("window/showMessage", map[string]any{"type": 1, "message": long + "\n" + long})
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachVersion(t, func(t *testing.T, version string) {
				e := setup(t, version, "", "a.txt", numbers)
				e.open()
				e.Input("<Esc>:wincmd t<CR>")
				e.WaitLua(`vim.fn.mode() == 'n' and vim.fn.expand('%:t') == 'a.txt'`)
				e.Exec(`vim.cmd('messages clear')`, nil)
				fails(e)
				e.WaitLua(`vim.fn.execute('messages') ~= ''`)
				e.WaitScreen("see :Acp log")
				e.typesOn(name)
			})
		})
	}
}

// An acp-ls that cannot start says so, and is not waited for.
func TestRefusedStartTakesNoKey(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.answers("initialize", &rpcError{Code: -32603, Message: strings.Repeat("no such thing here ", 20)})
		e.Exec(`require('acp.client').start(function(_, err) vim.g.failure = err end)`, nil)
		e.WaitLua(`vim.g.failure ~= nil and #vim.lsp.get_clients() == 0`)
		e.WaitLua(`vim.fn.execute('messages'):find('initialize failed') ~= nil`)
		e.typesOn("refused")
	})
}
