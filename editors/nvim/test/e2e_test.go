package nvim_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"acp-ls/internal/nvimtest"
)

// build makes acp-ls, once, in a folder that TestMain removes.
var build = sync.OnceValues(func() (string, error) {
	program := filepath.Join(buildDir, "acp-ls")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	cmd := exec.Command("go", "build", "-o", program, "./cmd/acp-ls")
	cmd.Dir = filepath.Dir(filepath.Dir(pluginDir()))
	cmd.Stderr = os.Stderr
	return program, cmd.Run()
})

const goProgram = `package main

import (
	"os"
	"fmt"
)

func main() {
	count := 1
	fmt.Println(count, os.Args)
}

func Exported() int {
	return 2
}
`

// A failure is told once, in words, with the real acp-ls: its session says so, and
// so does the answer to the command that was to open it.
func TestFailureIsToldOnce(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		program, err := build()
		if err != nil {
			t.Fatal(err)
		}
		n := nvimtest.Start(t, version, nvimtest.Args("--cmd", "set rtp^="+pluginDir()+" shortmess+=I"))
		n.Exec(`require('acp').setup({ cmd = { ... }, settings = { agents = { gone = { command = 'no-such-program' } } } })`, nil, program)
		n.Exec(`local client = require('acp.client')
			local execute = client.execute
			client.execute = function(command, arg, fn)
				execute(command, arg, function(...)
					fn(...)
					vim.g.answered = command
				end)
			end`, nil)
		n.Input(":Acp new gone<CR>")
		n.WaitScreen("agent gone could not be started")
		n.WaitLua(`vim.g.answered == 'acp.session.new'`)
		n.Exec(`vim.cmd.redraw()`, nil)
		screen := n.Screen()
		if c := strings.Count(screen, "could not be started"); c != 1 || strings.Contains(screen, "has failed") {
			t.Errorf("told %d times:\n%s", c, screen)
		}
	})
}

// A whole turn with the real acp-ls and its demonstration agent, as a user has
// it: on text that was never saved.
func TestWholeTurn(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		program, err := build()
		if err != nil {
			t.Fatal(err)
		}
		dir, args := project(t, "main.go", goProgram)
		path := filepath.Join(dir, "main.go")
		n := nvimtest.Start(t, version, nvimtest.Dir(dir), nvimtest.Args(args...))
		e := &env{Nvim: n, t: t, dir: dir}
		n.Exec(`require('acp').setup({ cmd = { ... }, keys = { global = { permission = '<F4>' } } })`, nil, program)
		idle := func() {
			t.Helper()
			n.WaitLua(`require('acp.chat').current().info.state == 'idle'`)
		}
		// answer goes to the question and answers it, once it takes answers.
		answer := func(key string) {
			t.Helper()
			n.Input("<F4>")
			n.WaitScreen("answers, q later")
			n.WaitLua(`vim.api.nvim_win_get_config(0).relative ~= '' and vim.uv.now() - require('acp.questions').since() >= 500`)
			n.Input(key)
			n.WaitGone("answers, q later")
		}

		// Text that the disk has never seen, with another count in it.
		n.Input("Go<CR>func unsaved(count int) {}<Esc>")
		n.Input(":Acp<CR>")
		n.WaitScreen("Ask demo")
		n.WaitLua(`require('acp.chat').session_id() ~= nil`)
		idle()
		n.Input("irename count to total in @main.go<Esc><CR>")
		n.WaitScreen("demo asks")
		e.picture("asked")
		answer("1")
		n.WaitScreen("2 hunks")
		idle()
		n.WaitScreen("func unsaved(total int) {}")
		e.picture("hunks")

		// The first is accepted, the second rejected.
		n.Input("<C-w>hgg]h")
		n.WaitScreen("gha accept")
		n.Input("gha")
		n.WaitScreen("1 hunk ")
		n.Input("]h")
		n.WaitScreen("gha accept")
		n.Input("ghr")
		n.WaitGone("1 hunk")
		want := strings.ReplaceAll(goProgram, "count", "total") + "\nfunc unsaved(count int) {}\n"
		n.WaitLua(`vim.fn.getline('$') == 'func unsaved(count int) {}'`)
		if got := n.Text(0) + "\n"; got != want {
			t.Errorf("after the decisions the text is\n%s\nwant\n%s", got, want)
		}

		// Undo brings the rejected change back, and redo takes it away.
		n.Input("u")
		n.WaitScreen("func unsaved(total int) {}")
		n.WaitScreen("1/1 demo")
		n.Input("<C-r>")
		n.WaitGone("1/1 demo")

		n.Input(":w<CR>")
		n.WaitLua(`not vim.bo.modified`)
		if disk, _ := os.ReadFile(path); string(disk) != want {
			t.Errorf("the disk has\n%s\nwant\n%s", disk, want)
		}

		// A command, asked for while the user types on.
		n.Input("Gotyping 1 2 3")
		n.Exec(`require('acp').prompt('run echo it works')`, nil)
		n.WaitScreen("demo asks")
		n.Input(" 4 5")
		n.WaitScreen("typing 1 2 3 4 5")
		n.Input("<Esc>")
		n.WaitLua(`vim.fn.mode() == 'n'`)
		answer("1")
		idle()
		n.WaitScreen("ended well (exit code 0)")
		e.picture("end")
	})
}
