package lspbridge

import (
	"testing"

	"acp-ls/buffers"
)

// What an editor says of a change after which nothing is unsaved, and then of how it has come about, reaches the
// core with that change and behind it.
func TestWhatIsReadIsTold(t *testing.T) {
	r := start(t, rigOptions{})
	must(t, r.client.Notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": "file:///a", "version": 7},
		"contentChanges": []any{map[string]any{"text": "b"}}, "acp": map[string]any{"clean": true},
	}))
	must(t, r.client.Notify("acp/read", map[string]any{"uri": "file:///a", "version": 7, "read": true}))
	if got, want := <-r.core.docs.read, "file:///a 7 true"; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
	r.core.docs.mu.Lock()
	defer r.core.docs.mu.Unlock()
	all := r.core.docs.applied
	if got, ok := all[len(all)-1].(buffers.Change); !ok || !got.Clean {
		t.Errorf("before that %+v", all)
	}
}
