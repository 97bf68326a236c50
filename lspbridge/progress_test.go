package lspbridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"acp-ls/internal/session"
	"acp-ls/lspbridge/fakeeditor"
)

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
