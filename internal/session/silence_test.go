package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"acp-ls/internal/config"
)

// slowLauncher's agents take their time.
type slowLauncher struct {
	fakeLauncher
	toStart, toOpen time.Duration
	fails           error
}

type slowOpener struct {
	*fakeAgent
	l *slowLauncher
}

func (l *slowLauncher) Start(ctx context.Context, name, cwd string, h Host) (Agent, error) {
	time.Sleep(l.toStart)
	if l.fails != nil {
		return nil, l.fails
	}
	a, err := l.fakeLauncher.Start(ctx, name, cwd, h)
	return &slowOpener{a.(*fakeAgent), l}, err
}

func (a *slowOpener) NewSession(ctx context.Context, p SessionParams) (SessionState, error) {
	time.Sleep(a.l.toOpen)
	return a.fakeAgent.NewSession(ctx, p)
}

// What was said of an agent that does not answer, and when: for how long is said again
// whenever it has doubled.
func TestSilenceIsToldOf(t *testing.T) {
	const notFor = "fake has not answered for %s (since 00:00:00)"
	for _, tt := range []struct {
		name                  string
		toStart, toOpen, toDo time.Duration
		sign                  bool // an update comes at once
		fails                 error
		told                  time.Duration // when it is for the first time
		during                string        // how the notice goes on then
		after                 []string      // the notices at the end
	}{
		{name: "quick", toStart: 4 * time.Second, toOpen: 9 * time.Second, toDo: 9 * time.Second},
		{name: "start", toStart: 40 * time.Second, told: 5 * time.Second, during: ": it was started (initialize)", after: []string{"fake took 40s to start"}},
		{name: "open", toOpen: 40 * time.Second, told: 10 * time.Second, during: ": it was asked for the session", after: []string{"fake took 40s to open the session"}},
		{name: "prompt", toDo: 40 * time.Second, told: 10 * time.Second, during: ": it got the prompt", after: []string{"fake took 40s for the first sign of an answer"}},
		{name: "a sign", toDo: 40 * time.Second, sign: true},
		{name: "failure", toStart: 35 * time.Second, fails: errors.New("it fails"), told: 5 * time.Second, during: ": it was started (initialize)",
			after: []string{"fake has not answered for 20s (since 00:00:00): it was started", "not sent: fake cannot take it now"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &slowLauncher{toStart: tt.toStart, toOpen: tt.toOpen, fails: tt.fails}
				l.prompt = func(_ context.Context, a *fakeAgent, sid string, _ []Block) (StopReason, error) {
					if tt.sign {
						a.host.Update(sid, ContentChunk{Role: "thought", Content: Block{Type: "text", Text: "hm"}})
					}
					time.Sleep(tt.toDo)
					return "end_turn", nil
				}
				c, e, _ := setup(t, &l.fakeLauncher, func(st *config.Settings) { st.Review.OutOfBand = false })
				c.launcher = l
				began := time.Now()
				c.now = func() time.Time { return time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Since(began)) }
				res, err := c.Prompt(t.Context(), Prompt{Text: "go"})
				if err != nil {
					t.Fatal(err)
				}
				check := func(when string, want []string) {
					t.Helper()
					synctest.Wait()
					e.mu.Lock()
					defer e.mu.Unlock()
					var got []string
					for _, en := range e.entries[res.Session] {
						if en.Kind == EntryNotice {
							got = append(got, en.Text)
						}
					}
					if !slices.EqualFunc(got, want, strings.HasPrefix) {
						t.Errorf("%s: %q, want %q", when, got, want)
					}
				}
				progress := func() TurnProgress {
					e.mu.Lock()
					defer e.mu.Unlock()
					return e.turns[len(e.turns)-1]
				}
				time.Sleep(5*time.Second - time.Millisecond)
				check("before", nil)
				if tt.told > 0 {
					time.Sleep(tt.told - 5*time.Second + 2*time.Millisecond)
					for _, d := range []time.Duration{tt.told, 2 * tt.told} {
						short := fmt.Sprintf(notFor, d)
						check("during", []string{short + tt.during})
						if last := progress(); last.Message != short || last.End {
							t.Errorf("progress says %+v", last)
						}
						time.Sleep(d)
					}
				}
				time.Sleep(time.Minute)
				check("after", tt.after)
				if last := progress(); !last.End {
					t.Errorf("progress ends with %+v", last)
				}
			})
		})
	}
}

// deafLauncher's agents never answer when they are started.
type deafLauncher struct{ fakeLauncher }

