package lspbridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"acp-ls/buffers"
	"acp-ls/internal/session"
	"acp-ls/lspbridge/fakeeditor"
)

// Neovim opens documents at version 0 and takes an edit for it whatever the
// document's version is by then. The plugin wants the version it has.
func TestEditsOfNeovimsFirstVersion(t *testing.T) {
	for _, tt := range []struct {
		name    string
		acp     map[string]bool
		version int32
		want    int32
	}{
		{"Neovim", nil, 0, 1},
		{"Neovim", nil, 7, 7},
		{"Neovim", map[string]bool{"save": true}, 0, 0},
		{"other", nil, 0, 0},
	} {
		e := &editor{client: client{name: tt.name, acp: tt.acp, documentChanges: true}}
		change := e.workspaceEdit(session.DocumentEdit{URI: fileA, Version: tt.version}).Edit.DocumentChanges[0].(*protocol.TextDocumentEdit)
		if got := *change.TextDocument.Version; got != tt.want {
			t.Errorf("%+v: version %d", tt, got)
		}
	}
}

func TestSaveAndReload(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("names of files are made by hand")
	}
	path := filepath.Join(t.TempDir(), "a.txt")
	must(t, os.WriteFile(path, []byte("disk"), 0o600))
	uri := buffers.PathURI(path)
	r := start(t, rigOptions{Options: fakeeditor.Options{ACP: []string{"save", "reload"}}})
	must(t, r.client.Open(uri, "text", "disk"))
	must(t, r.client.Append(uri, "!"))
	if reloaded, err := r.editor.Reload(limit(t), uri); reloaded || err != nil {
		t.Errorf("reload of a changed document: %v, %v", reloaded, err)
	}
	must(t, r.editor.Save(limit(t), uri, 0, true))
	if got, _ := os.ReadFile(path); string(got) != "disk!" {
		t.Errorf("saved %q", got)
	}
	must(t, os.WriteFile(path, []byte("new"), 0o600))
	if reloaded, err := r.editor.Reload(limit(t), uri); !reloaded || err != nil {
		t.Errorf("reload: %v, %v", reloaded, err)
	}
	r.settledAt(t, uri, "new")
	if err := r.editor.Save(limit(t), "file:///closed", 0, true); !errors.Is(err, session.ErrNotSaved) {
		t.Errorf("save of what is not open: %v", err)
	}
}

// Without a capability nothing of it is sent, and requests say so.
func TestOnlyWhatTheEditorOffers(t *testing.T) {
	r := start(t, rigOptions{})
	ctx := limit(t)
	r.editor.SessionChanged(session.Info{Session: "s"})
	r.editor.EntryChanged("s", session.Entry{ID: "e"})
	r.editor.Chunk("s", "e", "text")
	r.editor.TerminalOutput(session.TerminalOutput{Session: "s", Terminal: "t", Output: "x"})
	r.editor.ReviewChanged(reviewA())
	r.editor.Dismiss("q")
	_, reload := r.editor.Reload(ctx, fileA)
	_, state := r.editor.State(ctx)
	_, run := r.editor.Run(ctx, session.RunRequest{Title: "Log in to demo", Command: "demo agent", Args: []string{"--login", "it's"}, Env: map[string]string{"B": "", "A": "x y"}, Cwd: "/tmp/a b"})
	_, ask := r.editor.Ask(ctx, session.Form{})
	for name, err := range map[string]error{"save": r.editor.Save(ctx, fileA, 0, true), "reload": reload, "editor": state, "run": run, "ask": ask} {
		if !errors.Is(err, session.ErrUnsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
	r.editor.ShowMessage(session.LevelWarning, "end")
	r.await(t, "the end", fakeeditor.Received("window/showMessage", 2))
	for _, m := range r.client.Log() {
		if strings.HasPrefix(m.Method, "acp/") {
			t.Errorf("sent %v", m)
		}
	}
	shown := r.client.Received("window/showMessage")
	if got := string(shown[0]); got != `{"type":3,"message":"Log in to demo. Run this in a terminal: cd '/tmp/a b' && A='x y' B='' 'demo agent' --login 'it'\\''s'"}` {
		t.Error(got)
	}
	if got := string(shown[1]); got != `{"type":2,"message":"end"}` {
		t.Error(got)
	}
}

func TestRequestsOfTheContract(t *testing.T) {
	answer := func(v any) answerFunc { return func(context.Context, json.RawMessage) (any, error) { return v, nil } }
	r := start(t, rigOptions{Options: fakeeditor.Options{
		ACP: []string{"editor", "run", "ask"},
		Answer: map[string]func(context.Context, json.RawMessage) (any, error){
			"acp/editor": answer(json.RawMessage(`{"active":{"uri":"file:///a","ranges":[{"start":{"line":1,"character":2},"end":{"line":3,"character":4}}],"viewport":{}},"visible":["file:///a"],"lastTyped":1500,"new":1}`)),
			"acp/run":    answer(map[string]any{"exitCode": 3}),
			"acp/ask": func(_ context.Context, raw json.RawMessage) (any, error) {
				if string(raw) != `{"id":"f1","session":"s","title":"Which?","questions":[{"id":"a","prompt":"Size","type":"choice","options":[{"id":"s","label":"small"}],"required":true,"default":"s"}]}` {
					return nil, fmt.Errorf("asked %s", raw)
				}
				return map[string]any{"action": "accept", "answers": map[string]any{"a": []string{"s"}, "n": 1.5}}, nil
			},
		},
	}})
	ctx := limit(t)
	state, err := r.editor.State(ctx)
	if err != nil || fmt.Sprint(state) != "{file:///a [{{1 2} {3 4}}] [file:///a] 1500}" {
		t.Errorf("%v, %v", state, err)
	}
	code, err := r.editor.Run(ctx, session.RunRequest{Title: "Log in", Command: "demo", Args: []string{"x"}})
	if err != nil || code != 3 {
		t.Errorf("%d, %v", code, err)
	}
	if got := string(r.client.Received("acp/run")[0]); got != `{"title":"Log in","command":"demo","args":["x"],"env":{},"cwd":""}` {
		t.Error(got)
	}
	form := session.Form{ID: "f1", Session: "s", Title: "Which?", Questions: []session.FormQuestion{{
		ID: "a", Prompt: "Size", Type: "choice", Options: []session.FormOption{{ID: "s", Label: "small"}}, Required: true, Default: "s",
	}}}
	got, err := r.editor.Ask(ctx, form)
	if err != nil || fmt.Sprint(got) != "{accept map[a:[s] n:1.5]}" {
		t.Errorf("%v, %v", got, err)
	}
}
