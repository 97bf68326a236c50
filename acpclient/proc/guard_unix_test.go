//go:build unix

package proc

import (
	"bytes"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// endsWithin is how long a tree may outlive acp-ls, or the command that has begun it.
const endsWithin = 2 * time.Second

// A tree that does not end when it is asked to is gone in time: what the guard waits for
// is less than that, in the guard's own time.
func TestGuardEndsTheTreeInTime(t *testing.T) {
	const pid = 7
	for name, c := range map[string]struct {
		begins func(orders chan<- byte, children chan<- reaped)
		linger bool
		kills  int // after how many of them the last process is gone, 0: after TERM
		asked  []string
	}{
		"the lifeline is gone":             {func(o chan<- byte, _ chan<- reaped) { close(o) }, false, 1, []string{"term", "kill"}},
		"the lifeline of a lingering tree": {func(o chan<- byte, _ chan<- reaped) { close(o) }, true, 1, []string{"term", "kill"}},
		"it obeys":                         {func(o chan<- byte, _ chan<- reaped) { close(o) }, false, 0, []string{"term"}},
		"it forks meanwhile":               {func(o chan<- byte, _ chan<- reaped) { close(o) }, false, 4, []string{"term", "kill", "kill", "kill", "kill"}},
		"the command has ended":            {func(_ chan<- byte, c chan<- reaped) { c <- reaped{pid: pid} }, false, 1, []string{"term", "kill"}},
		"both, one after the other": {func(o chan<- byte, c chan<- reaped) {
			c <- reaped{pid: pid}
			time.Sleep(guardGrace / 2)
			close(o)
		}, false, 1, []string{"term", "term", "kill"}},
		"it is told to": {func(o chan<- byte, _ chan<- reaped) { o <- 'K' }, true, 1, []string{"kill"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				orders, children := make(chan byte), make(chan reaped)
				var asked []string
				kills := 0
				g := &guarding{main: pid, line: &bytes.Buffer{}, linger: c.linger, left: func() bool { return false }}
				g.term = func() {
					if asked = append(asked, "term"); c.kills == 0 {
						close(children)
					}
				}
				g.kill = func() {
					asked = append(asked, "kill")
					if kills++; kills == c.kills {
						close(children)
					}
				}
				begin := time.Now()
				go c.begins(orders, children)
				g.run(orders, children)
				if took := time.Since(begin); took > endsWithin {
					t.Errorf("gone after %v, later than %v", took, endsWithin)
				}
				if !slices.Equal(asked, c.asked) {
					t.Errorf("asked %q, want %q", asked, c.asked)
				}
			})
		})
	}
}
