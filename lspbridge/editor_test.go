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
	"acp-ls/buffers/position"
	"acp-ls/internal/config"
	"acp-ls/internal/session"
	"acp-ls/lspbridge/fakeeditor"
)

// edit is an edit of a document that replaces bytes, in the editor's encoding.
func edit(r *rig, uri string, start, end int, s string) session.DocumentEdit {
	d, _ := r.core.docs.Document(uri)
	return session.DocumentEdit{URI: uri, Version: d.Version, Label: "demo: edit", Edits: []session.TextEdit{{
		Start: start, End: end, NewText: s, Range: position.OffsetsRange(d.Text, start, end, r.bridge.client.encoding),
	}}}
}

func TestApplyEdit(t *testing.T) {
	const text = "a 😀 b\r\nc"
	for _, encoding := range []string{"utf-8", "utf-16", "utf-32"} {
		for _, documentChanges := range []bool{true, false} {
			r := start(t, rigOptions{Options: fakeeditor.Options{Encodings: []string{encoding}, Capabilities: func(caps map[string]any) {
				caps["workspace"].(map[string]any)["workspaceEdit"] = map[string]any{"documentChanges": documentChanges}
			}}})
			must(t, r.client.Open(fileA, "go", text))
			r.settledAt(t, fileA, text)
			d := edit(r, fileA, strings.Index(text, "b"), strings.Index(text, "c"), "B\r\n")
			if err := r.editor.ApplyEdit(limit(t), d); err != nil {
				t.Fatal(err)
			}
			want := "a 😀 B\r\nc"
			if got, _ := r.client.Text(fileA); got != want {
				t.Errorf("%s, %v: %q", encoding, documentChanges, got)
			}
			r.settledAt(t, fileA, want)
			raw := string(r.client.Received("workspace/applyEdit")[0])
			if strings.Contains(raw, `"documentChanges":[{"textDocument":{"uri":"file:///work/a.go","version":1},`) != documentChanges || strings.Contains(raw, `"changes":{`) == documentChanges || !strings.Contains(raw, `"label":"demo: edit"`) {
				t.Errorf("%v: %s", documentChanges, raw)
			}
		}
	}
}

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

func TestEditsThatAreRefused(t *testing.T) {
	r := start(t, rigOptions{})
	must(t, r.client.Open(fileA, "go", "text"))
	r.settledAt(t, fileA, "text")
	good := edit(r, fileA, 0, 1, "T")
	stale := good
	stale.Version = 77
	closed := good
	closed.URI = "file:///closed"
	for name, tt := range map[string]struct {
		vices  fakeeditor.Vices
		edit   session.DocumentEdit
		reason string
	}{
		"stale":   {fakeeditor.Vices{}, stale, "of 77"},
		"closed":  {fakeeditor.Vices{}, closed, "not open"},
		"refused": {fakeeditor.Vices{RefuseEdits: true}, good, ""},
		"failed":  {fakeeditor.Vices{FailEdits: true}, good, "does not want"},
	} {
		r.client.SetVices(tt.vices)
		err := r.editor.ApplyEdit(limit(t), tt.edit)
		if !errors.Is(err, session.ErrRefused) || !strings.Contains(err.Error(), tt.reason) {
			t.Errorf("%s: %v", name, err)
		}
	}
	r.client.SetVices(fakeeditor.Vices{DropEdits: true})
	if err := r.editor.ApplyEdit(limit(t), good); err != nil {
		t.Errorf("a lie is taken for what it is: a hint; got %v", err)
	}
	unable := start(t, rigOptions{Options: fakeeditor.Options{Capabilities: func(caps map[string]any) {
		delete(caps["workspace"].(map[string]any), "applyEdit")
	}}})
	if err := unable.editor.ApplyEdit(limit(t), good); !errors.Is(err, session.ErrUnsupported) {
		t.Error(err)
	}
	if got := len(unable.client.Received("workspace/applyEdit")); got > 0 {
		t.Error("asked all the same")
	}
}

