package nvim_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

type editResult struct {
	Applied       bool
	FailureReason string
	ACP           struct{ ReadOnly bool }
}

func (e *env) edit(name string, version any, edits ...any) editResult {
	e.t.Helper()
	var got editResult
	e.result(e.askEdit(name, version, edits...), &got)
	return got
}

func (e *env) askEdit(name string, version any, edits ...any) <-chan message {
	return e.ask("workspace/applyEdit", map[string]any{"label": "demo", "edit": map[string]any{
		"documentChanges": []any{map[string]any{
			"textDocument": map[string]any{"uri": e.uri(name), "version": version},
			"edits":        edits,
		}},
	}})
}

func textEdit(l1, c1, l2, c2 int, text string) map[string]any {
	return map[string]any{"range": rng(l1, c1, l2, c2), "newText": text}
}

// Neovim's own handler answers applied:true to an edit it dropped.
func TestStaleEditIsRefused(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		stale := e.awaitText(e.uri("a.txt"), numbers)
		e.Input("<C-w>hggx")
		now := e.awaitText(e.uri("a.txt"), numbers[1:])
		for _, version := range []any{stale, now + 1, nil} {
			if got := e.edit("a.txt", version, textEdit(1, 0, 2, 0, "")); got.Applied {
				t.Errorf("an edit of version %v was applied, the document is at %d", version, now)
			} else if got.FailureReason == "" {
				t.Errorf("no reason given for refusing version %v", version)
			}
		}
		if got := e.edit("b.txt", 0, textEdit(0, 0, 0, 0, "x")); got.Applied {
			t.Error("an edit of a file that is not open was applied")
		}
		if text := e.Text(0); text+"\n" != numbers[1:] {
			t.Errorf("the buffer is %q", text)
		}
		if got := e.edit("a.txt", now, textEdit(1, 0, 2, 0, "")); !got.Applied {
			t.Errorf("an edit of the right version was refused: %s", got.FailureReason)
		}
		e.awaitText(e.uri("a.txt"), strings.Replace(numbers[1:], "two\n", "", 1))
	})
}

// An edit while the user types is an undo step of its own, and the cursor stays
// with its text.
func TestEditWhileTyping(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		e.Input("<C-w>h3GA 1")
		typed := strings.Replace(numbers, "three", "three 1", 1)
		v := e.awaitText(e.uri("a.txt"), typed)
		got := e.edit("a.txt", v, textEdit(0, 0, 1, 0, "ONE\nand\n"), textEdit(7, 0, 8, 0, "EIGHT\n"))
		if !got.Applied {
			t.Fatalf("refused: %s", got.FailureReason)
		}
		e.Input("23")
		want := strings.NewReplacer("one\n", "ONE\nand\n", "three", "three 123", "eight", "EIGHT").Replace(numbers)
		e.awaitText(e.uri("a.txt"), want)
		e.Input("<Esc>u")
		e.awaitText(e.uri("a.txt"), strings.Replace(want, "three 123", "three 1", 1))
		e.Input("u")
		e.awaitText(e.uri("a.txt"), typed)
		e.Input("u")
		e.awaitText(e.uri("a.txt"), numbers)
		e.Input("3<C-r>")
		e.awaitText(e.uri("a.txt"), want)
	})
}

// Rows that are put in right where the user types, at the start of a row, go in
// front of what is typed: the user stays in the row they were in.
func TestRowsPutInWhereTheUserTypes(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		v := e.awaitText(e.uri("a.txt"), numbers)
		e.Input("<C-w>h4G0i")
		if got := e.edit("a.txt", v, textEdit(3, 0, 3, 0, "NEW\n")); !got.Applied {
			t.Fatalf("refused: %s", got.FailureReason)
		}
		e.Input("def")
		e.awaitText(e.uri("a.txt"), strings.Replace(numbers, "four", "NEW\ndeffour", 1))
	})
}

