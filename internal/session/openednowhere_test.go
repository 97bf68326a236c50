package session

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// What another program makes where the user has opened a document without a file while nobody was at
// work comes under what is typed, as it does in a turn, also where there had been a file before: it is
// in the text when the next turn begins, or in a conflict with it, and not passed over.
func TestAnotherProgramMakesAFileUnderADocumentOpenedWithoutOne(t *testing.T) {
	for _, before := range []string{"never there", "made and deleted by an agent", "deleted by an agent", "deleted by another program"} {
		for _, typed := range []string{"", "USER\n"} {
			synctest.Test(t, func(t *testing.T) {
				l := &fakeLauncher{}
				c, e, root := setup(t, l)
				c.unwatched = true // nothing may wait for the system in virtual time
				path := filepath.Join(root, "a")
				uri := buffers.PathURI(path)
				rests := func() { time.Sleep(time.Minute); synctest.Wait() }
				remove := func() {
					if err := os.Remove(path); err != nil {
						t.Error(err)
					}
				}
				if before != "never there" && before != "made and deleted by an agent" {
					writeFile(t, path, ten)
				}
				turnOf(t, c, l, func(Host, string) {
					switch before {
					case "made and deleted by an agent":
						writeFile(t, path, ten)
						c.turnPoint(c.allSessions()[0], c.allSessions()[0].now())
						remove()
					case "deleted by an agent":
						remove()
					}
				})
				if before == "deleted by another program" {
					remove()
				}
				if _, err := c.Accept(t.Context(), Decide{}); err != nil {
					t.Error(err)
				}
				e.open(uri, "")
				rests()
				if typed != "" {
					e.typeAt(uri, 0, 0, typed)
				}
				rests()
				writeFile(t, path, "OTHER\n")
				rests()
				turnOf(t, c, l, func(Host, string) {})
				h := hunksOf(t, c, uri)
				if typed == "" {
					if got := e.text(uri); got != "OTHER\n" || len(h) > 0 {
						t.Errorf("%s: text %q, hunks %+v", before, got, h)
					}
				} else if len(h) != 1 || h[0].State != review.StateConflict || h[0].Text != "OTHER\n" || e.text(uri) != typed {
					t.Errorf("%s, typed: text %q, hunks %+v", before, e.text(uri), h)
				}
				if base, err := c.Baseline(uri); err != nil || base != e.text(uri) {
					t.Errorf("%s, typed %q: baseline %q, %v", before, typed, base, err)
				}
			})
		}
	}
}
