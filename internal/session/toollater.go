package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// An edit by our tool that the user is asked about can take as long as they like, and
// clients of MCP do not wait for ever: after a while its call is answered with that it
// waits, the question stays open over the end of the turn, and the agent is told later
// what has become of it.

// patience is that of a tool call, which is answered before a question of it may be.
type patience struct {
	asked chan struct{} // has a value when a question was opened

	mu   sync.Mutex // guards what follows
	open int        // questions
	left bool       // the call was answered: its questions outlive the turn
}

type patienceKey struct{}

func patienceOf(ctx context.Context) *patience {
	p, _ := ctx.Value(patienceKey{}).(*patience)
	return p
}

// opens and closes tell of a question of the call; p may be nil.
func (p *patience) opens() {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.open++
	p.mu.Unlock()
	select {
	case p.asked <- struct{}{}:
	default:
	}
}

func (p *patience) closes() {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.open--
	p.mu.Unlock()
}

// leave has the call answered, unless nobody is asked any more.
func (p *patience) leave() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left = p.left || p.open > 0
	return p.left && p.open > 0
}

func (p *patience) isLeft() bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.left
}

// lateEdit is an edit that may be decided on after its call was answered.
type lateEdit struct {
	key, path string // what it is; and its file as the agent names it
	patience  *patience
	end       context.CancelFunc
	done      chan struct{} // closed when the following are there
	edited    Edited
	err       error
	fault     any // that it has panicked with
}

// A LateEdit is an edit whose call was answered before the user had decided on it.
type LateEdit struct {
	Path   string
	Done   bool // the following say what has become of it
	Edited Edited
	Err    error
}

// patiently makes an edit and returns what became of it or, when the user has been
// asked for a while, that it waits. The same edit once more waits for the first.
func (t *Tools) patiently(ctx context.Context, key, path string, edit func(context.Context) (Edited, error)) (Edited, error) {
	t.mu.Lock()
	i := slices.IndexFunc(t.late, func(l *lateEdit) bool { return l.key == key && !l.isDone() })
	var l *lateEdit
	if i >= 0 {
		l = t.late[i]
	}
	t.mu.Unlock()
	if l == nil {
		l = t.start(key, path, edit)
	}
	timer := time.NewTimer(t.s.core.waits.Tool)
	defer timer.Stop()
	if i < 0 { // else the user is asked already
		timer.Stop()
	}
	for {
		select {
		case <-l.done:
			t.forget(l)
			if l.fault != nil {
				panic(l.fault)
			}
			return l.edited, l.err
		case <-ctx.Done():
			if !l.patience.isLeft() {
				l.end()
				<-l.done
			}
			return Edited{}, ctx.Err()
		case <-l.patience.asked:
			timer.Reset(t.s.core.waits.Tool)
		case <-timer.C:
			if l.patience.leave() {
				t.keepLate(l)
				return Edited{Path: path, Waiting: true}, nil
			}
		}
	}
}

func (l *lateEdit) isDone() bool {
	select {
	case <-l.done:
		return true
	default:
		return false
	}
}

func (t *Tools) start(key, path string, edit func(context.Context) (Edited, error)) *lateEdit {
	l := &lateEdit{key: key, path: path, patience: &patience{asked: make(chan struct{}, 1)}, done: make(chan struct{})}
	ctx, end := context.WithCancel(context.WithValue(t.s.core.ctx, patienceKey{}, l.patience))
	l.end = end
	t.s.core.spawn(func() {
		defer end()
		defer close(l.done)
		defer func() {
			if l.fault = recover(); l.fault != nil && l.patience.isLeft() {
				t.s.core.log.Error("panic", "in", "an edit that waited", "panic", l.fault)
				l.err = Errorf(KindInvalid, "it failed by a fault of acp-ls")
			}
		}()
		l.edited, l.err = edit(ctx)
	})
	return l
}

func (t *Tools) keepLate(l *lateEdit) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.Contains(t.late, l) {
		t.late = append(t.late, l)
	}
}

func (t *Tools) forget(l *lateEdit) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.late = slices.DeleteFunc(t.late, func(o *lateEdit) bool { return o == l })
}

// Late are the edits whose calls were answered before the user had decided on them:
// those that wait, and what has become of the others, which is told once.
func (t *Tools) Late() []LateEdit {
	out, _ := t.takeLate()
	return out
}

// takeLate is Late, and returns those that are told for the last time.
func (t *Tools) takeLate() (out []LateEdit, done []*lateEdit) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.late = slices.DeleteFunc(t.late, func(l *lateEdit) bool {
		if !l.isDone() {
			out = append(out, LateEdit{Path: l.path})
			return false
		}
		out = append(out, LateEdit{Path: l.path, Done: true, Edited: l.edited, Err: l.err})
		done = append(done, l)
		return true
	})
	return out, done
}

// lateNews is what a prompt says of them.
func (t *Tools) lateNews() string {
	var b strings.Builder
	late, done := t.takeLate()
	t.s.mu.Lock()
	if t.s.telling != nil {
		t.s.telling.late = done
	}
	t.s.mu.Unlock()
	for _, l := range late {
		switch {
		case !l.Done:
			fmt.Fprintf(&b, "Your edit of %s still waits for the user, and is not made.\n\n", l.Path)
		case l.Err != nil:
			fmt.Fprintf(&b, "Your edit of %s that waited for the user was not made: %v\n\n", l.Path, l.Err)
		default:
			fmt.Fprintf(&b, "Your edit of %s that waited for the user is made.\n\n", l.Edited.Path)
		}
	}
	return b.String()
}
