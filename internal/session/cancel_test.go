package session

import (
	"context"
	"slices"
	"sync"
	"testing"
)

// slowCancel's agents take their time to be told of a cancellation.
type slowCancel struct {
	fakeLauncher
	entered, gate chan struct{}

	mu    sync.Mutex
	order []string
}

func (l *slowCancel) note(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.order = append(l.order, what)
}

type slowAgent struct {
	*fakeAgent
	l    *slowCancel
	once sync.Once
}

func (l *slowCancel) Start(ctx context.Context, name, cwd string, h Host) (Agent, error) {
	a, err := l.fakeLauncher.Start(ctx, name, cwd, h)
	return &slowAgent{fakeAgent: a.(*fakeAgent), l: l}, err
}

func (a *slowAgent) Cancel(sid string) error {
	a.once.Do(func() {
		close(a.l.entered)
		<-a.l.gate
		a.l.note("told")
	})
	return a.fakeAgent.Cancel(sid)
}

// The editor's question is withdrawn at once, but the agent hears that its turn
// is cancelled before it hears that its question is; so it is with a question
// that it asks in between.
func TestCancelComesBeforeTheAnswers(t *testing.T) {
	l := &slowCancel{entered: make(chan struct{}), gate: make(chan struct{})}
	c, e, _ := setup(t, &l.fakeLauncher)
	c.launcher = l
	asking := make(chan struct{})
	l.prompt = func(ctx context.Context, a *fakeAgent, sid string, _ []Block) (StopReason, error) {
		ask := func(name string) {
			o, err := a.host.RequestPermission(context.Background(), sid, PermissionRequest{
				ToolCall: ToolPatch{ID: name, Title: str(name)},
				Options:  []PermissionOption{{OptionID: "y", Name: "Yes", Kind: "allow_once"}},
			})
			if err != nil || !o.Cancelled {
				t.Errorf("%s: %+v, %v", name, o, err)
			}
			l.note(name)
		}
		var second sync.WaitGroup
		second.Go(func() {
			<-l.entered
			close(asking)
			ask("second")
		})
		ask("first")
		second.Wait()
		<-ctx.Done()
		return StopCancelled, nil
	}
	res, err := c.Prompt(t.Context(), Prompt{Text: "x"})
	if err != nil {
		t.Fatal(err)
	}
	e.await("the question", func() bool { return e.infos[res.Session].State == StateWaiting })
	if err := c.Cancel(t.Context(), res.Session); err != nil {
		t.Fatal(err)
	}
	e.await("the withdrawal", func() bool { return len(e.dismiss) == 1 })
	<-asking
	e.await("that it stops", func() bool { return e.infos[res.Session].Stopping })
	close(l.gate)
	e.await("the end", func() bool {
		i := e.infos[res.Session]
		return i.StopReason == StopCancelled && !i.Stopping
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	if slices.Sort(l.order[1:]); !slices.Equal(l.order, []string{"told", "first", "second"}) {
		t.Errorf("order %v", l.order)
	}
}
