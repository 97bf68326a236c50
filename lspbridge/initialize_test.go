package lspbridge

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"acp-ls/buffers"
	"acp-ls/internal/config"
	"acp-ls/internal/session"
	"acp-ls/lspbridge/fakeeditor"
)

func TestServerCapabilities(t *testing.T) {
	r := start(t, rigOptions{})
	var commands []string
	for _, name := range commandNames() {
		commands = append(commands, fmt.Sprintf("%q", name))
	}
	want := `{"capabilities":{"positionEncoding":"utf-8","textDocumentSync":{"openClose":true,"change":2,"save":{"includeText":true}},` +
		`"completionProvider":{"triggerCharacters":["@","/"]},"hoverProvider":true,` +
		`"codeActionProvider":{"codeActionKinds":["quickfix.acp.accept","quickfix.acp.reject","quickfix.acp.apply","quickfix.acp.discard","quickfix.acp.mine","quickfix.acp.theirs","quickfix.acp.both","quickfix.acp.accept.file","quickfix.acp.reject.file","quickfix.acp.apply.file","quickfix.acp.discard.file","quickfix.acp.fix"],"resolveProvider":true},` +
		`"codeLensProvider":{"resolveProvider":true},"executeCommandProvider":{"commands":[` + strings.Join(commands, ",") + `]},` +
		`"workspace":{"workspaceFolders":{"supported":true,"changeNotifications":true}},"experimental":{"acp":{"version":1}}},"serverInfo":{"name":"acp-ls","version":"test"}}`
	if got := string(r.client.Initialize); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestEncodings(t *testing.T) {
	for offered, want := range map[string]string{
		"": "utf-16", "utf-16": "utf-16", "utf-32 utf-16 utf-8": "utf-8", "utf-32": "utf-16", "utf-8": "utf-8", "utf-7 utf-16": "utf-16",
	} {
		r := start(t, rigOptions{Options: fakeeditor.Options{Encodings: strings.Fields(offered)}})
		if r.client.Encoding != want {
			t.Errorf("offered %q: %s", offered, r.client.Encoding)
		}
	}
}

// What an editor has written while no acp-ls ran is known before anything is taken up.
func TestWrittenWhileNoneRan(t *testing.T) {
	c := newRaw(t)
	c.send(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"capabilities":{},` +
		`"acp":{"written":[{"uri":"file:///a","text":"1\n"},{"uri":"file:///b"},{"uri":"file:///c","text":"","read":"0"}]}}}`)
	c.receive()
	<-c.core.attached
	if want := []string{"file:///a 1\n", "file:///c  after 0"}; !slices.Equal(c.core.away, want) {
		t.Errorf("told %q, want %q", c.core.away, want)
	}
}

// Whatever an editor sends for initialize, it is answered; what is wrong in it
// counts as absent and costs nothing else.
func TestOddInitialize(t *testing.T) {
	for params, check := range map[string]func(*editor) bool{
		`{}`:   func(e *editor) bool { return len(e.client.acp) == 0 },
		`null`: func(e *editor) bool { return e.client.name == "" },
		`{"capabilities":{"experimental":{"acp":{"session":true,"review":1,"save":"true","run":false,"ask":null,"own":true}}}}`: func(e *editor) bool {
			return e.Can("session") && e.Can("own") && !e.Can("review") && !e.Can("save") && !e.Can("run") && !e.Can("ask")
		},
		`{"capabilities":{"experimental":{"acp":true},"window":{"showMessage":{}}}}`:                                   func(e *editor) bool { return len(e.client.acp) == 0 && e.client.asks },
		`{"capabilities":{"experimental":[],"general":{"positionEncodings":["utf-8"]}}}`:                               func(e *editor) bool { return e.client.encoding.String() == "utf-8" },
		`{"capabilities":{"general":{"positionEncodings":"utf-8"},"workspace":{"applyEdit":true,"workspaceEdit":[]}}}`: func(e *editor) bool { return e.client.encoding.String() == "utf-16" && e.client.applyEdit },
		`{"capabilities":{"window":{"workDoneProgress":true,"showMessage":null}}}`:                                     func(e *editor) bool { return e.client.workDoneProgress && !e.client.asks },
		`{"capabilities":{"textDocument":{"hover":{"contentFormat":["plaintext"]}}},"clientInfo":{"name":1}}`:          func(e *editor) bool { return !e.client.markdown },
		`{"clientInfo":{"name":"x","version":2},"capabilities":7,"rootUri":5,"rootPath":{},"workspaceFolders":"none"}`: func(e *editor) bool { return e.client.name == "x" },
		`{"capabilities":{},"acp":{"written":[{"uri":1,"text":"t"}]},"clientInfo":{"name":"z"}}`:                       func(e *editor) bool { return e.client.name == "z" },
		`{"clientInfo":{"name":"x","name":"y"},"processId":"many","trace":5,"\ud800":1}`:                               func(e *editor) bool { return e.client.name == "y" },
	} {
		c := newRaw(t)
		c.send(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":` + params + `}`)
		if got := c.receive(); !strings.Contains(got, `"id":"i","result":{"capabilities":{`) {
			t.Errorf("%s: %s", params, got)
		}
		if e := (<-c.core.attached).(*editor); !check(e) {
			t.Errorf("%s: %+v", params, e.client)
		}
	}
	for _, params := range []string{`[]`, `"x"`} {
		c := newRaw(t)
		c.send(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":` + params + `}`)
		if got := c.receive(); !strings.Contains(got, `"code":-32602`) {
			t.Errorf("%s: %s", params, got)
		}
		c.send(`{"jsonrpc":"2.0","id":"j","method":"initialize","params":{}}`) // may be tried again
		if got := c.receive(); !strings.Contains(got, `"id":"j","result":`) {
			t.Errorf("%s: %s", params, got)
		}
	}
}

