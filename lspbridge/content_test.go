package lspbridge

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"acp-ls/internal/session"
	"acp-ls/lspbridge/fakeeditor"
)

func TestBaselineDocuments(t *testing.T) {
	offers := func(caps map[string]any) {
		caps["workspace"].(map[string]any)["textDocumentContent"] = map[string]any{"dynamicRegistration": false}
	}
	var asked []string
	r := start(t, rigOptions{
		Options: fakeeditor.Options{Capabilities: offers},
		core: func(c *fakeCore) {
			c.baseline = func(uri string) (string, error) {
				asked = append(asked, uri)
				return "before", nil
			}
		},
	})
	if !strings.Contains(string(r.client.Initialize), `"textDocumentContent":{"schemes":["acp-base"]}`) {
		t.Errorf("initialize: %s", r.client.Initialize)
	}
	var got json.RawMessage
	must(t, r.client.Request(limit(t), "workspace/textDocumentContent", map[string]any{"uri": "acp-base:///work/a%2Ego"}, &got))
	if string(got) != `{"text":"before"}` || !slices.Equal(asked, []string{fileA}) {
		t.Errorf("%s, asked for %q", got, asked)
	}
	for _, uri := range []string{"file:///work/a.go", "acp-base:untitled", "acp-base", ""} {
		if err := r.client.Request(limit(t), "workspace/textDocumentContent", map[string]any{"uri": uri}, nil); err == nil {
			t.Errorf("%q has content", uri)
		}
	}
	r.editor.ReviewChanged(session.Review{URI: "file:///other"})
	r.editor.ReviewChanged(session.Review{URI: "file:///work/%61.go"})
	r.await(t, "a refresh", fakeeditor.Received("workspace/textDocumentContent/refresh", 1))
	if got := r.client.Received("workspace/textDocumentContent/refresh"); len(got) != 1 || string(got[0]) != `{"uri":"acp-base:///work/a%2Ego"}` {
		t.Errorf("refresh %s", got)
	}

	plain := start(t, rigOptions{})
	if strings.Contains(string(plain.client.Initialize), "textDocumentContent") {
		t.Errorf("initialize: %s", plain.client.Initialize)
	}
}
