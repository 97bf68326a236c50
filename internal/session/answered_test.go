package session

import (
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// What an answer has said of a file is known to who asked: when it is not so any more they are told,
// also if nothing but the answer had said it. Here the user undoes a decision while what was decided
// is saved, so that its answer has the hunk again, and then redoes it.
func TestWhatAnAnswerSaidIsTakenBack(t *testing.T) {
	const had, has = "1\n2\n3\n", "1\nTWO\n3\n"
	decide := map[string]func(c *Core, uri string) ([]Review, error){
		"rejected": func(c *Core, uri string) ([]Review, error) {
			out, err := c.Reject(t.Context(), Decide{URI: uri})
			return out.Files, err
		},
		"rejected, and listed": func(c *Core, uri string) ([]Review, error) {
			_, err := c.Reject(t.Context(), Decide{URI: uri})
			return c.Reviews(uri, ""), err
		},
	}
	for name, decided := range decide {
		t.Run(name, func(t *testing.T) {
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			path := filepath.Join(root, "a.txt")
			uri := buffers.PathURI(path)
			e.caps = map[string]bool{"reload": true, "save": true}
			e.onReload = func(u string) (bool, error) {
				e.reopen(u, path)
				return true, nil
			}
			undone := false
			e.onSave = func(u string) error {
				if !undone && strings.Contains(e.text(u), "2") {
					undone = true
					e.replace(u, "2\n", "TWO\n")
				}
				return nil
			}
			writeFile(t, path, had)
			e.open(uri, had)
			awaitLook(t, c.file(buffers.Path(path)))
			diskTurn(t, c, l, path, func(string) string { return has })
			files, err := decided(c, uri)
			if err != nil || !undone {
				t.Fatalf("decided: %v, undone: %v", err, undone)
			}
			for _, f := range files {
				e.note(func() {
					if f.URI == uri && f.Seq > e.reviews[uri].Seq {
						e.reviews[uri] = f
					}
				})
			}
			e.replace(uri, "TWO\n", "2\n")
			e.await("what is true", func() bool {
				is := c.Reviews(uri, "", review.StatePending)
				return len(is) == 1 && len(is[0].Hunks) == 0 && len(e.reviews[uri].Hunks) == 0
			})
		})
	}
}