func TestSave(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		e.Exec(`vim.api.nvim_create_autocmd('BufWritePre', { callback = function()
			vim.cmd('keepjumps %s/two/TWO/e') end })`, nil)
		e.Input("<C-w>h5Gx")
		e.awaitText(e.uri("a.txt"), strings.Replace(numbers, "five", "ive", 1))
		var got struct{ Saved bool }
		e.call("acp/save", map[string]any{"uri": e.uri("a.txt"), "format": true}, &got)
		want := strings.NewReplacer("five", "ive", "two", "TWO").Replace(numbers)
		if !got.Saved {
			t.Error("not saved")
		}
		if disk, _ := os.ReadFile(e.path("a.txt")); string(disk) != want {
			t.Errorf("the disk has %q, want %q", disk, want)
		}
		e.expect("textDocument/didSave")
	})
}

// A save for an agent that fails, as one does whose formatter is broken, leaves the buffer unsaved:
// the user is told what has failed, once.
func TestSaveThatFails(t *testing.T) {
	for name, fail := range map[string]string{
		"a callback": `vim.api.nvim_create_autocmd('BufWritePre', { callback = function() error(vim.g.broken, 0) end })`,
		"a command":  `vim.cmd([[autocmd BufWritePre * throw g:broken]])`,
	} {
		t.Run(name, func(t *testing.T) {
			eachVersion(t, func(t *testing.T, version string) {
				e := setup(t, version, "", "a.txt", numbers)
				e.open()
				e.Exec(`vim.g.said, vim.g.broken = {}, 'formatter is broken'
					vim.notify = function(text) vim.g.said = vim.list_extend({ text }, vim.g.said) end `+fail, nil)
				e.Input("<C-w>h5Gx")
				changed := strings.Replace(numbers, "five", "ive", 1)
				e.awaitText(e.uri("a.txt"), changed)
				save := func(want string, times int) {
					t.Helper()
					var got struct {
						Saved  bool
						Reason string
					}
					e.call("acp/save", map[string]any{"uri": e.uri("a.txt"), "format": true}, &got)
					if got.Saved || !strings.Contains(got.Reason, want) || strings.Contains(got.Reason, "\n") {
						t.Errorf("saved %v, %q", got.Saved, got.Reason)
					}
					var said []string
					e.Exec(`return vim.g.said`, &said)
					if len(said) != times || !strings.Contains(said[0], "a.txt is not saved: ") || !strings.Contains(said[0], want) {
						t.Errorf("said %q", said)
					}
				}
				save("formatter is broken", 1)
				save("formatter is broken", 1)
				e.Exec(`vim.g.broken = 'formatter is gone'`, nil)
				save("formatter is gone", 2)
				if disk, _ := os.ReadFile(e.path("a.txt")); string(disk) != numbers {
					t.Errorf("the disk has %q", disk)
				}
				e.awaitText(e.uri("a.txt"), changed)
			})
		})
	}
}

// What a save changes in a buffer is told apart from what the user has typed; and a text can be
// saved as it is, which the user's other autocommands hear of all the same.
func TestSaveWithoutFormatting(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		e.Exec(`vim.api.nvim_create_autocmd('BufWritePre', { callback = function()
			vim.cmd('keepjumps %s/two/TWO/e') end })
			vim.api.nvim_create_autocmd('BufWritePost', { callback = function() vim.g.written = (vim.g.written or 0) + 1 end })
			vim.o.eventignore = 'CursorHold'`, nil)
		save := func(format bool, want string, changes ...bool) {
			t.Helper()
			var got struct{ Saved bool }
			e.call("acp/save", map[string]any{"uri": e.uri("a.txt"), "format": format}, &got)
			if disk, _ := os.ReadFile(e.path("a.txt")); !got.Saved || string(disk) != want {
				t.Errorf("saved %v, the disk has %q, want %q", got.Saved, disk, want)
			}
			for _, saved := range changes {
				var change struct{ ACP struct{ Save bool } }
				if err := json.Unmarshal(e.expect("textDocument/didChange"), &change); err != nil || change.ACP.Save != saved {
					t.Errorf("%v; a change by the save: %v, want %v", err, change.ACP.Save, saved)
				}
			}
			e.expect("textDocument/didSave")
			e.none("textDocument/didChange")
		}
		e.Input("<C-w>h5Gx")
		// The key is not told of yet, as it would be in a moment.
		e.WaitLua(`vim.bo.modified`)
		text := strings.Replace(numbers, "five", "ive", 1)
		save(false, text, false)
		e.Input("x")
		e.WaitLua(`vim.bo.modified`)
		text = strings.NewReplacer("ive", "ve", "two", "TWO").Replace(text)
		save(true, text, false, true)
		e.WaitLua(`vim.g.written == 2 and vim.o.eventignore == 'CursorHold'`)
		e.Input("u") // what the formatter did
		e.WaitLua(`vim.fn.getline(2) == 'two'`)
		e.Input(":w<CR>")
		e.WaitLua(`vim.fn.getline(2) == 'TWO' and not vim.bo.modified`) // the user's own saves are theirs
	})
}

