package demo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"acp-ls/acpclient/wire"
)

// maxOutput is how much of a command's output the client is asked to keep.
const maxOutput = 1 << 20

// releaseWait is how long a cancelled turn waits for the client to end its
// terminal before it is answered all the same.
const releaseWait = 2 * time.Second

// command runs a command line in a terminal of the client. It always asks
// first, unless that very line was allowed for the session.
func (t *turn) command(line string) error {
	if isTests(line) {
		known := testCommand(t.session.cwd)
		if known == "" {
			return t.sayf("I cannot tell how tests are run in %s. Name the command, as in \"run make check\".", t.session.cwd)
		}
		line = known
	}
	switch {
	case strings.TrimSpace(line) == "":
		return t.say("Which command shall I run? As in: \"run go test ./...\"")
	case !t.client.Terminal:
		return t.sayf("This client offers me no terminals, so I cannot run `%s`.", line)
	}
	call, err := t.tool(wire.ToolCall{
		Title: line, Kind: wire.ToolExecute, Status: wire.ToolPending,
		RawInput: rawInput(map[string]string{"command": line, "cwd": t.session.cwd}),
	})
	if err != nil {
		return err
	}
	if !t.session.commandAllowed(line) {
		answer, err := call.ask("Always allow this command in this session")
		if err != nil {
			_ = call.fail("cancelled")
			return err
		}
		switch answer {
		case refused:
			if err := call.fail("rejected"); err != nil {
				return err
			}
			return t.sayf("I did not run `%s`.", line)
		case allowedAlways:
			t.session.allowCommand(line)
		}
	}
	return t.terminal(call, line)
}

func (t *turn) terminal(call *tool, line string) error {
	program, args := argv(line)
	limit := uint64(maxOutput)
	created, err := wire.Call[wire.CreateTerminalResponse](t.ctx, t.conn, wire.MethodTerminalCreate, wire.CreateTerminalRequest{
		SessionID: t.session.id, Command: program, Args: args, Cwd: t.session.cwd, OutputByteLimit: &limit,
	})
	if fatal := t.fatal(err); fatal != nil {
		_ = call.fail("cancelled")
		return fatal
	}
	if err != nil {
		if err := call.fail(message(err)); err != nil {
			return err
		}
		return t.sayf("`%s` could not be started: %s", line, message(err))
	}
	terminal := wire.TerminalRequest{SessionID: t.session.id, TerminalID: created.TerminalID}
	defer t.release(terminal)
	shown := wire.ToolCallContent{Type: wire.ToolTerminal, TerminalID: created.TerminalID}
	if err := call.progress(shown); err != nil {
		_ = call.fail("cancelled")
		return err
	}
	exit, err := wire.Call[wire.TerminalExitStatus](t.ctx, t.conn, wire.MethodTerminalWaitForExit, terminal)
	var out *wire.TerminalOutputResponse
	if err == nil {
		out, err = wire.Call[wire.TerminalOutputResponse](t.ctx, t.conn, wire.MethodTerminalOutput, terminal)
	}
	if err != nil {
		// The content stays the terminal: what the command wrote is to be seen.
		if sent := t.updateAnyway(call.patch(wire.ToolFailed, shown)); sent != nil {
			return sent
		}
		if fatal := t.fatal(err); fatal != nil {
			return fatal
		}
		return t.sayf("I lost sight of `%s`: %s", line, message(err))
	}
	if exit.ExitCode != nil && *exit.ExitCode == 0 {
		if err := call.done(shown); err != nil {
			return err
		}
		return t.say(tellExit(line, exit, out.Output))
	}
	if err := t.update(call.patch(wire.ToolFailed, shown)); err != nil {
		return err
	}
	return t.say(tellExit(line, exit, out.Output) + tellUnsaved(t.prompt.unsaved()))
}

// unsaved are the files that were given along with a text that is not on disk.
func (p prompt) unsaved() []string {
	var names []string
	for _, g := range p.given {
		if g.path == "" || g.text == nil || !g.lines.Whole() {
			continue
		}
		disk, err := os.ReadFile(g.path)
		same := err == nil && strings.ReplaceAll(string(disk), "\r\n", "\n") == strings.ReplaceAll(*g.text, "\r\n", "\n")
		if name := "`" + g.name + "`"; !same && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// tellUnsaved says why a command may have failed: what I see in the editor it does not.
func tellUnsaved(names []string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return "\n\n" + names[0] + " is not saved, and a command sees only what is on disk. Save it, and tell me to run that again."
	}
	return "\n\n" + strings.Join(names, " and ") + " are not saved, and a command sees only what is on disk. Save them, and tell me to run that again."
}

// release ends the command, if it still runs, and gives the terminal back; also
// when the turn is cancelled.
func (t *turn) release(terminal wire.TerminalRequest) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), releaseWait)
	defer cancel()
	_, _ = wire.Call[wire.Empty](ctx, t.conn, wire.MethodTerminalRelease, terminal)
}

func tellExit(line string, exit *wire.TerminalExitStatus, output string) string {
	var how string
	switch {
	case exit.Signal != "":
		how = fmt.Sprintf("`%s` was ended by %s.", line, exit.Signal)
	case exit.ExitCode == nil:
		how = fmt.Sprintf("`%s` ended; how, the client does not say.", line)
	case *exit.ExitCode == 0:
		how = fmt.Sprintf("`%s` ended well (exit code 0).", line)
	default:
		how = fmt.Sprintf("`%s` failed with exit code %d.", line, *exit.ExitCode)
	}
	lines := strings.Split(strings.TrimSpace(output), "\n")
	if strings.TrimSpace(output) == "" {
		return how + " It wrote nothing."
	}
	const last = 5
	if len(lines) > last {
		return fmt.Sprintf("%s The last of its %d lines:\n\n%s", how, len(lines), fence(strings.Join(lines[len(lines)-last:], "\n"), ""))
	}
	return how + " It wrote:\n\n" + fence(strings.Join(lines, "\n"), "")
}

// argv takes a command line apart. What only a shell understands goes to one.
func argv(line string) (program string, args []string) {
	if strings.ContainsAny(line, "\"'`$&|;<>()*?[]{}~#!\\=\n") {
		if runtime.GOOS == "windows" {
			return "cmd", []string{"/c", line}
		}
		return "sh", []string{"-c", line}
	}
	words := strings.Fields(line)
	return words[0], words[1:]
}

func isTests(line string) bool {
	words := strings.Fields(strings.ToLower(strings.Trim(line, " .!?")))
	for len(words) > 0 && (words[0] == "run" || words[0] == "all" || words[0] == "the" || words[0] == "our" || words[0] == "my") {
		words = words[1:]
	}
	return len(words) == 1 && (words[0] == "test" || words[0] == "tests")
}

// testCommand tells by the files of a folder how its tests are run.
func testCommand(dir string) string {
	for _, known := range []struct{ file, command string }{
		{"go.mod", "go test ./..."},
		{"Cargo.toml", "cargo test"},
		{"package.json", "npm test"},
		{"pyproject.toml", "python3 -m pytest"},
		{"pytest.ini", "python3 -m pytest"},
		{"Makefile", "make test"},
	} {
		if st, err := os.Stat(filepath.Join(dir, known.file)); err == nil && st.Mode().IsRegular() {
			return known.command
		}
	}
	return ""
}
