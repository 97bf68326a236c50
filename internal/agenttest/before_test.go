package agenttest

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// Review before the write, by real agents: what they ask about is shown in place
// and not there, hunks answer their questions, and what was applied needs no
// second look when it is there, by whatever road it comes.

// beginBefore is begin for a user who reviews before the write, and has typed something
// into notes.txt that is not saved.
func beginBefore(t *testing.T, a agent) (w *world, users string) {
	t.Helper()
	w = begin(t, a, "session", "review", "permission", "dismiss", "save", "reload", "editor")
	err := w.editor.Notify("workspace/didChangeConfiguration", map[string]any{
		"settings": map[string]any{"acp": map[string]any{"review": map[string]any{"mode": "before"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.open("notes.txt")
	w.typeOver("notes.txt", "line 10\n", typedOver)
	w.answers(func(question) string { return later })
	return w, w.text("notes.txt")
}

// proposed waits for a proposed hunk of a text.
func (w *world) proposed(name, text string) {
	w.t.Helper()
	w.eventually("the proposal "+text, func() bool {
		return slices.ContainsFunc(w.review(name).Hunks, func(h hunk) bool { return h.State == "proposed" && h.Text == text })
	})
}

// appliesOne runs the turn DO-ONE, an edit that the user applies before it is made.
func (w *world) appliesOne(users string) {
	w.t.Helper()
	t := w.begin("DO-ONE please")
	w.proposed("notes.txt", "line TWENTY-NINE\n")
	w.wantText("notes.txt", users)
	w.decideOn("accept", "notes.txt", "line TWENTY-NINE\n")
	t.stopped("end_turn")
	users = edited(users, "line 29\n", "line TWENTY-NINE\n")
	w.wantText("notes.txt", users)
	w.wantHunks("notes.txt")
	w.wantBaseline("notes.txt", users)
	w.wantNotices(0)
}

// wantNotices checks how often the session has said that something was not held.
func (w *world) wantNotices(n int) {
	w.t.Helper()
	for _, e := range w.entries(w.session) {
		if e.Kind == "notice" && strings.Contains(e.Text, "review.mode") {
			n--
		}
	}
	if n != 0 {
		w.t.Errorf("%d more notices were to be given: %+v", n, w.entries(w.session))
	}
}

func TestBefore(t *testing.T) {
	for _, a := range []agent{codex, gemini, opencode} {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			w, users := beginBefore(t, a)
			w.appliesOne(users)
		})
	}
}

// Codex asks once for a patch of several files: a part of it is made for it.
func TestBeforeInPart(t *testing.T) {
	t.Parallel()
	w, users := beginBefore(t, codex)
	turn := w.begin("DO-EDITS please")
	for _, text := range []string{"line THREE\n", "line 4.5\n", "line TWELVE\n", "line TWENTY-FIVE\n"} {
		w.proposed("notes.txt", text)
	}
	w.proposed("new.txt", "brand new\nfile\n")
	w.decideOn("reject", "new.txt", "brand new\nfile\n")
	w.decideOn("accept", "notes.txt", "line THREE\n")
	w.decideOn("reject", "notes.txt", "line 4.5\n")
	w.decideOn("accept", "notes.txt", "line TWELVE\n")
	w.wantText("notes.txt", users)
	w.decideOn("reject", "notes.txt", "line TWENTY-FIVE\n")
	turn.stopped("cancelled") // as after every refusal
	users = edited(users, "line 3\n", "line THREE\n", "line 12\n", "line TWELVE\n")
	w.wantText("notes.txt", users)
	w.wantHunks("notes.txt")
	w.wantBaseline("notes.txt", users)
	w.wantDisk("new.txt", "")
	w.begin("DO-ANSWER please").stopped("end_turn")
	if !w.modelWasTold("TWELVE") || !w.modelWasTold("rejected this change") {
		t.Error("the model was not told what became of its patch")
	}
}

func TestBeforeOthers(t *testing.T) {
	if os.Getenv("ACP_LS_AGENTS") != "all" {
		t.Skip("these agents are not part of every run: make test-agents, or ACP_LS_AGENTS=all")
	}
	for _, o := range otherAgents {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			w, users := beginBefore(t, o.agent)
			switch o.name {
			case "pi": // it never asks
				w.begin("DO-ONE please").stopped("end_turn")
				w.wantText("notes.txt", edited(users, "line 29\n", "line TWENTY-NINE\n"))
				w.wantHunks("notes.txt", [2]string{"line 29\n", "line TWENTY-NINE\n"})
				w.wantNotices(1)
			case "qwen": // it edits nothing that it has not read
				turn := w.begin("DO-EDITS please")
				w.proposed("notes.txt", "line THREE\n")
				w.decideOn("accept", "notes.txt", "line THREE\n")
				w.decideOn("accept", "notes.txt", "line 4.5\n")
				w.proposed("notes.txt", "line TWELVE\n")
				users = edited(users, agentEdits[:4]...)
				w.wantText("notes.txt", users)
				w.wantBaseline("notes.txt", users)
				w.cancel()
				turn.stopped("cancelled")
				w.wantHunks("notes.txt")
				w.wantText("notes.txt", users)
			default:
				w.appliesOne(users)
			}
		})
	}
}
