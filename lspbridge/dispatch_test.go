package lspbridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"

	"acp-ls/buffers"
	"acp-ls/internal/session"
	"acp-ls/lspbridge/fakeeditor"
)

func codeOf(err error) jsonrpc2.Code {
	var wire *jsonrpc2.Error
	if errors.As(err, &wire) {
		return wire.Code
	}
	return 0
}

func kindOf(err error) string {
	var wire *jsonrpc2.Error
	var data struct{ Kind string }
	if errors.As(err, &wire) {
		_ = json.Unmarshal(wire.Data, &data) // no data: no kind
	}
	return data.Kind
}

func TestUnknownMethods(t *testing.T) {
	r := start(t, rigOptions{})
	for _, method := range []string{"textDocument/rename", "$/unknown", "acp/none"} {
		must(t, r.client.Notify(method, map[string]any{"x": 1}))
		err := r.client.Request(limit(t), method, nil, nil)
		if codeOf(err) != jsonrpc2.MethodNotFound || !strings.Contains(err.Error(), method) {
			t.Errorf("%s: %v", method, err)
		}
	}
}

func TestLifecycle(t *testing.T) {
	t.Run("initialize twice", func(t *testing.T) {
		r := start(t, rigOptions{})
		if err := r.client.Request(limit(t), "initialize", map[string]any{}, nil); codeOf(err) != jsonrpc2.InvalidRequest {
			t.Error(err)
		}
	})
	t.Run("nothing after shutdown", func(t *testing.T) {
		r := start(t, rigOptions{})
		must(t, r.client.Request(limit(t), "shutdown", nil, nil))
		if err := r.client.Request(limit(t), "textDocument/hover", nil, nil); codeOf(err) != jsonrpc2.InvalidRequest {
			t.Error(err)
		}
		must(t, r.client.Open("file:///a", "go", "x"))
		must(t, r.client.Notify("exit", nil))
		if err := <-r.served; err != nil {
			t.Error(err)
		}
		r.served <- nil
		if len(r.core.docs.applied) > 0 || !r.core.docs.detached {
			t.Errorf("applied %v, detached %v", r.core.docs.applied, r.core.docs.detached)
		}
	})
	t.Run("exit without shutdown", func(t *testing.T) {
		r := start(t, rigOptions{})
		must(t, r.client.Notify("exit", nil))
		if err := <-r.served; !errors.Is(err, ErrNoShutdown) {
			t.Error(err)
		}
		r.served <- nil
	})
	t.Run("end of input", func(t *testing.T) {
		r := start(t, rigOptions{})
		must(t, r.client.Kill())
		if err := <-r.served; err != nil {
			t.Error(err)
		}
		r.served <- nil
		if !r.core.docs.detached {
			t.Error("not detached")
		}
	})
	t.Run("before initialize", func(t *testing.T) {
		c := newRaw(t)
		c.send(`{"jsonrpc":"2.0","id":1,"method":"textDocument/hover"}`)
		c.send(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{}}`)
		if got := c.receive(); !strings.Contains(got, `"code":-32002`) {
			t.Error(got)
		}
		c.send(`{"jsonrpc":"2.0","method":"exit"}`)
		if err := <-c.served; !errors.Is(err, ErrNoShutdown) {
			t.Error(err)
		}
	})
}

// What ends a turn must not be kept from ending by the editor's going.
func TestRequestsEndWithTheEditor(t *testing.T) {
	started, ended := make(chan bool), make(chan error, 1)
	r := start(t, rigOptions{core: func(c *fakeCore) {
		c.prompt = func(ctx context.Context, _ session.Prompt) (session.PromptResult, error) {
			close(started)
			<-ctx.Done()
			ended <- ctx.Err()
			return session.PromptResult{}, ctx.Err()
		}
	}})
	_, err := r.client.BeginCommand("acp.prompt", map[string]any{"text": "x", "wait": true})
	must(t, err)
	<-started
	must(t, r.client.Kill())
	<-ended
}

func TestNoNotificationEndsTheConnection(t *testing.T) {
	r := start(t, rigOptions{core: func(c *fakeCore) {
		c.docs.onApply = func(m buffers.Modification) {
			if o, ok := m.(buffers.Open); ok && o.LanguageID == "panic" {
				panic("a fault")
			}
		}
	}})
	for _, method := range []string{
		"textDocument/didOpen", "textDocument/didChange", "textDocument/didSave", "textDocument/didClose",
		"workspace/didChangeConfiguration", "workspace/didChangeWorkspaceFolders", "window/workDoneProgress/cancel", "$/cancelRequest",
	} {
		for _, params := range []any{
			nil, 1, "x", []int{1}, map[string]any{},
			map[string]any{"textDocument": 1, "id": map[string]any{}, "event": 1, "token": []int{}},
			map[string]any{"textDocument": map[string]any{"uri": "file:///x", "version": "one"}, "contentChanges": map[string]any{}},
			map[string]any{"textDocument": map[string]any{"uri": "file:///x", "version": 1}, "contentChanges": []any{map[string]any{"range": map[string]any{"start": map[string]any{"line": -1}}, "text": ""}}},
		} {
			must(t, r.client.Notify(method, params))
		}
	}
	must(t, r.client.Open("file:///p", "panic", "x"))
	must(t, r.client.Open("file:///a", "go", "hello"))
	must(t, r.client.Append("file:///a", " world"))
	r.settledAt(t, "file:///a", "hello world")
}

// settledAt makes sure that everything sent so far was applied and compares.
func (r *rig) settledAt(t *testing.T, uri, want string) {
	t.Helper()
	_ = r.client.Request(limit(t), "$/nothing", nil, nil) // its answer is an error; all before it is applied
	d, ok := r.core.docs.Document(uri)
	if !ok || d.Text.String() != want {
		t.Errorf("%s is %q, want %q", uri, d.Text.String(), want)
	}
}

// Every request sees at least what was sent before it, also when the requests
// overlap and take long.
func TestRequestsStartAfterWhatCameBefore(t *testing.T) {
	const n = 300
	var r *rig
	seen := make(chan error, n)
	r = start(t, rigOptions{core: func(c *fakeCore) {
		c.prompt = func(_ context.Context, p session.Prompt) (session.PromptResult, error) {
			d, _ := c.docs.Document("file:///a")
			if got := d.Text.String(); !strings.HasPrefix(got, p.Text) {
				seen <- fmt.Errorf("request after %q sees %q", p.Text, got)
			} else {
				seen <- nil
			}
			return session.PromptResult{}, nil
		}
	}})
	must(t, r.client.Open("file:///a", "go", ""))
	text := ""
	var calls []*fakeeditor.Call
	for i := range n {
		s := string(rune('a' + i%26))
		text += s
		must(t, r.client.Append("file:///a", s))
		c, err := r.client.BeginCommand("acp.prompt", map[string]any{"text": text})
		must(t, err)
		calls = append(calls, c)
	}
	for _, c := range calls {
		must(t, c.Wait(limit(t), nil))
		if err := <-seen; err != nil {
			t.Fatal(err)
		}
	}
}

func TestCancelRequest(t *testing.T) {
	started := make(chan bool, 2)
	r := start(t, rigOptions{core: func(c *fakeCore) {
		c.prompt = func(ctx context.Context, p session.Prompt) (session.PromptResult, error) {
			started <- true
			<-ctx.Done()
			if p.Text == "reason" {
				return session.PromptResult{Session: "s", Turn: "t", StopReason: session.StopCancelled}, nil
			}
			return session.PromptResult{}, ctx.Err()
		}
	}})
	a, err := r.client.BeginCommand("acp.prompt", map[string]any{"text": "error", "wait": true})
	must(t, err)
	b, err := r.client.BeginCommand("acp.prompt", map[string]any{"text": "reason", "wait": true})
	must(t, err)
	<-started
	<-started
	must(t, a.Cancel())
	if err := a.Wait(limit(t), nil); codeOf(err) != -32800 {
		t.Errorf("cancelled request: %v", err)
	}
	must(t, b.Cancel())
	var result session.PromptResult
	must(t, b.Wait(limit(t), &result))
	if result.StopReason != session.StopCancelled {
		t.Errorf("result %+v", result)
	}
	must(t, b.Cancel()) // of a request that is answered: nothing
	if got := len(r.client.Received("window/showMessage")); got > 0 {
		t.Errorf("a cancelled request was shown as an error")
	}
}

func TestPanickingRequestIsAnswered(t *testing.T) {
	r := start(t, rigOptions{}) // the fake core panics in what the test does not set
	for range 2 {
		if err := r.client.Command(limit(t), "acp.prompt", map[string]any{"text": "x"}, nil); codeOf(err) != jsonrpc2.InternalError {
			t.Fatal(err)
		}
	}
}

// A close counts once any other message has followed it, answers included.
func TestAnswersSettleDocuments(t *testing.T) {
	r := start(t, rigOptions{})
	must(t, r.client.Open("file:///a", "go", "x"))
	must(t, r.client.Close("file:///a"))
	if err := r.editor.ApplyEdit(limit(t), session.DocumentEdit{URI: "file:///b"}); !errors.Is(err, session.ErrRefused) {
		t.Fatal(err)
	}
	if _, open := r.core.docs.Document("file:///a"); open {
		t.Error("the document is still open")
	}
}

// Neovim's reload is a close and an open: nothing may be settled between. All
// other messages settle first.
func TestSettling(t *testing.T) {
	for _, tt := range []struct {
		message string
		settles bool
	}{
		{`"method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///a","languageId":"go","version":0,"text":"y"}}`, false},
		{`"method":"textDocument/didChange","params":{}`, true},
		{`"method":"textDocument/didClose","params":{"textDocument":{"uri":"file:///b"}}`, true},
		{`"method":"$/unknown"`, true},
		{`"id":1,"method":"textDocument/hover","params":{}`, true},
		{`"id":1,"method":"unknown"`, true},
		{`"id":1,"method":"shutdown"`, true},
		{`"id":77,"result":null`, true},
	} {
		c := newRaw(t)
		c.initialize()
		go func() { _, _ = io.Copy(io.Discard, c.in) }() // answers are not looked at
		c.send(`{"jsonrpc":"2.0",` + tt.message + `}`)
		c.send(`{"jsonrpc":"2.0","method":"exit"}`)
		<-c.served
		if got := c.core.docs.settled == 1; got != tt.settles {
			t.Errorf("%s: settled %d times", tt.message, c.core.docs.settled)
		}
	}
}
