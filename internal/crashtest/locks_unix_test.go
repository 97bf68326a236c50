//go:build unix

package crashtest

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// awaitLocks waits until no more journals are locked than acp-ls run. One that is killed
// while it starts a program (git, say) leaves its lock to the child, which gives it up when
// it becomes that program: a moment later, and for the next acp-ls it is a neighbour till then.
func (w *world) awaitLocks() {
	w.t.Helper()
	for limit := w.limit(); ; runtime.Gosched() {
		locked := 0
		for _, name := range w.journals(".lock") {
			f, err := os.Open(name)
			if err != nil {
				continue // taken over meanwhile
			}
			if unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) != nil {
				locked++
			}
			_ = f.Close()
		}
		if locked <= w.living {
			return
		}
		if limit.Err() != nil {
			w.t.Fatalf("%d journals are locked, and %d acp-ls run", locked, w.living)
		}
	}
}
