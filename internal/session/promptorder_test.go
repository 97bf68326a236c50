package session

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
)

// Prompts run in the order in which they were sent, also where the first of them
// makes the session and its agent takes its time to start.
func TestPromptsKeepTheirOrderWhileTheAgentStarts(t *testing.T) {
	const n = 8
	l := &fakeLauncher{}
	c, _, _ := setup(t, l)
	l.before = make(chan struct{})
	ran := make(chan string, n)
	l.prompt = func(_ context.Context, _ *fakeAgent, _ string, b []Block) (StopReason, error) {
		ran <- b[0].Text
		return "end_turn", nil
	}
	var want []string
	for i := range n {
		text := fmt.Sprint(i)
		// As the bridge has it: the next one comes when this one has its place.
		has := make(chan struct{})
		go func() {
			_, err := c.Prompt(Ordered(context.Background(), sync.OnceFunc(func() { close(has) })), Prompt{Text: text, Wait: true})
			if err != nil {
				t.Error(err)
			}
		}()
		<-has
		want = append(want, text)
	}
	if got := len(c.allSessions()); got != 1 {
		t.Fatalf("%d sessions were made", got)
	}
	close(l.before)
	var got []string
	for range n {
		got = append(got, <-ran)
	}
	if !slices.Equal(got, want) {
		t.Errorf("run as %v", got)
	}
}

// However many first prompts come at once, they make one session.
func TestPromptsAtOnceMakeOneSession(t *testing.T) {
	l := &fakeLauncher{}
	c, _, _ := setup(t, l)
	l.prompt = func(context.Context, *fakeAgent, string, []Block) (StopReason, error) { return "end_turn", nil }
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, err := c.Prompt(t.Context(), Prompt{Text: "x", Wait: true}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := len(c.allSessions()); got != 1 {
		t.Fatalf("%d sessions were made", got)
	}
}

// Prompts that are to be sent at once go before those that wait, in their order.
func TestPromptsOfTheSameHasteKeepTheirOrder(t *testing.T) {
	l := &fakeLauncher{}
	c, _, _ := setup(t, l)
	started, release := make(chan string, 10), make(chan struct{})
	l.prompt = func(_ context.Context, _ *fakeAgent, _ string, b []Block) (StopReason, error) {
		started <- b[0].Text
		<-release
		return "end_turn", nil
	}
	var id string
	for i, p := range []Prompt{{Text: "runs"}, {Text: "waits"}, {Text: "now 1", When: "now"}, {Text: "now 2", When: "now"}} {
		r, err := c.Prompt(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if id = r.Session; i == 0 {
			<-started
		}
	}
	q, err := c.Queue(id)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, w := range q {
		got = append(got, w.Text)
	}
	if want := []string{"now 1", "now 2", "waits"}; !slices.Equal(got, want) {
		t.Errorf("queue %v, want %v", got, want)
	}
	close(release)
	for range 3 {
		<-started
	}
}
