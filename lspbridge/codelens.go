package lspbridge

import (
	"context"
	"fmt"
	"sync"

	"go.lsp.dev/protocol"

	"acp-ls/buffers/position"
)

// codeLens shows the decisions on each hunk above it, and which of how many it
// is. Each lens has a code action that does the same.
func (e *editor) codeLens(_ context.Context, p *documentParams) (any, error) {
	lenses := []protocol.CodeLens{}
	if !e.opts.Settings().Review.CodeLens {
		return lenses, nil
	}
	_, hunks := e.hunks(p.TextDocument.URI)
	for _, h := range hunks {
		at := position.Position{Line: uint32(h.first)}
		where := protocolRange(position.Range{Start: at, End: at})
		add := func(c protocol.Command) {
			lenses = append(lenses, protocol.CodeLens{Range: where, Command: c})
		}
		for _, c := range choices(h.Hunk, "") {
			add(c.command)
		}
		// A lens must have a command; this one changes nothing.
		add(newCommand(fmt.Sprintf("%d/%d %s", h.number, h.of, describe(h.Hunk)), "acp.review.list", uriParams{p.TextDocument.URI}))
	}
	return lenses, nil
}

// refresher asks an editor to ask again: once at a time, and once more if
// something changed meanwhile.
type refresher struct {
	mu             sync.Mutex
	running, again bool
}

// start calls ask on a goroutine of its own, unless one does.
func (r *refresher) start(e *editor, ask func() error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running {
		r.again = true
		return
	}
	r.running = true
	e.spawn(func() {
		for {
			err := ask()
			r.mu.Lock()
			if !r.again || err != nil {
				r.running, r.again = false, false
				r.mu.Unlock()
				return
			}
			r.again = false
			r.mu.Unlock()
		}
	})
}

// refresh has the editor ask for its code lenses again.
func (r *refresher) refresh(e *editor) {
	if !e.client.codeLensRefresh {
		return
	}
	r.start(e, func() error { return e.call(e.ctx, protocol.MethodWorkspaceCodeLensRefresh, nil, nil) })
}
