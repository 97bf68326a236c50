package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"acp-ls/internal/session"
)

func token(s session.MCPServer) string {
	for _, e := range s.Env {
		if e.Name == TokenVariable {
			return e.Value
		}
	}
	return ""
}

// Agents start their servers again, and for each of their own helpers.
func TestSeveralChildrenOfOneSession(t *testing.T) {
	r := start(t, rigOptions{})
	r.write("a.txt", strings.Repeat("line\n", 20))
	_, s := r.session()
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for range 2 {
				cs := r.connect(s)
				ok(t, cs, "edit_buffer", args{"path": "a.txt", "edits": args{"oldText": "line", "newText": fmt.Sprintf("child %d", i), "startLine": 2 + 5*i}})
				ok(t, cs, "edit_buffer", args{"path": "a.txt", "edits": args{"oldText": fmt.Sprintf("child %d", i), "newText": "line"}})
				must(t, cs.Close())
			}
		})
	}
	all.Wait()
	if got := r.disk("a.txt"); got != strings.Repeat("line\n", 20) {
		t.Errorf("disk %q", got)
	}
}

// One session has one token, however often it is opened; a fork has its own.
func TestTokens(t *testing.T) {
	r := start(t, rigOptions{})
	id, a := r.session()
	_, b := r.session()
	_, err := r.core.ForkSession(limit(t), id)
	must(t, err)
	c := r.agent.last().MCPServers[0]
	if token(a) == token(b) || token(a) == token(c) || token(b) == token(c) || len(token(a)) != 64 {
		t.Error("tokens are not one for each session")
	}
	for _, s := range []session.MCPServer{a, b, c} {
		if strings.Contains(strings.Join(append(s.Args, s.Command, s.Name, s.URL), " "), token(s)) {
			t.Error("the token is outside of env")
		}
	}
}

func TestOffBySetting(t *testing.T) {
	r := start(t, rigOptions{})
	cs := r.tools()
	r.settings.EditorTools = false
	refused(t, cs, "list_buffers", nil, "turned", "editorTools")
	_, err := r.core.NewSession(limit(t), session.NewSession{Cwd: r.root})
	must(t, err)
	if s := r.agent.last().MCPServers; len(s) != 0 {
		t.Errorf("servers %+v", s)
	}
}

// running is a child that has been greeted.
func running(t *testing.T, s session.MCPServer) (cmd *exec.Cmd, stdin io.WriteCloser, out *bufio.Reader, wait func() error) {
	t.Helper()
	cmd = child(t, s)
	stdin, err := cmd.StdinPipe()
	must(t, err)
	stdout, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	_, err = io.WriteString(stdin, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n")
	must(t, err)
	out = bufio.NewReader(stdout)
	line, err := out.ReadString('\n')
	if err != nil || line != `{"jsonrpc":"2.0","id":1,"result":{}}`+"\n" {
		t.Fatalf("ping: %q, %v", line, err)
	}
	return cmd, stdin, out, func() error {
		rest, err := io.ReadAll(out)
		if len(rest) > 0 || err != nil {
			t.Errorf("at the end: %q, %v", rest, err)
		}
		return cmd.Wait()
	}
}

// A child ends with its session, its acp-ls, or its agent.
func TestChildrenEnd(t *testing.T) {
	t.Run("session", func(t *testing.T) {
		r := start(t, rigOptions{})
		id, s := r.session()
		_, _, _, wait := running(t, s)
		_, other := r.session()
		_, _, _, waitOther := running(t, other)
		must(t, r.core.CloseSession(limit(t), id))
		must(t, wait())
		cmd := child(t, s)
		text, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(text), "session has ended") || bytes.Contains(text, []byte(token(s))) {
			t.Errorf("a token of a session that has ended: %q, %v", text, err)
		}
		r.connect(other) // which lives
		must(t, r.server.Close())
		must(t, waitOther())
	})
	t.Run("acp-ls", func(t *testing.T) {
		r := start(t, rigOptions{})
		_, s := r.session()
		_, _, _, wait := running(t, s)
		must(t, r.server.Close())
		must(t, wait())
		text, err := child(t, s).CombinedOutput()
		if err == nil || !strings.Contains(string(text), "is gone") {
			t.Errorf("without acp-ls: %q, %v", text, err)
		}
		if _, err := r.core.NewSession(limit(t), session.NewSession{Cwd: r.root}); err != nil {
			t.Errorf("a session without tools: %v", err)
		}
	})
	t.Run("agent", func(t *testing.T) {
		r := start(t, rigOptions{})
		_, s := r.session()
		_, stdin, _, wait := running(t, s)
		must(t, stdin.Close())
		must(t, wait())
	})
}

