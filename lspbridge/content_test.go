package lspbridge

import (
	"encoding/json"
	"fmt"
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

// An editor that has a baseline under several names is told of each, and of one that gets
// ever more of them not all are kept.
func TestBaselineOfSeveralNames(t *testing.T) {
	var c contents
	for _, uri := range []string{"acp-base:///a", "acp-base:///a?again", "acp-base:///a", "acp-base:///a?again"} {
		c.remember(fileA, uri)
	}
	if got := c.uris[fileA]; !slices.Equal(got, []string{"acp-base:///a", "acp-base:///a?again"}) {
		t.Errorf("%q", got)
	}
	for i := range 100 {
		c.remember(fileA, fmt.Sprintf("acp-base:///a?%d", i))
	}
	if got := c.uris[fileA]; len(got) != maxSpellings || got[maxSpellings-1] != "acp-base:///a?99" {
		t.Errorf("%q", got)
	}

	offers := func(caps map[string]any) {
		caps["workspace"].(map[string]any)["textDocumentContent"] = map[string]any{"dynamicRegistration": false}
	}
	r := start(t, rigOptions{
		Options: fakeeditor.Options{Capabilities: offers},
		core:    func(c *fakeCore) { c.baseline = func(string) (string, error) { return "before", nil } },
	})
	for _, uri := range []string{"acp-base:///work/a.go", "acp-base:///work/a.go?again"} {
		must(t, r.client.Request(limit(t), "workspace/textDocumentContent", map[string]any{"uri": uri}, nil))
	}
	r.editor.ReviewChanged(session.Review{URI: fileA})
	r.await(t, "both are refreshed", fakeeditor.Received("workspace/textDocumentContent/refresh", 2))
	var got []string
	for _, p := range r.client.Received("workspace/textDocumentContent/refresh") {
		got = append(got, string(p))
	}
	if want := []string{`{"uri":"acp-base:///work/a.go"}`, `{"uri":"acp-base:///work/a.go?again"}`}; !slices.Equal(got, want) {
		t.Errorf("refreshed %q", got)
	}
}
