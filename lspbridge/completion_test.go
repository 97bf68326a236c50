package lspbridge

import (
	"encoding/json"
	"testing"

	"acp-ls/internal/session"
	"acp-ls/lspbridge/fakeeditor"
)

func TestCompletion(t *testing.T) {
	const doc = "untitled:prompt"
	r := start(t, rigOptions{
		Options: fakeeditor.Options{Encodings: []string{"utf-16"}},
		core: func(c *fakeCore) {
			c.complete = func(text string, offset int) []session.Completion {
				if text != "😀 @fi more" || offset != len("😀 @fi") {
					t.Errorf("complete %q at %d", text, offset)
				}
				return []session.Completion{
					{Label: "file.go", Kind: "file", Detail: "src", InsertText: "@src/file.go", Start: 5, End: 8},
					{Label: "selection", Kind: "word", InsertText: "@selection", Start: 5, End: 8},
				}
			}
		},
	})
	must(t, r.client.Open(doc, "acp-prompt", "first\n😀 @fi more\n"))
	var got json.RawMessage
	params := map[string]any{"textDocument": map[string]any{"uri": doc}, "position": fakeeditor.Position{Line: 1, Character: 6}}
	must(t, r.client.Request(limit(t), "textDocument/completion", params, &got))
	want := `{"isIncomplete":true,"items":[` +
		`{"label":"file.go","kind":17,"detail":"src","filterText":"@src/file.go","textEdit":{"range":{"start":{"line":1,"character":3},"end":{"line":1,"character":6}},"newText":"@src/file.go"}},` +
		`{"label":"selection","kind":14,"filterText":"@selection","textEdit":{"range":{"start":{"line":1,"character":3},"end":{"line":1,"character":6}},"newText":"@selection"}}]}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	must(t, r.client.Open("file:///x.go", "go", "@fi"))
	for _, uri := range []string{"file:///x.go", "file:///not/open"} {
		params["textDocument"] = map[string]any{"uri": uri}
		must(t, r.client.Request(limit(t), "textDocument/completion", params, &got))
		if string(got) != `{"isIncomplete":false,"items":[]}` {
			t.Errorf("%s: %s", uri, got)
		}
	}
}
