package session

import (
	"context"
	"slices"
	"sync"
	"testing"
)

// The editor gets questions in the order in which they were asked, whoever waits for an answer.
func TestQuestionsComeInOrder(t *testing.T) {
	l := &fakeLauncher{}
	c, e, _ := setup(t, l)
	turnOf(t, c, l, func(h Host, sid string) {
		ctx, stop := context.WithCancel(t.Context())
		var all sync.WaitGroup
		var want []string
		for n := range 30 {
			all.Go(func() {
				_, _ = h.RequestPermission(ctx, sid, PermissionRequest{Options: []PermissionOption{{OptionID: "yes", Kind: "allow_once"}}})
			})
			e.await("the question", func() bool { return len(c.Questions()) > n })
			want = append(want, c.Questions()[n].ID)
		}
		e.await("all questions", func() bool { return len(e.asked) == len(want) })
		if !slices.Equal(e.asked, want) {
			t.Errorf("asked %q, want %q", e.asked, want)
		}
		stop()
		all.Wait()
	})
}
