package mcp

import (
	"context"
	"encoding/json"
	"testing"

	"acp-ls/lspbridge/fakeeditor"
)

// What may hold secrets is read only if the user says so, inside the folder too.
func TestSecretsAreReadWithConsentOnly(t *testing.T) {
	answer := "reject"
	r := start(t, rigOptions{editor: fakeeditor.Options{
		Answer: map[string]func(context.Context, json.RawMessage) (any, error){
			"acp/permission": func(context.Context, json.RawMessage) (any, error) { return args{"optionId": answer}, nil },
		},
	}})
	r.write(".env", "TOKEN=1\n")
	cs := r.tools()
	refused(t, cs, "read_buffer", args{"path": ".env"}, "did not allow to read", "secrets")
	answer = "allow"
	contains(t, ok(t, cs, "read_buffer", args{"path": ".env"}), "TOKEN=1")
}
