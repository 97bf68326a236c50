package lspbridge

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
)

func TestTurnstileKeepsTheOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ts turnstile
		leave, err := ts.enter(t.Context())
		must(t, err)
		var order []int
		var wg sync.WaitGroup
		gone, goAway := context.WithCancel(t.Context())
		for i := range 6 {
			ctx := t.Context()
			if i%2 == 1 {
				ctx = gone
			}
			wg.Go(func() {
				leave, err := ts.enter(ctx)
				if (err != nil) != (i%2 == 1) {
					t.Errorf("%d: %v", i, err)
				}
				if err == nil {
					order = append(order, i) // the turnstile is the lock
					leave()
					leave() // twice does not count
				}
			})
			synctest.Wait()
		}
		goAway()
		synctest.Wait()
		leave()
		wg.Wait()
		if len(order) != 3 || order[0] != 0 || order[1] != 2 || order[2] != 4 {
			t.Error(order)
		}
		if len(ts.line) > 0 {
			t.Error("it is not free")
		}
	})
}

// Giving up in the moment one's turn comes must not lose the turn.
func TestTurnstileLosesNoTurn(t *testing.T) {
	var ts turnstile
	var wg sync.WaitGroup
	inside := 0
	for range 2000 {
		ctx, cancel := context.WithCancel(t.Context())
		wg.Go(func() {
			if leave, err := ts.enter(ctx); err == nil {
				inside++
				leave()
			}
		})
		wg.Go(cancel)
	}
	wg.Wait()
	leave, err := ts.enter(t.Context())
	must(t, err)
	leave()
	t.Logf("%d got in", inside)
}
