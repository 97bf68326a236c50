package main

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/neovim/go-client/nvim"

	"acp-ls/internal/editorlog"
)

//go:embed nvim.lua
var nvimLua string

// A scenario is one recording to be made in Neovim.
type scenario struct {
	name    string
	initial string
	utf16   bool // ask for UTF-16 even where the editor offers UTF-8
	script  func(n *neovim)
}

// A neovim is a running Neovim with a screen attached, in which a scenario is played.
// Its methods end the scenario by panicking with a failure.
type neovim struct {
	*server
	v *nvim.Nvim
}

type failure struct{ err error }

func must(err error) {
	if err != nil {
		panic(failure{err})
	}
}

var nvimVersion = regexp.MustCompile(`^NVIM v(\d+\.\d+\.\d+)`)

// recordNvim plays one scenario in the Neovim at path bin.
func recordNvim(bin string, sc scenario) (log *editorlog.Log, err error) {
	out, err := exec.Command(bin, "--version").Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", bin, err)
	}
	m := nvimVersion.FindSubmatch(out)
	if m == nil {
		return nil, fmt.Errorf("%s: version not found in %.80q", bin, out)
	}
	tmp, err := os.MkdirTemp("", "record")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	dir := filepath.Join(tmp, "w")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "t.txt"), []byte(sc.initial), 0o644); err != nil {
		return nil, err
	}
	log = &editorlog.Log{Header: editorlog.Header{
		Editor: "nvim", Version: string(m[1]), Scenario: sc.name,
		URI: editorlog.Root + "t.txt", Initial: sc.initial,
	}}
	encodings := []string{"utf-8", "utf-16"}
	if sc.utf16 {
		encodings = encodings[1:]
	}
	socket := filepath.Join(tmp, "s")
	s, err := serve(dir, socket, encodings, log)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()

	v, err := nvim.NewChildProcess(
		nvim.ChildProcessCommand(bin),
		nvim.ChildProcessDir(dir),
		nvim.ChildProcessArgs("--embed", "--clean", "-n", "-i", "NONE"),
		nvim.ChildProcessEnv(nvimEnv(tmp)))
	if err != nil {
		return nil, err
	}
	defer v.Close()
	if err := v.RegisterHandler("redraw", func(...[]any) {}); err != nil {
		return nil, err
	}
	if err := v.AttachUI(80, 24, map[string]any{"ext_linegrid": true}); err != nil {
		return nil, err
	}
	defer func() {
		if r := recover(); r != nil {
			f, ok := r.(failure)
			if !ok {
				panic(r)
			}
			log, err = nil, f.err
		}
	}()
	n := &neovim{server: s, v: v}
	must(v.ExecLua(nvimLua, nil, socket, dir))
	n.opens("t.txt", "edit t.txt")
	sc.script(n)
	n.finish()
	return log, nil
}

// nvimEnv is an environment without anything of the user's who records.
func nvimEnv(tmp string) []string {
	env := []string{"HOME=" + tmp, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"}
	for _, kind := range []string{"CONFIG", "DATA", "STATE", "CACHE"} {
		env = append(env, "XDG_"+kind+"_HOME="+filepath.Join(tmp, strings.ToLower(kind)))
	}
	return env
}

// opens runs a command that opens a file for the first time and waits for didOpen.
func (n *neovim) opens(file, command string) {
	n.act(":" + command)
	must(n.v.Command(command))
	must(n.until("didOpen of "+file, func() bool { return n.opened(file) }))
	n.look()
}

// keys is one action of the user: keys that come as fast as the editor takes them,
// in nvim_input's notation, and then a look at the buffer.
func (n *neovim) keys(keys string) {
	n.burst(keys)
	n.look()
}

// burst is keys without a look afterwards: what follows happens within the debounce.
func (n *neovim) burst(keys string) {
	n.act(keys)
	n.input(keys)
}

func (n *neovim) input(keys string) {
	written, err := n.v.Input(keys)
	must(err)
	if written != len(keys) {
		must(fmt.Errorf("keys %q: only %d bytes taken", keys, written))
	}
}

// ex is an action by a command line, as the user types it.
func (n *neovim) ex(command string) {
	n.keys(":" + strings.ReplaceAll(command, "<", "<lt>") + "<CR>")
}

// types is text typed at the speed of a good typist: a key every 60 ms.
func (n *neovim) types(text string) {
	n.act("type " + text)
	for text != "" {
		size := 1
		if text[0] == '<' {
			size = strings.IndexByte(text, '>') + 1
		} else {
			_, size = utf8.DecodeRuneInString(text)
		}
		n.input(text[:size])
		text = text[size:]
		time.Sleep(60 * time.Millisecond)
	}
	n.look()
}

// paste is text pasted in a terminal (bracketed paste).
func (n *neovim) paste(text string) {
	n.act("paste")
	_, err := n.v.Paste(text, true, -1)
	must(err)
	n.look()
}

// look waits until the editor has nothing more to send, and logs the buffer's text.
func (n *neovim) look() {
	n.settle()
	mode, err := n.v.Mode()
	must(err)
	if mode.Blocking {
		must(fmt.Errorf("editor waits for an answer in mode %s", mode.Mode))
	}
	var now struct {
		URI  string `msgpack:"uri"`
		Text string `msgpack:"text"`
	}
	must(n.v.ExecLua("return Record_text()", &now))
	must(n.checkpoint(now.URI, now.Text))
}

// lua is something set up or done by code, not by the user.
func (n *neovim) lua(code string) { must(n.v.ExecLua(code, nil)) }

// runs is another program that changes the folder.
func (n *neovim) runs(name string, arg ...string) { must(n.program(name, arg...)) }

// writes is another program that writes a file.
func (n *neovim) writes(file, text string) { must(n.write(file, text)) }

// agent sends the edits for t.txt with the newest version that the server knows,
// waits for the answer and looks.
func (n *neovim) agent(edits ...textEdit) {
	n.agentFast("", edits...)
	n.look()
}

// agentFast is agent without the look; version as in applyEdit.
func (n *neovim) agentFast(version string, edits ...textEdit) {
	answer, err := n.applyEdit("t.txt", version, edits)
	must(err)
	if _, ok := <-answer; !ok {
		must(errors.New("connection closed before the answer to applyEdit"))
	}
}

// waitLines waits until the buffer has the line, without waiting for the server to
// be told of it.
func (n *neovim) waitLine(line int, want string) {
	deadline := time.Now().Add(5 * time.Second)
	for time.Now().Before(deadline) {
		var got string
		must(n.v.Call("getline", &got, line))
		if got == want {
			return
		}
	}
	must(fmt.Errorf("line %d never became %q", line, want))
}