func TestRoots(t *testing.T) {
	root := "/work"
	if runtime.GOOS == "windows" {
		root = `C:\work`
	}
	uri := func(name string) string { return buffers.PathURI(root) + "/" + name }
	sep := root[len(root)-5 : len(root)-4]
	for params, want := range map[string][]string{
		`{"rootUri":"` + uri("a%20b") + `"}`: {root + sep + "a b"},
		`{"rootUri":"` + uri("a") + `","workspaceFolders":[{"uri":"` + uri("b") + `"},{"uri":"untitled:x"},{"uri":"` + uri("c") + `"}]}`: {root + sep + "b", root + sep + "c"},
		`{"rootUri":null,"workspaceFolders":null}`:                    nil,
		`{"workspaceFolders":[],"rootPath":` + mustString(root) + `}`: {root},
	} {
		c := newRaw(t)
		c.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":` + params + `}`)
		c.receive()
		if got := c.core.docs.roots; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", params, got, want)
		}
	}

	r := start(t, rigOptions{Options: fakeeditor.Options{Folder: uri("a")}})
	folders := func(names ...string) []any {
		out := []any{}
		for _, n := range names {
			out = append(out, map[string]any{"uri": uri(n), "name": n})
		}
		return out
	}
	change := func(added, removed []any) {
		must(t, r.client.Notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{"added": added, "removed": removed}}))
	}
	change(folders("b", "c"), folders("a"))
	change(folders(), folders("c"))
	_ = r.client.Request(limit(t), "$/nothing", nil, nil) // the answer is an error; all before it was handled
	if got := r.core.docs.roots; !slices.Equal(got, []string{root + sep + "b"}) {
		t.Errorf("roots %q", got)
	}
}

func mustString(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// configured notes what the bridge puts in force.
type configured struct {
	told  chan string
	wrong []config.Problem
}

func (c *configured) configure(layers ...config.Layer) []config.Problem {
	var all []string
	for _, l := range layers {
		all = append(all, l.Name+" "+string(l.JSON))
	}
	c.told <- strings.Join(all, " + ")
	return c.wrong
}

func TestSettingsAreAskedFor(t *testing.T) {
	c := &configured{told: make(chan string, 10)}
	settings := map[string]any{"terminal": false}
	r := start(t, rigOptions{configure: c.configure, Options: fakeeditor.Options{
		InitializationOptions: map[string]any{"acp": map[string]any{"trace": "off"}}, Settings: settings,
		Capabilities: func(caps map[string]any) {
			caps["workspace"].(map[string]any)["didChangeConfiguration"] = map[string]any{"dynamicRegistration": true}
		},
	}})
	if got := <-c.told; got != `editor {"trace":"off"}` {
		t.Errorf("at first: %s", got)
	}
	if got := <-c.told; got != `editor {"trace":"off"} + editor {"terminal":false}` {
		t.Errorf("when asked: %s", got)
	}
	r.await(t, "the registration", fakeeditor.Received("client/registerCapability", 1))
	if got := r.client.Received("client/registerCapability"); len(got) != 1 || !strings.Contains(string(got[0]), `"method":"workspace/didChangeConfiguration","registerOptions":{"section":"acp"}`) {
		t.Errorf("registered %s", got)
	}
	must(t, r.client.Notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"acp": map[string]any{"ignored": true}}}))
	if got := <-c.told; got != `editor {"trace":"off"} + editor {"terminal":false}` {
		t.Errorf("after a change: %s", got)
	}
	if got := r.client.Received("workspace/codeLens/refresh"); len(got) > 0 {
		t.Errorf("lenses that have not changed are refreshed")
	}
	r.core.mu.Lock()
	defer r.core.mu.Unlock()
	if r.core.changed < 2 {
		t.Errorf("the core was told %d times", r.core.changed)
	}
}