// A buffer in which the user has typed since the version that is to be saved is not saved, and
// acp-ls is told of the keys before it is told that.
func TestSaveOfVersion(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		e.Input("<C-w>h5Gx")
		v := e.awaitText(e.uri("a.txt"), strings.Replace(numbers, "five", "ive", 1))
		e.Input("x")
		e.WaitLua(`vim.fn.getline(5) == 've'`)
		save := func(v int) (saved bool) {
			var got struct{ Saved bool }
			e.call("acp/save", map[string]any{"uri": e.uri("a.txt"), "version": v, "format": true}, &got)
			return got.Saved
		}
		if save(v) {
			t.Error("saved with what was typed since")
		}
		if disk, _ := os.ReadFile(e.path("a.txt")); string(disk) != numbers {
			t.Errorf("the disk has %q", disk)
		}
		text := strings.Replace(numbers, "five", "ve", 1)
		if !save(e.awaitText(e.uri("a.txt"), text)) {
			t.Error("not saved")
		}
		if disk, _ := os.ReadFile(e.path("a.txt")); string(disk) != text {
			t.Errorf("the disk has %q", disk)
		}
	})
}

// A file that has changed on disk is not written over, and nobody is asked.
func TestSaveOverNewerFile(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		e.Input("<C-w>h5Gx")
		e.awaitText(e.uri("a.txt"), strings.Replace(numbers, "five", "ive", 1))
		if err := os.WriteFile(e.path("a.txt"), []byte("other\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		var got struct {
			Saved  bool
			Reason string
		}
		e.call("acp/save", map[string]any{"uri": e.uri("a.txt")}, &got)
		if got.Saved || !strings.Contains(got.Reason, "disk") {
			t.Errorf("got %+v, want a refusal that names the disk", got)
		}
		if disk, _ := os.ReadFile(e.path("a.txt")); string(disk) != "other\n" {
			t.Errorf("the disk has %q", disk)
		}
	})
}

func TestReload(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		e.awaitText(e.uri("a.txt"), numbers)
		e.Input("<C-w>h5G")
		changed := numbers + "nine\n"
		if err := os.WriteFile(e.path("a.txt"), []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		var got struct{ Reloaded bool }
		e.call("acp/reload", map[string]any{"uri": e.uri("a.txt")}, &got)
		if !got.Reloaded {
			t.Error("not reloaded")
		}
		e.awaitText(e.uri("a.txt"), changed)
		var line int
		e.Exec(`return vim.fn.line('.')`, &line)
		if line != 5 {
			t.Errorf("the cursor is in line %d, want 5", line)
		}

		e.Input("ix<Esc>")
		e.awaitText(e.uri("a.txt"), strings.Replace(changed, "five", "xfive", 1))
		if err := os.WriteFile(e.path("a.txt"), []byte("gone\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		e.call("acp/reload", map[string]any{"uri": e.uri("a.txt")}, &got)
		if got.Reloaded {
			t.Error("a buffer with unsaved changes was reloaded")
		}
		e.Input("ix<Esc>")
		e.awaitText(e.uri("a.txt"), strings.Replace(changed, "five", "xxfive", 1))
	})
}

// The disk has moved under a buffer with unsaved changes: both are kept, in one
// step, also while the user types and whether or not Neovim has noticed before.
func TestAdopt(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		for _, noticed := range []bool{false, true} {
			e := setup(t, version, "", "a.txt", numbers)
			e.open()
			e.notify("acp/session", info("running")) // else Neovim's question is the user's
			e.WaitScreen("● working")
			e.Input("<C-w>h5GAx")
			typed := strings.Replace(numbers, "five", "fivex", 1)
			v := e.awaitText(e.uri("a.txt"), typed)
			disk := strings.Replace(numbers, "two\n", "two\nand a half\n", 1)
			if err := os.WriteFile(e.path("a.txt"), []byte(disk), 0o600); err != nil {
				t.Fatal(err)
			}
			if noticed {
				e.Exec(`vim.cmd('checktime')`, nil)
			}
			merged := strings.Replace(disk, "five", "fivex", 1)
			var got struct{ Adopted bool }
			e.call("acp/adopt", map[string]any{"uri": e.uri("a.txt"), "version": v - 1, "text": merged}, &got)
			if got.Adopted {
				t.Error("adopted a text of another version")
			}
			e.call("acp/adopt", map[string]any{"uri": e.uri("a.txt"), "version": v, "text": merged}, &got)
			if !got.Adopted {
				t.Fatal("not adopted")
			}
			e.Input("z<C-u>xy") // as far as the insertion goes, which has begun in another row
			e.awaitText(e.uri("a.txt"), strings.Replace(disk, "five", "fivexy", 1))
			e.Input("<Esc>:w<CR>")
			e.expect("textDocument/didSave")
			if got, _ := os.ReadFile(e.path("a.txt")); string(got) != strings.Replace(disk, "five", "fivexy", 1) {
				t.Errorf("the disk has %q", got)
			}
			e.Input("uu") // <C-u> is a step of its own
			e.awaitText(e.uri("a.txt"), merged)
			e.Input("u")
			e.awaitText(e.uri("a.txt"), typed)
		}
	})
}

