package session

import (
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// What was discarded of a proposal last, by hunks or by the answer, is known as a decision of its place
// among those that have rejected something, with what can be done about it: while its agent waits, and
// when it was told.
func TestDiscardedIsKnown(t *testing.T) {
	t.Parallel()
	const has = "one\n2\n3\n4\n5\n6\nseven\n"
	for _, how := range []string{"hunks", "answer", "some", "mine", "applied", "applied after all"} {
		t.Run(how, func(t *testing.T) {
			l := &fakeLauncher{}
			c, e, root := setup(t, l, reviewBefore)
			path := filepath.Join(root, "a.txt")
			uri := buffers.PathURI(path)
			other := buffers.PathURI(filepath.Join(root, "b.txt"))
			for _, p := range []string{path, filepath.Join(root, "b.txt")} {
				writeFile(t, p, has)
				e.open(buffers.PathURI(p), has)
			}
			is := func(decided int64, words string) {
				t.Helper()
				for _, of := range []string{"", uri} {
					d := c.Discarded(of)
					if words == "" {
						if d != nil {
							t.Errorf("discarded of %q: %+v", of, d)
						}
					} else if d == nil || d.URI != uri || d.Decided <= decided || !strings.Contains(d.Message, words) {
						t.Errorf("discarded of %q: %+v, want %q after %d", of, d, words, decided)
					}
				}
				if d := c.Discarded(other); d != nil {
					t.Errorf("discarded elsewhere: %+v", d)
				}
			}
			is(0, "")
			// an older decision, about what is there
			turnOf(t, c, l, func(Host, string) { writeFile(t, path, strings.Replace(has, "4\n", "4 AGENT\n", 1)) })
			if d, err := c.Reject(t.Context(), Decide{}); err != nil || len(d.Decided) != 1 {
				t.Fatal(d, err)
			}
			is(0, "")
			var older int64
			for _, r := range c.Reviews(uri, "", review.StateRejected) {
				for _, n := range r.Decided {
					older = n
				}
			}
			turnOf(t, c, l, func(h Host, sid string) {
				if _, err := h.ReadTextFile(t.Context(), sid, path, nil, nil); err != nil {
					t.Error(err)
				}
				done := make(chan error, 1)
				go func() {
					done <- h.WriteTextFile(t.Context(), sid, path, strings.NewReplacer("one", "ONE", "seven", "SEVEN").Replace(has))
				}()
				ids := e.awaitProposals(uri, 2)
				decide := func(f func() (Decision, error)) {
					if d, err := f(); err != nil || len(d.Decided) == 0 {
						t.Error(d, err)
					}
				}
				reject := func(ids ...string) {
					decide(func() (Decision, error) { return c.Reject(t.Context(), Decide{Hunks: ids}) })
				}
				accept := func(ids ...string) {
					decide(func() (Decision, error) { return c.Accept(t.Context(), Decide{Hunks: ids}) })
				}
				switch how {
				case "hunks":
					reject(ids[0])
					is(older, "still waits")
					reject(ids[1])
				case "answer":
					e.await("the question", func() bool { return len(e.infos[c.allSessions()[0].id].Questions) == 1 })
					if err := c.Answer(c.Questions()[0].ID, "discard"); err != nil {
						t.Error(err)
					}
				case "some":
					accept(ids[0])
					reject(ids[1])
				case "mine":
					reject(ids...)
				case "applied":
					accept(ids...)
				case "applied after all":
					reject(ids[0])
					is(older, "still waits")
					accept(ids[0])
					is(0, "")
					accept(ids[1])
				}
				<-done
			})
			if strings.HasPrefix(how, "applied") {
				is(0, "")
				return
			}
			is(older, "was told")
			// what is rejected after it is the last
			turnOf(t, c, l, func(Host, string) { writeFile(t, path, strings.Replace(readFile(t, path), "3\n", "3 AGENT\n", 1)) })
			at := c.Discarded(uri).Decided
			if d, err := c.Reject(t.Context(), Decide{}); err != nil || len(d.Decided) != 1 {
				t.Fatal(d, err)
			}
			later := false
			for _, r := range c.Reviews(uri, "", review.StateRejected) {
				for _, n := range r.Decided {
					later = later || n > at
				}
			}
			if !later {
				t.Error("what was rejected after it does not count as the last")
			}
		})
	}
}
