package session

import (
	"context"
	"path/filepath"
	"slices"
	"sync"

	"acp-ls/buffers"
)

type orderedKey struct{}

// Ordered returns a context for a call of a [Host], or of the [Core] for an editor.
// It calls placed once what must happen in the order of the agent's requests, or the
// editor's, has happened, unless it returns before. Until then it waits for nothing,
// so that whoever reads the messages can hand them over one by one and go on when
// placed is called.
func Ordered(ctx context.Context, placed func()) context.Context {
	return context.WithValue(ctx, orderedKey{}, placed)
}

// Placed calls the function that [Ordered] was given, if it was given one. It is for
// those who stand in for a [Host] or a [Core]; placed twice does no harm.
func Placed(ctx context.Context) { placed(ctx) }

func placed(ctx context.Context) {
	if f, ok := ctx.Value(orderedKey{}).(func()); ok {
		f()
	}
}

// queues are where writes wait for those of the same file that came before. The
// zero value is ready.
type queues struct {
	mu sync.Mutex
	at map[string][]*place
}

// place is a place in a queue.
type place struct {
	of   *queues
	name string
	turn chan struct{} // closed when it is the first
}

// queueOf names the queue of a path without looking at the disk: an agent that
// writes a file twice calls it the same twice.
func queueOf(path string) string {
	if p, ok := buffers.URIPath(path); ok {
		path = p
	}
	return filepath.Clean(path)
}

// join takes the last place in a queue.
func (q *queues) join(name string) *place {
	q.mu.Lock()
	defer q.mu.Unlock()
	p := &place{of: q, name: name, turn: make(chan struct{})}
	if q.at == nil {
		q.at = map[string][]*place{}
	}
	q.at[name] = append(q.at[name], p)
	q.call(name)
	return p
}

// wait returns when all who stood before have left.
func (p *place) wait(ctx context.Context) error {
	select {
	case <-p.turn:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// leave must be called once, also by who has not waited.
func (p *place) leave() {
	q := p.of
	q.mu.Lock()
	defer q.mu.Unlock()
	q.at[p.name] = slices.DeleteFunc(q.at[p.name], func(o *place) bool { return o == p })
	if len(q.at[p.name]) == 0 {
		delete(q.at, p.name)
		return
	}
	q.call(p.name)
}

// call tells the first in a queue that it is; mu is held.
func (q *queues) call(name string) {
	first := q.at[name][0]
	select {
	case <-first.turn:
	default:
		close(first.turn)
	}
}
