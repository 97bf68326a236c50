package mcp

import (
	"context"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"acp-ls/internal/config"
	"acp-ls/internal/session"
)

// laterRig is a rig in which no call waits for the user for long.
func laterRig(t *testing.T, mode config.ReviewMode) (r *rig, id string, cs *sdk.ClientSession) {
	r = start(t, rigOptions{
		waits:    session.Waits{Tool: time.Millisecond},
		settings: func(s *config.Settings) { s.Review.Mode = mode },
	})
	id, s := r.session()
	return r, id, r.connect(s)
}

// turn does f as a turn of the agent, and returns what the agent was told with it.
func (r *rig) turn(id string, f func()) string {
	r.t.Helper()
	r.agent.prompt = func(context.Context, string) session.StopReason { f(); return "end_turn" }
	_, err := r.core.Prompt(limit(r.t), session.Prompt{Session: id, Text: "go", Wait: true})
	must(r.t, err)
	var told strings.Builder
	for _, b := range r.agent.prompted {
		told.WriteString(b.Text)
	}
	return told.String()
}

// What waits for the user is answered so, stays open over the end of the turn, is made
// when the user allows it, and the agent is told.
func TestEditWaits(t *testing.T) {
	r, id, cs := laterRig(t, config.ReviewBefore)
	r.write("a.txt", twelve)
	uri := r.open("a.txt")
	r.settle()
	edit := args{"path": "a.txt", "edits": []args{{"oldText": "5\n", "newText": "five\n"}}}
	r.turn(id, func() {
		contains(t, ok(t, cs, "edit_buffer", edit), "Waiting", "review_status", "Do not send it again")
		contains(t, ok(t, cs, "review_status", nil), "a.txt waits for the user's answer", "-5\n+five\n")
		contains(t, ok(t, cs, "edit_buffer", edit), "Waiting") // it is not asked twice
	})
	if q := r.core.Questions(); len(q) != 1 {
		t.Fatalf("questions %+v", q)
	}
	if r.text(uri) != twelve {
		t.Errorf("text %q", r.text(uri))
	}
	r.retype(uri, "9\n", "nine, typed\n")
	r.settle()
	_, err := r.core.Accept(limit(t), session.Decide{URI: uri})
	must(t, err)
	want := strings.NewReplacer("5\n", "five\n", "9\n", "nine, typed\n").Replace(twelve)
	r.await("the edit", func() bool { return r.text(uri) == want })
	r.await("the end of the question", func() bool { return len(r.core.Questions()) == 0 })
	told := r.turn(id, func() {
		contains(t, ok(t, cs, "review_status", nil), "Nothing waits")
	})
	contains(t, told, "a.txt that waited for the user is made", "nine, typed")
	if strings.Contains(told, "+five") {
		t.Errorf("its own edit is told as the user's: %s", told)
	}
}

// What is allowed or refused while the turn goes on is seen with review_status, once.
func TestEditWaitsInTurn(t *testing.T) {
	r, id, cs := laterRig(t, config.ReviewBefore)
	r.write("a.txt", twelve)
	uri := r.open("a.txt")
	r.settle()
	for _, tt := range []struct{ option, status, text string }{
		{"discard", "was not made: nothing was written", twelve},
		{"apply", "Your edit that waited: Applied to " + r.path("a.txt"), strings.Replace(twelve, "5\n", "five\n", 1)},
	} {
		told := r.turn(id, func() {
			contains(t, ok(t, cs, "edit_buffer", args{"path": "a.txt", "edits": []args{{"oldText": "5\n", "newText": "five\n"}}}), "Waiting")
			must(t, r.core.Answer(r.core.Questions()[0].ID, tt.option))
			status := ""
			r.await("what became of it", func() bool {
				status = ok(t, cs, "review_status", nil)
				return !strings.Contains(status, "waits for the user's answer")
			})
			contains(t, status, tt.status)
			if again := ok(t, cs, "review_status", nil); strings.Contains(again, "that waited") {
				t.Errorf("it is told again: %s", again)
			}
		})
		if strings.Contains(told, "that waited") {
			t.Errorf("told %q", told)
		}
		if r.text(uri) != tt.text {
			t.Errorf("%s: text %q", tt.option, r.text(uri))
		}
	}
}

// A question about the file itself waits in the same way. It is withdrawn when the user
// stops the turn, or the session ends.
func TestEditThatWaitsIsWithdrawn(t *testing.T) {
	r, id, cs := laterRig(t, config.ReviewAfter)
	other := t.TempDir() + "/x.txt"
	must(t, writeFile(other, "outside\n"))
	edit := args{"path": other, "edits": []args{{"oldText": "outside", "newText": "changed"}}}
	stopped := make(chan struct{}, 1)
	r.agent.cancelled = func() {
		select {
		case stopped <- struct{}{}:
		default:
		}
	}
	r.turn(id, func() {
		contains(t, ok(t, cs, "edit_buffer", edit), "Waiting")
		must(t, r.core.Cancel(limit(t), id))
		<-stopped
	})
	r.await("the question to be withdrawn", func() bool { return len(r.core.Questions()) == 0 })
	contains(t, r.turn(id, func() {
		contains(t, ok(t, cs, "edit_buffer", edit), "Waiting")
	}), "was not made")
	// Another turn's end, or its being stopped, is nothing to it.
	contains(t, r.turn(id, func() {
		must(t, r.core.Cancel(limit(t), id))
		<-stopped
	}), "still waits")
	if n := len(r.core.Questions()); n != 1 {
		t.Errorf("%d questions", n)
	}
	must(t, r.core.CloseSession(limit(t), id))
	r.await("the question to be withdrawn", func() bool { return len(r.core.Questions()) == 0 })
}

// await waits until something is so that no message tells.
func (r *rig) await(what string, so func() bool) {
	r.t.Helper()
	for ctx := limit(r.t); !so(); {
		if ctx.Err() != nil {
			r.t.Fatalf("%s did not come", what)
		}
		r.settle()
	}
}
