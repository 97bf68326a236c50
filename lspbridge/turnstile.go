package lspbridge

import (
	"context"
	"slices"
	"sync"
)

// turnstile lets one at a time through, in the order in which they came. The
// zero value is ready.
type turnstile struct {
	mu   sync.Mutex
	line []*place // the first is through, or may go
}

// place is a place in the line before a turnstile.
type place struct {
	of   *turnstile
	turn chan struct{} // closed when it is the first
}

// join takes the last place in the line. It does not wait.
func (t *turnstile) join() *place {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := &place{of: t, turn: make(chan struct{})}
	t.line = append(t.line, p)
	if len(t.line) == 1 {
		close(p.turn)
	}
	return p
}

// enter joins and waits. leave, which may be called again without effect, lets
// the next one through.
func (t *turnstile) enter(ctx context.Context) (leave func(), err error) {
	p := t.join()
	if err := p.wait(ctx); err != nil {
		return nil, err
	}
	return p.leave, nil
}

// wait returns when all that stood before have left. Whoever is not waited for
// has left.
func (p *place) wait(ctx context.Context) error {
	select {
	case <-p.turn:
		return nil
	default:
	}
	select {
	case <-p.turn:
		return nil
	case <-ctx.Done():
		p.leave()
		return context.Cause(ctx)
	}
}

// leave gives the place up, whether it was waited for or not; the second time it
// has no effect.
func (p *place) leave() {
	t := p.of
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.Index(t.line, p)
	if i < 0 {
		return
	}
	t.line = slices.Delete(t.line, i, i+1)
	if i == 0 && len(t.line) > 0 {
		close(t.line[0].turn)
	}
}
