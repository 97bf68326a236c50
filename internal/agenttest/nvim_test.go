package agenttest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"acp-ls/internal/nvimtest"
)

// The story of scenarios_test.go as a user of Neovim has it, with keys and on the
// screen: unsaved text, questions, hunks, a command that changes other files, a
// turn that is stopped.
func TestNeovim(t *testing.T) {
	for _, tt := range []struct {
		agent
		allow      string // the key that allows once
		writesDisk bool
		version    string
	}{
		{codex, "1", true, "0.12"},
		{gemini, "2", false, "0.10"},
		{opencode, "1", true, "0.12"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.name == opencode.name && os.Getenv("ACP_LS_AGENTS") != "all" {
				t.Skip("OpenCode takes long to start: make test-agents")
			}
			t.Parallel()
			u := startNeovim(t, tt.agent, tt.version)
			u.allow = tt.allow
			u.play(tt.writesDisk)
		})
	}
}

// neovim is a user at a Neovim, and their world.
type neovim struct {
	*world
	*nvimtest.Nvim
	allow string
}

func startNeovim(t *testing.T, a agent, version string) *neovim {
	t.Helper()
	w := prepare(t, a)
	bin, err := program()
	if err != nil {
		t.Fatal(err)
	}
	plugin, err := filepath.Abs(filepath.Join(root, "editors", "nvim"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.nothingLeft)
	n := nvimtest.Start(t, version, nvimtest.Dir(w.work),
		nvimtest.Env("HOME="+w.home, "XDG_CONFIG_HOME="+filepath.Join(w.home, ".config")),
		nvimtest.Args("--cmd", "set rtp^="+plugin+" shortmess+=I", "notes.txt"))
	n.Exec(`require('acp').setup({ cmd = { ... }, permission = { guard = 0 }, keys = { global = { permission = '<F4>' } } })`, nil, bin)
	return &neovim{world: w, Nvim: n}
}

// play tells the story. The first window is the user's file all along.
func (u *neovim) play(writesDisk bool) {
	disk := u.read(u.path("notes.txt"))
	u.Input("10GA, typed and not saved<Esc>")
	users := edited(disk, "line 10\n", typedOver)
	u.Input(":Acp<CR>")
	u.WaitScreen("Ask " + u.agent.name)
	u.WaitLua(`require('acp.chat').session_id() ~= nil`)
	u.idle()
	u.Input("<Esc><C-w>t")

	u.turn("DO-EDITS please")
	u.WaitLua(`vim.fn.search('TWENTY-FIVE', 'nw') > 0`)
	u.wantLines(edited(users, agentEdits...))
	u.WaitScreen("4/4 " + u.agent.name)
	u.Input("gg]h")
	u.WaitScreen("gha accept")
	u.Input("gha")
	u.WaitScreen("3/3 " + u.agent.name)
	u.Input("G[h")
	u.WaitScreen("gha accept")
	u.Input("ghr")
	u.WaitScreen("2/2 " + u.agent.name)
	u.wantLines(edited(users, agentEdits[:6]...))
	if writesDisk {
		disk = edited(disk, agentEdits...)
	}
	u.wantDisk("notes.txt", disk)

	u.turn("DO-SHELL please")
	u.WaitLua(`vim.fn.search('by the shell', 'nw') > 0`)
	u.wantLines(edited(users, append(agentEdits[:6:6], "line 27\n", "line 27 by the shell\n")...))
	u.wantDisk("other.txt", otherOnDisk+"by the shell\n")
	u.Input(":Acp reject-all<CR>")
	u.WaitLua(`vim.fn.search('by the shell', 'nw') == 0`)
	u.WaitGone(" hunks")
	u.wantLines(edited(users, "line 3\n", "line THREE\n"))
	u.eventually("the files of before", func() bool {
		_, made := os.Stat(u.path("sub/made.txt"))
		return u.read(u.path("other.txt")) == otherOnDisk && u.read(u.path("main.go")) == mainOnDisk && os.IsNotExist(made)
	})

	u.begin("DO-HANG please")
	u.WaitScreen("then hang") // the line may be broken before it
	u.Input(":Acp stop<CR>")
	u.idle()

	u.Input(":w<CR>")
	u.WaitLua(`not vim.bo.modified`)
	u.wantDisk("notes.txt", edited(users, "line 3\n", "line THREE\n"))
}

// wantLines checks what the user's file is in Neovim.
func (u *neovim) wantLines(want string) {
	u.t.Helper()
	if got := u.Text(0) + "\n"; got != want {
		u.t.Fatalf("notes.txt is\n%s\nand should be\n%s", got, want)
	}
}

func (u *neovim) idle() {
	u.t.Helper()
	u.WaitLua(`require('acp.chat').current().info.state == 'idle'`)
}

// begin sends a prompt and returns when its turn has begun.
func (u *neovim) begin(text string) {
	u.t.Helper()
	u.Exec(`require('acp').prompt(...)`, nil, text)
	u.WaitLua(`require('acp.chat').current().info.state ~= 'idle'`)
}

// turn runs a whole turn in which the user allows, by key, all that is asked.
func (u *neovim) turn(text string) {
	u.t.Helper()
	u.begin(text)
	for {
		u.WaitLua(`require('acp.questions').count() > 0 or require('acp.chat').current().info.state == 'idle'`)
		var since struct{ Count, Since int }
		u.Exec(`return { Count = require('acp.questions').count(), Since = require('acp.questions').since() }`, &since)
		if since.Count == 0 {
			return
		}
		u.Input("<F4>")
		u.WaitLua(`vim.api.nvim_win_get_config(0).relative ~= ''`)
		u.Input(u.allow)
		u.WaitLua(fmt.Sprintf(`require('acp.questions').count() == 0 or require('acp.questions').since() ~= %d`, since.Since))
	}
}