func TestWrongToken(t *testing.T) {
	r := start(t, rigOptions{})
	_, s := r.session()
	bad := strings.Repeat("0", 64)
	for _, wrong := range []string{bad, token(s)[:63], token(s) + "0", strings.Repeat("x", 10000), "a b", "\xff"} {
		w := s
		w.Env = []session.NameValue{s.Env[0], {Name: TokenVariable, Value: wrong}}
		text, err := child(t, w).CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 1 || bytes.Contains(text, []byte(wrong)) {
			t.Errorf("token %.10q: %q, %v", wrong, text, err)
		}
	}
	for _, env := range [][]session.NameValue{nil, s.Env[:1], s.Env[1:], {s.Env[0], {Name: TokenVariable, Value: "a\nb"}}} {
		w := s
		w.Env = env
		if text, err := child(t, w).CombinedOutput(); err == nil {
			t.Errorf("environment %v: %q", env, text)
		}
	}
	r.connect(s) // all of that has harmed nobody
}

// The token is in the environment of the child and nowhere that anybody reads.
func TestTokenIsNotTold(t *testing.T) {
	r := start(t, rigOptions{})
	r.write("a.txt", "one\n")
	id, s := r.session()
	cs := r.connect(s)
	ok(t, cs, "edit_buffer", args{"path": "a.txt", "edits": args{"oldText": "one", "newText": "two"}})
	wrong := s
	wrong.Env = []session.NameValue{s.Env[0], {Name: TokenVariable, Value: token(s) + "0"}}
	_, _ = child(t, wrong).CombinedOutput()
	transcript, err := r.core.Transcript(id)
	must(t, err)
	for where, text := range map[string]string{"log": r.log.String(), "editor": r.editor.Dump(), "transcript": transcript} {
		if strings.Contains(text, token(s)) {
			t.Errorf("the %s has the token", where)
		}
	}
	if !strings.Contains(r.log.String(), "connection refused") {
		t.Error("the refusal is not logged")
	}
}

// What is no message costs itself.
func TestMessagesThatAreWrong(t *testing.T) {
	r := start(t, rigOptions{})
	_, s := r.session()
	_, stdin, out, wait := running(t, s)
	for _, tt := range []struct{ send, want string }{
		{"no JSON", "-32700"},
		{"[]", "-32600"},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "-32600"},
		{`{"jsonrpc":"2.0","id":"a","method":"resources/list"}`, "-32601"},
		{`{"jsonrpc":"2.0","id":"b","method":"tools/call"}`, "-32602"},
		{`{"jsonrpc":"2.0","id":"c","method":"tools/call","params":[]}`, "-32602"},
		{`{"jsonrpc":"2.0","id":"d","method":"tools/call","params":{"name":"rm"}}`, "-32602"},
		{`{"jsonrpc":"2.0","id":"e","method":"tools/call","params":{"name":"list_buffers","arguments":5}}`, "must be an object"},
		{`{"jsonrpc":"2.0","id":"f","method":"initialize","params":{"protocolVersion":"1999-01-01"}}`, protocolVersions[0]},
		{`{"jsonrpc":"2.0","id":"g","method":"initialize","params":{"protocolVersion":"2024-11-05"}}`, "2024-11-05"},
		{`{"jsonrpc":"2.0","id":"h","method":"initialize"}`, protocolVersions[0]},
		{"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}\n\r\n \n" +
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}` + "\n" +
			`{"jsonrpc":"2.0","method":"notifications/other"}` + "\n" + `{"jsonrpc":"2.0","id":9,"result":{}}` + "\n" +
			`{"jsonrpc":"2.0","id":"i","method":"ping"}`, `"id":"i","result":{}`},
	} {
		_, err := io.WriteString(stdin, tt.send+"\n")
		must(t, err)
		line, err := out.ReadString('\n')
		if err != nil || !strings.Contains(line, tt.want) || !json.Valid([]byte(line)) {
			t.Errorf("%s: %s, %v", tt.send, line, err)
		}
	}
	must(t, stdin.Close())
	must(t, wait())
}

func TestSocketIsPrivate(t *testing.T) {
	r := start(t, rigOptions{})
	r.session()
	if filepath.Separator == '\\' {
		t.Skip("a pipe has no folder")
	}
	info, err := os.Stat(r.dir)
	must(t, err)
	if info.Mode().Perm() != 0o700 {
		t.Errorf("folder has mode %v", info.Mode())
	}
	entries, err := os.ReadDir(r.dir)
	must(t, err)
	if len(entries) != 1 {
		t.Fatalf("folder has %v", entries)
	}
	info, err = entries[0].Info()
	must(t, err)
	if info.Mode().Type() != os.ModeSocket || info.Mode().Perm() != 0o600 {
		t.Errorf("socket has mode %v", info.Mode())
	}
	must(t, r.server.Close())
	if entries, err := os.ReadDir(r.dir); err != nil || len(entries) != 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}
