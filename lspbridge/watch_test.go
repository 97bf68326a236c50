package lspbridge

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"acp-ls/lspbridge/fakeeditor"
)

// An editor that watches files tells where something changed; Neovim is not asked to.
func TestFilesAreWatchedByTheEditor(t *testing.T) {
	can := func(name string) rigOptions {
		return rigOptions{Options: fakeeditor.Options{Name: name, Capabilities: func(caps map[string]any) {
			caps["workspace"].(map[string]any)["didChangeWatchedFiles"] = map[string]any{"dynamicRegistration": true}
		}}}
	}
	r := start(t, can("Visual Studio Code"))
	r.await(t, "the registration", fakeeditor.Received("client/registerCapability", 1))
	if got := r.client.Received("client/registerCapability"); !strings.Contains(string(got[0]), `"method":"workspace/didChangeWatchedFiles","registerOptions":{"watchers":[{"globPattern":"**/*"}]}`) {
		t.Errorf("registered %s", got)
	}
	changes := func(uris ...string) {
		list := []any{}
		for _, uri := range uris {
			list = append(list, map[string]any{"uri": uri, "type": 2})
		}
		must(t, r.client.Notify("workspace/didChangeWatchedFiles", map[string]any{"changes": list}))
	}
	changes("untitled:a", "no uri")
	changes("file:///a/b/c%20d", "file:///a/b/e", "file:///a/f")
	if got := <-r.core.docs.folders; !slices.Equal(got, []string{"/a/b", "/a"}) {
		t.Errorf("folders %q", got)
	}

	r = start(t, can("Neovim"))
	must(t, r.client.Exit(limit(t)))
	must(t, <-r.served)
	r.served <- nil
	if got := r.client.Received("client/registerCapability"); len(got) > 0 {
		t.Errorf("Neovim was asked: %s", got)
	}
}

// An editor that sees the disk to have moved has the document brought up to date before it
// writes: the answer says whether what is there is in the document. It is not offered, or every
// save would wait for it.
func TestBeforeSave(t *testing.T) {
	r := start(t, rigOptions{})
	for text, want := range map[string]string{"": "null", "a\n": "[]"} {
		must(t, r.client.Notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": "file:///a/f", "languageId": "", "version": 1, "text": text}}))
		var got json.RawMessage
		err := r.client.Request(limit(t), "textDocument/willSaveWaitUntil", map[string]any{"textDocument": map[string]any{"uri": "file:///a/f"}, "reason": 1}, &got)
		if err != nil || string(got) != want {
			t.Errorf("with %q: %s, %v, want %s", text, got, err, want)
		}
		must(t, r.client.Notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": "file:///a/f"}}))
	}
}
