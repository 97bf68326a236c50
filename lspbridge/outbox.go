package lspbridge

import (
	"context"
	"sync"
	"time"

	"acp-ls/internal/session"
)

// pace is the shortest time between two notifications about one entry.
const pace = (time.Second + 29) / 30

// outbox holds what the core tells an editor until it is written. The core is
// never made to wait, and an editor that does not read costs no more memory than
// the text it has not read: what waits is joined (chunks of one entry, output of
// one terminal) or replaced (a session's state, an entry, a file's review).
//
// Each session is a lane, written in order. Chunks of different entries commute;
// nothing else in a lane overtakes anything. Lanes are independent.
type outbox struct {
	// write renders and writes a node, and returns when it is out.
	write func(*node)
	now   func() time.Time

	wake chan struct{} // capacity 1

	mu     sync.Mutex
	closed bool
	lanes  []*lane // those with something in them, next to be served first
	byName map[string]*lane
	loose  *lane // belongs to no session: reviews, messages, dismissals
}

func newOutbox(write func(*node)) *outbox {
	o := &outbox{write: write, now: time.Now, wake: make(chan struct{}, 1), byName: map[string]*lane{}, loose: newLane("")}
	o.byName[""] = o.loose
	return o
}

// run writes until ctx ends. What is then left is dropped: the editor is gone.
func (o *outbox) run(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	defer o.close()
	for ctx.Err() == nil {
		n, wait := o.take()
		switch {
		case n == nil && wait <= 0:
			select {
			case <-o.wake:
			case <-ctx.Done():
			}
		case n == nil:
			timer.Reset(wait)
			select {
			case <-o.wake:
			case <-timer.C:
			case <-ctx.Done():
			}
		case n.kind == markNode:
			close(n.written)
		default:
			o.write(n)
		}
	}
}

// close lets go of everyone who waits in flush.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	for _, l := range o.lanes {
		for n := l.head; n != nil; n = n.next {
			if n.kind == markNode {
				close(n.written)
			}
		}
	}
	o.lanes, o.byName = nil, nil
}

// put changes a lane under the lock. Text that joins what waits already wakes
// nobody: its time is set.
func (o *outbox) put(name string, change func(*lane)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return
	}
	l := o.byName[name]
	if l == nil {
		l = newLane(name)
		o.byName[name] = l
	}
	idle, last := l.head == nil, l.tail
	change(l)
	if idle && l.head != nil {
		o.lanes = append(o.lanes, l)
	}
	if l.tail == last && last.commutes() {
		return
	}
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// take removes the next node that may be written. Without one it returns how
// long to wait for the earliest, or 0 if there is none.
func (o *outbox) take() (n *node, wait time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := o.now()
	for i, l := range o.lanes {
		next, w := l.due(now)
		if next == nil {
			if wait == 0 || w < wait {
				wait = w
			}
			continue
		}
		l.take(next, now)
		// The lane goes to the end, or away.
		o.lanes = append(o.lanes[:i], o.lanes[i+1:]...)
		if l.head != nil {
			o.lanes = append(o.lanes, l)
		} else if l.forgettable(now) && l != o.loose {
			delete(o.byName, l.name)
		}
		return next, 0
	}
	return nil, wait
}

// flush returns when all that was put into a session's lane before is written,
// without keeping to the pace, or when ctx ends.
func (o *outbox) flush(ctx context.Context, name string) {
	mark := &node{kind: markNode, written: make(chan struct{})}
	o.put(name, func(l *lane) { l.mark(mark) })
	o.mu.Lock()
	closed := o.closed
	o.mu.Unlock()
	if closed {
		return
	}
	select {
	case <-mark.written:
	case <-ctx.Done():
	}
}

func (o *outbox) info(i session.Info) {
	o.put(i.Session, func(l *lane) { l.setInfo(i) })
}

func (o *outbox) entry(sessionID string, e session.Entry) {
	o.put(sessionID, func(l *lane) { l.setEntry(e) })
}

func (o *outbox) chunk(sessionID, id, text string) {
	o.put(sessionID, func(l *lane) { l.addText(chunkNode, id, text) })
}

func (o *outbox) terminal(t session.TerminalOutput) {
	o.put(t.Session, func(l *lane) {
		n := l.addText(terminalNode, t.Terminal, t.Output)
		if t.Exit != nil {
			n.exit = t.Exit
		}
	})
}

func (o *outbox) review(r session.Review) {
	o.put("", func(l *lane) {
		if n := l.reviews[r.URI]; n != nil {
			n.review = r
			return
		}
		l.reviews[r.URI] = l.push(&node{kind: reviewNode, review: r})
	})
}

// message puts a notification that is neither joined nor replaced.
func (o *outbox) message(method string, params any) {
	o.put("", func(l *lane) { l.push(&node{kind: messageNode, id: method, params: params}) })
}
