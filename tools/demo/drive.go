package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/internal/nvimtest"
)

// wanted is greet.go as the driven session leaves it: the imports' new order
// accepted, the doc comment rejected, the user's own function kept.
const wanted = `package main

import (
	"fmt"
	"os"
	"strings"
)

func main() {
	fmt.Println(greeting(os.Args[1:]))
}

func greeting(names []string) string {
	if len(names) == 0 {
		return "Hello!"
	}
	return "Hello, " + strings.Join(names, " and ") + "!"
}

func Farewell(name string) string {
	return "Goodbye, " + name + "!"
}
`

// drive goes through the guide with keys.
func (s *scene) drive(nvim string) (err error) {
	if err := os.Setenv("ACP_LS_NVIM_012", nvim); err != nil { // whatever its version
		return err
	}
	d := &driver{scene: s}
	defer func() {
		d.end()
		switch r := recover().(type) {
		case nil:
		case failure:
			err = errors.New(string(r))
		default:
			panic(r)
		}
	}()
	d.Nvim = nvimtest.Start(d, "0.12", nvimtest.Dir(s.project), nvimtest.Args(s.args()...))
	d.play()
	return nil
}

func (d *driver) play() {
	d.WaitScreen("Farewell(name string)")
	d.show("The file is open with a function that was never saved")

	d.Input(":Acp<CR>")
	d.WaitLua(`require('acp.chat').session_id() ~= nil`)
	d.Input("<Esc>iwhat does @greet.go do<Esc><CR>")
	d.WaitScreen("I cannot know.")
	d.WaitScreen("Farewell (line 20)")
	d.show("Asked about the file, the agent knows the unsaved function")

	d.Input("isort the imports and add doc comments in @greet.go<Esc><CR>")
	d.allow("Edit greet.go")
	d.allow("Edit greet.go")
	d.WaitScreen("yours to add.")
	d.Input("<Esc><C-w>h")
	d.WaitScreen("3/3 demo")
	d.show("All changes are there, to be decided on one by one")

	// A line that moved is two hunks: where it was, and where it is.
	d.Input("gg")
	for _, left := range []string{"2/2 demo", "1/1 demo"} {
		d.Input("]h")
		d.WaitScreen("gha accept")
		d.hunk()
		d.Input("gha")
		d.WaitScreen(left)
	}
	d.Input("]h")
	d.WaitScreen("gha accept")
	d.hunk()
	d.Input("ghr")
	d.WaitGone("1/1 demo")
	d.show("The new order of the imports is accepted, the comment rejected")

	d.expectText("all decided", wanted)
	d.Input("u")
	d.WaitScreen("// Farewell takes")
	d.Input("<C-r>")
	d.WaitGone("// Farewell takes")
	d.Input(":w<CR>")
	d.WaitLua(`not vim.bo.modified`)
	b, err := os.ReadFile(filepath.Join(d.project, "greet.go"))
	if err != nil {
		d.Fatalf("%v", err)
	}
	if string(b) != wanted {
		d.Fatalf("greet.go was saved as\n%s", b)
	}
	d.print("The text after undo, redo and saving", string(b))

	d.Input(":Acp<CR>")
	d.Input("<Esc>irun go vet .<Esc><CR>")
	d.allow("go vet .")
	d.WaitScreen("ended well")
	d.show("A command ran in a terminal, after a question")
	fmt.Println("All went as it should.")
}

// allow answers the question that is open with its first option.
func (d *driver) allow(what string) {
	d.WaitLua(`require('acp.questions').count() == 1`) // the conversation has it before
	d.WaitScreen(what)
	d.Input("<Esc>:Acp permission<CR>")
	d.WaitScreen("answers")
	d.WaitLua(`vim.api.nvim_win_get_config(0).relative ~= '' and vim.uv.now() - require('acp.questions').since() >= require('acp.config').get().permission.guard`)
	d.Input("1")
	// The next question may be there at once: the conversation tells one from the other.
	d.answered++
	d.WaitLua(fmt.Sprintf(`vim.iter(vim.api.nvim_list_bufs()):any(function(buf)
		return vim.iter(vim.api.nvim_buf_get_lines(buf, 0, -1, false)):filter(function(line)
			return line:find('^? .*: Allow')
		end):fold(0, function(n) return n + 1 end) == %d
	end)`, d.answered))
}

func (d *driver) expectText(when, want string) {
	var got string
	d.Exec(`return table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr('greet.go'), 0, -1, true), '\n') .. '\n'`, &got)
	if got != want {
		d.Fatalf("%s: the text is\n%s", when, got)
	}
}

// hunk prints what the hunk under the cursor takes away and puts in.
func (d *driver) hunk() {
	var got struct {
		Base string `msgpack:"baseText"`
		Text string `msgpack:"text"`
	}
	d.Exec(`local row = vim.api.nvim_win_get_cursor(0)[1] - 1
		local h = require('acp.hunks').at(vim.api.nvim_get_current_buf(), row, row)[1].hunk
		return { baseText = h.baseText, text = h.text }`, &got)
	var b strings.Builder
	for _, l := range lines(got.Base) {
		if got.Base != "" {
			fmt.Fprintln(&b, "-", l)
		}
	}
	for _, l := range lines(got.Text) {
		if got.Text != "" {
			fmt.Fprintln(&b, "+", l)
		}
	}
	d.print("The change under the cursor", b.String())
}

func (d *driver) show(title string) { d.print(title, d.Screen()) }

func (d *driver) print(title, text string) {
	fmt.Printf("=== %s\n\n%s\n\n", title, strings.TrimRight(text, "\n "))
}

// driver is a Neovim, and what nvimtest needs of a test: a failure ends the
// drive.
type driver struct {
	testing.TB // nil: for the method nobody can have
	*nvimtest.Nvim
	*scene
	answered int // questions
	failed   bool
	cleanups []func()
	temp     []string
}

type failure string

func (d *driver) Helper()                 {}
func (d *driver) Failed() bool            { return d.failed }
func (d *driver) Cleanup(f func())        { d.cleanups = append(d.cleanups, f) }
func (d *driver) Logf(f string, a ...any) { fmt.Fprintf(os.Stderr, f+"\n", a...) }

func (d *driver) Fatalf(format string, args ...any) {
	d.failed = true
	panic(failure(fmt.Sprintf(format, args...)))
}

func (d *driver) TempDir() string {
	dir, err := os.MkdirTemp("", "acp-ls-demo-home-")
	if err != nil {
		d.Fatalf("%v", err)
	}
	d.temp = append(d.temp, dir)
	return dir
}

func (d *driver) end() {
	for len(d.cleanups) > 0 {
		f := d.cleanups[len(d.cleanups)-1]
		d.cleanups = d.cleanups[:len(d.cleanups)-1]
		f()
	}
	for _, dir := range d.temp {
		_ = os.RemoveAll(dir)
	}
}
