package lspbridge

import (
	"context"
	"fmt"
	"sync"

	"go.lsp.dev/protocol"

	"acp-ls/buffers/position"
)

// codeLens shows the decisions on each hunk above it, and which of how many it
// is; where the file has changed as a whole only, those on that above its first
// line. Each lens has a code action that does the same.
func (e *editor) codeLens(_ context.Context, p *documentParams) (any, error) {
	lenses := []protocol.CodeLens{}
	if !e.opts.Settings().Review.CodeLens {
		return lenses, nil
	}
	file, hunks := e.hunks(p.TextDocument.URI)
	add := func(line int, c protocol.Command) {
		at := position.Position{Line: uint32(line)}
		where := protocolRange(position.Range{Start: at, End: at})
		lenses = append(lenses, protocol.CodeLens{Range: where, Command: c})
	}
	tell := func(line int, title string) { // a lens must have a command; this one changes nothing
		add(line, newCommand(title, "acp.review.list", uriParams{p.TextDocument.URI}))
	}
	for _, h := range hunks {
		for _, c := range choices(h.Hunk, "") {
			add(h.first, c.command)
		}
		tell(h.first, fmt.Sprintf("%d/%d %s", h.number, h.of, describe(h.Hunk)))
	}
	if len(hunks) == 0 && file.File != nil { // which no row would show
		for _, c := range fileChoices(p.TextDocument.URI, file, "file") {
			add(0, c.command)
		}
		tell(0, describeFile(file.File))
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
