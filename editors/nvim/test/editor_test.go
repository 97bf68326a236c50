package nvim_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
	"time"
)

// Nothing of the plugin is read before it is used, and nothing of Neovim's is
// changed by its being attached.
func TestQuiet(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		var modules []string
		e.Exec(`local names = {}
			for name in pairs(package.loaded) do
				if name:match('^acp') and name ~= 'acp' and name ~= 'acp.config' then names[#names + 1] = name end
			end
			return names`, &modules)
		if len(modules) > 0 {
			t.Errorf("loaded before the first use: %v", modules)
		}
		e.open()
		e.awaitText(e.uri("a.txt"), numbers)
		e.Input("<C-w>h")
		var got struct {
			Omnifunc, K, CR string
			Signs           string
		}
		e.Exec(`return { Omnifunc = vim.bo.omnifunc, K = vim.fn.maparg('K', 'n'), CR = vim.fn.maparg('<CR>', 'n') .. vim.fn.maparg(']h', 'n') }`, &got)
		if got.Omnifunc != "" || got.K != "" || got.CR != "" {
			t.Errorf("changed in a file's buffer: %+v", got)
		}
	})
}

// Every file is a document, with a file type or without; a buffer without a name
// becomes one when it is written, one with a new name is another.
func TestDocuments(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "noext", "a\n")
		e.open()
		e.awaitText(e.uri("noext"), "a\n")
		if err := os.WriteFile(e.path("late.txt"), []byte("late\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		e.Input("<C-w>h:e late.txt<CR>")
		e.awaitText(e.uri("late.txt"), "late\n")
		e.Input(":e fresh.txt<CR>inew<Esc>")
		e.awaitText(e.uri("fresh.txt"), "new\n")

		e.Input(":enew<CR>iscratch<Esc>:w named.txt<CR>")
		e.awaitText(e.uri("named.txt"), "scratch\n")
		e.Input("x")
		e.awaitText(e.uri("named.txt"), "scratc\n")
		e.Input(":w<CR>")
		e.expect("textDocument/didSave")

		e.Input(":file moved.txt<CR>")
		e.awaitText(e.uri("moved.txt"), "scratc\n")
		e.Input("x")
		e.awaitText(e.uri("moved.txt"), "scrat\n")
		e.Input(":saveas! saved.txt<CR>")
		e.awaitText(e.uri("saved.txt"), "scrat\n")
		e.Input("x")
		e.awaitText(e.uri("saved.txt"), "scra\n")
		for _, gone := range []string{"moved.txt", "named.txt"} {
			e.until(gone+" to be closed", func() bool { return e.documents[e.uri(gone)] == nil })
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		for uri := range e.documents {
			if uri == "file://" || uri == "file:///" {
				t.Errorf("a buffer without a name was sent as %s", uri)
			}
		}
	})
}

// A name that is refused leaves the document as it is.
func TestRefusedName(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", "a\n", "b.txt", "b\n")
		e.open()
		e.Input("<C-w>h:e b.txt<CR>")
		e.awaitText(e.uri("b.txt"), "b\n")
		e.Input(":file a.txt<CR>")
		e.WaitScreen("E95")
		e.Input("Ax<Esc>")
		e.awaitText(e.uri("b.txt"), "bx\n")
		if got := e.textNow("a.txt"); got != "a\n" {
			t.Errorf("the other file is %q", got)
		}
		if got := e.edit("b.txt", e.version("b.txt"), textEdit(0, 0, 0, 0, "new\n")); !got.Applied {
			t.Errorf("refused: %s", got.FailureReason)
		}
	})
}

func TestEditorState(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", "é"+numbers)
		e.open()
		e.Input("<C-w>h0l")
		e.WaitLua(`vim.fn.col('.') == 3`)
		var got struct {
			Active struct {
				URI    string
				Ranges []struct{ Start struct{ Line, Character int } }
			}
			Visible   []string
			LastTyped float64
		}
		e.call("acp/editor", map[string]any{}, &got)
		want := 1 // UTF-16
		if e.encoding == "utf-8" {
			want = 2
		}
		if got.Active.URI != e.uri("a.txt") || len(got.Active.Ranges) != 1 || got.Active.Ranges[0].Start.Character != want {
			t.Errorf("got %+v, want character %d", got, want)
		}
		if len(got.Visible) != 1 || got.Visible[0] != e.uri("a.txt") {
			t.Errorf("visible %v", got.Visible)
		}
		e.Input("<C-w>b") // the file is still what is worked on
		e.WaitLua(`vim.bo.filetype == 'acp-prompt'`)
		e.call("acp/editor", map[string]any{}, &got)
		if got.Active.URI != e.uri("a.txt") {
			t.Errorf("active from the chat: %q", got.Active.URI)
		}
	})
}

