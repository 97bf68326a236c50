package lspbridge

import (
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"

	"acp-ls/internal/session"
)

// progress shows the turns that run in an editor without the session
// capability. Each has a goroutine that lives as long as the turn.
type progress struct {
	mu    sync.Mutex
	turns map[string]*turnProgress // by token
}

type turnProgress struct {
	token   string
	session string
	latest  session.TurnProgress
	changed chan struct{} // capacity 1
}

const progressPrefix = "acp/"

// Turn implements [session.Editor].
func (e *editor) Turn(t session.TurnProgress) {
	if e.Can("session") || !e.client.workDoneProgress {
		return
	}
	token := progressPrefix + t.Turn
	p := &e.progress
	p.mu.Lock()
	defer p.mu.Unlock()
	shown := p.turns[token]
	switch {
	case shown == nil && t.End:
		return
	case shown == nil:
		shown = &turnProgress{token: token, session: t.Session, changed: make(chan struct{}, 1)}
		if p.turns == nil {
			p.turns = map[string]*turnProgress{}
		}
		p.turns[token] = shown
		e.spawn(func() { e.showProgress(shown) })
	case t.End:
		delete(p.turns, token)
	}
	shown.latest = t
	select {
	case shown.changed <- struct{}{}:
	default:
	}
}

// showProgress creates the token and then writes what changes, the newest state
// only. An editor that refuses the token is told nothing.
func (e *editor) showProgress(t *turnProgress) {
	create := protocol.WorkDoneProgressCreateParams{Token: protocol.String(t.token)}
	refused := e.call(e.ctx, protocol.MethodWindowWorkDoneProgressCreate, &create, nil) != nil
	begun := false
	for {
		select {
		case <-t.changed:
		case <-e.ctx.Done():
			return
		}
		e.progress.mu.Lock()
		now := t.latest
		e.progress.mu.Unlock()
		if !refused {
			if !begun {
				e.report(t.token, progressBegin{Kind: "begin", Title: now.Title, Message: now.Message, Cancellable: true})
			} else if !now.End {
				e.report(t.token, progressReport{Kind: "report", Message: now.Message})
			}
			begun = true
			if now.End {
				e.report(t.token, progressReport{Kind: "end", Message: now.Message})
			}
		}
		if now.End {
			return
		}
	}
}

type progressParams struct {
	Token string `json:"token"`
	Value any    `json:"value"`
}

type progressBegin struct {
	Kind        string `json:"kind"`
	Title       string `json:"title"`
	Message     string `json:"message,omitempty"`
	Cancellable bool   `json:"cancellable"`
}

type progressReport struct {
	Kind    string `json:"kind"`
	Message string `json:"message,omitempty"`
}

func (e *editor) report(token string, value any) {
	e.notify(protocol.MethodProgress, progressParams{token, value})
}

type progressCancelParams struct {
	Token jsontext.Value `json:"token"`
}

// progressCancelled cancels the turn whose progress the user cancelled.
func (e *editor) progressCancelled(p *progressCancelParams) error {
	var token string
	if decode(p.Token, &token) != nil {
		return nil // not one of ours
	}
	e.progress.mu.Lock()
	shown := e.progress.turns[token]
	e.progress.mu.Unlock()
	if shown == nil {
		return nil
	}
	e.spawn(func() {
		if err := e.core.Cancel(e.ctx, shown.session); err != nil && e.ctx.Err() == nil {
			e.ShowMessage(session.LevelError, err.Error())
		}
	})
	return nil
}