// The cursor of whoever types stays with their text when the file is saved or
// reloaded for the agent.
func TestCursorStays(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		e.Exec(`vim.api.nvim_create_autocmd('BufWritePre', { callback = function()
			vim.cmd('keepjumps keeppatterns %s/one/one\\ra new line/e') vim.cmd('keepjumps normal! G') end })`, nil)
		e.Input("<C-w>h5GA:")
		e.awaitText(e.uri("a.txt"), strings.Replace(numbers, "five", "five:", 1))
		var saved struct{ Saved bool }
		e.call("acp/save", map[string]any{"uri": e.uri("a.txt")}, &saved)
		e.Input("x")
		text := strings.NewReplacer("one", "one\na new line", "five", "five:x").Replace(numbers)
		e.awaitText(e.uri("a.txt"), text)

		e.Input("<Esc>:w<CR>")
		e.WaitLua(`not vim.bo.modified`)
		text = strings.Replace(text, "one", "one\na new line", 1) // the formatter again
		e.awaitText(e.uri("a.txt"), text)
		e.Input("/five<CR>0")
		if err := os.WriteFile(e.path("a.txt"), []byte("above\nand more\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
		var reloaded struct{ Reloaded bool }
		e.call("acp/reload", map[string]any{"uri": e.uri("a.txt")}, &reloaded)
		if !reloaded.Reloaded {
			t.Fatal("not reloaded")
		}
		var line string
		e.Exec(`return vim.fn.getline('.')`, &line)
		if line != "five:x" {
			t.Errorf("the cursor is on %q", line)
		}
	})
}

// An edit of a buffer that is read-only for Neovim, which could not be saved, is refused for good. What
// is unsaved in it the user sees to, with that edit, which is made without Neovim's warning:
// that takes a second. One that cannot be changed is refused as well.
func TestReadOnly(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		v := e.awaitText(e.uri("a.txt"), numbers)
		e.Input("<C-w>h:set readonly<CR>")
		e.WaitLua("vim.bo.readonly")
		if got := e.edit("a.txt", v, textEdit(0, 0, 0, 3, "ONE")); got.Applied || !got.ACP.ReadOnly || got.FailureReason != "'readonly' is set" {
			t.Errorf("got %+v", got)
		}
		e.Input(":set noreadonly<CR>ggx:set readonly<CR>")
		e.WaitLua("vim.bo.readonly and vim.bo.modified")
		v = e.awaitText(e.uri("a.txt"), numbers[1:])
		if got := e.edit("a.txt", v, textEdit(0, 0, 0, 2, "ONE")); !got.Applied {
			t.Errorf("refused: %s", got.FailureReason)
		}
		v = e.awaitText(e.uri("a.txt"), strings.Replace(numbers, "one", "ONE", 1))
		var readonly bool
		e.Exec("return vim.bo.readonly", &readonly)
		if !readonly {
			t.Error("the buffer is not read-only any more")
		}
		if strings.Contains(e.Screen(), "W10") {
			t.Errorf("Neovim warns:\n%s", e.Screen())
		}
		e.Input(":set nomodifiable<CR>")
		e.WaitLua("not vim.bo.modifiable")
		if got := e.edit("a.txt", v, textEdit(0, 0, 0, 3, "one")); got.Applied || !got.ACP.ReadOnly || got.FailureReason != "'nomodifiable' is set" {
			t.Errorf("got %+v", got)
		}
	})
}