// A program that needs the user runs in a terminal that they enter themselves.
func TestRun(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		e.Input("<C-w>hggOtyping")
		reply := e.ask("acp/run", map[string]any{
			"title": "Log in", "command": "/bin/sh",
			"args": []any{"-c", "printf 'code: '; read code; exit $((code + $ADD))"},
			"env":  map[string]any{"ADD": "3"}, "cwd": e.dir,
		})
		e.WaitScreen("code:")
		e.Input(" on")
		e.awaitText(e.uri("a.txt"), "typing on\n"+numbers)
		e.Input("<Esc><C-w>ji4<CR>")
		var got struct{ ExitCode int }
		e.result(reply, &got)
		if got.ExitCode != 7 {
			t.Errorf("exit code %d, want 7", got.ExitCode)
		}
		e.call("acp/run", map[string]any{"title": "x", "command": "/nowhere/program"}, &got)
		if got.ExitCode == 0 {
			t.Error("a program that cannot be run ended well")
		}
	})
}

func TestAsk(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "permission = { guard = 0 }", "a.txt", numbers)
		e.open()
		e.Input("<C-w>hggOab")
		form := map[string]any{
			"id": "f1", "session": "s1", "title": "About you",
			"questions": []any{
				map[string]any{"id": "name", "prompt": "Your name", "type": "string", "required": true},
				map[string]any{"id": "n", "prompt": "How many", "type": "integer"},
				map[string]any{"id": "c", "prompt": "Colour", "type": "choice", "options": []any{
					map[string]any{"id": "r", "label": "Red"}, map[string]any{"id": "g", "label": "Green"}}},
			},
		}
		reply := e.ask("acp/ask", form)
		e.WaitScreen("asks")
		e.Input("1c")
		e.awaitText(e.uri("a.txt"), "ab1c\n"+numbers)
		e.Input("<Esc>:Acp permission<CR>")
		e.WaitScreen("Answer")
		e.Input("1")
		e.WaitScreen("Your name:")
		e.Input("Ada<CR>")
		e.WaitScreen("How many:")
		e.Input("many<CR>")
		e.WaitScreen("not a number")
		e.Input("<C-u>3<CR>")
		e.WaitScreen("Green")
		e.Input("2<CR>")
		var got struct {
			Action  string
			Answers map[string]any
		}
		e.result(reply, &got)
		b, _ := json.Marshal(got)
		if string(b) != `{"Action":"accept","Answers":{"c":["g"],"n":3,"name":"Ada"}}` {
			t.Errorf("answered %s", b)
		}

		reply = e.ask("acp/ask", form)
		e.WaitScreen("asks")
		e.Input(":Acp permission<CR>")
		e.WaitScreen("1-2 answers")
		e.Input("2")
		e.result(reply, &got)
		if got.Action != "decline" {
			t.Errorf("action %q, want decline", got.Action)
		}
	})
}

func TestHealth(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.on("acp.agent.list", func(arg) any {
			return map[string]any{"agents": []any{
				map[string]any{"name": "demo", "installed": true, "running": true},
				map[string]any{"name": "claude", "installed": false, "how": "npm i -g claude-agent-acp"},
			}, "problems": []any{"editor: review.mood: unknown setting"}}
		})
		e.Input(":Acp health<CR>")
		e.WaitScreen("acp-ls of a test")
		e.WaitScreen("demo (running)")
		e.WaitScreen("npm i -g claude-agent-acp")
		e.WaitScreen("review.mood: unknown setting")
		e.WaitScreen("lsp.log")
		e.WaitScreen("options that are set: { cmd = {")
	})
}

// What is typed is sent while it is typed, however fast: Neovim by itself waits
// for a pause before the first time.
func TestTypingIsHeardOf(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		e.awaitText(e.uri("a.txt"), numbers)
		e.Input("<C-w>hgg0i")
		// Each key is a change within Neovim's own pause, which therefore never
		// ends; the server is sent the text all the same.
		heard := func() bool {
			e.mu.Lock()
			defer e.mu.Unlock()
			return slices.ContainsFunc(e.received, func(m message) bool { return m.Method == "textDocument/didChange" })
		}
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for keys := 0; !heard(); keys++ {
			if keys == 600 {
				t.Fatal("nothing has been heard of 600 keys")
			}
			e.Input("x")
			<-tick.C
		}
	})
}
