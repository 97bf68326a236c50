package session

import (
	"context"
	"errors"
	"slices"
	"strings"
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

// What was said of an agent that does not answer, and when.
func TestSilenceIsToldOfOnce(t *testing.T) {
	for _, tt := range []struct {
		name                  string
		toStart, toOpen, toDo time.Duration
		sign                  bool // an update comes at once
		fails                 error
		during, after         []string // the notices, after 10 s of the slow thing, and at the end
	}{
		{name: "quick", toStart: 9 * time.Second, toOpen: 9 * time.Second, toDo: 9 * time.Second},
		{name: "start", toStart: 40 * time.Second, during: []string{"fake has not answered since 00:00:00 (initialize)"}, after: []string{"fake took 40s to start"}},
		{name: "open", toOpen: 40 * time.Second, during: []string{"fake has not answered since 00:00:00 (the request for the session)"}, after: []string{"fake took 40s to open the session"}},
		{name: "prompt", toDo: 40 * time.Second, during: []string{"fake has not answered since 00:00:00 (the prompt)"}, after: []string{"fake took 40s for the first sign of an answer"}},
		{name: "a sign", toDo: 40 * time.Second, sign: true},
		{name: "failure", toStart: 40 * time.Second, fails: errors.New("it fails"), during: []string{"fake has not answered since 00:00:00 (initialize)"},
			after: []string{"fake has not answered since 00:00:00 (initialize)", "not sent: fake cannot take it now"}},
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
				time.Sleep(10*time.Second - time.Millisecond)
				check("before", nil)
				time.Sleep(2 * time.Millisecond)
				check("during", tt.during)
				if tt.during != nil {
					if last := progress(); last.Message != "fake has not answered since 00:00:00" || last.End {
						t.Errorf("progress says %+v", last)
					}
				}
				time.Sleep(50 * time.Second)
				check("after", tt.after)
				if last := progress(); !last.End {
					t.Errorf("progress ends with %+v", last)
				}
			})
		})
	}
}
