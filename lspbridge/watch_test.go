package lspbridge

import (
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
