package session

import (
	"strings"
	"testing"
	"time"

	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// An agent is told of another one that has changed the same lines, or such that touch, and not of
// one that has changed others.
func TestWhoChangedTheSameLines(t *testing.T) {
	by := func(session, agent, change string) review.Origin {
		return review.Origin{Change: review.ChangeID(change), Session: session, Agent: agent, Author: review.AuthorAgent}
	}
	for line, want := range map[string]string{
		"3\n": "the user, or beta in another session, has changed the same lines (line 3)",
		"8\n": "the user has changed the same lines (line 8)",
		"2\n": "the user, or beta in another session, has changed lines next to yours (line 2)",
		"9\n": "the user has changed lines next to yours (line 9)",
	} {
		d := review.New(text.New(ten), time.Now)
		d.AgentEdit(text.New(strings.Replace(ten, "3\n", "3 BETA\n", 1)), by("s2", "beta", "c1"))
		i := strings.Index(d.Text().String(), "8\n") + 1
		d.UserEdit(i, i, " USER")
		err := new(untouched).patch(d, ten, strings.Replace(ten, line, "ALPHA\n", 1), by("s1", "alpha", "c2"))
		if err == nil || !strings.Contains(err.Error(), "not applied: "+want+" since") {
			t.Errorf("line %q: %v, want %q", line, err, want)
		}
	}
}
