package lspbridge

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"acp-ls/internal/session"
)

// edits keeps to one edit in flight for each document.
type edits struct {
	mu   sync.Mutex
	busy map[string]*editTurn
}

type editTurn struct {
	turnstile
	users int // guarded by edits.mu
}

// begin waits for the document's turn.
func (s *edits) begin(ctx context.Context, uri string) (end func(), err error) {
	s.mu.Lock()
	turn := s.busy[uri]
	if turn == nil {
		turn = &editTurn{}
		if s.busy == nil {
			s.busy = map[string]*editTurn{}
		}
		s.busy[uri] = turn
	}
	turn.users++
	s.mu.Unlock()
	done := func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if turn.users--; turn.users == 0 {
			delete(s.busy, uri)
		}
	}
	leave, err := turn.enter(ctx)
	if err != nil {
		done()
		return nil, err
	}
	return func() { leave(); done() }, nil
}

type applyEditResult struct {
	Applied       yes    `json:"applied"`
	FailureReason string `json:"failureReason"`
	ACP           struct {
		ReadOnly yes `json:"readOnly"` // to ask again is in vain
	} `json:"acp"`
}

// ApplyEdit implements [session.Editor]. One document per request: some editors
// check the version of the first document only.
func (e *editor) ApplyEdit(ctx context.Context, d session.DocumentEdit) error {
	if !e.client.applyEdit {
		return fmt.Errorf("%s: %w", protocol.MethodWorkspaceApplyEdit, session.ErrUnsupported)
	}
	end, err := e.edits.begin(ctx, d.URI)
	if err != nil {
		return err
	}
	defer end()
	var result applyEditResult
	err = e.call(ctx, protocol.MethodWorkspaceApplyEdit, e.workspaceEdit(d), &result)
	var refused *jsonrpc2.Error
	switch {
	case errors.As(err, &refused):
		return fmt.Errorf("%w: %s", session.ErrRefused, refused.Message)
	case err != nil:
		return err
	case !bool(result.Applied) && bool(result.ACP.ReadOnly):
		return fmt.Errorf("%w: %s", session.ErrReadOnly, result.FailureReason)
	case !bool(result.Applied) && result.FailureReason != "":
		return fmt.Errorf("%w: %s", session.ErrRefused, result.FailureReason)
	case !bool(result.Applied):
		return session.ErrRefused
	}
	return nil
}

func (e *editor) workspaceEdit(d session.DocumentEdit) *protocol.ApplyWorkspaceEditParams {
	list := make([]protocol.TextEdit, len(d.Edits))
	for i, t := range d.Edits {
		list[i] = protocol.TextEdit{Range: protocolRange(t.Range), NewText: t.NewText}
	}
	p := &protocol.ApplyWorkspaceEditParams{}
	if d.Label != "" {
		p.Label = &d.Label
	}
	if !e.client.documentChanges {
		p.Edit.Changes = map[uri.URI][]protocol.TextEdit{uri.URI(d.URI): list}
		return p
	}
	change := &protocol.TextDocumentEdit{}
	change.TextDocument.URI = uri.URI(d.URI)
	version := d.Version
	if version == 0 && e.client.isNeovim() && len(e.client.acp) == 0 {
		version = 1 // by itself it never compares version 0 and would apply a stale edit; the plugin does
	}
	change.TextDocument.Version = &version
	for i := range list {
		change.Edits = append(change.Edits, &list[i])
	}
	p.Edit.DocumentChanges = []protocol.DocumentChange{change}
	return p
}