// Edits of text with characters of several bytes, and at the end of the file.
func TestEditPositions(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", "aé😀b\nlast")
		e.open()
		v := e.awaitText(e.uri("a.txt"), "aé😀b\nlast")
		from, to := 2, 4 // UTF-16
		if e.encoding == "utf-8" {
			from, to = 3, 7
		}
		got := e.edit("a.txt", v, textEdit(0, from, 0, to, "日"), textEdit(1, 4, 1, 4, "\nmore"))
		if !got.Applied {
			t.Fatalf("refused: %s", got.FailureReason)
		}
		e.awaitText(e.uri("a.txt"), "aé日b\nlast\nmore")
	})
}

// Other language servers come and go in the same buffer; Neovim keeps one version
// for all of them, and sets it back to 0 for each.
func TestEditBesideAnotherServer(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		e.Input("<C-w>hggx")
		v := e.awaitText(e.uri("a.txt"), numbers[1:])
		e.Exec(`vim.lsp.start({ name = 'other', root_dir = vim.fn.getcwd(), cmd = function()
			return {
				request = function(_, _, reply)
					vim.schedule(function() reply(nil, { capabilities = { textDocumentSync = 2 } }) end)
					return true, 1
				end,
				notify = function(method) if method == 'textDocument/didOpen' then vim.g.other = 1 end return true end,
				is_closing = function() return false end,
				terminate = function() end,
			}
		end }, { bufnr = vim.fn.bufnr('a.txt') })`, nil)
		e.WaitLua("vim.g.other == 1")
		if got := e.edit("a.txt", v, textEdit(1, 0, 2, 0, "")); !got.Applied {
			t.Fatalf("an edit of the right version was refused: %s", got.FailureReason)
		}
		now := e.awaitText(e.uri("a.txt"), strings.Replace(numbers[1:], "two\n", "", 1))
		if now <= v {
			t.Errorf("the version went from %d to %d", v, now)
		}
		if got := e.edit("a.txt", v, textEdit(1, 0, 2, 0, "")); got.Applied {
			t.Error("a stale edit was applied")
		}
	})
}

// What one edit does reaches the server as one change: no text in between, which
// nobody has seen, such as Neovim makes at the end of a file.
func TestEditIsOneChange(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		text := numbers
		v := e.awaitText(e.uri("a.txt"), text)
		for _, c := range []struct {
			edits []any
			want  string
		}{
			{[]any{textEdit(8, 0, 8, 0, "nine\n")}, numbers + "nine\n"},
			{[]any{textEdit(0, 0, 1, 0, "ONE\n"), textEdit(3, 0, 4, 0, ""), textEdit(8, 0, 9, 0, "NINE\n")},
				strings.NewReplacer("one", "ONE", "four\n", "").Replace(numbers) + "NINE\n"},
			{[]any{textEdit(7, 0, 8, 0, "")}, strings.NewReplacer("one", "ONE", "four\n", "").Replace(numbers)},
			{[]any{textEdit(0, 0, 7, 0, "")}, ""}, // though Neovim has no buffer without a line
		} {
			e.mu.Lock()
			e.received = nil
			e.mu.Unlock()
			if got := e.edit("a.txt", v, c.edits...); !got.Applied {
				t.Fatalf("refused: %s", got.FailureReason)
			}
			v = e.awaitText(e.uri("a.txt"), c.want)
			changes := 0
			e.mu.Lock()
			for _, m := range e.received {
				if m.Method == "textDocument/didChange" {
					changes++
				}
			}
			e.mu.Unlock()
			if changes != 1 {
				t.Errorf("%q came in %d changes, want 1", c.want, changes)
			}
		}
	})
}
