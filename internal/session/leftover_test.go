package session

import (
	"os"
	"testing"
)

// The copies of an idle session, and those of a turn that begins, may come when another turn is at
// work and its agent has written already. What that has written is no copy of before, and is
// offered when acp-ls is killed before it has looked.
func TestCopiesThatComeLate(t *testing.T) {
	t.Parallel()
	was := map[string]string{"text": ten, "binary": "\x00\x01", "gone": ten}
	now := map[string]string{"text": "1\n", "binary": "\x00\x02", "made": "made\n", "made too": "\x00"}
	for _, of := range []string{"the session", "another", "another's turn"} {
		w := newEarth(t)
		w.start()
		for name, s := range was {
			writeFile(t, w.path(name), s)
		}
		if of != "the session" {
			steps(t, w.c, w.l)
			if _, err := w.c.NewSession(t.Context(), NewSession{}); err != nil {
				t.Fatal(err)
			}
		}
		steps(t, w.c, w.l)
		idle := w.c.allSessions()[0]
		var state, root string
		turnOf(t, w.c, w.l, func(Host, string) {
			for name, s := range now {
				writeFile(t, w.path(name), s)
			}
			if err := os.Remove(w.path("gone")); err != nil {
				t.Error(err)
			}
			if of == "another's turn" {
				idle.takeCheckpoint(t.Context(), &turn{})
			} else {
				idle.prepare()
			}
			state, root = w.snapshot()
		})
		w.close()
		w.revert(state, root)
		w.start()
		for _, name := range []string{"text", "binary", "gone", "made", "made too"} {
			if r := w.c.Reviews(w.uri(name), ""); len(r) != 1 {
				t.Errorf("of %s: %s is not offered", of, name)
			}
		}
	}
}