// One edit in flight for each document, others beside it, and none held up by
// one that was given up.
func TestOneEditInFlight(t *testing.T) {
	r := start(t, rigOptions{Options: fakeeditor.Options{Vices: fakeeditor.Vices{HoldEdits: true}}})
	uris := []string{"file:///a", "file:///b"}
	for _, uri := range uris {
		must(t, r.client.Open(uri, "go", "x"))
		r.settledAt(t, uri, "x")
	}
	begin := func(ctx context.Context, uri string) chan error {
		done := make(chan error, 1)
		d := edit(r, uri, 0, 0, "y")
		go func() { done <- r.editor.ApplyEdit(ctx, d) }()
		return done
	}
	first := begin(t.Context(), uris[0])
	r.await(t, "the first edit", fakeeditor.Received("workspace/applyEdit", 1))
	ctx, giveUp := context.WithCancel(t.Context())
	second, third := begin(ctx, uris[0]), begin(t.Context(), uris[0])
	other := begin(t.Context(), uris[1])
	r.await(t, "the edit of the other document", fakeeditor.Received("workspace/applyEdit", 2))
	giveUp()
	if err := <-second; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if got := len(r.client.Received("workspace/applyEdit")); got != 2 {
		t.Errorf("%d edits", got)
	}
	r.client.Release()
	for _, done := range []chan error{first, other} {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	r.await(t, "the next edit", fakeeditor.Received("workspace/applyEdit", 3))
	r.client.Release()
	if err := <-third; !errors.Is(err, session.ErrRefused) { // made at a version of before
		t.Error(err)
	}
	if n := len(r.bridge.edits.busy); n > 0 {
		t.Errorf("%d documents are still busy", n)
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
	must(t, r.editor.Save(limit(t), uri))
	if got, _ := os.ReadFile(path); string(got) != "disk!" {
		t.Errorf("saved %q", got)
	}
	must(t, os.WriteFile(path, []byte("new"), 0o600))
	if reloaded, err := r.editor.Reload(limit(t), uri); !reloaded || err != nil {
		t.Errorf("reload: %v, %v", reloaded, err)
	}
	r.settledAt(t, uri, "new")
	if err := r.editor.Save(limit(t), "file:///closed"); !errors.Is(err, session.ErrRefused) {
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
	for name, err := range map[string]error{"save": r.editor.Save(ctx, fileA), "reload": reload, "editor": state, "run": run, "ask": ask} {
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

// Requests of the core end with their context, or with the editor, also while
// the editor reads nothing.
func TestCallsEndWithTheirContext(t *testing.T) {
	r := start(t, withAnswer("acp/editor", func(ctx context.Context, _ json.RawMessage) (any, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}, "editor"))
	resume := r.client.Stall()
	defer resume()
	var left []chan error
	for range 4 {
		done := make(chan error, 1)
		go func() {
			_, err := r.editor.State(context.Background())
			done <- err
		}()
		left = append(left, done)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := r.editor.State(ctx)
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	must(t, r.client.Kill())
	for _, done := range left {
		if err := <-done; err == nil {
			t.Error("answered by nobody")
		}
	}
	if _, err := r.editor.State(context.Background()); err == nil { // an editor that is gone
		t.Error("answered by nobody")
	}
	r.editor.SessionChanged(session.Info{})
	r.editor.ShowMessage(session.LevelInfo, "nobody reads this")
}

// The answer of a prompt that was waited for comes after all of its turn.
func TestAnswersDoNotOvertakeChunks(t *testing.T) {
	var r *rig
	r = start(t, rigOptions{
		Options: fakeeditor.Options{ACP: []string{"session"}},
		core: func(c *fakeCore) {
			c.prompt = func(_ context.Context, p session.Prompt) (session.PromptResult, error) {
				for i := range 100 {
					r.editor.Chunk("s", "e"+p.Text, fmt.Sprintf("%d ", i))
				}
				r.editor.SessionChanged(session.Info{Session: "s", State: session.StateIdle, Turn: p.Text})
				return session.PromptResult{Session: "s", Turn: p.Text, StopReason: "end_turn"}, nil
			}
		},
	})
	for i := range 5 {
		turn := fmt.Sprint(i)
		must(t, r.client.Command(limit(t), "acp.prompt", map[string]any{"text": turn, "wait": true}, nil))
		text, state := "", ""
		log := r.client.Log()
		for _, m := range log {
			var p struct{ ID, Text, Turn string }
			_ = json.Unmarshal(m.Params, &p)
			switch {
			case m.FromEditor || m.Response():
			case m.Method == "acp/chunk" && p.ID == "e"+turn:
				text += p.Text
			case m.Method == "acp/session":
				state = p.Turn
			}
		}
		if !strings.HasSuffix(text, " 99 ") || strings.Count(text, " ") != 100 || state != turn {
			t.Fatalf("turn %s was answered after %q, state of %s", turn, text, state)
		}
	}
}

// A million chunks for an editor that does not read cost their text, and none is
// lost.
func TestStalledEditorCostsTheText(t *testing.T) {
	r := start(t, rigOptions{Options: fakeeditor.Options{ACP: []string{"session"}}})
	resume := r.client.Stall()
	const n, chunk = 1_000_000, "word "
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range n {
		r.editor.Chunk("s", "e", chunk)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 2*n*int64(len(chunk)) {
		t.Errorf("%d bytes of text take %d", n*len(chunk), grown)
	}
	resume()
	total := 0
	seen := 0
	r.await(t, "all of the text", func(s fakeeditor.State) bool {
		for ; seen < len(s.Log); seen++ {
			var p struct{ Text string }
			if m := s.Log[seen]; m.Method == "acp/chunk" && json.Unmarshal(m.Params, &p) == nil {
				total += len(p.Text)
			}
		}
		return total == n*len(chunk)
	})
}

func TestProgress(t *testing.T) {
	cancelled := make(chan string, 1)
	o := rigOptions{core: func(c *fakeCore) {
		c.cancel = func(s string) error {
			cancelled <- s
			return nil
		}
	}}
	r := start(t, o)
	resume := r.client.Stall()
	r.editor.Turn(session.TurnProgress{Session: "s1", Turn: "t1", Title: "demo", Message: "thinking"})
	for i := range 100 {
		r.editor.Turn(session.TurnProgress{Session: "s1", Turn: "t1", Title: "demo", Message: fmt.Sprint(i)})
	}
	resume()
	r.await(t, "the last report", fakeeditor.Matching("$/progress", func(p struct{ Value struct{ Message string } }) bool { return p.Value.Message == "99" }))
	must(t, r.client.Notify("window/workDoneProgress/cancel", map[string]any{"token": 7}))
	must(t, r.client.Notify("window/workDoneProgress/cancel", map[string]any{"token": "acp/none"}))
	must(t, r.client.Notify("window/workDoneProgress/cancel", map[string]any{"token": "acp/t1"}))
	if got := <-cancelled; got != "s1" {
		t.Errorf("cancelled %s", got)
	}
	r.editor.Turn(session.TurnProgress{Session: "s1", Turn: "t1", Title: "demo", Message: "cancelled", End: true})
	r.editor.Turn(session.TurnProgress{Session: "s1", Turn: "t1", End: true}) // twice
	r.await(t, "the end", fakeeditor.Matching("$/progress", func(p struct{ Value struct{ Kind string } }) bool { return p.Value.Kind == "end" }))
	var got []string
	for _, m := range r.client.Log() {
		if !m.FromEditor && !m.Response() && strings.Contains(strings.ToLower(m.Method), "progress") {
			got = append(got, m.Method+" "+string(m.Params))
		}
	}
	if len(got) < 3 || len(got) > 6 || got[0] != `window/workDoneProgress/create {"token":"acp/t1"}` ||
		!strings.HasPrefix(got[1], `$/progress {"token":"acp/t1","value":{"kind":"begin","title":"demo","message":"`) || !strings.HasSuffix(got[1], `,"cancellable":true}}`) ||
		got[len(got)-1] != `$/progress {"token":"acp/t1","value":{"kind":"end","message":"cancelled"}}` {
		t.Errorf("%q", got)
	}
	if n := len(r.bridge.progress.turns); n > 0 {
		t.Errorf("%d turns are still shown", n)
	}
}

func TestNoProgressWhereItIsNotWanted(t *testing.T) {
	refusing := fakeeditor.Options{Answer: map[string]func(context.Context, json.RawMessage) (any, error){
		"window/workDoneProgress/create": func(context.Context, json.RawMessage) (any, error) { return nil, errors.New("no") },
	}}
	unable := fakeeditor.Options{Capabilities: func(caps map[string]any) { caps["window"] = nil }}
	for name, o := range map[string]fakeeditor.Options{"session": {ACP: []string{"session"}}, "refusing": refusing, "unable": unable} {
		r := start(t, rigOptions{Options: o})
		r.editor.Turn(session.TurnProgress{Session: "s1", Turn: "t1", Title: "demo"})
		r.editor.Turn(session.TurnProgress{Session: "s1", Turn: "t1", End: true})
		eventually(t, func() bool {
			r.bridge.progress.mu.Lock()
			defer r.bridge.progress.mu.Unlock()
			return len(r.bridge.progress.turns) == 0
		})
		must(t, r.client.Exit(limit(t)))
		must(t, <-r.served)
		r.served <- nil
		if got := r.client.Received("$/progress"); len(got) > 0 {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// A core that speaks to an editor while it is being attached is not heard before
// initialize is answered, and loses nothing.
func TestNothingIsSaidBeforeInitializeIsAnswered(t *testing.T) {
	c := newRaw(t)
	c.core.whileAttaching = func(e session.Editor) {
		e.ReviewChanged(reviewA())
		e.ShowMessage(session.LevelInfo, "hello")
		go func() {
			_ = e.ApplyEdit(context.Background(), session.DocumentEdit{URI: fileA}) // ends with the editor
		}()
	}
	c.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{"workspace":{"applyEdit":true}}}}`)
	if got := c.receive(); !strings.Contains(got, `"id":0,"result"`) {
		t.Fatalf("at first: %s", got)
	}
	c.send(`{"jsonrpc":"2.0","method":"initialized"}`)
	var got []string
	for range 3 {
		got = append(got, c.receive())
	}
	all := strings.Join(got, "\n")
	for _, method := range []string{"textDocument/publishDiagnostics", "window/showMessage", "workspace/applyEdit"} {
		if !strings.Contains(all, `"method":"`+method+`"`) {
			t.Errorf("%s was lost: %s", method, all)
		}
	}
}

// A fault in showing one thing costs that thing.
func TestFaultsInShowingAreSurvived(t *testing.T) {
	broken := true
	settings := config.Default()
	r := start(t, rigOptions{})
	r.bridge.opts.Settings = func() *config.Settings {
		if broken {
			broken = false
			panic("a fault")
		}
		return settings
	}
	r.editor.ReviewChanged(reviewA())
	r.editor.ShowMessage(session.LevelInfo, "still here")
	r.await(t, "the message", fakeeditor.Received("window/showMessage", 1))
	r.editor.ReviewChanged(reviewA())
	r.await(t, "the review", fakeeditor.Received("textDocument/publishDiagnostics", 1))
}
