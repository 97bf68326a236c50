package lspbridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"acp-ls/internal/session"
	"acp-ls/lspbridge/fakeeditor"
)

// What one server says wrongly costs that alone.
func TestEditorsDiagnostics(t *testing.T) {
	r := start(t, rigOptions{Options: fakeeditor.Options{
		ACP: []string{"diagnostics"},
		Answer: map[string]func(context.Context, json.RawMessage) (any, error){
			"acp/diagnostics": func(_ context.Context, raw json.RawMessage) (any, error) {
				if string(raw) != `{"uri":"file:///a"}` && string(raw) != `{}` {
					return nil, fmt.Errorf("asked %s", raw)
				}
				return json.RawMessage(`{"items":[{"uri":"file:///a","diagnostics":[
					{"range":{"start":{"line":1,"character":2},"end":{"line":1,"character":4}},"severity":1,"code":"E0","source":"gopls","message":"one","tags":[1],"data":{}},
					{"range":{"start":{"line":3,"character":0},"end":{"line":3,"character":0}},"severity":"bad","code":7,"message":"two"},
					{"range":null,"code":{"value":1},"source":5,"message":"three"}, null, 5]},
					{"uri":"file:///b","diagnostics":[]}]}`), nil
			},
		},
	}})
	ctx := limit(t)
	got, err := r.editor.Diagnostics(ctx, "file:///a")
	want := "[{file:///a {{1 2} {1 4}} 1 one gopls E0} {file:///a {{3 0} {3 0}} 0 two  7} {file:///a {{0 0} {0 0}} 0 three  }]"
	if err != nil || fmt.Sprint(got) != want {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := r.editor.Diagnostics(ctx, ""); err != nil {
		t.Error(err)
	}
}

func TestShowDocument(t *testing.T) {
	success := true
	r := start(t, rigOptions{Options: fakeeditor.Options{
		Capabilities: func(c map[string]any) {
			c["window"].(map[string]any)["showDocument"] = map[string]any{"support": true}
		},
		Answer: map[string]func(context.Context, json.RawMessage) (any, error){
			"window/showDocument": func(context.Context, json.RawMessage) (any, error) {
				return map[string]any{"success": success}, nil
			},
		},
	}})
	ctx := limit(t)
	must(t, r.editor.ShowDocument(ctx, fileA, 4))
	must(t, r.editor.ShowDocument(ctx, fileA, -1))
	success = false
	if err := r.editor.ShowDocument(ctx, fileA, -1); !errors.Is(err, session.ErrRefused) {
		t.Errorf("not shown: %v", err)
	}
	var asked []string
	for _, raw := range r.client.Received("window/showDocument") {
		var p struct {
			URI       string
			TakeFocus *bool
			Selection *Range
		}
		must(t, json.Unmarshal(raw, &p))
		if p.URI != fileA || p.TakeFocus == nil || *p.TakeFocus {
			t.Errorf("asked %s", raw)
		}
		asked = append(asked, fmt.Sprint(p.Selection != nil && p.Selection.Start.Line == 4 && p.Selection.End.Line == 4))
	}
	if fmt.Sprint(asked) != "[true false false]" {
		t.Errorf("asked %v", asked)
	}
}

func TestNotWithoutTheCapability(t *testing.T) {
	r := start(t, rigOptions{})
	if _, err := r.editor.Diagnostics(limit(t), ""); !errors.Is(err, session.ErrUnsupported) {
		t.Errorf("diagnostics: %v", err)
	}
	if err := r.editor.ShowDocument(limit(t), fileA, 0); !errors.Is(err, session.ErrUnsupported) {
		t.Errorf("show: %v", err)
	}
}
