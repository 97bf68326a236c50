package session

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// An agent goes on writing a file on disk while the turn of another session begins, whose before-copies
// are taken then: what it writes is its own still, all of it, whoever has the file open.
func TestATurnBeginsWhileAnotherAgentWrites(t *testing.T) {
	t.Parallel()
	for _, opened := range []string{"clean", "unsaved", "not"} {
		t.Run(opened, func(t *testing.T) {
			t.Parallel()
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			c.unwatched = true
			path := filepath.Join(root, "a")
			uri := buffers.PathURI(path)
			writeFile(t, path, ten)
			base := ten
			if opened != "not" {
				e.open(uri, ten)
			}
			if opened == "unsaved" {
				e.replace(uri, "2\n", "USER\n")
				base = strings.Replace(ten, "2\n", "USER\n", 1)
			}
			one, err := c.NewSession(t.Context(), NewSession{})
			if err != nil {
				t.Fatal(err)
			}
			two, err := c.NewSession(t.Context(), NewSession{})
			if err != nil {
				t.Fatal(err)
			}
			const rows = 4
			writing, began, wrote := make(chan struct{}), make(chan struct{}), ""
			shown := func(row string) bool { // mu is held
				for _, h := range e.reviews[uri].Hunks {
					if strings.Contains(h.Text, row) {
						return true
					}
				}
				return false
			}
			l.prompt = func(_ context.Context, a *fakeAgent, _ string, blocks []Block) (StopReason, error) {
				if strings.Contains(fmt.Sprint(blocks), "hello") {
					close(began)
					e.cond.Broadcast()
					return "end_turn", nil
				}
				for n := range rows { // each as soon as the last one was seen
					row := fmt.Sprintf("AGENT %d\n", n)
					wrote += row
					writeFile(t, path, strings.Replace(ten, "8\n", "8\n"+wrote, 1))
					if n == 0 {
						close(writing)
					}
					e.await("the row to be seen, or the other turn to have begun", func() bool {
						select {
						case <-began:
							return true
						default:
							return shown(row)
						}
					})
				}
				<-began
				return "end_turn", nil
			}
			if _, err := c.Prompt(t.Context(), Prompt{Session: one.Session, Text: "write"}); err != nil {
				t.Fatal(err)
			}
			<-writing
			if _, err := c.Prompt(t.Context(), Prompt{Session: two.Session, Text: "hello", Wait: true}); err != nil {
				t.Fatal(err)
			}
			e.await("the first turn to have ended", func() bool { return e.infos[one.Session].State == StateIdle })
			if got, err := c.Baseline(uri); err != nil || got != base {
				t.Errorf("baseline %q, %v", got, err)
			}
			all := ""
			for _, h := range hunksOf(t, c, uri, review.StatePending) {
				all += h.Text
				if o := h.Origins[0]; o.Session != one.Session {
					t.Errorf("%q is of session %q", h.Text, o.Session)
				}
			}
			if all != wrote {
				t.Errorf("hunks %q, want %q", all, wrote)
			}
			if _, err := c.Reject(t.Context(), Decide{}); err != nil {
				t.Fatal(err)
			}
			if opened != "not" {
				if got := e.text(uri); got != base {
					t.Errorf("rejected, the text is %q", got)
				}
			} else if got := readFile(t, path); got != base {
				t.Errorf("rejected, the file is %q", got)
			}
		})
	}
}
