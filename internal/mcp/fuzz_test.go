package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"

	"acp-ls/internal/config"
	"acp-ls/internal/session"
)

// keeper keeps the tools that it is to bring to an agent.
type keeper struct{ tools *session.Tools }

func (k *keeper) Offer(t *session.Tools) (session.MCPServer, error) {
	k.tools = t
	return session.MCPServer{Name: ServerName}, nil
}

// refuser is an editor without documents whose user lets agents do nothing.
type refuser struct{ session.Editor }

func (refuser) Can(string) bool                       { return false }
func (refuser) SessionChanged(session.Info)           {}
func (refuser) EntryChanged(string, session.Entry)    {}
func (refuser) ReviewChanged(session.Review)          {}
func (refuser) ShowMessage(session.Level, string)     {}
func (refuser) Turn(session.TurnProgress)             {}
func (refuser) Dismiss(string)                        {}
func (refuser) Chunk(string, string, string)          {}
func (refuser) TerminalOutput(session.TerminalOutput) {}

func (refuser) Permission(_ context.Context, q session.Question) (string, error) {
	for _, o := range q.Options {
		if o.Kind == "reject_once" {
			return o.OptionID, nil
		}
	}
	return "", session.ErrUnanswered
}

func (refuser) State(context.Context) (session.EditorState, error) {
	return session.EditorState{}, session.ErrUnsupported
}

func (refuser) Diagnostics(context.Context, string) ([]session.Diagnostic, error) {
	return nil, session.ErrUnsupported
}

func (refuser) ShowDocument(context.Context, string, int) error { return session.ErrUnsupported }

// thenWait ends only when all calls that were read have: a client that leaves
// would cancel them.
type thenWait struct {
	io.Reader
	p **peer
}

func (r thenWait) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	if err == io.EOF {
		(*r.p).calls.Wait()
	}
	return n, err
}

// Whatever a client says, to the real tools over a real session: no panic, each
// request is answered once (a cancelled one at most once), by one line of JSON,
// and a file changes only if an edit says that it was made.
func FuzzPeer(f *testing.F) {
	tool := func(id, name, arguments string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + name + `","arguments":` + arguments + `}}`
	}
	for _, lines := range [][]string{
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}`, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`},
		{tool("1", "read_buffer", `{"path":"a.txt"}`), tool(`"x"`, "read_buffer", `{"path":"a.txt","startLine":"2","limit":1e9,"lineNumbers":"true"}`)},
		{tool("1", "edit_buffer", `{"path":"a.txt","edits":[{"oldText":"two","newText":"2"}]}`)},
		{tool("1", "edit_buffer", `{"path":"a.txt","edits":"[{\"oldText\":\"t\",\"newText\":\"\\r\",\"replaceAll\":true}]"}`)},
		{tool("1", "edit_buffer", `{"path":"a.txt","version":"v1","edits":{"startLine":1,"endLine":0,"newText":"zero\n"}}`)},
		{tool("1", "edit_buffer", `{"path":"new/b.txt","edits":[{"oldText":"","newText":"made"}]}`), tool("2", "review_status", `{}`)},
		{tool("1", "edit_buffer", `{"path":".git/hooks/post-commit","edits":[{"oldText":"","newText":"made"}]}`)},
		{tool("1", "list_buffers", `{}`), tool("2", "get_selection", `null`), tool("3", "get_diagnostics", `{"path":"a.txt"}`), tool("4", "open_file", `{"path":"../a.txt","line":-1}`)},
		{tool("1", "nothing", `{}`), tool("1", "list_buffers", `{"_meta":{"progressToken":1}}`), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`},
		{`[{}]`}, {"\x00\xff"}, {`{"id":null}`}, {"", "", ""}, {`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`}, {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}`},
	} {
		f.Add([]byte(strings.Join(lines, "\n") + "\n"))
	}
	st := config.Default()
	st.DefaultAgent, st.Files.Outside, st.Review.OutOfBand = "fake", config.OutsideDeny, false
	const before = "one\ntwo\nthree\n"
	f.Fuzz(func(t *testing.T, data []byte) {
		root, err := filepath.EvalSymlinks(t.TempDir())
		must(t, err)
		must(t, os.WriteFile(filepath.Join(root, "a.txt"), []byte(before), 0o600))
		kept := &keeper{}
		core := session.New(session.Options{Launcher: newFakeAgent(), Settings: func() *config.Settings { return st }, EditorTools: kept})
		defer func() { must(t, core.Close(context.Background())) }()
		core.Attach(refuser{}, []string{root})
		_, err = core.NewSession(t.Context(), session.NewSession{Cwd: root})
		must(t, err)

		var out, log bytes.Buffer
		var p *peer
		p = newPeer(thenWait{bytes.NewReader(data), &p}, &out, kept.tools, "1", slog.New(slog.NewTextHandler(&log, nil)))
		p.run(t.Context())
		if strings.Contains(log.String(), "panic") {
			t.Fatal(log.String())
		}

		asked, cancelled := map[jsonrpc2.ID]int{}, false
		for line := range bytes.SplitSeq(data[:bytes.LastIndexByte(data, '\n')+1], []byte("\n")) {
			line = trim(line)
			if len(line) == 0 || line[0] == '[' {
				continue
			}
			msg, _ := jsonrpc2.DecodeMessage(line) // what is none is nothing
			switch m := msg.(type) {
			case *jsonrpc2.Call:
				asked[m.ID()]++
			case *jsonrpc2.Notification:
				cancelled = cancelled || m.Method() == "notifications/cancelled"
			}
		}
		made := false
		for line := range strings.Lines(out.String()) {
			var a struct {
				Version string          `json:"jsonrpc"`
				ID      json.RawMessage `json:"id"`
				Error   json.RawMessage `json:"error"`
				Result  *struct {
					IsError bool              `json:"isError"`
					Content []json.RawMessage `json:"content"`
				} `json:"result"`
			}
			if err := json.Unmarshal([]byte(line), &a); err != nil || a.Version != "2.0" || !strings.HasSuffix(line, "\n") {
				t.Fatalf("said %q: %v", line, err)
			}
			msg, err := jsonrpc2.DecodeMessage([]byte(line))
			r, ok := msg.(*jsonrpc2.Response)
			if err != nil || !ok {
				t.Fatalf("said %q: %v", line, err) // nothing takes so long that progress is told
			}
			switch id := r.ID(); {
			case string(a.ID) == "null":
				continue // what was no message
			case asked[id] == 0:
				t.Fatalf("answered %q, which nobody asked", line)
			case (a.Result == nil) == (a.Error == nil):
				t.Fatalf("answered %q", line)
			default:
				asked[id]--
				made = made || a.Result != nil && len(a.Result.Content) > 0 && !a.Result.IsError
			}
		}
		for id, n := range asked {
			if n != 0 && !cancelled {
				t.Fatalf("%d requests %s are not answered: %q", n, id, out.String())
			}
		}
		now, err := os.ReadFile(filepath.Join(root, "a.txt"))
		if !made && !cancelled && (err != nil || string(now) != before) {
			t.Fatalf("no edit was said to be made, and the file has %q, %v", now, err)
		}
		if i := slices.IndexFunc(entries(t, root), func(name string) bool { return name != "a.txt" }); i >= 0 && !made && !cancelled {
			t.Fatalf("no edit was said to be made, and there is %s", entries(t, root)[i])
		}
	})
}

func entries(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	must(t, err)
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}
