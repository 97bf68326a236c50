package session

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// An agent writes a file in the very moment in which the before-copies of another session's turn are made, which
// have that then: it is the agent's still, when the file is opened before anybody has looked.
func TestWrittenAsAnotherTurnBegins(t *testing.T) {
	for _, closed := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			c.unwatched = true // nothing may wait for the system in virtual time
			path := filepath.Join(root, "a")
			uri := buffers.PathURI(path)
			writeFile(t, path, ten)
			end, turns := make(chan struct{}), make(chan struct{}, 2)
			l.prompt = func(context.Context, *fakeAgent, string, []Block) (StopReason, error) {
				turns <- struct{}{}
				<-end
				return "end_turn", nil
			}
			for range 2 {
				s, err := c.NewSession(t.Context(), NewSession{})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := c.Prompt(t.Context(), Prompt{Session: s.Session, Text: "go"}); err != nil {
					t.Fatal(err)
				}
				<-turns
				time.Sleep(time.Second)
			}
			has := strings.Replace(ten, "5\n", "FIVE\n", 1)
			writeFile(t, path, has)
			second := c.allSessions()[1]
			second.takeCheckpoint(t.Context(), second.now())
			e.open(uri, has)
			time.Sleep(time.Second)
			if closed {
				e.close(uri)
				time.Sleep(time.Second)
			}
			close(end)
			time.Sleep(time.Second)
			synctest.Wait()
			if h := hunksOf(t, c, uri, review.StatePending); len(h) != 1 || h[0].Text != "FIVE\n" {
				t.Errorf("closed %v: hunks %+v", closed, h)
			}
			if base, err := c.Baseline(uri); err != nil || base != ten {
				t.Errorf("closed %v: baseline %q, %v", closed, base, err)
			}
		})
	}
}