func (l *deafLauncher) Start(ctx context.Context, _, _ string, _ Host) (Agent, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// Who stops a session that starts, and in which no prompt waits or whose agent is known not to
// answer, gives it up: it fails, says what to do, and what waited is not lost. The agent's process
// goes on starting as long as anybody else waits for it.
func TestStopEndsAStart(t *testing.T) {
	for _, prompts := range [][]string{nil, {"a", "b"}} {
		t.Run(fmt.Sprint(prompts), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &deafLauncher{}
				c, e, _ := setup(t, &l.fakeLauncher, func(st *config.Settings) { st.Review.OutOfBand = false })
				c.launcher = l
				start := func() string {
					t.Helper()
					i, err := c.NewSession(t.Context(), NewSession{NoWait: true})
					if err != nil || i.State != StateStarting {
						t.Fatalf("%+v, %v", i, err)
					}
					return i.Session
				}
				one, two := start(), start()
				for _, p := range prompts {
					if _, err := c.Prompt(t.Context(), Prompt{Session: one, Text: p}); err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(6 * time.Second)
				stop := func(id string) Info {
					t.Helper()
					if err := c.Cancel(t.Context(), id); err != nil {
						t.Fatal(err)
					}
					synctest.Wait()
					e.mu.Lock()
					defer e.mu.Unlock()
					return e.infos[id]
				}
				running := func() int {
					c.mu.Lock()
					defer c.mu.Unlock()
					return len(c.agents)
				}
				i := stop(one)
				if i.State != StateFailed || !strings.Contains(i.Error, "you stopped fake before it was ready: your next prompt") || i.ErrorKind != KindStopped || len(i.Queue) > 0 {
					t.Errorf("%+v", i)
				}
				var unsent []string
				for _, q := range i.Unsent {
					unsent = append(unsent, q.Text)
				}
				if !slices.Equal(unsent, prompts) {
					t.Errorf("unsent are %q", unsent)
				}
				e.mu.Lock()
				other := e.infos[two].State
				e.mu.Unlock()
				if other != StateStarting || running() != 1 {
					t.Errorf("the other one is %s, and %d agents run", other, running())
				}
				if i := stop(two); i.State != StateFailed || running() != 0 {
					t.Errorf("%+v, and %d agents run", i, running())
				}
				// The next prompt starts it again.
				c.launcher = &l.fakeLauncher
				l.prompt = func(context.Context, *fakeAgent, string, []Block) (StopReason, error) { return "end_turn", nil }
				if r, err := c.Prompt(t.Context(), Prompt{Session: one, Text: "again", Wait: true}); err != nil || r.StopReason != "end_turn" {
					t.Fatalf("%+v, %v", r, err)
				}
				synctest.Wait()
				e.mu.Lock()
				defer e.mu.Unlock()
				if i := e.infos[one]; len(i.Unsent) > 0 || i.Error != "" {
					t.Errorf("in the end %+v", i)
				}
			})
		})
	}
}

// keepingLauncher's agents keep sessions, and answer no load while hold is set.
type keepingLauncher struct {
	fakeLauncher
	hold  atomic.Bool
	deaf  atomic.Bool // they do not even start
	mu    sync.Mutex
	loads []string
}

func (l *keepingLauncher) Start(ctx context.Context, name, cwd string, h Host) (Agent, error) {
	if l.deaf.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	a, err := l.fakeLauncher.Start(ctx, name, cwd, h)
	if err != nil {
		return nil, err
	}
	return &keepingAgent{a.(*fakeAgent), l}, nil
}

type keepingAgent struct {
	*fakeAgent
	l *keepingLauncher
}

func (a *keepingAgent) Info() AgentInfo {
	i := a.fakeAgent.Info()
	i.LoadSession = true
	return i
}

func (a *keepingAgent) LoadSession(ctx context.Context, id string, _ SessionParams) (SessionState, error) {
	a.l.mu.Lock()
	a.l.loads = append(a.l.loads, id)
	a.l.mu.Unlock()
	if a.l.hold.Load() {
		<-ctx.Done()
		return SessionState{}, ctx.Err()
	}
	return SessionState{SessionID: id}, nil
}

// A stored session whose loading the user stops is that one still: the next prompt loads it, and
// begins no other.
func TestStopEndsALoad(t *testing.T) {
	for _, deaf := range []bool{false, true} {
		t.Run(fmt.Sprintf("deaf=%t", deaf), func(t *testing.T) { synctest.Test(t, func(t *testing.T) { stopLoad(t, deaf) }) })
	}
}

func stopLoad(t *testing.T, deaf bool) {
	l := &keepingLauncher{}
	c, _, _ := setup(t, &l.fakeLauncher, func(st *config.Settings) { st.Review.OutOfBand = false })
	c.launcher = l
	l.prompt = func(context.Context, *fakeAgent, string, []Block) (StopReason, error) { return "end_turn", nil }
	l.hold.Store(true)
	l.deaf.Store(deaf)
	loaded := make(chan error, 1)
	go func() {
		_, err := c.LoadSession(t.Context(), "fake", "kept", t.TempDir())
		loaded <- err
	}()
	synctest.Wait()
	id := c.allSessions()[0].id
	if err := c.Cancel(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if err := <-loaded; KindOf(err) != KindStopped {
		t.Fatalf("%v, kind %s", err, KindOf(err))
	}
	l.hold.Store(false)
	l.deaf.Store(false)
	if r, err := c.Prompt(t.Context(), Prompt{Session: id, Text: "go on", Wait: true}); err != nil || r.StopReason != "end_turn" {
		t.Fatalf("%+v, %v", r, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := c.allSessions()[0]; s.remoteID() != "kept" || !slices.Equal(l.loads, []string{"kept", "kept"}[:len(l.loads)]) || len(l.loads) == 0 {
		t.Errorf("it is %q at the agent, loaded %q", s.remoteID(), l.loads)
	}
}
