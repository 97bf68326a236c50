package acpclient

import (
	"errors"
	"fmt"
	"testing"

	"acp-ls/acpclient/wire"
	"acp-ls/internal/session"
)

// What kind of error the core has is told to the agent by its code.
func TestErrorsHaveTheCodeOfTheirKind(t *testing.T) {
	for kind, want := range map[session.Kind]wire.Code{
		session.KindNotFound: wire.CodeNotFound, session.KindUnknownSession: wire.CodeNotFound,
		session.KindInvalid: wire.CodeInvalidParams, session.KindOutside: wire.CodeInvalidParams,
		session.KindAuthRequired: wire.CodeAuthRequired,
		session.KindConflict:     wire.CodeInternal, session.KindStale: wire.CodeInternal, session.KindBusy: wire.CodeInternal,
		session.KindAgentFailed: wire.CodeInternal, session.KindStopped: wire.CodeInternal, session.KindUnknownAgent: wire.CodeInternal,
	} {
		err := toWireError(fmt.Errorf("wrapped: %w", session.Errorf(kind, "do this")))
		var e *wire.Error
		if !errors.As(err, &e) || e.Code != want || e.Message != "do this" {
			t.Errorf("%s: %v, want code %d", kind, err, want)
		}
	}
	if err := errors.New("plain"); toWireError(err) != err || toWireError(nil) != nil {
		t.Error("an error without a kind is changed")
	}
}
