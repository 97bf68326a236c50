package session

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"
)

// deaf sets up a session whose agent does not listen to a cancellation, with a turn
// that runs and a prompt that waits. end ends the turn at last.
func deaf(t *testing.T) (c *Core, e *fakeEditor, session string, end func()) {
	t.Helper()
	l := &fakeLauncher{}
	ends := make(chan struct{})
	began := make(chan struct{}, 1)
	l.prompt = func(_ context.Context, a *fakeAgent, sid string, _ []Block) (StopReason, error) {
		began <- struct{}{}
		select {
		case <-ends:
		case <-a.done:
		}
		return StopCancelled, nil
	}
	c, e, _ = setup(t, l)
	c.waits.CancelAgain = []time.Duration{time.Millisecond}
	c.waits.Goodbye = time.Millisecond
	res, err := c.Prompt(t.Context(), Prompt{Text: "first"})
	if err != nil {
		t.Fatal(err)
	}
	<-began
	if _, err := c.Prompt(t.Context(), Prompt{Session: res.Session, Text: "second"}); err != nil {
		t.Fatal(err)
	}
	return c, e, res.Session, func() { close(ends) }
}

// offered returns the notices for which the agent can be restarted.
func (e *fakeEditor) offered(session string) []string {
	var texts []string
	for _, it := range e.entries[session] {
		if it.Restart == "fake" {
			texts = append(texts, it.Text)
		}
	}
	return texts
}

// What waited in a session that is closed, or whose agent is restarted, is given back,
// whether its agent listens or not; and nothing is said to be stopped there any more.
func TestPromptsAreGivenBack(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		stop bool // before
		end  func(c *Core, session string) error
		want State
	}{
		"closed":                {end: func(c *Core, s string) error { return c.CloseSession(context.Background(), s) }, want: StateClosed},
		"stopped and closed":    {stop: true, end: func(c *Core, s string) error { return c.CloseSession(context.Background(), s) }, want: StateClosed},
		"restarted":             {end: func(c *Core, _ string) error { return c.RestartAgent(context.Background(), "fake") }, want: StateFailed},
		"stopped and restarted": {stop: true, end: func(c *Core, _ string) error { return c.RestartAgent(context.Background(), "fake") }, want: StateFailed},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, e, session, end := deaf(t)
			defer end()
			if test.stop {
				if err := c.Cancel(t.Context(), session); err != nil {
					t.Fatal(err)
				}
				e.await("that it does not listen", func() bool { return len(e.offered(session)) > 0 })
			}
			if err := test.end(c, session); err != nil {
				t.Fatal(err)
			}
			e.await("the end", func() bool { return e.infos[session].State == test.want })
			e.mu.Lock()
			defer e.mu.Unlock()
			i := e.infos[session]
			if len(i.Unsent) != 1 || i.Unsent[0].Text != "second" || len(i.Queue) > 0 {
				t.Errorf("given back %v, waits %v", i.Unsent, i.Queue)
			}
			if test.want == StateClosed && (i.Stopping || i.Turn != "") {
				t.Errorf("stopping %v, turn %q", i.Stopping, i.Turn)
			}
			told := slices.ContainsFunc(e.entries[session], func(it Entry) bool { return strings.HasPrefix(it.Text, "not sent: ") })
			if !told {
				t.Error("the transcript does not say that it was not sent")
			}
		})
	}
}

// A restart is offered of an agent that does not listen, until its turn has ended after
// all, or it was restarted.
func TestRestartIsOfferedOfADeafAgent(t *testing.T) {
	t.Parallel()
	for _, restarts := range []bool{false, true} {
		c, e, session, end := deaf(t)
		if err := c.Cancel(t.Context(), session); err != nil {
			t.Fatal(err)
		}
		e.await("the offer", func() bool {
			return slices.Equal(e.offered(session), []string{"fake was told to stop and goes on: restarting fake ends it for good"})
		})
		if restarts {
			if err := c.RestartAgent(t.Context(), "fake"); err != nil {
				t.Fatal(err)
			}
		}
		end()
		e.await("that nothing is left to end", func() bool { return len(e.offered(session)) == 0 })
	}
}

// noLauncher has an agent that cannot be started.
type noLauncher struct{ fakeLauncher }

func (*noLauncher) Start(context.Context, string, string, Host) (Agent, error) {
	return nil, Errorf(KindAgentFailed, "there is no such program")
}

// Why an agent cannot be started is said once, however often it is tried; each prompt says
// that it was not sent, and is given back.
func TestAFailedStartIsSaidOnce(t *testing.T) {
	t.Parallel()
	l := &noLauncher{}
	c, e, _ := setup(t, &l.fakeLauncher)
	c.launcher = l
	info, err := c.NewSession(t.Context(), NewSession{NoWait: true})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := c.Prompt(t.Context(), Prompt{Session: info.Session, Text: "x", Wait: true}); err == nil {
			t.Fatal("it was sent")
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	n := map[EntryKind]int{}
	for _, it := range e.entries[info.Session] {
		n[it.Kind]++
	}
	if n[EntryError] != 1 || n[EntryUser] != 2 || n[EntryNotice] != 2 {
		t.Errorf("said %v", n)
	}
}
