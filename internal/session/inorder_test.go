package session

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

// Whoever gives up keeps nobody from his turn, and lets nobody through before it.
func TestQueueKeepsItsOrderWhenSomebodyGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q queues
		first, second, third := q.join("a"), q.join("a"), q.join("a")
		if err := q.join("b").wait(t.Context()); err != nil {
			t.Fatal(err) // another queue
		}
		ctx, cancel := context.WithCancel(t.Context())
		gaveUp, came := make(chan error, 1), make(chan struct{})
		go func() {
			defer second.leave()
			gaveUp <- second.wait(ctx)
		}()
		go func() {
			defer close(came)
			_ = third.wait(context.Background())
		}()
		if err := first.wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		cancel()
		if err := <-gaveUp; !errors.Is(err, context.Canceled) {
			t.Errorf("gave up with %v", err)
		}
		synctest.Wait()
		select {
		case <-came:
			t.Fatal("came before the first had left")
		default:
		}
		first.leave()
		<-came
		third.leave()
		if len(q.at["a"]) != 0 {
			t.Errorf("%d are left", len(q.at["a"]))
		}
	})
}
