package proc

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// scripted is a tree that ends at a given order.
type scripted struct {
	p      *Process
	endsAt string
	orders []string
}

func (s *scripted) terminate() { s.order("term") }
func (s *scripted) kill()      { s.order("kill") }

func (s *scripted) order(name string) {
	s.orders = append(s.orders, name)
	if name == s.endsAt {
		s.p.ended(Exit{})
		s.p.vanished()
	}
}

// The steps of Stop and the time between them.
func TestStopSteps(t *testing.T) {
	for _, c := range []struct {
		endsAt string
		took   time.Duration
	}{{"term", StopGrace}, {"kill", 2 * StopGrace}} {
		synctest.Test(t, func(t *testing.T) {
			p := newProcess(&Command{})
			tree := &scripted{p: p, endsAt: c.endsAt}
			p.tree = tree
			begin := time.Now()
			p.Stop(context.Background())
			want := []string{"term", "kill"} // the kill after the end does no harm
			if took := time.Since(begin); took != c.took || !slices.Equal(tree.orders, want) {
				t.Errorf("%s after %v: %q", c.endsAt, took, tree.orders)
			}
		})
	}
}
