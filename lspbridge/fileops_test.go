package lspbridge

import (
	"slices"
	"strings"
	"testing"

	"acp-ls/internal/session"
	"acp-ls/lspbridge/fakeeditor"
)

// An editor that tells of what the user does to files is asked for all of it, and its word
// reaches the core.
func TestUsersFileOperationsAreTold(t *testing.T) {
	r := start(t, rigOptions{Options: fakeeditor.Options{Capabilities: func(caps map[string]any) {
		caps["workspace"].(map[string]any)["fileOperations"] = map[string]any{"didCreate": true, "didRename": true, "didDelete": true}
	}}})
	filter := `{"filters":[{"scheme":"file","pattern":{"glob":"**"}}]}`
	if got := string(r.client.Initialize); !strings.Contains(got, `"fileOperations":{"didCreate":`+filter+`,"didRename":`+filter+`,"didDelete":`+filter+`}`) {
		t.Errorf("capabilities %s", got)
	}
	for _, c := range []struct {
		method string
		file   map[string]any
		want   []session.FileOperation
	}{
		{"workspace/didCreateFiles", map[string]any{"uri": "file:///a/b%20c"}, []session.FileOperation{{To: "/a/b c"}}},
		{"workspace/didDeleteFiles", map[string]any{"uri": "file:///a/b"}, []session.FileOperation{{From: "/a/b"}}},
		{"workspace/didRenameFiles", map[string]any{"oldUri": "file:///a/b", "newUri": "file:///a/c"}, []session.FileOperation{{From: "/a/b", To: "/a/c"}}},
		{"workspace/didRenameFiles", map[string]any{"oldUri": "untitled:a", "newUri": "file:///a/c"}, []session.FileOperation{{To: "/a/c"}}},
	} {
		must(t, r.client.Notify(c.method, map[string]any{"files": []any{map[string]any{"uri": "untitled:x", "oldUri": "untitled:x", "newUri": "untitled:y"}}}))
		must(t, r.client.Notify(c.method, map[string]any{"files": []any{c.file}}))
		if got := <-r.core.docs.operated; !slices.Equal(got, c.want) {
			t.Errorf("%s: %+v", c.method, got)
		}
	}
}

func TestNoFileOperationsWithoutTheCapability(t *testing.T) {
	r := start(t, rigOptions{})
	if got := string(r.client.Initialize); strings.Contains(got, "fileOperations") {
		t.Errorf("capabilities %s", got)
	}
}
