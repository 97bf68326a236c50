package nvim_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"acp-ls/internal/nvimtest"
)

// The story that is played in every editor (editors/testdata) ends with the files
// that it says.
func TestStory(t *testing.T) {
	editors := filepath.Dir(pluginDir())
	archive, err := txtar.ParseFile(filepath.Join(editors, "testdata", "review.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	eachVersion(t, func(t *testing.T, version string) {
		newStory(t, version, archive).play(string(archive.Comment))
	})
}

// newStory starts the real acp-ls, with the agent of tests, in a folder with the files of an
// archive. settings are some more for it, as Lua tables.
func newStory(t *testing.T, version string, archive *txtar.Archive, settings ...string) *story {
	t.Helper()
	agent := filepath.Join(filepath.Dir(pluginDir()), "vscode", "test", "agent.mjs")
	if _, err := os.ReadFile(agent); err != nil { // go test knows then what the result depends on
		t.Fatal(err)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal(err)
	}
	program, err := build()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &story{t: t, dir: dir, sections: map[string]string{}}
	for _, f := range archive.Files {
		s.sections[f.Name] = string(f.Data)
		if !strings.Contains(f.Name, "/") {
			s.names = append(s.names, f.Name)
			if err := os.WriteFile(s.path(f.Name), f.Data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.Nvim = nvimtest.Start(t, version, nvimtest.Dir(dir),
		nvimtest.Args("--cmd", "set rtp^="+pluginDir()+" shortmess+=I"))
	s.Exec(`local program, node, agent = ...
		require('acp').setup({ cmd = { program }, settings = vim.tbl_extend('error', {
			defaultAgent = 'script', agents = { script = { command = node, args = { agent } } } }, `+
		strings.Join(append(settings, "{}"), ", ")+`) })`,
		nil, program, node, agent)
	s.Input(":Acp<CR>")
	s.WaitLua(`require('acp.chat').session_id() ~= nil and require('acp.chat').current().info.state == 'idle'`)
	s.Input("<Esc><C-w>t")
	return s
}

// story is a story that is being played.
type story struct {
	*nvimtest.Nvim
	t        *testing.T
	dir      string
	sections map[string]string
	names    []string            // of files
	steps    []map[string]string // of the turn that is being told
}

func (s *story) path(name string) string { return filepath.Join(s.dir, name) }

// section is what a section of the script holds.
func (s *story) section(name string) string {
	s.t.Helper()
	text, ok := s.sections[name]
	if !ok {
		s.t.Fatalf("there is no section %s", name)
	}
	return text
}

func (s *story) play(script string) {
	s.t.Helper()
	for line := range strings.Lines(script) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		what, rest, _ := strings.Cut(line, " ")
		if what != "agent" {
			s.turn()
		}
		s.t.Log(line)
		s.do(what, rest)
		if s.t.Failed() {
			s.t.Fatalf("failed at %q", line)
		}
	}
	s.turn()
	s.files()
}

// files waits until the files are as the story ends.
func (s *story) files() {
	s.t.Helper()
	for _, name := range s.names {
		want, ok := s.sections["after/"+name]
		if !ok {
			s.WaitLua(fmt.Sprintf(`vim.uv.fs_stat(%q) == nil`, s.path(name)))
			if _, err := os.Stat(s.path(name)); !errors.Is(err, fs.ErrNotExist) {
				s.t.Errorf("%s is there: %v", name, err)
			}
			continue
		}
		s.WaitLua(fmt.Sprintf(`table.concat(vim.fn.readfile(%q, 'b'), '\n') == %q`, s.path(name), want))
	}
}

func (s *story) do(what, rest string) {
	s.t.Helper()
	switch what {
	case "open":
		s.Input(":edit " + rest + "<CR>")
		s.WaitLua(fmt.Sprintf(`vim.fn.expand('%%:t') == %q`, rest))
	case "type":
		line, text, _ := strings.Cut(rest, " ")
		s.Input(line + "G0i" + strings.ReplaceAll(text, "<", "<lt>") + "<Esc>")
	case "agent":
		s.agent(strings.Fields(rest))
	case "agent-run":
		s.steps = append(s.steps, map[string]string{"run": rest})
	case "hunks":
		s.WaitLua(`require('acp.review').count() == ` + rest)
	case "accept":
		s.press(rest+"G", "gha")
	case "reject":
		s.press(rest+"G", "ghr")
	case "reject-file":
		s.press("", "ghR")
	case "press":
		s.Input(rest)
	case "screen":
		s.WaitScreen(rest)
	case "undo":
		s.Input("u")
	case "redo":
		s.Input("<C-r>")
	case "save":
		s.Input(":write<CR>")
		s.WaitLua(`not vim.bo.modified`)
	case "text":
		s.WaitLua(fmt.Sprintf(`table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\n') .. '\n' == %q`, s.section("text/"+rest)))
	default:
		s.t.Fatalf("there is no word %q", what)
	}
}

// press goes somewhere and presses a key that decides, once there is one.
func (s *story) press(to, key string) {
	s.t.Helper()
	s.WaitLua(fmt.Sprintf(`vim.fn.maparg(%q, 'n') ~= ''`, key))
	s.Input(to + key)
}

// agent adds a step to the turn.
func (s *story) agent(words []string) {
	step := map[string]string{words[0]: words[1]}
	if !slices.Contains(s.names, words[1]) {
		s.names = append(s.names, words[1])
	}
	if len(words) > 2 {
		step["text"] = s.section("agent/" + words[2])
	}
	s.steps = append(s.steps, step)
}

// turn plays the turn that was told, if there is one, and waits for its end.
func (s *story) turn() {
	s.t.Helper()
	if len(s.steps) == 0 {
		return
	}
	s.begin()
	s.ended()
}

// begin starts the turn that was told.
func (s *story) begin() {
	s.t.Helper()
	text, err := json.Marshal(s.steps)
	if err != nil {
		s.t.Fatal(err)
	}
	s.steps = nil
	s.Exec(`vim.g.ended = nil
		require('acp').execute('acp.prompt', { session = require('acp.chat').session_id(), text = ..., wait = true }, function(err, result)
			vim.g.ended = result and result.stopReason or vim.inspect(err)
		end)`, nil, string(text))
}

// ended waits for the end of the turn.
func (s *story) ended() {
	s.t.Helper()
	s.WaitLua(`vim.g.ended ~= nil`)
	var ended string
	s.Exec(`return vim.g.ended`, &ended)
	if ended != "end_turn" {
		s.t.Fatalf("the turn ended with %s", ended)
	}
}
