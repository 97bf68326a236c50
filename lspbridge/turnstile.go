package lspbridge

import (
	"context"
	"slices"
	"sync"
)

// turnstile lets one at a time through, in the order in which they came. The
// zero value is ready.
type turnstile struct {
	mu      sync.Mutex
	taken   bool
	waiting []chan struct{}
}

// enter waits for its turn. leave, which may be called again without effect,
// lets the next one through.
func (t *turnstile) enter(ctx context.Context) (leave func(), err error) {
	leave = sync.OnceFunc(t.leave)
	t.mu.Lock()
	if !t.taken {
		t.taken = true
		t.mu.Unlock()
		return leave, nil
	}
	mine := make(chan struct{})
	t.waiting = append(t.waiting, mine)
	t.mu.Unlock()
	select {
	case <-mine:
		return leave, nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	i := slices.Index(t.waiting, mine)
	if i >= 0 {
		t.waiting = slices.Delete(t.waiting, i, i+1)
	}
	t.mu.Unlock()
	if i < 0 {
		leave() // our turn came in the same moment
	}
	return nil, context.Cause(ctx)
}

func (t *turnstile) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) == 0 {
		t.taken = false
		return
	}
	close(t.waiting[0])
	t.waiting = t.waiting[1:]
}