func TestSettingsAreSent(t *testing.T) {
	c := &configured{told: make(chan string, 10), wrong: []config.Problem{{Source: "editor", Key: "trace", Message: "1 is not a trace"}, {Source: "editor", Key: "new", Message: "unknown setting", Warning: true},
		{Source: "config.json", Key: "newer", Message: "unknown setting", Warning: true},
		{Source: "editor", Key: "permissions", Message: "none of these rules is used"}}}
	r := start(t, rigOptions{configure: c.configure, core: func(f *fakeCore) { f.core = &listener{fakeCore: newFakeCore()} }})
	if got := <-c.told; got != `` {
		t.Errorf("at first: %s", got)
	}
	for _, tt := range []struct{ settings, want string }{
		{`{"acp":{"trace":1}}`, `editor {"trace":1}`},
		{`{"trace":1}`, `editor {"trace":1}`},
		{`{"acp":{"trace":1},"other":{}}`, `editor {"trace":1}`},
		{`null`, ``},
	} {
		must(t, r.client.Notify("workspace/didChangeConfiguration", map[string]any{"settings": json.RawMessage(tt.settings)}))
		if got := <-c.told; got != tt.want {
			t.Errorf("%s: %s", tt.settings, got)
		}
	}
	r.await(t, "the problem", fakeeditor.Received("window/showMessage", 1))
	var list struct{ Problems []string }
	must(t, r.client.Command(limit(t), "acp.agent.list", map[string]any{}, &list))
	if want := []string{"editor: permissions: none of these rules is used", "editor: trace: 1 is not a trace", "editor: new: unknown setting", "config.json: newer: unknown setting"}; !slices.Equal(list.Problems, want) {
		t.Errorf("problems %q", list.Problems)
	}
	must(t, r.client.Exit(limit(t)))
	must(t, <-r.served)
	r.served <- nil
	if got := r.client.Received("window/showMessage"); len(got) != 1 || string(got[0]) != `{"type":2,"message":"Settings: editor: permissions: none of these rules is used; editor: trace: 1 is not a trace; editor: new: unknown setting"}` {
		t.Errorf("shown %s", got) // once, however often the settings come
	}
	if got := r.client.Received("client/registerCapability"); len(got) > 0 {
		t.Errorf("registered %s", got)
	}
}

// Commands that follow at once run under the editor's settings, in their order, and
// those whose editor never tells them run all the same.
func TestCommandsWaitForTheSettings(t *testing.T) {
	var mu sync.Mutex
	inForce := ""
	var order []string
	o := withAnswer("workspace/configuration", nil)
	o.configure = func(layers ...config.Layer) []config.Problem {
		mu.Lock()
		defer mu.Unlock()
		for _, l := range layers {
			inForce = string(l.JSON)
		}
		return nil
	}
	o.core = func(c *fakeCore) {
		c.prompt = func(_ context.Context, p session.Prompt) (session.PromptResult, error) {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, p.Text)
			return session.PromptResult{Session: inForce}, nil
		}
	}
	o.Settings = map[string]any{}
	o.InitializationOptions = map[string]any{"terminal": true}
	for _, answers := range []bool{true, false} {
		timer := make(chan func(), 1)
		o.after = func(_ time.Duration, f func()) func() bool {
			timer <- f
			return func() bool { return true }
		}
		answer, want := make(chan bool), `{"terminal":false}`
		if !answers {
			want = `{"terminal":true}`
		}
		o.Answer["workspace/configuration"] = func(ctx context.Context, _ json.RawMessage) (any, error) {
			select {
			case <-answer:
				return []any{map[string]any{"terminal": false}}, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		r := start(t, o)
		var calls []*fakeeditor.Call
		var sent []string
		for i := range 50 {
			sent = append(sent, fmt.Sprint(i))
			call, err := r.client.BeginCommand("acp.prompt", map[string]any{"text": sent[i]})
			must(t, err)
			calls = append(calls, call)
		}
		r.await(t, "the question", fakeeditor.Received("workspace/configuration", 1))
		if timeUp := <-timer; answers {
			close(answer)
		} else {
			timeUp()
		}
		for _, call := range calls {
			var result session.PromptResult
			must(t, call.Wait(limit(t), &result))
			if result.Session != want {
				t.Errorf("answered %v: run under %s", answers, result.Session)
			}
		}
		if !slices.Equal(order, sent) {
			t.Errorf("answered %v: run as %v", answers, order)
		}
		order = nil
	}
}

// Lenses are asked for again when their setting changes.
func TestLensesFollowTheirSetting(t *testing.T) {
	settings := config.Default()
	r := start(t, rigOptions{settings: settings, configure: func(layers ...config.Layer) []config.Problem {
		settings.Review.CodeLens = len(layers) == 0
		return nil
	}})
	must(t, r.client.Notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"review": map[string]any{"codeLens": false}}}))
	r.await(t, "a refresh", fakeeditor.Received("workspace/codeLens/refresh", 1))
}
