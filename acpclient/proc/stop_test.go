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
	mute   bool // it can not be asked
	orders []string
}

func (s *scripted) terminate() bool {
	s.order("term")
	return !s.mute
}

func (s *scripted) kill() { s.order("kill") }

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
		mute   bool
		took   time.Duration
	}{{"term", false, StopGrace}, {"kill", false, 2 * StopGrace}, {"kill", true, StopGrace}} {
		synctest.Test(t, func(t *testing.T) {
			p := newProcess(&Command{})
			tree := &scripted{p: p, endsAt: c.endsAt, mute: c.mute}
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
